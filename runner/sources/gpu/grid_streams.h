/* Compares each access of a GPU program with the stream of the manifest that has its region, and checks the
 * stores outside of regions. */
#ifndef RUNNER_SOURCES_GPU_GRID_STREAMS_H
#define RUNNER_SOURCES_GPU_GRID_STREAMS_H

#include "runner/sources/gpu/grid_manifest.h"

/* Bytes of a block's entry of the record, and the offsets of the word that states where it ran and of the one
 * that states whether it worked. */
enum { GRID_RECORD_BYTES = 64, GRID_RECORD_PLACE = 32, GRID_RECORD_WORKED = 36 };

/* How the programs of a launch read their clocks. */
struct grid_clocks {
    bool read;        /* false: unchecked, as in compilers' programs, or without a stated kernel */
    bool has_ns;      /* besides ticks */
    bool stops_meet;  /* a block's threads meet before the stop, too, not only before the start */
    unsigned between; /* most instructions between a clock read and the loop */
    uint64_t warmup;  /* passes before those that are measured */
};

struct grid_streams;

/* For one launch. Free with grid_streams_free. */
struct grid_streams *grid_streams_new(const struct grid_manifest *manifest, const struct grid_clocks *clocks);
void grid_streams_free(struct grid_streams *streams);

/* A lane_visitor with a struct grid_streams as context. False, with what was expected, at the first access
 * that is not the stream's next. */
bool grid_streams_visit(const struct lane_access *access, void *context, struct error *error);

/* To be called after the launch. STATUS_FAILED if a warp did not make all accesses up to pass `passes`, its
 * last one, or a block left a part of its entry of the record unwritten. */
enum status grid_streams_end(const struct grid_streams *streams, uint64_t passes, struct error *error);

#endif
