/* The L2 channels that serve a GPU's streams, and the rates that a recipe's place promises (Adhinarayanan et
 * al. 2016: a shader engine reads from the near quadrant of L2 or from a far one). */
#ifndef GENERATOR_PLAN_GPU_GPU_CHANNELS_H
#define GENERATOR_PLAN_GPU_GPU_CHANNELS_H

#include "generator/plan/gpu/gpu_plan.h"

/* Reads place.l2_channels. STATUS_RECIPE if the machine lacks them, or they are not neighbours. */
enum status gpu_channels_read(struct gpu_plan *plan, struct error *error);

/* Places a stream that bypasses L1 in the chosen channels only, as far as its rows allow. STATUS_RECIPE if a
 * row is longer than the contiguous addresses of neighbouring channels. */
enum status gpu_channels_spread(const struct gpu_plan *plan, struct gpu_stream *stream, struct error *error);

/* STATUS_RECIPE if a pass accesses some of the chosen channels more often than others. Call after all streams
 * are placed. */
enum status gpu_channels_check(const struct gpu_plan *plan, struct error *error);

/* Bytes after which addresses return to the first channel; 1 if all channels serve. */
uint64_t gpu_channels_period(const struct gpu_plan *plan);

/* Adds the targets and expected rates of the place: the shares of shader engines, multiprocessors and
 * channels, and of far channels. */
void gpu_channels_promise(struct gpu_plan *plan);

#endif
