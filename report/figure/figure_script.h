/* A figure as a gnuplot script: panels below one another, each with title, axes, grid, lines, error bars and
 * legend. The same figure gives the same script. Texts come from recipes and result files of any origin. Each
 * is written as a single-quoted string without control characters, in gnuplot's "noenhanced" mode, so that
 * none can end its string, run a command or change the fonts. */
#ifndef REPORT_FIGURE_FIGURE_SCRIPT_H
#define REPORT_FIGURE_FIGURE_SCRIPT_H

#include "base/buffer.h"
#include "report/figure/figure.h"

enum figure_format { FIGURE_SVG, FIGURE_PNG };

/* Appends the script that draws the figure (at least one panel) into the file output. */
void figure_script(const struct figure *figure, enum figure_format format, const char *output,
                   struct buffer *script);

#endif
