/* Makes untrusted text safe to display: file names, process names and strings from JSON and Lua may contain
 * terminal control sequences, invisible characters or invalid UTF-8. All output for people (messages, tables,
 * pages, pictures, CSV, TAP) shows these as the same visible escapes. */
#ifndef BASE_TEXT_VISIBLE_H
#define BASE_TEXT_VISIBLE_H

#include "base/buffer.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

enum { VISIBLE_ESCAPE_BYTES = 8 };

/* Returns the length of the first character in a text of `size` bytes (at least one). escape: "" if it can be
 * shown unchanged, else its replacement: \n, \t, \r, \x1b for another control character or a byte of invalid
 * UTF-8, \u202e for a non-ASCII control character, a line separator, a bidirectional control or a
 * noncharacter. */
size_t visible_next(const char *text, size_t size, char escape[VISIBLE_ESCAPE_BYTES]);

/* Appends the NUL-terminated text with such escapes. */
void visible_append(struct buffer *buffer, const char *text);

/* The same, but keeps line ends and tabs: for texts of several lines. */
void visible_append_lines(struct buffer *buffer, const char *text);

/* As vfprintf, for output that contains untrusted text: characters that would control the terminal, except
 * line ends and tabs, are shown as such escapes. */
__attribute__((format(printf, 2, 0))) void visible_print(FILE *to, const char *format, va_list arguments);

/* Appends JSON text with these characters as JSON escapes; the meaning is unchanged. */
void visible_append_json(struct buffer *buffer, const char *text);

#endif
