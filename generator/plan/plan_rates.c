#include "generator/plan/plan_rates.h"

#include "base/memory.h"
#include "generator/kernel/throttle.h"
#include "generator/metric/metric.h"
#include "generator/plan/data/word_sequence.h"
#include "generator/plan/memory/cache_model.h"
#include "generator/plan/memory/page_model.h"
#include "generator/plan/plan.h"
#include "isa/executable.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- plan data rates ---- */

/* The data rates of a plan: bits that are one, and bits that change from one word to the next, over all
 * streams of words with a recipe's data: one stream of all loads, and one of each operation's operands. */

/* The streams so far. */
struct data_streams {
    struct word_tally tally;
    double wanted, dealt;                         /* promised flips: in program order, and in other orders */
    bool promised, promises_ones, promises_dealt; /* every stream promises these */
    bool changes;                                 /* some stream does */
};

/* Adds the promises of a stream with one item's pattern. A toggle rate is promised as exactly as the loop
 * allows: flips come in pairs, one there and one back. */
static void add_promise(struct data_streams *streams, const struct behaviour *item, double bits, double flips)
{
    bool shares = behaviour_toggles(item);
    bool reached =
        !shares || fabs(flips - item->toggle * bits) <= 2.0 * behaviour_bus(item) / behaviour_lane(item);
    streams->wanted += reached ? flips : item->toggle * bits;
    streams->dealt += shares ? item->toggle * bits : flips;
    streams->promises_ones = streams->promises_ones && !shares;
    streams->promises_dealt = streams->promises_dealt && (shares ? !item->program_order : !item->changes);
    streams->changes = streams->changes || item->changes;
}

/* Adds the loads, which share a bus as wide as the widest; mixed patterns are not promised. */
static void add_loads(const struct plan *plan, struct data_streams *streams)
{
    const struct behaviour *data = kernel_data(plan->kernel);
    const struct word_tally *loads = &plan->data.loads;
    for (size_t i = 0; data != NULL && i < plan->kernel->count; i++)
        if (plan->kernel->items[i].kind == BEHAVIOUR_LOAD)
            streams->promised = streams->promised && behaviour_same_data(&plan->kernel->items[i], data);
    if (data == NULL)
        return;
    streams->tally = *loads;
    add_promise(streams, data, loads->bits, loads->flips[DEALT_IN_PROGRAM_ORDER]);
}

/* Adds the operands of one behaviour's instances, in loop order; all elements of a vector are equal. */
static void add_operands(const struct plan *plan, size_t index, struct data_streams *streams)
{
    const struct behaviour *item = &plan->kernel->items[index];
    const struct operand_words *operands = &plan->data.operands[index];
    unsigned lane = behaviour_lane(item), count = 0;
    uint64_t mask = lane == 8 ? UINT64_MAX : UINT32_MAX;
    size_t all = (size_t)plan->sizing.units * item->count;
    uint64_t *words = memory_zeroed(all, sizeof *words), *addresses = memory_zeroed(all, sizeof *addresses);
    for (size_t i = 0; i < plan->slot_count; i++)
        if (plan->slots[i].item == index) {
            addresses[count] = plan->slots[i].place_count > 0 ? plan_offset(plan, &plan->slots[i], 0) : 0;
            words[count++] = operands->words[plan->slots[i].operand] & mask;
        }
    struct word_tally own = {0};
    bool written = item->kind == BEHAVIOUR_STORE;
    word_tally_add(&own, words, 8 * lane, count, written ? addresses : NULL, written,
                   plan->sizing.period * (double)item->width / lane);
    for (int dealing = 0; dealing < WORD_DEALINGS; dealing++)
        streams->tally.flips[dealing] += own.flips[dealing];
    streams->tally.bits += own.bits;
    streams->tally.ones += own.ones;
    add_promise(streams, item, own.bits, own.flips[DEALT_IN_PROGRAM_ORDER]);
    free(words);
    free(addresses);
}

void plan_data_rates(struct plan *plan)
{
    struct data_streams streams = {.promised = true, .promises_ones = true, .promises_dealt = true};
    const struct word_tally *tally = &streams.tally;
    add_loads(plan, &streams);
    for (size_t i = 0; i < plan->kernel->count; i++)
        if (operation_has_operands(&plan->kernel->items[i]) && plan->kernel->items[i].has_data)
            add_operands(plan, i, &streams);
    if (tally->bits == 0)
        return;
    struct rates *expected = &plan->rates.expected, *targets = &plan->rates.targets;
    double wanted =
        streams.promised ? streams.dealt / tally->bits : word_tally_rate(tally, DEALT_IN_PROGRAM_ORDER);
    rates_set(&plan->arena, expected, "data.toggle_rate", word_tally_rate(tally, DEALT_IN_PROGRAM_ORDER));
    if (streams.changes)
        rates_set(&plan->arena, expected, "data.toggle_rate.dealt", word_tally_dealt(tally, wanted));
    rates_set(&plan->arena, expected, "data.ones_rate", tally->ones / tally->bits);
    if (!streams.promised)
        return;
    rates_set(&plan->arena, targets, "data.toggle_rate", streams.wanted / tally->bits);
    if (streams.changes && streams.promises_dealt)
        rates_set(&plan->arena, targets, "data.toggle_rate.dealt", wanted);
    if (streams.promises_ones)
        rates_set(&plan->arena, targets, "data.ones_rate", tally->ones / tally->bits);
}

/* The behaviour with a toggle rate that has the fewest different words: a walk, which may visit its words
 * again in a pass, or else the one with the fewest accesses in a unit. */
static const struct behaviour *fewest_words(const struct kernel *kernel)
{
    const struct behaviour *fewest = NULL;
    for (size_t i = 0; i < kernel->count; i++) {
        const struct behaviour *item = &kernel->items[i];
        bool walks = item->kind == BEHAVIOUR_LOAD && item->working_set > 0;
        if (behaviour_toggles(item) && walks)
            return item;
        if (behaviour_toggles(item) && (fewest == NULL || item->count < fewest->count))
            fewest = item;
    }
    return fewest;
}

enum status plan_check_toggles(const struct plan *plan, struct error *error)
{
    const struct behaviour *item = fewest_words(plan->kernel);
    const struct rates *targets = &plan->rates.targets, *expected = &plan->rates.expected;
    double wanted = rates_get(targets, "data.toggle_rate", -1);
    double reached = rates_get(expected, "data.toggle_rate", wanted);
    double evenly = rates_get(targets, "data.toggle_rate.dealt", -1);
    double dealt = rates_get(expected, "data.toggle_rate.dealt", evenly);
    bool exact = wanted < 0 || fabs(reached - wanted) <= 1e-9;
    if (item == NULL ||
        (exact && (evenly < 0 || fabs(dealt - evenly) <= metric_near("data.toggle_rate.dealt"))))
        return STATUS_OK;
    unsigned words = plan->sizing.units * item->count;
    if (!exact) {
        error_set(error, STATUS_RECIPE,
                  "%s.data toggles %.6g of the bits, but its %u words in a pass cannot: all words together "
                  "toggle %.6g instead of %.6g",
                  item->op, item->toggle, words, reached, wanted);
        error_hint(error, "expected an even number of them, and whole rounds of a working set's lines, or a "
                          "part of a round, by count or loop.units");
        return STATUS_RECIPE;
    }
    unsigned least = item->kind == BEHAVIOUR_LOAD ? WORD_SEQUENCE_LEAST : 2 * WORD_SEQUENCE_LEAST;
    unsigned more = words < least ? least : 2 * words;
    error_set(error, STATUS_RECIPE,
              "%s.data toggles %.6g of the bits, but a pass has only %u words of it: distributed over two, "
              "three or four ports, or by address, they would toggle %.4g",
              item->op, item->toggle, words, dealt);
    error_hint(error,
               "expected at least %u words in a pass, such as loop = { units = %u }, or the pattern's "
               "{ order = \"program\" }, which promises program order alone",
               more, (more + item->count - 1) / item->count);
    return STATUS_RECIPE;
}

/* ---- plan rates ---- */

/* Accesses of walks that are simulated. */
enum { MOST_WALKED = 1 << 22 };

/* Passes simulated: enough for pseudo-LRU to settle, few enough to be quick. */
enum { LEAST_PASSES = 20 };

/* Under random replacement a rate is a mean. So many accesses are counted that it is known to a few parts in
 * ten thousand, after as many passes as the last line that hits may take to settle in a way. A rotating
 * working set settles only over several rotations: in each, lines that the cache had evicted evict others,
 * but fewer the more of the cache is free. */
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

/* Adds the share that each level serves, for accesses of one kind; false if there is a walk, whose shares are
 * not stated. A load's write-back hits L1, as do a copy's load from the stack and the load of a branch's
 * target. */
static bool add_shares(const struct kernel *kernel, bool loads, double shares[LEVEL_COUNT], double *accesses)
{
    for (size_t i = 0; i < kernel->count; i++) {
        const struct behaviour *item = &kernel->items[i];
        if (loads ? behaviour_loads_target(item) || behaviour_copies(item) : behaviour_writes_back(item)) {
            shares[LEVEL_L1] += item->count;
            *accesses += item->count;
        }
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
 * L2, its rate is still promised, as 0; the verdict is then "not applicable". */
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
    const struct behaviour *tlb = kernel_first(kernel, BEHAVIOUR_TLB);
    return tlb == NULL ? -1 : tlb->page_misses;
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
        if (!kernel_any(plan->kernel, behaviour_passes_caches))
            add_cache_rates(plan->machine, all, true, &plan->arena, &plan->rates.targets);
        add_served(loads, &plan->arena, &plan->rates.targets);
    }
    add_branch_targets(plan);
    if (throttle_promise(plan->kernel) > 0)
        rates_add(&plan->arena, &plan->rates.targets, "throttle.duty", throttle_promise(plan->kernel));
    if (wanted_page_misses(plan->kernel) >= 0)
        rates_add(&plan->arena, &plan->rates.targets, "dtlb.miss_rate", wanted_page_misses(plan->kernel));
    if (kernel_code(plan->kernel) != NULL && !kernel_code(plan->kernel)->l1i_counted)
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

/* Simulates the set-up, which writes every line of the working sets, so that a level holds its lines before
 * their first use. */
static void simulate_setup(const struct plan *plan, struct cache_model *caches[LEVEL_COUNT])
{
    for (size_t i = 0; plan->memory.by_rotation && i < plan->data.run_count; i++)
        for (uint64_t k = 0; k < plan->data.runs[i].count; k++)
            access_caches(caches, plan->data.runs[i].offset + k * plan->data.runs[i].step);
}

/* Simulates the end of the set-up, which writes so many other lines that they fill every cache. Under random
 * replacement the first lines then replace these; empty ways would hide that. Sets of L3 that are reserved
 * for its own lines stay empty. */
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

/* The accesses of a pass that are simulated. Lines that always stay in L1D share no set of it with others:
 * DEEP omits accesses to them. MOVING also omits accesses to lines of L2 that are the same in every pass. */
enum access_selection { EVERY, DEEP, MOVING };

static bool is_selected(const struct slot *slot, enum access_selection selection)
{
    if (slot->place_count != 1 || selection == EVERY)
        return slot->place_count > 0;
    const struct place *place = &slot->places[0];
    return place->level != LEVEL_L1 && (selection == DEEP || place->level != LEVEL_L2 || place->base > 0);
}

static size_t count_selected(const struct plan *plan, enum access_selection selection)
{
    size_t count = 0;
    for (size_t i = 0; i < plan->slot_count; i++)
        count += is_selected(&plan->slots[i], selection);
    return count;
}

static struct accesses find_accesses(const struct plan *plan, enum access_selection selection)
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
        accesses->loads[i] = plan->stores == 0 || behaviour_loads(&plan->kernel->items[slot->item]);
        loads += accesses->loads[i];
    }
    return loads;
}

/* Simulates a pass. A level receives the misses of the levels above it, in order, so each level can process
 * the whole pass at once. */
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

/* True under LRU, where the accesses since a line's last use alone decide whether it is present, so that
 * every period after the first is the same. */
static bool forgets_setup(const struct machine *machine)
{
    for (int level = 0; level < LEVEL_COUNT; level++) {
        const struct cache *cache = machine_cache(machine, level);
        if (cache != NULL && cache->policy != POLICY_LRU && cache->policy != POLICY_UNKNOWN)
            return false;
    }
    return true;
}

/* True for walks through very large data, for which the model would take minutes to predict rates that no
 * verdict uses: beside a walk no cache rates are promised. */
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

/* Few enough passes that other lines reaching L2 meanwhile evict none of the lines read in every pass. */
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

/* Hits change nothing under random replacement, so lines that stay in L1D can be omitted until the last
 * passes before counting, in which they settle. */
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

/* Page misses are counted in spans of SPAN_PASSES, as sources count them, of which a period is a divisor.
 * Over a long rotation at most MOST_SPANS spans are counted, evenly spread. */
enum { SPAN_PASSES = 100, MOST_SPANS = 20 };

/* Accesses that are simulated for the misses of a plan that promises none. */
enum { MOST_PAGED = 1 << 22 };

/* The spans, each of which follows passes that are not counted. */
struct page_course {
    unsigned spans, span;
    unsigned first, apart; /* passes before the first span, and from one span's start to the next's */
    unsigned settling;     /* simulated passes before each span; they may overlap the span before */
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

/* The rate of the data TLB, a mean of the spans' rates, and their largest distance from `wanted`. NAN if the
 * machine file states no TLB. */
static double simulate_pages(const struct plan *plan, struct accesses *accesses, double wanted, double *off)
{
    const struct isa *isa = isa_find(plan->machine->isa);
    uint64_t data = isa == NULL ? 0 : executable_data_address(isa, 0, plan->memory.bytes, plan->memory.align);
    struct page_model *tlb = page_model_new(plan->machine, data + plan->memory.huge_from);
    if (tlb == NULL)
        return NAN;
    struct page_course course = plot_pages(plan);
    double in_span = course.span * (double)plan_accesses(plan);
    double sum = 0;
    *off = 0;
    for (unsigned i = 0; i < course.spans; i++) {
        unsigned start = course.first + i * course.apart;
        size_t misses = 0;
        for (unsigned pass = start - course.settling; (i == 0 || course.apart > course.span) && pass < start;
             pass++)
            (void)miss_pages(plan, accesses, pass, data, tlb);
        for (unsigned pass = start; pass < start + course.span; pass++)
            misses += miss_pages(plan, accesses, pass, data, tlb);
        double rate = (double)misses / in_span;
        *off = fmax(*off, fabs(rate - wanted));
        sum += rate;
    }
    page_model_free(tlb);
    return sum / course.spans;
}

double plan_page_misses(const struct plan *plan)
{
    unsigned count = plan_accesses(plan);
    double rate = rates_get(&plan->rates.expected, "dtlb.miss_rate", NAN), off;
    if (count == 0)
        return plan->machine->data_tlb.entries > 0 ? 0 : NAN;
    if (isnan(rate) && count_page_passes(plan) * count <= MOST_PAGED) {
        struct accesses accesses = find_accesses(plan, EVERY);
        rate = simulate_pages(plan, &accesses, 0, &off);
        free(accesses.slots);
    }
    return rate * count;
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
    plan->simulation.counted = false;
    if (plan->branches.total > 0) {
        rates_add(&plan->arena, &plan->rates.expected, "branch.miss_rate",
                  branches_miss_rate(&plan->branches));
        rates_add(&plan->arena, &plan->rates.expected, "branch.taken_rate",
                  branches_taken_rate(&plan->branches));
    }
    if (throttle_promise(plan->kernel) > 0)
        rates_add(&plan->arena, &plan->rates.expected, "throttle.duty", throttle_promise(plan->kernel));
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
    tally.loads[LEVEL_L1] += (double)course.counted * plan->popped;
    tally.all[LEVEL_L1] += (double)course.counted * (plan->written + plan->popped);
    if (!kernel_any(plan->kernel, behaviour_passes_caches))
        add_cache_rates(plan->machine, tally.all, false, &plan->arena, &plan->rates.expected);
    add_served(tally.loads, &plan->arena, &plan->rates.expected);
    if (pages) {
        double rate =
            simulate_pages(plan, &accesses, wanted_page_misses(plan->kernel), &plan->simulation.pages_off);
        if (!isnan(rate))
            rates_add(&plan->arena, &plan->rates.expected, "dtlb.miss_rate", rate);
    }
    for (int level = 0; level < LEVEL_COUNT; level++) {
        plan->simulation.loads[level] = tally.loads[level] / course.counted;
        plan->simulation.all[level] = tally.all[level] / course.counted;
    }
    plan->simulation.counted = true;
    free(accesses.slots);
    return find_worst(plan);
}

void plan_promise(struct plan *plan, const struct kernel *requested)
{
    const struct rates aimed_at = plan->rates.targets;
    plan->rates.targets = (struct rates){0}; /* of its own items */
    const struct kernel *kernel = plan->kernel;
    plan->kernel = requested;
    plan_set_targets(plan);
    plan->kernel = kernel;
    const struct rates promised = plan->rates.targets;
    plan->rates.targets = aimed_at;
    for (size_t i = 0; i < plan->rates.targets.count; i++) {
        struct rate *target = &plan->rates.targets.items[i];
        target->value = rates_get(&promised, target->metric, target->value);
    }
    plan->requested = requested;
}
