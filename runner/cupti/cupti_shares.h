/* Shares of a program's loads by the level that served them, of NVIDIA's counts. Caches count sectors of 32
 * bytes, shared memory warps' instructions, and a recipe promises shares of loads: how many loads a sector is
 * at each level is taken from the manifest's "accesses" and "transfers", which the generator knows exactly.
 */
#ifndef RUNNER_CUPTI_CUPTI_SHARES_H
#define RUNNER_CUPTI_CUPTI_SHARES_H

#include "runner/sources/event_table.h"

#include <jansson.h>

enum { CUPTI_SHARES = 8 };

struct cupti_shares {
    const char *metrics[CUPTI_SHARES]; /* "served.L1"; static text, or the table's */
    double values[CUPTI_SHARES];       /* NAN: nothing to divide by */
    size_t count;
    double loads; /* warps' load instructions that they rest on */
};

/* Evaluates the table's metrics over counts [table->event_count]. The same table gives the same metrics. */
void cupti_shares_make(const struct event_table *table, const double *counts, const json_t *manifest,
                       struct cupti_shares *shares);

#endif
