/* A hand-written pointer chase, to compare generated ones with: one random cycle through all lines of a
 * working set in huge pages, each load waiting for the previous one. */
#ifndef BENCH_CHASE_H
#define BENCH_CHASE_H

#include "base/error.h"

#include <stdint.h>

struct chase_side {
    uint64_t bytes; /* of the working set */
    unsigned line;  /* bytes from node to node */
    int cpu;        /* logical processor */
    uint64_t loads; /* of a run; 0: not known yet */
};

/* A bench_measure: loads per second; the context is the struct chase_side. */
enum status chase_side_measure(void *context, double *rate, struct error *error);

#endif
