#include "generator/plan/plan_rates.h"

#include "base/memory.h"
#include "generator/kernel/throttle.h"
#include "generator/plan/memory/cache_model.h"
#include "generator/plan/memory/page_model.h"
#include "generator/plan/plan.h"
#include "isa/executable.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- plan data rates ---- */

/* The data rates of a plan: bits that are one, and bits that change from one word to the next, over all
 * streams of words that a recipe's data field gives: that of the loads, and one for each operation's
 * operands. */

/* Bits of one pass, of all streams. */
struct word_tally {
    double bits, flips, ones;
    double wanted;                /* flips that the recipe promises */
    bool promised, promises_ones; /* by every stream so far */
};

/* Adds a stream of words of one item's pattern. A toggling share is promised as exactly as the loop allows:
 * flips come in pairs, one there and one back. */
static void add_stream(struct word_tally *tally, const struct behaviour *item, double bits, double flips,
                       double ones)
{
    bool shares = item->changes && item->word_count == 0;
    bool reached =
        !shares || fabs(flips - item->toggle * bits) <= 2.0 * behaviour_bus(item) / behaviour_lane(item);
    tally->bits += bits;
    tally->flips += flips;
    tally->ones += ones;
    tally->wanted += reached ? flips : item->toggle * bits;
    tally->promises_ones = tally->promises_ones && !shares;
}

/* Loads share a bus, as wide as the widest; mixed patterns are not promised. */
static void add_loads(const struct plan *plan, struct word_tally *tally)
{
    const struct behaviour *data = kernel_data(plan->kernel);
    unsigned width = 0;
    for (size_t i = 0; data != NULL && i < plan->kernel->count; i++) {
        const struct behaviour *item = &plan->kernel->items[i];
        if (item->kind != BEHAVIOUR_LOAD)
            continue;
        width = behaviour_bus(item) > width ? behaviour_bus(item) : width;
        tally->promised = tally->promised && behaviour_same_data(item, data);
    }
    double bits = 8.0 * width * plan->loads;
    if (data != NULL)
        add_stream(tally, data, bits, plan->data.toggle_rate * bits, plan->data.ones_rate * bits);
}

/* Adds the operands of one behaviour's instances, in loop order; all elements of a vector are equal. */
static void add_operands(const struct plan *plan, size_t index, struct word_tally *tally)
{
    const struct behaviour *item = &plan->kernel->items[index];
    const struct operand_words *words = &plan->data.operands[index];
    unsigned lane = behaviour_lane(item);
    uint64_t mask = lane == 8 ? UINT64_MAX : UINT32_MAX;
    double lanes = (double)item->width / lane;
    double flips = 0;
    double ones = 0;
    unsigned count = plan->sizing.units * item->count;
    for (unsigned i = 0; i < count; i++) {
        uint64_t word = words->words[operand_words_of(words, i)];
        uint64_t next = words->words[operand_words_of(words, (i + 1) % count)];
        flips += __builtin_popcountll((word ^ next) & mask);
        ones += __builtin_popcountll(word & mask);
    }
    add_stream(tally, item, 8.0 * item->width * count, flips * lanes, ones * lanes);
}

/* Sets data.toggle_rate and data.ones_rate in plan->rates.expected and, as far as the recipe promises them,
 * in plan->rates.targets: flips and ones of all streams over all their bits. Does nothing if no data is
 * given. */
static void plan_data_rates(struct plan *plan)
{
    struct word_tally tally = {.promised = true, .promises_ones = true};
    add_loads(plan, &tally);
    for (size_t i = 0; i < plan->kernel->count; i++)
        if (operation_has_operands(&plan->kernel->items[i]) && plan->kernel->items[i].has_data)
            add_operands(plan, i, &tally);
    if (tally.bits == 0)
        return;
    rates_add(&plan->arena, &plan->rates.expected, "data.toggle_rate", tally.flips / tally.bits);
    rates_add(&plan->arena, &plan->rates.expected, "data.ones_rate", tally.ones / tally.bits);
    if (!tally.promised)
        return;
    rates_set(&plan->arena, &plan->rates.targets, "data.toggle_rate", tally.wanted / tally.bits);
    if (tally.promises_ones)
        rates_set(&plan->arena, &plan->rates.targets, "data.ones_rate", tally.ones / tally.bits);
}

/* ---- plan rates ---- */

/* Accesses of walks that are simulated. */
enum { MOST_WALKED = 1 << 22 };

/* Passes simulated: enough for pseudo-LRU to settle, few enough to be quick. */
enum { LEAST_PASSES = 20 };

/* Under random replacement a rate is a mean of chances: so many accesses are counted that it is known to a
 * few parts in ten thousand, after as many passes as the last line that hits may take to find its way. A
 * working set that rotates settles only over several rotations: in each, those of its lines that a cache has
 * lost drive out others, fewer the more of the cache it leaves free. */
enum {
    CHANCE_ACCESSES = 1 << 20,
    CHANCE_PASSES = 1 << 13,
    CHANCE_SETTLES = 200,
    CHANCE_ROTATIONS = 8,
    CHANCE_ROTATING = 1 << 23 /* accesses of these rotations, at most */
};

static void add_branch_targets(struct plan *plan)
{
    double taken = branches_wanted_taken(plan->kernel);
    if (branches_in_unit(plan->kernel) == 0)
        return;
    rates_add(&plan->arena, &plan->rates.targets, "branch.miss_rate", branches_wanted(plan->kernel));
    if (taken >= 0)
        rates_add(&plan->arena, &plan->rates.targets, "branch.taken_rate", taken);
}

/* Adds the share that each level serves, for accesses of one kind; false with a walk, whose shares are not
 * stated. */
static bool add_shares(const struct kernel *kernel, bool loads, double shares[LEVEL_COUNT], double *accesses)
{
    for (size_t i = 0; i < kernel->count; i++) {
        const struct behaviour *item = &kernel->items[i];
        if (!(loads ? item->kind == BEHAVIOUR_LOAD : item->kind == BEHAVIOUR_STORE))
            continue;
        if (item->working_set > 0)
            return false;
        *accesses += item->count;
        for (int level = 0; level < LEVEL_COUNT; level++)
            shares[level] += item->count * item->served[level];
    }
    return true;
}

/* Cache rates from the accesses that each level serves: misses per access of that level. If nothing reaches
 * L2, its rate is still promised, as 0: such a verdict is "not applicable". */
static void add_cache_rates(const struct machine *machine, const double served[LEVEL_COUNT], bool promise,
                            struct arena *arena, struct rates *rates)
{
    static const char *const names[] = {"l1d.miss_rate", "l2.miss_rate", "l3.miss_rate"};
    double arriving = served[LEVEL_L1] + served[LEVEL_L2] + served[LEVEL_L3] + served[LEVEL_MEM];
    double least = 1e-9 * arriving;
    for (int level = 0; level < LEVEL_MEM && least > 0; level++) {
        if (machine_cache(machine, level) == NULL)
            continue;
        double missing = arriving - served[level] < least ? 0 : arriving - served[level];
        if (arriving > 0)
            rates_add(arena, rates, names[level], missing / arriving);
        else if (promise && level == LEVEL_L2)
            rates_add(arena, rates, names[level], 0);
        arriving = missing;
    }
}

static void add_served(const double served[LEVEL_COUNT], struct arena *arena, struct rates *rates)
{
    static const char *const names[] = {"served.L1", "served.L2", "served.L3", "served.MEM"};
    double all = served[LEVEL_L1] + served[LEVEL_L2] + served[LEVEL_L3] + served[LEVEL_MEM];
    for (int level = 0; level < LEVEL_COUNT && all > 0; level++)
        if (level <= LEVEL_L2 || served[level] > 0)
            rates_add(arena, rates, names[level], served[level] / all);
}

/* The share of a tlb{}; below 0 without one. */
static double wanted_page_misses(const struct kernel *kernel)
{
    for (size_t i = 0; i < kernel->count; i++)
        if (kernel->items[i].kind == BEHAVIOUR_TLB)
            return kernel->items[i].page_misses;
    return -1;
}

/* Such stores are neither hits nor misses; a cache model treats them as ordinary ones. */
static bool stores_past_caches(const struct kernel *kernel)
{
    for (size_t i = 0; i < kernel->count; i++)
        if (behaviour_accesses(&kernel->items[i]) && kernel->items[i].non_temporal)
            return true;
    return false;
}

void plan_set_targets(struct plan *plan)
{
    double loads[LEVEL_COUNT] = {0};
    double all[LEVEL_COUNT];
    double load_count = 0;
    double store_count = 0;
    bool promised = add_shares(plan->kernel, true, loads, &load_count);
    memcpy(all, loads, sizeof all);
    promised = promised && add_shares(plan->kernel, false, all, &store_count);
    plan->rates.targets.count = 0;
    if (promised) {
        if (!stores_past_caches(plan->kernel))
            add_cache_rates(plan->machine, all, true, &plan->arena, &plan->rates.targets);
        add_served(loads, &plan->arena, &plan->rates.targets);
    }
    add_branch_targets(plan);
    if (throttle_duty(plan->kernel) > 0)
        rates_add(&plan->arena, &plan->rates.targets, "throttle.duty", throttle_duty(plan->kernel));
    if (wanted_page_misses(plan->kernel) >= 0)
        rates_add(&plan->arena, &plan->rates.targets, "dtlb.miss_rate", wanted_page_misses(plan->kernel));
    if (kernel_code(plan->kernel) != NULL)
        rates_add(&plan->arena, &plan->rates.targets, "l1i.miss_rate",
                  kernel_code(plan->kernel)->l1i_miss_rate);
}

static bool is_of_data(const char *metric)
{
    static const char *const families[] = {"served.", "l1d.", "l2.", "l3.", "dtlb.", "data.", "bandwidth."};
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
        if (strncmp(metric, families[i], strlen(families[i])) == 0)
            return true;
    return false;
}

static void leave_out(struct rates *rates)
{
    size_t kept = 0;
    for (size_t i = 0; i < rates->count; i++)
        if (!is_of_data(rates->items[i].metric))
            rates->items[kept++] = rates->items[i];
    rates->count = kept;
}

void plan_unpromise(struct plan *plan)
{
    bool memory = false;
    for (size_t i = 0; i < plan->kernel->count; i++)
        memory = memory || behaviour_memory(&plan->kernel->items[i]) > 0;
    if (!memory)
        return;
    leave_out(&plan->rates.targets);
    leave_out(&plan->rates.expected);
}

/* Accesses that each level served, of loads and of all. */
struct level_tally {
    double loads[LEVEL_COUNT], all[LEVEL_COUNT];
};

/* The level that serves an access to the offset. */
static int access_caches(struct cache_model *caches[LEVEL_COUNT], uint64_t offset)
{
    int level = LEVEL_L1;
    while (level < LEVEL_MEM && (caches[level] == NULL || !cache_model_access(caches[level], offset)))
        level++;
    return level;
}

/* Set-up writes every line of the working sets, so a level already holds its lines before their first use. */
static void simulate_setup(const struct plan *plan, struct cache_model *caches[LEVEL_COUNT])
{
    for (size_t i = 0; plan->memory.by_rotation && i < plan->data.run_count; i++)
        for (uint64_t k = 0; k < plan->data.runs[i].count; k++)
            access_caches(caches, plan->data.runs[i].offset + k * plan->data.runs[i].step);
}

/* Set-up ends by writing so many other lines that they fill every cache. What a cache replaces at random
 * first takes the places of these: empty ones would hide that. Where L3 has sets for its own lines, they stay
 * empty. */
static void simulate_sweep(const struct plan *plan, struct cache_model *caches[LEVEL_COUNT])
{
    for (uint64_t at = 0; at < plan->memory.sweep_bytes; at += plan->memory.sweep_step)
        access_caches(caches, plan->memory.sweep_from + at);
}

/* The accesses of a pass, and room for those that continue to the next level; all [count], in one allocation.
 */
struct accesses {
    const struct slot **slots;
    uint64_t *offsets;
    uint32_t *missed;
    unsigned char *loads; /* 1 for a load */
    size_t count;
};

/* Which of a pass's accesses are simulated. Lines that always stay in L1D share no set of it with others:
 * DEEP omits accesses to them. MOVING also omits accesses to the same lines of L2 in every pass. */
enum selection { EVERY, DEEP, MOVING };

static bool is_selected(const struct slot *slot, enum selection selection)
{
    if (slot->place_count != 1 || selection == EVERY)
        return slot->place_count > 0;
    const struct place *place = &slot->places[0];
    return place->level != LEVEL_L1 && (selection == DEEP || place->level != LEVEL_L2 || place->base > 0);
}

static size_t count_selected(const struct plan *plan, enum selection selection)
{
    size_t count = 0;
    for (size_t i = 0; i < plan->slot_count; i++)
        count += is_selected(&plan->slots[i], selection);
    return count;
}

static struct accesses find_accesses(const struct plan *plan, enum selection selection)
{
    size_t most = plan->slot_count + 1;
    struct accesses accesses = {.slots =
                                    memory_resized(NULL, most,
                                                   sizeof(struct slot *) + sizeof *accesses.offsets +
                                                       sizeof *accesses.missed + sizeof *accesses.loads)};
    accesses.offsets = (uint64_t *)(void *)(accesses.slots + most);
    accesses.missed = (uint32_t *)(void *)(accesses.offsets + most);
    accesses.loads = (unsigned char *)(void *)(accesses.missed + most);
    for (size_t i = 0; i < plan->slot_count; i++)
        if (is_selected(&plan->slots[i], selection))
            accesses.slots[accesses.count++] = &plan->slots[i];
    return accesses;
}

/* Fills in the pass's offsets; returns the number of loads. */
static size_t fill_pass(const struct plan *plan, struct accesses *accesses, unsigned pass)
{
    size_t loads = 0;
    for (size_t i = 0; i < accesses->count; i++) {
        const struct slot *slot = accesses->slots[i];
        bool fixed = slot->place_count == 1 && slot->places[0].base == 0;
        accesses->offsets[i] = fixed ? slot->places[0].offset : plan_offset(plan, slot, pass);
        accesses->loads[i] = plan->stores == 0 || plan->kernel->items[slot->item].kind == BEHAVIOUR_LOAD;
        loads += accesses->loads[i];
    }
    return loads;
}

/* A level sees only the misses of those above it, in order, so each can process the whole pass at once. */
static void simulate_pass(const struct plan *plan, struct accesses *accesses, unsigned pass,
                          struct cache_model *caches[LEVEL_COUNT], struct level_tally *tally)
{
    size_t loads = fill_pass(plan, accesses, pass);
    size_t count = accesses->count;
    for (int level = LEVEL_L1; level < LEVEL_MEM; level++) {
        if (caches[level] == NULL)
            continue;
        size_t missing = cache_model_run(caches[level], accesses->offsets, count, accesses->missed);
        size_t missing_loads = 0;
        for (size_t i = 0; i < missing; i++) {
            uint32_t from = accesses->missed[i];
            accesses->offsets[i] = accesses->offsets[from];
            accesses->loads[i] = accesses->loads[from];
            missing_loads += accesses->loads[from];
        }
        tally->all[level] += (double)(count - missing);
        tally->loads[level] += (double)(loads - missing_loads);
        count = missing;
        loads = missing_loads;
    }
    tally->all[LEVEL_MEM] += (double)count;
    tally->loads[LEVEL_MEM] += (double)loads;
}

/* The largest distance of an expected cache rate from its target. */
static double find_worst(struct plan *plan)
{
    double worst = -1;
    for (size_t i = 0; i < plan->rates.targets.count; i++) {
        const struct rate *target = &plan->rates.targets.items[i];
        bool misses = target->metric[0] == 'l' && strstr(target->metric, ".miss_rate") != NULL;
        bool of_caches = misses || strncmp(target->metric, "served.", strlen("served.")) == 0;
        double found = rates_get(&plan->rates.expected, target->metric, -1);
        if (!of_caches || found < 0 || fabs(found - target->value) <= worst)
            continue;
        worst = fabs(found - target->value);
        plan->simulation.worst = target->metric;
    }
    return worst < 0 ? 0 : worst;
}

/* Only under LRU: whether a line is present depends only on the reads since its last use, so every period
 * after the first is the same. */
static bool forgets_setup(const struct machine *machine)
{
    for (int level = 0; level < LEVEL_COUNT; level++) {
        const struct cache *cache = machine_cache(machine, level);
        if (cache != NULL && cache->policy != POLICY_LRU && cache->policy != POLICY_UNKNOWN)
            return false;
    }
    return true;
}

/* Beside a walk no cache rates are promised: for very large data the model would take minutes to predict what
 * no verdict uses. */
static bool walks_too_far(const struct plan *plan, unsigned passes)
{
    bool walks = false;
    for (size_t i = 0; i < plan->kernel->count; i++)
        walks = walks || behaviour_walks(&plan->kernel->items[i]);
    bool promised = wanted_page_misses(plan->kernel) >= 0;
    return walks && !promised && (uint64_t)passes * (plan->loads + plan->stores) > MOST_WALKED;
}

static bool has_capacity(const struct plan *plan)
{
    for (unsigned i = 0; i < plan->memory.base_count; i++)
        if (plan->memory.bases[i].by_capacity)
            return true;
    return false;
}

/* How the plan is simulated: warm-up passes, the first of which skip lines that stay in place, and counted
 * passes. One in `refresh` of the skipping passes accesses L2's lines too, so that they do not age. */
struct course {
    unsigned skimmed, refresh, warm, counted;
};

/* Few enough that other lines reaching L2 meanwhile evict none of those read in every pass. */
static unsigned choose_refresh(const struct plan *plan)
{
    enum { SAFE = 16 };
    const struct cache *l2 = &plan->machine->l2;
    size_t moving = count_selected(plan, MOVING);
    uint64_t passes = moving == 0 ? 1 : l2->size / l2->line / SAFE / moving;
    return passes > 1 ? (unsigned)passes : 1;
}

static bool is_random(const struct machine *machine)
{
    bool random = false;
    for (int level = 0; level < LEVEL_COUNT; level++) {
        const struct cache *cache = machine_cache(machine, level);
        random = random || (cache != NULL && cache->policy == POLICY_RANDOM);
    }
    return random;
}

static unsigned count_chances(const struct plan *plan)
{
    unsigned passes = CHANCE_ACCESSES / (plan->loads + plan->stores);
    unsigned turns = plan_turns(plan);
    passes = passes < LEAST_PASSES ? LEAST_PASSES : passes > CHANCE_PASSES ? CHANCE_PASSES : passes;
    return turns < passes ? (passes + turns - 1) / turns * turns : passes;
}

unsigned plan_settles(const struct plan *plan)
{
    unsigned turns = plan_turns(plan);
    unsigned period = plan->sizing.period;
    if (!is_random(plan->machine))
        return turns;
    uint64_t once = (uint64_t)turns * (plan->loads + plan->stores);
    unsigned rotations = once == 0 ? 1 : (unsigned)fmin(CHANCE_ROTATIONS, CHANCE_ROTATING / (double)once);
    unsigned passes = rotations > 1 ? rotations * turns : turns;
    if (passes < CHANCE_SETTLES)
        passes = CHANCE_SETTLES;
    return passes < 2 * period ? 2 * period : passes;
}

/* Hits change nothing under random replacement, so lines that stay in L1D can be left out until the last
 * passes, in which they find their ways. */
static struct course plot_course(const struct plan *plan)
{
    unsigned period = plan->sizing.period;
    unsigned turns = plan_turns(plan);
    bool random = is_random(plan->machine);
    bool settles = turns == 1 && forgets_setup(plan->machine);
    unsigned least = settles ? period : random ? plan_settles(plan) : 2 * period;
    unsigned counted = settles ? period : random ? count_chances(plan) : LEAST_PASSES;
    struct course course = {.refresh = random ? 1 : choose_refresh(plan),
                            .warm = ((turns > least ? turns : least) + period - 1) / period * period,
                            .counted = (counted + period - 1) / period * period};
    bool pages = wanted_page_misses(plan->kernel) >= 0;
    unsigned last = random && period < CHANCE_SETTLES ? CHANCE_SETTLES : period;
    bool skims = plan->memory.by_rotation && !pages && course.warm > last;
    course.skimmed = skims ? (course.warm - last) / period * period : 0;
    return course;
}

static bool is_simulated(const struct plan *plan)
{
    return plan->loads + plan->stores > 0 && !plan->unchecked && !walks_too_far(plan, plan_turns(plan));
}

/* ---- the data TLB ---- */

/* Page misses are counted in spans of passes, as sources count them, which a period divides; over a long
 * rotation in that many, evenly spread. */
enum { SPAN_PASSES = 100, MOST_SPANS = 20 };

/* The spans, each after passes that are not counted. */
struct page_course {
    unsigned spans, span;
    unsigned first, apart; /* passes before the first span, and from one span's start to the next's */
    unsigned settling;     /* passes before each span; the first of them may be those of an earlier one */
};

static struct page_course plot_pages(const struct plan *plan)
{
    unsigned period = plan->sizing.period;
    unsigned moves = 1; /* passes until every access has been to all its places */
    for (unsigned i = 0; i < plan->memory.base_count; i++) {
        unsigned turns = rotation_turns(&plan->memory.bases[i].at);
        moves = turns > moves ? turns : moves;
    }
    if (moves == 1)
        return (struct page_course){.spans = 1, .span = period, .first = period, .settling = period};
    unsigned spans = (moves + SPAN_PASSES - 1) / SPAN_PASSES;
    if (spans <= MOST_SPANS)
        return (struct page_course){.spans = spans,
                                    .span = SPAN_PASSES,
                                    .first = spans * SPAN_PASSES,
                                    .apart = SPAN_PASSES,
                                    .settling = spans * SPAN_PASSES};
    return (struct page_course){.spans = MOST_SPANS,
                                .span = SPAN_PASSES,
                                .first = SPAN_PASSES,
                                .apart = spans / MOST_SPANS * SPAN_PASSES,
                                .settling = SPAN_PASSES};
}

static uint64_t count_page_passes(const struct plan *plan)
{
    struct page_course course = plot_pages(plan);
    bool joined = course.apart <= course.span;
    return (uint64_t)course.spans * course.span + (uint64_t)(joined ? 1 : course.spans) * course.settling;
}

static size_t miss_pages(const struct plan *plan, struct accesses *accesses, unsigned pass, uint64_t data,
                         struct page_model *tlb)
{
    size_t misses = 0;
    (void)fill_pass(plan, accesses, pass);
    for (size_t i = 0; i < accesses->count; i++)
        misses += !page_model_access(tlb, data + accesses->offsets[i]);
    return misses;
}

/* Adds the expected rate of the data TLB. */
static void simulate_pages(struct plan *plan, struct accesses *accesses)
{
    const struct isa *isa = isa_find(plan->machine->isa);
    uint64_t data = isa == NULL ? 0 : executable_data_address(isa, 0, plan->memory.bytes, plan->memory.align);
    struct page_model *tlb = page_model_new(plan->machine, data + plan->memory.huge_from);
    if (tlb == NULL)
        return;
    struct page_course course = plot_pages(plan);
    double wanted = wanted_page_misses(plan->kernel);
    double in_span = course.span * (double)(plan->loads + plan->stores);
    double sum = 0;
    plan->simulation.pages_off = 0;
    for (unsigned i = 0; i < course.spans; i++) {
        unsigned start = course.first + i * course.apart;
        size_t misses = 0;
        for (unsigned pass = start - course.settling; (i == 0 || course.apart > course.span) && pass < start;
             pass++)
            (void)miss_pages(plan, accesses, pass, data, tlb);
        for (unsigned pass = start; pass < start + course.span; pass++)
            misses += miss_pages(plan, accesses, pass, data, tlb);
        double rate = (double)misses / in_span;
        plan->simulation.pages_off = fmax(plan->simulation.pages_off, fabs(rate - wanted));
        sum += rate;
    }
    rates_add(&plan->arena, &plan->rates.expected, "dtlb.miss_rate", sum / course.spans);
    page_model_free(tlb);
}

/* ---- the whole ---- */

uint64_t plan_simulation(const struct plan *plan)
{
    if (!is_simulated(plan))
        return 0;
    struct course course = plot_course(plan);
    uint64_t whole = course.warm - course.skimmed + course.counted;
    size_t moving = count_selected(plan, MOVING);
    size_t staying = count_selected(plan, DEEP) - moving;
    return (uint64_t)course.skimmed * moving + (uint64_t)(course.skimmed / course.refresh + 1) * staying +
           (whole + (wanted_page_misses(plan->kernel) < 0 ? 0 : count_page_passes(plan))) *
               (plan->loads + plan->stores);
}

double plan_simulate(struct plan *plan)
{
    plan->rates.expected.count = 0;
    if (plan->branches.total > 0) {
        rates_add(&plan->arena, &plan->rates.expected, "branch.miss_rate",
                  branches_miss_rate(&plan->branches));
        rates_add(&plan->arena, &plan->rates.expected, "branch.taken_rate",
                  branches_taken_rate(&plan->branches));
    }
    if (throttle_duty(plan->kernel) > 0)
        rates_add(&plan->arena, &plan->rates.expected, "throttle.duty", throttle_duty(plan->kernel));
    plan_data_rates(plan);
    if (!is_simulated(plan))
        return 0;
    plan->simulation.accesses += plan_simulation(plan);
    struct cache_model *caches[LEVEL_COUNT] = {NULL};
    for (int level = 0; level < LEVEL_COUNT; level++)
        if (machine_cache(plan->machine, level) != NULL)
            caches[level] = cache_model_new(machine_cache(plan->machine, level));
    bool pages = wanted_page_misses(plan->kernel) >= 0;
    struct course course = plot_course(plan);
    struct level_tally settling = {0};
    struct level_tally tally = {0};
    struct accesses accesses = find_accesses(plan, EVERY);
    bool by_capacity = has_capacity(plan);
    if (!forgets_setup(plan->machine) && !by_capacity) /* else the warm-up reads every line once */
        simulate_setup(plan, caches);
    else if (is_random(plan->machine))
        simulate_sweep(plan, caches);
    struct accesses deep = find_accesses(plan, DEEP);
    struct accesses moving = find_accesses(plan, MOVING);
    for (unsigned pass = 0; pass < course.skimmed; pass++)
        simulate_pass(plan, pass % course.refresh == 0 ? &deep : &moving, pass, caches, &settling);
    for (unsigned pass = course.skimmed; pass < course.warm; pass++)
        simulate_pass(plan, &accesses, pass, caches, &settling);
    for (unsigned pass = course.warm; pass < course.warm + course.counted; pass++)
        simulate_pass(plan, &accesses, pass, caches, &tally);
    free(deep.slots);
    free(moving.slots);
    for (int level = 0; level < LEVEL_COUNT; level++)
        cache_model_free(caches[level]);
    if (!stores_past_caches(plan->kernel))
        add_cache_rates(plan->machine, tally.all, false, &plan->arena, &plan->rates.expected);
    add_served(tally.loads, &plan->arena, &plan->rates.expected);
    if (pages)
        simulate_pages(plan, &accesses);
    free(accesses.slots);
    return find_worst(plan);
}

void plan_promise(struct plan *plan, const struct kernel *asked)
{
    const struct rates aimed_at = plan->rates.targets;
    plan->rates.targets = (struct rates){0}; /* of its own items */
    const struct kernel *kernel = plan->kernel;
    plan->kernel = asked;
    plan_set_targets(plan);
    plan->kernel = kernel;
    const struct rates promised = plan->rates.targets;
    plan->rates.targets = aimed_at;
    for (size_t i = 0; i < plan->rates.targets.count; i++) {
        struct rate *target = &plan->rates.targets.items[i];
        target->value = rates_get(&promised, target->metric, target->value);
    }
    plan->asked = asked;
}
