/* Anchors: registers for accesses that lie farther from their base than the ISA's displacements reach. Each
 * holds the address of one such access, from which the accesses after it are reached. An ISA whose
 * displacements reach all of the data needs none. With plan->memory.computes, accesses without a register
 * compute their addresses, as those do whose place changes. */
#ifndef GENERATOR_PLAN_MEMORY_ANCHORS_H
#define GENERATOR_PLAN_MEMORY_ANCHORS_H

#include "generator/plan/plan.h"

/* Chooses plan->memory.anchors, each place's anchor, and the slots that compute their addresses.
 * STATUS_RECIPE, with the number needed, if there are too few registers for the role "anchor". */
enum status anchors_place(struct plan *plan, const struct isa *isa, struct error *error);

/* Returns STATUS_RECIPE: `needed` registers would reach all accesses, and there are only `has`. Sets
 * plan->memory.beyond_reach. */
enum status anchors_refuse(struct plan *plan, unsigned needed, unsigned has, struct error *error);

#endif
