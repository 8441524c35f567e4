/* Rotating working sets ("rings") for stores, walks, and accesses served by a level deeper than L2. Every
 * pass reads the next lines of a ring, which is larger than the caches that must miss and smaller than the
 * one that must serve (Kestor et al. 2013, section IV). Rings share no set of any cache, because each has its
 * own positions within every row of addresses; within a page these are the same for virtual and physical
 * addresses. */
#ifndef GENERATOR_PLAN_MEMORY_ROTATING_LAYOUT_H
#define GENERATOR_PLAN_MEMORY_ROTATING_LAYOUT_H

#include "base/arena.h"
#include "base/error.h"
#include "base/random.h"
#include "generator/machine/machine.h"
#include "generator/plan/memory/rotating_set.h"

#include <stdbool.h>
#include <stdint.h>

/* An access that a ring serves only in some passes of a period: from <= pass < until. */
struct ring_extra {
    unsigned from, until;
};

/* Requirements for one ring. */
struct ring_request {
    enum memory_level level; /* that serves it, or LEVEL_PAGE; with a working_set: any */
    unsigned lines;          /* read in every pass */
    const struct ring_extra *extras;
    unsigned extra_count;
    bool in_order;        /* ascending addresses, for prefetchers to follow */
    uint64_t stride;      /* bytes from one line to the next; 0: free */
    uint64_t working_set; /* bytes to walk through, whichever level serves them; 0: chosen by level */
    bool copies;          /* it stores loaded data: separate from the ring that the data comes from */
};

/* A ring's lines: the rotation's position + offsets[i]. */
struct ring {
    struct rotation at;
    uint32_t *offsets; /* [lines + extra_count], in order of use */
    uint64_t lines;    /* of the whole ring */
    uint64_t bytes;   /* from the rotation's start to the end of its last line; 0: follows from the offsets */
    bool by_capacity; /* whether its lines miss or stay depends on their number, not on shared sets */
};

struct rings_request {
    const struct machine *machine;
    const struct ring_request *rings;
    unsigned ring_count;
    unsigned period;
    unsigned copies;    /* of the program that run simultaneously, on cores that may share a level; 0: one */
    unsigned accesses;  /* per pass, including L1D hits */
    unsigned hot_words; /* 8-byte words that always hit L1D */
    unsigned hot_apart; /* words that always hit, each in its own line */
    double depth;       /* requested lines in a set that must miss, in multiples of that cache's ways */
    bool depth_told;    /* use exactly this depth, even if a cache would hold the lines */
    bool by_conflict;   /* every cache's index is known: conflicts in sets may replace size */
};

struct rings_layout {
    struct ring *rings; /* [ring_count] */
    uint64_t *hot;      /* [hot_words + hot_apart]: bytes from the start of the data */
    unsigned hot_room;  /* after a refusal for lack of room: hot_words that would have fitted */
    uint64_t state;     /* 64 bytes reserved for state */
    uint64_t huge_from; /* data before this needs 4 KiB pages */
    uint64_t bytes, align;
    uint64_t steps; /* of the search, even after a refusal */
};

/* Rings for huge pages begin at a multiple of this. */
enum { RINGS_HUGE_BYTES = 2 << 20 };

/* Steps after which a search stops (about two seconds); counted in steps, not seconds, so that plans are the
 * same on every host. */
#define RINGS_MOST_STEPS (UINT64_C(1) << 30)

/* Places the rings. STATUS_RECIPE with the reason if a ring cannot miss or be held where required. The arrays
 * are from the arena. */
enum status rings_place(const struct rings_request *request, struct random *random, struct arena *arena,
                        struct rings_layout *layout, struct error *error);

#endif
