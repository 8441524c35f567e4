#include "runner/measure/outliers.h"

#include "base/memory.h"
#include "base/stats.h"
#include "runner/conditions/warning.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Smaller differences are no outliers: 2 % of the time of a pass; power sensors are coarser. */
static const double TIME_FLOOR = 0.02;
static const double POWER_FLOOR = 0.05;

static double ticks_per_pass(const struct result_rep *rep, const char *unused)
{
    (void)unused;
    return rep->ticks / rep->iterations;
}

static double watts(const struct result_rep *rep, const char *channel)
{
    return result_value(&rep->energy_j, channel).value / rep->seconds;
}

/* The quantity by which repetitions are compared. */
struct measure_of_rep {
    const char *name;
    double (*value)(const struct result_rep *rep, const char *channel);
    const char *channel;
    double floor;
};

/* Copies the flags to the repetitions; the warning names the farthest one. */
static void tell(struct result_rep *reps, size_t count, const struct measure_of_rep *of, const double *values,
                 const bool *far, size_t found, json_t *warnings)
{
    double median = stats_median(values, count);
    size_t farthest = 0;
    for (size_t i = 0; i < count; i++) {
        if (far[i])
            reps[i].outlier = true;
        if (fabs(values[i] - median) > fabs(values[farthest] - median))
            farthest = i;
    }
    warning_add(warnings, NULL,
                "%zu of %zu repetitions are outliers in %s, repetition %zu by %+.3g %%. They are flagged but "
                "still count",
                found, count, of->name, farthest + 1, 100 * (values[farthest] / median - 1));
}

static void flag(struct result_rep *reps, size_t count, const struct measure_of_rep *of, json_t *warnings)
{
    double *values = memory_zeroed(count + 1, sizeof *values);
    bool *far = memory_zeroed(count + 1, sizeof *far);
    bool known = true;
    for (size_t i = 0; i < count; i++) {
        values[i] = of->value(&reps[i], of->channel);
        known = known && isfinite(values[i]);
    }
    size_t found = known ? stats_outliers(values, count, of->floor, far) : 0;
    if (found > 0)
        tell(reps, count, of, values, far, found, warnings);
    free(values);
    free(far);
}

void outliers_flag(struct result_rep *reps, size_t count, json_t *warnings)
{
    const struct measure_of_rep time = {"ticks per pass", ticks_per_pass, NULL, TIME_FLOOR};
    flag(reps, count, &time, warnings);
    for (size_t i = 0; count > 0 && i < reps[0].energy_j.count; i++) {
        const char *channel = reps[0].energy_j.items[i].name;
        const struct measure_of_rep power = {channel, watts, channel, POWER_FLOOR};
        flag(reps, count, &power, warnings);
    }
}
