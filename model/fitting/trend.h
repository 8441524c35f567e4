/* Whether the energies of a point's repetitions follow the temperature or the time: every model takes them to
 * be constant. Other points may hide it, as each has its own temperature; the repetitions of one point do
 * not. */
#ifndef MODEL_FITTING_TREND_H
#define MODEL_FITTING_TREND_H

#include "model/data/dataset.h"
#include "model/data/model_result.h"

/* Disbelieves the model (model_disbelieve) when dynamic power changes within points, over all of them
 * together, in proportion to itself and with the hottest thermometer, else with the order of the repetitions.
 * A change that is the same at every power is that of the idle level, which the idle intervals before and
 * after see. */
void trend_judge(const struct dataset *dataset, struct model_result *result);

#endif
