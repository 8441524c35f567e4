/* A dataset of all points of an array. */
#ifndef TESTS_MODEL_POINTS_H
#define TESTS_MODEL_POINTS_H

#include "model/data/dataset.h"

static inline void points_add(struct dataset *dataset, const json_t *points)
{
    json_t *point;
    size_t i;
    json_array_foreach(points, i, point)
    {
        struct result_point read;
        result_point_read(point, &read);
        dataset_add_point(dataset, &read);
    }
}

#endif
