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

/* How far a number changed. */
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
    double reach;                    /* factor of half intervals when two are compared; at least 1 */
    struct diff_row *rows;           /* in the arena, as their texts */
    size_t count;
    struct arena arena;
    size_t points;   /* that both sides have */
    size_t compared; /* numbers or programs present on both sides, without those that follow others */
    size_t past;     /* rows that count as changed */
    size_t marked;   /* numbers in doubt, which are not judged */
    size_t clock;    /* times that only the clock changed */
};

/* Adds a row with copies of the texts. Rows past the threshold are counted and kept; others are kept only if
 * `shown`. Returns the row, valid until the next call; NULL: it is not kept. */
struct diff_row *diff_row(struct diff *diff, const char *point, const char *part, const char *metric,
                          struct value old, struct value new, struct diff_change change, const char *what,
                          bool past, bool shown);

/* Adds rows for differences between contexts or indices; they are informative and not counted. */
void diff_contexts(struct diff *diff, const struct value *old, const struct value *new);

/* Compares two suites. STATUS_USAGE when one is not a suite. */
enum status diff_suites(struct diff *diff, const char *old, const char *new, struct error *error);

/* Compares two results files. STATUS_USAGE when one is not a results file, STATUS_FAILED when one has no
 * points. */
enum status diff_results(struct diff *diff, const char *old, const char *new, struct error *error);

#endif
