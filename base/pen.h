/* Text written by hand into room that a buffer has reserved: for the few places that write most of a
 * program's text. */
#ifndef BASE_PEN_H
#define BASE_PEN_H

#include "base/buffer.h"

#include <stdint.h>
#include <string.h>

/* Where the next character goes. Who holds one has reserved enough. */
struct pen {
    char *at;
};

/* Begins behind the buffer's end, with room for so many characters. Nothing else may be done to the buffer
 * before pen_end. */
static inline struct pen pen_begin(struct buffer *buffer, size_t room)
{
    return (struct pen){buffer_reserve(buffer, room)};
}

static inline void pen_end(struct pen pen, struct buffer *buffer)
{
    *pen.at = '\0';
    buffer->size = (size_t)(pen.at - buffer->data);
}

static inline void pen_bytes(struct pen *pen, const char *bytes, size_t size)
{
    memcpy(pen->at, bytes, size);
    pen->at += size;
}

/* Text that lies in PEN_PADDED bytes at least, which are copied whole: no call, no loop. The pen needs room
 * for them. */
enum { PEN_PADDED = 64 };

static inline void pen_padded(struct pen *pen, const char *text, size_t size)
{
    memcpy(pen->at, text, PEN_PADDED);
    pen->at += size;
}

/* Blanks: few are copied whole, as above. */
static inline void pen_blanks(struct pen *pen, size_t count)
{
    if (count <= PEN_PADDED)
        memset(pen->at, ' ', PEN_PADDED);
    else
        memset(pen->at, ' ', count);
    pen->at += count;
}

/* A literal. */
#define PEN_TEXT(pen, text) pen_bytes(pen, "" text "", sizeof(text) - 1)

static inline void pen_fill(struct pen *pen, char character, size_t count)
{
    memset(pen->at, character, count);
    pen->at += count;
}

/* Two digits at a time. Numbers of up to six are written where they stay; longer ones from behind, in bytes
 * that are then copied whole: the pen needs room for PEN_NUMBER. */
enum { PEN_NUMBER = 24, PEN_DIGITS = 20, PEN_TWO = 100, PEN_FOUR = 10000, PEN_SIX = 1000000 };

static const char pen_pairs[201] =
    "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
    "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
    "8081828384858687888990919293949596979899";

/* Below 100, a zero in front where it is needed. */
static inline void pen_pair(struct pen *pen, unsigned number)
{
    memcpy(pen->at, pen_pairs + 2 * (size_t)number, 2);
    pen->at += 2;
}

/* Below 100. */
static inline void pen_first(struct pen *pen, unsigned number)
{
    if (number < 10)
        *pen->at++ = (char)('0' + number);
    else
        pen_pair(pen, number);
}

static inline void pen_long_number(struct pen *pen, uint64_t number)
{
    char digits[2 * PEN_NUMBER];
    size_t first = PEN_NUMBER;
    for (; number >= PEN_TWO; number /= PEN_TWO)
        memcpy(digits + (first -= 2), pen_pairs + 2 * (number % PEN_TWO), 2);
    memcpy(digits + (first -= 2), pen_pairs + 2 * number, 2);
    first += number < 10;
    memcpy(pen->at, digits + first, PEN_DIGITS);
    pen->at += PEN_NUMBER - first;
}

static inline void pen_number(struct pen *pen, uint64_t number)
{
    if (number >= PEN_SIX) {
        pen_long_number(pen, number);
        return;
    }
    unsigned left = (unsigned)number;
    if (left < PEN_TWO) {
        pen_first(pen, left);
        return;
    }
    if (left < PEN_FOUR) {
        pen_first(pen, left / PEN_TWO);
    } else {
        pen_first(pen, left / PEN_FOUR);
        pen_pair(pen, left / PEN_TWO % PEN_TWO);
    }
    pen_pair(pen, left % PEN_TWO);
}

#endif
