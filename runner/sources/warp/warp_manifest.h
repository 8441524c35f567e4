/* What the manifest of a PTX program says about its accesses, for comparison with what it does. */
#ifndef RUNNER_SOURCES_WARP_WARP_MANIFEST_H
#define RUNNER_SOURCES_WARP_WARP_MANIFEST_H

#include "base/arena.h"
#include "base/error.h"
#include "generator/plan/gpu/gpu_image.h"
#include "generator/suite/manifest_read.h"
#include "sim/ptx/warp_chip.h"
#include "sim/ptx/warp_launch.h"

enum { WARP_STREAMS = 64 };

/* Where the simulated device holds the data and the record. */
#define WARP_DATA_ADDRESS UINT64_C(0x1000000000)
#define WARP_RECORD_ADDRESS UINT64_C(0x8000000000)

/* One stream of accesses (generator/plan/gpu/gpu_plan.h says what its numbers mean). */
struct warp_stream {
    bool store, chase, shared;
    const char *cache; /* as in the text, with L1:: */
    unsigned width, per_pass, bus, hop;
    uint64_t bytes, step, lane, block, advance;
    bool sided, far;
    const struct gpu_rule *rule;
    uint64_t start;  /* of its region, in global or in shared memory */
    uint64_t length; /* of its region with all that threads reach */
};

struct warp_manifest {
    const struct manifest *stated;
    struct arena arena;
    unsigned blocks, threads;
    uint64_t warmup, shared_bytes;
    struct gpu_image image;
    struct warp_stream streams[WARP_STREAMS];
    size_t stream_count;
    struct warp_region regions[WARP_STREAMS]; /* of the streams, likewise numbered */
    uint64_t accesses, transfers, stored;     /* of one pass of the whole grid */
    bool has_word;
    uint32_t word; /* that all stores write */
    bool has_asm;
    bool is_placed; /* blocks on other multiprocessors leave */
};

/* Reads the manifest, which is untrusted and must outlive *manifest. STATUS_FAILED with what is wrong in it.
 * Free with warp_manifest_free, in every case. */
enum status warp_manifest_read(const struct manifest *stated, struct warp_manifest *manifest,
                               struct error *error);
void warp_manifest_free(struct warp_manifest *manifest);

/* Makes the rings of chunks of streams on one side of L2, with the homes of the simulated chip. */
enum status warp_manifest_learn(struct warp_manifest *manifest, const struct warp_chip *chip,
                                struct error *error);

/* Where a stream's block begins, from the start of its region. */
uint64_t warp_stream_begin(const struct warp_stream *stream, unsigned block);

/* Accesses of a pass that read where the next chunk of a side is. */
unsigned warp_stream_links(const struct warp_stream *stream);

#endif
