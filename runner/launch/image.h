/* A device's data as it begins (generator/gpu/image.h), handed over in pieces: it may be larger than this
 * machine's memory. */
#ifndef RUNNER_LAUNCH_IMAGE_H
#define RUNNER_LAUNCH_IMAGE_H

#include "base/error.h"
#include "generator/gpu/image.h"

#include <stddef.h>
#include <stdint.h>

/* Takes one piece: `size` bytes, a multiple of 8, from `offset` of the data on. */
typedef enum status image_sink(void *context, uint64_t offset, const void *bytes, size_t size,
                               struct error *error);

/* Hands over every region that is not zeros, for data that lies at the device's address. What is not handed
 * over is zero: the memory is expected to be cleared. */
enum status image_pour(const struct gpu_image *image, uint64_t address, image_sink *sink, void *context,
                       struct error *error);

#endif
