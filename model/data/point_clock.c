#include "model/data/point_clock.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

/* GHz from the counted cycles: all copies of a loop run for the whole time. */
static double counted(const struct dataset_row *row)
{
    double hz = dataset_number(row, "counter.cycles") / row->seconds / (double)row->rep->copies;
    return hz > 0 ? hz * 1e-9 : NAN;
}

double clock_observed(const struct dataset_row *row)
{
    double ghz = row->point->state.core.value;
    if (!(ghz > 0))
        ghz = row->point->state.gpu_ghz;
    if (!(ghz > 0))
        ghz = row->point->state.cpufreq.value;
    return ghz > 0 ? ghz : counted(row);
}

double clock_requested(const struct dataset_row *row)
{
    static const struct {
        const char *name;
        double ghz;
    } parameters[] = {{"parameter.ghz", 1},
                      {"parameter.frequency", 1},
                      {"parameter.mhz", 1e-3},
                      {"parameter.frequency_ghz", 1}};
    double requested = row->point->state.wanted_ghz;
    for (size_t i = 0; !(requested > 0) && i < sizeof parameters / sizeof parameters[0]; i++)
        requested = parameters[i].ghz * dataset_number(row, parameters[i].name);
    return requested > 0 ? requested : NAN;
}

bool clock_missed(const struct dataset_row *row)
{
    return fabs(clock_observed(row) / clock_requested(row) - 1) > CLOCK_APART;
}

bool clock_moved(const struct result_point *point)
{
    return point->state.core.high > (1 + CLOCK_MOVED) * point->state.core.low;
}

/* ---- pace ---- */

/* Times of two clocks are further apart than this many times the range of either. */
static const double APART = 5;

enum { LEAST_OF_TREND = 4 };

/* Fills in the times per pass, in the order of the repetitions, without outliers; returns their number. */
static size_t set_times(const struct result_point *point, double *times)
{
    size_t count = 0;
    for (size_t i = 0; i < point->rep_count; i++) {
        double time = point->reps[i].seconds / point->reps[i].iterations;
        if (!point->reps[i].outlier && time > 0)
            times[count++] = time;
    }
    return count;
}

/* Whether each repetition is slower than the one before it, or each is faster. */
static bool is_trend(const double *times, size_t count)
{
    size_t rises = 0;
    for (size_t i = 1; i < count; i++)
        rises += times[i] > times[i - 1];
    return count >= LEAST_OF_TREND && (rises == 0 || rises == count - 1);
}

/* How many of the sorted times are below the widest gap; 0: the gap does not separate two clocks. */
static size_t below_gap(const double *sorted, size_t count)
{
    size_t at = 1;
    for (size_t i = 2; i < count; i++)
        if (sorted[i] - sorted[i - 1] > sorted[at] - sorted[at - 1])
            at = i;
    double range = fmax(sorted[at - 1] - sorted[0], sorted[count - 1] - sorted[at]);
    double gap = sorted[at] - sorted[at - 1];
    return gap > CLOCK_MOVED * sorted[0] && gap > APART * range ? at : 0;
}

enum clock_pace clock_pace(const struct result_point *point, const struct result_rep *rep, double *ratio)
{
    double *times = memory_zeroed(point->rep_count + 1, sizeof *times);
    size_t count = set_times(point, times);
    double own = rep->seconds / rep->iterations;
    enum clock_pace pace = PACE_STEADY;
    bool trend = is_trend(times, count);
    stats_sort(times, count);
    size_t below = count < 3 ? 0 : below_gap(times, count);
    *ratio = 1;
    if (below > 0 && 2 * below != count) {
        const double *most = 2 * below > count ? times : times + below;
        double low = most[0], high = 2 * below > count ? times[below - 1] : times[count - 1];
        *ratio = own / ((low + high) / 2);
        pace = own < low || own > high ? PACE_OTHER : PACE_STEADY;
    } else if (below > 0 || (trend && times[count - 1] > (1 + CLOCK_MOVED) * times[0])) {
        *ratio = times[count - 1] / times[0];
        pace = PACE_MOVING;
    }
    free(times);
    return pace;
}
