#include "generator/plan/plan.h"

#include "base/rational.h"

#include <string.h>

const struct place *plan_place(const struct plan *plan, const struct slot *slot, unsigned pass)
{
    pass %= plan->sizing.period;
    unsigned i = 0;
    while (pass >= slot->places[i].until)
        i++;
    return &slot->places[i];
}

uint64_t plan_offset(const struct plan *plan, const struct slot *slot, unsigned pass)
{
    const struct place *place = plan_place(plan, slot, pass);
    if (place->base == 0)
        return place->offset;
    return rotation_at(&plan->memory.bases[place->base - 1].at, pass) + place->offset;
}

bool plan_base_is_walk(const struct plan *plan, unsigned base)
{
    for (size_t i = 0; i < plan->slot_count; i++)
        for (unsigned j = 0; j < plan->slots[i].place_count; j++)
            if (plan->slots[i].places[j].base == base + 1)
                return behaviour_walks(&plan->kernel->items[plan->slots[i].item]);
    return false;
}

/* True if some access uses the base only in some passes of a period. */
static bool is_used_sometimes(const struct plan *plan, unsigned base)
{
    for (size_t i = 0; i < plan->slot_count; i++)
        for (unsigned k = 0; plan->slots[i].place_count > 1 && k < plan->slots[i].place_count; k++)
            if (plan->slots[i].places[k].base == base + 1)
                return true;
    return false;
}

/* Passes until every line of the base's working set has been accessed. If a rotation moves in every pass but
 * has accesses only in some passes of a period, the accesses of each period use another part of its
 * positions. */
static unsigned turns_of(const struct plan *plan, unsigned index)
{
    const struct rotation *at = &plan->memory.bases[index].at;
    unsigned turns = rotation_turns(at);
    if (at->until > 0 || turns == 1 || plan->sizing.period == 1 || !is_used_sometimes(plan, index))
        return turns;
    return (unsigned)rational_lcm(turns, plan->sizing.period);
}

unsigned plan_turns(const struct plan *plan)
{
    unsigned most = 1;
    for (unsigned i = 0; i < plan->memory.base_count; i++) {
        const struct base *base = &plan->memory.bases[i];
        bool swept = base->level == LEVEL_MEM && plan->memory.sweep_bytes > 0;
        unsigned turns = swept ? 1 : turns_of(plan, i);
        most = turns > most ? turns : most;
    }
    return most;
}

void plan_free(struct plan *plan)
{
    arena_free(&plan->arena);
    memset(plan, 0, sizeof *plan);
}
