/* Rotating working sets for stores, walks, and accesses served by a level deeper than L2. Every
 * pass reads the next lines of its set, which is larger than the caches that must miss and smaller than the
 * one that must serve (Kestor et al. 2013, section IV). Working sets share no set of any cache, because each
 * has its own positions within every row of addresses; within a page these are the same for virtual and
 * physical addresses. */
#ifndef GENERATOR_PLAN_MEMORY_ROTATING_LAYOUT_H
#define GENERATOR_PLAN_MEMORY_ROTATING_LAYOUT_H

#include "base/arena.h"
#include "base/error.h"
#include "base/random.h"
#include "generator/machine/machine.h"
#include "generator/plan/memory/rotating_set.h"

#include <stdbool.h>
#include <stdint.h>

struct rotating_layout_request {
    const struct machine *machine;
    const struct rotating_set_request *sets;
    unsigned set_count;
    unsigned period;
    unsigned copies;    /* of the program that run simultaneously, on cores that may share a level; 0: one */
    unsigned accesses;  /* per pass, including L1D hits */
    unsigned block;     /* bytes of a word of data, which nothing else uses: 8 and up */
    unsigned hot_words; /* words that always hit L1D */
    unsigned hot_apart; /* further words that always hit, each in its own line */
    bool stack;         /* a pass also accesses the first line of the stack's page, which always hits */
    bool own_words;    /* the words that loads read change, so no two loads of a pass may read the same one */
    double depth;      /* requested lines in a set that must miss, in multiples of that cache's ways */
    bool depth_fixed;  /* use exactly this depth, even if a cache would hold the lines */
    bool compact;      /* the lines of a pass are in few pages rather than far apart */
    bool pages_matter; /* the data TLB's miss rate is stated */
    bool pages_fit;    /* prefer few pages to lines that miss under random replacement, too */
    bool pages_near;   /* as in struct capacity_set */
    bool by_conflict;  /* every cache's index is known: lines may miss by conflicts in sets instead of by size
                        */
};

struct rotating_layout {
    struct rotating_set *sets; /* [set_count] */
    uint64_t *hot;             /* [hot_words + hot_apart]: bytes from the start of the data */
    unsigned hot_room;         /* after a refusal for lack of room: hot_words that would have fitted */
    uint64_t state;            /* 64 bytes reserved for state */
    uint64_t huge_from;        /* data before this needs 4 KiB pages */
    uint64_t bytes, align;
    uint64_t apart; /* bytes: with an L3 that replaces at random, lines at multiples of this from the data's
                       start share no set of L3 with lines that it serves; 0: no such distance */
    uint64_t steps; /* of the search, even after a refusal */
};

/* Working sets for huge pages begin at a multiple of this. */
enum { ROTATING_HUGE_BYTES = 2 << 20 };

/* Steps after which a search stops (about two seconds); counted in steps, not seconds, so that plans are the
 * same on every host. */
#define ROTATING_MOST_STEPS (UINT64_C(1) << 30)

/* Places the working sets. STATUS_RECIPE with the reason if a working set cannot miss or be held where
 * required. The arrays are from the arena. */
enum status rotating_layout_place(const struct rotating_layout_request *request, struct random *random,
                                  struct arena *arena, struct rotating_layout *layout, struct error *error);

#endif
