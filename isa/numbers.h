/* The widths of number fields in an ISA's instructions: the table from which stencils are learned, and the
 * only ISA-specific part. */
#ifndef ISA_NUMBERS_H
#define ISA_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

/* The role of a number in an instruction's text. */
enum number_kind {
    NUMBER_NONE,
    NUMBER_DISPLACEMENT, /* of an address */
    NUMBER_IMMEDIATE,
    NUMBER_TARGET, /* a label: the field holds the bytes from the instruction's end to it */
    NUMBER_KINDS
};

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
};

struct number_classes {
    const struct number_class *items; /* [count], the narrowest first */
    size_t count;
};

#endif
