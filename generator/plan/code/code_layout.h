/* Places the loop's code if the recipe states L1I misses (code{}). The loop is cut into chunks on separate
 * lines, and a pass enters every line once. Chunks that miss lie in L1I sets with more lines than ways; the
 * others lie in sets that hold all their lines. Offsets are bytes from the start of the loop's code, which is
 * a multiple of layout.align. */
#ifndef GENERATOR_PLAN_CODE_CODE_LAYOUT_H
#define GENERATOR_PLAN_CODE_CODE_LAYOUT_H

#include "base/arena.h"
#include "base/error.h"
#include "base/random.h"
#include "generator/machine/machine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A way to meet the rate. Misses in a period: misses * period + run_lines * moves. */
struct code_share {
    unsigned misses;    /* lines that miss in every pass */
    size_t run;         /* number of chunks with copies, from the loop's second chunk on; 0: none */
    unsigned run_lines; /* their lines */
    unsigned moves;  /* passes of a period that enter a different copy from the pass before; 0: no copies */
    unsigned period; /* divides 100 */
    double off;      /* distance from the requested rate */
    double cost;     /* the cheapest is tried first */
};

enum { CODE_SHARES = 64, USUAL_SHARES = 12 };

/* A requested rate for a loop. */
struct code_rate_request {
    const unsigned *lines; /* [count]: per chunk, in the order of a pass */
    size_t count;
    unsigned ways;     /* of L1I */
    double rate;       /* misses per line entered */
    double within;     /* tolerated distance from the rate */
    bool copies;       /* a run of chunks has copies */
    size_t most;       /* most shares to list, up to CODE_SHARES */
    const bool *stays; /* [count]: chunks that neither miss nor have copies; NULL: none */
    unsigned entered;  /* lines that a pass enters, without those of twins */
};

enum code_service {
    CODE_HIT,     /* its lines stay in L1I */
    CODE_MISS,    /* its lines miss L1I and hit L2 in every pass */
    CODE_ROTATES, /* has copies that are used in turn: its lines miss when the copy changes */
};

struct code_request {
    const struct cache *l1i;
    const struct cache *l2;
    const unsigned *lines; /* [count]: per chunk, in the order of a pass; the first begins the loop */
    size_t count;
    double miss_rate;     /* misses per line entered */
    double within;        /* tolerated distance from miss_rate */
    bool copies;          /* some chunks have copies; false: none has */
    bool thorough;        /* tries more shares, and more places for copies */
    const bool *stays;    /* [count]: chunks that neither miss nor have copies; NULL: none */
    unsigned unentered;   /* lines of the chunks in `stays` that a pass need not enter: those of twins */
    unsigned depth;       /* requested lines in an L1I set that must miss */
    const unsigned *data; /* [sets of L2]: lines of data in each set; NULL: none */
    struct random random; /* decides which chunks miss, and their order in memory */
};

struct code_layout {
    enum code_service *services; /* [count] */
    uint64_t *offsets;           /* [count]: of the chunk (its first copy) */
    size_t count;
    struct code_share share;
    unsigned lines;                     /* entered in a pass */
    unsigned copies;                    /* of the rotating chunks; 0: none rotate */
    uint64_t step;                      /* bytes from one copy to the next */
    unsigned miss_sets, first_miss_set; /* L1I sets with more lines than ways; the first of them */
    uint64_t bytes;                     /* from the first line's start to the last line's end */
    uint64_t align;
};

/* Places the chunks. STATUS_RECIPE, with the reason and the nearest possible rate, if the rate is impossible,
 * if the lines that hit do not fit in L1I beside the others, or if those that miss do not stay in L2. The
 * arrays are from the arena. */
enum status code_layout_place(const struct code_request *request, struct arena *arena,
                              struct code_layout *layout, struct error *error);

/* Offset of the chunk in the pass (counted from the start of a period). */
uint64_t code_layout_offset(const struct code_layout *layout, size_t chunk, unsigned pass);

/* Misses per line entered, from the cache model with L1I's policy, after a warm-up. */
double code_layout_simulate(const struct code_request *request, const struct code_layout *layout);

/* Passes after which the copies repeat; 1 without copies. */
unsigned code_layout_cycle(const struct code_layout *layout);

#endif
