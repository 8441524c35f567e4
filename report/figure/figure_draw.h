/* Draws a figure into a file with gnuplot; never leaves a partial file. */
#ifndef REPORT_FIGURE_FIGURE_DRAW_H
#define REPORT_FIGURE_FIGURE_DRAW_H

#include "base/error.h"
#include "report/figure/figure.h"
#include "report/figure/figure_script.h"

/* The format implied by the file's name. STATUS_USAGE when it ends neither in .svg nor in .png. */
enum status figure_format_of(const char *output, enum figure_format *format, struct error *error);

/* STATUS_UNAVAILABLE when there is no gnuplot. */
enum status figure_check_gnuplot(struct error *error);

/* Appends the picture of a figure with at least one panel; errors as figure_draw. */
enum status figure_picture(const struct figure *figure, enum figure_format format, struct buffer *picture,
                           struct error *error);

/* Draws a figure with at least one panel. STATUS_UNAVAILABLE without gnuplot, STATUS_FAILED when gnuplot
 * fails. */
enum status figure_draw(const struct figure *figure, enum figure_format format, const char *output,
                        struct error *error);

#endif
