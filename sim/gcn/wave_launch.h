/* A launch: which kernel runs, on how many work-groups, with which arguments and memory. */
#ifndef SIM_GCN_WAVE_LAUNCH_H
#define SIM_GCN_WAVE_LAUNCH_H

#include "sim/demand_memory.h"
#include "sim/device_memory.h"
#include "sim/gcn/wave_result.h"
#include "sim/lane_access.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wave_launch {
    const void *object; /* the code object: ELF */
    size_t object_size;
    const char *kernel;          /* "trauma_kernel" */
    unsigned blocks, threads;    /* work-groups, and work-items per group: 1 to 1024 */
    const unsigned char *chosen; /* [blocks]: those that run, each where it would in the whole; NULL: all */
    const uint64_t *arguments;
    size_t argument_count;
    const struct device_range *ranges;
    size_t range_count;
    struct demand_memory *data; /* makes the bytes of the range that has its bytes; NULL: they are there */
    uint64_t most_instructions; /* limit for all waves together; 0: 2^32 */
    unsigned bus_bytes;         /* from L2, L1 and LDS to the CU; 0: 64 */
    bool all;                   /* count everything: the program has no clock reads around its loop */
    bool streams_leave;         /* lines marked for early eviction enter L2 as the ones that leave first; else
                                   as any others */
    lane_visitor *visit; /* called for every access to LDS or a counted range, and what is written elsewhere;
                            NULL: none */
    void *context;
};

#endif
