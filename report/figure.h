/* Figures from results: what a recipe's `plot` asks for becomes panels of lines or bars, ready to be drawn by
 * gnuplot (figure_script.h). Each (plot, y metric) is one panel, or all metrics together are; each value of
 * the plot's `by` is one line; a sweep parameter that is neither x nor `by` splits the lines further, so that
 * no line joins points that differ in it. Figures from samples (traces, idle intervals) have a panel a point.
 *
 * Texts come from recipes and are taken as they are; figure_script quotes them. */
#ifndef REPORT_FIGURE_H
#define REPORT_FIGURE_H

#include "base/arena.h"
#include "base/buffer.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct figure_sample {
    double x, y;
    double low, high;     /* the interval of y; both y where the value is exact */
    double x_low, x_high; /* of x; both 0 where there is none */
    double base;          /* of a bar: where it begins; with stacked ones the end of the bar below */
    bool doubtful;        /* of power: its verdict is "untrustworthy"; drawn hollow */
};

enum figure_kind {
    FIGURE_LINES, /* markers, joined */
    FIGURE_POINTS,
    FIGURE_BARS,
    FIGURE_STACKED,
};

/* The colour of a curve that belongs to no line. */
#define FIGURE_GREY ((size_t)-1)

struct figure_line {
    const char *label; /* "dependents = 0"; "" when the panel's only line needs none */
    bool reference;    /* a model's or a fit's curve, not observations */
    bool right;        /* belongs to the axis on the right */
    size_t colour;     /* index of its colour and marker */
    const struct figure_sample *samples;
    size_t count;
};

/* Where a phase begins on x. */
struct figure_mark {
    double x;
    const char *label;
};

struct figure_panel {
    const char *title;    /* NULL: the panel above belongs to the same plot and shows it */
    const char *heading;  /* of the panel wherever it stands alone; never NULL */
    const char *subtitle; /* what was seen, how and on which machine */
    const char *x_label;
    const char *y_label;
    const char *right_label; /* NULL: there is no axis on the right */
    const char **categories; /* x is an index into them; NULL: x is a number */
    size_t category_count;
    const double *ticks; /* where x has its marks, and what stands there; NULL: gnuplot chooses */
    const char **tick_labels;
    size_t tick_count;
    const struct figure_mark *marks; /* sorted by x */
    size_t mark_count;
    enum figure_kind kind;
    bool plain;                /* lines without markers: there are too many samples for them */
    bool from_zero;            /* y begins at 0, or below where a value does */
    bool x_is_log, y_is_log;   /* every value there is above 0 */
    bool x_is_bytes;           /* sizes: its marks are KiB and MiB */
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

/* What figures are made of. */
struct figure_results {
    const json_t *context;
    const json_t *points;
    const char *folder; /* of the results file, where relative paths of traces begin; NULL: the current one */
};

/* Adds the panels of every plot that a benchmark of the context asks for; only the named benchmark's when
 * benchmark is not NULL. A panel without data is left out with a warning. figure must be all zeros. */
void figure_build(struct figure *figure, const struct figure_results *results, const char *benchmark);

/* Another panel, all zeros but from_zero. In the arena; valid until the next is added. */
struct figure_panel *figure_add_panel(struct figure *figure);

/* Adds a line of warning. */
__attribute__((format(printf, 3, 4))) void figure_warn(struct figure *figure, const char *benchmark,
                                                       const char *format, ...);

void figure_free(struct figure *figure);

#endif
