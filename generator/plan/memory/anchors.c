#include "generator/plan/memory/anchors.h"

#include <inttypes.h>
#include <stdlib.h>

/* An access that its base does not reach. */
struct far_access {
    struct place *place;
    unsigned width;
};

static int by_address(const void *a, const void *b)
{
    const struct place *x = ((const struct far_access *)a)->place;
    const struct place *y = ((const struct far_access *)b)->place;
    if (x->base != y->base)
        return x->base < y->base ? -1 : 1;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Accesses with one place, by ascending address; a place that changes from pass to pass is computed, and what
 * a chase reads leads to its next place. */
static size_t find_far(const struct plan *plan, const struct isa *isa, struct far_access *far)
{
    size_t count = 0;
    for (size_t i = 0; i < plan->slot_count; i++) {
        struct slot *slot = &plan->slots[i];
        const struct behaviour *item = &plan->kernel->items[slot->item];
        bool led = behaviour_chases(item) && (plan->memory.relative || plan->memory.linked);
        if (slot->place_count != 1 || led || isa_reaches(isa, item->width, slot->places[0].offset))
            continue;
        far[count++] = (struct far_access){&slot->places[0], item->width};
    }
    qsort(far, count, sizeof *far, by_address);
    return count;
}

static bool leads_to(const struct anchor *anchor, const struct isa *isa, const struct far_access *access)
{
    return anchor->base == access->place->base &&
           isa_reaches(isa, access->width, (int64_t)access->place->offset - (int64_t)anchor->offset);
}

enum status anchors_refuse(const struct plan *plan, unsigned needed, unsigned has, struct error *error)
{
    error_set(error, STATUS_RECIPE,
              "the accesses of a pass lie so far apart that %u base registers would reach them, by %" PRIu64
              " bytes each; %s has %u for this",
              needed, plan->memory.windows.bytes, plan->machine->isa, has);
    error_hint(error, "fewer lines that miss, or a smaller working_set, need fewer");
    return STATUS_RECIPE;
}

enum status anchors_place(struct plan *plan, const struct isa *isa, struct error *error)
{
    plan->memory.anchor_count = 0;
    if (isa_reaches_all(isa, plan->memory.bytes))
        return STATUS_OK;
    unsigned has = windows_left(plan, plan->memory.base_count).most;
    struct far_access *far = arena_alloc(&plan->arena, plan->slot_count, sizeof *far);
    size_t count = find_far(plan, isa, far);
    unsigned needed = 0;
    struct anchor anchor = {0};
    plan->memory.anchors = arena_alloc(&plan->arena, has, sizeof *plan->memory.anchors);
    for (size_t i = 0; i < count; i++) {
        if (needed == 0 || !leads_to(&anchor, isa, &far[i])) {
            uint64_t at = far[i].place->offset / ANCHOR_ALIGN * ANCHOR_ALIGN + plan->memory.windows.before;
            anchor = (struct anchor){far[i].place->base, (uint32_t)at};
            if (needed++ < has)
                plan->memory.anchors[needed - 1] = anchor;
        }
        far[i].place->anchor = needed;
    }
    plan->memory.anchor_count = needed;
    return needed > has ? anchors_refuse(plan, needed, has, error) : STATUS_OK;
}
