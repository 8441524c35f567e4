/* Compares each access of a GPU program with the stream of the manifest whose region it is in, and what it
 * writes elsewhere with what it may. */
#ifndef RUNNER_SOURCES_GPU_GRID_STREAMS_H
#define RUNNER_SOURCES_GPU_GRID_STREAMS_H

#include "runner/sources/gpu/grid_manifest.h"

/* A block's entry of the record, the word that says where it ran and the one that says whether it worked. */
enum { GRID_RECORD_BYTES = 64, GRID_RECORD_PLACE = 32, GRID_RECORD_WORKED = 36 };

/* How the clocks of a launch's programs are read. */
struct grid_clocks {
    bool read;        /* false: programs that compilers made have none, and those of no stated kernel any */
    bool has_ns;      /* besides ticks */
    bool stops_meet;  /* a block's threads meet before the stop, and not before the start alone */
    unsigned between; /* instructions that a clock and the loop have between them at the most */
    uint64_t warmup;  /* passes before those that are measured */
};

struct grid_streams;

/* For one launch. Free with grid_streams_free. */
struct grid_streams *grid_streams_new(const struct grid_manifest *manifest, const struct grid_clocks *clocks);
void grid_streams_free(struct grid_streams *streams);

/* A lane_visitor, whose context is the struct grid_streams: false, with what was expected, at the first
 * access that is not the stream's next. */
bool grid_streams_visit(const struct lane_access *access, void *context, struct error *error);

/* After the launch: STATUS_FAILED if a warp did not make all accesses of its last pass, which is that one,
 * or a block left some of its entry of the record as it was. */
enum status grid_streams_end(const struct grid_streams *streams, uint64_t passes, struct error *error);

#endif
