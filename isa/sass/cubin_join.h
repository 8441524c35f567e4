/* Joins the kernels of several cubins in one file for a disassembler, which takes a quarter of a second to
 * start and milliseconds for a kernel. The file has what a disassembler reads: code, functions and lines. */
#ifndef ISA_SASS_CUBIN_JOIN_H
#define ISA_SASS_CUBIN_JOIN_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stddef.h>

struct cubin {
    const struct buffer *file; /* NULL: none */
    const char *kernel;        /* its name there */
};

/* The name of the i-th cubin's kernel in the joined file: "k7". Disassemblers tell functions apart by their
 * names alone. Returns its length. */
enum { CUBIN_NAME_BYTES = 24 };
size_t cubin_name(size_t i, char name[CUBIN_NAME_BYTES]);

/* Appends the file to *joined, with the kernels' code in the order of the cubins, in sections ".text." and
 * the name. Cubins of another architecture than the first are left out. False if one lacks a part: its
 * kernel, symbols, or lines of machine code with their relocations. */
bool cubin_join(const struct cubin *cubins, size_t count, struct buffer *joined);

#endif
