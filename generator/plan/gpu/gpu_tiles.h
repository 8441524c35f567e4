/* The words in the registers of both factors of matrix operations (mma{}) that have data: as the recipe's
 * pattern says from one operation to the next, and to the second, third and fourth after it, and such that
 * the sum that they add is 0.
 *
 * Groups of warps (wgmma{}) have their factors in shared memory, one after the other: rows of the first,
 * columns of the second, all of 32 bytes. Every 16 bytes of the first are its two words twice, of the second
 * its four words, so that the rates of the words are those of all bytes. Without data there is one set of
 * factors, in which each thread has others. */
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

/* Of groups of warps: threads of one, columns of the second factor, which are the sum's registers of a thread
 * twice, bytes of both factors, and how many sets of them shared memory holds. */
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
    unsigned first, second;                        /* registers of a thread's part of each factor */
    bool group;                                    /* of groups of warps, also without data */
    uint64_t offset;                               /* of their factors in a block's shared memory */
    const unsigned char *turns; /* [operations of a pass]: the set that each uses; NULL: each in turn */
    double toggle, ones; /* share of the registers' bits that change from one operation to the next, also
                            from a pass's last to the next one's first; and of ones */
    double
        dealt; /* of the shares from one to the second, third and fourth after it the farthest from toggle */
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

/* Fills *tiles, with its turns from the arena, for the kernel's operation with data, of which a pass has
 * units times its count; sets stays 0 without one. STATUS_RECIPE, with the nearest that works, for words that
 * are not finite and normal numbers of the operation, a share that they cannot reach, or a kernel of which
 * the rate would be another. */
enum status gpu_tiles_make(const struct kernel *kernel, const struct machine *machine,
                           const struct template *templates, unsigned units, struct random *random,
                           struct arena *arena, struct gpu_tiles *tiles, struct error *error);

#endif
