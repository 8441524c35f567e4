/* A loop with code{}: its slots cut into chunks after each code{} and at plan->cuts, with each chunk's size
 * and place. Sizes come from a trial object in which the chunks are consecutive, because they do not depend
 * on places. Chunks with branches have twins: what follows a taken branch. */
#ifndef GENERATOR_PLAN_CODE_CODE_PLAN_H
#define GENERATOR_PLAN_CODE_CODE_PLAN_H

#include "base/buffer.h"
#include "generator/plan/code/code_layout.h"
#include "generator/plan/plan.h"
#include "isa/template.h"

enum code_twin {
    CODE_NO_TWIN,     /* no branches, or both ways lead to the next instruction */
    CODE_TWIN_BESIDE, /* in the chunk's own line, so that chunk and twin may miss and have copies */
    CODE_TWIN_APART,  /* on lines of its own, so that both must stay in L1I */
};

/* How to meet the rate. */
struct code_manner {
    double within; /* tolerated distance from the recipe's rate */
    bool copies;   /* whether chunks may have copies */
    bool apart;    /* chunks whose twins do not fit beside them have these apart, not none */
    bool kept;     /* what copies need is in vector registers */
    bool cuts;     /* and long chunks are cut, so that they leave sets of L1I to those that miss */
};

struct code_plan {
    struct code_manner manner;
    bool placed;           /* the layout is filled; false for the trial */
    size_t count;          /* of chunks; the first begins the loop, the last closes it */
    unsigned *lines;       /* [count]: per chunk, with a twin that is apart */
    unsigned *entered;     /* [count]: those that a pass enters if no branch is taken */
    unsigned *start;       /* [count]: bytes from the start of its first line to its first instruction */
    unsigned *branches;    /* [count]: per chunk, without the back edge */
    enum code_twin *twins; /* [count]; in the first trial as far as the number of branches tells */
    uint64_t *apart;       /* [count]: bytes from the chunk to its twin apart */
    struct code_layout layout;
};

/* Most branches of a chunk that has a twin: each needs a numbered label in both. */
enum { CODE_TWIN_BRANCHES = 3 };

/* Passes over which the plan's data and code rates hold; divides 100. */
unsigned code_plan_period(const struct plan *plan);

/* Warm-up passes; with copies they end with the last copy, so that measurement starts with the first. */
unsigned code_plan_warmup(const struct plan *plan);

/* Makes plan->code for the plan of a kernel with code{}, and adds its rate to plan->rates.expected, and to
 * its targets where code{} states a number of misses. trial:
 * the plan's object after code_plan_choose_twins. STATUS_RECIPE, with the reason, if the rate cannot be met
 * in this manner. */
enum status code_plan_place(struct plan *plan, const struct isa *isa, const struct plan_options *options,
                            const struct buffer *trial, struct error *error);

/* Where taken branches of the chunk lead: into the same code once more, so that each outcome is seen in the
 * addresses that execute, or, without a twin, to the next instruction. */
enum code_twin code_plan_twin(const struct plan *plan, size_t chunk);

/* True if a chunk's twin is apart. */
bool code_plan_has_apart(const struct plan *plan);

/* Makes plan->code a trial. STATUS_RECIPE if it cannot be in that manner: indirect branches need twins. */
enum status code_plan_begin(struct plan *plan, const struct code_manner *manner, struct error *error);

/* Chooses twins and cuts by the trial's object. *again: it must be written once more, as these changed. */
enum status code_plan_choose_twins(struct plan *plan, const struct buffer *trial, bool *again,
                                   struct error *error);

/* Checks the emitted object against the plan: STATUS_RECIPE if a pass enters a different number of lines. */
enum status code_plan_check(const struct plan *plan, const struct buffer *object, struct error *error);

/* Units for which the lines that hit fill L1I, as its lines are in this plan: of twins, those that there must
 * be. INFINITY: no trial could be written. */
double code_plan_room(const struct plan *plan);

/* Most units for which the lines that hit fit in L1I, estimated from this plan's lines; 0: no more fit. */
unsigned code_plan_most_units(const struct plan *plan);

#endif
