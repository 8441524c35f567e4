/* How many of a loop's code lines miss L1I to reach the recipe's rate: lines that miss in every pass, and a
 * run of chunks with copies, where some or all passes enter a different copy. */
#ifndef GENERATOR_PLAN_CODE_CODE_SHARE_H
#define GENERATOR_PLAN_CODE_CODE_SHARE_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

/* Misses in a period: misses * period + run_lines * moves. */
struct code_share {
    unsigned misses;    /* lines that miss in every pass */
    size_t run;         /* chunks with copies, from the loop's second on; 0: none */
    unsigned run_lines; /* their lines */
    unsigned moves;  /* passes of a period that enter a different copy from the pass before; 0: no copies */
    unsigned period; /* divides 100 */
    double off;      /* distance from the requested rate */
    double cost;     /* the cheapest is tried first */
};

enum { CODE_SHARES = 12 };

/* A requested rate for a loop. */
struct code_rate_request {
    const unsigned *lines; /* [count]: per chunk, in the order of a pass */
    size_t count;
    unsigned ways; /* of L1I */
    double rate;   /* misses per line entered */
    double within; /* tolerated distance from the rate */
    bool copies;   /* whether a run of chunks has copies */
};

/* Lists at most CODE_SHARES suitable shares, the simplest first. *nearest is the possible rate nearest to the
 * requested one. */
size_t code_shares_list(const struct code_rate_request *request, struct code_share shares[CODE_SHARES],
                        double *nearest);

/* Chooses chunks outside the share's run whose lines sum to share->misses: chosen[i] for the i-th of `order`,
 * preferring earlier ones. False if there are no such chunks. */
bool code_share_choose(const unsigned *lines, size_t count, const struct code_share *share,
                       const size_t *order, bool *chosen, struct arena *arena);

#endif
