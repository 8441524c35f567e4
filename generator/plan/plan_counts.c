#include "generator/plan/plan_counts.h"

#include "generator/plan/code/code_plan.h"

void plan_count(const struct plan *plan, const struct template *templates, const struct form_tally *tally,
                unsigned instructions, struct arena *arena, struct rates *counts)
{
    (void)templates;
    (void)tally;
    if (kernel_has(plan->kernel, BEHAVIOUR_SHARED) || kernel_has(plan->kernel, BEHAVIOUR_ASM))
        return;
    unsigned jumps = plan->code == NULL ? 0 : (unsigned)plan->code->count - 1;
    unsigned branches = plan->branches.total > 0 ? plan->branches.total : 1;
    rates_add(arena, counts, "instructions", instructions);
    rates_add(arena, counts, "loads", plan->loads);
    rates_add(arena, counts, "stores", plan->stores);
    rates_add(arena, counts, "branches", branches + jumps);
}
