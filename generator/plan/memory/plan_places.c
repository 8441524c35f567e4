#include "generator/plan/memory/plan_places.h"

#include "generator/plan/memory/plan_eviction.h"
#include "generator/plan/memory/plan_rotating.h"
#include "generator/plan/plan_forms.h"
#include "isa/isa.h"

#include <string.h>

bool plan_needs_rotation(const struct kernel *kernel)
{
    const struct behaviour *data = kernel_data(kernel);
    for (size_t i = 0; i < kernel->count; i++) {
        const struct behaviour *item = &kernel->items[i];
        bool other_data = data != NULL && item->kind == BEHAVIOUR_LOAD && item != data &&
                          (data->changes || !behaviour_same_data(item, data));
        bool deep = behaviour_accesses(item) &&
                    (item->steers || item->served[LEVEL_L3] > 0 || item->served[LEVEL_MEM] > 0);
        if (item->kind == BEHAVIOUR_STORE || item->kind == BEHAVIOUR_TLB || other_data || deep)
            return true;
    }
    return false;
}

/* Changes `deeper` of the marks `mark`, evenly spread, to the next level. */
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

/* The kinds of one behaviour's branches over a pass, in random order. */
static unsigned char *arrange_branches(struct plan *plan, unsigned item, struct random *random)
{
    struct branch_counts counts = branches_of(plan->kernel, item, plan->sizing.units);
    unsigned char *kinds = arena_alloc(&plan->arena, counts.total, 1);
    unsigned taken = plan->kernel->items[item].indirect ? (counts.taken + 1) / 2 : counts.taken;
    memset(kinds, BRANCH_FALLTHROUGH, counts.total);
    memset(kinds, BRANCH_RANDOM, counts.random);
    memset(kinds + counts.random, BRANCH_TAKEN, taken);
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

/* Rotates the loop to begin with the slot; it is cyclic anyway. */
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

void plan_turn_loop(struct plan *plan)
{
    size_t first = plan->memory.by_rotation ? 0 : eviction_first_slot(plan);
    if (first > 0)
        begin_with(plan, first);
    end_with_branch(plan);
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

/* Loads that hit read the words of their line in turn: a bank of a cache, and on some cores a word, is read
 * fewer times in a cycle than there are load ports (Golden Cove: the same word twice, others three times).
 * Not beside data or chases, whose words matter. */
static void spread_hits(struct plan *plan)
{
    enum { WORD_BYTES = 8 };
    const struct isa *isa = isa_find(plan->machine->isa);
    const unsigned line = plan->machine->l1d.line;
    uint64_t hit =
        plan->memory.by_rotation ? rotating_hit_offset(plan) : (uint64_t)plan->memory.eviction.hit_offset;
    unsigned turn = 0;
    if (kernel_data(plan->kernel) != NULL || plan_has_chase(plan))
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
    plan->loads = plan->stores = 0;
    for (size_t i = 0; i < plan->kernel->count; i++) {
        const struct behaviour *item = &plan->kernel->items[i];
        plan->loads += item->kind == BEHAVIOUR_LOAD ? plan->sizing.units * item->count : 0;
        plan->stores += item->kind == BEHAVIOUR_STORE ? plan->sizing.units * item->count : 0;
    }
    enum status status = plan->memory.by_rotation ? rotating_place_accesses(plan)
                                                  : eviction_place_accesses(plan, options, error);
    if (status == STATUS_OK)
        spread_hits(plan);
    if (status == STATUS_OK)
        count_pages(plan);
    return status;
}
