/* Copy-and-patch encodings (Xu and Kjolstad 2021). A shape is an instruction's text with its registers, but
 * without its number. LLVM MC assembles a few samples of each shape once; every further instruction of the
 * shape is a copy with its number patched in. Only isa->numbers and isa->branch_origin are ISA-specific. */
#ifndef ISA_STENCILS_H
#define ISA_STENCILS_H

#include "base/error.h"
#include "isa/isa.h"
#include "isa/numbers.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ENCODING_ROOM: bytes that encoding_stencil may write; the first `size` are the instruction. */
enum { ENCODING_BYTES = 16, ENCODING_ROOM = 32, STENCIL_HOLE = '\1' };

struct encoding {
    unsigned char bytes[ENCODING_BYTES]; /* zeros where the field is */
    unsigned char size;
    unsigned char byte, shift; /* the field's byte, and its bit offset in that byte */
    unsigned char divide;      /* right shift of the number before it is stored */
    uint64_t mask;             /* of the field's bits; 0: no field, or one in pieces */

    /* A field in pieces (numbers.h), ending with one of 0 bits; NULL: there is none. */
    const struct field_piece *pieces;
    unsigned char origin; /* of a field in pieces: subtracted from the number first */
};

/* Numbers that a shape holds in one encoding, excluding those of earlier encodings in the list. */
struct quick_encoding {
    int64_t low, high;
    int64_t rest; /* bits that must be zero */
    const struct encoding *encoding;
};

enum { QUICK_ENCODINGS = 4 };

struct stencils;

/* The public part of a shape: known encodings that can be chosen without further look-ups. */
struct shape {
    struct quick_encoding quick[QUICK_ENCODINGS]; /* [quick_count] */
    unsigned quick_count;
};

struct stencils *stencils_new(const struct isa *isa);
void stencils_free(struct stencils *stencils);

const struct isa *stencils_isa(const struct stencils *stencils);

/* The shape of an instruction's text, with STENCIL_HOLE for its number; kind NUMBER_NONE: no number. Lives as
 * long as the stencils. */
struct shape *stencils_shape(struct stencils *stencils, const char *text, size_t length,
                             enum number_kind kind);

/* The shape's encoding of the number; NULL if unknown until stencils_learn. */
const struct encoding *stencils_encoding(struct stencils *stencils, struct shape *shape, int64_t number);

/* The same for targets, by class (of isa->numbers[NUMBER_TARGET]). NULL if the shape has no such field, or
 * *known is false: then stencils_learn must find out first. */
const struct encoding *stencils_target(struct stencils *stencils, struct shape *shape, size_t class,
                                       bool *known);

/* Whether there is such a class of targets, and whether it contains the distance. */
bool stencils_has_target(const struct stencils *stencils, size_t class);
bool stencils_target_fits(const struct stencils *stencils, size_t class, int64_t distance);

/* Has LLVM MC assemble samples of everything requested. STATUS_FAILED, with the assembler's message and the
 * instruction, if it rejects one. */
enum status stencils_learn(struct stencils *stencils, struct error *error);

/* A fast stencils_encoding; NULL: call stencils_encoding. */
static inline const struct encoding *shape_quick(const struct shape *shape, int64_t number)
{
    for (unsigned i = 0; i < shape->quick_count; i++) {
        const struct quick_encoding *quick = &shape->quick[i];
        if (number >= quick->low && number <= quick->high && (number & quick->rest) == 0)
            return quick->encoding;
    }
    return NULL;
}

/* Fills in a field in pieces. */
void encoding_fill_pieces(const struct encoding *encoding, int64_t number, unsigned char *to);

/* Writes the instruction to `to`, which needs ENCODING_ROOM bytes. */
static inline void encoding_stencil(const struct encoding *encoding, int64_t number, unsigned char *to)
{
    memcpy(to, encoding->bytes, ENCODING_BYTES);
    if (encoding->mask == 0) {
        if (encoding->pieces != NULL)
            encoding_fill_pieces(encoding, number, to);
        return;
    }
    uint64_t field;
    memcpy(&field, to + encoding->byte, sizeof field);
    field |= ((uint64_t)(number >> encoding->divide) & encoding->mask) << encoding->shift;
    memcpy(to + encoding->byte, &field, sizeof field);
}

#endif
