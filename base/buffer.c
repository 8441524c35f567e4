#include "base/buffer.h"

#include "base/pen.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What most of what is printed takes. */
enum { LIKELY_BYTES = 120 };

void buffer_grow(struct buffer *buffer, size_t more)
{
    size_t needed = buffer->size + more + 1;
    size_t capacity = buffer->capacity == 0 ? 256 : buffer->capacity;
    while (capacity < needed)
        capacity *= 2;
    char *data = realloc(buffer->data, capacity);
    if (data == NULL)
        abort();
    buffer->data = data;
    buffer->capacity = capacity;
}

void buffer_append(struct buffer *buffer, const void *bytes, size_t size)
{
    char *end = buffer_reserve(buffer, size);
    if (size != 0)
        memcpy(end, bytes, size);
    buffer->size += size;
    buffer->data[buffer->size] = '\0';
}

void buffer_text(struct buffer *buffer, const char *text)
{
    buffer_append(buffer, text, strlen(text));
}

void buffer_number(struct buffer *buffer, unsigned long long number)
{
    struct pen pen = pen_begin(buffer, PEN_NUMBER);
    pen_number(&pen, number);
    pen_end(pen, buffer);
}

void buffer_fill(struct buffer *buffer, char character, size_t count)
{
    memset(buffer_reserve(buffer, count), character, count);
    buffer->size += count;
    buffer->data[buffer->size] = '\0';
}

void buffer_printf(struct buffer *buffer, const char *format, ...)
{
    va_list arguments;
    va_list again;
    char *end = buffer_reserve(buffer, LIKELY_BYTES);
    size_t room = buffer->capacity - buffer->size;
    va_start(arguments, format);
    va_copy(again, arguments);
    int size = vsnprintf(end, room, format, arguments);
    va_end(arguments);
    if (size > 0 && (size_t)size >= room)
        vsnprintf(buffer_reserve(buffer, (size_t)size), (size_t)size + 1, format, again);
    va_end(again);
    buffer->size += size > 0 ? (size_t)size : 0;
    buffer->data[buffer->size] = '\0';
}

void buffer_align(struct buffer *buffer, size_t alignment)
{
    static const char zeros[64];
    size_t missing = (alignment - buffer->size % alignment) % alignment;
    while (missing > 0) {
        size_t step = missing < sizeof zeros ? missing : sizeof zeros;
        buffer_append(buffer, zeros, step);
        missing -= step;
    }
}

void buffer_free(struct buffer *buffer)
{
    free(buffer->data);
    memset(buffer, 0, sizeof *buffer);
}
