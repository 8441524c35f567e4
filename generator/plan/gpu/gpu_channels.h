/* Which channels of L2 serve a GPU's streams, and what a recipe's place promises (Adhinarayanan et al. 2016:
 * a shader engine's reads go to the near quadrant of L2, or to a far one). */
#ifndef GENERATOR_PLAN_GPU_GPU_CHANNELS_H
#define GENERATOR_PLAN_GPU_GPU_CHANNELS_H

#include "generator/plan/gpu/gpu_plan.h"

/* Reads place.l2_channels. STATUS_RECIPE when the machine has none such, or they are no neighbours. */
enum status gpu_channels_read(struct gpu_plan *plan, struct error *error);

/* Lets a stream that goes past L1 lie in the chosen channels alone, as far as its rows allow. STATUS_RECIPE
 * when a row is longer than what neighbouring channels have of one address range. */
enum status gpu_channels_spread(const struct gpu_plan *plan, struct gpu_stream *stream, struct error *error);

/* STATUS_RECIPE when a pass asks some of the chosen channels more often than others: all streams are laid. */
enum status gpu_channels_check(const struct gpu_plan *plan, struct error *error);

/* Bytes after which addresses have the first channel again; 1 where all channels serve. */
uint64_t gpu_channels_period(const struct gpu_plan *plan);

/* Adds the targets and expected rates of place: shares of shader engines, multiprocessors and channels, and
 * of far channels. */
void gpu_channels_promise(struct gpu_plan *plan);

#endif
