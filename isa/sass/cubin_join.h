/* Joins the kernels of several cubins in one file for a disassembler, which takes a quarter of a second to
 * start but only milliseconds per kernel. The file contains code, functions and line numbers. */
#ifndef ISA_SASS_CUBIN_JOIN_H
#define ISA_SASS_CUBIN_JOIN_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stddef.h>

struct cubin {
    const struct buffer *file; /* NULL: none */
    const char *kernel;        /* its name there */
};

/* Writes the name of the i-th cubin's kernel in the joined file ("k7"), as disassemblers distinguish
 * functions by name alone. Returns its length. */
enum { CUBIN_NAME_BYTES = 24 };
size_t cubin_name(size_t i, char name[CUBIN_NAME_BYTES]);

/* Appends the file to *joined. Each kernel's code is in a section ".text.NAME", in the order of the cubins.
 * Omits cubins of another architecture than the first. False if a cubin lacks its kernel, symbols, or line
 * numbers with their relocations. */
bool cubin_join(const struct cubin *cubins, size_t count, struct buffer *joined);

#endif
