/* Texts of others made fit to be shown: file names, process names, strings of JSON and Lua may hold what
 * steers a terminal, hides, or is no UTF-8. Whatever writes for people (messages, tables, pages, pictures,
 * CSV, TAP) shows such characters as the same visible escapes. */
#ifndef BASE_VISIBLE_H
#define BASE_VISIBLE_H

#include "base/buffer.h"

#include <stddef.h>

enum { VISIBLE_ESCAPE_BYTES = 8 };

/* Looks at the character that begins the text of `size` bytes, at least one, and returns how many it takes.
 * escape is "" where it can be shown as it is, else what stands for it: \n, \t, \r, \x1b for another control
 * character or a byte that is no UTF-8, \u202e for a control character beyond ASCII, a line separator, a mark
 * that turns the direction of writing, or no character at all. */
size_t visible_next(const char *text, size_t size, char escape[VISIBLE_ESCAPE_BYTES]);

/* Appends the text, which ends at a NUL, as it is but for such escapes. */
void visible_append(struct buffer *buffer, const char *text);

/* The same, but lines and tabs stay: for texts of several lines. */
void visible_append_lines(struct buffer *buffer, const char *text);

/* Appends JSON text with these characters as JSON's own escapes, where JSON lets them stand as they are: it
 * tells the same. */
void visible_append_json(struct buffer *buffer, const char *text);

#endif
