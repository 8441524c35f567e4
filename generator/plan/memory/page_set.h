/* A rotating working set whose lines stay in L1D, each in a page of its own. It has more pages than the data
 * TLB has entries, so every access hits L1D and misses the TLB. */
#ifndef GENERATOR_PLAN_MEMORY_PAGE_SET_H
#define GENERATOR_PLAN_MEMORY_PAGE_SET_H

#include "base/arena.h"
#include "base/error.h"
#include "generator/plan/memory/palette.h"
#include "generator/plan/memory/rotating_set.h"

struct page_set_request {
    const struct machine *machine;
    const unsigned *colors; /* [color_count]: reserved for it, ascending */
    unsigned color_count;
    unsigned lines, extras; /* per pass */
    unsigned accesses;      /* per pass, with all others */
    unsigned block;         /* bytes of a word */
    bool own_words;         /* no two accesses of a pass may read the same word */
};

/* Places it, from that row of addresses on. STATUS_RECIPE, with the reason and the nearest rates that work,
 * if L1D cannot hold the lines. */
enum status page_set_place(const struct page_set_request *request, const struct palette *palette,
                           uint64_t row, struct arena *arena, struct rotating_set *set, struct error *error);

#endif
