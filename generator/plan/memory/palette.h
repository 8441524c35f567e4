/* Colors: lines that share no set of any cache. */
#ifndef GENERATOR_PLAN_MEMORY_PALETTE_H
#define GENERATOR_PLAN_MEMORY_PALETTE_H

#include "base/arena.h"
#include "base/error.h"
#include "generator/machine/machine.h"

#include <stdbool.h>
#include <stdint.h>

/* Addresses form rows; the row size is the distance after which every cache returns to the same set, or a
 * page if that is less. A color is a line's position in its row: lines of different colors never share a set.
 */
struct palette {
    uint64_t row;            /* bytes */
    uint64_t unit;           /* bytes; the longest line */
    unsigned colors;         /* in a row */
    unsigned open;           /* the number of first colors, over which working sets spread */
    bool by_halves;          /* takes colors half a row apart, then a quarter, and so on */
    bool pages_alternate;    /* lines in separate pages have every other color, not the upper half */
    bool *used;              /* [colors] */
    bool *deep[LEVEL_COUNT]; /* [colors] each: colors of the level's first working set that misses by size.
                                Later ones use only these colors, because the lines of the first evict theirs.
                                NULL: none yet */
};

/* STATUS_RECIPE if the caches leave fewer than two colors. palette->used is from the arena, all free. */
enum status palette_make(const struct machine *machine, struct arena *arena, struct palette *palette,
                         struct error *error);

/* Takes count colors, spacing apart, at the first phase where all are free; false if there is none. */
bool palette_take(struct palette *palette, unsigned count, unsigned spacing, unsigned *colors);

/* Takes the first free colors, at most `most`; returns their number. */
unsigned palette_take_run(struct palette *palette, unsigned most, unsigned *colors);

void palette_give_back(struct palette *palette, unsigned count, const unsigned *colors);

/* Words of that many bytes in the half of a line that loads read; 1 if a word is longer than that half. */
static inline unsigned palette_words(const struct palette *palette, unsigned bytes)
{
    return 2 * bytes > palette->unit ? 1 : (unsigned)(palette->unit / 2 / bytes);
}

/* The number of free colors. */
unsigned palette_left(const struct palette *palette);

/* Returns STATUS_RECIPE: too few colors are left. */
enum status palette_refuse(const struct palette *palette, struct error *error);

#endif
