/* Figures from results: what a recipe's `plot` asks for becomes panels of lines, ready to be drawn by gnuplot
 * (figure_script.h). Each (plot, y metric) is one panel, each value of the plot's `by` one line; a sweep
 * parameter that is neither x nor `by` splits the lines further, so that no line joins points that differ in
 * it.
 *
 * Texts come from recipes and are taken as they are; figure_script quotes them. */
#ifndef CLI_FIGURE_H
#define CLI_FIGURE_H

#include "base/arena.h"
#include "base/buffer.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct figure_sample {
    double x, y;
    double low, high; /* the interval of y; both y where the value is exact */
};

struct figure_line {
    const char *label; /* "dependents = 0"; "" when the panel's only line needs none */
    bool reference;    /* a model's curve, not observations */
    const struct figure_sample *samples;
    size_t count;
};

struct figure_panel {
    const char *title;    /* NULL: the panel above belongs to the same plot and shows it */
    const char *subtitle; /* what was seen, how and on which machine */
    const char *x_label;
    const char *y_label;
    const char **categories; /* x is an index into them; NULL: x is a number */
    size_t category_count;
    const double *ticks; /* where x has its marks, and what stands there; NULL: gnuplot chooses */
    const char **tick_labels;
    size_t tick_count;
    bool logarithmic;          /* both axes; every value is above 0 */
    struct figure_line *lines; /* at least one; those of observations first */
    size_t line_count;
};

/* All zeros is empty. Owns all that it points to. */
struct figure {
    struct arena arena;
    struct figure_panel *panels;
    size_t panel_count;
    struct buffer warnings; /* one line each: what could not be drawn and why */
};

/* Adds the panels of every plot that a benchmark of the context asks for; only the named benchmark's when
 * benchmark is not NULL. A panel without data is left out with a warning. figure must be all zeros. */
void figure_build(struct figure *figure, const json_t *context, const json_t *points, const char *benchmark);

void figure_free(struct figure *figure);

#endif
