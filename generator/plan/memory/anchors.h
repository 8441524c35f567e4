/* Base registers for accesses that lie farther from their base than the ISA's displacements reach: each holds
 * the address of one of them, from which those after it are reached. An ISA whose displacements reach all of
 * the data needs none. With plan->memory.computes, accesses for which there is no register left compute their
 * addresses in the register of places that change. */
#ifndef GENERATOR_PLAN_MEMORY_ANCHORS_H
#define GENERATOR_PLAN_MEMORY_ANCHORS_H

#include "generator/plan/plan.h"

/* Chooses plan->memory.anchors, each place's anchor, and which slots compute theirs. STATUS_RECIPE, with the
 * number that would do, if there are fewer registers for the role "anchor" than needed. */
enum status anchors_place(struct plan *plan, const struct isa *isa, struct error *error);

/* Returns STATUS_RECIPE: so many base registers would do, and there are fewer. Sets
 * plan->memory.beyond_reach. */
enum status anchors_refuse(struct plan *plan, unsigned needed, unsigned has, struct error *error);

#endif
