/* The number of threads that run a device's program, from its manifest, which is untrusted. */
#ifndef RUNNER_DEVICES_GRID_H
#define RUNNER_DEVICES_GRID_H

#include "base/error.h"
#include "generator/suite/manifest_read.h"

#include <stdint.h>

struct device_grid {
    unsigned blocks, threads; /* threads: per block */
    uint64_t warmup;          /* passes before the measured loop */
};

/* STATUS_FAILED for values that no device supports. */
enum status device_grid_read(const struct manifest *manifest, struct device_grid *grid, struct error *error);

#endif
