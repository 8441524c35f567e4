#include "generator/plan/memory/plan_places.h"

#include "base/memory.h"
#include "base/rational.h"
#include "generator/plan/memory/eviction_layout.h"
#include "generator/plan/memory/page_model.h"
#include "generator/plan/memory/plan_rotating.h"
#include "generator/plan/memory/rotating_layout.h"
#include "generator/plan/memory/windows.h"
#include "generator/plan/plan_forms.h"
#include "isa/isa.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- misses by eviction sets: accesses that L1 and L2 serve, each with its own address in the code ---- */

enum { MOST_SIZES = 64, ROTATING = 1, LEAST_LINES = 2 };

/* The machine, but with an L1D of one way less than the lines that the tuning requests, so that no group has
 * fewer lines. */
static const struct machine *as_deep(struct plan *plan, const struct plan_options *options, double depth)
{
    if (options->tuning == NULL || options->tuning->depth <= 0)
        return plan->machine;
    struct machine *machine = arena_alloc(&plan->arena, 1, sizeof *machine);
    *machine = *plan->machine;
    uint64_t span = machine->l1d.size / machine->l1d.ways;
    long lines = lround(depth * machine->l1d.ways);
    machine->l1d.ways = lines < LEAST_LINES ? LEAST_LINES - 1 : (unsigned)lines - 1;
    machine->l1d.size = span * machine->l1d.ways;
    return machine;
}

static enum status place_sized(struct plan *plan, const struct sizing_request *request, bool depth_fixed,
                               struct error *error)
{
    const struct machine *machine = request->machine;
    struct eviction_layout_request places = {.l1 = &machine->l1d,
                                             .l2 = &machine->l2,
                                             .tlb_entries = machine->data_tlb.entries,
                                             .misses = plan->sizing.total,
                                             .period = plan->sizing.period,
                                             .rotating = plan->sizing.rotating,
                                             .sometimes = plan->sizing.sometimes,
                                             .depth = request->depth,
                                             .depth_fixed = depth_fixed,
                                             .index_known = machine->index_known,
                                             .depth_first = machine->l1d.policy != POLICY_LRU};
    if (windows_needed(plan) && !plan->memory.computes)
        places.windows = windows_left(plan, plan->sizing.rotating);
    enum status status = eviction_layout_place(&places, &plan->arena, &plan->memory.eviction, error);
    plan->memory.beyond_reach =
        plan->memory.beyond_reach || (status != STATUS_OK && places.windows.bytes > 0);
    return status;
}

/* With short displacements, lines that stay in place may need more bases than there are registers. Then every
 * pass gets its own lines, which are near each other. */
static enum status place_moving(struct plan *plan, const struct sizing_request *request)
{
    struct sizing_request moving = *request;
    moving.rotates = true;
    enum status status = sizing_choose(&moving, &plan->arena, &plan->sizing, NULL);
    return status == STATUS_OK ? place_sized(plan, &moving, false, NULL) : status;
}

/* If L2 has no room for the best size, tries the next best. */
static enum status eviction_size(struct plan *plan, struct sizing_request *request,
                                 const struct plan_options *options, double depth, struct error *error)
{
    const struct machine *machine = as_deep(plan, options, depth);
    bool fixed = machine != plan->machine;
    bool limited = plan->memory.windows.bytes > 0;
    struct error no_room = {0};
    request->room = eviction_layout_room(&machine->l1d, &machine->l2);
    if (machine->l2.ways > 1)
        request->room -= request->room / machine->l2.ways; /* the layout leaves a way free if possible */
    request->machine = machine;
    request->depth = (unsigned)(depth * machine->l1d.ways);
    if (fixed || request->depth <= machine->l1d.ways)
        request->depth = machine->l1d.ways + 1;
    request->cost_above = -1;
    request->stays = limited && kernel_any(plan->kernel, behaviour_chases);
    for (unsigned i = 0; i < MOST_SIZES; i++) {
        enum status status = sizing_choose(request, &plan->arena, &plan->sizing, i == 0 ? error : NULL);
        if (status != STATUS_OK && i == 0)
            return status;
        if (status != STATUS_OK)
            break;
        double cost = plan->sizing.cost;
        bool deep = limited && windows_needed(plan) && machine->l1d.policy != POLICY_LRU;
        if (place_sized(plan, request, deep, &no_room) == STATUS_OK)
            return STATUS_OK;
        if (limited && place_moving(plan, request) == STATUS_OK)
            return STATUS_OK;
        request->cost_above = cost;
    }
    *error = no_room;
    return STATUS_RECIPE;
}

static bool always_misses(const struct slot *slot)
{
    return slot->place_count == 1 && slot->places[0].level != LEVEL_L1;
}

/* If hits read the line of the preceding miss and lines rotate, a pass must begin with a miss. */
static size_t eviction_first_slot(const struct plan *plan)
{
    if (!plan->memory.eviction.hits_follow_misses || !plan->sizing.rotating)
        return 0;
    size_t first = 0;
    while (first < plan->slot_count && !always_misses(&plan->slots[first]))
        first++;
    return first < plan->slot_count ? first : 0;
}

static void lead_to(struct place *place, const struct miss *miss, unsigned base)
{
    place->base = base;
    place->offset = miss->offset;
    place->group = miss->group;
    place->line = miss->line;
}

/* In a one-set cache each hit reads the line of the preceding miss; at the loop's start, of the last miss. */
static void let_hits_follow(struct plan *plan, unsigned base)
{
    if (!plan->memory.eviction.hits_follow_misses)
        return;
    const struct miss *last = &plan->memory.eviction.misses[plan->sizing.total - 1];
    unsigned next_miss = 0;
    for (size_t i = 0; i < plan->slot_count; i++) {
        struct slot *slot = &plan->slots[i];
        if (slot->place_count > 0 && always_misses(slot))
            last = &plan->memory.eviction.misses[next_miss++];
        for (unsigned p = 0; p < slot->place_count; p++)
            if (slot->places[p].level == LEVEL_L1)
                lead_to(&slot->places[p], last, base);
    }
}

/* The state that one call of the kernel passes to the next follows all lines. */
static void place_base(struct plan *plan)
{
    const struct eviction_layout *layout = &plan->memory.eviction;
    plan->memory.base_count = 0;
    plan->memory.bytes = layout->bytes;
    plan->memory.align = layout->align;
    plan->memory.huge_from = UINT64_MAX;
    if (plan->sizing.rotating) {
        plan->memory.bases = arena_alloc(&plan->arena, 1, sizeof *plan->memory.bases);
        plan->memory.bases[plan->memory.base_count++] =
            (struct base){.at = rotation_by(0, layout->step, layout->turns),
                          .level = LEVEL_L2,
                          .lines = (uint64_t)plan->sizing.total * layout->turns};
    }
}

/* ---- words of their own ---- */

/* The position of the next hit's word. */
struct hit_words {
    const struct cache *l1;
    const struct eviction_layout *layout;
    unsigned sets;
    unsigned block; /* bytes with the same value: the word and its neighbours */
    unsigned set, way, word;
};

static bool has_group(const struct eviction_layout *layout, unsigned set)
{
    for (unsigned i = 0; i < layout->set_count; i++)
        if (layout->sets[i].l1d_set == set)
            return true;
    return false;
}

/* All words of as many lines as the set has ways, then those of the next free set. */
static bool next_hit_word(struct hit_words *hits, uint64_t *offset)
{
    while (hits->set < hits->sets && has_group(hits->layout, hits->set))
        hits->set++;
    if (hits->set >= hits->sets)
        return false;
    uint64_t span = hits->l1->size / hits->l1->ways;
    *offset = hits->way * span + (uint64_t)hits->set * hits->l1->line + hits->block * (uint64_t)hits->word;
    if (++hits->word < hits->l1->line / hits->block)
        return true;
    hits->word = 0;
    if (++hits->way < cache_keeps(hits->l1))
        return true;
    hits->way = 0;
    hits->set++;
    return true;
}

/* Earlier visits of the line in the pass. */
static unsigned visits_before(const struct plan *plan, size_t index)
{
    unsigned visits = 0;
    uint64_t line = plan->machine->l1d.line;
    for (size_t i = 0; i < index; i++)
        visits += plan->slots[i].place_count > 0 && always_misses(&plan->slots[i]) &&
                  plan->slots[i].places[0].offset / line == plan->slots[index].places[0].offset / line;
    return visits;
}

static bool give_word(struct plan *plan, size_t index, struct hit_words *hits)
{
    struct slot *slot = &plan->slots[index];
    for (unsigned p = 0; p < slot->place_count; p++) {
        struct place *place = &slot->places[p];
        uint64_t hit = 0;
        if (place->level == LEVEL_L1 && !next_hit_word(hits, &hit))
            return false;
        if (place->level == LEVEL_L1)
            place->offset = (uint32_t)hit;
        else if (slot->place_count == 1 &&
                 visits_before(plan, index) >= plan->machine->l1d.line / hits->block)
            return false;
        else if (slot->place_count == 1)
            place->offset += hits->block * visits_before(plan, index);
        uint64_t end = place->offset / 64 * 64 + 64;
        plan->memory.bytes = plan->memory.bytes < end ? end : plan->memory.bytes;
    }
    return true;
}

/* Assigns each visit of a missing line its own word, and hits the words of lines in L1D sets without eviction
 * sets. */
static enum status give_words(struct plan *plan, struct error *error)
{
    const struct behaviour *data = kernel_data(plan->kernel);
    const struct cache *l1 = &plan->machine->l1d;
    bool linked = plan->memory.linked && plan->memory.indexed;
    const char *what = linked ? "load.address = \"chase\"" : "load.data";
    if ((data == NULL || !data->changes) && !linked)
        return STATUS_OK;
    if (cache_sets(l1) < 2)
        return error_set(error, STATUS_RECIPE, "%s: an L1D with one set has no lines for changing words",
                         what);
    struct hit_words hits = {.l1 = l1,
                             .layout = &plan->memory.eviction,
                             .sets = cache_sets(l1),
                             .block = kernel_data_block(plan->kernel)};
    for (size_t i = 0; i < plan->slot_count; i++) {
        if (give_word(plan, i, &hits))
            continue;
        error_set(error, STATUS_RECIPE,
                  "%s: each of the %u loads of a pass reads its own word, and L1D can keep fewer", what,
                  plan->loads);
        error_hint(error, "a smaller loop needs fewer, for example loop = { units = %u }",
                   (plan->sizing.units + 1) / 2);
        return STATUS_RECIPE;
    }
    return STATUS_OK;
}

/* Lines of an eviction set are a way apart. If a way is longer than a page, only a huge page keeps them in
 * one set of an L1 that is indexed by physical addresses. */
static void request_huge_pages(struct plan *plan)
{
    const struct cache *l1 = &plan->machine->l1d;
    uint64_t page = plan->machine->data_tlb.page;
    page = page > PAGE_MODEL_SMALL_BYTES ? page : PAGE_MODEL_SMALL_BYTES;
    if (l1->size / l1->ways <= page || plan->memory.eviction.set_count == 0 || plan->machine->index_known ||
        kernel_has(plan->kernel, BEHAVIOUR_TLB) || ROTATING_HUGE_BYTES % plan->memory.align != 0)
        return;
    plan->memory.huge_from = 0;
    plan->memory.align = ROTATING_HUGE_BYTES;
    plan->memory.bytes = rational_round_up(plan->memory.bytes, ROTATING_HUGE_BYTES);
}

static enum status eviction_place_accesses(struct plan *plan, const struct plan_options *options,
                                           struct error *error)
{
    (void)options;
    unsigned next_miss = 0;
    unsigned base = plan->sizing.rotating ? ROTATING : 0;
    place_base(plan);
    for (size_t i = 0; i < plan->slot_count; i++) {
        struct slot *slot = &plan->slots[i];
        for (unsigned p = 0; p < slot->place_count; p++) {
            struct place *place = &slot->places[p];
            if (place->level == LEVEL_L1)
                place->offset = plan->memory.eviction.hit_offset;
            else
                lead_to(place,
                        slot->place_count > 1 ? &plan->memory.eviction.sometimes
                                              : &plan->memory.eviction.misses[next_miss++],
                        base);
        }
    }
    let_hits_follow(plan, base);
    enum status status = give_words(plan, error);
    request_huge_pages(plan);
    return status;
}

/* ---- all accesses ---- */

bool plan_needs_rotation(const struct kernel *kernel)
{
    const struct behaviour *data = kernel_data(kernel);
    for (size_t i = 0; i < kernel->count; i++) {
        const struct behaviour *item = &kernel->items[i];
        bool other_data = data != NULL && item->kind == BEHAVIOUR_LOAD && item != data &&
                          (data->changes || !behaviour_same_data(item, data));
        bool deep = behaviour_accesses(item) &&
                    (item->steers || item->served[LEVEL_L3] > 0 || item->served[LEVEL_MEM] > 0);
        if (item->kind == BEHAVIOUR_STORE || item->kind == BEHAVIOUR_TLB || other_data || deep ||
            behaviour_loads_target(item) || behaviour_copies(item))
            return true;
    }
    return false;
}

/* Changes `deeper` of the marks equal to `mark`, evenly spread, to the next level. */
static void mark_even(unsigned char *marks, unsigned count, unsigned char mark, unsigned deeper)
{
    uint64_t all = 0;
    for (unsigned i = 0; i < count; i++)
        all += marks[i] == mark;
    uint64_t seen = 0;
    for (unsigned i = 0; i < count; i++) {
        if (marks[i] != mark)
            continue;
        marks[i] += (seen + 1) * deeper / all > seen * deeper / all;
        seen++;
    }
}

/* The behaviour's accesses per pass by level; scheduled ones count as their last level's. */
static void count_levels(const struct plan *plan, unsigned item, unsigned counts[SERVICE_COUNT])
{
    memcpy(counts, plan->sizing.served[item], SERVICE_COUNT * sizeof *counts);
    for (unsigned i = 0; i < plan->sizing.schedule_count; i++) {
        const struct schedule *schedule = &plan->sizing.schedules[i];
        if (schedule->item == item)
            counts[schedule->step[schedule->steps - 1].level]++;
    }
}

static void mark_levels(const struct behaviour *item, const unsigned counts[SERVICE_COUNT],
                        unsigned char *marks, unsigned accesses)
{
    unsigned place = 0;
    if (item->order == ORDER_EVEN) {
        memset(marks, LEVEL_L1, accesses);
        for (int level = LEVEL_L1; level + 1 < SERVICE_COUNT; level++) {
            unsigned deeper = 0;
            for (int below = level + 1; below < SERVICE_COUNT; below++)
                deeper += counts[below];
            mark_even(marks, accesses, (unsigned char)level, deeper);
        }
        return;
    }
    for (int level = SERVICE_COUNT - 1; level >= 0; place += counts[level], level--)
        memset(marks + place, level, counts[level]);
}

/* The marks of one behaviour's accesses over a pass, in the recipe's order. */
static unsigned char *arrange(struct plan *plan, unsigned item, struct random *random)
{
    const struct behaviour *access = &plan->kernel->items[item];
    unsigned accesses = plan->sizing.units * access->count;
    unsigned counts[SERVICE_COUNT];
    unsigned char *marks = arena_alloc(&plan->arena, accesses, 1);
    count_levels(plan, item, counts);
    mark_levels(access, counts, marks, accesses);
    for (unsigned i = 0; i < plan->sizing.schedule_count; i++) {
        const struct schedule *schedule = &plan->sizing.schedules[i];
        if (schedule->item != item)
            continue;
        unsigned place = 0;
        while (marks[place] != schedule->step[schedule->steps - 1].level)
            place++;
        marks[place] = (unsigned char)(MARK_SCHEDULES + i);
    }
    if (access->order == ORDER_SHUFFLED)
        random_shuffle(random, marks, accesses);
    return marks;
}

/* Shuffles the kinds, in which the random branches come first. Random branches that share a number stay
 * together. */
static void shuffle_groups(struct random *random, unsigned char *kinds, const struct branch_counts *counts)
{
    unsigned groups = (counts->random + BRANCH_BITS - 1) / BRANCH_BITS, spread = counts->random - groups;
    unsigned left = counts->random, at = 0;
    unsigned char *shuffled = memory_zeroed(counts->total + 1, 1);
    random_shuffle(random, kinds + spread, counts->total - spread);
    for (unsigned i = spread; i < counts->total; i++) {
        unsigned times = kinds[i] != BRANCH_RANDOM ? 1 : left < BRANCH_BITS ? left : BRANCH_BITS;
        memset(shuffled + at, kinds[i], times);
        at += times;
        left -= kinds[i] == BRANCH_RANDOM ? times : 0;
    }
    memcpy(kinds, shuffled, counts->total);
    free(shuffled);
}

/* The kinds of one behaviour's branches over a pass, in random order. */
static unsigned char *arrange_branches(struct plan *plan, unsigned item, struct random *random)
{
    struct branch_counts counts = branches_of(plan->kernel, item, plan->sizing.units);
    unsigned char *kinds = arena_alloc(&plan->arena, counts.total, 1);
    unsigned taken = plan->kernel->items[item].indirect ? (counts.taken + 1) / 2 : counts.taken;
    memset(kinds, BRANCH_FALLTHROUGH, counts.total);
    memset(kinds, BRANCH_RANDOM, counts.random);
    memset(kinds + counts.random, BRANCH_TAKEN, taken);
    if (plan->kernel->items[item].shares_test)
        shuffle_groups(random, kinds, &counts);
    else
        random_shuffle(random, kinds, counts.total);
    return kinds;
}

unsigned char **plan_arrange(struct plan *plan, struct random *random)
{
    const struct kernel *kernel = plan->kernel;
    unsigned char **marks = arena_alloc(&plan->arena, kernel->count, sizeof *marks);
    for (unsigned i = 0; i < kernel->count; i++) {
        if (behaviour_accesses(&kernel->items[i]))
            marks[i] = arrange(plan, i, random);
        else if (kernel->items[i].kind == BEHAVIOUR_BRANCH)
            marks[i] = arrange_branches(plan, i, random);
    }
    return marks;
}

/* Rotates the cyclic loop to begin with the slot. */
static void begin_with(struct plan *plan, size_t first)
{
    struct slot *turned = arena_room(&plan->arena, plan->slot_count, sizeof *turned);
    for (size_t i = 0; i < plan->slot_count; i++)
        turned[i] = plan->slots[(first + i) % plan->slot_count];
    plan->slots = turned;
}

/* The position after the last branch that is always taken, preferring conditional ones. */
static size_t after_last_taken(const struct plan *plan)
{
    bool all_indirect = plan->branches.indirect + 1 >= plan->branches.total;
    size_t last = plan->slot_count;
    while (last > 0 && (plan->slots[last - 1].branch != BRANCH_TAKEN ||
                        (!all_indirect && plan_is_indirect(plan, &plan->slots[last - 1]))))
        last--;
    return last;
}

/* Rotates the loop so that its last slot is a branch that is always taken, and makes it the back edge. */
static void end_with_branch(struct plan *plan)
{
    size_t last = after_last_taken(plan);
    if (last == 0)
        return;
    begin_with(plan, last);
    plan->slots[plan->slot_count - 1].branch = BRANCH_BACK;
}

/* Sets which branches share a test. The first slot shares none, because the code that ends a pass changes the
 * flags. BRANCH_BITS random branches use one random number, and only the first of them leaves flags that a
 * predictable branch can share. */
static void share_tests(struct plan *plan)
{
    unsigned drawn = 0;
    for (size_t i = 0; i < plan->slot_count; i++) {
        struct slot *slot = &plan->slots[i];
        const struct behaviour *item = &plan->kernel->items[slot->item];
        if (item->kind != BEHAVIOUR_BRANCH || !item->shares_test)
            continue;
        bool random = slot->branch == BRANCH_RANDOM;
        bool follows = !item->indirect && i > 0 && slot[-1].item == slot->item &&
                       slot->branch != BRANCH_BACK &&
                       !(slot[-1].branch == BRANCH_RANDOM && slot[-1].tested > 0);
        slot->tested = (unsigned char)(random ? drawn++ % BRANCH_BITS : follows);
    }
}

void plan_turn_loop(struct plan *plan)
{
    size_t first = plan->memory.by_rotation ? 0 : eviction_first_slot(plan);
    if (first > 0)
        begin_with(plan, first);
    end_with_branch(plan);
    share_tests(plan);
}

enum status plan_size(struct plan *plan, struct sizing_request *request, const struct plan_options *options,
                      double depth, struct error *error)
{
    return plan->memory.by_rotation ? rotating_size(plan, request, options, depth, error)
                                    : eviction_size(plan, request, options, depth, error);
}

/* Counts the 4 KiB pages that the accesses touch in all turns of their bases. */
static void count_pages(struct plan *plan)
{
    enum { PAGE_BYTES = 4096 };
    bool *touched = arena_alloc(&plan->arena, plan->memory.bytes / PAGE_BYTES + 1, sizeof *touched);
    plan->memory.pages = 0;
    for (size_t i = 0; i < plan->slot_count; i++) {
        const struct slot *slot = &plan->slots[i];
        for (unsigned p = 0; p < slot->place_count; p++) {
            static const struct rotation still = {.positions = 1};
            const struct place *place = &slot->places[p];
            const struct rotation *at = place->base > 0 ? &plan->memory.bases[place->base - 1].at : &still;
            for (unsigned position = 0; position < at->positions; position++) {
                bool *page = &touched[(at->start + position * at->step + place->offset) / PAGE_BYTES];
                plan->memory.pages += !*page;
                *page = true;
            }
        }
    }
}

/* Loads that hit read the words of their line in turn, because a bank of a cache, and on some cores a word,
 * can be read less often in a cycle than there are load ports (Golden Cove: the same word twice, different
 * words three times). Not with data or chases, which determine the words. */
static void spread_hits(struct plan *plan)
{
    enum { WORD_BYTES = 8 };
    const struct isa *isa = isa_find(plan->machine->isa);
    const unsigned line = plan->machine->l1d.line;
    uint64_t hit =
        plan->memory.by_rotation ? rotating_hit_offset(plan) : (uint64_t)plan->memory.eviction.hit_offset;
    unsigned turn = 0;
    if (kernel_data(plan->kernel) != NULL || kernel_any(plan->kernel, behaviour_chases))
        return;
    for (size_t i = 0; i < plan->slot_count; i++) {
        const struct behaviour *item = &plan->kernel->items[plan->slots[i].item];
        unsigned step = item->width > WORD_BYTES ? item->width : WORD_BYTES;
        if (item->kind != BEHAVIOUR_LOAD || step >= line || isa == NULL ||
            !isa_reaches(isa, item->width, line - step))
            continue;
        for (unsigned p = 0; p < plan->slots[i].place_count; p++) {
            struct place *place = &plan->slots[i].places[p];
            if (place->level == LEVEL_L1 && place->base == 0 && place->offset == hit)
                place->offset += turn++ * step % line;
        }
    }
}

enum status plan_place_accesses(struct plan *plan, const struct plan_options *options, struct error *error)
{
    plan->loads = plan->stores = plan->written = plan->popped = 0;
    for (size_t i = 0; i < plan->kernel->count; i++) {
        const struct behaviour *item = &plan->kernel->items[i];
        plan->loads += behaviour_loads(item) ? plan->sizing.units * item->count : 0;
        plan->stores += item->kind == BEHAVIOUR_STORE ? plan->sizing.units * item->count : 0;
        plan->written += behaviour_writes_back(item) ? plan->sizing.units * item->count : 0;
        plan->popped += behaviour_copies(item) ? plan->sizing.units * item->count : 0;
    }
    enum status status = plan->memory.by_rotation ? rotating_place_accesses(plan)
                                                  : eviction_place_accesses(plan, options, error);
    if (status == STATUS_OK)
        spread_hits(plan);
    if (status == STATUS_OK)
        count_pages(plan);
    return status;
}
