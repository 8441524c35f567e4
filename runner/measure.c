#include "runner/measure.h"

#include "base/json.h"
#include "base/names.h"
#include "base/stats.h"
#include "base/suggest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FIRST_PASSES = 1000, MOST_REPS = 1000 };

/* A repetition that takes this much longer than it should hangs. */
static const double HANG_S = 10;

/* One repetition, raw. */
struct repetition {
    uint64_t iterations;
    uint64_t ticks;
    double wall_s;
    double joules[MEASURE_CHANNELS]; /* NAN where the sensor vanished */
};

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static enum status check_names(const char *list, struct error *error)
{
    const char *names[MEASURE_CHANNELS] = {"none"};
    size_t count = 1;
    for (size_t i = 0; power_sensors[i] != NULL && count < MEASURE_CHANNELS; i++)
        names[count++] = power_sensors[i]->name;
    char word[64];
    if (!names_find_unknown(list, names, count, word, sizeof word))
        return STATUS_OK;
    const char *meant = suggest(word, names, count);
    error_set(error, STATUS_USAGE, "there is no power sensor '%s'", word);
    if (meant != NULL)
        error_hint(error, "did you mean '%s'?", meant);
    else
        error_hint(error, "trauma sensors lists them");
    return STATUS_USAGE;
}

enum status meters_find(const char *list, const char *sysfs_root, struct meters *meters,
                        struct error *why_none)
{
    memset(meters, 0, sizeof *meters);
    memset(why_none, 0, sizeof *why_none);
    enum status checked = check_names(list, why_none);
    for (size_t i = 0; checked == STATUS_OK && power_sensors[i] != NULL; i++) {
        const struct power_sensor *sensor = power_sensors[i];
        if (!names_contain(list, sensor->name))
            continue;
        size_t found = 0;
        size_t room = MEASURE_CHANNELS - meters->count;
        enum status status =
            sensor->find(sysfs_root, meters->channels + meters->count, room, &found, why_none);
        for (size_t j = 0; status == STATUS_OK && j < found; j++)
            meters->sensors[meters->count + j] = sensor;
        meters->count += status == STATUS_OK ? found : 0;
    }
    return checked;
}

static void read_meters(const struct meters *meters, double joules[MEASURE_CHANNELS])
{
    for (size_t i = 0; i < meters->count; i++)
        if (meters->sensors[i]->read_energy(&meters->channels[i], &joules[i], NULL) != STATUS_OK)
            joules[i] = NAN;
}

static void subtract(const struct meters *meters, const double before[MEASURE_CHANNELS],
                     const double after[MEASURE_CHANNELS], double joules[MEASURE_CHANNELS])
{
    for (size_t i = 0; i < meters->count; i++)
        joules[i] = isnan(before[i]) || isnan(after[i])
                        ? NAN
                        : sensor_energy_difference(&meters->channels[i], before[i], after[i]);
}

/* Watts of each channel while nothing of ours runs. */
static void measure_idle(const struct meters *meters, double seconds, double watts[MEASURE_CHANNELS])
{
    double before[MEASURE_CHANNELS];
    double after[MEASURE_CHANNELS];
    if (meters->count == 0)
        return;
    read_meters(meters, before);
    double start = now_s();
    struct timespec pause = {(time_t)seconds, (long)((seconds - floor(seconds)) * 1e9)};
    nanosleep(&pause, NULL);
    read_meters(meters, after);
    double lasted = now_s() - start;
    subtract(meters, before, after, watts);
    for (size_t i = 0; i < meters->count; i++)
        watts[i] /= lasted;
}

static enum status repeat(const struct subject *subject, const struct measure_options *options,
                          uint64_t iterations, struct repetition *rep, struct error *error)
{
    double before[MEASURE_CHANNELS];
    double after[MEASURE_CHANNELS];
    rep->iterations = iterations;
    read_meters(options->meters, before);
    double start = now_s();
    enum status status = subject_run(subject, iterations, HANG_S + 20 * options->time_s, &rep->ticks, error);
    rep->wall_s = now_s() - start;
    read_meters(options->meters, after);
    subtract(options->meters, before, after, rep->joules);
    return status;
}

/* Passes that take about the wanted time, a multiple of the longest period. */
static enum status choose_iterations(const struct subject *subject, const struct measure_options *options,
                                     uint64_t *iterations, struct error *error)
{
    struct repetition first = {0};
    struct measure_options plain = *options;
    static const struct meters none;
    plain.meters = &none;
    *iterations = FIRST_PASSES;
    for (;;) {
        enum status status = repeat(subject, &plain, *iterations, &first, error);
        if (status != STATUS_OK)
            return status;
        if (first.wall_s > options->time_s / 4 || first.wall_s > 0.02)
            break;
        *iterations *= 8;
    }
    double wanted = (double)*iterations * options->time_s / first.wall_s;
    *iterations = wanted < 100 ? 100 : (uint64_t)(wanted / 100) * 100;
    return STATUS_OK;
}

static json_t *interval_to_json(struct interval interval)
{
    return json_pack("{s:f, s:f, s:f, s:I}", "value", interval.value, "low", interval.low, "high",
                     interval.high, "n", (json_int_t)interval.n);
}

static json_t *reps_to_json(const struct repetition *reps, unsigned count, const struct meters *meters)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < count; i++) {
        json_t *rep = json_pack("{s:I, s:I, s:f}", "iterations", (json_int_t)reps[i].iterations, "ticks",
                                (json_int_t)reps[i].ticks, "wall_s", reps[i].wall_s);
        json_t *joules = json_object();
        for (size_t j = 0; j < meters->count; j++)
            if (!isnan(reps[i].joules[j]))
                json_object_set_new(joules, meters->channels[j].name, json_real(reps[i].joules[j]));
        if (meters->count > 0)
            json_object_set(rep, "energy_j", joules);
        json_decref(joules);
        json_array_append_new(list, rep);
    }
    return list;
}

/* Packages only: their parts are inside them. Static power is the idle level, dynamic the rest (DESIGN.md
 * section 8). A channel that vanished gives no number. */
static json_t *power_to_json(const struct repetition *reps, unsigned count, const struct meters *meters,
                             const double idle[MEASURE_CHANNELS])
{
    double watts[MOST_REPS];
    double still = 0;
    bool any = false;
    for (unsigned i = 0; i < count; i++)
        watts[i] = 0;
    for (size_t j = 0; j < meters->count; j++) {
        if (strchr(meters->channels[j].label, '/') != NULL)
            continue;
        still += idle[j];
        any = true;
        for (unsigned i = 0; i < count; i++)
            watts[i] += reps[i].joules[j] / reps[i].wall_s;
    }
    struct interval total = stats_bootstrap(watts, count);
    json_t *power = json_object();
    if (!any || isnan(total.value) || isnan(still))
        return power;
    struct interval dynamic = {total.value - still, total.low - still, total.high - still, total.n};
    struct interval statics = {still, still, still, 1};
    json_object_set_new(power, "power.static_w", interval_to_json(statics));
    json_object_set_new(power, "power.dynamic_w", interval_to_json(dynamic));
    return power;
}

enum status measure_point(const struct subject *subject, const struct measure_options *options, json_t *point,
                          struct error *error)
{
    unsigned count = options->reps > MOST_REPS ? MOST_REPS : options->reps;
    struct repetition *reps = calloc(count + 1, sizeof *reps);
    if (reps == NULL)
        abort();
    double idle[MEASURE_CHANNELS] = {0};
    uint64_t iterations = 0;
    enum status status = choose_iterations(subject, options, &iterations, error);
    if (status == STATUS_OK)
        measure_idle(options->meters, options->idle_s, idle);
    for (unsigned i = 0; status == STATUS_OK && i < count; i++)
        status = repeat(subject, options, iterations, &reps[i], error);
    if (status == STATUS_OK) {
        double ticks[MOST_REPS];
        for (unsigned i = 0; i < count; i++)
            ticks[i] = (double)reps[i].ticks / (double)reps[i].iterations;
        json_object_set_new(point, "reps", reps_to_json(reps, count, options->meters));
        json_object_set_new(
            point, "time",
            json_pack("{s:o}", "ticks_per_pass", interval_to_json(stats_bootstrap(ticks, count))));
        if (options->meters->count > 0)
            json_object_set_new(point, "power", power_to_json(reps, count, options->meters, idle));
    }
    free(reps);
    return status;
}
