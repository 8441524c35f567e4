/* trauma run: executes points, records time, power and evidence, appends each to results.jsonl when it is
 * done. */
#include "base/error.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/random.h"
#include "base/suggest.h"
#include "cli/calibrate.h"
#include "cli/command.h"
#include "cli/conditions.h"
#include "cli/devices.h"
#include "cli/imported.h"
#include "cli/judged.h"
#include "cli/options.h"
#include "cli/output_kind.h"
#include "cli/probe_wanted.h"
#include "cli/progress.h"
#include "cli/run_context.h"
#include "cli/run_device.h"
#include "cli/run_power.h"
#include "cli/run_table.h"
#include "cli/wished_state.h"
#include "cli/work.h"
#include "runner/conditions/point_watch.h"
#include "runner/launch/host.h"
#include "runner/measure/copies.h"
#include "runner/measure/measure.h"
#include "runner/measure/throughput.h"
#include "runner/power/recorder.h"
#include "runner/results/evidence.h"
#include "runner/results/results.h"
#include "session/per_pass.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- run order ---- */

/* In which order points are run: what the machine does meanwhile (warming up, another's load) must not look
 * like an effect of the sweep. */

/* STATUS_USAGE when --order is neither "given" nor "random". */
static enum status run_order_check(const struct options *options, struct error *error)
{
    static const char *const orders[] = {"given", "random"};
    if (options->order == NULL || strcmp(options->order, orders[0]) == 0 ||
        strcmp(options->order, orders[1]) == 0)
        return STATUS_OK;
    error_set(error, STATUS_USAGE, "--order is given or random, found '%s'", options->order);
    suggest_hint(error, options->order, orders, 2, "leave it out for the usual one");
    return STATUS_USAGE;
}

/* The items' indexes: as given or, by the seed, at random, which is usual where there is power to measure.
 * Free with free. */
static size_t *run_order(const struct options *options, const struct work *work,
                         const struct recorder *recorder)
{
    size_t count = work->item_count;
    size_t *order = calloc(count + 1, sizeof *order);
    if (order == NULL)
        abort();
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    bool shuffled = options->order != NULL ? strcmp(options->order, "random") == 0
                                           : sensor_list_power_channels(recorder_meters(recorder)) > 0;
    struct random random = random_start((uint64_t)options->seed, "order of points");
    for (size_t i = count; shuffled && i > 1; i--) {
        size_t j = random_below(&random, (uint32_t)i);
        size_t held = order[i - 1];
        order[i - 1] = order[j];
        order[j] = held;
    }
    return order;
}

/* ---- run ---- */

/* ---- company ---- */

/* The programs that run beside a point's own: the other cores' kernels of { cores = {...} }. */

struct co_runners {
    struct companion *companions; /* count of them */
    struct program *programs;
    struct placement *places;
    size_t count;
};

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    if (memory == NULL)
        abort(); /* out of memory */
    return memory;
}

static enum status add(const struct work_item *item, const char *point, struct co_runners *co_runners,
                       struct error *error)
{
    struct work_item other;
    struct program *program = &co_runners->programs[co_runners->count];
    struct companion *companion = &co_runners->companions[co_runners->count];
    bool changed;
    if (!work_find(item->source, item->benchmark, point, &other))
        return error_set(error, STATUS_FAILED, "it runs together with %s, which is not in %s", point,
                         item->source->path);
    enum status status = work_program(&other, program, &changed, error);
    /* The names stay where the source has them. */
    companion->test_program = work_test_program(&other, program, -1);
    if (status == STATUS_OK)
        test_program_find_place(&companion->test_program, &co_runners->places[co_runners->count]);
    co_runners->count++;
    return status == STATUS_OK ? test_program_check_runs(&companion->test_program, error) : status;
}

/* Makes or loads what the item's manifest says it runs together with, and finds each one's place. An empty
 * company for most. STATUS_FAILED when one is not to be had. Close with co_runners_close also after an error.
 */
static enum status co_runners_open(const struct work_item *item, const json_t *manifest,
                                   struct co_runners *co_runners, struct error *error)
{
    const json_t *together = json_object_get(manifest, "together");
    size_t most = json_array_size(together);
    *co_runners = (struct co_runners){.companions = allocate(most, sizeof(struct companion)),
                                      .programs = allocate(most, sizeof(struct program)),
                                      .places = allocate(most, sizeof(struct placement))};
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < most; i++) {
        const char *point = json_string_value(json_array_get(together, i));
        if (point != NULL && strcmp(point, item->point) != 0)
            status = add(item, point, co_runners, error);
    }
    return status;
}

static void co_runners_close(struct co_runners *co_runners)
{
    for (size_t i = 0; i < co_runners->count; i++)
        program_free(&co_runners->programs[i]);
    free(co_runners->companions);
    free(co_runners->programs);
    free(co_runners->places);
    memset(co_runners, 0, sizeof *co_runners);
}

/* ---- run ---- */

static const char *const accepted[] = {"machine",        "target",   "output", "filter",     "set",
                                       "seed",           "shard",    "resume", "reps",       "time",
                                       "order",          "counters", "power",  "sysfs-root", "allow-state",
                                       "dry-run",        "json",     "quiet",  "verbose",    "calibrate",
                                       "no-calibration", "index",    "tune",   "here",       "import",
                                       "columns",        "device",   "probe",  NULL};

enum { WARNED_POINTS = 3 };
static const double EVIDENCE_S = 0.7;   /* about what the sources take for a point */
static const double POINT_BYTES = 5000; /* of a line of results */
static const double CALIBRATE_S = 2.5;  /* and a calibration of a few rounds */

/* A run under way. */
struct session {
    const struct options *options;
    struct work work;
    struct run_power power;
    struct core_clock clock;
    struct gpu_clock gpu_clock;
    struct results_file file;
    struct tally tally;
    int cpu;
    size_t done, skipped;
    size_t warned; /* points with warnings */
};

static struct protocol choose_protocol(const struct session *session, const json_t *manifest)
{
    const struct protocol_request wishes = {session->options->time, session->options->reps};
    const struct sensor_list *meters = &session->power.meters;
    enum protocol_sensors sensors = sensor_list_power_channels(meters) > 0 ? PROTOCOL_POWER
                                    : meters->count > 0                    ? PROTOCOL_OTHER_SENSOR
                                                                           : PROTOCOL_NO_SENSOR;
    return protocol_choose(json_object_get(manifest, "measure"), &wishes,
                           json_number_or(manifest, "threads", 1) == 0, sensors);
}

/* A point's line so far. document: the manifest, or what the recipe or index says of a program that has none.
 * NULL when a text in it is not UTF-8. */
static json_t *point_line(const struct work_item *item, const json_t *document, const char *hash)
{
    json_t *point =
        json_pack("{s:s, s:s, s:s, s:O?, s:s, s:O?, s:s}", "kind", "point", "recipe", item->recipe,
                  "benchmark", item->benchmark, "point", json_object_get(document, "parameters"), "name",
                  item->point, "target", json_object_get(document, "target"), "program_hash", hash);
    static const char *const carried[][2] = {{"tolerance", "tolerance"}, {"runs_with", "together"}};
    for (size_t i = 0; i < sizeof carried / sizeof carried[0]; i++)
        if (json_object_get(document, carried[i][1]) != NULL)
            json_object_set(point, carried[i][0], json_object_get(document, carried[i][1]));
    per_pass_set(document, point);
    return point;
}

/* What goes wrong while running is recorded with the point. */
static void set_failure(const struct session *session, const struct work_item *item, json_t *point,
                        const struct error *error)
{
    struct error told = *error;
    if (error->file[0] != '\0' && error->line > 0) /* of the program: its compiler refuses it there */
        error_prefix(&told, "%s:%d", error->file, error->line);
    judged_set_failure(point, &told);
    command_warn(session->options, "%s/%s: %s", item->benchmark, item->point, told.message);
}

/* What a processor that lacks a feature cannot run is recorded as such, and no more than inspected. */
static void set_skipped(const struct session *session, const struct test_program *test_program, json_t *point,
                        const struct error *error)
{
    json_object_set_new(point, "skipped", command_json_text(error->message));
    command_warn(session->options, "%s/%s is skipped: %s", test_program->benchmark, test_program->point,
                 error->message);
}

/* What measuring complains of is in the results; on stderr the first points stand for all. */
static void tell_warnings(struct session *session, const struct test_program *test_program,
                          const json_t *warnings)
{
    const json_t *warning;
    size_t i;
    if (json_array_size(warnings) == 0)
        return;
    if (session->warned < WARNED_POINTS)
        json_array_foreach(warnings, i, warning)
        {
            const char *mend = json_string_or(warning, "mend", "");
            command_warn(session->options, "%s/%s: %s%s%s", test_program->benchmark, test_program->point,
                         json_string_or(warning, "what", ""), mend[0] == '\0' ? "" : "; ", mend);
        }
    if (session->warned == WARNED_POINTS)
        command_warn(session->options, "further points have warnings too: they are in the results");
    session->warned++;
}

/* Begins to look at what else goes on. */
static void watch_point(const struct session *session, const struct test_program *test_program,
                        struct point_watch *watch)
{
    const json_t *state = json_object_get(test_program->manifest, "state");
    const bool placed = test_program->place != NULL && test_program->place->count > 0;
    const struct point_request request = {.root = wished_root(session->options),
                                          .clock = &session->clock,
                                          .cpus = placed ? test_program->place->cpus : &test_program->cpu,
                                          .cpu_count =
                                              placed ? test_program->place->count : test_program->cpu >= 0,
                                          .requested_ghz = json_number_or(state, "frequency", NAN),
                                          .allowed = session->options->allow_state};
    point_watch_begin(watch, &request);
}

static enum status judge(struct session *session, const struct test_program *test_program, json_t *point,
                         struct error *error)
{
    struct evidence evidence;
    enum status status = evidence_gather(test_program, session->options->counters, &evidence, error);
    if (status == STATUS_OK)
        status = imported_add(session->options, &evidence, error);
    if (status == STATUS_OK) {
        throughput_observe(point, test_program->machine->l1d.sector, &evidence.observations);
        json_object_set_new(point, "rates", evidence_judge(test_program, &evidence));
        copies_add_rates(&evidence.observations, point);
        evidence_record(&evidence, point);
        tell_warnings(session, test_program, evidence.observations.warnings);
    }
    evidence_free(&evidence);
    return status;
}

/* Measures and gathers evidence. */
static enum status measure_and_judge(struct session *session, const struct work_item *item,
                                     struct test_program *test_program, json_t *point, struct error *error)
{
    struct measure_options measure = {.protocol = choose_protocol(session, test_program->manifest),
                                      .recorder = session->power.recorder};
    struct co_runners co_runners;
    enum status status = test_program_check_features(test_program, error);
    if (status == STATUS_OK)
        status = run_device_begin(session->options, &session->gpu_clock, test_program, point, error);
    if (status == STATUS_UNAVAILABLE) {
        set_skipped(session, test_program, point, error);
        return judge(session, test_program, point, error);
    }
    if (status != STATUS_OK)
        return status;
    status = co_runners_open(item, test_program->manifest, &co_runners, error);
    measure.co_runners = co_runners.companions;
    measure.co_runners_count = co_runners.count;
    struct point_watch watch;
    watch_point(session, test_program, &watch);
    if (status == STATUS_OK)
        status = measure_point(test_program, &measure, point, error);
    point_watch_end(&watch, point);
    run_device_judge(test_program, point);
    co_runners_close(&co_runners);
    if (status == STATUS_OK)
        status = run_power_keep_trace(&session->power, session->file.path, test_program, point, error);
    tell_warnings(session, test_program, json_object_get(point, "warnings"));
    if (status == STATUS_OK &&
        test_program_copies(test_program) == 0) { /* nothing ran, so nothing is said of it */
        json_object_set_new(point, "rates", json_object());
        return STATUS_OK;
    }
    return status == STATUS_OK ? judge(session, test_program, point, error) : status;
}

/* The same in the state that the recipe wishes, as far as that is allowed. */
static enum status execute(struct session *session, const struct work_item *item,
                           struct test_program *test_program, json_t *point, struct error *error)
{
    json_t *record = wished_begin(session->options, &session->work, item, test_program->manifest);
    if (record != NULL)
        json_object_set_new(point, "state", record);
    enum status status = measure_and_judge(session, item, test_program, point, error);
    run_device_end(session->options, &session->gpu_clock, test_program);
    wished_end(session->options, &session->work);
    return status;
}

/* Appends the point's line to the results, and counts it when it is there. */
static enum status record(struct session *session, const json_t *point, json_t *lines, struct error *error)
{
    enum status status = results_append(&session->file, point, error);
    if (status != STATUS_OK)
        return status;
    session->done++;
    if (json_object_get(point, "error") != NULL)
        judged_count_failure(point, &session->tally);
    else
        judged_count(json_object_get(point, "rates"), &session->tally);
    session->tally.skipped += json_object_get(point, "skipped") != NULL;
    if (session->options->json)
        command_print_json(point, 0);
    json_array_append(lines, (json_t *)(uintptr_t)point);
    return STATUS_OK;
}

/* Runs and records a program that is there. */
static enum status run_program(struct session *session, const struct work_item *item,
                               const struct program *program, bool changed, json_t *calibration,
                               json_t *lines, struct error *error)
{
    char hash[HASH_TEXT_BYTES];
    work_hash(program, hash);
    if (results_finished(&session->file, item->benchmark, item->point, hash)) {
        session->skipped++;
        return STATUS_OK;
    }
    if (changed)
        command_warn(session->options,
                     "%s/%s: its files are not those that were generated; what is there is run",
                     item->benchmark, item->point);
    json_t *point = point_line(item, program->manifest, hash);
    if (point == NULL)
        return error_set(error, STATUS_FAILED, "%s/%s cannot be recorded: a text of it is not UTF-8",
                         item->benchmark, item->point);
    if (calibration != NULL)
        json_object_set(point, "calibration", calibration);
    struct test_program test_program = work_test_program(item, program, session->cpu);
    struct placement place;
    test_program_find_place(&test_program, &place);
    if (execute(session, item, &test_program, point, error) != STATUS_OK)
        set_failure(session, item, point, error);
    enum status status = record(session, point, lines, error);
    json_decref(point);
    return status;
}

/* Records a suite's program that could not be loaded. */
static enum status record_damaged(struct session *session, const struct work_item *item, json_t *lines,
                                  struct error *error)
{
    json_t *point = point_line(item, item->entry, json_string_or(item->entry, "hash", ""));
    set_failure(session, item, point, error);
    enum status status = record(session, point, lines, error);
    json_decref(point);
    return status;
}

/* True for a point that is in the results, as its program is by what was learnt before. */
static bool is_done(struct session *session, const struct work_item *item)
{
    struct program program;
    char hash[HASH_TEXT_BYTES];
    bool changed;
    bool done = false;
    if (!session->options->resume || !session->options->calibrate)
        return false;
    struct error unused; /* it comes again when the program is made to be run */
    if (work_program(item, &program, &changed, &unused) == STATUS_OK) {
        work_hash(&program, hash);
        done = results_finished(&session->file, item->benchmark, item->point, hash);
    }
    program_free(&program);
    session->skipped += done;
    return done;
}

static enum status run_item(struct session *session, const struct work_item *item, json_t *lines,
                            struct error *error)
{
    struct program program;
    struct calibrated calibrated;
    bool changed;
    if (is_done(session, item))
        return STATUS_OK;
    enum status status = calibrated_program(session->options, &session->work, item, session->cpu, &program,
                                            &changed, &calibrated, error);
    session->tally.unreached += calibrated.unreached;
    if (status == STATUS_OK)
        status = run_program(session, item, &program, changed, calibrated.record, lines, error);
    else if (work_can_go_on(item, status))
        status = record_damaged(session, item, lines, error);
    calibrated_free(&calibrated);
    program_free(&program);
    return status;
}

static void print_points(const struct session *session, const json_t *lines)
{
    run_table_print(lines);
    printf("\n");
    judged_print_summary(&session->tally, session->done);
}

static enum status open_file(struct session *session, const char *path, struct error *error)
{
    json_t *context = run_context(&session->work, session->options, session->power.recorder, session->cpu);
    conditions_tell(session->options, json_object_get(context, "warnings"));
    enum status status = session->options->resume ? results_resume(&session->file, path, context, error)
                                                  : results_create(&session->file, path, context, error);
    if (status == STATUS_OK) {
        status = run_context_agrees(session->file.context, context, path, error);
        if (status != STATUS_OK)
            results_close(&session->file);
    }
    json_decref(context);
    return status;
}

/* About how long all points take; *idle_s of nothing in them that is left out. */
static double estimate_s(const struct session *session, double *idle_s)
{
    double seconds = 0;
    *idle_s = 0;
    for (size_t i = 0; i < session->work.item_count; i++) {
        json_t *document = work_document(&session->work.items[i], NULL);
        struct protocol protocol = choose_protocol(session, document);
        json_decref(document);
        seconds += protocol_seconds(&protocol) + EVIDENCE_S;
        *idle_s += protocol.idle_left_out_s;
    }
    return seconds + (session->options->calibrate ? CALIBRATE_S * (double)session->work.item_count : 0);
}

/* What is about to happen, on stderr: how many points, how long, and what cannot be measured. */
static void announce(const struct session *session, const char *path, const struct error *why_no_meter)
{
    const struct options *options = session->options;
    double idle_s, seconds = estimate_s(session, &idle_s), points = (double)session->work.item_count;
    double bytes = points * POINT_BYTES + seconds * run_power_trace_bytes(&session->power);
    if (!options->quiet)
        command_tell("%zu point%s, about %.0f s and %.*f MB, into %s", session->work.item_count,
                     command_plural(session->work.item_count), seconds, bytes < 1e6, bytes / 1e6, path);
    if (sensor_list_power_channels(&session->power.meters) == 0 && why_no_meter->message[0] != '\0')
        command_warn(options, "no power is measured: %s", why_no_meter->message);
    if (idle_s > 0)
        command_warn(
            options,
            "the idle intervals of measure, %.0f s in all, are not waited for: no sensor is read in them",
            idle_s);
}

static enum status run_items(struct session *session, const char *path, struct error *error)
{
    enum status status = open_file(session, path, error);
    if (status != STATUS_OK)
        return status;
    json_t *lines = json_array();
    struct progress progress = progress_start(session->options, "points run", session->work.item_count);
    size_t *order = run_order(session->options, &session->work, session->power.recorder);
    for (size_t i = 0; status == STATUS_OK && i < session->work.item_count; i++) {
        status = run_item(session, &session->work.items[order[i]], lines, error);
        progress_step(&progress, i + 1);
    }
    progress_end(&progress);
    free(order);
    if (session->skipped > 0 && !session->options->quiet)
        command_tell("%zu point%s in %s already", session->skipped, session->skipped == 1 ? " was" : "s were",
                     path);
    if (!session->options->json && session->done > 0)
        print_points(session, lines);
    json_decref(lines);
    results_close(&session->file);
    return status;
}

/* What run calibrates is what it runs on, also where -m describes it in other words. */
static struct options for_this_host(const struct options *given)
{
    struct options options = *given;
    options.here = options.here || options.calibrate;
    return options;
}

static int run(const struct options *given)
{
    const struct options own = for_this_host(given);
    const struct options *options = &own;
    const char *path = options->output == NULL ? "results.jsonl" : options->output;
    struct session session = {.options = options, .cpu = host_choose_cpu()};
    struct error error;
    struct error why_no_meter;
    if (!evidence_check_names(options->counters, &error))
        return command_fail(&error);
    enum status status = run_order_check(options, &error);
    if (status == STATUS_OK)
        status = output_kind_check(path, ".jsonl", &error);
    if (status != STATUS_OK)
        return command_fail(&error);
    status = run_power_find(options, &session.power, &why_no_meter);
    if (status != STATUS_OK)
        error = why_no_meter;
    if (status == STATUS_OK)
        status = work_open(options, WORK_GPU_NEEDED, &session.work, &error);
    if (status == STATUS_OK)
        status = work_check_runnable(&session.work, &error);
    if (status == STATUS_OK)
        status = devices_find(options, &session.work, &error);
    if (status == STATUS_OK && devices_alone(&session.work))
        session.cpu = -1;
    if (status == STATUS_OK)
        status = imported_check(options, &session.work, &error);
    if (status == STATUS_OK)
        status = calibrate_check(options, &session.work, &error);
    if (status == STATUS_OK)
        status = run_context_check(&session.work, &error);
    if (status == STATUS_OK)
        probe_wanted_tell(options, &session.work);
    if (status == STATUS_OK)
        announce(&session, path, &why_no_meter);
    if (status == STATUS_OK && !options->dry_run)
        status = wished_open(options, true, &session.work, &error);
    if (status == STATUS_OK && !options->dry_run)
        status = run_device_open(options, &session.work, &session.gpu_clock, &error);
    if (status == STATUS_OK && !options->dry_run)
        status = run_power_open(&session.power, &error);
    if (status == STATUS_OK && !options->dry_run)
        (void)core_clock_open(&session.clock, NULL); /* without it the system's word is all that is told */
    if (status == STATUS_OK && !options->dry_run)
        status = run_items(&session, path, &error);
    core_clock_close(&session.clock);
    gpu_clock_close(&session.gpu_clock);
    wished_close(options, &session.work);
    run_power_close(&session.power);
    work_close(&session.work);
    if (status != STATUS_OK)
        return command_fail(&error);
    enum status judged = judged_status(&session.tally, false);
    return judged == STATUS_OK && session.tally.skipped > 0 ? STATUS_UNAVAILABLE : (int)judged;
}

const struct command command_run = {
    .name = "run",
    .arguments = "RECIPE|SUITE... [-m MACHINE] [-o results.jsonl] [--resume] [OPTIONS]",
    .summary = "executes programs and records time, counters and power",
    .details =
        "Each finished point is appended to the results as one line and flushed, so that a killed run "
        "loses at\n"
        "most the point in flight; --resume goes on from there. A program that faults or hangs is "
        "recorded with\n"
        "the reason, and the run goes on; so is a point that needs processors which are not here, or a "
        "feature\nthat this processor lacks, and then the exit code is 4. What a recipe's state = {...} "
        "wishes is\nobserved and recorded with each point; it is set only with --allow-state, by one run at "
        "a "
        "time, and put\nback also after a kill: by the next command, if need be.\n"
        "What speaks against measuring now (`trauma sensors` lists it) is said beforehand and recorded.\n"
        "\n--calibrate first tunes each point's plan until this host shows its rates, in at most a dozen "
        "rounds: by\nhardware counters, else by time, else by simulation. What it learns is kept beside the "
        "machine file (of\nthe present machine: under $XDG_CONFIG_HOME/traumagen), and gen, run, check and "
        "explain use it from\nthen on. A rate that cannot be reached is named with the nearest, and then the "
        "exit code is 5. run\n--calibrate takes this host for the machine of -m.\n",
    .options = accepted,
    .run = run,
};
