/* The structures of a core whose sizes time alone shows: each is a row of structures.c, measured at one size
 * after another by a function of one of these files. Private to the probe. */
#ifndef RUNNER_PROBE_STRUCTURES_STRUCTURE_H
#define RUNNER_PROBE_STRUCTURES_STRUCTURE_H

#include "runner/probe/family.h"
#include "runner/probe/jumps.h"

#include <stddef.h>

/* What the measurements of one probe share. */
struct structure_bench {
    struct probe *probe;
    struct probe_code gate;      /* idle instructions: slower while another thread uses the core */
    double gate_least;           /* ticks per idle instruction, the least seen */
    uint64_t step;               /* ticks that the clock goes on by */
    uint64_t gate_iterations;    /* of a sample of the gate */
    uint64_t least_ticks;        /* of a sample: many steps of the clock */
    struct probe_memory small;   /* on small pages */
    uintptr_t first, second;     /* chains of loads that miss, at their present places */
    struct jump_links links;     /* jump NULL: not yet learnt */
    void *self;                  /* a chain of one place, which hits */
    unsigned char *blocks;       /* of sets whose replacement is told */
    unsigned char *dense;        /* lines for translations to compare with */
    size_t chain_places, places; /* of the first chain; of those, so many were begun at */
    double point_s;              /* time for one timing at most */
    double page_base;            /* cycles of a load of the dense chain, for translations; 0: not yet */
};

struct structure_row;

/* While nothing else used the core, and while another of its threads did, which takes a part of what the core
 * has: a reorder buffer is halved. */
enum structure_company { STRUCTURE_ALONE, STRUCTURE_SHARED, STRUCTURE_COMPANIES };

/* The curve's height at that size, and whether there were too few samples of that kind, in points[company].
 */
typedef enum status structure_measure(struct structure_bench *bench, const struct structure_row *row,
                                      size_t size, struct probe_point points[STRUCTURE_COMPANIES],
                                      struct error *error);

enum { STRUCTURE_KNEES = 2 };

struct structure_row {
    const char *values[STRUCTURE_KNEES]; /* names of what the knees show: "reorder_buffer" */
    const char *title, *x_label, *y_label;
    const char *unit;
    const char *section; /* of probe.s, that the function needs; the structure is left out without it */
    const char *feature; /* of the processor that it needs; NULL: none */
    structure_measure *measure;
    size_t least, most;
    double rise;  /* the least rise of a knee, as a share */
    size_t extra; /* what the function's own instructions take of the structure besides */
    unsigned parameter;
    const char *remark;
};

structure_measure structure_window;      /* window.c */
structure_measure structure_parallel;    /* chains.c */
structure_measure structure_translation; /* chains.c */
structure_measure structure_return;      /* predictors.c */
structure_measure structure_target;      /* predictors.c: parameter: bytes from branch to branch */

/* Cycles per thing, alone and shared: idle instructions beside a sample are as fast as ever, or slower. Ends
 * when there are enough samples of the core alone, or its time is over. */
void structure_time(struct structure_bench *bench, struct probe_timing *timing,
                    struct probe_point points[STRUCTURE_COMPANIES]);

/* The same of a loop that runs in another way. */
void structure_sample(struct structure_bench *bench, const struct probe_timed *loop,
                      struct probe_point points[STRUCTURE_COMPANIES]);

/* Adds the values "l1d.policy" and "l2.policy" (replacement.c). */
enum status structure_replacement(struct structure_bench *bench, struct error *error);

#endif
