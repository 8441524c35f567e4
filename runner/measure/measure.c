#include "runner/measure/measure.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/stats.h"
#include "runner/conditions/warning.h"
#include "runner/launch/launcher.h"
#include "runner/launch/moment.h"
#include "runner/measure/copies.h"
#include "runner/measure/idle_interval.h"
#include "runner/measure/outliers.h"
#include "runner/measure/pace.h"
#include "runner/power/per_access.h"
#include "runner/power/summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_REPS = 1000 };

/* A repetition that takes this much longer than expected hangs; setting up much data may have to wait for a
 * host that gives a virtual machine its memory page by page, for every copy. */
static const double HANG_S = 10;
static const double SET_UP_S_A_BYTE = 60.0 / (1 << 30);

/* All measurements of a point. */
struct session {
    const struct test_program *test_program;
    const struct measure_options *options;
    struct joint_run cast;
    struct pace pace;
    struct repetition start; /* with no passes; only with a sensor */
    struct repetition *reps;
    unsigned count;
    double time_s; /* of a repetition, as chosen */
    struct moment begin;
    double ticks_per_s; /* of the programs' clock, over all repetitions; 0: a device's */
    struct window before, after;
    bool held;
    json_t *warnings;
};

static bool has_power(const struct session *session)
{
    return sensor_list_power_channels(recorder_meters(session->options->recorder)) > 0;
}

/* The PCI address of the GPU that the test program runs on; NULL if it runs on the processor. */
static const char *device_of(const struct test_program *test_program)
{
    const json_t *device = json_object_get(launch_facts(test_program), "device");
    bool elsewhere = strcmp(json_string_or(device, "type", "GPU"), "CPU") != 0;
    return test_program_is_on_device(test_program) && elsewhere ? json_string_or(device, "pci", "none")
                                                                : NULL;
}

/* A repetition's passes in passes of the whole grid: blocks that were sent home made none. */
static double grid_passes(const struct repetition *rep)
{
    double blocks = json_number_or(rep->record, "blocks", 1);
    return (double)rep->iterations * json_number_or(rep->record, "worked", blocks) / blocks;
}

static double timeout_of(const struct test_program *test_program, double longest_s)
{
    return HANG_S + 20 * longest_s +
           SET_UP_S_A_BYTE * test_program->manifest->data.bytes * (double)test_program_copies(test_program);
}

static void warn(struct session *session, const char *what, const char *mend)
{
    json_array_append_new(session->warnings, json_pack("{s:s, s:s?}", "what", what, "mend", mend));
}

static json_t *interval_to_json(struct interval interval)
{
    return json_pack("{s:f, s:f, s:f, s:I}", "value", interval.value, "low", interval.low, "high",
                     interval.high, "n", (json_int_t)interval.n);
}

/* ---- the protocol ---- */

static void cool(struct session *session)
{
    const struct protocol *protocol = &session->options->protocol;
    struct recorder *recorder = session->options->recorder;
    char text[160];
    double celsius;
    if (protocol->cooling_s > 0 || isfinite(protocol->temperature_below))
        recorder_mark(recorder, "cooling");
    idle_rest(protocol->cooling_s);
    if (!isfinite(protocol->temperature_below) ||
        idle_until_below(recorder, device_of(session->test_program), protocol->temperature_below,
                         protocol->wait_s, &celsius))
        return;
    if (isnan(celsius))
        snprintf(text, sizeof text, "temperature_below = %g C: no thermometer reports the temperature",
                 protocol->temperature_below);
    else
        snprintf(text, sizeof text,
                 "the temperature was still %.1f C after %g s, not below temperature_below = %g C", celsius,
                 protocol->wait_s, protocol->temperature_below);
    warn(session, text, isnan(celsius) ? "trauma sensors" : NULL);
}

/* Extends the time when the sensor of the headline value needs it for the requested precision. */
static void choose_time(struct session *session)
{
    const struct protocol *protocol = &session->options->protocol;
    double needed_s = summary_needed_seconds(session->options->recorder, device_of(session->test_program),
                                             protocol->precision);
    char text[200];
    session->time_s = fmax(protocol->time_s, fmin(needed_s, protocol->longest_s));
    if (needed_s <= session->time_s)
        return;
    snprintf(text, sizeof text,
             "repetitions of %.3g s are short for a sensor that changes every %.3g s: %.3g s would give "
             "their energy to %.3g %%",
             session->time_s, needed_s * protocol->precision, needed_s, protocol->precision * 100);
    warn(session, text, "measure = { time_limit = SECONDS } allows more");
}

static enum status run_reps(struct session *session, struct error *error)
{
    bool runs = test_program_copies(session->test_program) > 0;
    uint64_t passes = runs ? pace_passes(session->time_s, session->pace.pass_s) : 0;
    enum status status = STATUS_OK;
    for (unsigned i = 0; status == STATUS_OK && i < session->count; i++) {
        char phase[RECORDER_PHASE_BYTES];
        snprintf(phase, sizeof phase, "rep %u", i + 1);
        recorder_mark(session->options->recorder, phase);
        session->reps[i].iterations = passes;
        status = repetition_run(&session->cast, session->time_s, &session->reps[i], error);
    }
    return status;
}

/* The run with no passes, and the warm-up. */
static enum status run_before(struct session *session, struct error *error)
{
    struct recorder *recorder = session->options->recorder;
    double warmup_s = session->options->protocol.warmup_s;
    struct repetition warmup = {0};
    enum status status = STATUS_OK;
    if (test_program_copies(session->test_program) == 0)
        return STATUS_OK;
    if (has_power(session)) {
        recorder_mark(recorder, "start");
        status = repetition_run(&session->cast, 0, &session->start, error);
    }
    if (status == STATUS_OK && warmup_s > 0) {
        recorder_mark(recorder, "warmup");
        warmup.iterations = pace_passes(warmup_s, session->pace.pass_s);
        status = repetition_run(&session->cast, warmup_s, &warmup, error);
    }
    repetition_free(&warmup);
    return status;
}

static void idle(struct session *session, const char *phase, double seconds, struct window *window)
{
    bool held;
    if (seconds <= 0)
        return;
    *window = idle_with_memory(session->test_program, seconds, session->options->recorder, phase, &held);
    session->held = held;
}

static enum status run_protocol(struct session *session, struct error *error)
{
    const struct protocol *protocol = &session->options->protocol;
    struct recorder *recorder = session->options->recorder;
    const struct test_program *test_program = session->test_program;
    if (test_program->place != NULL)
        recorder_begin(recorder, test_program->place->cpus, test_program->place->count);
    else
        recorder_begin(recorder, &test_program->cpu, 1);
    cool(session);
    idle(session, "idle_before", protocol->idle_s, &session->before);
    enum status status = run_before(session, error);
    choose_time(session);
    session->cast.timeout_s = timeout_of(test_program, fmax(session->time_s, protocol->warmup_s));
    if (status == STATUS_OK)
        status = run_reps(session, error);
    if (status == STATUS_OK)
        idle(session, "idle_after", protocol->idle_after_s, &session->after);
    recorder_mark(recorder, "end");
    recorder_end(recorder, clock_now_s());
    return status;
}

/* ---- recording the procedure ---- */

static struct result_rep result_of(const struct session *session, const struct repetition *rep,
                                   struct arena *arena)
{
    const struct recorder *recorder = session->options->recorder;
    struct result_rep result = repetition_result(rep);
    struct window window = isfinite(window_seconds(rep->loop)) && rep->iterations > 0 ? rep->loop : rep->run;
    result.metered = has_power(session);
    if (result.metered)
        result.energy_j = summary_energies(recorder, window, arena);
    result.temperature_c = summary_temperatures(recorder, rep->run.to_s, arena);
    return result;
}

/* Records the run of no passes. */
static void set_start(const struct session *session, json_t *point)
{
    struct arena arena = {0};
    const struct result_rep start = result_of(session, &session->start, &arena);
    json_object_set_new(point, "start", result_rep_to_json(&start));
    arena_free(&arena);
}

static void set_power(const struct session *session, json_t *point)
{
    struct window *windows = memory_zeroed(2 * (size_t)session->count + 1, sizeof *windows);
    for (unsigned i = 0; i < session->count; i++) {
        windows[i] = session->reps[i].loop;
        windows[session->count + i] = session->reps[i].run;
    }
    struct phase_windows of = {.loops = windows,
                               .runs = windows + session->count,
                               .count = session->count,
                               .idles = test_program_copies(session->test_program) == 0};
    of.device = device_of(session->test_program);
    if (session->options->protocol.subtract_start)
        of.start = &session->start.run;
    if (window_seconds(session->before) > 0)
        of.idle[of.idle_count++] = session->before;
    if (window_seconds(session->after) > 0)
        of.idle[of.idle_count++] = session->after;
    if (session->test_program->machine != NULL)
        of.published_idle_w = session->test_program->machine->idle_w;
    json_t *power = summary_power(session->options->recorder, &of);
    per_access_set(session->test_program->manifest,
                   grid_passes(&session->reps[0]) * (double)test_program_copies(session->test_program),
                   power);
    if (strcmp(json_string_or(power, "verdict", ""), "untrustworthy") == 0)
        warning_add(session->warnings, NULL, "the power measurement is not trustworthy: %s",
                    json_string_or(power, "reason", ""));
    json_object_set_new(point, "power", power);
    free(windows);
}

static void set_time(const struct session *session, json_t *point)
{
    double ticks[MOST_REPS];
    for (unsigned i = 0; i < session->count; i++)
        ticks[i] = (double)session->reps[i].ticks / (double)session->reps[i].iterations;
    json_t *time =
        json_pack("{s:o}", "ticks_per_pass", interval_to_json(stats_bootstrap(ticks, session->count)));
    if (session->ticks_per_s > 0)
        json_object_set_new(time, "ticks_per_s", json_real(session->ticks_per_s));
    json_object_set_new(point, "time", time);
}

static void set_idle(const struct session *session, const char *key, struct window window, json_t *point)
{
    json_t *record = idle_record(session->options->recorder, window);
    if (record != NULL)
        json_object_set_new(point, key, record);
}

/* Records what the run chose by itself. */
static void set_measure(const struct session *session, json_t *point)
{
    json_t *measure = json_pack("{s:f, s:b}", "time", session->time_s, "idle_with_memory", session->held);
    if (session->options->protocol.subtract_start)
        json_object_set_new(measure, "subtract_start", json_true());
    json_object_set_new(point, "measure", measure);
}

/* No wait when there is nothing to read. */
static void set_left_out(const struct session *session, json_t *point)
{
    double seconds = session->options->protocol.idle_left_out_s;
    if (seconds <= 0)
        return;
    if (json_object_get(point, "measure") == NULL)
        json_object_set_new(point, "measure", json_object());
    json_object_set_new(json_object_get(point, "measure"), "idle_left_out_s", json_real(seconds));
}

/* Warns where the copies' rates are those of copies that ran one after the other. */
static void doubt_copies(const struct session *session, double overlap)
{
    char text[200];
    if (overlap >= RESULT_TOGETHER)
        return;
    snprintf(text, sizeof text, "in one repetition all copies made passes for only %.0f %% of its time: %s",
             100 * overlap,
             session->cast.co_runners_count > 0 ? "it tells nothing of them together"
                                                : "no bandwidth of them together follows");
    json_array_append_new(session->warnings,
                          json_pack("{s:s, s:s}", "what", text, "mend",
                                    "longer repetitions (--time), or fewer programs beside it"));
}

static void set_point(const struct session *session, json_t *point)
{
    struct arena arena = {0};
    struct result_rep *reps = arena_alloc(&arena, session->count, sizeof *reps);
    for (unsigned i = 0; i < session->count; i++)
        reps[i] = result_of(session, &session->reps[i], &arena);
    if (test_program_copies(session->test_program) > 0)
        outliers_flag(reps, session->count, session->warnings);
    json_object_set_new(point, "reps", result_reps_to_json(reps, session->count));
    if (test_program_copies(session->test_program) > 0)
        set_time(session, point);
    set_idle(session, "idle_before", session->before, point);
    set_idle(session, "idle_after", session->after, point);
    if (session->test_program->place != NULL)
        doubt_copies(session, copies_summarize(session->test_program->manifest, reps, session->count,
                                               session->ticks_per_s, point));
    if (has_power(session)) {
        set_measure(session, point);
        if (test_program_copies(session->test_program) > 0)
            set_start(session, point);
        set_power(session, point);
    }
    set_left_out(session, point);
    if (json_array_size(session->warnings) > 0)
        json_object_set(point, "warnings", session->warnings);
    arena_free(&arena);
}

static void session_free(struct session *session)
{
    for (unsigned i = 0; i < session->count; i++)
        repetition_free(&session->reps[i]);
    repetition_free(&session->start);
    json_decref(session->warnings);
    free(session->reps);
}

enum status measure_point(const struct test_program *test_program, const struct measure_options *options,
                          json_t *point, struct error *error)
{
    const struct protocol *protocol = &options->protocol;
    struct session session = {.test_program = test_program, .options = options, .warnings = json_array()};
    session.count = protocol->reps > MOST_REPS ? MOST_REPS : protocol->reps;
    session.reps = memory_zeroed(session.count + 1, sizeof *session.reps);
    session.cast =
        (struct joint_run){.test_program = test_program,
                           .co_runners = options->co_runners,
                           .co_runners_count = options->co_runners_count,
                           .timeout_s = timeout_of(test_program, fmax(protocol->time_s, protocol->warmup_s))};
    enum status status = STATUS_OK;
    session.begin = moment_now();
    if (test_program_copies(test_program) > 0)
        status = pace_measure(test_program, session.cast.timeout_s, &session.pace, error);
    else if (test_program->place->why_not.message[0] != '\0')
        status = test_program_check_runs(test_program, error);
    if (status == STATUS_OK)
        status = repetition_pace(&session.cast, error);
    if (status == STATUS_OK)
        status = run_protocol(&session, error);
    struct moment end = moment_now();
    if (!test_program_is_on_device(test_program) && end.ticks > session.begin.ticks)
        session.ticks_per_s = moment_ticks_per_s(&session.begin, &end);
    if (status == STATUS_OK)
        set_point(&session, point);
    session_free(&session);
    return status;
}
