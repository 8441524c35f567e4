#include "runner/measure/outliers.h"

#include "base/memory.h"
#include "base/stats.h"
#include "runner/results/warning.h"

#include <math.h>
#include <stdlib.h>

/* Smaller differences are no outliers. */
static const double FLOOR = 0.02;

/* The warning names the farthest one. */
static void tell(const double *ticks, size_t count, size_t found, json_t *warnings)
{
    double median = stats_median(ticks, count);
    size_t farthest = 0;
    for (size_t i = 0; i < count; i++)
        if (fabs(ticks[i] - median) > fabs(ticks[farthest] - median))
            farthest = i;
    warning_add(warnings, NULL,
                "%zu of %zu repetitions are outliers in ticks per pass, repetition %zu by %+.3g %%. They are "
                "flagged but their time still counts",
                found, count, farthest + 1, 100 * (ticks[farthest] / median - 1));
}

void outliers_flag(struct result_rep *reps, size_t count, json_t *warnings)
{
    double *ticks = memory_zeroed(count + 1, sizeof *ticks);
    bool *far = memory_zeroed(count + 1, sizeof *far);
    bool known = true;
    for (size_t i = 0; i < count; i++) {
        ticks[i] = reps[i].ticks / reps[i].iterations;
        known = known && isfinite(ticks[i]);
    }
    size_t found = known ? stats_outliers(ticks, count, FLOOR, far) : 0;
    for (size_t i = 0; found > 0 && i < count; i++)
        reps[i].outlier = reps[i].outlier || far[i];
    if (found > 0)
        tell(ticks, count, found, warnings);
    free(ticks);
    free(far);
}
