/* The files that a program is on disk, by its target: a row each. */
#ifndef GENERATOR_SUITE_PROGRAM_PARTS_H
#define GENERATOR_SUITE_PROGRAM_PARTS_H

#include "generator/suite/program.h"

#include <stdbool.h>
#include <stddef.h>

struct program_part {
    const char *target; /* "x86_64" */
    const char *name;   /* "program.s" */
    size_t offset;      /* of its buffer in struct program */
    bool executable;    /* its file may be executed */
    bool elf;           /* begins as an ELF file */
    bool read;          /* is read with its suite: what is run or looked at */
    bool decides;       /* the program's hash is this part's */
};

/* The table; the last row has no target. */
extern const struct program_part program_parts[];

/* True when the target has a row. */
bool program_parts_has(const char *target);

struct buffer *program_part_buffer(const struct program_part *part, struct program *program);

#endif
