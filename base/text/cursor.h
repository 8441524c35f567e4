/* Writes text directly into space reserved in a buffer, for the few places that write most of a program's
 * text. */
#ifndef BASE_TEXT_CURSOR_H
#define BASE_TEXT_CURSOR_H

#include "base/buffer.h"
#include "base/text/digits.h"

#include <stdint.h>
#include <string.h>

/* A write cursor in reserved space. */
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

/* A literal. */
#define CURSOR_TEXT(cursor, text) cursor_bytes(cursor, "" text "", sizeof(text) - 1)

/* A number in decimal. The cursor needs room for CURSOR_NUMBER. */
enum { CURSOR_NUMBER = DIGITS_ROOM };

static inline void cursor_number(struct cursor *cursor, uint64_t number)
{
    cursor->at = digits_put(cursor->at, number);
}

#endif
