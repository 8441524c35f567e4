/* Sizes the regions of a GPU's streams; a region's size decides the level that serves it. */
#ifndef GENERATOR_PLAN_GPU_GPU_STREAMS_H
#define GENERATOR_PLAN_GPU_GPU_STREAMS_H

#include "generator/plan/gpu/gpu_plan.h"

/* Sizes the regions of all streams, whose per_pass must be set, lays them out in the data, and predicts the
 * levels that serve them. STATUS_RECIPE if a level cannot serve a stream. */
enum status gpu_streams_size(struct gpu_plan *plan, const struct template *templates, struct error *error);

#endif
