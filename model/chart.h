/* The charts of a model's result. They are stored with the numbers (model_json.c), so that any program can
 * draw them. */
#ifndef MODEL_CHART_H
#define MODEL_CHART_H

#include "base/arena.h"
#include "base/stats.h"

#include <stdbool.h>

/* CHART_BARS are side by side. */
enum chart_kind { CHART_LINES, CHART_POINTS, CHART_BARS, CHART_STACKED };

struct chart_point {
    double x, y, low, high;
};

struct chart_line {
    const char *label;
    struct chart_point *samples;
    size_t count;
    bool reference;   /* a curve among points, such as a fit */
    const char *like; /* of a reference: the label of the line that has its colour; NULL: grey */
};

struct chart {
    const char *title, *subtitle, *x, *y; /* x and y name the axes, with units */
    enum chart_kind kind;
    const char *log; /* logarithmic axes: "x", "y" or "xy"; NULL: none */
    const char **categories;
    size_t category_count;
    struct chart_line *lines;
    size_t count;
    struct arena *arena; /* owns all parts */
};

struct charts {
    struct chart **items;
    size_t count;
};

/* Adds an empty chart; all texts are copied to the arena. */
struct chart *chart_add(struct charts *charts, struct arena *arena, enum chart_kind kind, const char *title,
                        const char *subtitle, const char *x, const char *y);

/* Adds a sample with its interval to the line of that label; creates the line if necessary. Ignores samples
 * that are not finite. */
void chart_sample(struct chart *chart, const char *label, double x, struct interval y);

/* The same for a categorical x: the category of that name, created if necessary. */
void chart_bar(struct chart *chart, const char *label, const char *category, struct interval y);

/* Turns the line of that label into a curve among points, in the colour of the line like, or grey (NULL). */
void chart_curve(struct chart *chart, const char *label, const char *like);

/* Adds the diagonal (predicted = measured) to a chart of predicted over measured, over the range of its
 * data. */
void chart_diagonal(struct chart *chart, const char *label);

#endif
