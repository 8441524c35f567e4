/* The words in the registers of both factors of matrix operations (mma{}) that have data: as the recipe's
 * pattern says from one operation to the next, and to the second, third and fourth after it, and such that
 * the sum that they add is 0. */
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

/* All threads hold the same words; operation i of a pass uses those of set gpu_tiles_set(i). */
struct gpu_tiles {
    uint32_t words[GPU_TILE_SETS][GPU_TILE_WORDS]; /* of the first factor, then of the second */
    unsigned sets;                                 /* 0: no operation has data */
    unsigned first, second;                        /* registers of a thread's part of each factor */
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

/* Fills *tiles, with its turns from the arena, for the kernel's operation with data, of which a pass has
 * units times its count; sets stays 0 without one. STATUS_RECIPE, with the nearest that works, for words that
 * are not finite and normal numbers of the operation, a share that they cannot reach, or a kernel of which
 * the rate would be another. */
enum status gpu_tiles_make(const struct kernel *kernel, const struct machine *machine,
                           const struct template *templates, unsigned units, struct random *random,
                           struct arena *arena, struct gpu_tiles *tiles, struct error *error);

#endif
