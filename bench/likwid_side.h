/* likwid-bench as one side of a comparison: one of its kernels on the first processor. */
#ifndef BENCH_LIKWID_SIDE_H
#define BENCH_LIKWID_SIDE_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct likwid_side {
    char test[32];       /* "copy_avx512" */
    uint64_t bytes;      /* of all of its streams together */
    uint64_t iterations; /* of a run; 0: not known yet */
};

/* True if likwid-bench is installed. */
bool likwid_is_there(void);

/* Its name for an operation ("load", "store", "copy") on that many bytes at a time. */
void likwid_side_make(const char *operation, unsigned width, uint64_t bytes, struct likwid_side *side);

/* A bench_measure: GB/s; the context is the struct likwid_side. */
enum status likwid_side_measure(void *context, double *rate, struct error *error);

#endif
