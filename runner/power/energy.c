#include "runner/power/energy.h"

#include <math.h>

double energy_loop_watts(struct energy_span repetition, struct energy_span start)
{
    double seconds = repetition.seconds - start.seconds;
    return seconds > 0 ? (repetition.joules - start.joules) / seconds : NAN;
}

bool energy_parts(const double *watts, size_t count, double idle_w, struct power_parts *parts)
{
    bool known = count > 0 && isfinite(idle_w);
    for (size_t i = 0; known && i < count; i++)
        known = isfinite(watts[i]);
    if (!known)
        return false;
    struct interval total = stats_bootstrap(watts, count);
    parts->static_w = (struct interval){idle_w, idle_w, idle_w, 1};
    parts->dynamic_w =
        (struct interval){total.value - idle_w, total.low - idle_w, total.high - idle_w, total.n};
    return true;
}
