/* The number fields of an ISA's instructions. Stencils are learned from this table; only it and the branch
 * origin depend on the ISA. */
#ifndef ISA_NUMBERS_H
#define ISA_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The role of a number in an instruction's text. */
enum number_kind {
    NUMBER_NONE,
    NUMBER_DISPLACEMENT, /* of an address */
    NUMBER_IMMEDIATE,
    NUMBER_TARGET, /* a label: the field holds the bytes from the branch origin to it */
    NUMBER_KINDS
};

/* Where a branch counts its distance from: the end of its instruction (x86) or its start (AArch64, RISC-V).
 */
enum branch_origin { ORIGIN_END, ORIGIN_START };

/* A part of a field that is not contiguous: `bits` bits of the number, from its bit `from` on, at bit `at` of
 * the instruction. */
struct field_piece {
    unsigned char from, bits, at;
};

enum { FIELD_PIECES = 5 };

/* Numbers that an instruction can hold in a field of this many bits, as number / multiple. An instruction
 * without such a field uses the next class that contains its number. */
struct number_class {
    int64_t low, high; /* inclusive bounds */
    unsigned multiple; /* a power of two that divides each number */
    unsigned bits;     /* 0: each number has its own encoding */
    /* Sample numbers in no earlier class: one positive and one negative if the class has both, so that a
     * field is not mistaken for the low part of a wider one. For a target: bytes between the instruction and
     * the label, in either direction. */
    int64_t probes[2];

    /* Positions of the field's parts, ending with one of 0 bits; all 0: it is contiguous, and found by
     * search. */
    struct field_piece pieces[FIELD_PIECES];

    /* For a target with pieces: the field counts from this many bytes after the branch origin. */
    unsigned origin;
};

/* The part of a number that one instruction takes if no field holds it whole: a template's {name:PART}. It is
 * the lowest `bits` bits of (number + round) >> shift. */
struct number_part {
    const char *name;
    uint64_t round;
    unsigned shift;
    unsigned bits;
    bool is_signed; /* the highest of these bits is a sign */
};

/* A class with a contiguous field: low, high, multiple, bits, and the two probes. */
#define NUMBER_CLASS(low_, high_, multiple_, bits_, ...)                                                     \
    {                                                                                                        \
        .low = (low_), .high = (high_), .multiple = (multiple_), .bits = (bits_), .probes = { __VA_ARGS__ }  \
    }

struct number_classes {
    const struct number_class *items; /* [count], the narrowest first */
    size_t count;
};

#endif
