#include "base/buffer.h"

#include "base/memory.h"
#include "base/text/digits.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Enough room for most calls. */
enum { LIKELY_BYTES = 120, FIRST_BYTES = 1024 };

void buffer_grow(struct buffer *buffer, size_t more)
{
    size_t needed = buffer->size + more + 1;
    size_t capacity = buffer->capacity == 0 ? FIRST_BYTES : buffer->capacity;
    while (capacity < needed)
        capacity *= 2;
    buffer->data = memory_resized(buffer->data, capacity, 1);
    buffer->capacity = capacity;
}

void buffer_number(struct buffer *buffer, unsigned long long number)
{
    char *end = digits_put(buffer_reserve(buffer, DIGITS_ROOM), number);
    *end = '\0';
    buffer->size = (size_t)(end - buffer->data);
}

/* A double that is nearest to a number of so few digits is printed as those digits. Below LEAST, %g uses an
 * exponent. */
bool buffer_decimal(struct buffer *buffer, double number)
{
    enum { DECIMALS = 6, ONE = 1000000 };
    static const double LEAST = 1e-4;
    static const double MOST = 1e4;
    if (!(number >= LEAST && number < MOST))
        return false;
    uint64_t scaled = (uint64_t)(number * ONE + 0.5);
    if ((double)scaled / ONE != number)
        return false;
    char decimals[DECIMALS];
    unsigned rest = (unsigned)(scaled % ONE);
    size_t count = rest == 0 ? 0 : DECIMALS;
    for (size_t i = DECIMALS; i-- > 0; rest /= 10)
        decimals[i] = (char)('0' + rest % 10);
    while (count > 0 && decimals[count - 1] == '0')
        count--;
    buffer_number(buffer, scaled / ONE);
    if (count > 0)
        buffer_append(buffer, ".", 1);
    buffer_append(buffer, decimals, count);
    return true;
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
