#include "runner/power/summary.h"

#include "base/memory.h"
#include "base/text/plural.h"
#include "runner/power/measurement_quality.h"
#include "runner/power/quality_facts.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A tenth at each end of an idle interval, and a twentieth of a loop, still show the previous phase. */
static const double IDLE_TRIM = 0.1;
static const double LOOP_TRIM = 0.05;

enum { IDLE_PARTS = 10, PART_SAMPLES = 4, FAN_PARTS = 5, NUMBERS_MOST = 4, NUMBERS_BYTES = 96 };

/* One channel, or the sum of a meter's whole channels. */
struct test_program_of_power {
    const struct recorder *recorder;
    size_t meter;
    size_t channel; /* SUM: all whole channels */
};
enum { SUM = SENSOR_LIST_CHANNELS };

/* Repetitions that a counter's reset spoiled. */
struct spoiled {
    char text[POWER_REASON_BYTES /
              2]; /* "repetition 2 is left out: powercap:intel-rapl:0 was reset"; "": none */
    size_t count;
};

static const struct listed_sensor *meter_of(const struct recorder *recorder, size_t meter)
{
    return &recorder_meters(recorder)->meters[meter];
}

/* Mean time from one sample to the next. */
static double spacing(const struct series *series)
{
    return series->count < 2
               ? 0
               : (series->t_s[series->count - 1] - series->t_s[0]) / (double)(series->count - 1);
}

static double channel_joules(const struct recorder *recorder, size_t meter, size_t channel,
                             struct window window)
{
    const struct series *series = recorder_series(recorder, meter, channel);
    /* With periodic readings there is none at the very ends. */
    return series_energy(series, &meter_of(recorder, meter)->channels[channel], window.from_s, window.to_s,
                         3 * spacing(series));
}

static double joules_of(const struct test_program_of_power *of, struct window window)
{
    const struct listed_sensor *meter = meter_of(of->recorder, of->meter);
    double sum = 0;
    if (of->channel != SUM)
        return channel_joules(of->recorder, of->meter, of->channel, window);
    for (size_t i = 0; i < meter->count; i++)
        if (meter->channels[i].whole && sensor_tells_power(&meter->channels[i]))
            sum += channel_joules(of->recorder, of->meter, i, window);
    return sum;
}

/* The first of its counters that was reset in the window; NULL: none was. */
static const char *reset_in(const struct test_program_of_power *of, struct window window)
{
    const struct listed_sensor *meter = meter_of(of->recorder, of->meter);
    for (size_t i = 0; i < meter->count; i++) {
        const struct sensor_channel *channel = &meter->channels[i];
        bool meant = of->channel == SUM ? channel->whole && sensor_tells_power(channel) : i == of->channel;
        if (meant && series_was_reset(recorder_series(of->recorder, of->meter, i), channel, window.from_s,
                                      window.to_s))
            return channel->name;
    }
    return NULL;
}

static double watts_of(const struct test_program_of_power *of, struct window window)
{
    return joules_of(of, window) / window_seconds(window);
}

/* The number of parts into which an idle interval is split: each has some samples. */
static size_t idle_parts(const struct test_program_of_power *of, struct window window)
{
    size_t channel = of->channel == SUM ? 0 : of->channel;
    double each_s = PART_SAMPLES * spacing(recorder_series(of->recorder, of->meter, channel));
    double parts = each_s > 0 ? floor(window_seconds(window) / each_s) : 1;
    return parts < 1 ? 1 : parts > IDLE_PARTS ? IDLE_PARTS : (size_t)parts;
}

/* Omits parts without data; returns none if these are more than half. *before: the number of parts of the
 * first interval. */
static size_t idle_watts(const struct test_program_of_power *of, const struct phase_windows *windows,
                         double watts[2 * IDLE_PARTS], size_t *before)
{
    size_t count = 0;
    size_t looked_at = 0;
    *before = 0;
    for (size_t i = 0; i < windows->idle_count; i++) {
        struct window idle = window_trim(windows->idle[i], IDLE_TRIM);
        size_t parts = idle_parts(of, idle);
        for (size_t j = 0; j < parts; j++) {
            watts[count] = watts_of(of, window_part(idle, j, parts));
            count += isfinite(watts[count]) != 0;
        }
        looked_at += parts;
        *before = i == 0 ? count : *before;
    }
    return 2 * count < looked_at ? 0 : count;
}

/* For one repetition: the power of its loop, or the power of its whole run minus that of a run with no
 * passes. */
static double rep_watts(const struct test_program_of_power *of, const struct phase_windows *windows,
                        size_t rep, double *seconds)
{
    if (windows->start == NULL) {
        *seconds = window_seconds(windows->loops[rep]);
        return watts_of(of, window_trim(windows->loops[rep], LOOP_TRIM));
    }
    *seconds = window_seconds(windows->runs[rep]) - window_seconds(*windows->start);
    double joules = joules_of(of, windows->runs[rep]) - joules_of(of, *windows->start);
    return *seconds > 0 ? joules / *seconds : NAN;
}

static struct power_quality_verdict judge(const struct test_program_of_power *of,
                                          const struct phase_windows *windows,
                                          const struct energy_samples *samples, size_t idle_before,
                                          const struct power_parts *parts)
{
    struct power_quality_case what = {.watts = samples->watts,
                                      .count = samples->count,
                                      .idle_w = samples->idle_w,
                                      .idle_count = samples->idle_count,
                                      .idle_before = idle_before,
                                      .dynamic_w = parts->dynamic_w};
    quality_facts(of->recorder, of->meter, of->channel, windows, &what);
    struct power_quality_verdict verdict = power_quality(&what);
    free((void *)(uintptr_t)what.readings);
    return verdict;
}

/* Fills in watts and seconds of the repetitions that no reset spoiled; returns their number. */
static size_t all_watts(const struct test_program_of_power *of, const struct phase_windows *windows,
                        double *watts, double *seconds, struct spoiled *spoiled)
{
    char numbers[NUMBERS_BYTES] = "";
    const char *counter = NULL;
    size_t kept = 0, used = 0;
    spoiled->count = 0;
    for (size_t i = 0; i < windows->count; i++) {
        watts[kept] = rep_watts(of, windows, i, &seconds[kept]);
        bool known = isfinite(watts[kept]);
        const char *reset =
            known ? NULL : reset_in(of, windows->start == NULL ? windows->loops[i] : windows->runs[i]);
        if (reset == NULL && !known && windows->start != NULL)
            reset = reset_in(of, *windows->start);
        kept += reset == NULL;
        if (reset == NULL)
            continue;
        counter = reset;
        if (spoiled->count++ < NUMBERS_MOST)
            used += (size_t)snprintf(numbers + used, sizeof numbers - used, "%s%zu", used == 0 ? "" : ", ",
                                     i + 1);
    }
    spoiled->text[0] = '\0';
    if (spoiled->count > 0)
        snprintf(spoiled->text, sizeof spoiled->text, "repetition%s %s%s left out: %s was reset%s",
                 plural_s(spoiled->count), numbers,
                 spoiled->count == 1             ? " is"
                 : spoiled->count > NUMBERS_MOST ? " and more are"
                                                 : " are",
                 counter, kept == 0 && windows->start != NULL ? " there or in the run of no passes" : "");
    return kept;
}

/* False if there are none; then there is no verdict but what is spoiled. */
static bool find_parts(const struct test_program_of_power *of, const struct phase_windows *windows,
                       struct power_parts *parts, bool *idle, struct power_quality_verdict *verdict,
                       struct spoiled *spoiled)
{
    double idle_w[2 * IDLE_PARTS];
    size_t idle_before;
    double *watts = memory_zeroed(2 * windows->count + 1, sizeof *watts);
    size_t count = all_watts(of, windows, watts, watts + windows->count, spoiled);
    const struct energy_samples samples = {.watts = watts,
                                           .seconds = watts + windows->count,
                                           .count = count,
                                           .idle_w = idle_w,
                                           .idle_count = idle_watts(of, windows, idle_w, &idle_before)};
    *parts = (struct power_parts){.dynamic_w = {.value = NAN}};
    bool known = energy_parts(&samples, parts, idle);
    if (known)
        *verdict = judge(of, windows, &samples, idle_before, parts);
    if (known && spoiled->count > 0) {
        size_t length = strlen(verdict->reason);
        snprintf(verdict->reason + length, sizeof verdict->reason - length, "; %s", spoiled->text);
    }
    free(watts);
    return known;
}

static void set_interval(json_t *object, const char *key, struct interval interval)
{
    json_object_set_new(object, key, result_interval_to_json(interval));
}

static void set_parts(json_t *object, const struct power_parts *parts, bool idle)
{
    set_interval(object, "power.total_w", parts->total_w);
    if (!idle)
        return;
    set_interval(object, "power.static_w", parts->static_w);
    set_interval(object, "power.dynamic_w", parts->dynamic_w);
    set_interval(object, "energy.dynamic_j", parts->dynamic_j);
}

/* Whether the channel's last value came well before the recording's end. */
static bool went_quiet(const struct recorder *recorder, const struct series *series)
{
    size_t count;
    const struct recorder_mark *marks = recorder_marks(recorder, &count);
    return count > 0 && series->t_s[series->count - 1] < marks[count - 1].t_s - 10 * spacing(series);
}

/* Why a channel has no data for the point. */
static json_t *why_nothing(const struct recorder *recorder, size_t meter, size_t channel)
{
    const struct error *lost = recorder_lost(recorder, meter);
    const struct series *series = recorder_series(recorder, meter, channel);
    char text[160];
    if (lost != NULL)
        return json_pack("s+", "the sensor disappeared: ", lost->message);
    if (series->count == 0)
        return json_string("it delivered no value while the point was measured");
    if (went_quiet(recorder, series))
        return json_string("it stopped delivering values while the point was measured");
    snprintf(text, sizeof text,
             "its %zu readings do not cover every repetition: repetitions are too short for it",
             series->count);
    return json_string(text);
}

static void set_nothing(json_t *object, const struct recorder *recorder, size_t meter, size_t channel,
                        const struct spoiled *spoiled)
{
    json_object_set_new(object, "verdict", json_string("untrustworthy"));
    json_object_set_new(object, "reason",
                        spoiled->count > 0 ? json_string(spoiled->text)
                                           : why_nothing(recorder, meter, channel));
}

static json_t *describe_channel(const struct recorder *recorder, const struct phase_windows *windows,
                                size_t meter, size_t channel)
{
    const struct sensor_channel *described = &meter_of(recorder, meter)->channels[channel];
    const struct test_program_of_power of = {recorder, meter, channel};
    struct power_parts parts;
    struct power_quality_verdict verdict;
    struct spoiled spoiled;
    bool idle;
    json_t *object = json_pack("{s:s, s:s}", "label", described->label, "quantity",
                               sensor_quantities[described->quantity].name);
    if (find_parts(&of, windows, &parts, &idle, &verdict, &spoiled)) {
        set_parts(object, &parts, idle);
        power_quality_set(object, &verdict);
    } else {
        set_nothing(object, recorder, meter, channel, &spoiled);
    }
    return object;
}

/* The source of the headline value. */
struct headline {
    size_t meter;
    size_t channel; /* SUM, or the channel of the GPU that ran the programs, as other GPUs do not count */
};

/* Set if the meter measures what runs; false if it does not. device: phase_windows. */
static bool sees(const struct listed_sensor *meter, const char *device, size_t *channel)
{
    bool own = meter->sensor->accelerator;
    *channel = SUM;
    if (device == NULL ? own : !own && !meter->sensor->external)
        return false;
    for (size_t i = 0; i < meter->count; i++) {
        const struct sensor_channel *here = &meter->channels[i];
        if (!here->whole || !sensor_tells_power(here) || (own && strcmp(here->pci, device) != 0))
            continue;
        *channel = own ? i : SUM;
        return true;
    }
    return false;
}

/* The headline of the meter of the highest rank below `below` that measures what runs; false if there is
 * none. */
static bool find_headline(const struct recorder *recorder, const char *device, int below,
                          struct headline *found)
{
    const struct sensor_list *meters = recorder_meters(recorder);
    int best = 0;
    for (size_t i = 0; i < meters->count; i++) {
        size_t channel;
        int rank = meters->meters[i].sensor->rank;
        if (rank <= best || rank >= below || !sees(&meters->meters[i], device, &channel))
            continue;
        best = rank;
        *found = (struct headline){i, channel};
    }
    return best > 0;
}

/* The first of the meter's whole channels that lacks some repetition. */
static size_t missing_whole(const struct recorder *recorder, const struct phase_windows *windows,
                            const struct headline *headline)
{
    const size_t meter = headline->meter;
    const struct listed_sensor *from = meter_of(recorder, meter);
    size_t found = 0;
    if (headline->channel != SUM)
        return headline->channel;
    for (size_t i = from->count; i > 0; i--) {
        const struct test_program_of_power of = {recorder, meter, i - 1};
        double seconds;
        bool told = true;
        for (size_t j = 0; j < windows->count; j++)
            told = told && isfinite(rep_watts(&of, windows, j, &seconds));
        if (from->channels[i - 1].whole && sensor_tells_power(&from->channels[i - 1]) && !told)
            found = i - 1;
    }
    return found;
}

static json_t *names_of(const struct recorder *recorder, const struct headline *headline)
{
    const struct listed_sensor *from = meter_of(recorder, headline->meter);
    json_t *names = json_array();
    for (size_t i = 0; i < from->count; i++)
        if (headline->channel == SUM ? from->channels[i].whole && sensor_tells_power(&from->channels[i])
                                     : headline->channel == i)
            json_array_append_new(names, json_string(from->channels[i].name));
    return names;
}

/* What the outer meter measures and the inner one does not, in the part of the window. */
static double outside_watts(const struct test_program_of_power *outer,
                            const struct test_program_of_power *inner, struct window window)
{
    return watts_of(outer, window) - watts_of(inner, window);
}

/* Fans speed up while programs run: the power outside of the chip rises from the start of the first loop to
 * the last loop, and the chip's own sensor does not see it. */
static void set_fans(json_t *power, const struct test_program_of_power *outer,
                     const struct test_program_of_power *inner, const struct phase_windows *windows)
{
    double watts[FAN_PARTS];
    bool known = windows->count > 0;
    double first = known ? outside_watts(outer, inner, window_part(windows->loops[0], 0, FAN_PARTS)) : NAN;
    for (size_t i = 0; known && i < FAN_PARTS; i++) {
        watts[i] =
            outside_watts(outer, inner, window_part(windows->loops[windows->count - 1], i, FAN_PARTS)) -
            first;
        known = isfinite(watts[i]);
    }
    if (known)
        set_interval(power, "power.fans_w", stats_bootstrap(watts, FAN_PARTS));
}

static void set_outside(json_t *power, const struct recorder *recorder, const struct phase_windows *windows,
                        const struct headline *headline, const struct power_parts *outer_parts)
{
    const struct power_sensor *sensor = meter_of(recorder, headline->meter)->sensor;
    struct headline inside;
    struct power_parts parts;
    struct power_quality_verdict verdict;
    struct spoiled spoiled;
    bool idle;
    if (!sensor->external || !find_headline(recorder, windows->device, sensor->rank, &inside) ||
        meter_of(recorder, inside.meter)->sensor->external)
        return;
    const struct test_program_of_power outer = {recorder, headline->meter, headline->channel};
    const struct test_program_of_power inner = {recorder, inside.meter, inside.channel};
    if (!find_parts(&inner, windows, &parts, &idle, &verdict, &spoiled) || !idle)
        return;
    double value = outer_parts->dynamic_w.value - parts.dynamic_w.value;
    double below = hypot(outer_parts->dynamic_w.value - outer_parts->dynamic_w.low,
                         parts.dynamic_w.high - parts.dynamic_w.value);
    double above = hypot(outer_parts->dynamic_w.high - outer_parts->dynamic_w.value,
                         parts.dynamic_w.value - parts.dynamic_w.low);
    json_object_set_new(power, "inside", names_of(recorder, &inside));
    set_interval(power, "power.outside_w",
                 (struct interval){value, value - below, value + above, outer_parts->dynamic_w.n});
    set_fans(power, &outer, &inner, windows);
}

/* The chipset's share is the idle power of everything but the processor, and is constant. */
static void set_constant(json_t *power, const struct power_parts *parts, double published_w)
{
    struct interval constant = parts->static_w;
    struct interval cpu = parts->total_w;
    if (!(published_w > 0))
        return;
    constant.value -= published_w;
    constant.low -= published_w;
    constant.high -= published_w;
    cpu.value -= constant.value;
    cpu.low -= constant.high;
    cpu.high -= constant.low;
    set_interval(power, "power.constant_w", constant);
    set_interval(power, "power.cpu_w", cpu);
}

static void set_headline(json_t *power, const struct recorder *recorder, const struct phase_windows *windows)
{
    struct headline headline;
    struct power_parts parts;
    struct power_quality_verdict verdict;
    struct spoiled spoiled;
    bool idle;
    if (!find_headline(recorder, windows->device, __INT_MAX__, &headline))
        return;
    const struct test_program_of_power of = {recorder, headline.meter, headline.channel};
    json_object_set_new(power, "from", names_of(recorder, &headline));
    bool known = find_parts(&of, windows, &parts, &idle, &verdict, &spoiled);
    if (spoiled.count > 0)
        json_object_set_new(power, "left_out", json_string(spoiled.text));
    if (!known) {
        set_nothing(power, recorder, headline.meter, missing_whole(recorder, windows, &headline), &spoiled);
        return;
    }
    set_parts(power, &parts, idle);
    power_quality_set(power, &verdict);
    if (!idle)
        return;
    set_outside(power, recorder, windows, &headline, &parts);
    set_constant(power, &parts, windows->published_idle_w);
}

json_t *summary_power(const struct recorder *recorder, const struct phase_windows *windows)
{
    const struct sensor_list *meters = recorder_meters(recorder);
    json_t *power = json_object();
    json_t *sensors = json_object();
    set_headline(power, recorder, windows);
    for (size_t i = 0; i < meters->count; i++)
        for (size_t j = 0; j < meters->meters[i].count; j++)
            if (sensor_tells_power(&meters->meters[i].channels[j]))
                json_object_set_new(sensors, meters->meters[i].channels[j].name,
                                    describe_channel(recorder, windows, i, j));
    if (json_object_size(sensors) > 0)
        json_object_set(power, "sensors", sensors);
    json_decref(sensors);
    return power;
}

/* Room for a value of each channel. */
static struct result_values room_for(const struct sensor_list *meters, struct arena *arena)
{
    size_t count = 0;
    for (size_t i = 0; i < meters->count; i++)
        count += meters->meters[i].count;
    return (struct result_values){arena_alloc(arena, count, sizeof(struct result_value)), 0};
}

static void add_value(struct result_values *values, const char *name, double value)
{
    values->items[values->count++] = (struct result_value){name, {value, value, value, 1}};
}

struct result_values summary_energies(const struct recorder *recorder, struct window window,
                                      struct arena *arena)
{
    const struct sensor_list *meters = recorder_meters(recorder);
    struct result_values energies = room_for(meters, arena);
    for (size_t i = 0; i < meters->count; i++)
        for (size_t j = 0; j < meters->meters[i].count; j++) {
            double joules = channel_joules(recorder, i, j, window);
            if (isfinite(joules))
                add_value(&energies, meters->meters[i].channels[j].name, joules);
        }
    return energies;
}

struct result_values summary_temperatures(const struct recorder *recorder, double t_s, struct arena *arena)
{
    const struct sensor_list *meters = recorder_meters(recorder);
    struct result_values temperatures = room_for(meters, arena);
    for (size_t i = 0; i < meters->count; i++)
        for (size_t j = 0; j < meters->meters[i].count; j++) {
            double celsius = series_at(recorder_series(recorder, i, j), t_s);
            if (meters->meters[i].channels[j].quantity == SENSOR_TEMPERATURE && isfinite(celsius))
                add_value(&temperatures, meters->meters[i].channels[j].name, celsius);
        }
    return temperatures;
}

double summary_needed_seconds(struct recorder *recorder, const char *device, double precision)
{
    const struct sensor_list *meters = recorder_meters(recorder);
    struct headline headline;
    double needed = 0;
    if (!(precision > 0) || !find_headline(recorder, device, __INT_MAX__, &headline))
        return 0;
    const struct listed_sensor *meter = &meters->meters[headline.meter];
    for (size_t i = 0; i < meter->count; i++) {
        struct series_facts facts = recorder_look(recorder, headline.meter, i);
        bool told = headline.channel == SUM ? meter->channels[i].whole : headline.channel == i;
        /* A sensor that sends at its own pace is no faster than that pace, whether its value changes or
         * not. */
        bool sends = meter->period_s == 0 && isfinite(facts.spacing_s);
        if (sends && !(facts.update_s > facts.spacing_s))
            facts.update_s = facts.spacing_s;
        /* Each end of a loop may be half an update away from the time of its reading. */
        if (told && isfinite(facts.update_s))
            needed = fmax(needed, facts.update_s / precision);
    }
    return needed;
}
