/* Charts as part of a model's JSON document, so that they are stored with the numbers and any program can
 * draw them ("charts": [{"title", "subtitle", "kind", "x", "y", "categories", "lines": [{"label", "samples":
 * [[x, y, low, high], ...]}], "log": "x", "y" or "xy" for logarithmic axes}]). */
#ifndef MODEL_CHART_H
#define MODEL_CHART_H

#include "base/stats.h"

#include <jansson.h>

/* Adds an empty chart to document["charts"]; borrowed. kind: "bars" (side by side), "stacked", "points" or
 * "lines". x and y name the axes, with units. */
json_t *chart_add(json_t *document, const char *title, const char *subtitle, const char *kind, const char *x,
                  const char *y);

/* Adds a sample with its interval to the line of that label; creates the line if necessary. */
void chart_sample(json_t *chart, const char *label, double x, struct interval y);

/* The same for a categorical x: the category of that name, created if necessary. */
void chart_bar(json_t *chart, const char *label, const char *category, struct interval y);

/* Turns the line of that label into a curve among points, such as a fit, in the colour of the line like, or
 * grey (NULL). */
void chart_curve(json_t *chart, const char *label, const char *like);

/* Adds the diagonal (predicted = measured) to a chart of predicted over measured, over the range of its
 * data. */
void chart_diagonal(json_t *chart, const char *label);

#endif
