/* A loop with code{}: its slots cut into chunks after each code{}, with each chunk's size and place. Sizes
 * come from a trial object in which the chunks are consecutive, because they do not depend on places. */
#ifndef GENERATOR_PLAN_CODE_CODE_PLAN_H
#define GENERATOR_PLAN_CODE_CODE_PLAN_H

#include "base/buffer.h"
#include "generator/plan/code/code_layout.h"
#include "generator/plan/plan.h"
#include "isa/template.h"

struct code_plan {
    bool copies;        /* some chunks have copies, which need registers and instructions */
    bool placed;        /* the layout is filled; false for the trial */
    size_t count;       /* of chunks; the first begins the loop, the last closes it */
    unsigned *lines;    /* [count]: per chunk */
    unsigned *start;    /* [count]: bytes from the start of its first line to its first instruction */
    unsigned *branches; /* [count]: per chunk, without the back edge */
    bool *twins;        /* [count]: what follows a taken branch fits into the chunk's line, too; NULL in the
                         * trial, where all are tried */
    struct code_layout layout;
};

/* Most branches of a chunk that has a twin: each needs a numbered label in both. */
enum { CODE_TWIN_BRANCHES = 3 };

/* How to meet the rate. */
struct code_manner {
    double within; /* tolerated distance from the recipe's rate */
    bool copies;   /* whether chunks may have copies */
};

/* Passes over which the plan's data and code rates hold; divides 100. */
unsigned code_plan_period(const struct plan *plan);

/* Warm-up passes; with copies they end with the last copy, so that measurement starts with the first. */
unsigned code_plan_warmup(const struct plan *plan);

/* Makes plan->code for the plan of a kernel with code{}, and adds its rate to plan->rates.expected. trial:
 * the plan's object after code_plan_begin. STATUS_RECIPE, with the reason, if the rate cannot be met in this
 * manner. */
enum status code_plan_place(struct plan *plan, const struct isa *isa, const struct plan_options *options,
                            const struct buffer *trial, const struct code_manner *manner,
                            struct error *error);

/* True if taken branches of the chunk lead into its twin, the same code once more in the same line, so that
 * each outcome is seen in the addresses that execute. Else both ways lead to the next instruction. */
bool code_plan_has_twin(const struct plan *plan, size_t chunk);

/* Makes plan->code a trial. */
void code_plan_begin(struct plan *plan, const struct code_manner *manner);

/* Checks the emitted object against the plan: STATUS_FAILED if a pass enters a different number of lines. */
enum status code_plan_check(const struct plan *plan, const struct buffer *object, struct error *error);

/* Most units for which the lines that hit fit in L1I, estimated from this plan's lines; 0: no more fit. */
unsigned code_plan_most_units(const struct plan *plan);

#endif
