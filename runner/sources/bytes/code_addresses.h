/* Checks where the accesses of a loop go, by the registers and numbers in its code, against the order of
 * accesses that the manifest states for each pass of a period. */
#ifndef RUNNER_SOURCES_BYTES_CODE_ADDRESSES_H
#define RUNNER_SOURCES_BYTES_CODE_ADDRESSES_H

#include "base/error.h"
#include "isa/printed.h"
#include "runner/launch/test_program.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CODE_REGISTERS = 96 };

/* The place of an access, from a pass of the period on. Registers are indices in the ISA's table. */
struct code_place {
    int base; /* -1: none, as the chase's word is the whole address */
    int64_t offset;
    uint64_t from; /* pass */
};

struct code_access {
    const struct printed_instruction *at;
    bool chase; /* the address includes the word that the last chase read */
    struct code_place *places;
    size_t count;
};

/* A register that is another one plus a number, from the loop's start on and, if it moves, after each
 * pass. */
struct code_anchor {
    int index, base;
    int64_t offset;
    bool moves;
};

struct code_addresses {
    const struct isa *isa;
    struct code_access *accesses; /* of one pass, in the order of the code */
    size_t count;
    int data;                      /* the register with the data's address */
    bool rotating[CODE_REGISTERS]; /* moves from pass to pass */
    struct code_anchor *anchors;
    size_t anchor_count;
};

/* STATUS_FAILED with the instruction of the loop, its offset, and the text. */
__attribute__((format(printf, 3, 4))) enum status code_wrong(const struct printed_instruction *at,
                                                             struct error *error, const char *format, ...);

/* STATUS_FAILED names the first access whose base register or address is not the stated one. */
enum status code_addresses_check(const struct test_program *test_program,
                                 const struct code_addresses *addresses, struct error *error);

#endif
