/* The accesses that the manifest of a GPU program states, for comparison with those that the program
 * makes. */
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

/* One stream of accesses; generator/plan/gpu/gpu_plan.h explains its numbers. */
struct grid_stream {
    bool store, chase;          /* store: also an atomic */
    const char *atomic, *scope; /* "add", "gpu"; NULL: it is none */
    bool returns;               /* an atomic that returns the word's old value */
    unsigned together;          /* neighbouring threads that share a word; 0: none do */
    bool shared, others; /* its region is in shared memory, and in that of another block of the cluster */
    const char *cache;   /* the operator; of PTX as in the text, with L1:: */
    unsigned width, per_pass, bus, hop;
    uint64_t bytes, step, lane, block, advance;
    uint64_t dense, apart; /* manifest_read.h */
    bool sided, far;
    bool async; /* copies to a ring of places in shared memory, `copies` per unit (gpu_async.h) */
    bool bulk;  /* of these: the block's first thread copies for all threads */
    bool read;  /* the last copy of each unit is read again */
    unsigned stages, copies;
    uint64_t ring, place; /* start in shared memory; bytes from one place of a thread to its next */
    const struct gpu_rule *rule;
    uint64_t start;  /* of its region, in global or in shared memory */
    uint64_t length; /* of its region, with all bytes that threads reach */
};

struct grid_manifest {
    const struct manifest *stated;
    struct arena arena;
    unsigned blocks, threads;
    unsigned cluster; /* blocks per cluster; 1: no clusters */
    unsigned lanes;   /* of a warp or wave */
    uint64_t warmup, shared_bytes;
    struct gpu_image image;
    struct grid_stream streams[GRID_STREAMS];
    size_t stream_count;
    struct lane_region regions[GRID_STREAMS]; /* of the streams, with the same indices */
    uint64_t accesses, transfers, stored;     /* of one pass of the whole grid */
    bool has_word;
    uint32_t word; /* the word that all stores write */
    bool has_asm;
    bool is_placed; /* blocks on other multiprocessors than the requested ones exit */
};

/* Reads the manifest for warps of that many lanes. The manifest is untrusted and must outlive *manifest.
 * STATUS_FAILED with the error in it. Free with grid_manifest_free in every case. */
enum status grid_manifest_read(const struct manifest *stated, unsigned lanes, struct grid_manifest *manifest,
                               struct error *error);

/* Makes the data as before a launch; replaces *data. STATUS_UNAVAILABLE for too much data. */
enum status grid_manifest_open_data(const struct grid_manifest *manifest, struct demand_memory *data,
                                    struct error *error);
void grid_manifest_free(struct grid_manifest *manifest);

/* STATUS_FAILED if the manifest states another number of working blocks. */
enum status grid_manifest_check_working(const struct grid_manifest *manifest, unsigned working,
                                        struct error *error);

/* The index of the region with the address; -1: none. */
int grid_manifest_region(const struct grid_manifest *manifest, bool shared, uint64_t address);

/* The first stream whose ring in shared memory has the address; -1: none. */
int grid_manifest_ring(const struct grid_manifest *manifest, uint64_t address);

/* The block whose shared memory the block reads in streams of other blocks. */
unsigned grid_manifest_owner(const struct grid_manifest *manifest, unsigned block);

/* Bytes from the block's access to the thread's own. */
uint64_t grid_stream_thread(const struct grid_stream *stream, unsigned thread);

/* The offset of a pass's access with that number, from the pass's start. */
uint64_t grid_stream_row(const struct grid_stream *stream, unsigned number);

/* Sectors of a pass that a block's loads, or its stores, take from its streams in shared memory. */
uint64_t grid_manifest_shared_sectors(const struct grid_manifest *manifest, unsigned sector, bool stores);

/* Where a stream's block begins, from the start of its region. */
uint64_t grid_stream_begin(const struct grid_stream *stream, unsigned block);

/* Passes after which the block has wrapped around the stream's region; 0: it never does. */
uint64_t grid_stream_passes_to_wrap(const struct grid_stream *stream, unsigned block);

/* The fewest such passes of a working block (works: [blocks]), and that block; 0: none wraps. */
uint64_t grid_manifest_first_to_wrap(const struct grid_manifest *manifest, size_t stream,
                                     const unsigned char *works, unsigned *block);

/* Accesses of a pass that read the place of the next chunk on a side. */
unsigned grid_stream_links(const struct grid_stream *stream);

#endif
