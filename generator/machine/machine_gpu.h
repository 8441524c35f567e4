/* What describes a GPU beside its caches (DESIGN.md section 4): how many of what it has, and how addresses
 * spread over its L2. */
#ifndef GENERATOR_MACHINE_MACHINE_GPU_H
#define GENERATOR_MACHINE_MACHINE_GPU_H

#include <stdbool.h>
#include <stdint.h>

enum { GPU_ARCH_BYTES = 16 };

/* 0 for what is not known. */
struct gpu {
    char arch[GPU_ARCH_BYTES]; /* "sm_90", "gfx701"; "" in the description of a CPU */
    unsigned sm;               /* multiprocessors; of AMD's, all compute units: se * sh_per_se * cu_per_sh */
    unsigned se, sh_per_se, cu_per_sh; /* shader engines, their arrays, compute units of one: AMD's only */
    unsigned wave;                     /* threads that go in step */
    unsigned block_threads;            /* that a block can have */
    unsigned l2_channels;
    unsigned sides;      /* parts of L2, each near to a part of the multiprocessors: 1 or more */
    uint64_t side_bytes; /* of consecutive addresses that are on one side; 0: those of a page */
    uint64_t interleave; /* bytes that one channel has before the next one's */
    uint64_t shared;     /* bytes of shared memory that a block can have without asking for more */
    uint64_t memory;     /* bytes */
};

#endif
