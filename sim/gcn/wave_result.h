/* The executor's counts, per wave and for the whole launch. */
#ifndef SIM_GCN_WAVE_RESULT_H
#define SIM_GCN_WAVE_RESULT_H

#include "generator/kernel/kernel.h"
#include "isa/gcn/decode/decode.h"
#include "sim/bus.h"
#include "sim/gcn/chip.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WAVE_LANES = 64 }; /* of the widest wave */

/* Where a wave runs. */
struct wave_place {
    unsigned unit; /* number of the CU on the chip: ((se sh_per_se + sh) cu_per_sh + cu) dies + xcc */
    unsigned xcc, se, sh, cu, simd, slot;
};

/* Counts of one wave. */
struct wave_report {
    unsigned block, number; /* work-group, and wave in it */
    struct wave_place place;
    uint32_t hw_id;
    unsigned intervals;         /* between its first and second s_memtime, its third and fourth, ... */
    bool worked;                /* it accessed counted memory in the measured loop */
    uint64_t loads[GPU_LEVELS]; /* lanes' loads in the loop, by the level that served them */
    uint64_t stores, atomics;
};

/* How often waves executed an operation between clock reads, in warm-up and measurement. */
struct wave_tally {
    char name[GCN_NAME_BYTES]; /* the generation's */
    uint64_t times;
};

/* One instruction of the loop between clock reads, or around it. */
struct wave_loop_step {
    struct gcn_instruction in;
    uint64_t offset; /* of the code, in bytes */
    uint64_t times;  /* executions between clock reads; 0 for the loop's instructions */
};

/* All numbers cover the measured loop and counted ranges, and count lanes unless stated otherwise. The
 * measured loop lies between a wave's last two s_memtime; earlier pairs enclose warm-up. */
struct wave_result {
    struct wave_report *waves; /* ordered by block and number */
    size_t wave_count;
    uint64_t loads[GPU_LEVELS], stores, atomics;
    uint64_t lines[GPU_LEVELS];         /* cache lines loaded, by the level that served them */
    uint64_t stored;                    /* cache lines written */
    uint64_t idle_cycles;               /* of all waves, by s_nop */
    uint64_t se_accesses[WAVE_MOST_SE]; /* loads, stores and atomics */
    uint64_t unit_accesses[WAVE_MOST_CUS];
    uint64_t channels[WAVE_MOST_CHANNELS]; /* lines read from and written to L2, by channel */
    uint64_t near, far;                    /* these lines, by the machine's quadrants */
    uint64_t undetermined;                 /* these lines, accessed by engines without quadrants */
    uint64_t leaving;                      /* lines accessed with the mark for early eviction from L2 */
    uint64_t branches, diverged;           /* waves' branches on EXEC; those at which lanes diverge */
    uint64_t halved;                  /* of the latter: those at which each lane works on exactly one side */
    struct bus_count bus[BUS_ORDERS]; /* lines loaded from any level, and words from LDS, each on its own bus;
                                         BUS_CHANNEL: lines that L2 sends; BUS_ADDRESS: none */
    uint64_t instructions;            /* wave instructions in the loop */
    uint64_t executed, lane_instructions; /* of the whole run */
    unsigned target_generation;
    unsigned lanes; /* per wave */
    bool clocked;   /* some wave has read the clock twice */
    struct wave_tally *tally;
    size_t tally_count;
    struct wave_loop_step *loop; /* from the target of the branch back to that branch, in the code's order */
    size_t loop_count;           /* 0: there is no branch back */
    struct wave_loop_step *around; /* executed between clock reads outside the loop, in the code's order */
    size_t around_count;
};

/* Subtracts the counts of a launch with fewer passes from those of one with more; executed and
 * lane_instructions stay. Both launches have the same work-groups and `all`. */
void wave_result_subtract(struct wave_result *more, const struct wave_result *fewer);

void wave_result_free(struct wave_result *result);

#endif
