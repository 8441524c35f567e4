/* A PTX program as the executor wants it: read once from its text, with registers as places in a warp's
 * register file, labels as positions and constants as values of all lanes. */
#ifndef SIM_PTX_PTX_CODE_H
#define SIM_PTX_PTX_CODE_H

#include "base/arena.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PTX_LANES = 32, PTX_SOURCES = 4, PTX_VECTOR = 4, PTX_MOST_SOURCES = 12, PTX_NAME_BYTES = 96 };

/* Computes all lanes of the result from all lanes of the sources: each an array of PTX_LANES values of its
 * size, a predicate a mask of lanes. in[PTX_SOURCES] is the mask of the lanes that take part. */
typedef void ptx_operation(void *restrict out, const void *const in[PTX_SOURCES + 1]);

enum ptx_kind {
    PTX_OPERATE, /* result = run(sources) */
    PTX_CONVERT,
    PTX_PACK,   /* mov: one register of the parts of a vector */
    PTX_UNPACK, /* and back */
    PTX_SPECIAL,
    PTX_MATRIX, /* mma: results are the elements of a vector, sources those of three */
    PTX_LOAD,
    PTX_STORE,
    PTX_ATOMIC,
    PTX_COPY,            /* cp.async: from global to shared memory, without waiting */
    PTX_COMMIT,          /* ends a group of such copies */
    PTX_WAIT,            /* waits for groups */
    PTX_BULK,            /* cp.async.bulk: the same of many bytes, by one thread; an mbarrier counts them */
    PTX_PUT,             /* the same from shared to global memory; groups count them, */
    PTX_PUT_COMMIT,      /* which this ends, */
    PTX_PUT_WAIT,        /* and this waits for */
    PTX_MBARRIER_INIT,   /* begins an mbarrier's first phase, */
    PTX_MBARRIER_ARRIVE, /* arrives at the phase, */
    PTX_MBARRIER_TEST,   /* asks whether it is over */
    PTX_PROXY,           /* a fence between accesses of threads and bulk copies */
    PTX_GROUP_FENCE,     /* wgmma: products of four warps behind it see their registers, */
    PTX_GROUP_MATRIX,    /* a product, which goes on while they do, */
    PTX_GROUP_COMMIT,    /* ends a group of them, */
    PTX_GROUP_WAIT,      /* and this waits for such groups */
    PTX_BRANCH,
    PTX_EXIT,
    PTX_BARRIER,
    PTX_WARP_BARRIER,
    PTX_MAP,            /* mapa: an address in the shared memory of another block of the cluster */
    PTX_CLUSTER_ARRIVE, /* both halves of a cluster's barrier */
    PTX_CLUSTER_WAIT,
    PTX_NOTHING, /* fences and pauses */
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
    PTX_ZERO, /* y and z of a grid of one dimension, the grid's number */
    PTX_ONE,
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

/* A type of the language. */
struct ptx_type {
    char letter;    /* u, s, b, f; p: predicate */
    unsigned bytes; /* 4 for a predicate, a mask of lanes */
};

/* Where an operand is: from 0, that many bytes into the warp's registers; below 0, ~place into the constants.
 */
typedef int32_t ptx_place;

enum { PTX_NO_GUARD = -1 };

/* A register of so many bytes, and a number; without a register the number alone. */
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
    unsigned result_bytes;              /* of the registers that it writes */
    unsigned count;                     /* elements of a vector; conversions and the rest: 1 */
    unsigned source_bytes;              /* of each source register; of stores' values */
    ptx_place result[PTX_VECTOR];       /* of a load's or a vector's elements; [0] of the others */
    bool writes;                        /* it has a result */
    ptx_place source[PTX_MOST_SOURCES]; /* of an operation, of a store's elements */
    unsigned sources;
    /* conversions */
    char rounding; /* i, z, m, p: to an integer (i: nearest); n: to nearest; 0: none */
    bool saturates;
    /* memory */
    enum ptx_space space;
    struct ptx_address address;
    bool past_l1, no_allocate; /* L1 is not asked; or asked, but not filled */
    bool is_volatile;
    bool sleeps; /* PTX_NOTHING */
    /* copies: where to, in shared memory; of their elements all belong to one copy */
    struct ptx_address to;
    /* mbarriers: where, for copies; its own instructions have it as their address. Bytes of a copy, or that a
     * phase is to bring besides; threads that it expects; the parity, if that is no register (source[0]) */
    struct ptx_address barrier;
    uint64_t size;
    unsigned expected, parity;
    unsigned pending;  /* waits: groups that may be under way; UINT_MAX: none, nor copies in no group */
    const char *cache; /* the operator as the text has it, "cg" or "L1::no_allocate"; "" without one */
    enum ptx_atomic atomic;
    const char *scope; /* of an atomic: "cta", "cluster", "gpu", "sys" */
    const struct ptx_matrix *matrix;
    /* wgmma: results are [count] sums instead; sources both descriptors and whether it adds to them */
    const struct ptx_group_matrix *group;
    const ptx_place *sums;
    bool minus_first, minus_second; /* the factor's sign is the other one */
    bool in_group;                  /* another instruction, which uses such a register */
    /* control */
    enum ptx_special special;
    size_t target, meet; /* branches: where they go, and where the lanes of both sides meet again */
    bool forward;
    /* the text's operation, for messages */
    const char *name;
    const char
        *text; /* the statement, in the text that was read: from its guard to a semicolon; NULL: none */
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
    size_t units_end;      /* TRAUMA_ADVANCE, behind the loop's units; without it loop_end */
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
    bool bulk;          /* it has mbarriers, for which bulk copies are, or products of groups of warps */
    bool groups;        /* it has such products */
    struct ptx_type *parameters;
    size_t parameter_count;
    unsigned most_threads; /* .maxntid; 0: not stated */
    unsigned resident;     /* .minnctapersm; 0: not stated */
    unsigned cluster; /* .reqnctapercluster: blocks that form one; 0: not stated, each block is its own */
};

/* Reads the entry's code from the text, which is untrusted. The error's line is the text's. STATUS_FAILED for
 * what no assembler takes, STATUS_UNAVAILABLE for what the executor does not know. Free with ptx_free. */
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
