/* The words of a chase on an ISA whose displacements do not reach all data: each word that a load of the
 * chase reads leads to the next one, as in a linked list, and no instruction is spent on it. If nothing
 * moves, a word holds an address and the displacement the rest; otherwise it holds all of the next place's
 * offset, which a base register is added to. */
#ifndef GENERATOR_PLAN_DATA_CHASE_WORDS_H
#define GENERATOR_PLAN_DATA_CHASE_WORDS_H

#include "base/error.h"
#include "generator/plan/plan.h"

/* True if the kernel's chase needs such words on the ISA. */
bool chase_words_needed(const struct kernel *kernel, const struct isa *isa);

/* Gives each access of the chase a word of its own within its line, and fills in plan->data.links. Accesses
 * have their places. STATUS_RECIPE if a line has too few words. */
enum status chase_words_place(struct plan *plan, const struct isa *isa, struct error *error);

#endif
