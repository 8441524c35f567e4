/* What blocks that are not executed have brought to L2, where a grid is executed in part: each block reads
 * its part of a region before passes are timed, and the parts of others afterwards. */
#ifndef RUNNER_SOURCES_WARP_WARP_OTHERS_H
#define RUNNER_SOURCES_WARP_WARP_OTHERS_H

#include "runner/sources/gpu/grid_manifest.h"
#include "sim/ptx/warp_launch.h"

struct warp_others {
    const struct grid_manifest *manifest;
    const struct warp_chip *chip;
    const struct warp_launch *launch;
    const unsigned char *works, *chosen; /* [blocks] */
    uint64_t warmup;                     /* passes */
};

/* Serves what the blocks that work and are not chosen read of regions that L2 holds, in their last passes of
 * the warm-up. context: a struct warp_others. */
void warp_others_read(struct warp_service *service, const void *context);

/* Passes after which a block has read all of every region that L2 holds. */
uint64_t warp_others_round(const struct warp_others *others);

#endif
