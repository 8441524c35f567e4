/* Compares two suites or two results files. */
#ifndef SESSION_DIFF_DIFFERENCES_H
#define SESSION_DIFF_DIFFERENCES_H

#include "base/error.h"
#include "base/value.h"
#include "session/events.h"
#include "session/point_values.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/* What trauma diff found, row by row, and how far a number may move before it counts as changed. */

/* How far a number moved. */
struct diff_change {
    double by;     /* NAN: not a number */
    bool relative; /* relative to the old value */
};
#define DIFF_NO_NUMBER ((struct diff_change){.by = NAN})

struct diff_row {
    const char *point, *part, *metric;
    struct value old, new; /* numbers, words or none */
    struct diff_change change;
    const char *what;
    bool past;
    const char *doubt, *note; /* NULL: none */
    size_t followers;         /* numbers that follow this one */
};

struct diff {
    const struct session_events *events;
    bool all;                        /* keep rows without a change too */
    double threshold[VALUE_CLASSES]; /* absolute for shares, else relative to the old value */
    double reach;          /* how often half an interval counts when two are compared; at least once */
    struct diff_row *rows; /* in the arena, as their texts */
    size_t count;
    struct arena arena;
    size_t points;   /* that both sides have */
    size_t compared; /* numbers or programs present on both sides, without those that follow others */
    size_t past;     /* rows that count as changed */
    size_t marked;   /* numbers in doubt, which are not judged */
    size_t clock;    /* times that only the clock changed */
};

/* Adds a row. One that is past the threshold counts; others are kept only if shown. Copies the texts; returns
 * the row, until the next is added, or NULL if it is not kept. */
struct diff_row *diff_row(struct diff *diff, const char *point, const char *part, const char *metric,
                          struct value old, struct value new, struct diff_change change, const char *what,
                          bool past, bool shown);

/* Rows for differences between contexts, or indices; they inform and do not count. */
void diff_contexts(struct diff *diff, const struct value *old, const struct value *new);

/* Two suites. STATUS_USAGE when one is not a suite. */
enum status diff_suites(struct diff *diff, const char *old, const char *new, struct error *error);

/* Two results files. STATUS_USAGE when one is not a results file, STATUS_FAILED when one has no points. */
enum status diff_results(struct diff *diff, const char *old, const char *new, struct error *error);

#endif
