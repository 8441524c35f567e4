/* Reads the output of NVIDIA's disassemblers for a kernel's machine code, SASS: nvdisasm -gp -c, or cuobjdump
 * -sass, which reports no lines. SASS encodings are unpublished, so only this text is parsed: mnemonics with
 * modifiers, branch targets, and the PTX line of each instruction. Tested with nvdisasm 13.5 and code for
 * sm_75 to sm_120. */
#ifndef ISA_SASS_SASS_H
#define ISA_SASS_SASS_H

#include "base/arena.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sass_instruction {
    uint64_t offset;
    int64_t target;       /* of a branch within the kernel; -1: none */
    int line;             /* in the PTX; 0: unknown */
    const char *mnemonic; /* "LDG.E.64.STRONG.GPU" */
    bool never;           /* under @!PT, so never executed: padding before asynchronous copies */
    bool inner;           /* set by the caller, from its PTX: it does not close the loop (sass_find_loop) */
    bool reads_clock;
};

/* All zeros is empty; free with sass_free. */
struct sass {
    struct sass_instruction *code; /* the kernel's, in order, without called functions */
    size_t count;
    bool has_lines;
    struct arena arena; /* holds the mnemonics */
};

/* Indices of the first and the last instruction. */
struct sass_loop {
    size_t first, last;
};

/* A load, store or atomic operation, from its mnemonic. */
struct sass_access {
    const char *op;    /* "load", "store", "atomic add" (cas, swap, max), "reduction add" (max), "asynchronous
                          load", "bulk load", "bulk store"; "atomic", "reduction": others; static text */
    const char *space; /* "global", "shared", "local", "generic"; static text */
    const char *cache; /* loads and stores: PTX's cache operator: "ca", "cg", "cv", "cs", "lu", "nc",
                          "evict_last", "no_allocate", "wb", "wt", or "other"; atomics: the scope: "cta",
                          "gpu", "sys", or "" without one; static text */
    unsigned width;    /* bytes per thread; 0: not in the mnemonic */
};

/* Reads a disassembler's text of the kernel. STATUS_FAILED if it is something else. */
enum status sass_read(const char *text, size_t size, const char *kernel, struct sass *sass,
                      struct error *error);
void sass_free(struct sass *sass);

/* Finds the loop compiled from lines [first, last] of the PTX. Ignores loops within it: those marked `inner`,
 * and the votes that ptxas puts around an instruction of a whole warp. STATUS_FAILED if there is none, if it
 * was split (unrolled with a remainder), or if the clock is not read both before and after it. */
enum status sass_find_loop(const struct sass *sass, int first, int last, struct sass_loop *loop,
                           struct error *error);

/* False if the mnemonic is not a memory access. */
bool sass_access_of(const char *mnemonic, struct sass_access *access);

#endif
