/* For the model "access-energy": a straight line of energy over accesses, through points weighted by their
 * noise. */
#ifndef MODEL_ACCESS_ENERGY_ACCESS_LINE_H
#define MODEL_ACCESS_ENERGY_ACCESS_LINE_H

#include "model/fitting/least.h"
#include "model/fitting/point_error.h"

#include <stddef.h>

/* The means over the repetitions of one point, which share their idle level and its error. */
struct access_point {
    double accesses, joules; /* of a repetition; dynamic energy */
    double repetitions_j2;   /* variance of the mean from the scatter of the meter's readings */
    double idle_j2;          /* variance of the mean from the error of the idle level */
    double whole_j;          /* the meter's reading, with idle energy */
};

/* A line, through at least three points. The caller sets points, count and freedom. */
struct access_line {
    const struct access_point *points;
    size_t count;
    double freedom;                       /* degrees of freedom of the repetitions' scatter */
    struct least_estimate epsilon, delta; /* slope, J per access, and constant, J */
    double together;                      /* their covariance */
    double r2;
};

/* The error of whole points, from the points' deviations from all lines; assumed as in point_error_of. */
struct point_error access_lines_error(const struct access_line *lines, size_t count, double assumed);

/* Fits the line: sets epsilon, delta, together and r2. */
void access_line_fit(struct access_line *line, const struct point_error *error);

#endif
