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
    uint64_t copied[GPU_LEVELS]; /* loads' sectors, if each side of L2 also caches the other side's lines */
    uint64_t near, far;          /* sectors that missed L1, by the home side of their address */
    uint64_t branches, diverged; /* warps' branches within the loop; those at which lanes diverge */
    uint64_t *sm_accesses;       /* [sms]: of lanes */
    struct bus_count bus[BUS_ORDERS];     /* data of regions that state a bus; BUS_ADDRESS: none */
    struct bus_count operands[BUS_TURNS]; /* factors of matrix operations, per warp: registers lane by lane;
                                             of groups of warps: bytes of shared memory */
    uint64_t least_factors, most_factors; /* bytes of shared memory that a product's factors occupy, */
    uint64_t all_factors; /* and that those of all products of a block occupy, in the block with the fewest */
    uint64_t instructions;              /* of warps, in the timed passes */
    uint64_t executed;                  /* of the whole launch */
    uint64_t working;                   /* warps that began a pass */
    uint64_t least_passes, most_passes; /* of these warps */
    uint64_t unfinished; /* asynchronous copies under way at a barrier outside the loop or at a warp's end */
    int unfinished_line; /* of the text: the first such place */
    const struct ptx_instruction *predicated_off; /* an instruction of the loop's units, not a branch, whose
                                                     predicate is false in some threads; NULL: none */
};

void warp_result_free(struct warp_result *result);

struct warp_launch {
    const struct ptx_program *program;
    unsigned blocks, threads;
    const unsigned char *chosen; /* [blocks]: nonzero for those that run; NULL: all */
    const uint64_t *parameters;  /* [program->parameter_count] */
    const struct device_range *ranges;
    struct demand_memory *const *demands; /* [range_count]: generators of the ranges' bytes; NULL: none */
    size_t range_count;
    const struct lane_region *regions;
    size_t region_count;
    uint64_t warmup;            /* passes of a warp before those that are timed */
    uint64_t most_instructions; /* of all warps */
    bool no_caches;             /* addresses only */
    bool no_copies; /* the data fits each side of L2, so that copies on the other side make no difference */
    void (*before)(struct warp_service *service,
                   const void *context); /* called with empty caches; NULL: none */
    const void *before_context;
    bool placed;          /* the program works on some multiprocessors only */
    bool scout;           /* runs only each block's first warp, up to its first pass or barrier */
    unsigned char *works; /* [blocks]: set to 1 if a warp began a pass or waits; NULL: not requested */
    lane_visitor *visit;  /* NULL: none */
    void *context;
};

/* The multiprocessor of a block. Hardware does not define it, so programs must not derive it from the block's
 * number: each round of blocks, one per multiprocessor, is assigned in a different scattered order. A last
 * round with fewer blocks is scattered over the whole chip; if the program is placed, over the first
 * multiprocessors. A cluster's blocks are on neighbours; multiprocessors that do not make up a whole cluster
 * have none. */
unsigned warp_launch_sm(const struct warp_chip *chip, const struct warp_launch *launch, unsigned block);

/* Runs the launch. STATUS_FAILED for a fault of the program, with the line of the text; STATUS_UNAVAILABLE
 * for what the executor does not support, and at the instruction limit. Free *result with warp_result_free in
 * every case. */
enum status warp_run(const struct warp_chip *chip, const struct warp_launch *launch,
                     struct warp_result *result, struct error *error);

#endif
