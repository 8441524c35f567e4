/* A generated program: its parts in memory, and the file of a suite for each. */
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
    char hash[HASH_TEXT_BYTES]; /* of the part that runs; "" if loaded from a suite */
};

void program_free(struct program *program);

struct program_part {
    const char *target; /* "ptx", or ISA_PROCESSOR: all of those (isa_is_listed) */
    const char *name;   /* "program.s" */
    size_t offset;      /* of the file's buffer in struct program */
    bool executable;    /* has execute permission */
    bool elf;           /* is an ELF file */
    bool read;          /* is read when the suite is loaded, to be run or inspected */
    bool decides;       /* its hash is the program's hash */
};

/* The table; the last row has no target. */
extern const struct program_part program_parts[];

/* True when the target has a row. */
bool program_parts_has(const char *target);

/* False for files that a compiled kernel's program lacks: the emitted texts. */
bool program_part_is_in(const struct program_part *part, bool compiled);

struct buffer *program_part_buffer(const struct program_part *part, struct program *program);

#endif
