/* Which side of an L2 of two parts each chunk of a program's data is on, and each multiprocessor, learned on
 * the device by a kernel of its own (templates/ptx/kernel.ptx, section "sides"): the home of a line is a hash
 * of its address that nobody publishes. One thread of one multiprocessor at a time takes the ticks of atomic
 * operations, which are done where the line is at home, at places of each chunk. What was learned holds for
 * this allocation alone. Nobody has seen this on a real GPU yet. */
#ifndef RUNNER_CUDA_CUDA_SIDES_H
#define RUNNER_CUDA_CUDA_SIDES_H

#include "base/arena.h"
#include "base/error.h"
#include "generator/plan/gpu/image.h"
#include "runner/cuda/cuda_library.h"

#include <jansson.h>
#include <stdint.h>

/* True when the image has data whose sides are to be learned. */
bool cuda_sides_wanted(const struct gpu_image *image);

/* Learns the sides of all such data, which lies at that address, and has any words but no use yet; the arena
 * owns what was learned. device: its description (cuda_device.h). Adds to facts, of the first of them,
 * {"sides": {"chunk", "chunks": [of side 0, of side 1, of neither], "sm": [side of each], "agreement",
 * "atomic": {"near", "far"}, "load": {"near", "far"}}}, ticks of one access. STATUS_UNAVAILABLE when there
 * are no two sides to be seen, or they change within a chunk. */
enum status cuda_sides_learn(const struct cuda_library *library, const json_t *device, cuda_address data,
                             struct gpu_image *image, struct arena *arena, json_t *facts,
                             struct error *error);

#endif
