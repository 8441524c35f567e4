/* Streams that stay on one side of an L2 of several parts (place.side): what a line's side is, nobody
 * publishes, so that it is learned on the device (runner/cuda/cuda_sides.h), and only the data knows it. The
 * program is the same for near and far: each wave goes from chunk to chunk of a ring of one side's chunks,
 * from where a table says that it begins. */
#ifndef GENERATOR_PLAN_GPU_GPU_SIDES_H
#define GENERATOR_PLAN_GPU_GPU_SIDES_H

#include "base/error.h"
#include "generator/plan/gpu/gpu_plan.h"

/* "near" or "far" for a stream that goes to L2 in a kernel that is placed by side; else NULL. */
const char *gpu_side_of(const struct gpu_plan *plan, const struct gpu_stream *stream);

/* Lays such a stream out, with rings of `wanted` bytes each; its lane, step and per_pass are known.
 * STATUS_RECIPE when an access of a wave is longer than a chunk. */
enum status gpu_sides_lay(const struct gpu_plan *plan, struct gpu_stream *stream, uint64_t wanted,
                          struct error *error);

/* STATUS_RECIPE when the kernel is placed by side and nothing in it depends on that. */
enum status gpu_sides_check(const struct gpu_plan *plan, struct error *error);

/* The rate l2.far_share, which a kernel that is placed by side promises. */
void gpu_sides_add_rates(struct gpu_plan *plan);

#endif
