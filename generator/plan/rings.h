/* Working sets: where accesses go that a level deeper than L2 serves, that store, or that walk. Every pass
 * reads the next lines of a ring of lines, which is larger than the caches that shall miss and smaller than
 * the one that shall serve (Kestor et al. 2013, section IV). Rings share no set of any cache, because each
 * has places of its own within every row of addresses: inside a page these are the same for virtual and for
 * physical addresses. */
#ifndef GENERATOR_PLAN_RINGS_H
#define GENERATOR_PLAN_RINGS_H

#include "base/arena.h"
#include "base/error.h"
#include "base/random.h"
#include "generator/machine/machine.h"
#include "generator/plan/rotation.h"

#include <stdbool.h>
#include <stdint.h>

/* An access that a ring serves in some passes of a period only: from <= pass < until. */
struct ring_extra {
    unsigned from, until;
};

/* What one ring is wanted for. */
struct ring_request {
    enum memory_level level; /* that serves it, or LEVEL_PAGE; any with a working set */
    unsigned lines;          /* read in every pass */
    const struct ring_extra *extras;
    unsigned extra_count;
    bool in_order;        /* addresses rise from access to access, for prefetchers to follow */
    uint64_t stride;      /* bytes from one line to the next; 0: free */
    uint64_t working_set; /* bytes to walk through, whatever serves them; 0: by the level */
    bool copies;          /* it gets what was loaded: a ring apart from what it is loaded from */
};

/* A ring's lines: the rotation's position + offsets[i]. */
struct ring {
    struct rotation at;
    uint32_t *offsets; /* [lines + extra_count], in the order of use */
    uint64_t lines;    /* of the whole ring */
    uint64_t bytes;    /* from the rotation's start to behind its last line; 0: as the offsets say */
    bool by_capacity;  /* its lines miss and stay by their number alone, not by the sets that they share */
};

struct rings_request {
    const struct machine *machine;
    const struct ring_request *rings;
    unsigned ring_count;
    unsigned period;
    unsigned copies;    /* of the program that run at once, on cores that may share a level; 0: one */
    unsigned accesses;  /* of a pass, those that hit L1D too */
    unsigned hot_words; /* 8-byte words that always hit L1D */
    unsigned hot_apart; /* words that always hit, in lines of their own */
    double depth;       /* lines wished for in a set that shall miss, in ways of that cache */
    bool depth_told;    /* so many, even where a cache would hold them, and never fewer */
    bool by_conflict;   /* the index of every cache is known: sets may do what size does elsewhere */
};

struct rings_layout {
    struct ring *rings; /* [ring_count] */
    uint64_t *hot;      /* [hot_words + hot_apart]: bytes from the start of the data */
    unsigned hot_room;  /* after a refusal for want of it: hot_words that would have found room */
    uint64_t state;     /* 64 bytes that nothing else uses */
    uint64_t huge_from; /* what stands before it needs pages of 4 KiB */
    uint64_t bytes, align;
    uint64_t steps; /* of the search, also after a refusal */
};

/* Rings that are wanted in huge pages begin at a multiple of this. */
enum { RINGS_HUGE_BYTES = 2 << 20 };

/* Steps after which a search is given up, some two seconds: a number of steps and not of seconds, so that
 * what is planned on one machine is planned on every other. */
#define RINGS_MOST_STEPS (UINT64_C(1) << 30)

/* Places them. STATUS_RECIPE with the reason when a ring cannot miss where it shall, or not be held. The
 * arrays are from the arena. */
enum status rings_place(const struct rings_request *request, struct random *random, struct arena *arena,
                        struct rings_layout *layout, struct error *error);

#endif
