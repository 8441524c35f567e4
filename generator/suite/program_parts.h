/* A program's files on disk: one row per target and file. */
#ifndef GENERATOR_SUITE_PROGRAM_PARTS_H
#define GENERATOR_SUITE_PROGRAM_PARTS_H

#include "generator/suite/program.h"

#include <stdbool.h>
#include <stddef.h>

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

struct buffer *program_part_buffer(const struct program_part *part, struct program *program);

#endif
