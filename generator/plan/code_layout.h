/* Where the loop's code goes when the recipe states L1I misses (code{}): the loop is cut into chunks, each on
 * lines of its own, and a pass enters every line once. Chunks that miss share L1I sets with more lines than
 * the ways, a way's span apart; the others lie in sets that hold all they are given. Offsets are bytes from
 * the start of the loop's code, which lies at a multiple of layout.align. */
#ifndef GENERATOR_PLAN_CODE_LAYOUT_H
#define GENERATOR_PLAN_CODE_LAYOUT_H

#include "base/arena.h"
#include "base/error.h"
#include "base/random.h"
#include "generator/machine/machine.h"
#include "generator/plan/code_share.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum code_service {
    CODE_HIT,     /* its lines stay in L1I */
    CODE_MISS,    /* its lines miss L1I and hit L2 in every pass */
    CODE_ROTATES, /* there are copies of it, used in turn: its lines miss when the copy changes */
};

struct code_request {
    const struct cache *l1i;
    const struct cache *l2;
    const unsigned *lines; /* [count]: of each chunk in the order of a pass; the first begins the loop */
    size_t count;
    double miss_rate;     /* misses per line entered */
    double within;        /* how far from it the layout's rate may be */
    bool copies;          /* some chunks have copies, or none has */
    unsigned depth;       /* lines wished for in an L1I set that is to miss */
    const unsigned *data; /* [sets of L2]: lines of data that each has; NULL: none */
    struct random random; /* which chunks miss, and the order in which they lie */
};

struct code_layout {
    enum code_service *services; /* [count] */
    uint64_t *offsets;           /* [count]: of the chunk, of its first copy */
    size_t count;
    struct code_share share;
    unsigned lines;                     /* entered in a pass */
    unsigned copies;                    /* of the chunks that rotate; 0: none does */
    uint64_t step;                      /* bytes from one copy to the next */
    unsigned miss_sets, first_miss_set; /* L1I sets given more lines than ways; the first of them */
    uint64_t bytes;                     /* from the start of the first to the end of the last line */
    uint64_t align;
};

/* Places the chunks. STATUS_RECIPE, with the reason and the nearest rate that can be reached, when the rate
 * cannot be, when the lines that hit do not fit in L1I beside the others, or when those that miss do not stay
 * in L2. The arrays are from the arena. */
enum status code_layout_place(const struct code_request *request, struct arena *arena,
                              struct code_layout *layout, struct error *error);

/* Offset of the chunk in the pass, counted from the start of a period. */
uint64_t code_layout_offset(const struct code_layout *layout, size_t chunk, unsigned pass);

/* Misses per line entered by the cache model, with the policy of L1I, after a warm-up. */
double code_layout_simulate(const struct code_request *request, const struct code_layout *layout);

/* Passes after which the copies are where they were at first; 1 without copies. */
unsigned code_layout_cycle(const struct code_layout *layout);

#endif
