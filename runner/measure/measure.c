#include "runner/measure/measure.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/stats.h"
#include "runner/devices/launcher.h"
#include "runner/launch/moment.h"
#include "runner/measure/company.h"
#include "runner/measure/copies.h"
#include "runner/measure/idle_interval.h"
#include "runner/measure/pace.h"
#include "runner/measure/process_group.h"
#include "runner/power/measurement_quality.h"
#include "runner/power/summary.h"
#include "runner/results/warning.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- energy per access ---- */

static const double ALL = 0.99;
static const char served[] = "served.";

/* The level that serves all loads; NULL if there is none. */
static const char *sole_level(const struct manifest *manifest)
{
    for (size_t i = 0; i < manifest->expected.count; i++) {
        const struct rate *share = &manifest->expected.items[i];
        if (strncmp(share->metric, served, sizeof served - 1) == 0 && share->value >= ALL)
            return share->metric + sizeof served - 1;
    }
    return NULL;
}

/* Accesses per pass: for a GPU, the sectors or lines of the level that its whole grid moves (Delestrac et al.
 * 2024, section III-C). */
static double accesses_of(const struct manifest *manifest, const char *level)
{
    return manifest->transfers.count > 0 ? rates_get(&manifest->transfers, level, 0) : manifest->loads;
}

void per_access_set(const struct manifest *manifest, double passes, struct result_power *power,
                    struct arena *arena)
{
    const struct interval energy = result_value(&power->values, "energy.dynamic_j");
    const char *level = sole_level(manifest);
    double accesses = level == NULL ? 0 : accesses_of(manifest, level) * passes;
    char name[64];
    if (result_value_find(&power->values, "energy.dynamic_j") == NULL || !(accesses > 0) ||
        manifest->stores > 0 || manifest->stored.count > 0)
        return;
    snprintf(name, sizeof name, RESULT_PER_ACCESS "%.16s", level);
    result_value_add(
        &power->values, name,
        (struct interval){energy.value / accesses, energy.low / accesses, energy.high / accesses, energy.n},
        arena);
}

/* ---- one repetition ---- */

/* A program's clock may place its loop outside of its run by this much. */
static const double CLOCKS_DIFFER_S = 0.001;

enum status repetition_pace(const struct joint_run *cast, struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < cast->co_runners_count; i++) {
        struct pace pace;
        status = pace_measure(&cast->co_runners[i].test_program, cast->timeout_s, &pace, error);
        cast->co_runners[i].pass_s = pace.pass_s;
    }
    return status;
}

/* Adds the co-runners, with passes for those seconds; with no passes if the test program makes none. */
static enum status add_co_runners(struct joint_run *cast, double seconds, struct process_group *process_group,
                                  struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < cast->co_runners_count; i++) {
        struct companion *companion = &cast->co_runners[i];
        uint64_t passes = seconds > 0 ? pace_passes(seconds, companion->pass_s) : 0;
        struct process_group more;
        status = process_group_open(&companion->test_program, passes, cast->timeout_s, &more, error);
        companion->copies = more.count;
        for (size_t j = 0; status == STATUS_OK && j < more.count; j++)
            process_group_add(process_group, &companion->test_program, &more.copies[j].call);
        process_group_close(&more);
    }
    return status;
}

/* Sets the loop's window. It is unknown if it would lie outside of the run: the clock is not the processor's,
 * or the program is of an earlier version, which does not report its begin. */
static void find_loop(const struct process_group *own, const struct moment *before,
                      const struct moment *after, struct repetition *rep)
{
    struct window loop = {INFINITY, -INFINITY};
    for (size_t i = 0; i < own->count; i++) {
        const struct test_program_time *time = &own->copies[i].time;
        double from_s = time->on_device ? time->from_s : moment_at(before, after, time->start);
        double to_s = time->on_device ? time->to_s : moment_at(before, after, time->start + time->ticks);
        loop.from_s = fmin(loop.from_s, from_s);
        loop.to_s = fmax(loop.to_s, to_s);
    }
    bool inside = loop.from_s >= rep->run.from_s - CLOCKS_DIFFER_S &&
                  loop.to_s <= rep->run.to_s + CLOCKS_DIFFER_S && loop.to_s > loop.from_s;
    rep->loop = inside ? loop : (struct window){NAN, NAN};
}

/* STATUS_FAILED if the clock did not advance during the passes, which test_program_parse_line allows for few
 * of them. */
static enum status check_ticks(const struct process_group *process_group, struct error *error)
{
    for (size_t i = 0; i < process_group->count; i++) {
        const struct process_group_copy *copy = &process_group->copies[i];
        if (copy->time.ticks > 0 || copy->call.iterations == 0)
            continue;
        error_set(error, STATUS_FAILED,
                  "%" PRIu64 " iterations took 0 ticks: the clock did not advance while they ran",
                  copy->call.iterations);
        error_hint(error, "use a longer --time");
        return STATUS_FAILED;
    }
    return STATUS_OK;
}

/* Sets each co-runner's pace to that of this repetition: beside others it is slower than alone, and only with
 * the passes for that pace do all programs end together. */
static void follow_pace(struct joint_run *cast, const struct process_group *beside)
{
    for (size_t i = 0, at = 0; i < cast->co_runners_count && cast->ticks_per_s > 0; i++) {
        struct companion *companion = &cast->co_runners[i];
        double longest = 0;
        for (size_t j = 0; j < companion->copies; j++, at++) {
            const struct process_group_copy *copy = &beside->copies[at];
            if (copy->call.iterations > 0)
                longest = fmax(longest, (double)copy->time.ticks / (double)copy->call.iterations);
        }
        if (longest > 0)
            companion->pass_s = longest / cast->ticks_per_s;
    }
}

/* Without copies, waits for as long as they would have run. */
static void run_nothing(double seconds, struct repetition *rep)
{
    rep->run.from_s = clock_now_s();
    idle_rest(seconds);
    rep->run.to_s = clock_now_s();
    rep->loop = rep->run;
    rep->wall_s = window_seconds(rep->run);
    rep->threads.given = true;
}

static struct result_copies copied(const struct result_copies *from)
{
    struct result_copies copies = {from->given, memory_zeroed(from->count + 1, sizeof *copies.items),
                                   from->count};
    if (from->count > 0)
        memcpy(copies.items, from->items, from->count * sizeof *copies.items);
    return copies;
}

enum status repetition_run(struct joint_run *cast, double seconds, struct repetition *rep,
                           struct error *error)
{
    const struct test_program *test_program = cast->test_program;
    struct process_group process_group;
    if (test_program_copies(test_program) == 0) {
        run_nothing(seconds, rep);
        return STATUS_OK;
    }
    enum status status =
        process_group_open(test_program, rep->iterations, cast->timeout_s, &process_group, error);
    struct process_group own = {.count = process_group.count};
    struct company *company = NULL;
    if (status == STATUS_OK && seconds > 0 && own.count == 1 && company_can(cast))
        status = company_begin(cast, &company, error);
    else if (status == STATUS_OK)
        status = add_co_runners(cast, seconds, &process_group, error);
    struct moment before = moment_now();
    double used_s = pace_children_s();
    rep->waited = NAN;
    if (status == STATUS_OK && company != NULL)
        status = company_run(company, &process_group.copies[0], &rep->waited, error);
    else if (status == STATUS_OK)
        status = process_group_run(&process_group, error);
    struct moment after = moment_now();
    rep->cpu_s = test_program_is_on_device(test_program) ? NAN : pace_children_s() - used_s;
    if (status == STATUS_OK && company != NULL)
        status = company_end(company, error);
    if (status == STATUS_OK)
        status = check_ticks(&process_group, error);
    own.copies = process_group.copies;
    rep->run = (struct window){before.s, after.s};
    rep->wall_s = window_seconds(rep->run);
    rep->ticks = process_group_mean_ticks(&own);
    find_loop(&own, &before, &after, rep);
    if (status == STATUS_OK && test_program->place != NULL)
        rep->threads = copies_of_run(&own);
    if (status == STATUS_OK && own.count == 1) {
        rep->record = own.copies[0].time.record;
        own.copies[0].time.record = NULL;
    }
    if (rep->record != NULL && rep->record->beside.given) {
        rep->threads = copied(&rep->record->own);
        rep->co_runners = copied(&rep->record->beside);
    }
    struct process_group beside = {.copies = process_group.copies + own.count,
                                   .count = process_group.count - own.count};
    if (status == STATUS_OK && beside.count > 0) {
        rep->co_runners = copies_of_run(&beside);
        follow_pace(cast, &beside);
    }
    if (status == STATUS_OK && company != NULL) {
        const struct test_program_time *time = &own.copies[0].time;
        rep->co_runners = company_between(company, time->start, time->start + time->ticks);
        company_pace(company, cast);
    }
    company_close(company);
    process_group_close(&process_group);
    return status;
}

struct result_rep repetition_result(const struct repetition *rep)
{
    return (struct result_rep){.iterations = (double)rep->iterations,
                               .ticks = (double)rep->ticks,
                               .wall_s = rep->wall_s,
                               .waited = NAN,
                               .seconds = window_seconds(rep->loop),
                               .copies = rep->threads.count > 0 ? rep->threads.count : 1,
                               .threads = rep->threads,
                               .company = rep->co_runners,
                               .record = rep->record};
}

void repetition_free(struct repetition *rep)
{
    free(rep->threads.items);
    free(rep->co_runners.items);
    result_record_free(rep->record);
}

/* ---- outliers ---- */

/* Smaller differences are no outliers. */
static const double FLOOR = 0.02;

/* The warning names the repetition that is farthest from the median. */
static void warn_of_outliers(const double *ticks, size_t count, size_t found, struct warnings *warnings)
{
    double median = stats_median(ticks, count);
    size_t farthest = 0;
    for (size_t i = 0; i < count; i++)
        if (fabs(ticks[i] - median) > fabs(ticks[farthest] - median))
            farthest = i;
    warning_add(warnings, NULL,
                "%zu of %zu repetitions are outliers in ticks per pass, repetition %zu by %+.3g %%. They are "
                "flagged but their time still counts",
                found, count, farthest + 1, 100 * (ticks[farthest] / median - 1));
}

void outliers_flag(struct result_rep *reps, size_t count, struct warnings *warnings)
{
    double *ticks = memory_zeroed(count + 1, sizeof *ticks);
    bool *far = memory_zeroed(count + 1, sizeof *far);
    bool known = true;
    for (size_t i = 0; i < count; i++) {
        ticks[i] = reps[i].ticks / reps[i].iterations;
        known = known && isfinite(ticks[i]);
    }
    size_t found = known ? stats_outliers(ticks, count, FLOOR, far) : 0;
    for (size_t i = 0; found > 0 && i < count; i++)
        reps[i].outlier = reps[i].outlier || far[i];
    if (found > 0)
        warn_of_outliers(ticks, count, found, warnings);
    free(ticks);
    free(far);
}

/* ---- the measurement ---- */

enum { MOST_REPS = 1000, MOST_RETAKES = 2 };

/* A loop may be shorter or longer than requested by this share. */
static const double OFF_TIME = 0.2;

/* A repetition that takes this much longer than expected hangs. The set-up of much data may be slow too, for
 * every copy: a host may provide a virtual machine's memory page by page. */
static const double HANG_S = 10;
static const double SET_UP_S_A_BYTE = 60.0 / (1 << 30);

/* Repetitions as they were run, and their results. */
struct reps {
    struct repetition *raw;
    struct result_rep *items;
    size_t count;
};

/* All measurements of a point. */
struct measurement {
    const struct test_program *test_program;
    const struct measure_options *options;
    struct joint_run cast;
    struct pace pace;
    struct repetition start; /* with no passes; only with a sensor */
    struct window warmup;    /* its loop */
    struct reps reps;
    struct reps retaken; /* those that missed their time */
    double time_s;       /* of a repetition, as chosen */
    bool unsteady;       /* a loop missed its time at each pace: no loop is retaken any more */
    struct moment begin;
    double ticks_per_s; /* of the programs' clock, over all repetitions; 0: a device's */
    struct window before, after;
    bool held;
    struct warnings warnings;
};

static bool has_power(const struct measurement *session)
{
    return sensor_list_power_channels(recorder_meters(session->options->recorder)) > 0;
}

/* A repetition's passes as passes of the whole grid: blocks that the placement test sent home made none. */
static double grid_passes(const struct repetition *rep)
{
    double share = rep->record == NULL ? 1 : rep->record->worked / rep->record->blocks;
    return (double)rep->iterations * share;
}

static double timeout_of(const struct test_program *test_program, double longest_s)
{
    return HANG_S + 20 * longest_s +
           SET_UP_S_A_BYTE * test_program->manifest->data.bytes * (double)test_program_copies(test_program);
}

/* ---- the protocol ---- */

static void cool(struct measurement *session)
{
    const struct protocol *protocol = &session->options->protocol;
    struct recorder *recorder = session->options->recorder;
    double celsius;
    if (protocol->cooling_s > 0 || isfinite(protocol->temperature_below))
        recorder_mark(recorder, "cooling");
    idle_rest(protocol->cooling_s);
    if (!isfinite(protocol->temperature_below) ||
        idle_until_below(recorder, launch_gpu(session->test_program), protocol->temperature_below,
                         protocol->wait_s, &celsius))
        return;
    if (isnan(celsius))
        warning_add(&session->warnings, "trauma sensors",
                    "temperature_below = %g C: no thermometer reports the temperature",
                    protocol->temperature_below);
    else
        warning_add(&session->warnings, NULL,
                    "the temperature was still %.1f C after %g s, not below temperature_below = %g C",
                    celsius, protocol->wait_s, protocol->temperature_below);
}

/* Extends the time when the sensor of the headline value needs it for the requested precision. */
static void choose_time(struct measurement *session)
{
    const struct protocol *protocol = &session->options->protocol;
    double needed_s = summary_needed_seconds(session->options->recorder, launch_gpu(session->test_program),
                                             protocol->precision);
    session->time_s = fmax(protocol->time_s, fmin(needed_s, protocol->longest_s));
    if (needed_s <= session->time_s)
        return;
    warning_add(&session->warnings, "measure = { time_limit = SECONDS } allows more",
                "repetitions of %.3g s are short for a sensor that changes every %.3g s: %.3g s would give "
                "their energy to %.3g %%",
                session->time_s, needed_s * protocol->precision, needed_s, protocol->precision * 100);
}

static void keep(struct reps *reps, const struct repetition *rep)
{
    reps->raw = memory_next(reps->raw, reps->count, sizeof *reps->raw);
    reps->items = memory_next(reps->items, reps->count, sizeof *reps->items);
    reps->raw[reps->count++] = *rep;
}

/* True if the loop missed its time, and another number of passes would come closer. False where lines are
 * prepared between the timed accesses: the loop's time does not include that. */
static bool misses_time(const struct measurement *session, const struct repetition *rep)
{
    if (session->test_program->manifest->shared.coherence != NULL)
        return false;
    double seconds = window_seconds(rep->loop);
    double off = seconds / session->time_s;
    return session->options->protocol.timed && session->time_s > 0 && rep->iterations > 0 &&
           (off < 1 - OFF_TIME || off > 1 + OFF_TIME) &&
           pace_passes(session->time_s, seconds / (double)rep->iterations) != rep->iterations;
}

/* Marks the begin and the end of its loop, as far as they are known. */
static void mark_loop(struct measurement *session, const char *name, struct window loop)
{
    char end[RECORDER_PHASE_BYTES];
    snprintf(end, sizeof end, "%s end", name);
    if (!(window_seconds(loop) > 0) || !has_power(session))
        return;
    recorder_mark_at(session->options->recorder, name, loop.from_s);
    recorder_mark_at(session->options->recorder, end, loop.to_s);
}

/* Takes one repetition, again if it missed its time: the pace of a busy machine changes. */
static enum status run_rep(struct measurement *session, struct error *error)
{
    bool runs = test_program_copies(session->test_program) > 0;
    char phase[RECORDER_PHASE_BYTES];
    snprintf(phase, sizeof phase, "rep %zu", session->reps.count + 1);
    recorder_mark(session->options->recorder, phase);
    for (unsigned taken = 0;; taken++) {
        struct repetition rep = {.iterations = runs ? pace_passes(session->time_s, session->pace.pass_s) : 0};
        enum status status = repetition_run(&session->cast, session->time_s, &rep, error);
        if (status != STATUS_OK) {
            repetition_free(&rep);
            return status;
        }
        bool missed = !session->unsteady && taken < MOST_RETAKES && misses_time(session, &rep);
        double pass_s = window_seconds(rep.loop) / (double)rep.iterations;
        if ((missed || session->cast.co_runners_count > 0) && rep.iterations > 0 && isfinite(pass_s))
            session->pace.pass_s = pass_s;
        keep(missed ? &session->retaken : &session->reps, &rep);
        if (runs)
            snprintf(phase, sizeof phase, "%s %zu", missed ? "missed" : "loop",
                     missed ? session->retaken.count : session->reps.count);
        mark_loop(session, phase, rep.loop);
        if (missed)
            continue;
        session->unsteady =
            session->unsteady || misses_time(session, &session->reps.raw[session->reps.count - 1]);
        return STATUS_OK;
    }
}

/* The run with no passes, and the warm-up. */
static enum status run_before(struct measurement *session, struct error *error)
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
        session->warmup = status == STATUS_OK ? warmup.loop : session->warmup;
        mark_loop(session, "loop warmup", session->warmup);
    }
    repetition_free(&warmup);
    return status;
}

static void idle(struct measurement *session, const char *phase, double seconds, struct window *window)
{
    bool held;
    if (seconds <= 0)
        return;
    *window = idle_with_memory(session->test_program, seconds, session->options->recorder, phase, &held);
    session->held = held;
}

static enum status run_protocol(struct measurement *session, struct error *error)
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
    for (unsigned i = 0; status == STATUS_OK && i < protocol->reps && i < MOST_REPS; i++)
        status = run_rep(session, error);
    if (status == STATUS_OK)
        idle(session, "idle_after", protocol->idle_after_s, &session->after);
    recorder_mark(recorder, "end");
    recorder_end(recorder, clock_now_s());
    return status;
}

/* ---- recording the procedure ---- */

/* The windows of the phases, for as long as the measurement lasts. */
struct recorded_runs {
    struct phase_windows of;
    struct power_view view;
    struct window *windows; /* of the repetitions' loops and runs, and of other loops */
    double *pass_s;
};

/* The most that the programs can draw: with the first core much of the chip wakes up, and each core draws a
 * few tens of watts; no GPU is built for more than GPU_W. */
static const double FIRST_CORE_W = 250, CORE_W = 50, GPU_W = 2500;

static double most_watts(const struct measurement *session)
{
    double copies = (double)test_program_copies(session->test_program);
    for (size_t i = 0; i < session->options->co_runners_count; i++)
        copies += (double)test_program_copies(&session->options->co_runners[i].test_program);
    return launch_gpu(session->test_program) != NULL ? GPU_W : FIRST_CORE_W + CORE_W * copies;
}

/* Free with close_recorded. */
static void open_recorded(const struct measurement *session, struct recorded_runs *recorded)
{
    size_t count = session->reps.count, others = session->retaken.count;
    bool runs = test_program_copies(session->test_program) > 0;
    recorded->windows = memory_zeroed(2 * count + others + 1, sizeof *recorded->windows);
    recorded->pass_s = memory_zeroed(count + 1, sizeof *recorded->pass_s);
    struct window *other = recorded->windows + 2 * count;
    for (size_t i = 0; i < count; i++) {
        const struct repetition *rep = &session->reps.raw[i];
        recorded->windows[i] = rep->loop;
        recorded->windows[count + i] = rep->run;
        recorded->pass_s[i] = window_seconds(rep->loop) / (double)rep->iterations;
    }
    for (size_t i = 0; i < others; i++)
        other[i] = session->retaken.raw[i].loop;
    other[others] = session->warmup;
    recorded->of = (struct phase_windows){.loops = recorded->windows,
                                          .runs = recorded->windows + count,
                                          .count = count,
                                          .others = other,
                                          .other_count = others + (window_seconds(session->warmup) > 0),
                                          .pass_s = runs ? recorded->pass_s : NULL,
                                          .most_w = most_watts(session),
                                          .idles = !runs};
    recorded->of.device = launch_gpu(session->test_program);
    if (session->options->protocol.subtract_start)
        recorded->of.start = &session->start.run;
    if (window_seconds(session->before) > 0)
        recorded->of.idle[recorded->of.idle_count++] = session->before;
    if (window_seconds(session->after) > 0)
        recorded->of.idle[recorded->of.idle_count++] = session->after;
    if (session->test_program->machine != NULL)
        recorded->of.published_idle_w = session->test_program->machine->idle_w;
    if (has_power(session))
        power_view_open(session->options->recorder, &recorded->of, &recorded->view);
}

static void close_recorded(struct recorded_runs *recorded)
{
    power_view_free(&recorded->view);
    free(recorded->windows);
    free(recorded->pass_s);
}

/* Reads the recording, which lasts until the next one. */
static struct result_rep result_of(const struct measurement *session, const struct recorded_runs *recorded,
                                   const struct repetition *rep, struct arena *arena)
{
    const struct recorder *recorder = session->options->recorder;
    struct result_rep result = repetition_result(rep);
    bool loops = isfinite(window_seconds(rep->loop)) && rep->iterations > 0;
    result.metered = has_power(session);
    if (result.metered)
        result.energy_j = loops ? summary_loop_energies(&recorded->view, rep->loop, arena)
                                : summary_energies(recorder, rep->run, arena);
    result.temperature_c = summary_temperatures(recorder, rep->run.to_s, arena);
    return result;
}

/* Sets the point's power; flags repetitions that do not count towards it as outliers. */
static void set_power(struct measurement *session, const struct recorded_runs *recorded,
                      struct result_point *point)
{
    bool *out = memory_zeroed(session->reps.count + 1, sizeof *out);
    point->power = summary_power(&recorded->view, out, &point->arena);
    for (size_t i = 0; i < session->reps.count; i++)
        session->reps.items[i].outlier = session->reps.items[i].outlier || out[i];
    free(out);
    per_access_set(session->test_program->manifest,
                   grid_passes(&session->reps.raw[0]) * (double)test_program_copies(session->test_program),
                   &point->power, &point->arena);
    if (point->power.verdict == power_quality_word(false))
        warning_add(&session->warnings, NULL, "the power measurement is not trustworthy: %s",
                    point->power.reason);
    else if (point->power.left_out != NULL)
        warning_add(&session->warnings, NULL, "of the power measurement, %s", point->power.left_out);
}

/* The share of its loop in which the copies waited for their processors. */
static double waited(const struct measurement *session, const struct repetition *rep)
{
    double copies = (double)test_program_copies(session->test_program);
    double loop_s = copies * window_seconds(rep->loop);
    bool alone = session->options->co_runners_count == 0 && copies > 0;
    if (isfinite(rep->waited))
        return rep->waited;
    return alone ? fmax(0, 1 - (rep->cpu_s - session->pace.start_cpu_s) / loop_s) : NAN;
}

/* True if other programs hardly used the copies' processors. */
static bool is_quiet(const struct measurement *session, const struct repetition *rep)
{
    return !(waited(session, rep) > RESULT_MOST_WAITED);
}

static size_t count_quiet(const struct measurement *session)
{
    size_t count = 0;
    for (size_t i = 0; i < session->reps.count; i++)
        count += is_quiet(session, &session->reps.raw[i]);
    return count;
}

/* Ticks per pass, from the quiet repetitions if there are at least two. */
static struct interval pass_time(const struct measurement *session)
{
    double *ticks = memory_zeroed(session->reps.count + 1, sizeof *ticks);
    size_t count = 0;
    bool quiet = count_quiet(session) >= 2;
    for (size_t i = 0; i < session->reps.count; i++) {
        const struct repetition *rep = &session->reps.raw[i];
        if (rep->iterations > 0 && (!quiet || is_quiet(session, rep)))
            ticks[count++] = (double)rep->ticks / (double)rep->iterations;
    }
    struct interval interval = stats_fastest(ticks, count);
    if (!quiet)
        interval.low = interval.high = NAN;
    free(ticks);
    return interval;
}

static void set_time(const struct measurement *session, struct result_point *point)
{
    point->timed = true;
    point->ticks_per_pass = pass_time(session);
    if (isnan(point->ticks_per_pass.low) && point->ticks_per_pass.n > 0)
        point->ticks_doubt = session->reps.count < 2    ? "timed in one repetition alone"
                             : count_quiet(session) < 2 ? "other programs used the processor in almost every "
                                                          "repetition"
                                                        : "the repetitions do not agree";
    if (session->ticks_per_s > 0)
        point->ticks_per_s = session->ticks_per_s;
}

/* The settings that the run chose by itself. */
static struct result_measure chosen(const struct measurement *session)
{
    const struct protocol *protocol = &session->options->protocol;
    bool power = has_power(session);
    return (struct result_measure){.given = power,
                                   .time_s = session->time_s,
                                   .idle_with_memory = session->held,
                                   .subtract_start = power && protocol->subtract_start,
                                   .idle_left_out_s = protocol->idle_left_out_s};
}

#define LONGER "longer repetitions (--time), or fewer programs beside it"

static void warn_of_missed_time(struct measurement *session)
{
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < session->reps.count; i++) {
        least = fmin(least, window_seconds(session->reps.raw[i].loop));
        most = fmax(most, window_seconds(session->reps.raw[i].loop));
    }
    warning_add(&session->warnings, LONGER,
                "repetitions took %.3g to %.3g s; %.3g s were requested: the machine's pace changes", least,
                most, session->time_s);
}

/* Warns if the copies hardly ran at the same time. */
static void warn_of_overlap(struct measurement *session, double overlap)
{
    if (overlap < RESULT_TOGETHER)
        warning_add(&session->warnings, LONGER,
                    "in one repetition all copies made passes for only %.0f %% of its time: %s",
                    100 * overlap,
                    session->cast.co_runners_count > 0 ? "it tells nothing of them together"
                                                       : "no bandwidth of them together follows");
}

static void read_reps(const struct reps *reps, const struct recorded_runs *recorded,
                      const struct measurement *session, struct arena *arena)
{
    for (size_t i = 0; i < reps->count; i++) {
        reps->items[i] = result_of(session, recorded, &reps->raw[i], arena);
        reps->items[i].waited = waited(session, &reps->raw[i]);
    }
}

static void set_point(struct measurement *session, const struct recorded_runs *recorded,
                      struct result_point *point)
{
    const struct recorder *recorder = session->options->recorder;
    bool runs = test_program_copies(session->test_program) > 0;
    read_reps(&session->reps, recorded, session, &point->arena);
    read_reps(&session->retaken, recorded, session, &point->arena);
    point->measured = true;
    point->on_device = test_program_is_on_device(session->test_program);
    point->reps = session->reps.items;
    point->rep_count = session->reps.count;
    point->retaken = session->retaken.items;
    point->retaken_count = session->retaken.count;
    if (session->unsteady)
        warn_of_missed_time(session);
    if (runs)
        outliers_flag(point->reps, point->rep_count, &session->warnings);
    if (has_power(session))
        set_power(session, recorded, point);
    if (runs)
        set_time(session, point);
    point->idle_before = idle_record(recorder, session->before, &point->arena);
    point->idle_after = idle_record(recorder, session->after, &point->arena);
    if (session->test_program->place != NULL) {
        copies_summarize(session->test_program->manifest, session->ticks_per_s, point);
        warn_of_overlap(session, point->overlap);
    }
    point->measure = chosen(session);
    point->started = has_power(session) && runs;
    if (point->started)
        point->start = result_of(session, recorded, &session->start, &point->arena);
    warnings_extend(&point->warnings, &session->warnings);
}

static void measure_clock(struct measurement *session)
{
    struct moment end = moment_now();
    if (!test_program_is_on_device(session->test_program) && end.ticks > session->begin.ticks)
        session->ticks_per_s = moment_ticks_per_s(&session->begin, &end);
}

static void free_reps(struct reps *reps)
{
    for (size_t i = 0; i < reps->count; i++)
        repetition_free(&reps->raw[i]);
    free(reps->raw);
    free(reps->items);
}

void measurement_close(struct measurement *session)
{
    if (session == NULL)
        return;
    free_reps(&session->reps);
    free_reps(&session->retaken);
    repetition_free(&session->start);
    warnings_free(&session->warnings);
    free(session);
}

enum status measurement_open(const struct test_program *test_program, const struct measure_options *options,
                             struct measurement **measurement, struct error *error)
{
    const struct protocol *protocol = &options->protocol;
    struct measurement *session = memory_zeroed(1, sizeof *session);
    enum status status = STATUS_OK;
    *measurement = session;
    *session = (struct measurement){
        .test_program = test_program,
        .options = options,
        .time_s = protocol->time_s,
        .begin = moment_now(),
        .cast = {.test_program = test_program,
                 .co_runners = options->co_runners,
                 .co_runners_count = options->co_runners_count,
                 .timeout_s = timeout_of(test_program, fmax(protocol->time_s, protocol->warmup_s))}};
    if (test_program_copies(test_program) > 0)
        status = pace_measure(test_program, session->cast.timeout_s, &session->pace, error);
    else if (test_program->place->why_not.message[0] != '\0')
        status = test_program_check_runs(test_program, error);
    session->cast.ticks_per_s = test_program_is_on_device(test_program) ? 0 : session->pace.ticks_per_s;
    return status == STATUS_OK ? repetition_pace(&session->cast, error) : status;
}

enum status measurement_repeat(struct measurement *session, struct error *error)
{
    return run_rep(session, error);
}

void measurement_finish(struct measurement *session, struct result_point *point)
{
    struct recorded_runs recorded = {0};
    measure_clock(session);
    open_recorded(session, &recorded);
    set_point(session, &recorded, point);
    close_recorded(&recorded);
}

enum status measure_point(const struct test_program *test_program, const struct measure_options *options,
                          struct measurement **measurement, struct result_point *point, struct error *error)
{
    enum status status = measurement_open(test_program, options, measurement, error);
    if (status == STATUS_OK)
        status = run_protocol(*measurement, error);
    if (status == STATUS_OK)
        measurement_finish(*measurement, point);
    return status;
}
