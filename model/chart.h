/* What a model shows, as a part of its JSON document, so that it is kept with the numbers and drawn by
 * whoever draws ("charts": [{"title", "subtitle", "kind", "x", "y", "categories", "lines": [{"label",
 * "samples":
 * [[x, y, low, high], ...]}], "log": "x", "y" or "xy" where an axis is one of logarithms}]). */
#ifndef MODEL_CHART_H
#define MODEL_CHART_H

#include "base/stats.h"

#include <jansson.h>

/* Adds an empty chart to document["charts"]; borrowed. kind: "bars" (beside one another), "stacked", "points"
 * or "lines". x and y name the axes, with units. */
json_t *chart_add(json_t *document, const char *title, const char *subtitle, const char *kind, const char *x,
                  const char *y);

/* Adds a sample with its interval to the line of that label, which is made where it is not there. */
void chart_sample(json_t *chart, const char *label, double x, struct interval y);

/* The same where x is a word: the category of that name, which is made where it is not there. */
void chart_bar(json_t *chart, const char *label, const char *category, struct interval y);

/* Makes the line of that label a curve among points, as a fit is, in the colour of the line like, or in grey
 * (NULL). */
void chart_curve(json_t *chart, const char *label, const char *like);

/* Adds to a chart of predicted over measured the line on which both are the same, from the least to the most
 * of what is there. */
void chart_diagonal(json_t *chart, const char *label);

#endif
