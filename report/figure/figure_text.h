/* Texts of figures: quoting for gnuplot, and their width. */
#ifndef REPORT_FIGURE_FIGURE_TEXT_H
#define REPORT_FIGURE_FIGURE_TEXT_H

#include "base/buffer.h"

#include <stdbool.h>

/* Appends at most `longest` characters of UTF-8 text as one quoted string; longer text is cut with an
 * ellipsis. gnuplot treats tick labels as printf formats, so % is doubled there. */
void figure_quote_part(struct buffer *script, const char *text, int longest, bool is_format);
void figure_quote(struct buffer *script, const char *text);

/* Number of characters of the text, at most `longest`. */
int figure_length(const char *text, int longest);

/* Approximate width in pixels at the font size of legends and ticks, rounded up generously. */
int figure_width(const char *text, int longest);

#endif
