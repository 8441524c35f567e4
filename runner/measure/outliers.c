#include "runner/measure/outliers.h"

#include "base/json.h"
#include "base/memory.h"
#include "base/stats.h"
#include "runner/conditions/warning.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Smaller differences are no outliers: 2 % of the time of a pass; power sensors are coarser. */
static const double TIME_FLOOR = 0.02;
static const double POWER_FLOOR = 0.05;

static double ticks_per_pass(const json_t *rep, const char *unused)
{
    (void)unused;
    return json_number_or(rep, "ticks", NAN) / json_number_or(rep, "iterations", NAN);
}

static double watts(const json_t *rep, const char *channel)
{
    return json_number_or(json_object_get(rep, "energy_j"), channel, NAN) /
           json_number_or(rep, "seconds", NAN);
}

/* The quantity by which repetitions are compared. */
struct measure_of_rep {
    const char *name;
    double (*value)(const json_t *rep, const char *channel);
    const char *channel;
    double floor;
};

/* Copies the flags to the repetitions; the warning names the farthest one. */
static void tell(json_t *reps, const struct measure_of_rep *of, const double *values, const bool *far,
                 size_t found, json_t *warnings)
{
    size_t count = json_array_size(reps);
    double median = stats_median(values, count);
    size_t farthest = 0;
    for (size_t i = 0; i < count; i++) {
        if (far[i])
            json_object_set_new(json_array_get(reps, i), "outlier", json_true());
        if (fabs(values[i] - median) > fabs(values[farthest] - median))
            farthest = i;
    }
    warning_add(warnings, NULL,
                "%zu of %zu repetitions are outliers in %s, repetition %zu by %+.3g %%. They are flagged but "
                "still count",
                found, count, of->name, farthest + 1, 100 * (values[farthest] / median - 1));
}

static void flag(json_t *reps, const struct measure_of_rep *of, json_t *warnings)
{
    size_t count = json_array_size(reps);
    double *values = memory_zeroed(count + 1, sizeof *values);
    bool *far = memory_zeroed(count + 1, sizeof *far);
    bool known = true;
    for (size_t i = 0; i < count; i++) {
        values[i] = of->value(json_array_get(reps, i), of->channel);
        known = known && isfinite(values[i]);
    }
    size_t found = known ? stats_outliers(values, count, of->floor, far) : 0;
    if (found > 0)
        tell(reps, of, values, far, found, warnings);
    free(values);
    free(far);
}

void outliers_flag(json_t *reps, json_t *warnings)
{
    const struct measure_of_rep time = {"ticks per pass", ticks_per_pass, NULL, TIME_FLOOR};
    const char *channel;
    json_t *unused;
    flag(reps, &time, warnings);
    json_object_foreach(json_object_get(json_array_get(reps, 0), "energy_j"), channel, unused)
    {
        const struct measure_of_rep power = {channel, watts, channel, POWER_FLOOR};
        flag(reps, &power, warnings);
    }
}
