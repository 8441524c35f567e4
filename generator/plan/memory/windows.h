/* The number of windows (reach.h) for which a plan has registers. Layouts choose places within that many
 * windows; anchors.h then assigns the registers. */
#ifndef GENERATOR_PLAN_MEMORY_WINDOWS_H
#define GENERATOR_PLAN_MEMORY_WINDOWS_H

#include "generator/plan/plan.h"

#include <stdbool.h>

/* Fills plan->memory.windows, with `most` for a loop without bases and without places that change. */
void windows_begin(struct plan *plan, const struct template *templates);

/* The same for the plan's sizing and so many bases. */
struct windows windows_left(const struct plan *plan, unsigned bases);

/* The number of windows, at most `most`, that leaves registers for all other roles: for plans that compute
 * addresses beyond reach. */
unsigned windows_fitting(const struct plan *plan, unsigned most);

/* True if some access that may miss takes its address from a base. A chase takes its addresses from the words
 * that it reads, if its lines stay in place (chase_windows.h) or the words hold offsets (chase_words.h). */
bool windows_needed(const struct plan *plan);

#endif
