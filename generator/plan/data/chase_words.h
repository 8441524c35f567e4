/* The words of a chase whose lines move, on an ISA whose addresses of two registers have no displacement.
 * Each word that a load of the chase reads holds the next place's offset from its base, so that no
 * instruction has to add it. For chases whose lines stay in place see chase_windows.h. */
#ifndef GENERATOR_PLAN_DATA_CHASE_WORDS_H
#define GENERATOR_PLAN_DATA_CHASE_WORDS_H

#include "base/error.h"
#include "generator/plan/plan.h"

/* True if the kernel has a chase that needs such words on the ISA. */
bool chase_words_needed(const struct kernel *kernel, const struct template *templates);

/* Assigns each access of the chase a word of its own in its line, and fills plan->data.links. Call after
 * accesses have their places. STATUS_RECIPE if a line has too few words. */
enum status chase_words_place(struct plan *plan, struct error *error);

#endif
