#include "generator/plan/memory/anchors.h"

#include "generator/plan/memory/windows.h"

#include <inttypes.h>
#include <stdlib.h>

/* Most accesses of a pass that compute their addresses, which costs additional instructions. */
enum { COMPUTED_MOST = 32 };

/* An access that its base does not reach. */
struct far_access {
    struct slot *slot;
    unsigned width;
    bool computes; /* the ISA has an instruction for it whose address is computed */
};

/* Far accesses that one register reaches: `first` and those after it. */
struct far_window {
    struct anchor anchor;
    size_t first, count;
    bool computes; /* all of them can */
};

static const struct place *place_of(const struct far_access *far)
{
    return &far->slot->places[0];
}

static int by_address(const void *a, const void *b)
{
    const struct place *x = place_of(a);
    const struct place *y = place_of(b);
    if (x->base != y->base)
        return x->base < y->base ? -1 : 1;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Windows that need a register most come first: their accesses cannot compute their addresses, or are many.
 */
static int by_need(const void *a, const void *b)
{
    const struct far_window *x = a;
    const struct far_window *y = b;
    if (x->computes != y->computes)
        return x->computes ? 1 : -1;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return x->first < y->first ? -1 : x->first > y->first;
}

/* Accesses with one place, by ascending address. Places that change from pass to pass are computed, and a
 * chase's words lead to its places. */
static size_t find_far(const struct plan *plan, const struct isa *isa, struct far_access *far)
{
    size_t count = 0;
    for (size_t i = 0; i < plan->slot_count; i++) {
        struct slot *slot = &plan->slots[i];
        const struct behaviour *item = &plan->kernel->items[slot->item];
        bool led = behaviour_chases(item) && (plan->memory.relative || plan->memory.linked);
        slot->computed = false;
        if (slot->place_count != 1 || led || isa_reaches(isa, item->width, slot->places[0].offset))
            continue;
        far[count++] = (struct far_access){slot, item->width, !item->non_temporal};
    }
    qsort(far, count, sizeof *far, by_address);
    return count;
}

static bool leads_to(const struct anchor *anchor, const struct isa *isa, const struct far_access *access)
{
    const struct place *place = place_of(access);
    return anchor->base == place->base &&
           isa_reaches(isa, access->width, (int64_t)place->offset - (int64_t)anchor->offset);
}

/* Returns the number of windows. */
static unsigned find_windows(const struct plan *plan, const struct isa *isa, const struct far_access *far,
                             size_t count, struct far_window *windows)
{
    unsigned found = 0;
    for (size_t i = 0; i < count; i++) {
        if (found == 0 || !leads_to(&windows[found - 1].anchor, isa, &far[i])) {
            uint64_t at =
                place_of(&far[i])->offset / ANCHOR_ALIGN * ANCHOR_ALIGN + plan->memory.windows.before;
            windows[found++] =
                (struct far_window){{place_of(&far[i])->base, (uint32_t)at}, .first = i, .computes = true};
        }
        windows[found - 1].count++;
        windows[found - 1].computes = windows[found - 1].computes && far[i].computes;
    }
    return found;
}

enum status anchors_refuse(struct plan *plan, unsigned needed, unsigned has, struct error *error)
{
    plan->memory.beyond_reach = true;
    error_set(error, STATUS_RECIPE,
              "the accesses of a pass lie so far apart that %u base registers would reach them, by %" PRIu64
              " bytes each; %s has %u for this",
              needed, plan->memory.windows.bytes, plan->machine->isa, has);
    error_hint(error, "fewer lines that miss, or a smaller working_set, need fewer");
    return STATUS_RECIPE;
}

enum status anchors_place(struct plan *plan, const struct isa *isa, struct error *error)
{
    struct plan_memory *memory = &plan->memory;
    memory->anchor_count = 0;
    if (isa_reaches_all(isa, memory->bytes))
        return STATUS_OK;
    unsigned has = windows_left(plan, memory->base_count).most, computed = 0;
    struct far_access *far = arena_alloc(&plan->arena, plan->slot_count, sizeof *far);
    size_t count = find_far(plan, isa, far);
    struct far_window *windows = arena_alloc(&plan->arena, count, sizeof *windows);
    unsigned needed = find_windows(plan, isa, far, count, windows), kept = needed < has ? needed : has;
    if (memory->computes) {
        kept = windows_fitting(plan, kept);
        qsort(windows, needed, sizeof *windows, by_need);
    }
    bool fit = true;
    memory->anchors = arena_alloc(&plan->arena, kept, sizeof *memory->anchors);
    for (unsigned i = 0; i < needed; i++) {
        const struct far_window *window = &windows[i];
        if (i < kept)
            memory->anchors[memory->anchor_count++] = window->anchor;
        for (size_t k = window->first; k < window->first + window->count; k++) {
            far[k].slot->places[0].anchor = i < kept ? i + 1 : 0;
            far[k].slot->computed = i >= kept;
            computed += i >= kept;
        }
        fit = fit && (i < kept || window->computes);
    }
    if (memory->computes ? fit && computed <= COMPUTED_MOST : needed <= has)
        return STATUS_OK;
    memory->anchor_count = needed;
    return anchors_refuse(plan, needed, has, error);
}
