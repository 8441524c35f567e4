/* Energy against accesses: a straight line through points, each weighted by its noise. For the model
 * "access-energy". */
#ifndef MODEL_ACCESS_ENERGY_ACCESS_LINE_H
#define MODEL_ACCESS_ENERGY_ACCESS_LINE_H

#include "model/fitting/least.h"
#include "model/fitting/point_error.h"

#include <stddef.h>

/* The mean of the repetitions of one point, which share their idle level and its error. */
struct access_point {
    double accesses, joules; /* per repetition; dynamic */
    double repetitions_j2;   /* variance of the mean from the scatter of the meter's readings */
    double idle_j2;          /* and from the error of the idle level */
    double whole_j;          /* including idle energy: what a meter reads */
};

/* Needs at least three points. The caller sets all but the last four members. */
struct access_line {
    const struct access_point *points;
    size_t count;
    double freedom; /* degrees of freedom of the repetitions' scatter */
    struct least_estimate epsilon, delta;
    double together; /* their covariance */
    double r2;
};

/* The error common to all repetitions of a point, from the points' deviations from all lines. */
struct point_error access_lines_error(const struct access_line *lines, size_t count, double assumed);

/* Fits the line and sets the last four members. */
void access_line_fit(struct access_line *line, const struct point_error *error);

#endif
