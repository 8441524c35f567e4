/* Text for a terminal of so many columns: prose is filled, and what stands in columns goes on under its own
 * column, so that nothing is cut in the middle of a word. */
#ifndef REPORT_WRAP_H
#define REPORT_WRAP_H

#include "base/buffer.h"

#include <stddef.h>
#include <stdio.h>

enum { WRAP_WIDTH = 80 }; /* columns of a page that no terminal shows */

/* Columns of the terminal behind stdout; 0 where there is none or it does not say. */
size_t wrap_terminal_width(void);

/* Characters of the text: bytes that do not continue a UTF-8 sequence. */
size_t wrap_text_width(const char *text);

/* Appends the text as words parted by single blanks, without a line's end behind the last. The first line
 * begins at column `at`, further ones at column `indent`; no line passes `width` unless a single word does.
 */
void wrap_words(const char *text, size_t at, size_t indent, size_t width, struct buffer *buffer);

/* Appends whole lines. Neighbouring lines that begin at column 0 and have no two blanks in a row are one
 * paragraph, which is filled. Any other line that is too long goes on under its last column: behind the first
 * two blanks in a row that follow a word, else where its own words begin. */
void wrap_page(const char *text, size_t width, struct buffer *buffer);

/* Prints the page, as wide as the terminal behind stdout and at most WRAP_WIDTH. */
void wrap_print(const char *text, FILE *where);

#endif
