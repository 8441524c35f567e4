/* A loop with code{}: its slots are cut into chunks after each code{} and at plan->cuts, and each chunk has a
 * size and a place. Sizes do not depend on places, so they are measured in a trial object in which the chunks
 * are consecutive. Chunks with branches have twins: the code that follows a taken branch. */
#ifndef GENERATOR_PLAN_CODE_CODE_PLAN_H
#define GENERATOR_PLAN_CODE_CODE_PLAN_H

#include "base/buffer.h"
#include "generator/plan/code/code_layout.h"
#include "generator/plan/plan.h"
#include "isa/template.h"

enum code_twin {
    CODE_NO_TWIN,     /* no branches, or branches lead to the next instruction both ways */
    CODE_TWIN_BESIDE, /* in the chunk's own lines, so that both may miss and have copies */
    CODE_TWIN_APART,  /* on lines of its own; both must stay in L1I */
};

/* How to meet the rate. */
struct code_manner {
    double within; /* tolerated distance from the recipe's rate */
    bool copies;   /* whether chunks may have copies */
    bool apart;    /* twins that do not fit beside their chunks are apart; false: such chunks have none */
    bool kept;     /* the state of copies is kept in vector registers */
    bool cuts;     /* long chunks are cut, so that they leave sets of L1I to chunks that miss */
};

struct code_plan {
    struct code_manner manner;
    bool placed;           /* the layout is filled; false for the trial */
    size_t count;          /* of chunks; the first begins the loop, the last closes it */
    unsigned *lines;       /* [count]: per chunk, including a twin that is apart */
    unsigned *entered;     /* [count]: lines that a pass enters if no branch is taken */
    unsigned *start;       /* [count]: bytes from the start of its first line to its first instruction */
    unsigned *branches;    /* [count]: per chunk, without the back edge */
    enum code_twin *twins; /* [count]; in the first trial only as the number of branches requires */
    uint64_t *apart;       /* [count]: bytes from the chunk to its twin apart */
    struct code_layout layout;
};

/* Most branches of a chunk with a twin: each branch needs a numbered label in both. */
enum { CODE_TWIN_BRANCHES = 3 };

/* Passes over which the plan's data and code rates hold; divides 100. */
unsigned code_plan_period(const struct plan *plan);

/* Warm-up passes; with copies they end with the last copy, so that measurement starts with the first. */
unsigned code_plan_warmup(const struct plan *plan);

/* Completes plan->code for a kernel with code{}. Adds its rate to plan->rates.expected, and to the targets if
 * code{} states a number of misses. trial: the plan's object after code_plan_choose_twins. STATUS_RECIPE,
 * with the reason, if the rate cannot be met in this manner. */
enum status code_plan_place(struct plan *plan, const struct isa *isa, const struct plan_options *options,
                            const struct buffer *trial, struct error *error);

/* The chunk's twin. Taken branches lead into the twin, so that the executed addresses show each outcome;
 * without a twin they lead to the next instruction. */
enum code_twin code_plan_twin(const struct plan *plan, size_t chunk);

/* True if a chunk's twin is apart. */
bool code_plan_has_apart(const struct plan *plan);

/* Makes plan->code a trial. STATUS_RECIPE if the manner is impossible: indirect branches need twins. */
enum status code_plan_begin(struct plan *plan, const struct code_manner *manner, struct error *error);

/* Chooses twins and cuts from the trial's object. *again: they changed, so the trial must be written again.
 */
enum status code_plan_choose_twins(struct plan *plan, const struct buffer *trial, bool *again,
                                   struct error *error);

/* Checks the emitted object against the plan: STATUS_RECIPE if a pass enters a different number of lines. */
enum status code_plan_check(const struct plan *plan, const struct buffer *object, struct error *error);

/* The number of units whose lines that hit would fill L1I, with lines as in this plan and only the necessary
 * twins. INFINITY: no trial could be written. */
double code_plan_room(const struct plan *plan);

/* Most units for which the lines that hit fit in L1I, estimated from this plan's lines; 0: no more fit. */
unsigned code_plan_most_units(const struct plan *plan);

#endif
