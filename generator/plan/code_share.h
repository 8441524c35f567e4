/* How many of a loop's code lines miss L1I, so that the recipe's rate comes out: those that miss in every
 * pass, and a run of chunks that has copies, of which another one is entered in some passes or in all. */
#ifndef GENERATOR_PLAN_CODE_SHARE_H
#define GENERATOR_PLAN_CODE_SHARE_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

/* Misses in a period: misses * period + run_lines * moves. */
struct code_share {
    unsigned misses;    /* lines that miss in every pass */
    size_t run;         /* chunks with copies: the second of the loop and those after it; 0: none */
    unsigned run_lines; /* lines of these */
    unsigned moves;     /* passes of a period that enter another copy than the pass before; 0: no copies */
    unsigned period;    /* divides 100 */
    double off;         /* distance from the rate asked for */
    double cost;        /* the cheapest is tried first */
};

enum { CODE_SHARES = 12 };

/* A rate asked of a loop. */
struct code_wish {
    const unsigned *lines; /* [count]: of each chunk, in the order of a pass */
    size_t count;
    unsigned ways; /* of L1I */
    double rate;   /* misses per line entered */
    double within; /* how far from the rate a share may be */
    bool copies;   /* with a run of chunks that have copies, or without */
};

/* Lists the shares that serve, the simple ones first: at most CODE_SHARES. *nearest becomes the rate nearest
 * to the one asked for. */
size_t code_shares_list(const struct code_wish *wish, struct code_share shares[CODE_SHARES], double *nearest);

/* Chooses chunks outside the share's run whose lines sum to share->misses: chosen[i] for the i-th of `order`,
 * earlier ones rather than later ones. False when there are no such chunks. */
bool code_share_choose(const unsigned *lines, size_t count, const struct code_share *share,
                       const size_t *order, bool *chosen, struct arena *arena);

#endif
