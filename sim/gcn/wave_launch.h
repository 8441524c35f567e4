/* A launch: its kernel, work-groups, arguments and memory. */
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
    const unsigned char *chosen; /* [blocks]: nonzero for those that run, in the same places; NULL: all */
    const uint64_t *arguments;
    size_t argument_count;
    const struct device_range *ranges;
    size_t range_count;
    struct demand_memory *data; /* generates the bytes of the range with the same memory; NULL: none */
    uint64_t most_instructions; /* limit for all waves together; 0: 2^32 */
    unsigned bus_bytes;         /* width of the buses from L2, L1 and LDS to the CU; 0: 64 */
    bool all;                   /* count everything: the program has no clock reads around its loop */
    bool streams_leave;         /* L2 inserts lines marked for early eviction as the next to be evicted */
    lane_visitor *visit; /* called for accesses to LDS and counted ranges, and for other writes; NULL: none */
    void *context;
};

#endif
