#include "session/execute/run_power.h"

#include "base/clock.h"
#include "base/json.h"
#include "runner/measure/idle_interval.h"
#include "runner/power/recorder.h"
#include "runner/power/sensor_trial.h"
#include "runner/results/traces.h"
#include "session/sensor_findings.h"

#include <math.h>
#include <unistd.h>

/* Long enough for several updates of an on-chip sensor. */
static const double LOOK_S = 0.25;

enum status run_power_find(const char *sensors, const char *root, struct run_power *power,
                           struct error *why_none)
{
    *power = (struct run_power){0};
    enum status status = sensor_list_find(sensors, root, &power->meters, why_none);
    sensor_findings_recall(root, &power->meters);
    return status;
}

enum status run_power_open(struct run_power *power, struct error *why_none)
{
    enum status status = recorder_open(&power->meters, &power->recorder, why_none);
    if (status != STATUS_OK)
        return status;
    sensor_trial(&power->meters, power->recorder);
    return sensor_trial_judge(&power->meters, why_none);
}

/* Describes a sensor that samples only a part of each period. */
static void describe_blind(const struct sensor_channel *channel, struct buffer *text)
{
    static const double BLIND = 0.9;
    if (sensor_measures_power(channel) && channel->known.sampled > 0 && channel->known.sampled < BLIND)
        buffer_printf(text,
                      "%s%s samples %.0f %% of the time, %.3g of each %.3g ms (`trauma sensors --measure`): "
                      "it shows only "
                      "a part of power that changes in step with it",
                      text->size == 0 ? "" : "; ", channel->name, 100 * channel->known.sampled,
                      1e3 * channel->known.window_s, 1e3 * channel->known.update_s);
}

char *run_power_unusable(const struct run_power *power)
{
    struct buffer text = {0};
    sensor_trial_describe(&power->meters, &text);
    for (size_t i = 0; i < power->meters.count; i++)
        for (size_t j = 0; j < power->meters.meters[i].count; j++)
            describe_blind(&power->meters.meters[i].channels[j], &text);
    return text.data;
}

/* Replaces the results of a short observation by those of `trauma sensors --measure`. */
static void add_known(const struct sensor_known *known, struct context_sensor *sensor)
{
    if (known->update_s > 0)
        sensor->update_s = known->update_s;
    if (!(known->window_s > 0))
        return;
    sensor->window = known->exponential ? "exponential" : "box";
    sensor->window_s = known->window_s;
    sensor->lag_s = known->lag_s;
    sensor->sampled = known->sampled > 0 ? known->sampled : NAN;
}

struct context_sensor *run_power_describe(struct recorder *recorder, struct arena *arena, size_t *count)
{
    const struct sensor_list *meters = recorder_meters(recorder);
    struct context_sensor *sensors = NULL;
    *count = 0;
    if (sensor_list_usable_channels(meters) == 0)
        return NULL;
    recorder_begin(recorder, NULL, 0);
    idle_rest(LOOK_S);
    recorder_end(recorder, clock_now_s());
    for (size_t i = 0; i < meters->count; i++)
        for (size_t j = 0; j < meters->meters[i].count; j++) {
            const struct sensor_channel *channel = &meters->meters[i].channels[j];
            if (channel->why_not[0] != '\0')
                continue;
            struct series_facts facts = series_look(recorder_series(recorder, i, j));
            sensors = arena_next(arena, sensors, *count, sizeof *sensors);
            struct context_sensor *sensor = &sensors[(*count)++];
            *sensor = (struct context_sensor){.name = channel->name,
                                              .label = channel->label,
                                              .quantity = sensor_quantities[channel->quantity].name,
                                              .unit = sensor_quantities[channel->quantity].unit,
                                              .period_s = meters->meters[i].period_s,
                                              .update_s = facts.update_s,
                                              .resolution = facts.resolution};
            add_known(&channel->known, sensor);
        }
    return sensors;
}

static bool has_samples(const struct recorder *recorder)
{
    const struct sensor_list *meters = recorder_meters(recorder);
    for (size_t i = 0; i < meters->count; i++)
        for (size_t j = 0; j < meters->meters[i].count; j++)
            if (recorder_series(recorder, i, j)->count > 0)
                return true;
    return false;
}

enum status run_power_keep_trace(const struct run_power *power, const char *results,
                                 struct result_point *point, struct error *error)
{
    char folder[FILE_PATH_BYTES];
    char relative[FILE_PATH_BYTES];
    struct buffer text = {0};
    if (!has_samples(power->recorder))
        return STATUS_OK;
    const struct trace_of of = {point->benchmark, point->name, point->program_hash};
    int beside = traces_beside(results, error);
    if (beside < 0)
        return STATUS_FAILED;
    power_trace_write(power->recorder, &text);
    enum status status = traces_write(beside, traces_folder(results, 1, folder), &of, &text, relative, error);
    if (status == STATUS_OK)
        point->trace = arena_strdup(&point->arena, relative);
    close(beside);
    buffer_free(&text);
    return status;
}

double run_power_trace_bytes(const struct run_power *power)
{
    static const double ROW_BYTES = 32, USUAL_PERIOD_S = 0.1; /* of meters that send on their own */
    double rows = 0;
    for (size_t i = 0; i < power->meters.count; i++) {
        const struct listed_sensor *meter = &power->meters.meters[i];
        for (size_t j = 0; j < meter->count; j++)
            if (meter->channels[j].why_not[0] == '\0')
                rows += 1 / (meter->period_s > 0 ? meter->period_s : USUAL_PERIOD_S);
    }
    return ROW_BYTES * rows;
}

void run_power_close(struct run_power *power)
{
    recorder_close(power->recorder);
    sensor_list_free(&power->meters);
    *power = (struct run_power){0};
}
