/* The plan: the ISA-independent program for one point on one machine. It says for every slot of the loop what
 * it does and which line a load reads in which pass, and what rates follow. Emission turns it into text. */
#ifndef GENERATOR_PLAN_H
#define GENERATOR_PLAN_H

#include "base/arena.h"
#include "base/error.h"
#include "generator/branches.h"
#include "generator/data_words.h"
#include "generator/kernel.h"
#include "generator/layout.h"
#include "generator/machine.h"
#include "generator/sizing.h"
#include "isa/template.h"

#include <stdbool.h>
#include <stdint.h>

enum service {
    SERVICE_NONE,      /* not a load */
    SERVICE_HIT,       /* reads a line that stays in L1D */
    SERVICE_MISS,      /* misses L1D and hits L2 in every pass */
    SERVICE_SOMETIMES, /* misses in the first passes of a period, hits in the others */
};

/* What a branch does. */
enum branch {
    BRANCH_NONE,        /* not a branch */
    BRANCH_TAKEN,       /* always */
    BRANCH_FALLTHROUGH, /* never taken */
    BRANCH_RANDOM,      /* taken half the time, as a random number says */
    BRANCH_BACK,        /* the loop's own: the last slot */
};

/* One operation of the loop body. */
struct slot {
    unsigned unit; /* 0 and up */
    unsigned item; /* index into the kernel's behaviours */
    enum service service;
    enum branch branch;
    bool rotates;     /* loads: the address moves by plan->layout.step from pass to pass */
    bool dependent;   /* operations: consumes the last load's value */
    bool starts;      /* operations: begins a dependency chain */
    struct miss line; /* loads: where it reads (for SERVICE_SOMETIMES: when it misses) */
};

/* A metric (DESIGN.md section 5) and its value. */
struct rate {
    const char *metric;
    double value;
};

enum { PLAN_RATES = 16 };

struct rates {
    struct rate items[PLAN_RATES];
    size_t count;
};

struct plan {
    const struct kernel *kernel;
    const struct machine *machine;
    struct sizing sizing;
    struct layout layout;
    struct slot *slots;
    size_t slot_count; /* units * unit_slots */
    unsigned unit_slots;
    struct branch_counts branches; /* of one pass */
    unsigned loads;                /* in one pass */
    bool indexed;            /* chases add the loaded zero to a base, as the base moves between passes */
    struct data_word *words; /* [word_count]: what differs from the fill; NULL without such data */
    size_t word_count;
    double toggle_rate, ones_rate; /* of them, in the order of access */
    struct slot sometimes_hit;     /* where a SERVICE_SOMETIMES load reads when it hits */
    bool fill_address;             /* every word of the data holds the data's address */
    uint64_t fill_word;            /* else every word holds this */
    unsigned warmup;               /* passes before anything is measured; a multiple of the period */
    struct rates targets;          /* what the recipe promises */
    struct rates expected;         /* what the cache model says, with the machine's policy */
    struct arena arena;            /* owns all of the above but the kernel and the machine */
};

struct plan_options {
    uint64_t seed;
    const char *label;  /* "benchmark/point": gives the point random numbers of its own */
    bool force_indexed; /* chases as in a rotating program, to be compared with one */
};

/* Makes the plan. kernel and machine must outlive it. STATUS_RECIPE with the reason when a rate cannot be
 * reached. Free it with plan_free also after an error. */
enum status plan_make(const struct kernel *kernel, const struct machine *machine,
                      const struct template *templates, const struct plan_options *options, struct plan *plan,
                      struct error *error);

/* The template row of a slot; NULL when there is none. A back edge has none: the skeleton has it. */
const struct form *plan_form(const struct template *templates, const struct plan *plan,
                             const struct slot *slot);

/* Instructions of one pass that belong to units, as the rows have them; with an op, only those that mix.<op>
 * counts. The back edge counts as a taken branch. */
unsigned plan_instructions(const struct template *templates, const struct plan *plan, const char *op);

/* Puts the loop's slots in another random order, the attempt-th (0 is the one that plan_make chose); sizes,
 * places and counts stay. The options are those of plan_make. */
enum status plan_shuffle(struct plan *plan, const struct plan_options *options, unsigned attempt,
                         struct error *error);

/* Bytes from the start of the data that the load reads in the pass (counted from the start of a period). */
uint64_t plan_offset(const struct plan *plan, const struct slot *slot, unsigned pass);

/* The value of the metric, or fallback. */
double rates_get(const struct rates *rates, const char *metric, double fallback);

void plan_free(struct plan *plan);

#endif
