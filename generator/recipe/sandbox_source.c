#include "generator/recipe/sandbox_source.h"

#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 32 };

/* Bytes of a long bracket's opening, [[ or [==[; 0 if there is none. */
static size_t long_opening(const char *at, const char *end)
{
    const char *next = at;
    if (next == end || *next++ != '[')
        return 0;
    while (next < end && *next == '=')
        next++;
    return next < end && *next == '[' ? (size_t)(next - at) + 1 : 0;
}

/* The position after the long bracket whose opening has that many bytes. */
static const char *skip_long(const char *at, const char *end, size_t opening)
{
    for (at += opening; at < end; at++) {
        const char *next = at;
        if (*next++ != ']')
            continue;
        while (next < end && *next == '=')
            next++;
        if (next < end && *next == ']' && (size_t)(next - at) + 1 == opening)
            return next + 1;
    }
    return end;
}

static const char *skip_quoted(const char *at, const char *end)
{
    char quote = *at++;
    while (at < end && *at != quote)
        at += *at == '\\' && at + 1 < end ? 2 : 1;
    return at < end ? at + 1 : end;
}

static const char *skip_comment(const char *at, const char *end)
{
    at += 2;
    size_t opening = long_opening(at, end);
    if (opening > 0)
        return skip_long(at, end, opening);
    const char *line = memchr(at, '\n', (size_t)(end - at));
    return line == NULL ? end : line;
}

/* The position after a string or a comment, which hold no operator; unchanged if there is neither. */
static const char *skip_text(const char *at, const char *end)
{
    size_t opening = long_opening(at, end);
    if (opening > 0)
        return skip_long(at, end, opening);
    if (*at == '"' || *at == '\'')
        return skip_quoted(at, end);
    return end - at > 1 && at[0] == '-' && at[1] == '-' ? skip_comment(at, end) : at;
}

static const char *find_length(const char *at, const char *end)
{
    while (at < end && *at != '#') {
        const char *next = skip_text(at, end);
        at = next == at ? at + 1 : next;
    }
    return at;
}

/* A name that the text does not have. */
static void choose_name(const struct buffer *text, char name[NAME_BYTES])
{
    unsigned number = 0;
    do
        snprintf(name, NAME_BYTES, "length_%u", number++);
    while (memmem(text->data, text->size, name, strlen(name)) != NULL);
}

bool sandbox_source_measured(const struct buffer *text, struct buffer *output)
{
    char name[NAME_BYTES];
    if (text->size == 0)
        return false;
    const char *at = text->data;
    const char *end = text->data + text->size;
    const char *next = find_length(at, end);
    if (next == end)
        return false;
    choose_name(text, name);
    /* ^ binds its right operand as tightly as # does, and nothing binds more tightly. */
    buffer_printf(output, "local %s = ... return function(...) ", name);
    for (; next < end; next = find_length(at, end)) {
        buffer_append(output, at, (size_t)(next - at));
        buffer_printf(output, " %s^", name);
        at = next + 1;
    }
    buffer_append(output, at, (size_t)(end - at));
    buffer_text(output, "\nend");
    return true;
}
