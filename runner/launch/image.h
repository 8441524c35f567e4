/* The bytes that a device's data begins with, from the manifest's "data": {"bytes", "align", "regions":
 * [{"offset", "bytes", "fill": RULE}]}. */
#ifndef RUNNER_LAUNCH_IMAGE_H
#define RUNNER_LAUNCH_IMAGE_H

#include "base/error.h"

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

/* Takes one piece of the image, `size` bytes from `offset` of the data on. */
typedef enum status image_sink(void *context, uint64_t offset, const void *bytes, size_t size,
                               struct error *error);

/* Hands over the whole image of data that lies at the device's address, in pieces of some MiB: it may be
 * larger than this machine's memory. What no region covers is zero, and not handed over, nor are regions of
 * zeros: the memory is expected to be cleared. STATUS_FAILED for a manifest that no generator wrote. */
enum status image_pour(const json_t *data, uint64_t address, image_sink *sink, void *context,
                       struct error *error);

#endif
