/* The kernel function's result for one point on a GPU, checked and typed: one unit of the loop that every
 * thread of the grid runs. */
#ifndef GENERATOR_KERNEL_GPU_KERNEL_H
#define GENERATOR_KERNEL_GPU_KERNEL_H

#include "base/arena.h"
#include "base/error.h"
#include "generator/kernel/kernel.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* The level that serves an access. */
enum gpu_level { GPU_SHARED, GPU_L1, GPU_L2, GPU_MEM, GPU_LEVELS };

enum gpu_kind { GPU_LOAD, GPU_STORE, GPU_BRANCH, GPU_ASM, GPU_THROTTLE, GPU_OPERATION };

/* One entry of the unit. */
struct gpu_behaviour {
    enum gpu_kind kind;
    struct behaviour base;     /* op, count, order, address, stride (0: the block's row, or in random order),
                                  working_set, width, data, dependents, chain, text, duty */
    double served[GPU_LEVELS]; /* shares that sum to 1, or to 0 with a working_set */
    bool random;               /* stride = "random" */
    uint64_t lane;             /* bytes from a thread's access to its neighbour's; 0: its width */
    const char *cache;         /* the operator; NULL: the level's default */
    unsigned bus;              /* bytes of a word of the data; 0: not given */
    double divergence;         /* branches: share that diverges within a warp */
};

struct gpu_kernel {
    struct gpu_behaviour *items;
    size_t count;
    unsigned loop_units, loop_instructions; /* the recipe's loop; 0: free */
    unsigned blocks, threads;               /* the recipe's grid; 0: free */
    const json_t *place;                    /* the recipe's place; NULL: anywhere. Owned by the point */
};

const char *gpu_level_name(int level);

/* Reads a point's kernel, loop, grid and place. STATUS_RECIPE with the field, what was found and what was
 * expected. The arena owns everything except place. */
enum status gpu_kernel_read(const json_t *point, struct arena *arena, struct gpu_kernel *kernel,
                            struct error *error);

#endif
