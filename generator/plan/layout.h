/* Where the misses go: conflict groups of lines that share an L1D set and always push each other out, while
 * every line stays in L2 and the line that hits is never touched by them (Joseph, Brooks, Martonosi 2001,
 * section 5). */
#ifndef GENERATOR_PLAN_LAYOUT_H
#define GENERATOR_PLAN_LAYOUT_H

#include "base/arena.h"
#include "base/error.h"
#include "generator/machine/machine.h"

#include <stdbool.h>
#include <stdint.h>

/* Lines of one L1D set that a period visits in turn. */
struct group {
    unsigned set;
    unsigned lines;  /* distinct lines over the whole period; more than L1D has ways */
    unsigned rounds; /* how often a pass goes through its share of them */
};

/* One miss of a pass. */
struct miss {
    uint32_t offset; /* bytes from the start of the data (of the pass's base when rotating) */
    unsigned group;
    unsigned line; /* within the group */
};

struct layout_request {
    const struct cache *l1;
    const struct cache *l2;
    unsigned tlb_entries; /* data pages that the TLB holds; 0: not known */
    unsigned misses;      /* in every pass */
    unsigned period;
    bool rotating;      /* every pass of a period has lines of its own */
    unsigned sometimes; /* passes of a period in which one more load misses; 0: there is no such load */
    unsigned depth;     /* lines wished for in a group */
    bool index_known;   /* sets of L2 are those of plain addresses, as in a simulator */
    bool depth_first;   /* rather take the last way of L2 than fewer lines in a group */
};

struct layout {
    struct miss *misses; /* [request.misses], in the order in which a pass makes them */
    struct group *groups;
    unsigned group_count;
    struct miss sometimes; /* the line of the load that misses in some passes only */
    uint64_t step;         /* rotating: bytes from one pass's base to the next's; else 0 */
    unsigned turns;        /* rotating: bases after which the first comes again; divides the period; else 1 */
    uint32_t hit_offset;   /* the line of all hits */

    /* A one-set cache has no set apart for the line that hits: there a hit reads the line of the miss before
     * it. */
    bool hits_follow_misses;
    uint64_t bytes; /* size of the data */
    uint64_t align; /* what the data's address must be a multiple of for sets to be as planned */
    unsigned pages; /* 4 KiB pages that a period touches */
};

/* Lines that one set of L1D can be given while they all stay in L2. */
uint64_t layout_room(const struct cache *l1, const struct cache *l2);

/* The fewest bases, a divisor of the period, that fill a group of the depth when every pass has lines of its
 * own. A load that misses only sometimes, with no other misses beside it, needs one for each pass in which it
 * misses: it would meet its own line too soon after the period's wrap. */
unsigned layout_turns(unsigned misses, unsigned sometimes, unsigned period, unsigned depth);

/* Places the misses. STATUS_RECIPE, with the reason, when L2 cannot hold lines that conflict in L1D. The
 * arrays are from the arena. */
enum status layout_place(const struct layout_request *request, struct arena *arena, struct layout *layout,
                         struct error *error);

#endif
