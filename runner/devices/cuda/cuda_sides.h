/* Determines on which side of a two-part L2 each chunk of a program's data and each multiprocessor is, with a
 * separate kernel on the device (templates/ptx/kernel.ptx, section "sides"): the home of a line is an
 * unpublished hash of its address. One thread of one multiprocessor at a time measures the ticks of atomic
 * operations, which execute at the line's home, at places in each chunk. The result is valid for this
 * allocation only. Not yet tested on a real GPU. */
#ifndef RUNNER_DEVICES_CUDA_CUDA_SIDES_H
#define RUNNER_DEVICES_CUDA_CUDA_SIDES_H

#include "base/arena.h"
#include "base/error.h"
#include "generator/plan/gpu/gpu_image.h"
#include "runner/devices/cuda/cuda_library.h"

#include <jansson.h>
#include <stdint.h>

/* True when the image has data whose sides must be determined. */
bool cuda_sides_wanted(const struct gpu_image *image);

/* Determines the sides of all such data at that address, whose content is arbitrary and not yet used; the
 * arena owns the result. device: its description (cuda_device.h). Adds to facts, for the first data,
 * {"sides": {"chunk", "chunks": [of side 0, of side 1, of neither], "sm": [side of each], "agreement",
 * "atomic": {"near", "far"}, "load": {"near", "far"}}}, in ticks per access. STATUS_UNAVAILABLE when no two
 * sides are visible, or they change within a chunk. */
enum status cuda_sides_learn(const struct cuda_library *library, const json_t *device, cuda_address data,
                             struct gpu_image *image, struct arena *arena, json_t *facts,
                             struct error *error);

#endif
