/* The words of a chase whose lines move, on an ISA whose addresses of two registers have no displacement:
 * each word that a load of the chase reads holds the next place's offset from its base, and no instruction is
 * spent on it. chase_windows.h has what holds where lines stay. */
#ifndef GENERATOR_PLAN_DATA_CHASE_WORDS_H
#define GENERATOR_PLAN_DATA_CHASE_WORDS_H

#include "base/error.h"
#include "generator/plan/plan.h"

/* True if the kernel's chase needs such words on the ISA: its addresses of two registers have no
 * displacement. */
bool chase_words_needed(const struct kernel *kernel, const struct template *templates);

/* Gives each access of the chase a word of its own within its line, and fills in plan->data.links. Accesses
 * have their places. STATUS_RECIPE if a line has too few words. */
enum status chase_words_place(struct plan *plan, struct error *error);

#endif
