#include "base/text/visible.h"

#include "base/memory.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* The smallest code point of a sequence of that many bytes; overlong forms are not UTF-8. */
static const uint32_t least_of_length[] = {0, 0, 0x80, 0x800, 0x10000};

/* The code point that begins here, and its length in bytes; 0 if it is not UTF-8. */
static size_t decode(const unsigned char *text, size_t size, uint32_t *point)
{
    size_t length = text[0] < 0x80 ? 1 : text[0] < 0xc2 ? 0 : text[0] < 0xe0 ? 2 : text[0] < 0xf0 ? 3 : 4;
    if (length == 0 || length > size || text[0] > 0xf4)
        return 0;
    *point = length == 1 ? text[0] : text[0] & (0x7fU >> length);
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
        *point = *point << 6 | (text[i] & 0x3fU);
    }
    bool surrogate = *point >= 0xd800 && *point <= 0xdfff;
    return *point < least_of_length[length] || *point > 0x10ffff || surrogate ? 0 : length;
}

/* Code points beyond ASCII that control or hide text. */
static const struct {
    uint32_t first, last;
} unfit[] = {{0x80, 0x9f},     {0x61c, 0x61c},   {0x200e, 0x200f}, {0x2028, 0x202e},
             {0x2066, 0x2069}, {0xfeff, 0xfeff}, {0xfffe, 0xffff}};

static bool is_unfit(uint32_t point)
{
    for (size_t i = 0; i < sizeof unfit / sizeof unfit[0]; i++)
        if (point >= unfit[i].first && point <= unfit[i].last)
            return true;
    return false;
}

static void escape_control(unsigned char control, char escape[VISIBLE_ESCAPE_BYTES])
{
    char letter = control == '\n' ? 'n' : control == '\t' ? 't' : control == '\r' ? 'r' : '\0';
    if (letter != '\0')
        snprintf(escape, VISIBLE_ESCAPE_BYTES, "\\%c", letter);
    else
        snprintf(escape, VISIBLE_ESCAPE_BYTES, "\\x%02x", control);
}

size_t visible_next(const char *text, size_t size, char escape[VISIBLE_ESCAPE_BYTES])
{
    const unsigned char *bytes = (const unsigned char *)text;
    uint32_t point = 0;
    escape[0] = '\0';
    if (bytes[0] >= ' ' && bytes[0] < 0x7f)
        return 1;
    size_t length = decode(bytes, size, &point);
    if (length <= 1)
        escape_control(bytes[0], escape);
    else if (is_unfit(point))
        snprintf(escape, VISIBLE_ESCAPE_BYTES, "\\u%04x", (unsigned)(point & 0xffff));
    return length == 0 ? 1 : length;
}

static void append(struct buffer *buffer, const char *text, bool keep_lines)
{
    const char *end = text + strlen(text);
    while (text < end) {
        char escape[VISIBLE_ESCAPE_BYTES];
        size_t length = visible_next(text, (size_t)(end - text), escape);
        if (escape[0] == '\0' || (keep_lines && (*text == '\n' || *text == '\t')))
            buffer_append(buffer, text, length);
        else
            buffer_text(buffer, escape);
        text += length;
    }
}

void visible_append_json(struct buffer *buffer, const char *text)
{
    const char *end = text + strlen(text);
    while (text < end) {
        char escape[VISIBLE_ESCAPE_BYTES];
        size_t length = visible_next(text, (size_t)(end - text), escape);
        if (*text == 0x7f)
            buffer_text(buffer, "\\u007f");
        else if (escape[0] != '\0' && escape[1] == 'u')
            buffer_text(buffer, escape);
        else
            buffer_append(buffer, text, length);
        text += length;
    }
}

void visible_append(struct buffer *buffer, const char *text)
{
    append(buffer, text, false);
}

void visible_append_lines(struct buffer *buffer, const char *text)
{
    append(buffer, text, true);
}

void visible_print(FILE *to, const char *format, va_list arguments)
{
    struct buffer shown = {0};
    char *text = memory_printed(format, arguments);
    buffer_text(&shown, "");
    visible_append_lines(&shown, text);
    fwrite(shown.data, 1, shown.size, to);
    buffer_free(&shown);
    free(text);
}
