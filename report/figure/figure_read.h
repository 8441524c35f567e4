/* The data that figures need from a results file: it may have many points, each with much more data. */
#ifndef REPORT_FIGURE_FIGURE_READ_H
#define REPORT_FIGURE_FIGURE_READ_H

#include "base/arena.h"
#include "base/error.h"
#include "base/text/text_set.h"
#include "runner/results/result_point.h"
#include "runner/results/results.h"

#include <stdbool.h>
#include <stddef.h>

/* A metric's value (metric_value.h). */
struct figure_value {
    const char *metric;
    double value, low, high;
    enum evidence_kind kind;
    const char *source; /* NULL: none */
    const char *doubt;  /* "": nothing is wrong */
};

/* A sample of an idle interval. */
struct figure_moment {
    double t_s;
    double joules;  /* the sum over the channels of the point's power, else the only channel; NAN: unknown */
    double celsius; /* the hottest thermometer; NAN: unknown */
};

struct figure_idle {
    struct figure_moment *moments;
    size_t count;
};

/* A point, reduced to what plots need. */
struct figure_point {
    const char *recipe, *benchmark, *name, *target; /* "": none */
    const char *trace;                              /* NULL: none */
    bool failed;
    bool untrusted;          /* its power is untrustworthy */
    struct value parameters; /* of the sweep */
    struct figure_value *values;
    size_t value_count;
    struct figure_idle before, after; /* empty unless a plot names the interval */
};

/* All zeros is empty. Owns what its points point to. */
struct figure_points {
    struct figure_point *items;
    size_t count;
    struct arena arena;
    struct text_set texts; /* texts that many points share */
};

/* The metrics and intervals that the plots of the context's benchmarks name. Free with text_set_free. */
struct text_set figure_names(const struct results_context *context);

/* Adds the point, reduced to what plots of these names need. */
void figure_points_add(struct figure_points *points, const struct result_point *point,
                       const struct text_set *names);

/* Adds all points of the file, reduced to what the context's plots need. Free *points in every case. */
enum status figure_points_read(struct results_reader *results, const struct results_context *context,
                               struct figure_points *points, struct error *error);

/* The point's value of the metric; NULL: it has none. */
const struct figure_value *figure_point_value(const struct figure_point *point, const char *metric);

void figure_points_free(struct figure_points *points);

#endif
