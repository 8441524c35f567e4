/* Base registers for accesses that lie farther from their base than the ISA's displacements reach: each holds
 * the address of one of them, from which those after it are reached. An ISA whose displacements reach all of
 * the data needs none. */
#ifndef GENERATOR_PLAN_MEMORY_ANCHORS_H
#define GENERATOR_PLAN_MEMORY_ANCHORS_H

#include "generator/plan/plan.h"

enum { ANCHORS_MOST = 24, ANCHOR_ALIGN = 64 /* anchors lie at multiples of it */ };

/* Chooses plan->memory.anchors and each place's anchor. STATUS_RECIPE, with the number that would do, if
 * there are fewer registers for the role "anchor" than needed. */
enum status anchors_place(struct plan *plan, const struct isa *isa, struct error *error);

/* Returns STATUS_RECIPE: so many base registers would do, and there are fewer. */
enum status anchors_refuse(const struct plan *plan, unsigned needed, unsigned has, struct error *error);

#endif
