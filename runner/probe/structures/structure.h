/* The structures of a core whose sizes only times show. Each is a row of structures.c; a function in one of
 * these files measures it at one size after another. Private to the probe. */
#ifndef RUNNER_PROBE_STRUCTURES_STRUCTURE_H
#define RUNNER_PROBE_STRUCTURES_STRUCTURE_H

#include "runner/probe/family.h"
#include "runner/probe/jumps.h"

#include <stddef.h>

/* The data that the measurements of one probe share. */
struct structure_bench {
    struct probe *probe;
    struct probe_code gate;    /* idle instructions: slower while another thread uses the core */
    double gate_least;         /* the least ticks per idle instruction so far */
    uint64_t step;             /* the clock's resolution, in ticks */
    uint64_t gate_iterations;  /* of a sample of the gate */
    uint64_t least_ticks;      /* of a sample: many steps of the clock */
    struct probe_memory small; /* on small pages */
    uintptr_t first, second;   /* chains of loads that miss, at their present places */
    struct jump_links links;   /* jump NULL: not read yet */
    void *self;                /* a chain of one place, which hits */
    unsigned char *blocks;     /* memory of sets whose policy is measured */
    unsigned char *dense;      /* lines for translations to compare with */
    size_t chain_places;       /* number of places in the first chain */
    size_t places;             /* number of places at which a chain has begun */
    double point_s;            /* the longest time for one timing */
    double page_base; /* cycles of a load of the dense chain, for translations; 0: not measured yet */
};

struct structure_row;

/* Whether another thread used the core meanwhile. It takes a part of the core's structures: half of the
 * reorder buffer. */
enum structure_company { STRUCTURE_ALONE, STRUCTURE_SHARED, STRUCTURE_COMPANIES };

/* Measures the curve's height at that size, in points[company]; disturbed: there were too few such samples.
 */
typedef enum status structure_measure(struct structure_bench *bench, const struct structure_row *row,
                                      size_t size, struct probe_point points[STRUCTURE_COMPANIES],
                                      struct error *error);

enum { STRUCTURE_KNEES = 2 };

struct structure_row {
    const char *values[STRUCTURE_KNEES]; /* names of the values that the knees show: "reorder_buffer" */
    const char *title, *x_label, *y_label;
    const char *unit;
    const char *section; /* of probe.s, which the function needs; the structure is left out without it */
    const char *feature; /* of the processor, which the code needs; NULL: none */
    structure_measure *measure;
    size_t least, most;
    double rise;  /* the least rise of a knee, as a share */
    size_t extra; /* entries that the function's own instructions take in addition */
    unsigned parameter;
    const char *remark;
};

structure_measure structure_window;      /* window.c */
structure_measure structure_parallel;    /* chains.c */
structure_measure structure_translation; /* chains.c */
structure_measure structure_return;      /* predictors.c */
structure_measure structure_target;      /* predictors.c: parameter: bytes from branch to branch */

/* Cycles per thing with the core alone and shared: a sample is of the core alone if idle instructions beside
 * it are as fast as ever. Ends when there are enough samples of the core alone, or the time is over. */
void structure_time(struct structure_bench *bench, struct probe_timing *timing,
                    struct probe_point points[STRUCTURE_COMPANIES]);

/* The same for a loop with a function of its own that runs it. */
void structure_sample(struct structure_bench *bench, const struct probe_timed *loop,
                      struct probe_point points[STRUCTURE_COMPANIES]);

/* Adds the values "l1d.policy" and "l2.policy" (replacement.c). */
enum status structure_replacement(struct structure_bench *bench, struct error *error);

#endif
