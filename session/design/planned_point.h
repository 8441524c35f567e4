/* What a planned point would do on the described machine, in the form of a point of results: rates of the
 * plan, and time and counts of a pass estimated from the machine's latencies, bandwidths and instructions per
 * cycle. Nothing runs. It serves to choose among points before anything is measured, and judges nothing. */
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

/* ghz: the clock at which it runs. */
struct planned_point planned_point_make(const char *recipe, const struct manifest *manifest,
                                        const struct machine *machine, double ghz);

/* Adds the point as a row, of one repetition of so many seconds, so that models' functions of rows serve; the
 * dataset owns it then. */
void planned_point_add(struct planned_point *point, double time_s, struct dataset *dataset);

/* Sets named[item_count]: whether the results of the item's benchmark are for the model; all, if none are. */
void planned_choose(const struct work *work, const char *model, bool *named);

#endif
