/* What the executor of PTX counts: single accesses, and the whole launch. */
#ifndef SIM_PTX_WARP_RESULT_H
#define SIM_PTX_WARP_RESULT_H

#include "generator/kernel/kernel.h"
#include "sim/bus.h"
#include "sim/lane_access.h"
#include "sim/ptx/ptx_code.h"

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

#endif
