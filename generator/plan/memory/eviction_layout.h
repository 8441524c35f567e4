/* Places the misses in eviction sets: groups of lines that share an L1D set and always evict each other,
 * while every line stays in L2 and the line that hits is unaffected (Joseph, Brooks, Martonosi 2001,
 * section 5). */
#ifndef GENERATOR_PLAN_MEMORY_EVICTION_LAYOUT_H
#define GENERATOR_PLAN_MEMORY_EVICTION_LAYOUT_H

#include "base/arena.h"
#include "base/error.h"
#include "generator/machine/machine.h"
#include "generator/plan/memory/reach.h"

#include <stdbool.h>
#include <stdint.h>

/* Lines of one L1D set that a period visits in turn. */
struct eviction_set {
    unsigned l1d_set;
    unsigned lines;  /* distinct lines over the whole period; more than L1D has ways */
    unsigned rounds; /* times that a pass visits its share of the lines */
};

/* One miss of a pass. */
struct miss {
    uint32_t offset; /* bytes from the start of the data (if rotating: from the pass's base) */
    unsigned group;  /* index of its eviction set */
    unsigned line;   /* within the group */
};

struct eviction_layout_request {
    const struct cache *l1;
    const struct cache *l2;
    unsigned tlb_entries; /* data pages that the TLB holds; 0: unknown */
    unsigned misses;      /* in every pass */
    unsigned period;
    bool rotating;          /* every pass of a period has its own lines */
    unsigned sometimes;     /* passes of a period in which one more load misses; 0: no such load */
    unsigned depth;         /* requested lines in a group */
    bool index_known;       /* plain addresses select the sets of L2, as in a simulator */
    struct windows windows; /* for the lines of a pass; bytes 0: no limit */
    bool depth_fixed;       /* a group has at least `depth` lines */
    bool depth_first;       /* prefer the last way of L2 to fewer lines in a group */
};

struct eviction_layout {
    struct miss *misses;       /* [request.misses], in order within a pass */
    struct eviction_set *sets; /* [set_count] */
    unsigned set_count;
    struct miss sometimes; /* the line of the load that misses only in some passes */
    uint64_t step;         /* rotating: bytes from one pass's base to the next's; else 0 */
    unsigned turns;        /* rotating: bases until the first recurs; divides the period; else 1 */
    uint32_t hit_offset;   /* the line of all hits */

    /* A one-set cache has no separate set for the line that hits, so a hit reads the preceding miss's line.
     */
    bool hits_follow_misses;
    uint64_t bytes; /* size of the data */
    uint64_t align; /* alignment of the data's address that the planned sets require */
    unsigned pages; /* 4 KiB pages that a period touches */
};

/* Lines that can map to one L1D set while all stay in L2. */
uint64_t eviction_layout_room(const struct cache *l1, const struct cache *l2);

/* The fewest bases, a divisor of the period, that fill a group of this depth if every pass has its own lines.
 * A load that misses only sometimes, without other misses, needs a base for each pass in which it misses;
 * otherwise it would reuse its line too soon after the period repeats. */
unsigned eviction_layout_turns(unsigned misses, unsigned sometimes, unsigned period, unsigned depth);

/* Places the misses. STATUS_RECIPE, with the reason, if L2 cannot hold lines that conflict in L1D. The arrays
 * are from the arena. */
enum status eviction_layout_place(const struct eviction_layout_request *request, struct arena *arena,
                                  struct eviction_layout *layout, struct error *error);

#endif
