/* What a recipe promises of the lines that its copies share. */
#ifndef GENERATOR_PLAN_MEMORY_SHARED_PROMISE_H
#define GENERATOR_PLAN_MEMORY_SHARED_PROMISE_H

#include "generator/plan/plan.h"

/* Adds, to the targets and to the expected rates of a plan whose copies share regions, the state in which
 * lines are left, the shares of accesses to lines and words that several copies access, and that all accesses
 * are as stated. copies: of this one program; 0: unknown, or others run beside it. */
void plan_promise_shared(struct plan *plan, unsigned copies);

#endif
