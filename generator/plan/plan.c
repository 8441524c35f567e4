#include "generator/plan/plan.h"

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

unsigned plan_turns(const struct plan *plan)
{
    unsigned turns = 1;
    for (unsigned i = 0; i < plan->memory.base_count; i++) {
        const struct base *base = &plan->memory.bases[i];
        bool swept = base->level == LEVEL_MEM && plan->memory.sweep_bytes > 0;
        if (!swept && rotation_turns(&base->at) > turns)
            turns = rotation_turns(&base->at);
    }
    return turns;
}

bool plan_has_chase(const struct plan *plan)
{
    for (size_t i = 0; i < plan->kernel->count; i++)
        if (behaviour_chases(&plan->kernel->items[i]))
            return true;
    return false;
}

void plan_free(struct plan *plan)
{
    arena_free(&plan->arena);
    memset(plan, 0, sizeof *plan);
}
