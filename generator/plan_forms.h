/* Which row of templates/ each slot of a plan is, and what the rows come to. */
#ifndef GENERATOR_PLAN_FORMS_H
#define GENERATOR_PLAN_FORMS_H

#include "generator/plan.h"

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
