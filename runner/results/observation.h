/* Observations: a source's value of a metric; always observed or computed, never made up. */
#ifndef RUNNER_RESULTS_OBSERVATION_H
#define RUNNER_RESULTS_OBSERVATION_H

#include "base/stats.h"
#include "runner/results/evidence_kind.h"

#include <jansson.h>
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

/* All zeros is empty. */
struct observations {
    struct observation *items;
    size_t count;
    size_t capacity;
    json_t *counters; /* raw counts {name: {...}} (runner/sources/perf/perf_measure.h); NULL: none */
    json_t *imported; /* {"tool", "file", "counts": {name: value}} (runner/sources/import/import_file.h);
                         NULL: none */
    json_t *warnings; /* [{"what", "mend"}] from the sources; NULL: none */
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

/* Adds a warning for users: what is so, and what they can do about it (NULL: nothing). */
__attribute__((format(printf, 3, 4))) void observations_warn(struct observations *list, const char *mend,
                                                             const char *format, ...);

/* Moves all observations from `from` to the end of the list. */
void observations_move(struct observations *list, struct observations *from);

/* The observation of the program's metric by the source, or NULL. */
const struct observation *observations_find(const struct observations *list, const char *metric,
                                            const char *source);

/* {"source","kind","value","low","high","n"}, "counted" if that was not all of the time, "doubt" if there is
 * one; low and high are null without an interval. New reference. */
json_t *observation_to_json(const struct observation *observation);
json_t *observations_to_json(const struct observations *list);

/* Adds the observation of a metric that such a document is; its texts point into it. */
void observation_read(const json_t *document, const char *metric, struct observations *list);

/* The same for a list of them. */
void observations_read(const json_t *document, const char *metric, struct observations *list);

/* An interval as results have it, {"value", "low", "high", "n"}, or a bare number; a null low or high is NAN;
 * n is 0 and all are NAN for anything else. */
struct interval result_interval(const json_t *from);

/* The same document. New reference. */
json_t *result_interval_to_json(struct interval interval);

void observations_free(struct observations *list);

#endif
