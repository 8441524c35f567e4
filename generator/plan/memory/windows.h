/* The windows (reach.h) that a plan has registers for. Layouts choose places within so many; anchors.h then
 * gives each its register. */
#ifndef GENERATOR_PLAN_MEMORY_WINDOWS_H
#define GENERATOR_PLAN_MEMORY_WINDOWS_H

#include "generator/plan/plan.h"

#include <stdbool.h>

/* Fills plan->memory.windows, with `most` for a loop without bases and without places that change. */
void windows_begin(struct plan *plan, const struct template *templates);

/* The same with the plan's sizing and so many bases. */
struct windows windows_left(const struct plan *plan, unsigned bases);

/* At most so many windows, with which all other roles have registers: for plans that compute what lies beyond
 * reach. */
unsigned windows_fitting(const struct plan *plan, unsigned most);

/* True if some access that may miss takes its address from a base. A chase takes it from what it reads, if
 * its lines stay (chase_windows.h) or its words hold offsets (chase_words.h). */
bool windows_needed(const struct plan *plan);

#endif
