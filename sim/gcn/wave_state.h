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

/* Loads in flight: the registers that they fill may not be used before a wait says that the data has
 * arrived. Accesses complete at once here, so without this check a program could pass that reads other values
 * on hardware. Source: AMD's ISA manuals, "data dependency resolution". Not checked: several loads into one
 * register, changes to the data of a pending store (GFX6), the order of FLAT accesses relative to others,
 * instructions that need distance between them (before DPP and behind matrix operations). */

enum { WAVE_UNDERWAY = 64 };

/* One bit per register: scalar ones, then vector ones, AccVGPRs behind VGPRs. */
struct wave_registers {
    uint64_t words[10];
};

/* What an instruction uses, and what it leaves in flight. */
struct wave_uses {
    struct wave_registers touched;
    uint16_t filled; /* the first register, as operands are numbered */
    uint8_t dwords;  /* 0: none */
    bool vm, lgkm, vs,
        km;         /* the counters that it increments; vs: of accesses that return nothing, from GFX10 on;
                       km: of scalar loads and messages, from GFX12 on: lgkm is that of LDS there */
    bool unordered; /* a scalar load: it may complete before earlier ones */
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

/* A register (numbered as operands are) that the instruction uses while a load still fills it; -1: none. */
int wave_waits_missing(const struct wave_waits *waits, const struct wave_uses *uses);

/* Records the instruction as in flight; all but the last 64 have completed, as the counters go no further. */
void wave_waits_issue(struct wave_waits *waits, const struct wave_uses *uses);

/* Waits until at most this many of each are in flight; UINT_MAX: any number. */
void wave_waits_until(struct wave_waits *waits, unsigned vm, unsigned lgkm, unsigned km);

/* How many loads, stores and messages are in flight. */
unsigned wave_waits_underway(const struct wave_waits *waits);

/* True while what a scalar load or a message returns is under way. */
bool wave_waits_answer(const struct wave_waits *waits);

/* The same as wave_waits_until of accesses that return nothing, from GFX10 on. */
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
    struct shared_races
        *races; /* of its accesses (shared_races.h), by wave: lanes run in step; NULL: no LDS */
    struct wave *waves;
    unsigned wave_count;
};

/* A branch of the measured loop that disabled lanes, until all are enabled again. whole: 0: there is none. */
struct wave_fork {
    uint64_t whole, first; /* EXEC before the branch, and after it */
    uint64_t other;        /* lanes that worked under another EXEC since */
};

struct wave {
    struct wave_group *group;
    unsigned number; /* in the group */
    unsigned lanes;  /* 64; from GFX10 on also 32 */
    struct wave_place place;
    struct wave_report *report;
    uint64_t pc, at; /* of the next instruction, and of this one */
    bool scc, done, waiting, timed;
    bool arrived;      /* at a barrier, for which it does not wait yet: from GFX12 on */
    unsigned interval; /* when timed: which one */
    unsigned times;    /* s_memtime so far */
    unsigned barriers; /* since it last read a clock */
    struct clock_reads clocks;
    bool reading; /* its last read of a clock may be under way */
    struct wave_fork fork;
    uint32_t s[GCN_SCALARS];   /* VCC, M0 and EXEC among them; NULL is 0 before each instruction */
    uint32_t (*v)[WAVE_LANES]; /* the kernel's VGPRs and AccVGPRs */
    struct wave_waits waits;
    struct bus_turns lines, words; /* that it loaded, from memory and from LDS */
};

struct wave_instruction;
struct wave_matrix;

/* Executes the instruction; false, with the error set, if it must not be executed. */
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

/* What a vector memory instruction does. */
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
struct wave_transfer {
    enum lane_kind kind;
    unsigned bytes; /* per lane */
    bool is_signed;
    enum wave_atomic atomic;
};

/* What a DS instruction reads or writes for each lane. */
struct wave_shape {
    unsigned elements, bytes; /* 1 or 2; of each */
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
    bool yields;                      /* other waves get their turn after it */
    bool branches;                    /* it disables the lanes that do not take a branch (s_and_saveexec) */
    bool sets_exec;                   /* a comparison that changes EXEC */
    bool lanes;                       /* it works on lanes: what is neither scalar nor control */
    uint64_t times;                   /* that waves executed it between clock reads */
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

/* A scalar operand's value: a register, a constant or the literal. The 64-bit version reads wide numbers as
 * doubles. */
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
    unsigned apart; /* two elements, whose offsets count so many of them; 0: one, whose offset is in bytes */
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

/* The shape of a processor's matrix operation; NULL if it is none, or unknown. */
const struct wave_matrix *wave_matrix_of(const struct gcn_row *row, const char *processor);

/* Finds what a FLAT, GLOBAL or MUBUF row transfers; false if unknown. */
bool wave_transfer_of(const struct gcn_row *row, struct wave_transfer *transfer);

/* What the instruction reads or writes according to its DS row. */
struct wave_shape wave_shape_of(const struct gcn_instruction *in, const struct wave_lds_row *row);

/* The new value of memory that holds `old`; a compare-and-swap compares with `compare`. */
uint64_t wave_atomic_value(enum wave_atomic atomic, unsigned bytes, uint64_t old, uint64_t operand,
                           uint64_t compare);

#endif
