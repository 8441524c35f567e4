/* Estimates a planned point's results on the described machine: the plan's rates, and the time and counts of
 * a pass from the machine's latencies, bandwidths and instructions per cycle. Nothing runs. The estimate
 * serves only to choose points to measure. */
#ifndef SESSION_DESIGN_PLANNED_POINT_H
#define SESSION_DESIGN_PLANNED_POINT_H

#include "generator/machine/machine.h"
#include "generator/suite/manifest_read.h"
#include "model/data/dataset.h"
#include "session/work.h"

#include <stdbool.h>

struct planned_point {
    struct result_point point; /* without power */
    double pass_s;             /* estimated */
};

/* ghz: the clock at which the point runs. */
struct planned_point planned_point_make(const char *recipe, const struct manifest *manifest,
                                        const struct machine *machine, double ghz);

/* Adds the point to the dataset, which then owns it, as a row of one repetition of time_s, for the models'
 * functions of rows. */
void planned_point_add(struct planned_point *point, double time_s, struct dataset *dataset);

/* Sets named[item_count]: the item's benchmark is for the model. All are set if no benchmark is. */
void planned_choose(const struct work *work, const char *model, bool *named);

#endif
