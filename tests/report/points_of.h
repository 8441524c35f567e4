/* Points of results, as figures read them. */
#ifndef TESTS_REPORT_POINTS_OF_H
#define TESTS_REPORT_POINTS_OF_H

#include "report/figure/figure_read.h"

/* Free with figure_points_free. */
static inline struct figure_points points_of(const struct results_context *context, const json_t *documents)
{
    struct figure_points points = {0};
    struct text_set names = figure_names(context);
    for (size_t i = 0; i < json_array_size(documents); i++) {
        struct result_point point;
        result_point_read(json_array_get(documents, i), &point);
        figure_points_add(&points, &point, &names);
        result_point_free(&point);
    }
    text_set_free(&names);
    return points;
}

#endif
