/* Encodings to copy and patch: for each shape of an instruction that programs hold (a row with its registers
 * filled in), LLVM MC assembles a few samples once, and every further instruction of the shape is a copy with
 * its number patched in (copy and patch: Xu and Kjolstad 2021). What is the ISA's is the table of
 * isa->numbers alone. */
#ifndef ISA_STENCILS_H
#define ISA_STENCILS_H

#include "base/error.h"
#include "isa/isa.h"
#include "isa/numbers.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ENCODING_ROOM: bytes that encoding_stencil may write, of which the first `size` are the instruction. */
enum { ENCODING_BYTES = 16, ENCODING_ROOM = 32, STAMP_HOLE = '\1' };

struct encoding {
    unsigned char bytes[ENCODING_BYTES]; /* zeros where the field is */
    unsigned char size;
    unsigned char byte, shift; /* where the field begins; bits in the byte before it */
    unsigned char divide;      /* the field holds the number shifted right by this */
    uint64_t mask;             /* of the field's bits; 0: it has none */
};

/* Numbers that a shape holds in one encoding, the encodings before it in the list left out. */
struct quick_encoding {
    int64_t low, high;
    int64_t rest; /* bits that must be zero */
    const struct encoding *encoding;
};

enum { QUICK_ENCODINGS = 4 };

struct stencils;

/* The public part of a shape: encodings that are known and decide without a look at anything else. */
struct shape {
    struct quick_encoding quick[QUICK_ENCODINGS]; /* [quick_count] */
    unsigned quick_count;
};

struct stencils *stencils_new(const struct isa *isa);
void stencils_free(struct stencils *stencils);

const struct isa *stencils_isa(const struct stencils *stencils);

/* The shape of an instruction's text, in which STAMP_HOLE stands for its number; kind NUMBER_NONE: it has
 * none. Lives as long as the stencils. */
struct shape *stencils_shape(struct stencils *stencils, const char *text, size_t length,
                             enum number_kind kind);

/* How the shape holds the number; NULL when that is not known yet: stencils_learn finds it out. */
const struct encoding *stencils_encoding(struct stencils *stencils, struct shape *shape, int64_t number);

/* The same for targets by class (of isa->numbers[NUMBER_TARGET]): *known is false when stencils_learn must
 * find out whether the shape has such a field; NULL and known: it has not. */
const struct encoding *stencils_target(struct stencils *stencils, struct shape *shape, size_t class,
                                       bool *known);

/* True when there is such a class of targets, and when the distance is in it. */
bool stencils_has_target(const struct stencils *stencils, size_t class);
bool stencils_target_fits(const struct stencils *stencils, size_t class, int64_t distance);

/* True when something was asked for that is not known. */
bool stencils_must_learn(const struct stencils *stencils);

/* Lets LLVM MC assemble samples of all that was asked for. STATUS_FAILED, with the assembler's message and
 * the instruction, when it takes one for wrong. */
enum status stencils_learn(struct stencils *stencils, struct error *error);

/* The same where it can be told at once; NULL: ask stencils_encoding. */
static inline const struct encoding *shape_quick(const struct shape *shape, int64_t number)
{
    for (unsigned i = 0; i < shape->quick_count; i++) {
        const struct quick_encoding *quick = &shape->quick[i];
        if (number >= quick->low && number <= quick->high && (number & quick->rest) == 0)
            return quick->encoding;
    }
    return NULL;
}

/* Writes the instruction to `to`, which has ENCODING_ROOM bytes. */
static inline void encoding_stencil(const struct encoding *encoding, int64_t number, unsigned char *to)
{
    memcpy(to, encoding->bytes, ENCODING_BYTES);
    if (encoding->mask == 0)
        return;
    uint64_t field;
    memcpy(&field, to + encoding->byte, sizeof field);
    field |= ((uint64_t)(number >> encoding->divide) & encoding->mask) << encoding->shift;
    memcpy(to + encoding->byte, &field, sizeof field);
}

#endif
