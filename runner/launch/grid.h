/* How many threads a device's program is run by, from its manifest, which may be anybody's. */
#ifndef RUNNER_LAUNCH_GRID_H
#define RUNNER_LAUNCH_GRID_H

#include "base/error.h"

#include <jansson.h>
#include <stdint.h>

struct launch_grid {
    unsigned blocks, threads; /* threads: of a block */
    uint64_t warmup;          /* passes before the measured loop */
};

/* STATUS_FAILED for what no device has. */
enum status launch_grid_read(const json_t *manifest, struct launch_grid *grid, struct error *error);

#endif
