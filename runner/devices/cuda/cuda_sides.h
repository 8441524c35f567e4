/* Determines on which side of a two-part L2 each chunk of a program's data and each multiprocessor is. The
 * home of a line is an unpublished hash of its address, so a separate kernel measures it on the device
 * (templates/ptx/kernel.ptx, section "sides"): one thread of one multiprocessor at a time times atomic
 * operations, which execute at the line's home, at places in each chunk. The result is valid for this
 * allocation only. Not yet tested on a real GPU. */
#ifndef RUNNER_DEVICES_CUDA_CUDA_SIDES_H
#define RUNNER_DEVICES_CUDA_CUDA_SIDES_H

#include "base/arena.h"
#include "base/error.h"
#include "generator/plan/gpu/gpu_image.h"
#include "runner/devices/cuda/cuda_library.h"
#include "runner/devices/device_facts.h"

#include <stddef.h>
#include <stdint.h>

/* True when the image has data whose sides must be determined. */
bool cuda_sides_wanted(const struct gpu_image *image);

/* Determines the sides of all such data of the image at the address `data`, and overwrites its content; the
 * arena owns the result. Sets *sides to those of the first data. STATUS_UNAVAILABLE when no two sides are
 * visible, or they change within a chunk. */
enum status cuda_sides_learn(const struct cuda_library *library, const struct device *device,
                             cuda_address data, struct gpu_image *image, struct arena *arena,
                             struct device_sides *sides, struct error *error);

/* ---- two sides from ticks ---- */

/* Pure functions of numbers that determine from access times which multiprocessors and memory chunks are on
 * the same side of a two-part L2: accesses to the other side take longer, equally for all multiprocessors of
 * one side. */

enum { SIDES_JUDGES = 3 };

/* The result for an array of ticks. */
struct sides_found {
    double near_ticks, far_ticks; /* medians */
    double agreement; /* share of all pairs that are slow or fast as their sides predict; 0.5 to 1 */
    size_t judges[2][SIDES_JUDGES]; /* multiprocessors of each side with the clearest separation */
    size_t judge_count[2];
};

/* Splits multiprocessors and chunks by ticks[sm * chunks + chunk]: sets sm_side[sms] and chunk_side[chunks]
 * to 0 or 1, of the first multiprocessor to 0. STATUS_UNAVAILABLE, with the numbers, when no two sides are
 * visible.
 */
enum status sides_split(const double *ticks, size_t sms, size_t chunks, unsigned char *sm_side,
                        unsigned char *chunk_side, struct sides_found *found, struct error *error);

/* Medians of near and far pairs in other ticks of the same multiprocessors and chunks. */
void sides_medians(const double *ticks, size_t sms, size_t chunks, const unsigned char *sm_side,
                   const unsigned char *chunk_side, double *near_ticks, double *far_ticks);

/* The side of a chunk by its mean ticks from each side's judges, or `unknown` if these differ by less than
 * half the difference between near and far. */
unsigned char sides_classify(const struct sides_found *found, const double mean[2], unsigned char unknown);

#endif
