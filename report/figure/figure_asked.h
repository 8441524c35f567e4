/* A plot that the command line asks for, in place of those of recipes. */
#ifndef REPORT_FIGURE_FIGURE_ASKED_H
#define REPORT_FIGURE_FIGURE_ASKED_H

#include "base/buffer.h"
#include "base/error.h"
#include "runner/results/results.h"

#include <jansson.h>

struct figure_asked {
    const char *x;         /* a sweep parameter or a metric */
    const char *y;         /* metrics, with commas */
    const char *by;        /* a sweep parameter; NULL: none */
    const char *benchmark; /* NULL: all that have these */
};

/* The results' context with this as the only plot of each benchmark that has the parameters and a metric;
 * other benchmarks are left out, with a line in *warnings. The axis of x is logarithmic if its values are in
 * geometric steps. STATUS_USAGE for a name that no point has, with the nearest that one has. New reference in
 * *context. */
enum status figure_asked_context(const struct figure_asked *asked, struct results_reader *results,
                                 json_t **context, struct buffer *warnings, struct error *error);

#endif
