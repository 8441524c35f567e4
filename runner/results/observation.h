/* Observations: a source's value of a metric, observed or computed. */
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
    char part[OBSERVATION_PART_BYTES]; /* the observed part of the program: "2 of 132 multiprocessors"; "":
                                          all of it */
    unsigned copy;                     /* from 1: of that copy alone, if several run; 0: of the program */

    /* Why there is no interval, or why a later quiet run's value may lie outside of it. Wherever the number
     * is shown, a "?" follows it and the reason stands below. "": nothing is wrong. */
    char doubt[OBSERVATION_DOUBT_BYTES];
};

/* Events of a pass as a source counts them, by the source's name for them. */
struct raw_count {
    const char *name;
    struct interval interval;
    double counted; /* share of the time that they were counted; NAN: the source does not report it */
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
    const char *tool, *file;    /* of the imported counts; NULL: there are none */
    struct raw_counts imported; /* values without intervals */
    struct warnings warnings;   /* from the sources */
    struct arena arena;         /* of the counts' names */
};

void observations_add(struct observations *list, const char *metric, const char *source,
                      enum evidence_kind kind, double value, double low, double high, double n);

/* Adds a copy of the observation. */
void observations_copy(struct observations *list, const struct observation *one);

/* Sets the doubt of the observation that was added last, unless it has one. */
void observations_doubt(struct observations *list, const char *why);

/* As observations_add, for one of several copies, counted from 1. */
void observations_add_copy(struct observations *list, unsigned copy, const char *metric, const char *source,
                           enum evidence_kind kind, struct interval interval);

/* Adds a raw count, or replaces that of this name. */
void observations_count(struct observations *list, const char *name, struct interval interval,
                        double counted);

/* The raw count of that name; NULL: none. */
const struct raw_count *observations_counted(const struct observations *list, const char *name);

/* Adds a value from the tool's file. */
void observations_import(struct observations *list, const char *tool, const char *file, const char *name,
                         double value);

/* Adds copies of everything in the other list. */
void observations_extend(struct observations *list, const struct observations *from);

/* The same, and frees the other. */
void observations_move(struct observations *list, struct observations *from);

/* The source's observation of the metric of the whole program, or NULL. */
const struct observation *observations_find(const struct observations *list, const char *metric,
                                            const char *source);

void observations_free(struct observations *list);

#endif
