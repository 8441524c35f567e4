/* Writes text directly into space reserved in a buffer, for the few places that write most of a program's
 * text. */
#ifndef BASE_CURSOR_H
#define BASE_CURSOR_H

#include "base/buffer.h"

#include <stdint.h>
#include <string.h>

/* Write cursor; the space is already reserved. */
struct cursor {
    char *at;
};

/* Starts at the buffer's end, with room for `room` characters. The buffer must not be used before cursor_end.
 */
static inline struct cursor cursor_begin(struct buffer *buffer, size_t room)
{
    return (struct cursor){buffer_reserve(buffer, room)};
}

static inline void cursor_end(struct cursor cursor, struct buffer *buffer)
{
    *cursor.at = '\0';
    buffer->size = (size_t)(cursor.at - buffer->data);
}

static inline void cursor_bytes(struct cursor *cursor, const char *bytes, size_t size)
{
    memcpy(cursor->at, bytes, size);
    cursor->at += size;
}

/* Text stored in at least CURSOR_PADDED bytes, all of which are copied, without a call or loop. The cursor
 * needs room for them. */
enum { CURSOR_PADDED = 64 };

static inline void cursor_padded(struct cursor *cursor, const char *text, size_t size)
{
    memcpy(cursor->at, text, CURSOR_PADDED);
    cursor->at += size;
}

/* Blanks; up to CURSOR_PADDED bytes are written as above. */
static inline void cursor_blanks(struct cursor *cursor, size_t count)
{
    if (count <= CURSOR_PADDED)
        memset(cursor->at, ' ', CURSOR_PADDED);
    else
        memset(cursor->at, ' ', count);
    cursor->at += count;
}

/* A literal. */
#define CURSOR_TEXT(cursor, text) cursor_bytes(cursor, "" text "", sizeof(text) - 1)

static inline void cursor_fill(struct cursor *cursor, char character, size_t count)
{
    memset(cursor->at, character, count);
    cursor->at += count;
}

/* Numbers are written two digits at a time: up to six digits in place, longer ones backwards into bytes that
 * are then all copied. The cursor needs room for CURSOR_NUMBER. */
enum { CURSOR_NUMBER = 24, CURSOR_DIGITS = 20, CURSOR_TWO = 100, CURSOR_FOUR = 10000, CURSOR_SIX = 1000000 };

static const char cursor_pairs[201] =
    "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
    "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
    "8081828384858687888990919293949596979899";

/* A number below 100, with a leading zero if needed. */
static inline void cursor_pair(struct cursor *cursor, unsigned number)
{
    memcpy(cursor->at, cursor_pairs + 2 * (size_t)number, 2);
    cursor->at += 2;
}

/* A number below 100, without a leading zero. */
static inline void cursor_first(struct cursor *cursor, unsigned number)
{
    if (number < 10)
        *cursor->at++ = (char)('0' + number);
    else
        cursor_pair(cursor, number);
}

static inline void cursor_long_number(struct cursor *cursor, uint64_t number)
{
    char digits[2 * CURSOR_NUMBER];
    size_t first = CURSOR_NUMBER;
    for (; number >= CURSOR_TWO; number /= CURSOR_TWO)
        memcpy(digits + (first -= 2), cursor_pairs + 2 * (number % CURSOR_TWO), 2);
    memcpy(digits + (first -= 2), cursor_pairs + 2 * number, 2);
    first += number < 10;
    memcpy(cursor->at, digits + first, CURSOR_DIGITS);
    cursor->at += CURSOR_NUMBER - first;
}

static inline void cursor_number(struct cursor *cursor, uint64_t number)
{
    if (number >= CURSOR_SIX) {
        cursor_long_number(cursor, number);
        return;
    }
    unsigned left = (unsigned)number;
    if (left < CURSOR_TWO) {
        cursor_first(cursor, left);
        return;
    }
    if (left < CURSOR_FOUR) {
        cursor_first(cursor, left / CURSOR_TWO);
    } else {
        cursor_first(cursor, left / CURSOR_FOUR);
        cursor_pair(cursor, left / CURSOR_TWO % CURSOR_TWO);
    }
    cursor_pair(cursor, left % CURSOR_TWO);
}

#endif
