/* What the fit of planned measurements would report: the model's own fit of simulated readings, so that
 * everything that widens its intervals (few repetitions, idle levels, the error of whole points) is in them.
 */
#ifndef MODEL_DESIGN_EXPECTED_FIT_H
#define MODEL_DESIGN_EXPECTED_FIT_H

#include "model/model.h"

#include <jansson.h>
#include <stddef.h>

/* One point, measured. */
struct expected_point {
    const json_t *document; /* a line of results without repetitions and power; borrowed */
    double pass_s;
    double dynamic_w; /* that it draws */
    const double
        *idle_w; /* 2: while it cools, at design_celsius(0) and the slope, W per K; NULL: it does not */
    double reps, time_s; /* seconds of one repetition */
    double idle_s;       /* of all its idle time */
    double idle_after_s;
};

struct expected_meter {
    double noise_w;  /* standard deviation of its mean over one second; over t seconds that over sqrt(t) */
    double static_w; /* what the idle chip draws */
};

enum { EXPECTED_DRAWS = 21 };

/* coefficients: {name: {"value", "half", "unit"}}, half of the 95 % interval's width, the median of so many
 * simulated measurements, at most EXPECTED_DRAWS; a new reference. machine: the description's document.
 * Errors as model_fit. */
enum status expected_fit(const struct model *model, const struct model_settings *settings,
                         const json_t *machine, const struct expected_point *points, size_t count,
                         const struct expected_meter *meter, size_t draws, json_t **coefficients,
                         struct error *error);

#endif
