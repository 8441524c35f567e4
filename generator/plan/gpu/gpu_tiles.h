/* The words in the registers of both factors of matrix operations (mma{}) with data. They change as the
 * recipe's pattern states from each operation to the next, and to the second, third and fourth after it, and
 * their products add up to 0.
 *
 * Groups of warps (wgmma{}) have their factors in shared memory: rows of the first, then columns of the
 * second, all of 32 bytes. Every 16 bytes of the first factor are its two words twice, and of the second its
 * four words, so that the rates of the words are those of all bytes. Without data there is one set of
 * factors, whose words differ between threads. */
#ifndef GENERATOR_PLAN_GPU_GPU_TILES_H
#define GENERATOR_PLAN_GPU_GPU_TILES_H

#include "base/arena.h"
#include "base/error.h"
#include "base/random.h"
#include "generator/kernel/kernel.h"
#include "generator/machine/machine.h"
#include "isa/template.h"

#include <stdbool.h>
#include <stdint.h>

enum { GPU_TILE_SETS = 16, GPU_TILE_WORDS = 6 };

/* Groups of warps: their threads, columns of the second factor (twice a thread's registers of the sum), bytes
 * of the first and of both factors, and the sets of factors that shared memory holds. */
enum {
    GPU_GROUP_THREADS = 128,
    GPU_GROUP_COLUMNS = 128,
    GPU_GROUP_FIRST = 64 * 32,
    GPU_GROUP_BYTES = GPU_GROUP_FIRST + GPU_GROUP_COLUMNS * 32,
    GPU_GROUP_SETS = 8
};

/* All threads hold the same words; operation i of a pass uses those of set gpu_tiles_set(i). */
struct gpu_tiles {
    uint32_t words[GPU_TILE_SETS][GPU_TILE_WORDS]; /* of the first factor, then of the second */
    unsigned sets;                                 /* 0: no operation has data */
    unsigned first, second;                        /* registers of a thread for its part of each factor */
    bool group;      /* the operations are of groups of warps, with or without data */
    uint64_t offset; /* of the factors in a block's shared memory */
    const unsigned char
        *turns;          /* [operations of a pass]: the set of each operation; NULL: the sets in turn */
    double toggle, ones; /* share of the registers' bits that change from one operation to the next,
                            cyclically; share of ones */
    double dealt; /* of the shares of changes from an operation to the second, third and fourth after it, the
                     farthest from toggle */
};

static inline unsigned gpu_tiles_set(const struct gpu_tiles *tiles, unsigned number)
{
    return tiles->turns != NULL ? tiles->turns[number] : tiles->sets <= 1 ? 0 : number % tiles->sets;
}

/* The kernel's first product of groups of warps; NULL: it has none. */
const struct behaviour *gpu_tiles_group(const struct kernel *kernel, const struct template *templates);

/* Sets of factors that shared memory holds, and their bytes. */
static inline unsigned gpu_tiles_places(const struct gpu_tiles *tiles)
{
    return !tiles->group ? 0 : tiles->sets == 0 ? 1 : tiles->sets;
}

static inline uint64_t gpu_tiles_bytes(const struct gpu_tiles *tiles)
{
    return (uint64_t)gpu_tiles_places(tiles) * GPU_GROUP_BYTES;
}

/* Fills *tiles, with its turns from the arena, for the kernel's operation with data, which occurs `units`
 * times its count in a pass; `sets` stays 0 without one. STATUS_RECIPE, with the nearest value that works,
 * for words that are not finite and normal numbers of the operation, for a share that cannot be reached, or
 * for a kernel whose other behaviours would change the rate. */
enum status gpu_tiles_make(const struct kernel *kernel, const struct machine *machine,
                           const struct template *templates, unsigned units, struct random *random,
                           struct arena *arena, struct gpu_tiles *tiles, struct error *error);

#endif
