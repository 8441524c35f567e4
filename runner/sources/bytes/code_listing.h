/* The instructions of a processor's program in the order of execution, disassembled from its executable. */
#ifndef RUNNER_SOURCES_BYTES_CODE_LISTING_H
#define RUNNER_SOURCES_BYTES_CODE_LISTING_H

#include "base/arena.h"
#include "base/error.h"
#include "isa/printed.h"
#include "runner/launch/test_program.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct code_part {
    struct printed_instruction *items; /* offsets from the start of the program's code */
    size_t count;
};

struct code_listing {
    struct code_part start; /* from the kernel's entry to the loop */
    struct code_part pass;  /* the loop, with its close */
    struct code_part twin;  /* the loop's second copy and what follows; empty: there is none */
    uint64_t advance;       /* offset of the instructions that belong to no unit */
    const unsigned char
        *texts; /* pairs of 32-bit offsets from the loop's start: the recipe's own instructions */
    size_t text_count;
    uint64_t loop; /* offset of the loop's start */
    struct arena arena;
};

/* STATUS_FAILED if the executable's code or constants differ from those of the object, with the first
 * instruction that differs, or if they cannot be disassembled. */
enum status code_listing_read(const struct test_program *test_program, const struct isa *isa,
                              struct code_listing *listing, struct error *error);

/* Compares the code and constants in the executable with those of the object. STATUS_FAILED as above. */
enum status code_listing_compare(const struct test_program *test_program, const struct isa *isa,
                                 struct error *error);

void code_listing_free(struct code_listing *listing);

#endif
