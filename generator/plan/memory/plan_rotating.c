#include "generator/plan/memory/plan_rotating.h"

#include "base/random.h"
#include "base/rational.h"
#include "generator/plan/memory/anchors.h"
#include "generator/plan/memory/capacity.h"
#include "generator/plan/memory/rotating_layout.h"
#include "generator/plan/memory/windows.h"

#include <math.h>
#include <string.h>

/* Sizes to try: the next best NEAR_SIZES times, then at growing distances, down to about 1/30. */
enum { NEAR_SIZES = 8 };
static const double SIZE_STEP = 0.15;
static const double NEARER = 0.7;

/* A multiple of every cache's line. */
enum { SWEEP_UNIT = 4096 };

/* The line of state holds a word for each base and one for the position in the period. */
enum { WORD_BYTES = 8, MOST_SIZES = 32, MOST_BASES = 7, HOT_LOADS = 0, HOT_STORES = 1, HOT_FIXED = 2 };

/* The working sets that the kernel requests, and their places. */
struct rotating_plan {
    struct rotating_set_request *requests; /* [count]: one for all accesses to a level with equal requests */
    unsigned count;
    unsigned *next; /* [count]: lines assigned so far */
    unsigned (
        *extras)[SERVICE_COUNT]; /* [schedules]: the index of each step among the extras of its request */
    unsigned(*bases);            /* [count]: index of the plan's base; 0: the working set does not move */
    unsigned next_hot;
    bool stores_apart; /* stores have working sets of their own */
    struct rotating_layout layout;
};

static bool wants_order(const struct behaviour *item)
{
    return item->prefetch == PREFETCH_INVITE || item->stride > 0;
}

/* True if stores would overwrite the data of loads in shared lines, of which loads and stores use a half
 * each. */
static bool stores_collide(const struct plan *plan)
{
    unsigned half = plan->machine->l1d.line / 2;
    bool wide = kernel_data_block(plan->kernel) > half;
    bool stores = false;
    for (size_t i = 0; i < plan->kernel->count; i++) {
        const struct behaviour *item = &plan->kernel->items[i];
        stores = stores || item->kind == BEHAVIOUR_STORE;
        wide = wide || (item->kind == BEHAVIOUR_STORE && item->width > half);
    }
    return stores && wide && kernel_data(plan->kernel) != NULL;
}

static bool is_apart(const struct rotating_plan *rotating, const struct behaviour *item)
{
    return item->kind == BEHAVIOUR_STORE && (item->stores_loaded || rotating->stores_apart);
}

static bool serves(const struct rotating_plan *rotating, const struct rotating_set_request *request,
                   const struct behaviour *item, enum memory_level level)
{
    if ((int)level == LEVEL_PAGE)
        return (int)request->level == LEVEL_PAGE;
    return request->level == level && request->in_order == wants_order(item) &&
           request->stride == item->stride && request->working_set == item->working_set &&
           request->apart == is_apart(rotating, item);
}

/* Finds or adds the request that the access belongs to. */
static unsigned find_request(struct rotating_plan *rotating, const struct behaviour *item,
                             enum memory_level level)
{
    unsigned i = 0;
    while (i < rotating->count && !serves(rotating, &rotating->requests[i], item, level))
        i++;
    if (i == rotating->count)
        rotating->requests[rotating->count++] =
            (struct rotating_set_request){.level = level,
                                          .in_order = wants_order(item),
                                          .stride = item->stride,
                                          .apart = is_apart(rotating, item),
                                          .working_set = item->working_set};
    return i;
}

static void add_extras(const struct plan *plan, struct rotating_plan *rotating, unsigned index)
{
    const struct schedule *schedule = &plan->sizing.schedules[index];
    const struct behaviour *item = &plan->kernel->items[schedule->item];
    for (unsigned step = 0; step < schedule->steps; step++) {
        if (schedule->step[step].level == LEVEL_L1)
            continue;
        struct rotating_set_request *request =
            &rotating->requests[find_request(rotating, item, schedule->step[step].level)];
        struct rotating_set_extra *extras = (struct rotating_set_extra *)(uintptr_t)request->extras;
        rotating->extras[index][step] = request->extra_count;
        extras[request->extra_count++] = (struct rotating_set_extra){
            step == 0 ? 0 : schedule->step[step - 1].until, schedule->step[step].until};
    }
}

/* Collects the requests of this sizing. */
static struct rotating_plan *collect(struct plan *plan)
{
    const struct sizing *sizing = &plan->sizing;
    size_t most = plan->kernel->count * SERVICE_COUNT;
    struct rotating_plan *rotating = arena_alloc(&plan->arena, 1, sizeof *rotating);
    rotating->stores_apart = stores_collide(plan);
    rotating->requests = arena_alloc(&plan->arena, most, sizeof *rotating->requests);
    rotating->next = arena_alloc(&plan->arena, most, sizeof *rotating->next);
    rotating->bases = arena_alloc(&plan->arena, most, sizeof *rotating->bases);
    rotating->extras = arena_alloc(&plan->arena, sizing->schedule_count + 1, sizeof *rotating->extras);
    for (size_t i = 0; i < plan->kernel->count; i++) {
        const struct behaviour *item = &plan->kernel->items[i];
        for (int level = LEVEL_L2; behaviour_accesses(item) && level < SERVICE_COUNT; level++) {
            bool sometimes = false;
            for (unsigned s = 0; s < sizing->schedule_count; s++)
                for (unsigned k = 0; sizing->schedules[s].item == i && k < sizing->schedules[s].steps; k++)
                    sometimes = sometimes || (int)sizing->schedules[s].step[k].level == level;
            if (sizing->served[i][level] > 0 || sometimes)
                rotating->requests[find_request(rotating, item, (enum memory_level)level)].lines +=
                    sizing->served[i][level];
        }
    }
    for (unsigned i = 0; i < rotating->count; i++)
        rotating->requests[i].extras = arena_alloc(&plan->arena, sizing->schedule_count * SERVICE_COUNT + 1,
                                                   sizeof *rotating->requests[i].extras);
    for (unsigned i = 0; i < sizing->schedule_count; i++)
        add_extras(plan, rotating, i);
    return rotating;
}

/* True if the behaviour's accesses each read a word of their own. */
static bool has_words(const struct plan *plan, const struct behaviour *item)
{
    return item->changes || behaviour_loads_target(item) ||
           (plan->memory.linked && item->address == ADDRESS_CHASE);
}

/* Words that always hit and hold the data of one load. */
static unsigned count_hot_words(const struct plan *plan)
{
    unsigned words = 0;
    for (size_t i = 0; i < plan->kernel->count; i++) {
        const struct behaviour *item = &plan->kernel->items[i];
        if (behaviour_loads_target(item))
            words += plan->sizing.units * item->count;
        if (item->kind != BEHAVIOUR_LOAD || (!item->has_data && !has_words(plan, item)))
            continue;
        words += has_words(plan, item) ? plan->sizing.served[i][LEVEL_L1] : 1;
        for (unsigned s = 0; s < plan->sizing.schedule_count; s++)
            words += has_words(plan, item) && plan->sizing.schedules[s].item == i;
    }
    return words;
}

static unsigned count_accesses(const struct plan *plan)
{
    unsigned accesses = 0;
    for (size_t i = 0; i < plan->kernel->count; i++)
        accesses += behaviour_touches(&plan->kernel->items[i]) > 0
                        ? plan->sizing.units * plan->kernel->items[i].count
                        : 0;
    return accesses;
}

/* True for loads that each read a word of their own. */
static bool words_change(const struct behaviour *item)
{
    return item->kind == BEHAVIOUR_LOAD && item->changes;
}

static enum status place(struct plan *plan, double depth, const struct plan_options *options, bool compact,
                         struct error *error)
{
    struct random random = random_start(options->seed, "rings");
    struct rotating_plan *rotating = collect(plan);
    struct rotating_layout_request request = {.machine = plan->machine,
                                              .sets = rotating->requests,
                                              .set_count = rotating->count,
                                              .period = plan->sizing.period,
                                              .accesses = count_accesses(plan),
                                              .copies = options->copies,
                                              .block = kernel_data_block(plan->kernel),
                                              .hot_words = count_hot_words(plan),
                                              .hot_apart = HOT_FIXED,
                                              .depth = depth,
                                              .compact = compact || options->compact,
                                              .stack = kernel_any(plan->kernel, behaviour_copies),
                                              .own_words = kernel_any(plan->kernel, words_change),
                                              .pages_matter = kernel_has(plan->kernel, BEHAVIOUR_TLB),
                                              .pages_fit = plan->memory.pages_fit,
                                              .pages_near = plan->memory.pages_near,
                                              .by_conflict = plan->machine->index_known,
                                              .depth_fixed =
                                                  options->tuning != NULL && options->tuning->depth > 0};
    plan->memory.rotating = rotating;
    return rotating_layout_place(&request, &random, &plan->arena, &rotating->layout, error);
}

/* Bytes to sweep: more than the last cache holds, because its index function is unknown, and several times
 * that under random replacement. */
static uint64_t sweep_for(const struct machine *machine)
{
    const struct cache *last = machine->l3.size > 0 ? &machine->l3 : &machine->l2;
    if (last->policy == POLICY_RANDOM)
        return (uint64_t)ceil(capacity_random_depth(last)) * last->size / SWEEP_UNIT * SWEEP_UNIT;
    return last->size + last->size / 2 / SWEEP_UNIT * SWEEP_UNIT;
}

static enum status make_bases(struct plan *plan, struct error *error)
{
    struct rotating_plan *rotating = plan->memory.rotating;
    plan->memory.bases = arena_alloc(&plan->arena, rotating->count + 1, sizeof *plan->memory.bases);
    plan->memory.base_count = 0;
    bool memory = false;
    for (unsigned i = 0; i < rotating->count; i++) {
        const struct rotating_set *set = &rotating->layout.sets[i];
        if (set->at.positions == 1)
            continue;
        plan->memory.bases[plan->memory.base_count++] = (struct base){.at = set->at,
                                                                      .level = rotating->requests[i].level,
                                                                      .lines = set->lines,
                                                                      .by_capacity = set->by_capacity,
                                                                      .bytes = set->bytes};
        bool served =
            rotating->requests[i].working_set == 0 && (int)rotating->requests[i].level != LEVEL_PAGE;
        memory = memory || (served && rotating->requests[i].level == LEVEL_MEM);
        rotating->bases[i] = plan->memory.base_count;
    }
    plan->memory.state = rotating->layout.state;
    plan->memory.bytes = rotating->layout.bytes;
    plan->memory.align = rotating->layout.align;
    plan->memory.huge_from = rotating->layout.huge_from;
    plan->memory.sweep_bytes = 0;
    if (memory && !plan->machine->index_known) {
        plan->memory.sweep_step =
            rotating->layout.apart > 0 ? rotating->layout.apart : plan->machine->l1d.line;
        plan->memory.sweep_from = plan->memory.bytes;
        plan->memory.sweep_bytes = sweep_for(plan->machine);
        plan->memory.bytes += plan->memory.sweep_bytes;
    }
    uint64_t reach = plan->machine->data_tlb.entries * plan->machine->data_tlb.page;
    bool wants_huge = plan->memory.huge_from > 0 || plan->memory.bytes >= ROTATING_HUGE_BYTES ||
                      (kernel_has(plan->kernel, BEHAVIOUR_TLB) && plan->memory.bytes > reach);
    if (wants_huge && plan->memory.huge_from < plan->memory.bytes &&
        ROTATING_HUGE_BYTES % plan->memory.align == 0) {
        plan->memory.align = ROTATING_HUGE_BYTES;
        plan->memory.bytes = rational_round_up(plan->memory.bytes, ROTATING_HUGE_BYTES);
    } else {
        plan->memory.huge_from = plan->memory.bytes;
    }
    if (plan->memory.base_count <= MOST_BASES)
        return STATUS_OK;
    return error_set(
        error, STATUS_RECIPE,
        "the loads and stores of this kernel walk through %u working sets at once, more than %d; fewer "
        "levels or the same stride in all of them need fewer",
        plan->memory.base_count, MOST_BASES);
}

/* True if the accesses of a pass lie in no more windows than there are registers for. Lines that stay in
 * place are reached from the data's start, as are accesses that always hit. */
static bool is_within_reach(struct plan *plan, double *excess, struct error *error)
{
    const struct rotating_plan *rotating = plan->memory.rotating;
    unsigned bases = 0;
    unsigned needed = 0;
    size_t still = 0;
    size_t most = HOT_FIXED + count_hot_words(plan);
    for (unsigned i = 0; i < rotating->count; i++) {
        bases += rotating->layout.sets[i].at.positions > 1;
        most += rotating->requests[i].lines + rotating->requests[i].extra_count;
    }
    const struct windows windows = windows_left(plan, bases);
    if (windows.bytes == 0 || !windows_needed(plan) || plan->memory.computes)
        return true;
    uint64_t *offsets = arena_alloc(&plan->arena, 2 * most, sizeof *offsets);
    uint64_t *stays = offsets + most;
    for (unsigned i = 0; i < rotating->count; i++) {
        const struct rotating_set *set = &rotating->layout.sets[i];
        bool moves = set->at.positions > 1;
        unsigned lines = rotating->requests[i].lines + rotating->requests[i].extra_count;
        for (unsigned k = 0; k < lines; k++)
            offsets[k] = set->offsets[k];
        for (unsigned k = 0; k < lines && !moves; k++)
            stays[still++] = set->at.start + set->offsets[k];
        needed += moves ? windows_count(&windows, offsets, lines) : 0;
    }
    for (unsigned k = 0; k < HOT_FIXED + count_hot_words(plan); k++)
        stays[still++] = rotating->layout.hot[k];
    needed += windows_count(&windows, stays, still);
    *excess = windows.most == 0 ? needed : (double)needed / windows.most;
    if (needed > windows.most)
        anchors_refuse(plan, needed, windows.most, error);
    return needed <= windows.most;
}

/* Places the working sets; if they need too many registers, places them again near each other. */
static enum status place_within_reach(struct plan *plan, double depth, const struct plan_options *options,
                                      double *excess, struct error *error)
{
    *excess = 1;
    enum status status = STATUS_RECIPE;
    for (unsigned compact = 0; compact < (plan->memory.windows.bytes > 0 ? 2 : 1); compact++) {
        status = place(plan, depth, options, compact, error);
        if (status == STATUS_OK && is_within_reach(plan, excess, error))
            return STATUS_OK;
    }
    return STATUS_RECIPE;
}

enum status rotating_size(struct plan *plan, struct sizing_request *request,
                          const struct plan_options *options, double depth, struct error *error)
{
    struct error no_room = {0};
    request->depth = (unsigned)depth;
    request->cost_above = -1;
    request->hot_room = 0;
    uint64_t steps = 0;
    for (unsigned i = 0; i < MOST_SIZES && steps <= ROTATING_MOST_STEPS; i++) {
        enum status status = sizing_choose(request, &plan->arena, &plan->sizing, i == 0 ? error : NULL);
        if (status != STATUS_OK && i == 0)
            return status;
        if (status != STATUS_OK)
            break;
        double excess; /* of the registers that the lines need, as a factor */
        if (place_within_reach(plan, depth, options, &excess, i == 0 ? error : &no_room) == STATUS_OK)
            return make_bases(plan, error);
        steps += plan->memory.rotating->layout.steps;
        double step = excess > 1 ? NEARER * log(excess) : 0; /* try a loop shorter by that factor */
        step = i >= NEAR_SIZES && step < SIZE_STEP ? SIZE_STEP : step;
        request->cost_above = plan->sizing.cost + step;
        if (plan->memory.rotating->layout.hot_room > 0)
            request->hot_room = plan->memory.rotating->layout.hot_room;
    }
    return STATUS_RECIPE;
}

/* Offset of an access that always hits: the line of all such accesses, the word of the behaviour, or a word
 * of this access alone. */
static uint64_t hot_offset(struct plan *plan, const struct behaviour *item, unsigned *words)
{
    const uint64_t *hot = plan->memory.rotating->layout.hot;
    if (!behaviour_loads(item) || (!item->has_data && !has_words(plan, item)))
        return hot[item->kind == BEHAVIOUR_STORE ? HOT_STORES : HOT_LOADS];
    unsigned *word = &words[item - plan->kernel->items];
    if (*word == 0 || has_words(plan, item))
        *word = HOT_FIXED + plan->memory.rotating->next_hot++;
    return hot[*word];
}

uint64_t rotating_hit_offset(const struct plan *plan)
{
    return plan->memory.rotating->layout.hot[HOT_LOADS];
}

static void lead_to(struct plan *plan, const struct slot *slot, unsigned step, struct place *place)
{
    struct rotating_plan *rotating = plan->memory.rotating;
    const struct behaviour *item = &plan->kernel->items[slot->item];
    unsigned request = find_request(rotating, item, place->level);
    const struct rotating_set *set = &rotating->layout.sets[request];
    unsigned line = slot->schedule == 0
                        ? rotating->next[request]++
                        : rotating->requests[request].lines + rotating->extras[slot->schedule - 1][step];
    /* Stores write another word of their line than loads read: on some cores a load waits for an earlier
     * store with the same low twelve address bits. */
    unsigned half = plan->machine->l1d.line / 2;
    bool own_line = item->stride == 0 || item->stride >= plan->machine->l1d.line;
    uint64_t word = item->kind == BEHAVIOUR_STORE && own_line && item->width <= half ? half : 0;
    uint64_t start = rotating->bases[request] > 0 ? 0 : set->at.start;
    place->base = rotating->bases[request];
    place->offset = (uint32_t)(start + set->offsets[line] + word);
    if (item->width > WORD_BYTES) /* a vector is aligned, though its line is visited word by word */
        place->offset -= place->offset % item->width;
    place->line = line;
}

enum status rotating_place_accesses(struct plan *plan)
{
    struct rotating_plan *rotating = plan->memory.rotating;
    unsigned *words = arena_alloc(&plan->arena, plan->kernel->count, sizeof *words);
    memset(rotating->next, 0, rotating->count * sizeof *rotating->next);
    rotating->next_hot = 0;
    for (size_t i = 0; i < plan->slot_count; i++) {
        struct slot *slot = &plan->slots[i];
        const struct behaviour *item = &plan->kernel->items[slot->item];
        for (unsigned step = 0; step < slot->place_count; step++) {
            struct place *place = &slot->places[step];
            if (place->level == LEVEL_L1)
                place->offset = (uint32_t)hot_offset(plan, item, words);
            else
                lead_to(plan, slot, step, place);
        }
    }
    return STATUS_OK;
}
