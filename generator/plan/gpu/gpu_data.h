/* The contents of a GPU plan's streams, and the rates of their data on the bus. */
#ifndef GENERATOR_PLAN_GPU_GPU_DATA_H
#define GENERATOR_PLAN_GPU_GPU_DATA_H

#include "generator/plan/gpu/gpu_plan.h"

/* Rows of the region after which its words repeat; the region should be a whole multiple of them. */
uint64_t gpu_stream_word_rows(const struct gpu_plan *plan, const struct gpu_stream *stream);

/* Gives every stream its fill rule, and the plan the targets and expected rates of its data.
 * STATUS_RECIPE if a pattern's rate cannot be met. */
enum status gpu_streams_fill(struct gpu_plan *plan, uint64_t seed, const char *label, struct error *error);

#endif
