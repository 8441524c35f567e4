/* The executor's internal structures: waves, work-groups, prepared instructions. */
#ifndef SIM_GCN_WAVE_STATE_H
#define SIM_GCN_WAVE_STATE_H

#include "isa/gcn/decode/decode.h"
#include "sim/clock_read.h"
#include "sim/device_memory.h"
#include "sim/gcn/kernel_object.h"
#include "sim/gcn/wave_launch.h"

#include <stdbool.h>
#include <stdint.h>

/* Loads in flight: the registers that they fill may not be used before a wait guarantees that the data has
 * arrived. The executor completes accesses at once, so without this check it would accept programs that read
 * other values on hardware. Source: AMD's ISA manuals, "data dependency resolution". Not checked: several
 * loads into one register, changes to the data of a pending store (GFX6), the order of FLAT accesses relative
 * to others, and instructions that need a minimum distance (before DPP and after matrix operations). */

enum { WAVE_UNDERWAY = 64 };

/* A bit per register: scalar registers, VGPRs, AccVGPRs. */
struct wave_registers {
    uint64_t words[10];
};

/* The registers that an instruction uses, and those that it fills when it completes. */
struct wave_uses {
    struct wave_registers touched;
    uint16_t filled; /* the first register, as operands are numbered */
    uint8_t dwords;  /* registers that it fills; 0: none */
    /* The counters that it increments. vs: accesses that return nothing, from GFX10 on; km: scalar loads and
     * messages, from GFX12 on, where lgkm counts LDS accesses only. */
    bool vm, lgkm, vs, km;
    bool unordered; /* a scalar load, which may complete before earlier ones */
};

struct wave_underway {
    uint16_t filled;
    uint8_t dwords;
    bool unordered;
};

struct wave_waits {
    struct wave_registers pending;
    struct wave_underway vm[WAVE_UNDERWAY], lgkm[WAVE_UNDERWAY], km[WAVE_UNDERWAY]; /* the oldest first */
    unsigned vm_count, lgkm_count, km_count, vs_count;
};

/* Determines what an instruction uses; lanes: per wave. */
void wave_uses_of(const struct gcn_instruction *in, unsigned generation, unsigned lanes,
                  struct wave_uses *uses);

/* A register, numbered as operands are, that the instruction uses while a load into it is in flight; -1:
 * none. */
int wave_waits_missing(const struct wave_waits *waits, const struct wave_uses *uses);

/* Records the instruction as in flight. The counters have no more than WAVE_UNDERWAY, so earlier ones have
 * completed. */
void wave_waits_issue(struct wave_waits *waits, const struct wave_uses *uses);

/* Waits until at most this many accesses of each counter are in flight; UINT_MAX: any number. */
void wave_waits_until(struct wave_waits *waits, unsigned vm, unsigned lgkm, unsigned km);

/* The number of loads, stores and messages in flight. */
unsigned wave_waits_underway(const struct wave_waits *waits);

/* True while a scalar load or a message with a result is in flight. */
bool wave_waits_answer(const struct wave_waits *waits);

/* Like wave_waits_until, for accesses that return nothing, from GFX10 on. */
static inline void wave_waits_until_stored(struct wave_waits *waits, unsigned vs)
{
    waits->vs_count = waits->vs_count < vs ? waits->vs_count : vs;
}

/* The counts in s_waitcnt's simm16. */
unsigned wave_vmcnt(unsigned generation, int32_t number);
unsigned wave_lgkmcnt(unsigned generation, int32_t number);

struct wave_core;
struct wave;

/* A work-group on a CU. */
struct wave_group {
    unsigned block;
    unsigned unit, slot;    /* its CU, and its number there */
    unsigned live, waiting; /* unfinished waves, and those at a barrier */
    unsigned char *lds;
    struct shared_races *races; /* of its accesses, by wave, as lanes run in lockstep; NULL: no LDS */
    struct wave *waves;
    unsigned wave_count;
};

/* A branch in the measured loop, until all lanes are enabled again. */
struct wave_fork {
    uint64_t whole, first; /* EXEC before the branch, and after it; whole 0: there is no branch */
    uint64_t other;        /* lanes that have worked under another EXEC since */
};

struct wave {
    struct wave_group *group;
    unsigned number; /* in the group */
    unsigned lanes;  /* 64; from GFX10 on also 32 */
    struct wave_place place;
    struct wave_report *report;
    uint64_t pc, at; /* of the next instruction, and of this one */
    bool scc, done, waiting, timed;
    bool arrived;      /* at a barrier at which it does not wait yet, from GFX12 on */
    unsigned interval; /* when timed: the number of the interval */
    unsigned times;    /* executions of s_memtime so far */
    unsigned barriers; /* since it last read a clock */
    struct clock_reads clocks;
    bool reading; /* its last read of a clock may be under way */
    struct wave_fork fork;
    uint32_t s[GCN_SCALARS];   /* with VCC, M0 and EXEC; NULL is 0 before each instruction */
    uint32_t (*v)[WAVE_LANES]; /* the kernel's VGPRs and AccVGPRs */
    struct wave_waits waits;
    struct bus_turns lines, words; /* loaded from memory and from LDS */
};

struct wave_instruction;
struct wave_matrix;

/* Executes the instruction; false, with the error set, for a fault. */
typedef bool wave_operation(struct wave_core *core, struct wave *wave, const struct wave_instruction *it);

/* Scalar arithmetic: inputs and results. */
struct wave_scalar {
    uint64_t a, b, old; /* old: the destination's previous value */
    int32_t number;     /* simm16 */
    uint64_t d;
    uint64_t exec;
    uint64_t pc; /* of the next instruction */
    bool scc;
    bool keep; /* the destination is not written */
};
typedef void wave_scalar_operation(struct wave_scalar *x);

/* Vector arithmetic over all lanes; 64-bit values in capitals. */
struct wave_vector {
    const uint32_t *a, *b, *c;
    const uint64_t *A, *B, *C;
    uint32_t *d;
    uint64_t *D;
    uint64_t in, out; /* masks of lanes */
    unsigned select;  /* OP_SEL; of the lower halves, if there are halves, as neg */
    unsigned select_high, neg, neg_high;
};
typedef void wave_vector_operation(struct wave_vector *x);

enum wave_atomic {
    ATOMIC_SWAP,
    ATOMIC_CMPSWAP,
    ATOMIC_ADD,
    ATOMIC_SUB,
    ATOMIC_RSUB,
    ATOMIC_SMIN,
    ATOMIC_UMIN,
    ATOMIC_SMAX,
    ATOMIC_UMAX,
    ATOMIC_AND,
    ATOMIC_OR,
    ATOMIC_XOR,
    ATOMIC_INC,
    ATOMIC_DEC,
};

/* The data transfer of a vector memory instruction. */
struct wave_transfer {
    enum lane_kind kind;
    unsigned bytes; /* per lane */
    bool is_signed;
    enum wave_atomic atomic;
};

/* The elements that a DS instruction reads or writes for each lane. */
struct wave_shape {
    unsigned elements, bytes; /* 1 or 2; bytes of each */
    uint32_t offset[2];       /* of each element, in bytes */
    bool is_signed;           /* an element of fewer than 4 bytes is sign-extended */
};

/* A prepared instruction. */
struct wave_instruction {
    struct gcn_instruction in; /* in.length 0: not decoded yet */
    wave_operation *run;
    wave_scalar_operation *scalar;
    wave_vector_operation *vector, *beside; /* beside: the second of two operations */
    struct wave_transfer transfer;
    struct wave_uses uses;
    struct wave_shape shape;
    const struct wave_matrix *matrix; /* of a matrix operation */
    bool yields;                      /* it ends the wave's turn */
    bool branches;                    /* it disables the lanes that do not take a branch (s_and_saveexec) */
    bool sets_exec;                   /* a comparison that changes EXEC */
    bool lanes;                       /* it works on lanes: it is neither scalar nor control */
    uint64_t times;                   /* executions between clock reads */
};

struct wave_service;

/* Intervals between a wave's s_memtime that are counted separately. */
enum { WAVE_INTERVALS = 8 };

struct wave_core {
    const struct wave_chip *chip;
    const struct wave_launch *launch;
    struct wave_kernel kernel;
    struct wave_instruction *code; /* by word of the kernel's image */
    struct device_memory memory;
    struct wave_service *service;
    struct wave_result *result;
    struct wave_result *intervals; /* [WAVE_INTERVALS]: separate counts */
    unsigned interval_count;
    struct error *error;
    uint64_t left; /* instructions until the limit */
};

static inline uint64_t wave_pair(const struct wave *wave, unsigned number)
{
    if (number == GCN_NULL)
        return 0;
    return wave->s[number] | (uint64_t)wave->s[number + 1] << 32;
}

static inline void wave_set_pair(struct wave *wave, unsigned number, uint64_t value)
{
    if (number == GCN_NULL)
        return;
    wave->s[number] = (uint32_t)value;
    wave->s[number + 1] = (uint32_t)(value >> 32);
}

/* A mask of the wave's lanes; one register if there are 32. */
static inline uint64_t wave_mask(const struct wave *wave, unsigned number)
{
    return wave->lanes == WAVE_LANES ? wave_pair(wave, number) : wave->s[number];
}

static inline void wave_set_mask(struct wave *wave, unsigned number, uint64_t value)
{
    if (wave->lanes == WAVE_LANES)
        wave_set_pair(wave, number, value);
    else
        wave->s[number] = (uint32_t)value;
}

static inline uint64_t wave_exec(const struct wave *wave)
{
    return wave_mask(wave, GCN_EXEC);
}

/* A scalar operand's value: a register, a constant or the literal. The 64-bit version reads floating-point
 * constants as doubles. */
uint32_t wave_read(const struct wave *wave, const struct gcn_instruction *in, unsigned code);
uint64_t wave_read_pair(const struct wave *wave, const struct gcn_instruction *in, unsigned code,
                        char letter);

/* Clears the report's counts. */
void wave_forget(struct wave_report *report);

/* Sets the error to the message with the instruction's code offset; returns false. */
__attribute__((format(printf, 3, 4))) bool wave_fault(struct wave_core *core, const struct wave *wave,
                                                      const char *format, ...);

/* Binds the decoded instruction to the function that executes it; STATUS_FAILED if there is none. */
enum status wave_bind(const struct wave_core *core, struct wave_instruction *it, uint64_t offset,
                      struct error *error);

/* The tables that wave_bind searches, by name; a row with operands applies to those alone. */
struct wave_scalar_row {
    const char *name;
    wave_scalar_operation *run;
};
struct wave_vector_row {
    const char *name;
    const char *operands; /* NULL: any */
    wave_vector_operation *run;
};
struct wave_row {
    const char *name;
    wave_operation *run;
};

/* A DS row, and the elements that it reads or writes for each lane. */
struct wave_lds_row {
    const char *name;
    wave_operation *run;
    unsigned bytes; /* of an element; 0: as wide as its register */
    bool is_signed; /* sign-extended */
    unsigned apart; /* two elements: the unit of their offsets, in elements; 0: one, its offset in bytes */
};
extern const struct wave_scalar_row wave_scalar_rows[];
extern const struct wave_scalar_row wave_branch_rows[]; /* disable the lanes that do not take a branch */
extern const struct wave_vector_row wave_integer_rows[], wave_long_rows[], wave_float_rows[],
    wave_compare_rows[], wave_half_rows[];
extern const struct wave_vector_row wave_compare_exec_rows[]; /* comparisons that change EXEC, too */
extern const struct wave_row wave_control_rows[], wave_lane_rows[];
extern const struct wave_lds_row wave_lds_rows[];

wave_operation wave_do_matrix;
wave_operation wave_do_scalar, wave_do_vector, wave_do_pair, wave_do_scalar_load, wave_do_memory;

/* The shape of a processor's matrix operation; NULL if it is not one, or not supported. */
const struct wave_matrix *wave_matrix_of(const struct gcn_row *row, const char *processor);

/* Finds the transfer of a FLAT, GLOBAL or MUBUF row; false if it has none. */
bool wave_transfer_of(const struct gcn_row *row, struct wave_transfer *transfer);

/* The instruction's elements according to its DS row. */
struct wave_shape wave_shape_of(const struct gcn_instruction *in, const struct wave_lds_row *row);

/* The new value of memory that holds `old`; a compare-and-swap compares with `compare`. */
uint64_t wave_atomic_value(enum wave_atomic atomic, unsigned bytes, uint64_t old, uint64_t operand,
                           uint64_t compare);

#endif
