#include "session/execute/run_context.h"

#include "base/json.h"
#include "base/text/names.h"
#include "generator/machine/core_kinds.h"
#include "runner/evidence/host.h"
#include "runner/results/result_point.h"
#include "runner/results/results.h"
#include "runner/sources/source.h"
#include "runner/state/machine_state.h"
#include "session/execute/conditions_now.h"
#include "session/shard.h"

#include <stdlib.h>

static enum status disagree(const struct work *work, size_t other, const char *what, struct error *error)
{
    error_set(error, STATUS_USAGE, "%s and %s are for different %s, so their points are not comparable",
              work->sources[0].path, work->sources[other].path, what);
    error_hint(error, "run them separately, each with its own -o");
    return STATUS_USAGE;
}

enum status run_context_check(const struct work *work, struct error *error)
{
    const json_t *machine = work_machine(&work->sources[0])->document;
    for (size_t i = 1; i < work->source_count; i++) {
        if (!json_equal(work_machine(&work->sources[i])->document, machine))
            return disagree(work, i, "machines", error);
        if (work->sources[i].seed != work->sources[0].seed)
            return disagree(work, i, "seeds", error);
    }
    return STATUS_OK;
}

/* Records which shard this is, for trauma merge. */
static void set_shard(const struct selection *selection, json_t *context)
{
    struct shard shard;
    struct error unused; /* work_open has read it before */
    if (shard_read(selection->shard, true, &shard, &unused) == STATUS_OK && shard.count > 1)
        json_object_set_new(
            context, "shard",
            json_pack("{s:I, s:I}", "index", (json_int_t)shard.index + 1, "count", (json_int_t)shard.count));
}

/* The kind of core that is measured, where there are several. */
static void set_kind(const char *root, int cpu, const struct session_events *events, json_t *context)
{
    struct core_kinds kinds = core_kinds_at(root == NULL ? "" : root);
    const struct core_kind *kind = cpu < 0 ? NULL : core_kinds_of(&kinds, (unsigned)cpu);
    if (kinds.count > 1 && kind != NULL) {
        json_object_set_new(context, "cpu_kind",
                            json_pack("{s:s, s:s}", "name", kind->name, "cpus", kind->cpus.data));
        session_note(events, "single programs run on logical processor %d, of kind %s (%s)", cpu, kind->name,
                     kind->cpus.data);
    }
    core_kinds_free(&kinds);
}

/* Reports the machine's conditions, and records them together with the unusable sensors. New reference. */
static json_t *warnings_now(const struct context_facts *facts, unsigned matters, const char *unusable)
{
    struct warnings warnings = {0};
    conditions_warn_now(facts->root, facts->cpu, matters, facts->events, &warnings);
    if (unusable != NULL)
        warning_add(&warnings, NULL, "%s", unusable);
    json_t *list = warnings_to_json(&warnings);
    warnings_free(&warnings);
    return list;
}

static json_t *context_of(const struct context_facts *facts)
{
    struct recorder *recorder = facts->sensors->recorder;
    char *unusable = run_power_unusable(facts->sensors);
    const struct machine *machine = facts->machine;
    json_t *sources = json_array();
    for (size_t i = 0; counter_sources[i] != NULL; i++)
        if (names_contain(facts->counters, counter_sources[i]->name) &&
            source_usable(counter_sources[i], NULL) == STATUS_OK)
            json_array_append_new(sources, json_string(counter_sources[i]->name));
    json_t *context =
        json_pack("{s:i, s:s, s:{s:s, s:s}, s:I, s:O, s:b}", "schema", RESULTS_SCHEMA, "kind", "context",
                  "tool", "name", "trauma", "version", TRAUMA_VERSION, "seed", (json_int_t)facts->seed,
                  "machine", machine->document, "present", machine->present);
    host_write(&(struct json_text){.depth = 1, .tree = {context}});
    struct arena arena = {0};
    const struct value state = state_observe(facts->root, &arena);
    json_object_set_new(context, "state", json_from_value(&state));
    if (facts->cpu >= 0)
        json_object_set_new(context, "cpu_used", json_integer(facts->cpu));
    set_kind(facts->root, facts->cpu, facts->events, context);
    size_t count;
    const struct context_sensor *described = run_power_describe(recorder, &arena, &count);
    json_object_set_new(context, "sensors", context_sensors_to_json(described, count));
    arena_free(&arena);
    json_object_set_new(context, "sources", sources);
    bool power = sensor_list_power_channels(recorder_meters(recorder)) > 0;
    json_object_set_new(context, "warnings",
                        warnings_now(facts, conditions_that_matter(facts->counters, true, power), unusable));
    free(unusable);
    return context;
}

static json_t *benchmarks_of(const struct work *work)
{
    json_t *all = json_array();
    struct suite_benchmark benchmark;
    for (size_t i = 0; work_benchmark(work, i, &benchmark); i++)
        json_array_append_new(all, benchmark_to_json(benchmark.recipe, benchmark.own));
    return all;
}

/* The context of a run whose inputs passed run_context_check. New reference. */
static json_t *context_of_work(const struct work *work, const char *counters, const struct run_power *sensors,
                               int cpu)
{
    const struct target_context *target_context = work->sources[0].target_context;
    const struct machine *machine = work_machine(&work->sources[0]);
    json_t *context = context_of(&(struct context_facts){.machine = machine,
                                                         .seed = work->sources[0].seed,
                                                         .root = work->request->root,
                                                         .events = work->request->events,
                                                         .counters = counters,
                                                         .sensors = sensors,
                                                         .cpu = cpu});
    set_shard(work->selection, context);
    if (cpu < 0)
        json_object_set_new(context, "cpu_used", json_integer(cpu));
    if (names_contain(counters, "timing"))
        (void)host_measure_latency(target_context != NULL && target_context->calibration_store.here
                                       ? &target_context->calibration_store.host
                                       : machine,
                                   cpu, &(struct json_text){.depth = 1, .tree = {context}},
                                   NULL); /* without it the figures lack one curve */
    json_object_set_new(context, "benchmarks", benchmarks_of(work));
    return context;
}

static enum status give_another(struct error *error)
{
    error_hint(error, "name another file with -o");
    return STATUS_USAGE;
}

/* The benchmark of the wanted recipe and name; NULL: there is none. */
static const struct value *find_benchmark(const struct value *benchmarks, const struct value *wanted)
{
    for (size_t i = 0; i < benchmarks->count; i++) {
        const struct value *benchmark = &benchmarks->parts[i].value;
        if (value_same(value_get(benchmark, "recipe"), value_get(wanted, "recipe")) &&
            value_same(value_get(benchmark, "name"), value_get(wanted, "name")))
            return benchmark;
    }
    return NULL;
}

/* STATUS_USAGE if a benchmark is not in the recorded context: figures and fits would omit its points. */
static enum status benchmarks_agree(const struct value *recorded, const struct results_context *now,
                                    const char *path, struct error *error)
{
    const struct value *benchmarks = value_get(&now->members, "benchmarks");
    for (size_t i = 0; i < benchmarks->count; i++) {
        const struct value *benchmark = &benchmarks->parts[i].value;
        const struct value *known = find_benchmark(recorded, benchmark);
        const char *recipe = now->benchmarks.items[i].recipe, *name = now->benchmarks.items[i].name;
        if (known == NULL) {
            error_set(error, STATUS_USAGE,
                      "%s was started without the benchmark %s of %s: figures and fits from it would omit "
                      "its points",
                      path, name, recipe);
            error_hint(error, "name another file with -o; trauma merge joins the files");
            return STATUS_USAGE;
        }
        if (value_same(value_get(known, "plot"), value_get(benchmark, "plot")) &&
            value_same(value_get(known, "fit"), value_get(benchmark, "fit")))
            continue;
        error_set(error, STATUS_USAGE, "%s was started when the benchmark %s of %s had another plot or fit",
                  path, name, recipe);
        return give_another(error);
    }
    return STATUS_OK;
}

/* STATUS_USAGE when the recorded context is of another machine, seed, host or shard than this run's, or lacks
 * a benchmark of it. */
static enum status agrees(const struct results_context *recorded, const struct results_context *now,
                          const char *path, struct error *error)
{
    static const char *const keys[] = {"machine", "seed", "host", "shard"};
    bool merged = value_has(&recorded->members, "contexts"); /* of several shards */
    for (size_t i = 0; i < sizeof keys / sizeof keys[0] - merged; i++) {
        if (value_same(value_get(&recorded->members, keys[i]), value_get(&now->members, keys[i])))
            continue;
        error_set(error, STATUS_USAGE,
                  "%s was started with another %s, so the points would not be comparable", path, keys[i]);
        return give_another(error);
    }
    return benchmarks_agree(value_get(&recorded->members, "benchmarks"), now, path, error);
}

/* Takes the reference to the context. */
static enum status open_file(json_t *context, const char *path, bool resume, struct results_file *file,
                             struct error *error)
{
    enum status status =
        resume ? results_resume(file, path, context, error) : results_create(file, path, context, error);
    if (status == STATUS_OK && resume) {
        struct results_context now;
        results_context_read(context, &now);
        status = agrees(&file->context, &now, path, error);
        results_context_free(&now);
        if (status != STATUS_OK)
            results_close(file);
    }
    json_decref(context);
    return status;
}

enum status run_context_open(const struct work *work, const char *counters, const struct run_power *sensors,
                             int cpu, bool pairs, const char *path, bool resume, struct results_file *file,
                             struct error *error)
{
    json_t *context = context_of_work(work, counters, sensors, cpu);
    if (pairs)
        host_write_processors(&(struct json_text){.depth = 1, .tree = {context}});
    return open_file(context, path, resume, file, error);
}

/* The plots of sensors' readings over time. New reference. */
static json_t *plots_of(const struct sensor_list *meters)
{
    json_t *quantities = json_array(), *plots = json_array();
    bool celsius = false;
    for (size_t i = 0; i < meters->count; i++)
        for (size_t j = 0; j < meters->meters[i].count; j++)
            celsius = celsius || meters->meters[i].channels[j].quantity == SENSOR_TEMPERATURE;
    if (sensor_list_power_channels(meters) > 0)
        json_array_append_new(quantities, json_string("power"));
    if (celsius)
        json_array_append_new(quantities, json_string("temperature"));
    if (json_array_size(quantities) > 0)
        json_array_append_new(plots, json_pack("{s:s, s:O}", "from", "trace", "y", quantities));
    json_decref(quantities);
    return plots;
}

enum status run_context_open_alone(const struct context_facts *facts, const char *benchmark, const char *path,
                                   bool resume, struct results_file *file, struct error *error)
{
    json_t *context = context_of(facts);
    json_object_set_new(context, "benchmarks",
                        json_pack("[{s:s, s:s, s:o}]", "recipe", benchmark, "name", benchmark, "plot",
                                  plots_of(&facts->sensors->meters)));
    return open_file(context, path, resume, file, error);
}
