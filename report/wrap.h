/* Wraps text for a terminal of a given width without cutting words: prose is filled, and columns continue
 * below themselves. */
#ifndef REPORT_WRAP_H
#define REPORT_WRAP_H

#include "base/buffer.h"

#include <stddef.h>
#include <stdio.h>

enum { WRAP_WIDTH = 80 }; /* columns when there is no terminal */

/* Columns of the terminal behind stdout; 0 if there is none or its width is unknown. */
size_t wrap_terminal_width(void);

/* Characters of the text: bytes that do not continue a UTF-8 sequence. */
size_t wrap_text_width(const char *text);

/* Appends the words of the text, separated by single blanks, without a final newline. The first line starts
 * at column `at`, further ones at column `indent`; no line exceeds `width` unless a single word does. */
void wrap_words(const char *text, size_t at, size_t indent, size_t width, struct buffer *buffer);

/* Appends whole lines. Adjacent lines that start at column 0 and contain no two consecutive blanks form one
 * paragraph, which is filled. Any other line that is too long continues below its last column: after the
 * first two consecutive blanks that follow a word, else where its own words start. */
void wrap_page(const char *text, size_t width, struct buffer *buffer);

/* Prints the page at the terminal's width, at most WRAP_WIDTH. */
void wrap_print(const char *text, FILE *where);

#endif
