/* Encodings to copy and patch: for each shape of an instruction that programs hold (a row with its registers
 * filled in), LLVM MC assembles a few samples once, and every further instruction of the shape is a copy with
 * its number patched in (copy and patch: Xu and Kjolstad 2021). What is the ISA's is the table of
 * isa->numbers alone. */
#ifndef ISA_STAMPS_H
#define ISA_STAMPS_H

#include "base/error.h"
#include "isa/isa.h"
#include "isa/numbers.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ENCODING_ROOM: bytes that encoding_stamp may write, of which the first `size` are the instruction. */
enum { ENCODING_BYTES = 16, ENCODING_ROOM = 32, STAMP_HOLE = '\1' };

struct encoding {
    unsigned char bytes[ENCODING_BYTES]; /* zeros where the field is */
    unsigned char size;
    unsigned char byte, shift; /* where the field begins; bits in the byte before it */
    unsigned char divide;      /* the field holds the number shifted right by this */
    uint64_t mask;             /* of the field's bits; 0: it has none */
};

struct stamps;
struct shape;

struct stamps *stamps_new(const struct isa *isa);
void stamps_free(struct stamps *stamps);

const struct isa *stamps_isa(const struct stamps *stamps);

/* The shape of an instruction's text, in which STAMP_HOLE stands for its number; kind NUMBER_NONE: it has
 * none. Lives as long as the stamps. */
struct shape *stamps_shape(struct stamps *stamps, const char *text, size_t length, enum number_kind kind);

/* How the shape holds the number; NULL when that is not known yet: stamps_learn finds it out. */
const struct encoding *stamps_encoding(struct stamps *stamps, struct shape *shape, int64_t number);

/* The same for targets by class (of isa->numbers[NUMBER_TARGET]): *known is false when stamps_learn must find
 * out whether the shape has such a field; NULL and known: it has not. */
const struct encoding *stamps_target(struct stamps *stamps, struct shape *shape, size_t class, bool *known);

/* True when there is such a class of targets, and when the distance is in it. */
bool stamps_has_target(const struct stamps *stamps, size_t class);
bool stamps_target_fits(const struct stamps *stamps, size_t class, int64_t distance);

/* True when something was asked for that is not known. */
bool stamps_must_learn(const struct stamps *stamps);

/* Lets LLVM MC assemble samples of all that was asked for. STATUS_FAILED, with the assembler's message and
 * the instruction, when it takes one for wrong. */
enum status stamps_learn(struct stamps *stamps, struct error *error);

/* Writes the instruction to `to`, which has ENCODING_ROOM bytes. */
static inline void encoding_stamp(const struct encoding *encoding, int64_t number, unsigned char *to)
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
