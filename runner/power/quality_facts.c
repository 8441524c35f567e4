#include "runner/power/quality_facts.h"

#include "base/memory.h"
#include "base/stats.h"

#include <math.h>
#include <stdlib.h>

/* A relative difference below this comes from rounding: the values are equal. */
static const double ARITHMETIC = 1e-9;

/* A smaller step, relative to the largest value, is ignored: a meter's rounding may be as large. */
static const double UNIT_DUST = 1e-4;

/* The least difference between two values beyond rounding or, with from_0, the least value beyond 0 if that
 * is less; sorts the values. NAN if all are equal. */
static double least_step(double *values, size_t count, bool from_0)
{
    double step = NAN;
    if (count == 0)
        return NAN;
    stats_sort(values, count);
    double dust = ARITHMETIC * fmax(fabs(values[0]), fabs(values[count - 1]));
    for (size_t i = 0; i < count; i++) {
        double beyond = i == 0 ? NAN : values[i] - values[i - 1];
        step = beyond > dust ? fmin(step, beyond) : step; /* fmin ignores NAN */
        step = from_0 && values[i] > dust ? fmin(step, values[i]) : step;
    }
    return step;
}

/* The greatest common divisor by Euclid's algorithm, of numbers that are not negative; a rest below dust is
 * 0.
 */
static double common_unit(double a, double b, double dust)
{
    while (b > dust) {
        double rest = fmod(a, b);
        a = b;
        b = b - rest < dust ? 0 : rest;
    }
    return a;
}

/* The largest number of which all values are multiples. */
static double unit_of(const double *values, size_t count)
{
    double most = 0, unit = 0;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, fabs(values[i]));
    for (size_t i = 0; i < count; i++)
        unit = common_unit(fabs(values[i]), unit, UNIT_DUST * most);
    return unit;
}

double quality_step(const struct series *series, bool counts)
{
    double *values = memory_resized(NULL, series->count + 1, sizeof *values);
    size_t count = 0;
    for (size_t i = counts; i < series->count; i++) {
        double value = series->values[i] - (counts ? series->values[i - 1] : 0);
        if (!counts || value >= 0) /* a wrap is not a step */
            values[count++] = value;
    }
    double step = least_step(values, count, counts);
    if (!counts && isfinite(step)) /* the few levels of a meter without noise may be several steps apart */
        step = fmin(step, unit_of(values, count));
    free(values);
    return step;
}

/* The slowest and coarsest channel decides. */
static void add_channel(const struct channel_view *view, enum sensor_quantity quantity,
                        struct power_quality_case *of)
{
    bool counts = quantity == SENSOR_ENERGY;
    double *step = counts ? &of->step_j : &of->step_w;
    of->update_s = fmax(of->update_s, view->update_s); /* fmax ignores NAN */
    of->settled_s = fmax(of->settled_s, power_view_settled(view));
    *step = fmax(*step, quality_step(view->series, counts));
    if (!view->many)
        return;
    of->wrong = view->wrong;
    of->wrong_of = view->readings;
    of->wrong_w = view->wrong_w;
}

static bool is_of(const struct sensor_channel *described, size_t index, size_t channel)
{
    return sensor_measures_power(described) &&
           (channel == SENSOR_LIST_CHANNELS ? described->whole : index == channel);
}

/* The readings within the loops of the repetitions. */
static void add_readings(const struct series *series, const struct phase_windows *windows,
                         struct power_quality_case *of)
{
    double *readings = memory_resized(NULL, series->count + 1, sizeof *readings);
    for (size_t i = 0; i < series->count; i++)
        for (size_t j = 0; j < windows->count; j++)
            if (series->t_s[i] >= windows->loops[j].from_s && series->t_s[i] <= windows->loops[j].to_s) {
                readings[of->reading_count++] = series->values[i];
                break;
            }
    of->readings = readings;
}

/* The temperatures at the ends of the first and the last repetition, of the thermometer that changed most. */
static void find_drift(const struct recorder *recorder, const struct phase_windows *windows,
                       struct power_quality_case *of)
{
    const struct sensor_list *meters = recorder_meters(recorder);
    for (size_t i = 0; windows->count > 0 && i < meters->count; i++)
        for (size_t j = 0; j < meters->meters[i].count; j++) {
            if (meters->meters[i].channels[j].quantity != SENSOR_TEMPERATURE)
                continue;
            const struct series *series = recorder_series(recorder, i, j);
            double first = series_at(series, windows->runs[0].to_s);
            double last = series_at(series, windows->runs[windows->count - 1].to_s);
            if (isnan(of->first_c) || fabs(last - first) > fabs(of->last_c - of->first_c)) {
                of->first_c = first;
                of->last_c = last;
            }
        }
}

void quality_facts(const struct power_view *view, size_t meter, size_t channel, struct power_quality_case *of)
{
    const struct phase_windows *windows = view->windows;
    const struct listed_sensor *from = &recorder_meters(view->recorder)->meters[meter];
    const struct series *power = NULL;
    size_t summed = 0;
    of->seconds = of->update_s = of->step_j = of->step_w = of->first_c = of->last_c = NAN;
    of->settled_s = of->idle_s = 0;
    of->readings = NULL;
    of->reading_count = of->wrong = 0;
    of->idles = windows->idles;
    of->whole_runs = windows->start != NULL;
    of->most_w = windows->most_w;
    of->of_all = from->sensor->external;
    for (size_t i = 0; i < from->count; i++) {
        if (!is_of(&from->channels[i], i, channel))
            continue;
        const struct channel_view *seen = power_view_channel(view, meter, i);
        add_channel(seen, from->channels[i].quantity, of);
        summed++;
        power = from->channels[i].quantity == SENSOR_POWER ? seen->series : power;
    }
    for (size_t i = 0; i < windows->count; i++)
        of->seconds =
            fmin(of->seconds, window_seconds(windows->start != NULL ? windows->runs[i] : windows->loops[i]));
    for (size_t i = 0; i < windows->idle_count; i++)
        of->idle_s = fmax(of->idle_s, window_seconds(windows->idle[i]));
    if (summed == 1 && power != NULL)
        add_readings(power, windows, of);
    find_drift(view->recorder, windows, of);
}
