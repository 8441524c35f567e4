/* What the data of a GPU program holds before anything runs, made from the rules of its manifest: any part of
 * it at a time, as it may be larger than this machine's memory. */
#ifndef GENERATOR_PLAN_GPU_IMAGE_H
#define GENERATOR_PLAN_GPU_IMAGE_H

#include "base/arena.h"
#include "base/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum gpu_fill {
    GPU_FILL_ZEROS,
    GPU_FILL_WORDS, /* words over and over */
    GPU_FILL_CHASE, /* each 8-byte word has the address of the next one */
    GPU_FILL_SIDES, /* chunks in two rings, one of each side of L2, and where each multiprocessor begins */
};

/* What was learned of a region's chunks on the device (image_sides.h). */
struct gpu_rings;

/* One region. */
struct gpu_rule {
    uint64_t offset, bytes; /* in the data */
    enum gpu_fill fill;
    /* words */
    const unsigned char *words; /* [word_bytes], little endian */
    size_t word_bytes;
    /* chase: a word at `step * i + r` leads to `step * next(i) + r`, i below `count` */
    uint64_t step, count;
    uint64_t multiplier, increment; /* next(i) = (multiplier * i + increment) mod count */
    bool relative;                  /* to the region's start, wherever the program has it: shared memory */
    /* sides: a table of `sm` times `starts` addresses, of the chunks where the waves of each multiprocessor
     * begin; behind it, from the next whole chunk on, the chunks: `count` of each side in a ring. Of each the
     * first `header` bytes begin with the next one's address, then come the words. Without a header each
     * 8-byte word leads to the same place of the next chunk. */
    uint64_t chunk, header;
    unsigned sm, starts;
    bool far;                      /* multiprocessors begin in the ring of the other side than theirs */
    const struct gpu_rings *rings; /* NULL: not learned yet, and nothing is filled in */
};

struct gpu_image {
    uint64_t bytes, align;
    struct gpu_rule *rules; /* [rule_count], by rising offset, apart from each other */
    size_t rule_count;
};

/* The rule as it stands in a manifest. New reference. */
json_t *gpu_rule_to_json(const struct gpu_rule *rule);

/* Reads a manifest's "data" ({"bytes","align","regions": [{"offset","bytes","fill"}]}), which may be
 * anybody's. The arena owns the rules. STATUS_FAILED with what is wrong. */
enum status gpu_image_read(const json_t *data, struct arena *arena, struct gpu_image *image,
                           struct error *error);

/* Writes bytes [from, from + size) of the data, for a device that has it at `address`; zeros between regions
 * and past the end. from and size: multiples of 8. */
void gpu_image_fill(const struct gpu_image *image, uint64_t address, uint64_t from, size_t size,
                    unsigned char *bytes);

#endif
