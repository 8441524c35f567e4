/* The rule by which a region of a GPU program's data is filled. The plan makes it, the manifest keeps it, and
 * the image applies it (gpu_image.h). */
#ifndef GENERATOR_PLAN_GPU_GPU_RULE_H
#define GENERATOR_PLAN_GPU_GPU_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum gpu_fill {
    GPU_FILL_ZEROS,
    GPU_FILL_WORDS, /* words, repeated */
    GPU_FILL_CHASE, /* each 8-byte word holds the address of the next one */
    GPU_FILL_SIDES, /* two cycles of chunks, one per side of L2, and each multiprocessor's starting points */
};

/* The cycles of a region's chunks, learned on the device (gpu_image_sides.h). */
struct gpu_side_cycles;

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
    bool relative;                  /* addresses are relative to the region's start: shared memory */
    /* sides: a table of `sm` times `starts` addresses of the chunks where the waves of each multiprocessor
     * begin; after it, from the next chunk boundary on, the chunks, `count` of each side in a cycle. The
     * data's words continue through the chunks, each of which begins with a header of `header` bytes: the
     * first words, in which the 8 bytes at 0 and at `bus` are combined (exclusive or) with the next chunk's
     * offset in the data. Reading both transfers two words in which only the offset's bits differ, so that
     * the toggle rate is nearly unchanged. Without a header each 8-byte word is the address of the same
     * position in the next chunk. */
    uint64_t chunk, header;
    unsigned bus;
    unsigned sm, starts;
    bool far;                             /* multiprocessors begin in the cycle of the opposite side */
    const struct gpu_side_cycles *cycles; /* NULL: not learned yet; nothing is filled in */
};

/* Writes the word to 8 bytes, little endian. */
static inline void gpu_rule_put(unsigned char *bytes, uint64_t word)
{
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(word >> (8 * i));
}

#endif
