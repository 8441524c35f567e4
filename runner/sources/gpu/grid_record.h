/* What a GPU program writes besides its streams: each block's entry of the record, by its first thread, with
 * the clocks that it read around the measured loop. Anything else that it writes, the next run may read. */
#ifndef RUNNER_SOURCES_GPU_GRID_RECORD_H
#define RUNNER_SOURCES_GPU_GRID_RECORD_H

#include "runner/sources/gpu/grid_manifest.h"

enum { GRID_RECORD_BYTES = 64 };

/* How the clocks of a launch's programs are read. */
struct grid_clocks {
    bool read;        /* false: programs that compilers made have none, and those of no stated kernel any */
    bool has_ns;      /* besides ticks */
    bool stops_meet;  /* a block's threads meet before the stop, and not before the start alone */
    unsigned between; /* instructions that a clock and the loop have between them at the most */
    uint64_t warmup;  /* passes before those that are measured */
};

/* A store or atomic that is none of a stream's: false, with the reason, if it writes something else than the
 * block's entry, or another time than that of the measured loop. *written: gets a bit for each byte. */
bool grid_record_store(const struct lane_access *access, const struct grid_clocks *clocks, uint64_t *written,
                       struct error *error);

#endif
