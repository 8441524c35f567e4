/* The words in the registers of both factors of matrix operations (mma{}) that have data: as the recipe's
 * pattern says from one operation to the next, and such that the sum that they add is 0. */
#ifndef GENERATOR_PLAN_GPU_GPU_TILES_H
#define GENERATOR_PLAN_GPU_GPU_TILES_H

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
    unsigned pairs, extra; /* of a toggling share: every second operation uses set 1, or set 2 in `extra` of
                              the `pairs` */
    double toggle, ones;   /* share of the registers' bits that change from one operation to the next, also
                              from a pass's last to the next one's first; and of ones */
};

static inline unsigned gpu_tiles_set(const struct gpu_tiles *tiles, unsigned number)
{
    unsigned long long pair = number / 2;
    if (tiles->pairs == 0)
        return tiles->sets <= 1 ? 0 : number % tiles->sets;
    if (number % 2 == 0)
        return 0;
    return (pair + 1) * tiles->extra / tiles->pairs > pair * tiles->extra / tiles->pairs ? 2 : 1;
}

/* Fills *tiles for the kernel's operation with data, of which a pass has units times its count; sets stays 0
 * without one. STATUS_RECIPE, with the nearest that works, for words that are not finite and normal numbers
 * of the operation, a share that they cannot reach, or a kernel of which the rate would be another. */
enum status gpu_tiles_make(const struct kernel *kernel, const struct machine *machine,
                           const struct template *templates, unsigned units, struct random *random,
                           struct gpu_tiles *tiles, struct error *error);

#endif
