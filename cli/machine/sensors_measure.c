#include "cli/machine/sensors_measure.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/stats.h"
#include "cli/command.h"
#include "cli/options/requests.h"
#include "report/table.h"
#include "runner/measure/idle_interval.h"
#include "runner/power/recorder.h"
#include "runner/power/sensor_trial.h"
#include "runner/results/observation.h"

#include <math.h>
#include <stdio.h>

static const double USUAL_S = 3;

/* Sensors are read this many times as often as in a run, so that their updates are visible. */
static const double FINER = 5;
static const double FINEST_S = 1e-4;

/* A sensor that changes at nearly every reading may change more often than it is read. */
static const double BOUND = 1.5;

enum { MEAN_PARTS = 10 };

/* The observations of a channel. */
struct look {
    const struct sensor_channel *channel;
    size_t readings;
    double period_s; /* a run's */
    double read_s;   /* between readings here */
    struct series_facts facts;
    bool bound;             /* update_s is an upper bound */
    struct interval idling; /* watts, degrees or hertz */
    bool told;
    const char *why_not; /* it is not read, or no longer; NULL: it is */
};

static void read_finer(struct sensor_list *meters)
{
    for (size_t i = 0; i < meters->count; i++) {
        struct listed_sensor *meter = &meters->meters[i];
        if (request_text(&meter->request, "period") == NULL && meter->period_s > 0)
            meter->period_s = fmax(meter->period_s / FINER, FINEST_S);
    }
}

static double mean_between(const struct series *series, const struct sensor_channel *channel, double from_s,
                           double to_s, double slack_s)
{
    if (channel->quantity == SENSOR_ENERGY)
        return series_energy(series, channel, from_s, to_s, slack_s) / (to_s - from_s);
    return series_mean(series, from_s, to_s);
}

/* The median over parts of the series; false if they are too short. */
static bool find_mean(const struct look *look, const struct series *series, struct interval *mean)
{
    double parts[MEAN_PARTS];
    double from_s = series->t_s[0];
    double each_s = (series->t_s[series->count - 1] - from_s) / MEAN_PARTS;
    bool known = each_s > 0;
    for (size_t i = 0; known && i < MEAN_PARTS; i++) {
        double begin_s = from_s + each_s * (double)i;
        parts[i] = mean_between(series, look->channel, begin_s, begin_s + each_s, look->read_s);
        known = isfinite(parts[i]);
    }
    if (known)
        *mean = stats_bootstrap(parts, MEAN_PARTS);
    return known;
}

static const char *why_not(const struct recorder *recorder, size_t meter, size_t channel)
{
    const char *why = recorder_meters(recorder)->meters[meter].channels[channel].why_not;
    const struct error *lost = recorder_lost(recorder, meter);
    return why[0] != '\0' ? why : lost != NULL ? lost->message : NULL;
}

static struct look look_at(const struct recorder *recorder, size_t meter, size_t channel, double period_s)
{
    const struct series *series = recorder_series(recorder, meter, channel);
    struct look look = {.channel = &recorder_meters(recorder)->meters[meter].channels[channel],
                        .readings = series->count,
                        .period_s = period_s,
                        .read_s = NAN,
                        .facts = series_look(series),
                        .why_not = why_not(recorder, meter, channel)};
    if (series->count < 2)
        return look;
    look.read_s = (series->t_s[series->count - 1] - series->t_s[0]) / (double)(series->count - 1);
    look.bound = look.facts.update_s < BOUND * look.read_s;
    look.told = find_mean(&look, series, &look.idling);
    return look;
}

/* ---- as JSON ---- */

static json_t *number_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* Energy is shown as power: joules per second. */
static enum sensor_quantity told_as(enum sensor_quantity quantity)
{
    return quantity == SENSOR_ENERGY ? SENSOR_POWER : quantity;
}

static json_t *describe(const struct look *look)
{
    const struct sensor_channel *channel = look->channel;
    json_t *mean = json_null();
    if (look->told)
        mean = result_interval_to_json(look->idling);
    if (look->told)
        json_object_set_new(mean, "unit", json_string(sensor_quantities[told_as(channel->quantity)].unit));
    return json_pack(
        "{s:s, s:s, s:s, s:s, s:b, s:f, s:I, s:o, s:o, s:b, s:o, s:o, s:o}", "name", channel->name, "label",
        channel->label, "quantity", sensor_quantities[channel->quantity].name, "unit",
        sensor_quantities[channel->quantity].unit, "whole", channel->whole, "period_s", look->period_s,
        "readings", (json_int_t)look->readings, "read_s", number_or_null(look->read_s), "update_s",
        number_or_null(look->facts.update_s), "update_is_bound", look->bound, "resolution",
        number_or_null(look->facts.resolution), "mean", mean, "reason",
        look->why_not == NULL ? json_null() : json_string(look->why_not));
}

/* ---- as a table ---- */

static const struct table_column columns[] = {
    {"channel", TABLE_LEFT},        {"readings", TABLE_RIGHT},   {"read every", TABLE_RIGHT},
    {"updated every", TABLE_RIGHT}, {"resolution", TABLE_RIGHT}, {"now", TABLE_RIGHT},
    {"interval", TABLE_LEFT},
};

static void add_time(struct table *table, const char *lead, double seconds)
{
    if (!isfinite(seconds))
        table_cell(table, "%s", "-");
    else if (seconds < 1)
        table_cell(table, "%s%.3g ms", lead, seconds * 1e3);
    else
        table_cell(table, "%s%.3g s", lead, seconds);
}

static void add_row(struct table *table, const struct look *look)
{
    const char *unit = sensor_quantities[look->channel->quantity].unit;
    table_cell(table, "%s%s", look->channel->name, look->channel->whole ? " *" : "");
    table_cell(table, "%zu", look->readings);
    add_time(table, "", look->read_s);
    add_time(table, look->bound ? "<= " : "", look->facts.update_s);
    if (isfinite(look->facts.resolution))
        table_cell(table, "%.3g %s", look->facts.resolution, unit);
    else
        table_cell(table, "%s", "-");
    if (look->told) {
        table_cell(table, "%.5g %s", look->idling.value,
                   sensor_quantities[told_as(look->channel->quantity)].unit);
        if (isfinite(look->idling.low))
            table_cell(table, "[%.5g, %.5g]", look->idling.low, look->idling.high);
        else
            table_cell(table, "?");
    } else {
        table_cell(table, "%s", "-");
        table_cell(table, "%s", look->why_not == NULL ? "" : look->why_not);
    }
}

/* ---- the command ---- */

/* periods: each meter's period in a run. */
static void show(const struct recorder *recorder, const double *periods, bool as_json)
{
    const struct sensor_list *meters = recorder_meters(recorder);
    struct table table = {.columns = columns, .column_count = sizeof columns / sizeof columns[0]};
    json_t *list = json_array();
    for (size_t i = 0; i < meters->count; i++)
        for (size_t j = 0; j < meters->meters[i].count; j++) {
            struct look look = look_at(recorder, i, j, periods[i]);
            json_array_append_new(list, describe(&look));
            add_row(&table, &look);
        }
    if (as_json) {
        command_print_json(list, 2);
    } else {
        table_print(&table, stdout);
        printf("\n* included in its sensor's total; -: it changed too rarely to tell, or never\n");
    }
    json_decref(list);
    table_free(&table);
}

static enum status find_meters(const struct options *options, struct sensor_list *meters, struct error *error)
{
    enum status status = sensor_list_find(options->power, requests_root(options), meters, error);
    if (status != STATUS_OK || meters->count > 0)
        return status;
    if (error->message[0] == '\0')
        error_set(error, STATUS_UNAVAILABLE, "no sensor is requested");
    return error->code = STATUS_UNAVAILABLE;
}

int sensors_measure(const struct options *options)
{
    struct sensor_list meters = {0};
    struct error error = {0};
    struct recorder *recorder = NULL;
    double periods[SENSOR_LIST_MOST];
    enum status status = find_meters(options, &meters, &error);
    for (size_t i = 0; i < meters.count; i++)
        periods[i] = meters.meters[i].period_s;
    read_finer(&meters);
    if (status == STATUS_OK)
        status = recorder_open(&meters, &recorder, &error);
    if (status == STATUS_OK) {
        sensor_trial(&meters, recorder);
        status = sensor_trial_judge(&meters, &error);
    }
    if (status == STATUS_OK) {
        recorder_begin(recorder, NULL, 0);
        idle_rest(options->time > 0 ? options->time : USUAL_S);
        recorder_end(recorder, clock_now_s());
        show(recorder, periods, options->json);
    }
    recorder_close(recorder);
    sensor_list_free(&meters);
    return status == STATUS_OK ? STATUS_OK : command_fail(&error);
}
