/* Streams that stay on one side of an L2 with several parts (place.side). The mapping of lines to sides is
 * unpublished, so it is learned on the device (runner/devices/cuda/cuda_sides.h) and affects only the data.
 * The program is the same for near and far: each wave walks a cycle of one side's chunks, and a table holds
 * its start. */
#ifndef GENERATOR_PLAN_GPU_GPU_SIDES_H
#define GENERATOR_PLAN_GPU_GPU_SIDES_H

#include "base/error.h"
#include "generator/plan/gpu/gpu_plan.h"

/* "near" or "far" for a stream served by L2 in a kernel that is placed by side; else NULL. */
const char *gpu_side_of(const struct gpu_plan *plan, const struct gpu_stream *stream);

/* Lays out such a stream, with cycles of `wanted` bytes and at least `least` rows each; its lane, step and
 * per_pass must be set. STATUS_RECIPE if a wave's access is longer than a chunk. */
enum status gpu_sides_lay(const struct gpu_plan *plan, struct gpu_stream *stream, uint64_t wanted,
                          uint64_t least, struct error *error);

/* STATUS_RECIPE if the kernel is placed by side but nothing in it depends on that. */
enum status gpu_sides_check(const struct gpu_plan *plan, struct error *error);

/* Adds the rate l2.far_share, which a kernel that is placed by side promises. */
void gpu_sides_add_rates(struct gpu_plan *plan);

#endif
