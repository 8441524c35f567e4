#include "runner/power/quality_facts.h"

#include "base/memory.h"
#include "base/stats.h"

#include <math.h>
#include <stdlib.h>

/* A relative difference below this comes from rounding: the values are equal. */
static const double ARITHMETIC = 1e-9;

/* The larger one; unknown values are ignored. */
static double larger(double a, double b)
{
    return fmax(a, b); /* leaves NAN out */
}

/* The least difference between two of the values beyond rounding, or the least value that is not 0, if that
 * is less and `from_0`; sorts the values. NAN if all are equal. */
static double least_step(double *values, size_t count, bool from_0)
{
    double step = NAN;
    if (count == 0)
        return NAN;
    stats_sort(values, count);
    double dust = ARITHMETIC * fmax(fabs(values[0]), fabs(values[count - 1]));
    for (size_t i = 0; i < count; i++) {
        double beyond = i == 0 ? NAN : values[i] - values[i - 1];
        step = beyond > dust ? fmin(step, beyond) : step; /* fmin leaves NAN out */
        step = from_0 && values[i] > dust ? fmin(step, values[i]) : step;
    }
    return step;
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
    free(values);
    return step;
}

/* The slowest and coarsest channel decides. A counter always moves while power is drawn: if it moved too
 * seldom for its period to be known, its observed rate is the upper limit. */
static void add_channel(const struct series *series, enum sensor_quantity quantity,
                        struct power_quality_case *of)
{
    struct series_facts facts = series_look(series);
    bool counts = quantity == SENSOR_ENERGY;
    double *step = counts ? &of->step_j : &of->step_w;
    if (counts && !isfinite(facts.update_s) && isfinite(facts.resolution) && series->count > 1)
        facts.update_s = (series->t_s[series->count - 1] - series->t_s[0]) / 4;
    of->update_s = larger(of->update_s, facts.update_s);
    *step = larger(*step, quality_step(series, counts));
}

static bool is_of(const struct sensor_channel *described, size_t index, size_t channel)
{
    return sensor_tells_power(described) &&
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

/* From the first repetition's end to the last one's, for the thermometer that changed most. */
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

void quality_facts(const struct recorder *recorder, size_t meter, size_t channel,
                   const struct phase_windows *windows, struct power_quality_case *of)
{
    const struct listed_sensor *from = &recorder_meters(recorder)->meters[meter];
    const struct series *power = NULL;
    size_t summed = 0;
    of->seconds = of->update_s = of->step_j = of->step_w = of->first_c = of->last_c = NAN;
    of->readings = NULL;
    of->reading_count = 0;
    of->idles = windows->idles;
    for (size_t i = 0; i < from->count; i++) {
        if (!is_of(&from->channels[i], i, channel))
            continue;
        const struct series *series = recorder_series(recorder, meter, i);
        add_channel(series, from->channels[i].quantity, of);
        summed++;
        power = from->channels[i].quantity == SENSOR_POWER ? series : power;
    }
    for (size_t i = 0; i < windows->count; i++)
        of->seconds =
            fmin(of->seconds, window_seconds(windows->start != NULL ? windows->runs[i] : windows->loops[i]));
    if (summed == 1 && power != NULL)
        add_readings(power, windows, of);
    find_drift(recorder, windows, of);
}
