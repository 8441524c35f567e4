/* The description of a GPU apart from its caches (DESIGN.md section 4): the number of its units, and how
 * addresses map to its L2. */
#ifndef GENERATOR_MACHINE_MACHINE_GPU_H
#define GENERATOR_MACHINE_MACHINE_GPU_H

#include <stdbool.h>
#include <stdint.h>

enum { GPU_ARCH_BYTES = 16 };

/* 0 means unknown. */
struct gpu {
    char arch[GPU_ARCH_BYTES]; /* "sm_90", "gfx701"; "" in the description of a CPU */
    unsigned sm;               /* multiprocessors; on AMD, all compute units: se sh_per_se cu_per_sh */
    unsigned se, sh_per_se,
        cu_per_sh;          /* shader engines, arrays per engine, compute units per array: AMD only */
    unsigned wave;          /* threads that run in lockstep */
    unsigned block_threads; /* most per block */
    unsigned l2_channels;
    unsigned sides;      /* parts of L2, each near some of the multiprocessors: 1 or more */
    uint64_t side_bytes; /* bytes of consecutive addresses on one side; 0: a page */
    uint64_t interleave; /* consecutive bytes in one channel */
    uint64_t shared;     /* bytes of shared memory per block by default */
    uint64_t memory;     /* bytes */
};

#endif
