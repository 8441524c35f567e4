<<<<<<< HEAD
/* The words of a chase whose lines move, on an ISA whose addresses of two registers have no displacement: each word
 * that a load of the chase reads holds the next place's offset from its base, and no instruction is spent on it.
 * chase_windows.h has what holds where lines stay. */
=======
/* The words of a chase on an ISA whose displacements do not reach all data: each word that a load of the
 * chase reads leads to the next one, as in a linked list, and no instruction is spent on it. If nothing
 * moves, a word holds an address and the displacement the rest; otherwise it holds all of the next place's
 * offset, which a base register is added to. */
>>>>>>> arm
#ifndef GENERATOR_PLAN_DATA_CHASE_WORDS_H
#define GENERATOR_PLAN_DATA_CHASE_WORDS_H

#include "base/error.h"
#include "generator/plan/plan.h"

/* True if the kernel's chase needs such words on the ISA: its addresses of two registers have no displacement. */
bool chase_words_needed(const struct kernel *kernel, const struct template *templates);

<<<<<<< HEAD
/* Gives each access of the chase a word of its own within its line, and fills in plan->data.links. Accesses have
 * their places. STATUS_RECIPE if a line has too few words. */
enum status chase_words_place(struct plan *plan, struct error *error);
=======
/* Gives each access of the chase a word of its own within its line, and fills in plan->data.links. Accesses
 * have their places. STATUS_RECIPE if a line has too few words. */
enum status chase_words_place(struct plan *plan, const struct isa *isa, struct error *error);
>>>>>>> arm

#endif
