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

/* What it would report of a coefficient: half of the 95 % interval's width. */
struct expected_coefficient {
    const char *name, *unit;
    double value, half;
};

struct expected_coefficients {
    struct arena arena; /* owns all */
    struct expected_coefficient *items;
    size_t count;
};

/* NULL: there is none. */
const struct expected_coefficient *expected_find(const struct expected_coefficients *coefficients,
                                                 const char *name);

/* Fills the empty coefficients with the median of so many simulated measurements, at most EXPECTED_DRAWS.
 * machine: that they are of. Errors as model_fit. */
enum status expected_fit(const struct model *model, const struct model_settings *settings,
                         const struct recorded_machine *machine, const struct expected_point *points,
                         size_t count, const struct expected_meter *meter, size_t draws,
                         struct expected_coefficients *coefficients, struct error *error);

#endif
