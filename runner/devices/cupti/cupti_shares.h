/* Shares of a program's loads by the level that served them, from NVIDIA's counters. Caches count sectors of
 * 32 bytes and shared memory counts warps' instructions, but a recipe promises shares of loads. The number of
 * loads per sector at each level comes from the manifest's "accesses" and "transfers", which the generator
 * knows exactly. */
#ifndef RUNNER_DEVICES_CUPTI_CUPTI_SHARES_H
#define RUNNER_DEVICES_CUPTI_CUPTI_SHARES_H

#include "runner/sources/events/event_table.h"

#include <jansson.h>

enum { CUPTI_SHARES = 8 };

struct cupti_shares {
    const char *metrics[CUPTI_SHARES]; /* "served.L1"; static text, or owned by the table */
    double values[CUPTI_SHARES];       /* NAN: nothing to divide by */
    size_t count;
    double loads; /* warps' load instructions on which the shares are based */
};

/* Evaluates the table's metrics over counts [table->event_count]. The same table gives the same metrics. */
void cupti_shares_make(const struct event_table *table, const double *counts, const json_t *manifest,
                       struct cupti_shares *shares);

#endif
