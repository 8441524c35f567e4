/* Texts of figures: quoted for gnuplot, and how much room they take. */
#ifndef REPORT_FIGURE_TEXT_H
#define REPORT_FIGURE_TEXT_H

#include "base/buffer.h"

#include <stdbool.h>

/* At most `longest` characters of UTF-8 text as one quoted string; more is cut with an ellipsis. Tick labels
 * are printf formats to gnuplot, so that a % has to be doubled there. */
void figure_quote_part(struct buffer *script, const char *text, int longest, bool is_format);
void figure_quote(struct buffer *script, const char *text);

/* Characters of the text, `longest` at most. */
int figure_length(const char *text, int longest);

/* Pixels of so much text at the font size of legends and ticks: a generous guess. */
int figure_width(const char *text, int longest);

#endif
