#include "session/execute/run_points.h"

#include "base/buffer.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/text/names.h"
#include "base/text/plural.h"
#include "base/units.h"
#include "runner/conditions/point_watch.h"
#include "runner/evidence/evidence.h"
#include "runner/evidence/host.h"
#include "runner/evidence/speed.h"
#include "runner/measure/copies.h"
#include "runner/measure/measure.h"
#include "runner/power/recorder.h"
#include "runner/results/results.h"
#include "runner/results/warning.h"
#include "runner/sources/timing/timing_pairs.h"
#include "session/events.h"
#include "session/execute/calibrated_program.h"
#include "session/execute/conditions_now.h"
#include "session/execute/imported_counters.h"
#include "session/execute/per_pass.h"
#include "session/execute/probe_wanted.h"
#include "session/execute/requested_state.h"
#include "session/execute/run_context.h"
#include "session/execute/run_device.h"
#include "session/execute/run_estimate.h"
#include "session/execute/run_power.h"

#include <math.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- run order ---- */

/* Shuffles the order, so that drift of the machine (temperature, other load) does not look like an effect. */
static void shuffle(size_t *order, size_t count, uint64_t seed, const char *what)
{
    struct random random = random_start(seed, what);
    for (size_t i = count; i > 1; i--) {
        size_t j = random_below(&random, (uint32_t)i);
        size_t held = order[i - 1];
        order[i - 1] = order[j];
        order[j] = held;
    }
}

/* ---- co-runners ---- */

/* The programs that run beside a point's own: the other cores' kernels of { cores = {...} }. */
struct co_runners {
    struct companion *companions;          /* [count] */
    const struct test_program **on_device; /* their programs, which a GPU's driver loads together */
    struct program *programs;
    struct placement *places;
    size_t count;
};

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
    companion->test_program = work_test_program(&other, program, -1);
    co_runners->on_device[co_runners->count] = &companion->test_program;
    if (status == STATUS_OK)
        test_program_find_place(&companion->test_program, &co_runners->places[co_runners->count]);
    co_runners->count++;
    return status == STATUS_OK ? test_program_check_runs(&companion->test_program, error) : status;
}

/* Makes or loads the co-runners that the item's manifest names, if any, and finds their places. STATUS_FAILED
 * if one is missing. Close with co_runners_close even after an error. */
static enum status co_runners_open(const struct work_item *item, const struct manifest *manifest,
                                   struct co_runners *co_runners, struct error *error)
{
    size_t most = manifest->together.count;
    *co_runners = (struct co_runners){.companions = memory_zeroed(most, sizeof(struct companion)),
                                      .on_device = memory_zeroed(most + 1, sizeof *co_runners->on_device),
                                      .programs = memory_zeroed(most, sizeof(struct program)),
                                      .places = memory_zeroed(most, sizeof(struct placement))};
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < most; i++) {
        const char *point = manifest->together.items[i];
        if (strcmp(point, item->point) != 0)
            status = add(item, point, co_runners, error);
    }
    return status;
}

static void co_runners_close(struct co_runners *co_runners)
{
    for (size_t i = 0; i < co_runners->count; i++)
        program_free(&co_runners->programs[i]);
    free(co_runners->companions);
    free(co_runners->on_device);
    free(co_runners->programs);
    free(co_runners->places);
    memset(co_runners, 0, sizeof *co_runners);
}

/* ---- run ---- */

static const double POINT_BYTES = 5000; /* approximate size of a line of results */

/* A run in progress. */
struct run {
    const struct run_request *request;
    const struct session_events *events;
    struct run_outcome *outcome;
    struct work work;
    struct run_power power;
    struct core_clock clock;
    struct gpu_clock gpu_clock;
    struct results_file file;
    int cpu;
    size_t skipped; /* points that the results already have */
    size_t done;    /* repetitions, for the progress */
    double width;   /* the core's issue width, the largest of any round (runner/results/evidence_width.h) */
};

/* True if the benchmark plots only the temperature of an idle interval, which needs no power sensor. */
static bool draws_cooling(const struct work *work, const struct work_item *item)
{
    struct suite_benchmark benchmark;
    for (size_t i = 0; work_benchmark(work, i, &benchmark); i++) {
        const struct benchmark *own = benchmark.own;
        for (size_t j = 0; strcmp(own->name, item->benchmark) == 0 && j < own->plot_count; j++) {
            const struct benchmark_plot *plot = &own->plots[j];
            if (plot->from != NULL && strncmp(plot->from, "idle_", 5) == 0 && plot->y.count == 1 &&
                benchmark_has(&plot->y, "temperature"))
                return true;
        }
    }
    return false;
}

/* Without a power sensor, thermometers are read in idle intervals only if the benchmark plots them. */
static struct protocol choose_protocol(const struct run *run, const struct work_item *item,
                                       const json_t *measure, double threads)
{
    const struct protocol_request limits = {run->request->time_s, run->request->reps};
    const struct sensor_list *meters = &run->power.meters;
    enum protocol_sensors sensors = PROTOCOL_NO_SENSOR;
    if (sensor_list_power_channels(meters) > 0)
        sensors = PROTOCOL_POWER;
    else if (sensor_list_usable_channels(meters) > 0 && draws_cooling(&run->work, item))
        sensors = PROTOCOL_OTHER_SENSOR;
    return protocol_choose(measure, &limits, threads == 0, sensors);
}

/* Begins the point. Its texts are borrowed, except for target and hash. */
static void begin_point_of(const struct work_item *item, const char *target, const char *hash,
                           struct result_point *point)
{
    *point = result_point_none;
    point->recipe = item->recipe;
    point->benchmark = item->benchmark;
    point->index = (double)item->index;
    point->name = item->point;
    point->target = target == NULL ? NULL : arena_strdup(&point->arena, target);
    point->program_hash = arena_strdup(&point->arena, hash);
}

/* Records a failure with the point. */
static void set_failure(const struct run *run, const struct work_item *item, struct result_point *point,
                        const struct error *error)
{
    struct error shown = *error;
    /* A compiler's error has its place in the program. */
    if (error->code != STATUS_RECIPE && error->file[0] != '\0' && error->line > 0)
        error_prefix(&shown, "%s:%d", error->file, error->line);
    point->error = arena_strdup(&point->arena, shown.message);
    if (shown.code == STATUS_UNAVAILABLE || shown.code == STATUS_RECIPE)
        point->code = shown.code;
    if (shown.code == STATUS_RECIPE)
        session_refuse(run->events, item->benchmark, item->point, error);
    else
        session_point(run->events, SESSION_WARNING, item->benchmark, item->point, "%s", shown.message);
}

/* Records that the processor cannot run the point, so that it is only inspected. */
static void set_skipped(const struct run *run, struct result_point *point, const struct error *error)
{
    point->skipped = arena_strdup(&point->arena, error->message);
    session_point(run->events, SESSION_WARNING, point->benchmark, point->name, "skipped: %s", error->message);
}

static void report_warnings(const struct run *run, const struct result_point *point,
                            const struct warnings *warnings)
{
    session_point_warnings(run->events, point->benchmark, point->name, warnings);
}

/* Gathers the point's evidence and judges it. timed: the observations of the rounds. */
static enum status judge(struct run *run, const struct test_program *test_program,
                         struct evidence_timed *timed, struct result_point *point, struct error *error)
{
    const char *counters = run->request->evidence.counters;
    struct evidence_parts parts = {0};
    struct evidence evidence;
    evidence_join_timed(test_program, timed, run->width, &parts);
    evidence_ask(test_program, counters, true, NULL, &parts);
    evidence_ask(test_program, counters, false, NULL, &parts);
    enum status status = evidence_join(&parts, &evidence, error);
    evidence_free_parts(&parts);
    if (status == STATUS_OK)
        status = imported_add(&run->request->evidence, &evidence, error);
    if (status == STATUS_OK) {
        if (point->measured)
            throughput_observe(point, test_program->manifest, test_program->machine->l1d.sector,
                               &evidence.observations);
        if (point->measured && names_contain(run->request->evidence.counters, "timing") &&
            !(timing_shared_takes_turns(test_program->manifest) &&
              observations_find(&evidence.observations, "pass.ns", "timing") != NULL))
            speed_take(point, &evidence.observations);
        if (point->measured)
            speed_beside(test_program, point, &evidence.observations);
        evidence_judge(test_program, &evidence, &point->rates);
        point->judged = true;
        tally_rates(&point->rates, &run->outcome->tally);
        copies_add_rates(&evidence.observations, point);
        evidence_record(&evidence, point);
        report_warnings(run, point, &point->seen.warnings);
    }
    evidence_free(&evidence);
    return status;
}

/* ---- a point ---- */

/* A point in progress. */
struct point_run {
    const struct work_item *item;
    size_t index; /* among the items */
    struct program program;
    struct test_program test_program;
    struct placement place;
    bool begun; /* the point will be recorded */
    struct result_point point;
    struct calibrated calibrated;
    bool runs;      /* else the point has the reason */
    bool inspected; /* judged without running */
    struct measure_options options;
    struct co_runners co_runners;
    struct measurement *measurement;
    struct evidence_timed timed;
    struct point_watch watch;
    unsigned rounds; /* rounds taken */
    enum status status;
    struct error error;
};

/* Starts watching for disturbances. */
static void watch_point(const struct run *run, struct point_run *at)
{
    const struct test_program *test_program = &at->test_program;
    const struct value *wanted = &at->point.state.record.wanted;
    const bool placed = test_program->place != NULL && test_program->place->count > 0;
    const struct point_request request = {.root = run->work.request->root,
                                          .clock = &run->clock,
                                          .cpus = placed ? test_program->place->cpus : &test_program->cpu,
                                          .cpu_count =
                                              placed ? test_program->place->count : test_program->cpu >= 0,
                                          .requested_ghz = value_get(wanted, "frequency")->number,
                                          .allowed = run->request->allow_state};
    point_watch_begin(&at->watch, &request);
}

/* Setting up more data than this takes longer than a repetition. */
static const double MUCH_DATA = 16 << 20;

/* Why the point is measured on its own, not in rounds with others; NULL: it is measured in rounds. */
static const char *why_one_by_one(const struct run *run, const struct point_run *at)
{
    const struct manifest *manifest = at->program.manifest;
    const struct protocol *protocol = &at->options.protocol;
    if (sensor_list_power_channels(&run->power.meters) > 0)
        return "its power needs idle intervals";
    if (test_program_is_on_device(&at->test_program))
        return "its program stays loaded on the device";
    if (manifest->state != NULL)
        return "its recipe requests a state of the machine";
    if (manifest->threads == 0 || protocol->idle_s > 0 || protocol->idle_after_s > 0 ||
        protocol->warmup_s > 0 || protocol->cooling_s > 0 || isfinite(protocol->temperature_below))
        return "its recipe requests idle time or a warm-up";
    return manifest->data.bytes > MUCH_DATA ? "its set-up walks through memory" : NULL;
}

/* Measures all repetitions in a row and gathers evidence. */
static enum status measure_and_judge(struct run *run, struct point_run *at, struct error *error)
{
    struct test_program *test_program = &at->test_program;
    struct result_point *point = &at->point;
    enum status status = co_runners_open(at->item, test_program->manifest, &at->co_runners, error);
    if (status != STATUS_OK)
        return status;
    if (test_program_is_on_device(test_program)) {
        test_program->beside = at->co_runners.on_device;
        test_program->beside_count = at->co_runners.count;
    } else {
        at->options.co_runners = at->co_runners.companions;
        at->options.co_runners_count = at->co_runners.count;
    }
    status = run_device_begin(&run->work, &run->gpu_clock, test_program, point, error);
    test_program->beside_count = 0; /* sources load variants of it, which run alone */
    if (status == STATUS_UNAVAILABLE) {
        set_skipped(run, point, error);
        return judge(run, test_program, &at->timed, point, error);
    }
    if (status != STATUS_OK)
        return status;
    watch_point(run, at);
    status = measure_point(test_program, &at->options, &at->measurement, point, error);
    point_watch_end(&at->watch, point);
    run_device_judge(test_program, point);
    if (status == STATUS_OK)
        status = run_device_check_beside(point, error);
    if (status == STATUS_OK && !run->request->temporary)
        status = run_power_keep_trace(&run->power, run->request->path, point, error);
    report_warnings(run, point, &point->warnings);
    if (status == STATUS_OK && test_program_copies(test_program) == 0) { /* nothing ran */
        point->judged = true;
        return STATUS_OK;
    }
    return status == STATUS_OK ? judge(run, test_program, &at->timed, point, error) : status;
}

/* Measures and judges in the state that the recipe requests, as far as that is allowed. */
static void execute(struct run *run, struct point_run *at)
{
    struct state_record *record = &at->point.state.record;
    const struct value wanted = value_read(at->test_program.manifest->state, &record->arena);
    requested_state_begin(&run->work, at->item, &wanted, record);
    at->status = measure_and_judge(run, at, &at->error);
    run_device_end(run->events, &run->gpu_clock, &at->test_program);
    requested_state_end(&run->work);
}

/* ---- rounds ---- */

static void begin_rounds(struct run *run, struct point_run *at)
{
    at->test_program.rounds = at->options.protocol.reps;
    at->status = co_runners_open(at->item, at->test_program.manifest, &at->co_runners, &at->error);
    if (at->status != STATUS_OK)
        return;
    at->options.co_runners = at->co_runners.companions;
    at->options.co_runners_count = at->co_runners.count;
    watch_point(run, at);
    at->status = measurement_open(&at->test_program, &at->options, &at->measurement, &at->error);
}

static void take_round(struct run *run, struct point_run *at)
{
    if (at->rounds == 0)
        begin_rounds(run, at);
    if (at->status == STATUS_OK)
        at->status = measurement_repeat(at->measurement, &at->error);
    if (at->status == STATUS_OK)
        evidence_time(&at->test_program, run->request->evidence.counters, &at->timed);
    run->width = fmax(run->width, evidence_timed_width(&at->timed));
    at->rounds++;
}

/* If rounds differ by more than this share, more are taken, up to twice the requested number. */
static const double AGREEMENT = 0.02;

static bool wants_round(const struct point_run *at)
{
    unsigned requested = at->options.protocol.reps;
    if (!at->runs || at->point.one_by_one != NULL || at->status != STATUS_OK || at->rounds >= 2 * requested)
        return false;
    if (at->rounds < requested || requested < 2)
        return at->rounds < requested;
    return evidence_disagreement(&at->timed) > AGREEMENT; /* false if no source of time is used */
}

static void end_rounds(struct run *run, struct point_run *at)
{
    struct result_point *point = &at->point;
    if (at->status == STATUS_OK)
        measurement_finish(at->measurement, point);
    if (at->measurement != NULL)
        point_watch_end(&at->watch, point);
    report_warnings(run, point, &point->warnings);
    if (at->status == STATUS_OK)
        at->status = judge(run, &at->test_program, &at->timed, point, &at->error);
}

/* Appends the point to the results, and counts it. */
static enum status record(struct run *run, const struct result_point *point, struct error *error)
{
    struct result_point read;
    enum status status = result_point_append(point, &run->file, &read, error);
    if (status == STATUS_OK) {
        run->outcome->done++;
        if (point->error != NULL)
            tally_failure(point->code, &run->outcome->tally);
        run->outcome->tally.skipped += point->skipped != NULL;
        run->request->recorded(run->request->context, &read);
    }
    return status;
}

/* Chooses how the program is run. */
static void plan_point(struct run *run, struct point_run *at)
{
    struct error error;
    const struct manifest *manifest = at->program.manifest;
    at->test_program = work_test_program(at->item, &at->program, run->cpu);
    test_program_find_place(&at->test_program, &at->place);
    at->options = (struct measure_options){
        .protocol = choose_protocol(run, at->item, manifest->measure, manifest->threads),
        .recorder = run->power.recorder};
    at->runs = test_program_check_features(&at->test_program, &error) == STATUS_OK;
    at->inspected = !at->runs;
    at->point.one_by_one = at->runs ? why_one_by_one(run, at) : NULL;
    if (at->inspected)
        set_skipped(run, &at->point, &error);
}

/* Begins the point of a program that was made or loaded, unless the results already have it. */
static enum status begin_point(struct run *run, struct point_run *at, bool changed,
                               const struct calibration_outcome *calibration, struct error *error)
{
    const struct work_item *item = at->item;
    const struct manifest *manifest = at->program.manifest;
    char hash[HASH_TEXT_BYTES];
    work_hash(&at->program, hash);
    if (results_finished(&run->file, item->benchmark, item->point, hash)) {
        run->skipped++;
        return STATUS_OK;
    }
    if (changed)
        session_point(run->events, SESSION_WARNING, item->benchmark, item->point,
                      "its files differ from those generated; the present files are run");
    begin_point_of(item, manifest->target, hash, &at->point);
    at->point.parameters = value_read(manifest->parameters, &at->point.arena);
    at->begun = true;
    at->point.tolerance = manifest->tolerance.given ? &manifest->tolerance : NULL;
    at->point.runs_with = manifest->together;
    at->point.calibration = calibration;
    per_pass_set(manifest, &at->point);
    if (result_point_check(&at->point, error) != STATUS_OK)
        return error->code;
    if (calibration == NULL && !changed &&
        results_has_earlier(&run->file, item->recipe, item->benchmark, item->point,
                            manifest_text_or(manifest->target, ""))) {
        error_set(
            error, STATUS_USAGE,
            "%s has %s/%s from another program, such as that of an earlier version of the recipe: a figure "
            "would have the point twice",
            run->file.path, item->benchmark, item->point);
        error_hint(error, "give another file with -o");
        return STATUS_USAGE;
    }
    plan_point(run, at);
    return STATUS_OK;
}

/* Begins the point of a program that could not be made or loaded, unless the results already have its
 * refusal. */
static void begin_unmade(struct run *run, struct point_run *at, struct error *error)
{
    const struct work_item *item = at->item;
    struct manifest *unmade = work_point(item, NULL);
    const struct manifest *point = unmade == NULL ? &manifest_none : unmade;
    const char *hash = item->entry == NULL || item->entry->hash == NULL ? "" : item->entry->hash;
    begin_point_of(item, point->target, hash, &at->point);
    at->point.parameters = value_read(point->parameters, &at->point.arena);
    manifest_free(unmade);
    at->begun = true;
    work_reduce(item, error);
    set_failure(run, item, &at->point, error);
    if (error->code == STATUS_RECIPE && results_finished(&run->file, item->benchmark, item->point, hash)) {
        run->skipped++;
        tally_failure(STATUS_RECIPE, &run->outcome->tally);
        at->begun = false;
    }
}

/* True if the results already have the point, with the program of the stored calibration. */
static bool is_done(struct run *run, const struct work_item *item)
{
    struct program program;
    char hash[HASH_TEXT_BYTES];
    bool changed;
    bool done = false;
    if (!run->request->resume || !run->work.request->calibrate)
        return false;
    struct error unused; /* the error recurs when the program is made for the run */
    if (work_program(item, &program, &changed, &unused) == STATUS_OK) {
        work_hash(&program, hash);
        done = results_finished(&run->file, item->benchmark, item->point, hash);
    }
    program_free(&program);
    run->skipped += done;
    return done;
}

/* Makes or loads the item's program. */
static enum status open_point(struct run *run, struct point_run *at, struct error *error)
{
    bool changed;
    if (is_done(run, at->item))
        return STATUS_OK;
    enum status status = calibrated_program(&run->work, at->item, run->request->evidence.counters, run->cpu,
                                            &at->program, &changed, &at->calibrated, error);
    run->outcome->tally.unreached += at->calibrated.given && !at->calibrated.outcome.reached;
    if (status == STATUS_OK) {
        status = begin_point(run, at, changed, at->calibrated.given ? &at->calibrated.outcome : NULL, error);
    } else if (work_can_go_on(at->item, status)) {
        begin_unmade(run, at, error);
        status = STATUS_OK;
    }
    return status;
}

/* Judges and records the point. */
static enum status close_point(struct run *run, struct point_run *at, struct error *error)
{
    if (!at->begun)
        return STATUS_OK;
    if (at->inspected)
        at->status = judge(run, &at->test_program, &at->timed, &at->point, &at->error);
    else if (at->runs && at->point.one_by_one == NULL)
        end_rounds(run, at);
    if (at->status != STATUS_OK)
        set_failure(run, at->item, &at->point, &at->error);
    return record(run, &at->point, error);
}

static void free_point(struct point_run *at)
{
    result_point_free(&at->point);
    measurement_close(at->measurement);
    evidence_free_timed(&at->timed);
    co_runners_close(&at->co_runners);
    program_free(&at->program);
}

/* ---- a block of points ---- */

/* The limits of a block: points whose rounds are taken together, with their programs in memory. A run that is
 * killed loses only the present block. */
static const double BLOCK_S = 30;
enum { BLOCK_POINTS = 256, BLOCK_BYTES = 256 << 20 };

struct block {
    struct point_run points[BLOCK_POINTS];
    size_t count;
    size_t round;
};

/* Opens points in this order until the block is full. *next: the first point of the next block. */
static enum status open_block(struct run *run, const size_t *order, size_t *next, struct block *block,
                              struct error *error)
{
    double seconds = 0, bytes = 0;
    enum status status = STATUS_OK;
    while (status == STATUS_OK && *next < run->work.item_count && block->count < BLOCK_POINTS &&
           seconds < BLOCK_S && bytes < BLOCK_BYTES) {
        struct point_run *at = &block->points[block->count++];
        at->index = order[(*next)++];
        at->item = &run->work.items[at->index];
        status = open_point(run, at, error);
        bytes += (double)(at->program.executable.size + at->program.object.size);
        if (at->runs)
            seconds += protocol_seconds(&at->options.protocol);
    }
    return status;
}

static void show_progress(struct run *run, size_t more)
{
    run->done += more;
    session_progress(run->events, "points run", run->done, run->work.item_count);
}

/* Takes one round of all points that need one, in a new order. False if none does. */
static bool take_block_round(struct run *run, struct block *block)
{
    size_t order[BLOCK_POINTS], count = 0;
    for (size_t i = 0; i < block->count; i++)
        if (wants_round(&block->points[i]))
            order[count++] = i;
    if (run->request->order != RUN_ORDER_GIVEN)
        shuffle(order, count, run->work.selection->seed + block->round, "order of a round");
    block->round++;
    for (size_t i = 0; i < count; i++)
        take_round(run, &block->points[order[i]]);
    return count > 0;
}

static int by_index(const void *a, const void *b)
{
    const struct point_run *const *x = a, *const *y = b;
    return ((*x)->index > (*y)->index) - ((*x)->index < (*y)->index);
}

/* Takes all rounds, then records their points in the recipe's order; then measures and records the other
 * points one by one. */
static enum status run_block(struct run *run, struct block *block, struct error *error)
{
    struct recorder *recorder = run->power.recorder;
    enum status status = STATUS_OK;
    bool rounds = false;
    for (size_t i = 0; i < block->count; i++)
        rounds = rounds || wants_round(&block->points[i]);
    if (rounds)
        recorder_begin(recorder, &run->cpu, run->cpu >= 0);
    while (take_block_round(run, block)) {
    }
    if (rounds) {
        recorder_mark(recorder, "end");
        recorder_end(recorder, clock_now_s());
    }
    struct point_run *as_given[BLOCK_POINTS] = {0};
    for (size_t i = 0; i < block->count; i++)
        as_given[i] = &block->points[i];
    qsort(as_given, block->count, sizeof *as_given, by_index);
    for (size_t i = 0; status == STATUS_OK && i < block->count; i++) {
        if (as_given[i]->runs && as_given[i]->point.one_by_one != NULL)
            continue;
        status = close_point(run, as_given[i], error);
        show_progress(run, 1);
    }
    for (size_t i = 0; status == STATUS_OK && i < block->count; i++) {
        struct point_run *at = &block->points[i];
        if (!at->runs || at->point.one_by_one == NULL)
            continue;
        execute(run, at);
        status = close_point(run, at, error);
        show_progress(run, 1);
    }
    return status;
}

static enum status open_file(struct run *run, struct error *error)
{
    return run_context_open(&run->work, run->request->evidence.counters, &run->power, run->cpu,
                            run->request->pairs, run->request->path, run->request->resume, &run->file, error);
}

static struct protocol protocol_of(const struct run *run, size_t index)
{
    struct manifest *read = work_point(&run->work.items[index], NULL);
    const struct manifest *point = read == NULL ? &manifest_none : read;
    struct protocol protocol = choose_protocol(run, &run->work.items[index], point->measure, point->threads);
    manifest_free(read);
    return protocol;
}

static struct run_estimate estimate(const struct run *run)
{
    struct protocol *protocols = memory_zeroed(run->work.item_count + 1, sizeof *protocols);
    for (size_t i = 0; i < run->work.item_count; i++)
        protocols[i] = protocol_of(run, i);
    struct run_estimate estimated =
        run_estimate(&run->work, protocols, run->request->evidence.counters, run->cpu);
    free(protocols);
    return estimated;
}

/* Warns of sensors that are left out. */
static void warn_of_unusable(const struct run *run)
{
    char *unusable = run_power_unusable(&run->power);
    if (unusable != NULL)
        session_warn(run->events, "%s", unusable);
    free(unusable);
}

/* Notes the number of points, the time and the disk space; warns of what cannot be measured. */
static void announce(const struct run *run, const struct error *why_no_meter)
{
    const struct run_estimate estimated = estimate(run);
    char time[40], idle[40], disk[40];
    double seconds = estimated.protocol_s + estimated.busy_s, points = (double)run->work.item_count;
    double bytes = points * POINT_BYTES + seconds * run_power_trace_bytes(&run->power);
    units_format_duration(seconds, time, sizeof time);
    if (run->request->temporary)
        session_note(run->events, "%zu point%s, about %s", run->work.item_count,
                     plural_s(run->work.item_count), time);
    else
        session_note(run->events, "%zu point%s, about %s and %s, into %s", run->work.item_count,
                     plural_s(run->work.item_count), time, units_show_disk(bytes, disk, sizeof disk),
                     run->request->path);
    if (sensor_list_power_channels(&run->power.meters) == 0 && why_no_meter->message[0] != '\0')
        session_warn(run->events, "no power is measured: %s", why_no_meter->message);
    else
        warn_of_unusable(run);
    if (estimated.idle_s > 0)
        session_warn(run->events,
                     "the idle intervals of measure (%s in all) are left out: only power needs them, and no "
                     "sensor measures it",
                     units_format_duration(estimated.idle_s, idle, sizeof idle));
}

static enum status run_items(struct run *run, struct error *error)
{
    enum status status = open_file(run, error);
    if (status != STATUS_OK)
        return status;
    size_t count = run->work.item_count, next = 0;
    size_t *order = memory_zeroed(count + 1, sizeof *order);
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    if (run->request->order != RUN_ORDER_GIVEN)
        shuffle(order, count, run->work.selection->seed, "order of points");
    session_progress(run->events, "points run", 0, count);
    while (status == STATUS_OK && next < count) {
        struct block *block = memory_zeroed(1, sizeof *block);
        status = open_block(run, order, &next, block, error);
        if (status == STATUS_OK)
            status = run_block(run, block, error);
        for (size_t i = 0; i < block->count; i++)
            free_point(&block->points[i]);
        free(block);
    }
    session_progress_end(run->events);
    session_report_points(run->events);
    free(order);
    if (run->skipped > 0)
        session_note(run->events, "%zu point%s in %s already", run->skipped,
                     run->skipped == 1 ? " was" : "s were", run->request->path);
    results_close(&run->file);
    return status;
}

/* ---- pairs of processors, timed many at once ---- */

struct core_pairs {
    const struct session_events *events;
    struct core_pair *pairs;
    size_t *items; /* each pair's item of the work */
    size_t count;
    struct program program; /* the first pair's; the others' differ only by their places */
    struct test_program test_program;
    struct pair_timer timer;
    struct timed_pairs timed;
};

/* True if this process may use the processor. The mask has no offline processors. */
static bool is_usable(const cpu_set_t *mask, int cpu)
{
    return cpu >= 0 && cpu < CPU_SETSIZE && CPU_ISSET((size_t)cpu, mask);
}

static void warn_of_left_out(const struct core_pairs *pairs, size_t all, const cpu_set_t *missing)
{
    struct buffer list = {0};
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET((size_t)cpu, missing))
            buffer_printf(&list, "%s%d", list.size > 0 ? ", " : "", cpu);
    session_warn(pairs->events,
                 "%zu of %zu pairs are left out, as logical processors are offline or this process may not "
                 "use them: %s",
                 all - pairs->count, all, list.data);
    buffer_free(&list);
}

static enum status choose_pairs(const struct work *work, struct core_pairs *pairs, struct error *error)
{
    cpu_set_t mask, missing;
    size_t usable = 0;
    CPU_ZERO(&missing);
    if (sched_getaffinity(0, sizeof mask, &mask) != 0)
        return error_set(error, STATUS_UNAVAILABLE,
                         "the system does not report which processors may be used");
    pairs->pairs = memory_zeroed(work->item_count + 1, sizeof *pairs->pairs);
    pairs->items = memory_zeroed(work->item_count + 1, sizeof *pairs->items);
    for (size_t i = 0; i < work->item_count; i++) {
        struct core_pair *pair = &pairs->pairs[i];
        if (!work_pair(&work->items[i], pair->cpus))
            return error_set(error, STATUS_USAGE, "%s/%s has no place of two cores", work->items[i].benchmark,
                             work->items[i].point);
        for (size_t j = 0; j < 2; j++)
            if (!is_usable(&mask, pair->cpus[j]) && pair->cpus[j] >= 0 && pair->cpus[j] < CPU_SETSIZE)
                CPU_SET((size_t)pair->cpus[j], &missing);
        usable += is_usable(&mask, pair->cpus[0]) && is_usable(&mask, pair->cpus[1]);
    }
    for (size_t i = 0; i < work->item_count; i++) {
        const struct core_pair pair = pairs->pairs[i];
        if (usable > 0 && !(is_usable(&mask, pair.cpus[0]) && is_usable(&mask, pair.cpus[1])))
            continue;
        pairs->items[pairs->count] = i;
        pairs->pairs[pairs->count++] = pair;
    }
    if (pairs->count < work->item_count)
        warn_of_left_out(pairs, work->item_count, &missing);
    return STATUS_OK;
}

static void time_pairs(void *context, const struct core_pair *pairs, size_t count, struct turn_rounds *found)
{
    const struct core_pairs *own = context;
    timing_shared_company(&own->test_program, pairs[0].cpus, 2, count, found);
}

static double now_s(void *context)
{
    (void)context;
    return clock_now_s();
}

static void pairs_progress(void *context, size_t done, size_t all)
{
    const struct core_pairs *own = context;
    session_progress(own->events, "pairs timed", done, all);
}

/* Leaves out the pairs with processors that cannot be used, with a warning, unless that would leave out all
 * pairs. Notes how long the pairs will take. Close with core_pairs_close even after an error. */
static enum status core_pairs_open(const struct work *work, int cpu, struct core_pairs *pairs,
                                   struct error *error)
{
    bool changed;
    char time[40];
    *pairs = (struct core_pairs){.events = work->request->events};
    enum status status = choose_pairs(work, pairs, error);
    double begin_s = clock_now_s();
    if (status == STATUS_OK && pairs->count > 0)
        status = work_program(&work->items[pairs->items[0]], &pairs->program, &changed, error);
    if (status != STATUS_OK || pairs->count == 0)
        return status;
    double make_s = clock_now_s() - begin_s;
    pairs->test_program = work_test_program(&work->items[pairs->items[0]], &pairs->program, cpu);
    pairs->timer = (struct pair_timer){time_pairs, now_s, pairs_progress, pairs};
    timed_pairs_open(pairs->pairs, pairs->count, work->selection->seed, &pairs->timer, &pairs->timed);
    units_format_duration(pairs->timed.estimated_s + make_s * (double)pairs->count, time, sizeof time);
    session_note(pairs->events, "%zu pair%s in %zu round%s, about %s", pairs->count, plural_s(pairs->count),
                 pairs->timed.rounds, plural_s(pairs->timed.rounds), time);
    return STATUS_OK;
}

/* Times the pairs, and writes to the note how they were timed and checked. */
static void core_pairs_measure(struct core_pairs *pairs, char note[RUN_PAIRS_NOTE])
{
    const struct timed_pairs *timed = &pairs->timed;
    session_progress(pairs->events, "pairs timed", 0, pairs->count);
    timed_pairs_measure(&pairs->timed);
    session_progress_end(pairs->events);
    int used = timed->rounds == timed->count
                   ? snprintf(note, RUN_PAIRS_NOTE, "each pair had no other beside it")
                   : snprintf(note, RUN_PAIRS_NOTE,
                              "pairs ran beside others; of a sample of %zu, %zu take another time alone, by "
                              "more than a tenth",
                              timed->alone, timed->apart);
    if (timed->again > 0)
        snprintf(note + used, RUN_PAIRS_NOTE - (size_t)used, "; %zu pair%s timed again, as rounds disagreed",
                 timed->again, timed->again == 1 ? " was" : "s were");
}

static void core_pairs_close(struct core_pairs *pairs)
{
    timed_pairs_close(&pairs->timed);
    program_free(&pairs->program);
    free(pairs->pairs);
    free(pairs->items);
}

/* Judges and records a pair's point with its measured time. */
static enum status record_pair(struct run *run, size_t item, const struct turn_time *turns,
                               struct error *error)
{
    struct point_run *at = memory_zeroed(1, sizeof *at);
    at->index = item;
    at->item = &run->work.items[item];
    enum status status = open_point(run, at, error);
    if (status == STATUS_OK && at->runs &&
        test_program_check_runs(&at->test_program, &at->error) == STATUS_OK) {
        at->inspected = turns->withheld.code == STATUS_OK;
        at->point.one_by_one = NULL;
        at->runs = false;
        at->status = turns->withheld.code;
        at->error = turns->withheld;
        at->test_program.turns = turns;
    } else if (at->runs) {
        at->status = at->error.code;
        at->runs = false;
    }
    if (status == STATUS_OK)
        status = close_point(run, at, error);
    free_point(at);
    free(at);
    return status;
}

static enum status run_pairs(struct run *run, struct error *error)
{
    struct core_pairs pairs;
    enum status status = core_pairs_open(&run->work, run->cpu, &pairs, error);
    if (status == STATUS_OK)
        status = open_file(run, error);
    if (status == STATUS_OK) {
        core_pairs_measure(&pairs, run->outcome->pairs_note);
        for (size_t i = 0; status == STATUS_OK && i < pairs.count; i++)
            status = record_pair(run, pairs.items[i], &pairs.timed.times[i], error);
        session_report_points(run->events);
        results_close(&run->file);
    }
    core_pairs_close(&pairs);
    return status;
}

/* Opens the sensors and the work, and checks that the run is possible. */
static enum status open_run(struct run *run, const struct selection *selection,
                            const struct target_request *target, struct error *why_no_meter,
                            struct error *error)
{
    const struct evidence_request *evidence = &run->request->evidence;
    enum status status = run_power_find(run->request->power, target->root, &run->power, why_no_meter);
    if (status != STATUS_OK)
        *error = *why_no_meter;
    if (status == STATUS_OK)
        status = work_open(selection, target, &run->work, error);
    if (status == STATUS_OK)
        status = work_check_runnable(&run->work, error);
    if (status == STATUS_OK)
        status = work_find_devices(&run->work, error);
    if (status == STATUS_OK && work_is_on_devices(&run->work))
        run->cpu = -1;
    if (status == STATUS_OK)
        status = imported_check(evidence, &run->work, error);
    if (status == STATUS_OK)
        status = calibrate_check(&run->work, error);
    if (status == STATUS_OK)
        status = run_context_check(&run->work, error);
    if (status == STATUS_OK && run_power_open(&run->power, why_no_meter) != STATUS_OK) {
        *error = *why_no_meter;
        status = error->code;
    }
    return status;
}

static enum status execute_run(struct run *run, struct error *error)
{
    bool allow_state = run->request->allow_state;
    enum status status = allow_state ? requested_state_open(&run->work, true, error) : STATUS_OK;
    if (status == STATUS_OK)
        status = run_device_open(&run->work, allow_state, &run->gpu_clock, error);
    if (status == STATUS_OK)
        (void)core_clock_open(&run->clock, NULL); /* without it, only the system reports the clock */
    return status == STATUS_OK ? run_items(run, error) : status;
}

enum status run_points(const struct run_request *request, const struct selection *selection,
                       const struct target_request *target, struct run_outcome *outcome, struct error *error)
{
    struct error why_no_meter;
    struct run run = {
        .request = request, .events = target->events, .outcome = outcome, .cpu = host_choose_cpu()};
    *outcome = (struct run_outcome){0};
    enum status status = open_run(&run, selection, target, &why_no_meter, error);
    if (status == STATUS_OK) {
        probe_wanted_warn(&run.work);
        if (!request->pairs)
            announce(&run, &why_no_meter);
        if (request->pairs)
            status = run_pairs(&run, error);
        else if (!request->dry_run)
            status = execute_run(&run, error);
        core_clock_close(&run.clock);
        gpu_clock_close(&run.gpu_clock);
        requested_state_close(&run.work);
    }
    run_power_close(&run.power);
    work_close(&run.work);
    return status;
}
