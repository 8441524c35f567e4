#include "session/record/record_application.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text/names.h"
#include "base/units.h"
#include "runner/conditions/point_watch.h"
#include "runner/measure/idle_interval.h"
#include "runner/measure/protocol.h"
#include "runner/power/measurement_quality.h"
#include "runner/power/power_view.h"
#include "runner/power/summary.h"
#include "runner/process/application_process.h"
#include "runner/process/child_start.h"
#include "runner/results/results.h"
#include "runner/sources/perf/perf_measure.h"
#include "runner/sources/source.h"
#include "session/execute/run_context.h"
#include "session/execute/run_power.h"
#include "session/find_machine.h"

#include <ctype.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MOST = 40 };

static const char BENCHMARK[] = "application", NONE[] = "none", SOURCE[] = "timing";

/* Upper bounds of the power of a machine's cores, as for programs of a suite. */
static const double FIRST_CORE_W = 250, CORE_W = 50;

/* At the end of an interval, sensors' last readings are awaited for this share of its length. */
static const double PATIENCE = 0.25;

/* A run of the application. */
struct record_run {
    struct window window;
    double user_s, system_s;
};

struct recording {
    const struct record_request *request;
    struct machine machine;
    struct run_power power;
    struct perf_application *counters; /* NULL: none */
    struct results_file file;
    cpu_set_t set;
    int *cpus;
    size_t cpu_count;
    struct protocol protocol;
    struct window idle[2];
    struct record_run *runs;
    size_t run_count;
    double first_s; /* when the first run began */
    char name[NAME_MOST + 1];
    char hash[HASH_TEXT_BYTES];
    int exit_code;
};

/* ---- before the run ---- */

/* A name that is suitable for files, made from the command: "sort_-n_file". */
static void make_name(char *const *command, char name[NAME_MOST + 1])
{
    size_t length = 0;
    for (size_t i = 0; command[i] != NULL && length < NAME_MOST; i++) {
        const char *word = i == 0 ? file_base_name(command[i]) : command[i];
        if (i > 0)
            name[length++] = '_';
        for (; *word != '\0' && length < NAME_MOST; word++)
            name[length++] = isalnum((unsigned char)*word) || strchr(".-+=,", *word) != NULL ? *word : '_';
    }
    name[length] = '\0';
}

/* The hash of the executable, as for a suite's programs; "": it cannot be read. */
static void find_hash(const char *path, char hash[HASH_TEXT_BYTES])
{
    struct buffer bytes = {0};
    hash[0] = '\0';
    if (file_read_most(path, FILE_MOST_DATA, &bytes, NULL) == STATUS_OK)
        hash_bytes(bytes.data == NULL ? "" : bytes.data, bytes.size, hash);
    buffer_free(&bytes);
}

static enum status find_command(struct recording *own, struct error *error)
{
    char path[FILE_PATH_BYTES];
    const char *name = own->request->command[0];
    if (!child_program_find(name, path)) {
        error_set(error, STATUS_UNAVAILABLE, "there is no executable program \"%s\"", name);
        error_hint(error, "install it, add its folder to PATH, or give its path");
        return STATUS_UNAVAILABLE;
    }
    make_name(own->request->command, own->name);
    find_hash(path, own->hash);
    return STATUS_OK;
}

/* STATUS_USAGE for sources other than perf, which observe only programs of a suite. */
static enum status check_counters(const char *counters, struct error *error)
{
    for (size_t i = 0; counters != NULL && counter_sources[i] != NULL; i++) {
        const char *name = counter_sources[i]->name;
        if (strcmp(name, "perf") == 0 || !names_contain(counters, name))
            continue;
        error_set(error, STATUS_USAGE, "%s observes programs of a suite, not applications", name);
        error_hint(error, "--counters perf counts all events of the processor's events file, --counters "
                          "cycles,instructions only these two, and --counters none nothing");
        return STATUS_USAGE;
    }
    return STATUS_OK;
}

static enum status open_counters(struct recording *own, struct error *error)
{
    struct perf_host host;
    const struct record_request *request = own->request;
    enum status status = check_counters(request->counters, error);
    if (status != STATUS_OK || (request->counters != NULL && names_contain(request->counters, NONE)))
        return status;
    perf_host_read(&host, -1, "");
    host.kernel = request->kernel == NULL ? host.kernel : request->kernel;
    status = perf_application_open(request->counters, &own->machine, &host, &own->counters, error);
    if (status != STATUS_UNAVAILABLE || request->counters != NULL)
        return status;
    session_warn(request->events, "nothing is counted: %s%s%s", error->message,
                 error->hint[0] == '\0' ? "" : " -> ", error->hint);
    perf_application_close(own->counters);
    own->counters = NULL;
    return STATUS_OK;
}

static bool has_power(const struct recording *own)
{
    return sensor_list_power_channels(&own->power.meters) > 0;
}

static enum status open_power(struct recording *own, struct error *error)
{
    const struct record_request *request = own->request;
    struct error why_none = {0};
    enum status status = run_power_find(request->power, request->root, &own->power, &why_none);
    if (status == STATUS_OK)
        status = run_power_open(&own->power, &why_none);
    if (status != STATUS_OK) {
        *error = why_none;
        return status;
    }
    if (!has_power(own) && why_none.message[0] != '\0')
        session_warn(request->events, "no power is measured: %s", why_none.message);
    const struct protocol_request usual = {0};
    own->protocol =
        protocol_choose(NULL, &usual, false, has_power(own) ? PROTOCOL_POWER : PROTOCOL_NO_SENSOR);
    return STATUS_OK;
}

static enum status open_file(struct recording *own, struct error *error)
{
    const struct record_request *request = own->request;
    const struct context_facts facts = {.machine = &own->machine,
                                        .seed = 1,
                                        .root = request->root,
                                        .events = request->events,
                                        .counters = own->counters == NULL ? NONE : "perf",
                                        .sensors = &own->power,
                                        .cpu = -1};
    return run_context_open_alone(&facts, BENCHMARK, request->path, request->resume, &own->file, error);
}

static void find_cpus(struct recording *own)
{
    CPU_ZERO(&own->set);
    (void)sched_getaffinity(0, sizeof own->set, &own->set);
    own->cpus = memory_zeroed((size_t)CPU_COUNT(&own->set) + 1, sizeof *own->cpus);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET((size_t)cpu, &own->set))
            own->cpus[own->cpu_count++] = cpu;
}

/* ---- intervals ---- */

/* The core's present clock in GHz, as the system reports it; NAN: it does not. */
static double clock_of(const struct recording *own, int cpu)
{
    char line[32];
    double khz;
    bool read = snapshot_line(own->request->root, line, sizeof line,
                              "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq", cpu);
    return read && units_parse_number(line, &khz) && khz > 0 ? khz / 1e6 : NAN;
}

/* The highest clock of the cores on which the application ran, or of all cores; sets each core's clock. */
static double find_clocks(const struct recording *own, struct result_step *step, struct arena *arena)
{
    double most = NAN;
    for (size_t i = 0; i < step->core_count; i++) {
        double ghz = clock_of(own, step->cores[i].cpu);
        most = fmax(most, ghz);
        if (isfinite(ghz))
            result_value_add(&step->cores[i].values, "ghz", (struct interval){ghz, ghz, ghz, 1}, arena);
    }
    for (size_t i = 0; step->core_count == 0 && i < own->cpu_count; i++)
        most = fmax(most, clock_of(own, own->cpus[i]));
    return most;
}

static double hottest(const struct result_values *temperatures)
{
    double most = NAN;
    for (size_t i = 0; i < temperatures->count; i++)
        most = fmax(most, temperatures->items[i].interval.value);
    return most;
}

/* Waits for the readings up to the window's end, and adds them to the step. */
static void read_sensors(const struct recording *own, struct window window, struct result_step *step,
                         struct arena *arena)
{
    struct recorder *recorder = own->power.recorder;
    if (sensor_list_usable_channels(&own->power.meters) == 0)
        return;
    recorder_hold(recorder, window.to_s, PATIENCE * own->request->interval_s);
    step->energy_j = summary_energies(recorder, window, arena);
    struct result_values temperatures = summary_temperatures(recorder, window.to_s, arena);
    step->temperature_c = hottest(&temperatures);
    step->power_w = summary_headline_joules(recorder, window) / window_seconds(window);
    recorder_go_on(recorder);
}

/* Appends the interval to the results. */
static enum status end_interval(struct recording *own, struct window window, struct error *error)
{
    struct arena arena = {0};
    struct perf_look look = {0};
    struct result_step step = {.benchmark = BENCHMARK,
                               .name = own->name,
                               .t_s = window.to_s - own->first_s,
                               .seconds = window_seconds(window),
                               .temperature_c = NAN,
                               .power_w = NAN};
    if (own->counters != NULL)
        perf_application_look(own->counters, &look, &arena);
    step.counters = look.counters;
    step.cores = look.cores;
    step.core_count = look.core_count;
    step.ghz = find_clocks(own, &step, &arena);
    read_sensors(own, window, &step, &arena);
    enum status status = result_step_append(&step, &own->file, error);
    arena_free(&arena);
    return status;
}

/* False for a last interval that is practically empty. */
static bool is_due(const struct recording *own, double begin_s, double end_s)
{
    return own->request->interval_s > 0 && end_s - begin_s > 1e-3;
}

static enum status watch(struct recording *own, struct application_process *process, struct error *error)
{
    double interval_s = own->request->interval_s, begin_s = process->begin_s, due_s = begin_s + interval_s;
    enum status status = STATUS_OK;
    while (!application_wait(process, interval_s > 0 ? due_s : INFINITY)) {
        double now_s = clock_now_s();
        if (status == STATUS_OK) /* the application continues even if recording failed */
            status = end_interval(own, (struct window){begin_s, now_s}, error);
        begin_s = now_s;
        due_s = fmax(due_s + interval_s, clock_now_s());
    }
    if (status == STATUS_OK && is_due(own, begin_s, process->end_s))
        status = end_interval(own, (struct window){begin_s, process->end_s}, error);
    return status;
}

/* ---- the runs ---- */

static enum status run_once(struct recording *own, struct error *error)
{
    struct application_process process;
    char phase[RECORDER_PHASE_BYTES];
    size_t reps = own->request->reps > 1 ? own->request->reps : 1;
    enum status status = application_create(own->request->command, &process, error);
    if (status == STATUS_OK && own->counters != NULL)
        status = perf_application_attach(own->counters, process.pid, reps, error);
    snprintf(phase, sizeof phase, "rep %zu", own->run_count + 1);
    recorder_mark(own->power.recorder, phase);
    if (status == STATUS_OK)
        status = application_begin(&process, error);
    if (status == STATUS_OK) {
        own->first_s = own->run_count == 0 ? process.begin_s : own->first_s;
        status = watch(own, &process, error);
        own->runs = memory_next(own->runs, own->run_count, sizeof *own->runs);
        own->runs[own->run_count++] =
            (struct record_run){{process.begin_s, process.end_s}, process.user_s, process.system_s};
        own->exit_code = application_exit_code(&process);
    }
    if (own->counters != NULL)
        perf_application_detach(own->counters);
    application_end(&process);
    return status;
}

static void rest(struct recording *own, const char *phase, struct window *window)
{
    if (own->protocol.idle_s <= 0)
        return;
    recorder_mark(own->power.recorder, phase);
    window->from_s = clock_now_s();
    idle_rest(own->protocol.idle_s);
    window->to_s = clock_now_s();
}

static enum status run_all(struct recording *own, struct error *error)
{
    struct recorder *recorder = own->power.recorder;
    enum status status = STATUS_OK;
    recorder_begin(recorder, NULL, 0);
    rest(own, "idle_before", &own->idle[0]);
    application_pass_signals();
    do
        status = run_once(own, error);
    while (status == STATUS_OK && own->run_count < own->request->reps && !application_was_signalled());
    if (own->run_count > 0)
        rest(own, "idle_after", &own->idle[1]);
    recorder_mark(recorder, "end");
    recorder_end(recorder, clock_now_s());
    return status;
}

/* ---- the results ---- */

static void add_rate(struct result_point *point, const struct observation *observation)
{
    struct result_rate rate = {.metric = observation->metric,
                               .target = NAN,
                               .min = -INFINITY,
                               .max = INFINITY,
                               .verdict = VERDICT_OBSERVED,
                               .has_silicon = true,
                               .silicon = VERDICT_OBSERVED,
                               .reason = ""};
    observations_copy(&rate.seen, observation);
    result_rates_add(&point->rates, &rate);
    point->judged = true;
}

static void add_time(const struct recording *own, const char *metric, const double *seconds,
                     struct result_point *point)
{
    struct observations list = {0};
    struct interval all = own->run_count > 1 ? stats_repeated(seconds, own->run_count)
                                             : (struct interval){seconds[0], NAN, NAN, 1};
    observations_add(&list, metric, SOURCE, EVIDENCE_MEASURED, all.value, all.low, all.high,
                     (double)own->run_count);
    if (own->run_count == 1)
        observations_doubt(&list, "of one run alone; --reps repeats it");
    add_rate(point, &list.items[0]);
    observations_free(&list);
}

static void set_times(const struct recording *own, struct result_point *point)
{
    double *seconds = memory_zeroed(3 * own->run_count + 1, sizeof *seconds);
    double *user = seconds + own->run_count, *system = user + own->run_count;
    for (size_t i = 0; i < own->run_count; i++) {
        seconds[i] = window_seconds(own->runs[i].window);
        user[i] = own->runs[i].user_s;
        system[i] = own->runs[i].system_s;
    }
    add_time(own, "time.wall", seconds, point);
    add_time(own, "time.user", user, point);
    add_time(own, "time.system", system, point);
    free(seconds);
}

static void set_counts(const struct recording *own, struct result_point *point)
{
    struct perf_look look;
    if (own->counters == NULL)
        return;
    perf_application_total(own->counters, &point->seen, &look, &point->arena);
    point->counted = point->seen.counters.count > 0;
    point->application.cores = look.cores;
    point->application.core_count = look.core_count;
    for (size_t i = 0; i < point->seen.count; i++)
        add_rate(point, &point->seen.items[i]);
    warnings_extend(&point->warnings, &point->seen.warnings);
}

static struct window *windows_of(const struct recording *own)
{
    struct window *windows = memory_zeroed(own->run_count + 1, sizeof *windows);
    for (size_t i = 0; i < own->run_count; i++)
        windows[i] = own->runs[i].window;
    return windows;
}

static void set_power(const struct recording *own, const struct power_view *view, struct result_point *point)
{
    bool *out = memory_zeroed(own->run_count + 1, sizeof *out);
    point->power = summary_power(view, out, &point->arena);
    for (size_t i = 0; i < own->run_count; i++) {
        point->reps[i].outlier = out[i];
        point->reps[i].metered = true;
        point->reps[i].energy_j = summary_loop_energies(view, own->runs[i].window, &point->arena);
    }
    free(out);
    if (point->power.verdict == power_quality_word(false))
        warning_add(&point->warnings, NULL, "the power measurement is not trustworthy: %s",
                    point->power.reason);
    else if (point->power.left_out != NULL)
        warning_add(&point->warnings, NULL, "of the power measurement, %s", point->power.left_out);
}

static void set_reps(const struct recording *own, struct result_point *point)
{
    const struct recorder *recorder = own->power.recorder;
    struct window *windows = windows_of(own);
    struct phase_windows of = {.loops = windows,
                               .runs = windows,
                               .count = own->run_count,
                               .most_w = FIRST_CORE_W + CORE_W * (double)own->cpu_count,
                               .published_idle_w = own->machine.idle_w};
    for (size_t i = 0; i < 2; i++)
        if (window_seconds(own->idle[i]) > 0)
            of.idle[of.idle_count++] = own->idle[i];
    point->measured = true;
    point->rep_count = own->run_count;
    point->reps = arena_alloc(&point->arena, own->run_count, sizeof *point->reps);
    for (size_t i = 0; i < own->run_count; i++) {
        double seconds = window_seconds(windows[i]);
        point->reps[i] = (struct result_rep){
            .iterations = 1, .seconds = seconds, .wall_s = seconds, .waited = NAN, .copies = 1};
        point->reps[i].temperature_c = summary_temperatures(recorder, windows[i].to_s, &point->arena);
    }
    if (has_power(own)) {
        struct power_view view;
        power_view_open(recorder, &of, &view);
        set_power(own, &view, point);
        power_view_free(&view);
    }
    point_judge_temperature(point->reps, point->rep_count, &point->warnings);
    point->idle_before = idle_record(recorder, own->idle[0], &point->arena);
    point->idle_after = idle_record(recorder, own->idle[1], &point->arena);
    free(windows);
}

static void fill(const struct recording *own, struct result_point *point)
{
    size_t words = 0;
    while (own->request->command[words] != NULL)
        words++;
    const char **command = arena_alloc(&point->arena, words, sizeof *command);
    memcpy(command, own->request->command, words * sizeof *command);
    point->recipe = BENCHMARK;
    point->benchmark = BENCHMARK;
    point->name = own->name;
    point->target = own->machine.isa;
    point->program_hash = own->hash;
    point->application.given = true;
    point->application.command = (struct manifest_words){command, words};
    point->application.exit_code = own->exit_code;
    set_reps(own, point);
    set_times(own, point);
    set_counts(own, point);
}

static void report(const struct recording *own, const struct result_point *point)
{
    const struct result_values *power = &point->power.values;
    struct interval watts = result_value(power, "power.total_w"),
                    idle = result_value(power, "power.static_w");
    char joules[160] = "";
    double energy = 0;
    for (size_t i = 0; i < point->power.from.count; i++)
        energy += result_value(&point->reps[0].energy_j, point->power.from.items[i]).value;
    if (watts.n > 0 && isfinite(watts.value))
        snprintf(joules, sizeof joules, ", %.4g J, %.4g W (idle %.4g W; %s)", energy, watts.value, idle.value,
                 point->power.verdict);
    session_note(own->request->events, "%s: %.4g s (user %.4g s, system %.4g s)%s, into %s", own->name,
                 window_seconds(own->runs[0].window), own->runs[0].user_s, own->runs[0].system_s, joules,
                 own->request->path);
    session_point_warnings(own->request->events, point->benchmark, point->name, &point->warnings);
    session_report_points(own->request->events);
}

static enum status append(struct recording *own, struct result_point *point, struct error *error)
{
    enum status status = run_power_keep_trace(&own->power, own->request->path, point, error);
    if (status == STATUS_OK)
        status = result_point_append(point, &own->file, NULL, error);
    if (status == STATUS_OK)
        report(own, point);
    return status;
}

static enum status record(struct recording *own, struct error *error)
{
    struct result_point point = result_point_none;
    struct core_clock clock = {0};
    struct point_watch seen;
    enum status status = open_file(own, error);
    if (status != STATUS_OK)
        return status;
    point_watch_begin(&seen, &(struct point_request){.root = own->request->root,
                                                     .clock = &clock,
                                                     .cpus = own->cpus,
                                                     .cpu_count = own->cpu_count,
                                                     .requested_ghz = NAN});
    status = run_all(own, error);
    if (own->run_count > 0)
        fill(own, &point);
    point_watch_end(&seen, &point);
    if (own->run_count > 0) {
        struct error second;
        enum status kept = append(own, &point, &second);
        if (status == STATUS_OK && kept != STATUS_OK)
            *error = second;
        status = status == STATUS_OK ? kept : status;
    }
    result_point_free(&point);
    results_close(&own->file);
    return status;
}

enum status record_application(const struct record_request *request, struct record_outcome *outcome,
                               struct error *error)
{
    struct recording own = {.request = request};
    *outcome = (struct record_outcome){0};
    find_cpus(&own);
    enum status status = find_command(&own, error);
    if (status == STATUS_OK)
        status = find_machine(request->machine, request->root, &own.machine, error);
    if (status == STATUS_OK)
        status = open_counters(&own, error);
    if (status == STATUS_OK)
        status = open_power(&own, error);
    if (status == STATUS_OK)
        status = record(&own, error);
    outcome->exit_code = own.exit_code;
    perf_application_close(own.counters);
    run_power_close(&own.power);
    machine_free(&own.machine);
    free(own.cpus);
    free(own.runs);
    return status;
}
