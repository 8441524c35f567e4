/* A PTX program in the executor's form, read once from its text: registers are offsets in a warp's register
 * file, labels are indices of instructions, and constants are arrays with a value per lane. */
#ifndef SIM_PTX_PTX_CODE_H
#define SIM_PTX_PTX_CODE_H

#include "base/arena.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PTX_LANES = 32, PTX_SOURCES = 4, PTX_VECTOR = 4, PTX_MOST_SOURCES = 12, PTX_NAME_BYTES = 96 };

/* Computes all lanes of the result from all lanes of the sources. Each is an array of PTX_LANES values of its
 * size; a predicate is a mask of lanes. in[PTX_SOURCES] is the mask of the active lanes. */
typedef void ptx_operation(void *restrict out, const void *const in[PTX_SOURCES + 1]);

enum ptx_kind {
    PTX_OPERATE, /* result = run(sources) */
    PTX_CONVERT,
    PTX_PACK,   /* mov: a vector's elements into one register */
    PTX_UNPACK, /* mov: a register into a vector's elements */
    PTX_SPECIAL,
    PTX_MATRIX, /* mma: the result is a vector, and so is each of three sources */
    PTX_LOAD,
    PTX_STORE,
    PTX_ATOMIC,
    PTX_COPY,   /* cp.async: copies asynchronously from global to shared memory */
    PTX_COMMIT, /* cp.async.commit_group: ends a group of such copies */
    PTX_WAIT,   /* cp.async.wait_group and wait_all: waits for groups */
    PTX_BULK,   /* cp.async.bulk: one thread copies many bytes to shared memory; an mbarrier counts them */
    PTX_PUT,    /* cp.async.bulk: one thread copies many bytes to global memory, in a bulk group */
    PTX_PUT_COMMIT,      /* cp.async.bulk.commit_group */
    PTX_PUT_WAIT,        /* cp.async.bulk.wait_group */
    PTX_MBARRIER_INIT,   /* initialises an mbarrier and begins its first phase */
    PTX_MBARRIER_ARRIVE, /* arrives at an mbarrier's phase */
    PTX_MBARRIER_TEST,   /* tests whether a phase is complete */
    PTX_PROXY,           /* a fence between accesses of threads and bulk copies */
    PTX_GROUP_FENCE,     /* wgmma.fence: orders the warps' registers before later products of four warps */
    PTX_GROUP_MATRIX,    /* wgmma.mma_async: an asynchronous product */
    PTX_GROUP_COMMIT,    /* wgmma.commit_group: ends a group of products */
    PTX_GROUP_WAIT,      /* wgmma.wait_group: waits for such groups */
    PTX_BRANCH,
    PTX_EXIT,
    PTX_BARRIER,
    PTX_WARP_BARRIER,
    PTX_MAP,            /* mapa: an address in the shared memory of another block of the cluster */
    PTX_CLUSTER_ARRIVE, /* the two halves of a cluster barrier */
    PTX_CLUSTER_WAIT,
    PTX_NOTHING, /* fences and pauses, without effect here */
    PTX_PASS,    /* not in the text: a pass of the program's loop begins */
};

enum ptx_space { PTX_GLOBAL, PTX_SHARED, PTX_CONST, PTX_PARAM, PTX_CLUSTER };

enum ptx_special {
    PTX_TID_X,
    PTX_NTID_X,
    PTX_CTAID_X,
    PTX_NCTAID_X,
    PTX_LANEID,
    PTX_WARPID,
    PTX_NWARPID,
    PTX_SMID,
    PTX_NSMID,
    PTX_LANEMASK_EQ,
    PTX_LANEMASK_LE,
    PTX_LANEMASK_LT,
    PTX_LANEMASK_GE,
    PTX_LANEMASK_GT,
    PTX_CLOCK,
    PTX_CLOCK64,
    PTX_GLOBALTIMER,
    PTX_CLUSTER_RANK, /* of the block in its cluster */
    PTX_CLUSTER_BLOCKS,
    PTX_CLUSTER_NUMBER,
    PTX_CLUSTERS,
    PTX_ZERO, /* y and z indices in a one-dimensional grid; the grid's number */
    PTX_ONE,  /* y and z sizes of a one-dimensional grid */
    PTX_SPECIALS,
};

enum ptx_atomic {
    PTX_ADD,
    PTX_MIN,
    PTX_MAX,
    PTX_AND,
    PTX_OR,
    PTX_XOR,
    PTX_EXCH,
    PTX_CAS,
    PTX_INC,
    PTX_DEC,
};

/* A PTX type. */
struct ptx_type {
    char letter;    /* u, s, b, f; p: predicate */
    unsigned bytes; /* 4 for a predicate, a mask of lanes */
};

/* The place of an operand: from 0, an offset in bytes in the warp's registers; below 0, ~place is one in the
 * constants. */
typedef int32_t ptx_place;

enum { PTX_NO_GUARD = -1 };

/* A base register of `bytes` bytes plus an offset; without a base the offset alone. */
struct ptx_address {
    bool has_base;
    ptx_place base;
    unsigned bytes;
    int64_t offset;
};

struct ptx_matrix;
struct ptx_group_matrix;

struct ptx_instruction {
    enum ptx_kind kind;
    int line; /* of the text */
    ptx_place guard;
    bool guard_not;
    struct ptx_type type;               /* of the result, or of memory's elements */
    struct ptx_type from;               /* conversions: of the source */
    ptx_operation *run;                 /* PTX_OPERATE */
    bool divides;                       /* its second source must not be 0 */
    unsigned result_bytes;              /* of each result register */
    unsigned count;                     /* elements of a vector; else 1 */
    unsigned source_bytes;              /* of each source register; of a store's values */
    ptx_place result[PTX_VECTOR];       /* of a load's or a vector's elements; else [0] */
    bool writes;                        /* it has a result */
    ptx_place source[PTX_MOST_SOURCES]; /* of an operation, of a store's elements */
    unsigned sources;
    /* conversions */
    char rounding; /* i, z, m, p: to an integer (i: nearest); n: to nearest; 0: none */
    bool saturates;
    /* memory */
    enum ptx_space space;
    struct ptx_address address;
    bool past_l1;     /* bypasses L1 */
    bool no_allocate; /* does not fill L1 */
    bool is_volatile;
    bool sleeps; /* PTX_NOTHING */
    /* copies: the address in shared memory; all elements belong to one copy */
    struct ptx_address to;
    /* mbarriers: a copy's mbarrier (the mbarrier's own instructions have it as `address`); bytes of a copy,
     * or those that an arrival adds to the phase's; arrivals that a phase expects; the parity, unless a
     * register holds it (source[0]) */
    struct ptx_address barrier;
    uint64_t size;
    unsigned expected, parity;
    unsigned pending;  /* waits: groups that may remain under way; UINT_MAX: no copy at all may */
    const char *cache; /* the operator as in the text, "cg" or "L1::no_allocate"; "" without one */
    enum ptx_atomic atomic;
    const char *scope; /* of an atomic: "cta", "cluster", "gpu", "sys" */
    const struct ptx_matrix *matrix;
    /* wgmma: the results are sums[count]; the sources are both descriptors and a predicate: add to the
     * sums */
    const struct ptx_group_matrix *group;
    const ptx_place *sums;
    bool minus_first, minus_second; /* the factor is negated */
    bool in_group;                  /* another instruction that uses a register of such sums */
    /* control */
    enum ptx_special special;
    size_t target, join; /* branches: the target, and where the lanes of both sides reconverge */
    bool forward;
    const char *name; /* the operation, for messages */
    const char *text; /* the statement in the text, from its guard to a semicolon; NULL: none */
};

struct ptx_register {
    const char *name;
    struct ptx_type type;
    ptx_place place;
    bool used;
};

struct ptx_program {
    struct arena arena;
    char arch[16];
    struct ptx_instruction *code; /* [count]; the last one exits */
    size_t count;
    size_t loop, loop_end; /* TRAUMA_LOOP and the branch back to it: [loop, loop_end]; equal: no loop */
    size_t units_end;      /* TRAUMA_ADVANCE, the end of the loop's units; without it loop_end */
    struct ptx_register *registers;
    size_t register_count;
    unsigned register_bytes; /* of a warp's registers */
    unsigned char *constants;
    size_t constant_bytes;
    unsigned char *const_data; /* .const */
    size_t const_bytes;
    size_t shared_bytes;
    bool copies;        /* it has asynchronous copies */
    bool reads_cluster; /* it reads the shared memory of other blocks of its cluster */
    bool bulk;          /* it has mbarriers, bulk copies, or products of groups of warps */
    bool groups;        /* it has products of groups of warps */
    struct ptx_type *parameters;
    size_t parameter_count;
    unsigned most_threads; /* .maxntid; 0: not stated */
    unsigned resident;     /* .minnctapersm; 0: not stated */
    unsigned cluster;      /* .reqnctapercluster: blocks per cluster; 0: not stated, so one */
};

/* Reads the entry's code from the text, which is untrusted. The error's line is the text's. STATUS_FAILED for
 * text that no assembler accepts, STATUS_UNAVAILABLE for what the executor does not support. Free with
 * ptx_free. */
enum status ptx_read(const char *text, size_t size, const char *entry, struct ptx_program *program,
                     struct error *error);

void ptx_free(struct ptx_program *program);

struct ptx_operation_row {
    const char *name;     /* "add.u32" */
    const char *operands; /* sizes: "4:44"; p is a predicate */
    ptx_operation *run;
    bool divides; /* by its second source, which must not be 0 */
};

/* The row of that name, or NULL. */
const struct ptx_operation_row *ptx_operation_find(const char *name);

#endif
