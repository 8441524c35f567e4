/* A ring of lines that L1D keeps, each in a page of its own, with more pages than the data TLB has entries:
 * every access hits L1D and misses the TLB. */
#ifndef GENERATOR_PLAN_PAGE_RING_H
#define GENERATOR_PLAN_PAGE_RING_H

#include "base/arena.h"
#include "base/error.h"
#include "generator/plan/palette.h"
#include "generator/plan/rings.h"

struct page_ring_request {
    const struct machine *machine;
    unsigned first_color, colors; /* the run of colors that nothing else uses */
    unsigned lines, extras;       /* of a pass */
    bool own_words;               /* no two accesses of a pass may read the same word */
};

/* Places it from the row on. STATUS_RECIPE with the reason when L1D cannot keep the lines. */
enum status page_ring_place(const struct page_ring_request *request, const struct palette *palette,
                            uint64_t row, struct arena *arena, struct ring *ring, struct error *error);

#endif
