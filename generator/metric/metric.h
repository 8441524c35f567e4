/* Every metric (DESIGN.md section 5), a row each: its unit, what it counts, and which sources observe it.
 * Whoever names a metric asks this table: recipes, sources, tables, figures, exports. */
#ifndef GENERATOR_METRIC_METRIC_H
#define GENERATOR_METRIC_METRIC_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* What a program runs on: the three kinds differ in who can observe them. */
enum metric_ground { METRIC_ON_PROCESSOR, METRIC_ON_PTX, METRIC_ON_GCN, METRIC_GROUNDS };

/* What stands for the star in a row's name. */
enum metric_star {
    STAR_NONE,
    STAR_LEVEL,     /* L1, L2, L3, MEM; on GPUs SHARED, L1, L2, MEM, on NVIDIA's also DSMEM, on
                       AMD's L3 */
    STAR_OPERATION, /* a word; the recipe language knows which */
    STAR_NUMBER,
    STAR_EVENT, /* an event's name or code */
};

/* What a change of the metric means to a reader of two results. */
enum metric_trend {
    TREND_NONE,
    TREND_MORE,   /* more or less */
    TREND_SLOWER, /* slower or faster */
};

/* What decides how far from its target an observation may be: the kind of evidence, and of that kind the
 * metric's own column (runner/results/evidence_kind.h). */
enum metric_tolerance {
    TOLERANCE_USUAL,
    TOLERANCE_OF_BRANCHES,
    TOLERANCE_OF_LINES, /* lines and accesses are counted one by one */
    TOLERANCE_OF_IDLE,  /* whole idle instructions come only so near to a duty */
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
    bool telling;        /* the label says the unit itself: "Cycles per pass" */
    const char *but;     /* "perf:L1": of the star's parts, what a source does not observe; NULL: none */
    const char *meaning; /* what it counts */
    bool of_bytes;       /* the bytes of the program and its data determine it: no machine adds anything */
    const char *sources[METRIC_GROUNDS]; /* names, separated by commas; NULL: nothing can observe it there */
    enum metric_trend trend;
    enum metric_tolerance tolerance;
    bool of_data_caches; /* prefetchers and calibration move it */
    bool listed;         /* the kernel's list itself says it, as a quotient of instructions */
    double near;         /* how far from its target it may be by nature, whoever observes it; 0: by nothing */
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

/* True when a source can observe it there. No row has the plan alone, as a prediction decides nothing. */
bool metric_is_observable(const char *name, enum metric_ground ground);

/* True when the source observes any metric of the row anywhere. */
bool metric_row_has(const struct metric *row, const char *source);

/* True for a part of a whole, between 0 and 1. */
bool metric_is_share(const char *name);

/* True for the mix of the loop: what the kernel's list itself says. */
bool metric_is_listed(const char *name);

/* The unit of the results: "" for shares and for what is no metric. */
const char *metric_unit(const char *name);

/* How far from its target the metric may be by nature, as a share. */
double metric_near(const char *name);

/* The unit that people read, and the factor to it. */
const char *metric_shown_unit(const char *name);
double metric_scale(const char *name);

/* The unit after a number in people's unit: " GB/s", " per cycle", or nothing for a share. */
void metric_write_unit(const char *name, char *text, size_t capacity);

/* Visits the names that a user may mean: with every level, but without operations, numbers and events. */
void metric_each_name(void (*visit)(const char *name, void *context), void *context);

#endif
