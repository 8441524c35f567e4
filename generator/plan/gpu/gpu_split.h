/* The array of an NVIDIA multiprocessor that L1 and shared memory share: it is split in steps (CUDA C++
 * Programming Guide, "Shared Memory" of each compute capability). The plan counts on the L1 that is left, and
 * the runner requests that split. */
#ifndef GENERATOR_PLAN_GPU_GPU_SPLIT_H
#define GENERATOR_PLAN_GPU_GPU_SPLIT_H

#include <stdbool.h>
#include <stdint.h>

struct gpu_split {
    uint64_t shared; /* bytes of shared memory of the smallest step that holds the blocks' */
    uint64_t most;   /* of the largest step */
    bool holds;      /* that step holds them all */
};

/* The split for so many blocks that each have block_bytes of shared memory; the largest if none holds all.
 * False: the architecture's shared memory is an array of its own (before 7.0), or is not NVIDIA's. */
bool gpu_split_of(const char *arch, uint64_t block_bytes, unsigned blocks, struct gpu_split *split);

#endif
