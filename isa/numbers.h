/* The widths in which an ISA's instructions hold numbers: a table that the stencils are learnt by, so that
 * nothing but the table is an ISA's own. */
#ifndef ISA_NUMBERS_H
#define ISA_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

/* Where a number stands in an instruction's text. */
enum number_kind {
    NUMBER_NONE,
    NUMBER_DISPLACEMENT, /* of an address */
    NUMBER_IMMEDIATE,
    NUMBER_TARGET, /* a label: the field holds the bytes from the instruction's end to it */
    NUMBER_KINDS
};

/* Numbers that an instruction may hold in a field of so many bits, as number / multiple. An instruction that
 * has no such field takes the next class that its number is in. */
struct number_class {
    int64_t low, high; /* both are in it */
    unsigned multiple; /* of which the number must be one; a power of two */
    unsigned bits;     /* 0: each number of it is an encoding of its own */
    /* Samples, in no class before. One is positive and one negative where the class has such, so that a field
     * is not taken for the lowest part of a wider one. Of a target: bytes between the instruction and the
     * label, to either side. */
    int64_t probes[2];
};

struct number_classes {
    const struct number_class *items; /* [count], the narrowest first */
    size_t count;
};

#endif
