/* Padding after indirect branches: a predictor indexed by address, such as Cachegrind's table of 512 last
 * targets, mispredicts branches that share an entry. Bytes that never execute, between a jump and its first
 * target, keep the loop's indirect branches in separate entries. */
#ifndef GENERATOR_PLAN_CODE_GAPS_H
#define GENERATOR_PLAN_CODE_GAPS_H

#include "base/buffer.h"
#include "base/error.h"
#include "generator/plan/plan.h"

#include <stdbool.h>

/* Loop and twin begin at addresses that are equal modulo GAPS_ENTRIES, so that both copies of a branch, which
 * have the same targets, share an entry. */
enum { GAPS_ENTRIES_LOG2 = 9, GAPS_ENTRIES = 1 << GAPS_ENTRIES_LOG2 };

/* Chooses the slots' gaps from the branch addresses in the assembled object. *changed: the gaps changed, so
 * the program must be written and settled again. *clashes: number of branches that now share an entry. */
enum status gaps_settle(struct plan *plan, const struct template *templates, const struct buffer *object,
                        bool *changed, unsigned *clashes, struct error *error);

#endif
