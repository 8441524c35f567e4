/* Places the regions that copies of a program share, behind the data, and each access in them. */
#ifndef GENERATOR_PLAN_MEMORY_PLAN_SHARED_H
#define GENERATOR_PLAN_MEMORY_PLAN_SHARED_H

#include "base/error.h"
#include "generator/plan/plan.h"
#include "isa/isa.h"

/* Places the regions behind all other data, and each slot's offset. copies: the most that may run together.
 * STATUS_RECIPE if an access is out of reach. */
enum status plan_place_shared(struct plan *plan, const struct isa *isa, unsigned copies, uint64_t seed,
                              const char *label, struct error *error);

/* The index of the base of a behaviour's accesses. */
unsigned plan_shared_base(const struct plan *plan, const struct behaviour *item);

/* Atomics of a pass for which each copy waits for its turn. */
unsigned plan_shared_turns(const struct plan *plan);

/* Accesses of one pass to shared regions by behaviours of that op. */
unsigned plan_shared_accesses(const struct plan *plan, const char *op);

/* Adds rates to the targets and the expected rates of a plan whose copies share regions: the accesses as
 * stated, the state in which another core leaves the lines, and the shares of accesses to lines and to words
 * that several copies access. copies: of this program; 0: unknown, or other programs run beside it. */
void plan_promise_shared(struct plan *plan, unsigned copies);

#endif
