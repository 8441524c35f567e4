/* Draws a figure into a file with gnuplot; never leaves a partial file. */
#ifndef REPORT_FIGURE_FIGURE_DRAW_H
#define REPORT_FIGURE_FIGURE_DRAW_H

#include "base/buffer.h"
#include "base/error.h"
#include "report/figure/figure.h"

enum figure_format { FIGURE_SVG, FIGURE_PNG };

/* Appends the gnuplot script that draws the figure (at least one panel) into the file output. The same figure
 * gives the same script. Texts come from recipes and result files of any origin: each is written as a quoted
 * string without control characters, in gnuplot's "noenhanced" mode, so that none can end its string, run a
 * command or change the fonts. */
void figure_script(const struct figure *figure, enum figure_format format, const char *output,
                   struct buffer *script);

/* The format by the file's name. STATUS_USAGE when it ends neither in .svg nor in .png. */
enum status figure_format_of(const char *output, enum figure_format *format, struct error *error);

/* STATUS_UNAVAILABLE when there is no gnuplot. */
enum status figure_check_gnuplot(struct error *error);

/* The most figures that one run of gnuplot draws; its start takes longer than a picture. */
enum { FIGURE_BATCH = 32 };

/* Appends the pictures of `count` figures, at most FIGURE_BATCH, each with at least one panel. After an error
 * the pictures are incomplete. Errors as figure_draw. */
enum status figure_pictures(const struct figure figures[], size_t count, enum figure_format format,
                            struct buffer pictures[], struct error *error);

/* Draws a figure with at least one panel. STATUS_UNAVAILABLE without gnuplot, STATUS_FAILED when gnuplot
 * fails. */
enum status figure_draw(const struct figure *figure, enum figure_format format, const char *output,
                        struct error *error);

#endif
