/* A growable byte buffer for output text and file contents. */
#ifndef BASE_BUFFER_H
#define BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* All zeros is an empty buffer. data is NULL or NUL-terminated; size excludes the NUL. */
struct buffer {
    char *data;
    size_t size;
    size_t capacity;
};

/* Makes room for `more` characters and a NUL after the buffer's end; the slow path of buffer_reserve. */
void buffer_grow(struct buffer *buffer, size_t more);

/* The buffer's end, with room for `more` characters and a NUL; valid until the buffer changes. */
static inline char *buffer_reserve(struct buffer *buffer, size_t more)
{
    if (buffer->capacity - buffer->size <= more)
        buffer_grow(buffer, more);
    return buffer->data + buffer->size;
}

static inline void buffer_append(struct buffer *buffer, const void *bytes, size_t size)
{
    char *end = buffer_reserve(buffer, size);
    if (size != 0)
        memcpy(end, bytes, size);
    buffer->size += size;
    buffer->data[buffer->size] = '\0';
}

static inline void buffer_text(struct buffer *buffer, const char *text)
{
    buffer_append(buffer, text, strlen(text));
}

/* Appends the number in decimal. */
void buffer_number(struct buffer *buffer, unsigned long long number);

/* Appends a number with at most six decimals and ten digits in total, exactly as %.10g and %.15g print it.
 * False, appending nothing, for any other number. */
bool buffer_decimal(struct buffer *buffer, double number);

/* Appends the character count times. */
void buffer_fill(struct buffer *buffer, char character, size_t count);
__attribute__((format(printf, 2, 3))) void buffer_printf(struct buffer *buffer, const char *format, ...);

/* Appends zero bytes until size is a multiple of alignment (a power of two). */
void buffer_align(struct buffer *buffer, size_t alignment);

/* Frees the bytes and leaves an empty buffer. */
void buffer_free(struct buffer *buffer);

#endif
