/* Colors: lines that share no set of any cache. */
#ifndef GENERATOR_PLAN_PALETTE_H
#define GENERATOR_PLAN_PALETTE_H

#include "base/arena.h"
#include "base/error.h"
#include "generator/machine/machine.h"

#include <stdbool.h>
#include <stdint.h>

/* Addresses in rows of a size at which every cache begins with its sets again, or a page if that is less. A
 * color is a line's place in its row: lines of different colors never share a set. */
struct palette {
    uint64_t row;    /* bytes */
    uint64_t unit;   /* bytes of the longest line */
    unsigned colors; /* in a row */
    unsigned open;   /* the first of them, which rings spread over */
    bool by_halves;  /* colors are taken half a row apart, then a quarter, and so on */
    bool *used;      /* [colors] */
    bool *deep;      /* [colors]: those of the first ring of lines that misses by its size; others that do are
                        pushed out by its lines, and so use no other. NULL: there is no such ring yet */
};

/* STATUS_RECIPE where the caches leave fewer than two. palette->used is from the arena, all free. */
enum status palette_make(const struct machine *machine, struct arena *arena, struct palette *palette,
                         struct error *error);

/* Takes count colors, spacing apart, at the first phase where all are free; false when there is none. */
bool palette_take(struct palette *palette, unsigned count, unsigned spacing, unsigned *colors);

/* The first colors that are free, at most that many; how many there were. */
unsigned palette_take_run(struct palette *palette, unsigned most, unsigned *colors);

void palette_give_back(struct palette *palette, unsigned count, const unsigned *colors);

/* Colors that are free. */
unsigned palette_left(const struct palette *palette);

/* STATUS_RECIPE: too few are left. */
enum status palette_refuse(const struct palette *palette, struct error *error);

#endif
