/* Room after indirect branches: a predictor by address, such as Cachegrind's table of 512 last targets, gets
 * a branch wrong that shares its entry with another one. Bytes that are never run, between a jump and the
 * first place that it may lead to, keep the loop's indirect branches apart. */
#ifndef GENERATOR_PLAN_GAPS_H
#define GENERATOR_PLAN_GAPS_H

#include "base/buffer.h"
#include "base/error.h"
#include "generator/plan/plan.h"

#include <stdbool.h>

/* Loop and twin begin at addresses that are the same modulo this, a power of two, so that both copies of a
 * branch, which lead to the same places, share an entry. */
enum { GAPS_ENTRIES_LOG2 = 9, GAPS_ENTRIES = 1 << GAPS_ENTRIES_LOG2 };

/* Chooses the slots' gaps by where the assembled object has the branches. *changed: the program must be
 * written again, and settled again. *clashes: branches that share an entry as it is. */
enum status gaps_settle(struct plan *plan, const struct template *templates, const struct buffer *object,
                        bool *changed, unsigned *clashes, struct error *error);

#endif
