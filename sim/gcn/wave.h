/* The executor of GCN machine code: a ROCm code object's kernel, launched over the compute units of a
 * described machine, wave by wave. Nothing of the generator's plan is used: what it tells comes from the
 * bytes. HW_ID is what the hardware would give each wave, and every access goes through L1, L2 and its
 * channels. GFX6 to GFX11, the operations that isa/gcn/rows.h lists; anything else ends the run with word and
 * offset. Code is not trusted: memory is checked, and instructions are counted against a limit.
 *
 * What it takes for granted. Waves run in turn, each until it has accessed memory, which is done at once; who
 * uses what a load brings without s_waitcnt before it ends the run (waits.h). The dispatcher gives
 * work-groups out round robin over shader engines, then shader arrays, then CUs, as long as waves, VGPRs and
 * LDS have room. L1 serves loads without GLC (gfx940: SC0 or SC1), fills on a miss, and keeps nothing of
 * stores and atomics, which go to L2; SLC and DLC change nothing. L2 allocates for all. A channel is the
 * address divided by the interleaving, modulo channels, and caches an equal part of L2; sectors, where L2 has
 * them, stand for lines. Scalar loads pass by both. Denormal numbers are kept. Reserved bits of HW_ID are
 * ones, so that a program that reads them is seen. On GFX10 and GFX11 a CU of the machine is a work-group
 * processor, as HW_ID1 numbers them: it has one L1, RDNA's L0, and between that and L2 is nothing. */
#ifndef SIM_GCN_WAVE_H
#define SIM_GCN_WAVE_H

#include "base/error.h"
#include "generator/machine/machine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WAVE_LANES = 64, WAVE_MOST_SE = 32, WAVE_MOST_CUS = 1024, WAVE_MOST_CHANNELS = 128 };

/* The chip. */
struct wave_machine {
    unsigned se, sh_per_se, cu_per_sh;
    bool has_channels; /* false: L2 is taken as a whole, as one channel */
    unsigned l2_channels;
    uint64_t interleave;   /* bytes in a row of one channel */
    struct cache l1, l2;   /* L1: of a CU; L2: of all channels */
    unsigned near_engines; /* how many of the first engines have their near channels told, in near */
    bool near[WAVE_MOST_SE][WAVE_MOST_CHANNELS];
};

/* Memory that the kernel may reach at that device address; not owned. */
struct wave_range {
    const char *name; /* for messages: "data" */
    uint64_t address, size;
    unsigned char *bytes;
    bool writable;
    bool counted; /* its accesses are what is observed */
};

enum wave_kind { WAVE_LOAD, WAVE_STORE, WAVE_ATOMIC };
enum wave_level { WAVE_L1, WAVE_L2, WAVE_MEM, WAVE_SHARED, WAVE_LEVELS }; /* SHARED: LDS */

/* Where a wave is. */
struct wave_place {
    unsigned unit; /* number of the CU in all: (se * sh_per_se + sh) * cu_per_sh + cu */
    unsigned se, sh, cu, simd, slot;
};

/* One lane's access. */
struct wave_access {
    enum wave_kind kind;
    enum wave_level level; /* of loads: what served them; else WAVE_L2 */
    uint64_t address;
    unsigned bytes;
    unsigned block, thread; /* who */
    struct wave_place place;
    bool timed; /* within the measured loop */
};
typedef void wave_visitor(const struct wave_access *access, void *context);

struct wave_launch {
    const void *object; /* the code object: ELF */
    size_t object_size;
    const char *kernel;       /* "trauma_kernel" */
    unsigned blocks, threads; /* work-groups, and work-items of each: 1 to 1024 */
    const uint64_t *arguments;
    size_t argument_count;
    const struct wave_range *ranges;
    size_t range_count;
    uint64_t most_instructions; /* of all waves together; 0: 2^32 */
    unsigned bus_bytes;         /* from L2, L1 and LDS to the CU; 0: 64 */
    bool all;                   /* everything is counted: the program has no clocks around its loop */
    wave_visitor *visit;        /* called for every access to a counted range; NULL: none */
    void *context;
};

/* Bits that came over a bus: in the order of transfers of each CU. */
struct wave_bus {
    uint64_t transfers;
    uint64_t bits, ones;        /* of all transfers */
    uint64_t compared, toggles; /* bits of transfers that had one before, and those that changed */
};

/* One wave's share. */
struct wave_report {
    unsigned block, number; /* work-group, and wave in it */
    struct wave_place place;
    uint32_t hw_id;
    unsigned intervals;          /* between its first and second s_memtime, its third and fourth, ... */
    bool worked;                 /* accessed counted memory in the measured loop */
    uint64_t loads[WAVE_LEVELS]; /* lanes' loads in the loop, by what served them */
    uint64_t stores, atomics;
};

/* All numbers are of the measured loop and of counted ranges; of lanes where not said otherwise. The measured
 * loop lies between a wave's last two s_memtime: earlier pairs are of a warm-up. */
struct wave_result {
    struct wave_report *waves; /* in the order of block and number */
    size_t wave_count;
    uint64_t loads[WAVE_LEVELS], stores, atomics;
    uint64_t lines[WAVE_LEVELS];        /* a wave's loads by cache lines */
    uint64_t se_accesses[WAVE_MOST_SE]; /* loads, stores and atomics */
    uint64_t unit_accesses[WAVE_MOST_CUS];
    uint64_t channels[WAVE_MOST_CHANNELS]; /* lines that went to L2, read and written */
    uint64_t near, far;                    /* the same, by the machine's quadrants */
    uint64_t untold;                       /* the same, by engines that have none */
    uint64_t branches, parted;             /* of waves, on EXEC; those that some lanes take and others not */
    struct wave_bus l2_bus;                /* lines from L2 to CUs */
    struct wave_bus l1_bus;                /* all lines loaded, whoever served them */
    struct wave_bus lds_bus;               /* words loaded from LDS */
    uint64_t instructions;                 /* of waves, in the loop */
    uint64_t executed, lane_instructions;  /* in all */
    unsigned target_generation;
    unsigned lanes; /* of a wave */
    bool clocked;   /* some wave has read the clock twice */
};

/* Runs the launch to its end. STATUS_FAILED with the offset in the code where the program does what it must
 * not or what is not known here; STATUS_UNAVAILABLE for a processor after GFX11; STATUS_USAGE for a launch
 * that cannot be. Free the result with wave_result_free in every case. */
enum status wave_run(const struct wave_machine *machine, const struct wave_launch *launch,
                     struct wave_result *result, struct error *error);

/* Takes what a launch of fewer passes counted from what one of more did; executed and lane_instructions stay.
 * Both are of the same work-groups, with `all`. */
void wave_result_subtract(struct wave_result *more, const struct wave_result *fewer);

void wave_result_free(struct wave_result *result);

#endif
