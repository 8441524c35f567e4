/* Energy over accesses: a straight line through points, each as good as its noise allows. For the model
 * "access-energy". */
#ifndef MODEL_ACCESS_LINE_H
#define MODEL_ACCESS_LINE_H

#include "model/least.h"
#include "model/point_error.h"

#include <stddef.h>

/* The mean of the repetitions of one point, which share their idle level and its error. */
struct access_point {
    double accesses, joules; /* of a repetition; dynamic */
    double repetitions_j2;   /* variance of the mean by what a meter's readings scatter */
    double idle_j2;          /* and by the error of the idle level */
    double whole_j;          /* with the idle energy: what a meter saw */
};

/* Three points and more; to be set but for the last four. */
struct access_line {
    const struct access_point *points;
    size_t count;
    double freedom; /* that the repetitions' scatter rests on */
    struct least_estimate epsilon, delta;
    double together; /* covariance of both */
    double r2;
};

/* How far whole points are off: what the points of all lines lie off these by. */
struct point_error access_lines_error(const struct access_line *lines, size_t count, double assumed);

/* Sets what the points tell. */
void access_line_fit(struct access_line *line, const struct point_error *error);

#endif
