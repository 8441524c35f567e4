/* The split of the array that an NVIDIA multiprocessor uses for both L1 and shared memory. It has certain
 * steps (CUDA C++ Programming Guide, "Shared Memory" of each compute capability). The plan relies on the L1
 * that is left, and the runner requests that split. */
#ifndef GENERATOR_PLAN_GPU_GPU_SPLIT_H
#define GENERATOR_PLAN_GPU_GPU_SPLIT_H

#include <stdbool.h>
#include <stdint.h>

struct gpu_split {
    uint64_t shared; /* bytes of shared memory in the smallest step that holds the blocks' shared memory */
    uint64_t most;   /* the same in the largest step */
    bool holds;      /* `shared` holds the shared memory of all blocks */
};

/* The split for so many blocks that each have block_bytes of shared memory; the largest if none holds all.
 * False if the architecture has a separate array for shared memory (before 7.0), or is not NVIDIA's. */
bool gpu_split_of(const char *arch, uint64_t block_bytes, unsigned blocks, struct gpu_split *split);

#endif
