/* A generated program: its parts in memory, and which file of a suite each one is. */
#ifndef GENERATOR_SUITE_PROGRAM_PARTS_H
#define GENERATOR_SUITE_PROGRAM_PARTS_H

#include "base/buffer.h"
#include "base/hash.h"

#include <stdbool.h>
#include <stddef.h>

struct manifest;

/* The generated files of one point (DESIGN.md section 3). */
struct program {
    struct buffer source;       /* program.s, program.ptx: the table below lists the files */
    struct buffer object;       /* program.o, program.co */
    struct buffer executable;   /* program */
    struct buffer opencl;       /* program.cl */
    struct manifest *manifest;  /* manifest.json (generator/suite/manifest_read.h); NULL: none */
    char hash[HASH_TEXT_BYTES]; /* of what is run; "" in one loaded from a suite */
};

void program_free(struct program *program);

struct program_part {
    const char *target; /* "ptx", or ISA_PROCESSOR: all of those (isa_is_listed) */
    const char *name;   /* "program.s" */
    size_t offset;      /* of the file's buffer in struct program */
    bool executable;    /* has execute permission */
    bool elf;           /* begins as an ELF file */
    bool read;          /* is read with its suite: it is run or inspected */
    bool decides;       /* its hash is the program's hash */
};

/* The table; the last row has no target. */
extern const struct program_part program_parts[];

/* True when the target has a row. */
bool program_parts_has(const char *target);

/* False for the emitted texts of a program that is a compiled kernel's binary. */
bool program_part_is_in(const struct program_part *part, bool compiled);

struct buffer *program_part_buffer(const struct program_part *part, struct program *program);

#endif
