/* Which row of templates/ each slot of a plan is, and what the rows come to. */
#ifndef GENERATOR_PLAN_PLAN_FORMS_H
#define GENERATOR_PLAN_PLAN_FORMS_H

#include "generator/plan/plan.h"

/* A row, and how many slots are it. */
struct form_count {
    const struct form *form;
    unsigned slots;
    bool text; /* the recipe's own */
};

struct form_tally {
    struct form_count *items; /* [count] */
    size_t count;
    unsigned placing; /* instructions that find the places of accesses that change */
};

/* What of a slot decides its row, beside its behaviour: below FORM_KEYS. */
enum { FORM_KEYS = 8 };

/* A number for all that decides the slot's row: below FORM_KEYS times the behaviours. */
static inline size_t plan_form_key(const struct slot *slot)
{
    unsigned key = slot->dependent + 2U * slot->starts;
    if (slot->place_count > 1)
        key = 1;
    else if (slot->place_count == 1)
        key = 2U * (slot->places[0].base == 0 && slot->places[0].offset == 0);
    else if (slot->branch != BRANCH_NONE)
        key = slot->branch;
    return (size_t)slot->item * FORM_KEYS + key;
}

/* Where plan_form keeps what it found for slots like this: NULL where it was not asked yet. Not for the
 * recipe's own text. */
static inline const struct form **plan_known_form(const struct plan *plan, const struct slot *slot)
{
    return &plan->forms[plan_form_key(slot)];
}

/* The row of a slot like this, whatever its plan; indexed: chases add to a base. NULL when there is none. */
const struct form *plan_form_of(const struct template *templates, const struct machine *machine,
                                const struct behaviour *item, bool indexed, const struct slot *slot);

/* Rows found earlier are to be looked for again: plan->indexed is another. */
void plan_forget_forms(struct plan *plan);

/* Counts the plan's rows; what the tally holds is from the arena. */
void plan_tally(const struct template *templates, const struct plan *plan, struct arena *arena,
                struct form_tally *tally);

/* What plan_instructions says. */
unsigned tally_instructions(const struct template *templates, const struct form_tally *tally, const char *op);

#endif
