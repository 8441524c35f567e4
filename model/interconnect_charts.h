/* What the model "interconnect" draws beside its own line: the paper's figures 5b, 7, 8 and 9, from what was
 * measured. Interconnect power is what a path takes above the shortest of the same condition. */
#ifndef MODEL_INTERCONNECT_CHARTS_H
#define MODEL_INTERCONNECT_CHARTS_H

#include "model/interconnect.h"

#include <jansson.h>

/* Adds a chart over distance where a condition has three of them, over share of the peak bandwidth and over f
 * V^2 where there are two values, and bars by pattern where patterns are named. */
void interconnect_draw(const struct interconnect_samples *samples, json_t *document);

/* Adds what was measured, in W/mm (or a path) at full bandwidth and the reference state, to a chart over
 * toggle rates. */
void interconnect_draw_toggles(const struct interconnect_samples *samples, json_t *chart);

#endif
