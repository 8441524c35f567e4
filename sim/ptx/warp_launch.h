/* Launches a PTX program on the simulated chip. */
#ifndef SIM_PTX_WARP_LAUNCH_H
#define SIM_PTX_WARP_LAUNCH_H

#include "generator/kernel/kernel.h"
#include "sim/bus.h"
#include "sim/demand_memory.h"
#include "sim/device_memory.h"
#include "sim/lane_access.h"
#include "sim/ptx/ptx_code.h"
#include "sim/ptx/warp_chip.h"
#include "sim/ptx/warp_service.h"

/* All numbers cover the timed passes and accesses to regions. */
struct warp_result {
    uint64_t loads[GPU_LEVELS], stores, atomics; /* of lanes */
    uint64_t sectors[GPU_LEVELS], stored[GPU_LEVELS];
    uint64_t
        copied[GPU_LEVELS];    /* loads, if a side of L2 keeps what its multiprocessors read from the other */
    uint64_t near, far;        /* sectors past L1, by the home of their address */
    uint64_t branches, parted; /* warps' branches within the loop; those whose lanes part */
    uint64_t *sm_accesses;     /* [sms]: of lanes */
    struct bus_count bus[BUS_ORDERS]; /* data of regions that state a bus; BUS_ADDRESS: none */
    struct bus_count
        operands[BUS_TURNS];              /* registers of both factors of matrix operations: each lane's from
                                             one to the warp's next; of groups of warps, shared memory's bytes */
    uint64_t least_factors, most_factors; /* bytes of shared memory that both factors of a product take, */
    uint64_t all_factors;  /* and those of all products of a block, of the block with the fewest */
    uint64_t instructions; /* of warps, in the timed passes */
    uint64_t executed;     /* of the whole launch */
    uint64_t working;      /* warps that began a pass */
    uint64_t least_passes, most_passes; /* of these warps */
    uint64_t carried; /* asynchronous copies of warps that were under way at a barrier or at their end */
    int carried_line; /* of the text: where that was first */
    const struct ptx_instruction
        *left_out; /* of the loop's units, no branch, that some threads' predicate leaves out; NULL: none */
};

void warp_result_free(struct warp_result *result);

struct warp_launch {
    const struct ptx_program *program;
    unsigned blocks, threads;
    const unsigned char *chosen; /* [blocks]: those that run; NULL: all */
    const uint64_t *parameters;  /* [program->parameter_count] */
    const struct device_range *ranges;
    struct demand_memory *const *demands; /* [range_count]: that make their bytes; NULL: none */
    size_t range_count;
    const struct lane_region *regions;
    size_t region_count;
    uint64_t warmup;            /* passes of a warp before those that are timed */
    uint64_t most_instructions; /* of all warps */
    bool no_caches;             /* addresses only */
    bool no_copies; /* its data fits each side of L2: whether it keeps copies makes no difference */
    void (*before)(struct warp_service *service, const void *context); /* with empty caches; NULL: nothing */
    const void *before_context;
    bool placed;          /* the program works on some multiprocessors alone */
    bool scout;           /* a block's first warp alone, up to its first pass or barrier */
    unsigned char *works; /* [blocks]: set to 1 where a warp began a pass or waits; NULL: not wanted */
    lane_visitor *visit;  /* NULL: none */
    void *context;
};

/* The multiprocessor of a block. Hardware deals blocks out as it will, so that no number of a block says
 * where it runs: a round of blocks, one for each multiprocessor, comes to them in an order of its own. Those
 * of fewer blocks than multiprocessors are all over the chip; where the program is placed, the
 * first ones have them. Clusters are on neighbours, and multiprocessors that are left over after whole ones
 * have none. */
unsigned warp_launch_sm(const struct warp_chip *chip, const struct warp_launch *launch, unsigned block);

/* Runs the launch. STATUS_FAILED if the program does what no program may: the error's line is the text's.
 * STATUS_UNAVAILABLE for a chip or an instruction limit that does not suffice. Free *result with
 * warp_result_free in every case. */
enum status warp_run(const struct warp_chip *chip, const struct warp_launch *launch,
                     struct warp_result *result, struct error *error);

#endif
