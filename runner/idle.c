#include "runner/idle.h"

#include "base/clock.h"

#include <math.h>
#include <time.h>

/* Some thirty years: more than a recipe means, and a time_t holds it. */
static const double LONGEST_PAUSE_S = 1e9;

static const double SAMPLE_S = 0.2;
static const double LEAST_RECORDED_S = 2;

void idle_rest(double seconds)
{
    seconds = fmin(fmax(seconds, 0), LONGEST_PAUSE_S);
    struct timespec pause = {(time_t)seconds, (long)((seconds - floor(seconds)) * 1e9)};
    nanosleep(&pause, NULL);
}

json_t *idle_temperatures(const struct meters *meters)
{
    json_t *temperatures = json_object();
    for (size_t i = 0; i < meters->thermometer_count; i++) {
        double celsius;
        if (temperature_read(&meters->thermometers[i], &celsius))
            json_object_set_new(temperatures, meters->thermometers[i].name, json_real(celsius));
    }
    return temperatures;
}

/* What is read now, after the interval began at begin_s with the counters at before. */
static json_t *take_sample(const struct meters *meters, double begin_s, const double before[MEASURE_CHANNELS])
{
    double now[MEASURE_CHANNELS];
    double joules[MEASURE_CHANNELS];
    meters_read(meters, now);
    json_t *sample = json_pack("{s:f}", "t_s", clock_now_s() - begin_s);
    json_t *energy = json_object();
    meters_subtract(meters, before, now, joules);
    for (size_t i = 0; i < meters->count; i++)
        if (!isnan(joules[i]))
            json_object_set_new(energy, meters->channels[i].name, json_real(joules[i]));
    if (meters->count > 0)
        json_object_set(sample, "energy_j", energy);
    json_decref(energy);
    if (meters->thermometer_count > 0)
        json_object_set_new(sample, "temperature_c", idle_temperatures(meters));
    return sample;
}

static json_t *watch(const struct meters *meters, double seconds, double begin_s,
                     const double before[MEASURE_CHANNELS])
{
    json_t *samples = json_array();
    double end_s = begin_s + seconds;
    for (size_t i = 1; clock_now_s() < end_s; i++) {
        json_array_append_new(samples, take_sample(meters, begin_s, before));
        idle_rest(fmin(begin_s + (double)i * SAMPLE_S, end_s) - clock_now_s());
    }
    json_array_append_new(samples, take_sample(meters, begin_s, before));
    return json_pack("{s:f, s:o}", "seconds", clock_now_s() - begin_s, "samples", samples);
}

void idle_watch(const struct meters *meters, double seconds, struct idle *idle)
{
    double before[MEASURE_CHANNELS];
    double after[MEASURE_CHANNELS];
    bool recorded = seconds >= LEAST_RECORDED_S && meters->count + meters->thermometer_count > 0;
    idle->record = NULL;
    meters_read(meters, before);
    double begin_s = clock_now_s();
    if (recorded)
        idle->record = watch(meters, seconds, begin_s, before);
    else
        idle_rest(seconds);
    meters_read(meters, after);
    double lasted_s = clock_now_s() - begin_s;
    meters_subtract(meters, before, after, idle->watts);
    for (size_t i = 0; i < meters->count; i++)
        idle->watts[i] /= lasted_s;
}
