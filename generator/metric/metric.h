/* Every metric (DESIGN.md section 5), a row each: its unit, what it counts, and which sources observe it.
 * Recipes, sources, tables, figures and exports all look up metrics here. */
#ifndef GENERATOR_METRIC_METRIC_H
#define GENERATOR_METRIC_METRIC_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* What a program runs on: different sources can observe the three kinds. */
enum metric_ground { METRIC_ON_PROCESSOR, METRIC_ON_PTX, METRIC_ON_GCN, METRIC_GROUNDS };

/* What stands for the star in a row's name. */
enum metric_star {
    STAR_NONE,
    STAR_LEVEL,     /* L1, L2, L3, MEM; on GPUs SHARED, L1, L2, MEM, on NVIDIA's also DSMEM, on
                       AMD's L3 */
    STAR_OPERATION, /* a word; the recipe language defines them */
    STAR_NUMBER,
    STAR_EVENT, /* an event's name or code */
};

/* How a comparison of two results describes a change of the metric. */
enum metric_trend {
    TREND_NONE,
    TREND_MORE,   /* more or less */
    TREND_SLOWER, /* slower or faster */
};

/* The column of tolerances that applies to the metric, in the table of kinds of evidence
 * (runner/results/evidence_kind.h). */
enum metric_tolerance {
    TOLERANCE_USUAL,
    TOLERANCE_OF_BRANCHES,
    TOLERANCE_OF_LINES, /* lines and accesses are counted one by one */
    TOLERANCE_OF_IDLE,  /* whole idle instructions can only approximate a duty */
    METRIC_TOLERANCES
};

struct metric {
    const char *name; /* "bandwidth.*": a star stands for a part of the name */
    enum metric_star star;
    const char *label;   /* on axes: "Bandwidth, *" */
    const char *brief;   /* in running text and beside other labels; NULL: the label */
    const char *unit;    /* of the results: "B/s"; "": a share */
    const char *shown;   /* the unit in tables and figures: "GB/s"; NULL: the same */
    double scale;        /* factor from the one to the other; 0: the same */
    bool unit_in_label;  /* the label states the unit itself: "Cycles per pass" */
    const char *except;  /* "perf:L1": a part of the star that a source does not observe; NULL: none */
    const char *meaning; /* what it counts */
    bool of_bytes;       /* the bytes of the program and its data determine it, on every machine */
    const char *sources[METRIC_GROUNDS]; /* names, separated by commas; NULL: nothing can observe it there */
    enum metric_trend trend;
    enum metric_tolerance tolerance;
    bool of_data_caches; /* prefetchers and calibration move it */
    bool listed;         /* the kernel's list determines it, as a quotient of instructions */
    double near; /* inherent distance from the target, as a share, that every source tolerates; 0: none */
};

/* The table, ending with a row without a name. */
extern const struct metric metric_table[];

/* The row of the metric, or NULL. */
const struct metric *metric_find(const char *name);

/* The part of the metric's name that stands for its row's star, of *length bytes; NULL without a star. */
const char *metric_part(const struct metric *metric, const char *name, size_t *length);

/* The kind of target: "ptx", "gcn", or a processor's ISA. */
enum metric_ground metric_ground_of(const char *target);

/* True when the named source observes the metric on programs of that kind; on any with METRIC_GROUNDS. */
bool metric_is_seen_by(const char *name, const char *source, enum metric_ground ground);

/* True when a source can observe it there. No row has the source "plan" alone, because a prediction is no
 * evidence. */
bool metric_is_observable(const char *name, enum metric_ground ground);

/* True when the source observes any metric of the row anywhere. */
bool metric_row_has(const struct metric *row, const char *source);

/* True for a part of a whole, between 0 and 1. */
bool metric_is_share(const char *name);

/* True for the mix of the loop, which the kernel's list determines. */
bool metric_is_listed(const char *name);

/* The unit of the results: "" for shares and for unknown names. */
const char *metric_unit(const char *name);

/* The metric's inherent distance from its target (struct metric: near). */
double metric_near(const char *name);

/* The unit in tables and figures, and the factor from the results' unit. */
const char *metric_shown_unit(const char *name);
double metric_scale(const char *name);

/* Writes the unit that follows a number in a table: " GB/s", " per cycle", or "" for a share. */
void metric_write_unit(const char *name, char *text, size_t capacity);

/* Visits the names for suggestions: with every level, but without operations, numbers and events. */
void metric_each_name(void (*visit)(const char *name, void *context), void *context);

#endif
