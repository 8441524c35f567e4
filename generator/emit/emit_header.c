#include "generator/emit/code_emit.h"
#include "generator/emit/emission.h"
#include "generator/plan/code/code_plan.h"

#include <inttypes.h>

/* The working set of each base. */
static void emit_bases(const struct plan *plan, const char *comment, struct buffer *source)
{
    for (unsigned i = 0; plan->memory.by_rotation && i < plan->memory.base_count; i++)
        buffer_printf(source,
                      "%s working set for %s, by %s: %" PRIu64
                      " lines; its base has %u positions and moves by %" PRIu64 " bytes per pass\n",
                      comment,
                      plan_base_is_walk(plan, i) ? "a walk" : level_name((int)plan->memory.bases[i].level),
                      plan->memory.bases[i].by_capacity ? "capacity" : "conflict",
                      plan->memory.bases[i].lines, plan->memory.bases[i].at.positions,
                      plan->memory.bases[i].at.jump * plan->memory.bases[i].at.step);
}

void emission_header(const struct emission *emission, const char *title, struct buffer *source)
{
    const struct plan *plan = emission->plan;
    const char *comment = emission->comment;
    buffer_printf(source, "%s %s\n%s for %s: %u units of %u operations; rates hold over %u pass%s\n", comment,
                  title, comment, plan->machine->name, plan->sizing.units, plan->unit_slots,
                  code_plan_period(plan), code_plan_period(plan) == 1 ? "" : "es");
    for (size_t i = 0; i < plan->rates.targets.count; i++) {
        buffer_text(source, comment);
        buffer_text(source, " target ");
        buffer_text(source, plan->rates.targets.items[i].metric);
        buffer_text(source, " = ");
        if (!buffer_decimal(source, plan->rates.targets.items[i].value))
            buffer_printf(source, "%.10g", plan->rates.targets.items[i].value);
        buffer_text(source, "\n");
    }
    if (plan->branches.total > 0)
        buffer_printf(source,
                      "%s %u branches: %u random, %u taken (one of them the back edge), %u not taken\n",
                      comment, plan->branches.total, plan->branches.random, plan->branches.taken,
                      plan->branches.fallthrough);
    if (plan->branches.indirect > 0)
        buffer_printf(source,
                      "%s %u of them indirect: %u of the random ones, the others always to one place\n",
                      comment, plan->branches.indirect, plan->branches.indirect_random);
    emit_bases(plan, comment, source);
    if (plan->memory.anchor_count > 0)
        buffer_printf(source, "%s %u registers hold addresses beyond the reach of displacements\n", comment,
                      plan->memory.anchor_count);
    code_emit_header(plan, comment, source);
    if (plan->memory.eviction.set_count == 0)
        return;
    buffer_printf(source, "%s %u eviction set%s, lines per L1D set:", comment,
                  plan->memory.eviction.set_count, plan->memory.eviction.set_count == 1 ? "" : "s");
    for (unsigned i = 0; i < plan->memory.eviction.set_count; i++) {
        const struct eviction_set *group = &plan->memory.eviction.sets[i];
        if (i > 0 && i % 10 == 0)
            buffer_printf(source, ",\n%s   ", comment);
        else
            buffer_text(source, i == 0 ? " " : ", ");
        buffer_number(source, group->lines);
        buffer_text(source, " in ");
        buffer_number(source, group->l1d_set);
        if (group->rounds > 1)
            buffer_printf(source, " (%u times a pass)", group->rounds);
    }
    buffer_text(source, "\n");
}
