/* A loop with code{}: its slots cut into chunks after each code{}, the size of each chunk, and where it goes.
 * Sizes are read from a trial object, in which the chunks stand one after the other: they do not depend on
 * places. */
#ifndef GENERATOR_PLAN_CODE_PLAN_H
#define GENERATOR_PLAN_CODE_PLAN_H

#include "base/buffer.h"
#include "generator/plan/code_layout.h"
#include "generator/plan/plan.h"
#include "isa/template.h"

struct code_plan {
    bool copies;     /* there are chunks with copies: registers and instructions for them are emitted */
    bool placed;     /* the layout is filled: else this is the trial */
    size_t count;    /* of chunks; the first begins the loop, the last holds its close */
    unsigned *lines; /* [count]: of each chunk */
    unsigned *start; /* [count]: bytes from the start of its first line to its first instruction */
    struct code_layout layout;
};

/* How the rate is to be met. */
struct code_manner {
    double within; /* how far from the recipe's it may be */
    bool copies;   /* with chunks that have copies, or without */
};

/* Passes over which the plan's rates hold, of data and of code; divides 100. */
unsigned code_plan_period(const struct plan *plan);

/* Passes before anything is measured: with copies they end at the last, so that what follows goes on with the
 * first. */
unsigned code_plan_warmup(const struct plan *plan);

/* Makes plan->code for the plan of a kernel with code{}, and adds its rate to plan->expected. trial: the
 * object of the plan with plan->code begun by code_plan_begin. STATUS_RECIPE, with the reason, when the rate
 * cannot be met in this manner. */
enum status code_plan_place(struct plan *plan, const struct plan_options *options, const struct buffer *trial,
                            const struct code_manner *manner, struct error *error);

/* Sets plan->code to a trial. */
void code_plan_begin(struct plan *plan, const struct code_manner *manner);

/* Checks what was emitted against what was planned: STATUS_FAILED when a pass enters another number of lines.
 */
enum status code_plan_check(const struct plan *plan, const struct buffer *object, struct error *error);

/* Units that the loop may have for the lines that hit to fit in L1I, by the lines of this plan; 0: it has no
 * more. */
unsigned code_plan_most_units(const struct plan *plan);

#endif
