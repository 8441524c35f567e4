/* What the manifest of a GPU program says about its accesses, for comparison with what it does. */
#ifndef RUNNER_SOURCES_GPU_GRID_MANIFEST_H
#define RUNNER_SOURCES_GPU_GRID_MANIFEST_H

#include "base/arena.h"
#include "base/error.h"
#include "generator/plan/gpu/gpu_image.h"
#include "generator/suite/manifest_read.h"
#include "sim/demand_memory.h"
#include "sim/lane_access.h"

enum { GRID_STREAMS = 64 };

/* Where the simulated device holds the data and the record. */
#define GRID_DATA_ADDRESS UINT64_C(0x1000000000)
#define GRID_RECORD_ADDRESS UINT64_C(0x8000000000)

/* One stream of accesses (generator/plan/gpu/gpu_plan.h says what its numbers mean). */
struct grid_stream {
    bool store, chase;          /* store: also an atomic */
    const char *atomic, *scope; /* "add", "gpu"; NULL: it is none */
    bool returns;               /* an atomic that gives what the word held before */
    unsigned together;          /* neighbouring threads that have a word in common; 0: none have */
    bool shared, others; /* its region is in shared memory; it reads that of another block of the cluster */
    const char *cache;   /* the operator; of PTX as in the text, with L1:: */
    unsigned width, per_pass, bus, hop;
    uint64_t bytes, step, lane, block, advance;
    uint64_t dense, apart; /* manifest_read.h */
    bool sided, far;
    bool async; /* copies to a ring of places in shared memory, `copies` in a unit (gpu_async.h) */
    bool bulk;  /* of these: the block's first thread copies what all threads would */
    bool read;  /* what was copied last in each unit is read again */
    unsigned stages, copies;
    uint64_t ring, place; /* its start in shared memory; bytes from one place of a thread to its next */
    const struct gpu_rule *rule;
    uint64_t start;  /* of its region, in global or in shared memory */
    uint64_t length; /* of its region with all that threads reach */
};

struct grid_manifest {
    const struct manifest *stated;
    struct arena arena;
    unsigned blocks, threads;
    unsigned cluster; /* blocks that form one; 1: none do */
    unsigned lanes;   /* of a warp or wave */
    uint64_t warmup, shared_bytes;
    struct gpu_image image;
    struct grid_stream streams[GRID_STREAMS];
    size_t stream_count;
    struct lane_region regions[GRID_STREAMS]; /* of the streams, likewise numbered */
    uint64_t accesses, transfers, stored;     /* of one pass of the whole grid */
    bool has_word;
    uint32_t word; /* that all stores write */
    bool has_asm;
    bool is_placed; /* blocks on other multiprocessors leave */
};

/* Reads the manifest, which is untrusted and must outlive *manifest, for warps of that many lanes.
 * STATUS_FAILED with what is wrong in it. Free with grid_manifest_free, in every case. */
enum status grid_manifest_read(const struct manifest *stated, unsigned lanes, struct grid_manifest *manifest,
                               struct error *error);

/* Makes the data as it is before a launch, and forgets what *data was. STATUS_UNAVAILABLE for too much. */
enum status grid_manifest_open_data(const struct grid_manifest *manifest, struct demand_memory *data,
                                    struct error *error);
void grid_manifest_free(struct grid_manifest *manifest);

/* STATUS_FAILED if so many of the grid's blocks working is not what the manifest states. */
enum status grid_manifest_check_working(const struct grid_manifest *manifest, unsigned working,
                                        struct error *error);

/* The region of the address; -1: none. */
int grid_manifest_region(const struct grid_manifest *manifest, bool shared, uint64_t address);

/* The first of the streams whose ring that is; -1: no ring has the address of shared memory. */
int grid_manifest_ring(const struct grid_manifest *manifest, uint64_t address);

/* The block whose shared memory such a block reads in streams of others. */
unsigned grid_manifest_owner(const struct grid_manifest *manifest, unsigned block);

/* Bytes from the block's access to the thread's own. */
uint64_t grid_stream_thread(const struct grid_stream *stream, unsigned thread);

/* The offset of a pass's access with that number. */
uint64_t grid_stream_row(const struct grid_stream *stream, unsigned number);

/* Sectors of a pass that a block's loads, or its stores, take from its streams in shared memory. */
uint64_t grid_manifest_shared_sectors(const struct grid_manifest *manifest, unsigned sector, bool stores);

/* Where a stream's block begins, from the start of its region. */
uint64_t grid_stream_begin(const struct grid_stream *stream, unsigned block);

/* Passes after which the block has wrapped around the stream's region; 0: it never does. */
uint64_t grid_stream_passes_to_wrap(const struct grid_stream *stream, unsigned block);

/* The same of the block that works ([blocks]) and wraps first; 0: none does. */
uint64_t grid_manifest_first_to_wrap(const struct grid_manifest *manifest, size_t stream,
                                     const unsigned char *works, unsigned *block);

/* Accesses of a pass that read where the next chunk of a side is. */
unsigned grid_stream_links(const struct grid_stream *stream);

#endif
