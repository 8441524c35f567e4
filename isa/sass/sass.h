/* What a disassembler of NVIDIA's (nvdisasm -gp -c, or cuobjdump -sass without lines) says of a kernel's
 * machine code, SASS. Its encodings are not published: the vendor's disassembler is believed about each word,
 * and all that is read here is its text: mnemonics with their modifiers, branch targets, and the line of PTX
 * that each instruction was made from. Seen with nvdisasm 13.5 and code of sm_75 to sm_120. */
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
    int line;             /* of the PTX; 0: not said */
    const char *mnemonic; /* "LDG.E.64.STRONG.GPU" */
    bool reads_clock;
};

/* All zeros is empty; free with sass_free. */
struct sass {
    struct sass_instruction *code; /* the kernel's, in order, without what it calls */
    size_t count;
    bool has_lines;
    struct arena arena; /* of the mnemonics */
};

/* Indices of the first and the last instruction. */
struct sass_loop {
    size_t first, last;
};

/* A load, store or atomic operation, as its mnemonic says. */
struct sass_access {
    const char *op;    /* "load", "store", "atomic"; static text */
    const char *space; /* "global", "shared", "local", "generic"; static text */
    const char *cache; /* the PTX operator that gives this: "ca", "cg", "cv", "cs", "lu", "nc", "evict_last",
                          "no_allocate", of stores "wb", "cg", "wt", "cs"; "other": some other; static text */
    unsigned width;    /* bytes of a thread */
};

/* Reads a disassembler's text of the kernel. STATUS_FAILED when it is none. */
enum status sass_read(const char *text, size_t size, const char *kernel, struct sass *sass,
                      struct error *error);
void sass_free(struct sass *sass);

/* The loop that lines [first, last] of the PTX became. STATUS_FAILED when there is none, when it was taken
 * apart (unrolled with a remainder), or when the clock is not read both before and behind it. */
enum status sass_find_loop(const struct sass *sass, int first, int last, struct sass_loop *loop,
                           struct error *error);

/* False for what is no such operation. */
bool sass_access_of(const char *mnemonic, struct sass_access *access);

#endif
