/* Observations: a source's value of a metric; always observed or computed, never made up. */
#ifndef RUNNER_RESULTS_OBSERVATION_H
#define RUNNER_RESULTS_OBSERVATION_H

#include "base/stats.h"
#include "runner/results/evidence_kind.h"
#include "runner/results/warning.h"

#include <stddef.h>

enum { METRIC_BYTES = 48, OBSERVATION_PART_BYTES = 80, OBSERVATION_DOUBT_BYTES = 120 };

struct observation {
    char metric[METRIC_BYTES]; /* "l1d.miss_rate" (DESIGN.md section 5) */
    const char *source;        /* "cachegrind"; static text */
    enum evidence_kind kind;
    double value, low,
        high;       /* low = high = value if the source is exact; low and high are NAN: no interval */
    double n;       /* events or samples on which it is based */
    double counted; /* share of the time that it was counted; 0: unknown, 1: always */
    char part[OBSERVATION_PART_BYTES]; /* of the program that it saw: "2 of 132 multiprocessors"; "": all */
    unsigned copy;                     /* from 1: of that copy alone, if several run; 0: of the program */

    /* Why there is no interval, or why it may not hold a later quiet run's value: whoever shows the number
     * puts a "?" beside it and the reason below. "": nothing is wrong. */
    char doubt[OBSERVATION_DOUBT_BYTES];
};

/* Events of a pass as a source counts them, by its own name. */
struct raw_count {
    const char *name;
    struct interval interval;
    double counted; /* share of the time that they were counted; NAN: the source does not say */
};

struct raw_counts {
    struct raw_count *items;
    size_t count;
};

/* All zeros is empty. */
struct observations {
    struct observation *items;
    size_t count;
    size_t capacity;
    struct raw_counts counters;
    const char *tool, *file;    /* of the imported counts; NULL: none are */
    struct raw_counts imported; /* each its value alone */
    struct warnings warnings;   /* from the sources */
    struct arena arena;         /* of the counts' names */
};

void observations_add(struct observations *list, const char *metric, const char *source,
                      enum evidence_kind kind, double value, double low, double high, double n);

/* Adds the same. */
void observations_copy(struct observations *list, const struct observation *one);

/* Marks what was added last. The first reason is kept. */
void observations_doubt(struct observations *list, const char *why);

/* The same for one of several copies, counted from 1. */
void observations_add_copy(struct observations *list, unsigned copy, const char *metric, const char *source,
                           enum evidence_kind kind, struct interval interval);

/* Adds a raw count, or replaces that of this name. */
void observations_count(struct observations *list, const char *name, struct interval interval,
                        double counted);

/* The raw count of that name; NULL: none. */
const struct raw_count *observations_counted(const struct observations *list, const char *name);

/* Adds a value that the tool's file has. */
void observations_import(struct observations *list, const char *tool, const char *file, const char *name,
                         double value);

/* Adds copies of all that the other has. */
void observations_extend(struct observations *list, const struct observations *from);

/* The same, and frees the other. */
void observations_move(struct observations *list, struct observations *from);

/* The observation of the program's metric by the source, or NULL. */
const struct observation *observations_find(const struct observations *list, const char *metric,
                                            const char *source);

void observations_free(struct observations *list);

#endif
