/* A point of the results, read once into types (DESIGN.md sections 7 and 11). Texts point into the document,
 * which the caller keeps; so does what is only passed on. A field that a line lacks is NULL, NAN or empty. */
#ifndef RUNNER_RESULTS_RESULT_POINT_H
#define RUNNER_RESULTS_RESULT_POINT_H

#include "base/stats.h"
#include "runner/results/observation.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum verdict {
    VERDICT_PASS,
    VERDICT_PASS_CODE, /* code passes on the present machine, and no source observes the silicon */
    VERDICT_DISPUTED,  /* the deciding code source passes, another one fails */
    VERDICT_INCONCLUSIVE,
    VERDICT_FAIL,
    VERDICT_UNOBSERVED,     /* no source here observes it; the plan does not count */
    VERDICT_NOT_APPLICABLE, /* nothing to divide by: the plan cannot compute it and no source observed it */
    VERDICT_OBSERVED,       /* observed, without a requirement */
};

/* "pass", "pass (code)", "fail", ... */
const char *verdict_name(enum verdict verdict);

/* The verdict of that name; VERDICT_UNOBSERVED for any other text. */
enum verdict verdict_from_name(const char *name);

/* One metric of a point: what was requested, what the sources observed, and the verdict. */
struct result_rate {
    const char *metric;
    double target;          /* NAN: none */
    double min, max;        /* the author's bounds; -INFINITY and INFINITY: none */
    bool prefetched;        /* the target is without prefetchers, the bounds are with them */
    const char *calibrated; /* the kind of evidence that calibrated the plan; NULL: none */
    enum verdict verdict;
    const char *reason; /* "": none */
    struct observations seen;
    const json_t *document;
};

/* Reads an entry of "rates". Free with result_rate_free. */
void result_rate_read(const char *metric, const json_t *entry, struct result_rate *rate);

/* The observation of the best kind with a value: measured, inspected, simulated, inferred, predicted; the
 * first of equal ones. NULL: none. */
const struct observation *result_rate_best(const struct result_rate *rate);

void result_rate_free(struct result_rate *rate);

/* One repetition, raw. */
struct result_rep {
    double iterations, ticks;
    double seconds; /* of the loop */
    size_t copies;  /* that ran together, at least 1 */
    const json_t *document;
};

struct result_point {
    const char *recipe, *benchmark, *name, *target, *program_hash; /* "": none */
    const char *error;                                             /* why it did not run; NULL: it ran */
    const char *skipped;                                           /* why it was skipped; NULL: it was not */
    bool on_device;
    struct interval ticks_per_pass; /* n is 0: unknown */
    struct result_rep *reps;
    size_t rep_count;
    struct result_rate *rates;
    size_t rate_count;
    const json_t *document;
};

/* Reads a whole point; no line is refused here, as results_open has checked it. Free with result_point_free.
 */
void result_point_read(const json_t *document, struct result_point *point);

void result_point_free(struct result_point *point);

/* An interval as results have it, {"value", "low", "high", "n"}, or a bare number; n is 0 and all are NAN for
 * anything else. */
struct interval result_interval(const json_t *from);

#endif
