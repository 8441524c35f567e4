#include "base/buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void reserve(struct buffer *buffer, size_t more)
{
    size_t needed = buffer->size + more + 1;
    if (needed <= buffer->capacity)
        return;
    size_t capacity = buffer->capacity == 0 ? 256 : buffer->capacity;
    while (capacity < needed)
        capacity *= 2;
    char *data = realloc(buffer->data, capacity);
    if (data == NULL)
        abort();
    buffer->data = data;
    buffer->capacity = capacity;
}

char *buffer_reserve(struct buffer *buffer, size_t more)
{
    reserve(buffer, more);
    return buffer->data + buffer->size;
}

void buffer_append(struct buffer *buffer, const void *bytes, size_t size)
{
    reserve(buffer, size);
    if (size != 0)
        memcpy(buffer->data + buffer->size, bytes, size);
    buffer->size += size;
    buffer->data[buffer->size] = '\0';
}

void buffer_text(struct buffer *buffer, const char *text)
{
    buffer_append(buffer, text, strlen(text));
}

void buffer_number(struct buffer *buffer, unsigned long long number)
{
    char digits[20];
    size_t first = sizeof digits;
    do {
        digits[--first] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    buffer_append(buffer, digits + first, sizeof digits - first);
}

void buffer_fill(struct buffer *buffer, char character, size_t count)
{
    reserve(buffer, count);
    memset(buffer->data + buffer->size, character, count);
    buffer->size += count;
    buffer->data[buffer->size] = '\0';
}

void buffer_printf(struct buffer *buffer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    va_list again;
    va_copy(again, arguments);
    char nothing[1]; /* GCC's sanitizers take a null pointer here for a mistake */
    int size = vsnprintf(nothing, sizeof nothing, format, arguments);
    va_end(arguments);
    if (size > 0) {
        reserve(buffer, (size_t)size);
        vsnprintf(buffer->data + buffer->size, (size_t)size + 1, format, again);
        buffer->size += (size_t)size;
    }
    va_end(again);
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
