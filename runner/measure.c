#include "runner/measure.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/names.h"
#include "base/stats.h"
#include "base/suggest.h"
#include "runner/copies.h"
#include "runner/gang.h"
#include "runner/idle.h"
#include "runner/pace.h"
#include "runner/power/energy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_REPS = 1000 };

/* A repetition that takes this much longer than it should hangs. */
static const double HANG_S = 10;

/* One repetition, raw. */
struct repetition {
    uint64_t iterations;
    uint64_t ticks;
    double wall_s;
    double joules[MEASURE_CHANNELS]; /* NAN where the sensor vanished */
    json_t *temperatures;            /* when it ended; NULL without thermometers */
    json_t *company;                 /* what ran beside it; NULL: nothing */
    json_t *threads;                 /* where a place was asked for: each copy's part */
};

static enum status check_names(const char *list, struct error *error)
{
    const char *names[MEASURE_CHANNELS] = {"none", "thermometer"};
    size_t count = 2;
    for (size_t i = 0; power_sensors[i] != NULL && count < MEASURE_CHANNELS; i++)
        names[count++] = power_sensors[i]->name;
    char word[64];
    if (!names_find_unknown(list, names, count, word, sizeof word))
        return STATUS_OK;
    error_set(error, STATUS_USAGE, "there is no power sensor '%s'", word);
    suggest_hint(error, word, names, count, "trauma sensors lists them");
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
    if (checked == STATUS_OK && names_contain(list, "thermometer"))
        meters->thermometer_count = temperature_find(sysfs_root, meters->thermometers, MEASURE_THERMOMETERS);
    return checked;
}

/* A package or the platform, not a part of one. */
static bool meters_is_whole(const struct meters *meters, size_t channel)
{
    return strchr(meters->channels[channel].label, '/') == NULL;
}

void meters_read(const struct meters *meters, double joules[MEASURE_CHANNELS])
{
    for (size_t i = 0; i < meters->count; i++)
        if (meters->sensors[i]->read_energy(&meters->channels[i], &joules[i], NULL) != STATUS_OK)
            joules[i] = NAN;
}

void meters_subtract(const struct meters *meters, const double before[MEASURE_CHANNELS],
                     const double after[MEASURE_CHANNELS], double joules[MEASURE_CHANNELS])
{
    for (size_t i = 0; i < meters->count; i++)
        joules[i] = isnan(before[i]) || isnan(after[i])
                        ? NAN
                        : sensor_energy_difference(&meters->channels[i], before[i], after[i]);
}

static double timeout_of(const struct measure_options *options)
{
    return HANG_S + 20 * fmax(options->time_s, options->warmup_s);
}

/* Adds what runs beside, with passes for those seconds, and none where the subject makes none. */
static enum status add_company(const struct measure_options *options, double seconds, struct gang *gang,
                               struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < options->company_count; i++) {
        const struct companion *companion = &options->company[i];
        uint64_t passes = seconds > 0 ? pace_passes(seconds, companion->pass_s) : 0;
        struct gang more;
        status = gang_open(&companion->subject, passes, timeout_of(options), &more, error);
        for (size_t j = 0; status == STATUS_OK && j < more.count; j++)
            gang_add(gang, &companion->subject, &more.copies[j].call);
        gang_close(&more);
    }
    return status;
}

/* Each program alone: how long its passes take. */
static enum status pace_company(const struct measure_options *options, struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < options->company_count; i++) {
        struct pace pace;
        status = pace_measure(&options->company[i].subject, timeout_of(options), &pace, error);
        options->company[i].pass_s = pace.pass_s;
    }
    return status;
}

/* Runs the copies, or, where there are none, nothing for as long as they would have run. */
static enum status run_copies(const struct subject *subject, const struct measure_options *options,
                              double seconds, struct repetition *rep, struct error *error)
{
    struct gang gang;
    if (subject->place != NULL && subject->place->count == 0) {
        idle_rest(options->time_s);
        rep->threads = json_array();
        return STATUS_OK;
    }
    enum status status = gang_open(subject, rep->iterations, timeout_of(options), &gang, error);
    struct gang own = {.count = gang.count};
    if (status == STATUS_OK)
        status = add_company(options, seconds, &gang, error);
    if (status == STATUS_OK)
        status = gang_run(&gang, error);
    own.copies = gang.copies;
    rep->ticks = gang_mean_ticks(&own);
    if (status == STATUS_OK && subject->place != NULL)
        rep->threads = copies_of_run(&own);
    struct gang beside = {.copies = gang.copies + own.count, .count = gang.count - own.count};
    if (status == STATUS_OK && beside.count > 0)
        rep->company = copies_of_run(&beside);
    gang_close(&gang);
    return status;
}

static enum status repeat(const struct subject *subject, const struct measure_options *options,
                          uint64_t iterations, double seconds, struct repetition *rep, struct error *error)
{
    double before[MEASURE_CHANNELS];
    double after[MEASURE_CHANNELS];
    rep->iterations = iterations;
    meters_read(options->meters, before);
    double start = clock_now_s();
    enum status status = run_copies(subject, options, seconds, rep, error);
    rep->wall_s = clock_now_s() - start;
    if (options->meters->thermometer_count > 0)
        rep->temperatures = idle_temperatures(options->meters);
    meters_read(options->meters, after);
    meters_subtract(options->meters, before, after, rep->joules);
    return status;
}

static json_t *interval_to_json(struct interval interval)
{
    return json_pack("{s:f, s:f, s:f, s:I}", "value", interval.value, "low", interval.low, "high",
                     interval.high, "n", (json_int_t)interval.n);
}

static json_t *rep_to_json(const struct repetition *rep, const struct meters *meters)
{
    json_t *object = json_pack("{s:I, s:I, s:f}", "iterations", (json_int_t)rep->iterations, "ticks",
                               (json_int_t)rep->ticks, "wall_s", rep->wall_s);
    json_t *joules = json_object();
    for (size_t i = 0; i < meters->count; i++)
        if (!isnan(rep->joules[i]))
            json_object_set_new(joules, meters->channels[i].name, json_real(rep->joules[i]));
    if (meters->count > 0)
        json_object_set(object, "energy_j", joules);
    json_decref(joules);
    if (rep->temperatures != NULL)
        json_object_set(object, "temperature_c", rep->temperatures);
    if (rep->threads != NULL)
        json_object_set(object, "threads", rep->threads);
    if (rep->company != NULL)
        json_object_set(object, "company", rep->company);
    return object;
}

/* The loop's watts over all packages; their parts are inside them. NAN where a sensor vanished. */
static double watts_of(const struct repetition *rep, const struct repetition *start,
                       const struct meters *meters)
{
    double watts = 0;
    for (size_t i = 0; i < meters->count; i++)
        if (meters_is_whole(meters, i))
            watts += energy_loop_watts((struct energy_span){rep->wall_s, rep->joules[i]},
                                       (struct energy_span){start->wall_s, start->joules[i]});
    return watts;
}

/* All that was measured of a point. */
struct session {
    const struct meters *meters;
    struct repetition start; /* of no passes; only with a sensor */
    struct repetition *reps;
    unsigned count;
    struct idle before, after;
    bool has_after;
    struct pace pace;
};

static json_t *power_to_json(const struct session *session)
{
    double watts[MOST_REPS];
    double idle_w = 0;
    bool any = false;
    for (size_t i = 0; i < session->meters->count; i++) {
        if (!meters_is_whole(session->meters, i))
            continue;
        double watts_before = session->before.watts[i];
        idle_w += session->has_after ? (watts_before + session->after.watts[i]) / 2 : watts_before;
        any = true;
    }
    for (unsigned i = 0; i < session->count; i++)
        watts[i] = watts_of(&session->reps[i], &session->start, session->meters);
    struct power_parts parts;
    json_t *power = json_object();
    if (!any || !energy_parts(watts, session->count, idle_w, &parts))
        return power;
    json_object_set_new(power, "power.static_w", interval_to_json(parts.static_w));
    json_object_set_new(power, "power.dynamic_w", interval_to_json(parts.dynamic_w));
    return power;
}

static void set_time(const struct session *session, json_t *point)
{
    double ticks[MOST_REPS];
    for (unsigned i = 0; i < session->count; i++)
        ticks[i] = (double)session->reps[i].ticks / (double)session->reps[i].iterations;
    json_object_set_new(
        point, "time",
        json_pack("{s:o}", "ticks_per_pass", interval_to_json(stats_bootstrap(ticks, session->count))));
}

static void set_point(const struct session *session, const struct subject *subject, json_t *point)
{
    json_t *reps = json_array();
    for (unsigned i = 0; i < session->count; i++)
        json_array_append_new(reps, rep_to_json(&session->reps[i], session->meters));
    json_object_set_new(point, "reps", reps);
    if (subject_copies(subject) > 0)
        set_time(session, point);
    if (session->before.record != NULL)
        json_object_set(point, "idle_before", session->before.record);
    if (session->after.record != NULL)
        json_object_set(point, "idle_after", session->after.record);
    if (subject->place != NULL)
        copies_summarize(subject->manifest, reps, session->pace.ticks_per_s, point);
    if (session->meters->count == 0)
        return;
    json_object_set_new(point, "start", rep_to_json(&session->start, session->meters));
    json_object_set_new(point, "power", power_to_json(session));
}

static void repetition_free(struct repetition *rep)
{
    json_decref(rep->threads);
    json_decref(rep->company);
    json_decref(rep->temperatures);
}

/* The warm-up and the repetitions. */
static enum status run_session(const struct subject *subject, const struct measure_options *options,
                               struct session *session, struct error *error)
{
    struct repetition warmup = {0};
    enum status status = STATUS_OK;
    bool runs = subject_copies(subject) > 0;
    if (runs && options->meters->count > 0)
        status = repeat(subject, options, 0, 0, &session->start, error);
    if (status == STATUS_OK && runs && options->warmup_s > 0)
        status = repeat(subject, options, pace_passes(options->warmup_s, session->pace.pass_s),
                        options->warmup_s, &warmup, error);
    repetition_free(&warmup);
    uint64_t passes = runs ? pace_passes(options->time_s, session->pace.pass_s) : 0;
    for (unsigned i = 0; status == STATUS_OK && i < session->count; i++)
        status = repeat(subject, options, passes, options->time_s, &session->reps[i], error);
    return status;
}

static void session_free(struct session *session)
{
    for (unsigned i = 0; i < session->count; i++)
        repetition_free(&session->reps[i]);
    repetition_free(&session->start);
    json_decref(session->before.record);
    json_decref(session->after.record);
    free(session->reps);
}

enum status measure_point(const struct subject *subject, const struct measure_options *options, json_t *point,
                          struct error *error)
{
    struct session session = {.meters = options->meters};
    session.count = options->reps > MOST_REPS ? MOST_REPS : options->reps;
    session.reps = calloc(session.count + 1, sizeof *session.reps);
    if (session.reps == NULL)
        abort();
    enum status status = STATUS_OK;
    if (subject_copies(subject) > 0)
        status = pace_measure(subject, timeout_of(options), &session.pace, error);
    else if (subject->place->why_not.message[0] != '\0')
        status = subject_check_runs(subject, error);
    if (status == STATUS_OK)
        status = pace_company(options, error);
    if (status == STATUS_OK)
        idle_watch(options->meters, options->idle_s, &session.before);
    if (status == STATUS_OK)
        status = run_session(subject, options, &session, error);
    session.has_after = options->idle_after_s > 0;
    if (status == STATUS_OK && session.has_after)
        idle_watch(options->meters, options->idle_after_s, &session.after);
    if (status == STATUS_OK)
        set_point(&session, subject, point);
    session_free(&session);
    return status;
}
