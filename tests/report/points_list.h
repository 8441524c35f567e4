/* All points of an array. */
#ifndef TESTS_REPORT_POINTS_LIST_H
#define TESTS_REPORT_POINTS_LIST_H

#include "runner/results/result_point.h"

/* Free with result_points_free. */
static inline void points_list(const json_t *documents, struct result_points *points)
{
    *points = (struct result_points){0};
    for (size_t i = 0; i < json_array_size(documents); i++) {
        struct result_point point;
        result_point_read(json_array_get(documents, i), &point);
        result_points_add(points, &point);
    }
}

#endif
