/* The chip that waves run on: shader engines, arrays, compute units, caches and channels. */
#ifndef SIM_GCN_CHIP_H
#define SIM_GCN_CHIP_H

#include "base/error.h"
#include "generator/machine/machine.h"

#include <stdbool.h>
#include <stdint.h>

enum { WAVE_MOST_SE = 32, WAVE_MOST_CUS = 1024, WAVE_MOST_CHANNELS = 128 };

struct wave_chip {
    unsigned xcc;                      /* dies, each with an L2 of its own */
    unsigned se, sh_per_se, cu_per_sh; /* of a die */
    unsigned off;                      /* disabled compute units per die: the last ones in dispatch order */
    bool has_channels;                 /* false: L2 counts as one channel */
    unsigned l2_channels;
    uint64_t interleave;   /* consecutive bytes in one channel */
    struct cache l1, l2;   /* L1: per CU; L2: of a die, all channels together */
    struct cache l3;       /* of all dies; size 0: none */
    unsigned near_engines; /* the first engines, whose near channels are known; those are in `near` */
    bool near[WAVE_MOST_SE][WAVE_MOST_CHANNELS];
};

/* The number of compute units, including disabled ones; wave_place.unit is below it. */
unsigned wave_chip_units(const struct wave_chip *chip);

/* Fills *chip from the description: caches, engines, channels, and from gpu.quadrants the channels near each
 * shader engine. STATUS_UNAVAILABLE, naming what the description lacks. */
enum status wave_chip_from(const struct machine *machine, struct wave_chip *chip, struct error *error);

#endif
