/* The executor of GCN machine code: a ROCm code object's kernel, launched over the compute units of a
 * described machine, wave by wave. It uses nothing of the generator's plan: all that it reports comes from
 * the bytes. HW_ID has the value that the hardware would give each wave. Every access goes through L1, L2 and
 * its channels. It covers GFX6 to GFX11 and the operations in isa/gcn/decode/rows.h; any other ends the run
 * with its word and offset. Code is untrusted: memory accesses are checked and the number of instructions is
 * limited.
 *
 * Assumptions: waves take turns, and each runs up to its next memory access, which completes at once. Using
 * loaded data without s_waitcnt ends the run (waits.h). The dispatcher assigns work-groups round-robin over
 * shader engines, then shader arrays, then CUs, while wave slots, VGPRs and LDS suffice. L1 serves loads
 * without GLC (gfx940: SC0 or SC1), fills on a miss, and does not cache stores and atomics, which go to L2;
 * SLC and DLC have no effect. L2 allocates on every access. A channel is the address divided by the
 * interleaving, modulo the number of channels, and caches an equal part of L2; where L2 has sectors, they
 * replace lines. Scalar loads bypass both. Denormal numbers are kept. Reserved bits of HW_ID are ones, which
 * exposes a program that reads them. On GFX10 and GFX11 a CU of the machine is a work-group processor, as
 * HW_ID1 numbers them: it has one L1 (RDNA's L0), with nothing between that and L2. */
#ifndef SIM_GCN_EXECUTE_H
#define SIM_GCN_EXECUTE_H

#include "base/error.h"
#include "generator/machine/machine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WAVE_LANES = 64, WAVE_MOST_SE = 32, WAVE_MOST_CUS = 1024, WAVE_MOST_CHANNELS = 128 };

/* The chip. */
struct wave_machine {
    unsigned se, sh_per_se, cu_per_sh;
    bool has_channels; /* false: L2 counts as one channel */
    unsigned l2_channels;
    uint64_t interleave;   /* consecutive bytes in one channel */
    struct cache l1, l2;   /* L1: per CU; L2: all channels together */
    unsigned near_engines; /* the first so many engines have their near channels in `near` */
    bool near[WAVE_MOST_SE][WAVE_MOST_CHANNELS];
};

/* Memory that the kernel may reach at that device address; not owned. */
struct wave_range {
    const char *name; /* for messages: "data" */
    uint64_t address, size;
    unsigned char *bytes;
    bool writable;
    bool counted; /* its accesses are observed */
};

enum wave_kind { WAVE_LOAD, WAVE_STORE, WAVE_ATOMIC };
enum wave_level { WAVE_L1, WAVE_L2, WAVE_MEM, WAVE_SHARED, WAVE_LEVELS }; /* SHARED: LDS */

/* Where a wave runs. */
struct wave_place {
    unsigned unit; /* number of the CU on the chip: (se sh_per_se + sh) cu_per_sh + cu */
    unsigned se, sh, cu, simd, slot;
};

/* One lane's access. */
struct wave_access {
    enum wave_kind kind;
    enum wave_level level; /* that served a load; otherwise WAVE_L2 */
    uint64_t address;
    unsigned bytes;
    unsigned block, thread; /* that made it */
    struct wave_place place;
    bool timed; /* within the measured loop */
};
typedef void wave_visitor(const struct wave_access *access, void *context);

struct wave_launch {
    const void *object; /* the code object: ELF */
    size_t object_size;
    const char *kernel;       /* "trauma_kernel" */
    unsigned blocks, threads; /* work-groups, and work-items per group: 1 to 1024 */
    const uint64_t *arguments;
    size_t argument_count;
    const struct wave_range *ranges;
    size_t range_count;
    uint64_t most_instructions; /* limit for all waves together; 0: 2^32 */
    unsigned bus_bytes;         /* from L2, L1 and LDS to the CU; 0: 64 */
    bool all;                   /* count everything: the program has no clock reads around its loop */
    wave_visitor *visit;        /* called for every access to a counted range; NULL: none */
    void *context;
};

/* Bits transferred over a bus, in each CU's order of transfers. */
struct wave_bus {
    uint64_t transfers;
    uint64_t bits, ones;        /* of all transfers */
    uint64_t compared, toggles; /* bits of all transfers after a CU's first, and how many changed */
};

/* One wave's share. */
struct wave_report {
    unsigned block, number; /* work-group, and wave in it */
    struct wave_place place;
    uint32_t hw_id;
    unsigned intervals;          /* from its first to its second s_memtime, its third to its fourth, ... */
    bool worked;                 /* accessed counted memory in the measured loop */
    uint64_t loads[WAVE_LEVELS]; /* lanes' loads in the loop, by level that served them */
    uint64_t stores, atomics;
};

/* All numbers cover the measured loop and counted ranges, and count lanes unless stated otherwise. The
 * measured loop lies between a wave's last two s_memtime; earlier pairs enclose warm-up. */
struct wave_result {
    struct wave_report *waves; /* ordered by block and number */
    size_t wave_count;
    uint64_t loads[WAVE_LEVELS], stores, atomics;
    uint64_t lines[WAVE_LEVELS];        /* cache lines that waves load */
    uint64_t se_accesses[WAVE_MOST_SE]; /* loads, stores and atomics */
    uint64_t unit_accesses[WAVE_MOST_CUS];
    uint64_t channels[WAVE_MOST_CHANNELS]; /* lines that went to L2, read and written */
    uint64_t near, far;                    /* of these lines, by the machine's quadrants */
    uint64_t untold;                       /* of these lines, by engines without quadrants */
    uint64_t branches, parted;             /* waves' branches on EXEC; those where lanes diverge */
    struct wave_bus l2_bus;                /* lines from L2 to CUs */
    struct wave_bus l1_bus;                /* all lines loaded, from whichever level */
    struct wave_bus lds_bus;               /* words loaded from LDS */
    uint64_t instructions;                 /* wave instructions in the loop */
    uint64_t executed, lane_instructions;  /* of the whole run */
    unsigned target_generation;
    unsigned lanes; /* per wave */
    bool clocked;   /* some wave has read the clock twice */
};

/* Runs the launch to its end. STATUS_FAILED with the code offset where the program does something forbidden
 * or unknown here; STATUS_UNAVAILABLE for a processor after GFX11; STATUS_USAGE for an impossible launch.
 * Free the result with wave_result_free in every case. */
enum status wave_run(const struct wave_machine *machine, const struct wave_launch *launch,
                     struct wave_result *result, struct error *error);

/* Subtracts the counts of a launch with fewer passes from those of one with more; executed and
 * lane_instructions stay. Both launches have the same work-groups and `all`. */
void wave_result_subtract(struct wave_result *more, const struct wave_result *fewer);

void wave_result_free(struct wave_result *result);

#endif
