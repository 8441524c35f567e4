/* The row of templates/ for each slot of a plan, and totals over the rows. */
#ifndef GENERATOR_PLAN_PLAN_FORMS_H
#define GENERATOR_PLAN_PLAN_FORMS_H

#include "generator/plan/plan.h"

/* A row found for a slot's key; NULL before the first look-up. */
struct known_form {
    const struct form *form;
};

/* A row, and the number of slots that use it. */
struct form_count {
    const struct form *form;
    unsigned slots;
    bool text; /* of an asm{} */
};

struct form_tally {
    struct form_count *items; /* [count] */
    size_t count;
    unsigned placed, more; /* accesses whose place changes, and their places after the first */
};

/* Number of distinct keys per behaviour that decide a slot's row. */
enum { FORM_KEYS = 16 };

/* A key for everything that decides the slot's row, less than FORM_KEYS times the number of behaviours. */
static inline size_t plan_form_key(const struct slot *slot)
{
    unsigned key = slot->dependent + 2U * slot->starts;
    if (slot_is_placed(slot))
        key = 1;
    else if (slot->place_count == 1)
        key = 2U * (slot->places[0].base == 0 && slot->places[0].offset == 0);
    else if (slot->branch != BRANCH_NONE)
        key = slot->branch + BRANCH_BITS * slot->tested;
    return (size_t)slot->item * FORM_KEYS + key;
}

/* Where plan_form caches the row for such slots; holds NULL before the first look-up. Not for an asm{}. */
static inline const struct form **plan_known_form(const struct plan *plan, const struct slot *slot)
{
    return &plan->forms[plan_form_key(slot)].form;
}

/* A slot's template row, or NULL. A back edge has none: it is in the skeleton. */
const struct form *plan_form(const struct template *templates, const struct plan *plan,
                             const struct slot *slot);

/* True if the conjunction of a leading load can have 4 bytes, which is then the default; otherwise it always
 * has 8. */
bool plan_has_narrow_logic(const struct template *templates);

/* True for a branch through a register: every branch of an indirect behaviour except the back edge. */
bool plan_is_indirect(const struct plan *plan, const struct slot *slot);

/* Instructions that the units of one pass execute, with their helpers, by the rows' counts; with an op, only
 * those that mix.<op> counts. The back edge counts as a taken branch. */
unsigned plan_instructions(const struct template *templates, const struct plan *plan, const char *op);

/* The row for such a slot in any plan; indexed: chases add the loaded word to a base. NULL if there is none.
 */
const struct form *plan_form_of(const struct template *templates, const struct machine *machine,
                                const struct behaviour *item, bool indexed, const struct slot *slot);

/* Clears the cached rows after plan->memory.indexed changed. */
void plan_forget_forms(struct plan *plan);

/* Counts the plan's rows; the tally's memory is from the arena. */
void plan_tally(const struct template *templates, const struct plan *plan, struct arena *arena,
                struct form_tally *tally);

/* The instructions of a tally, without helpers; op as in plan_instructions. */
unsigned tally_instructions(const struct template *templates, const struct form_tally *tally, const char *op);

#endif
