#include "cli/run_context.h"

#include "base/json.h"
#include "base/names.h"
#include "runner/counters/source.h"
#include "runner/host.h"
#include "runner/results.h"

/* The machine that the run's programs are for: the first item's, as suites bring their own. */
static const struct machine *first_machine(const struct work *work)
{
    return work_machine(work, &work->items[0]);
}

json_t *run_context(const struct work *work, const struct options *options, const struct meters *meters,
                    int cpu)
{
    const struct machine *machine = first_machine(work);
    json_t *sensors = json_array();
    json_t *sources = json_array();
    for (size_t i = 0; i < meters->count; i++)
        json_array_append_new(sensors, json_string(meters->channels[i].name));
    for (size_t i = 0; counter_sources[i] != NULL; i++)
        if (names_contain(options->counters, counter_sources[i]->name) &&
            counter_sources[i]->usable(NULL) == STATUS_OK)
            json_array_append_new(sources, json_string(counter_sources[i]->name));
    json_t *context =
        json_pack("{s:i, s:s, s:{s:s, s:s}, s:I, s:O, s:b}", "schema", RESULTS_SCHEMA, "kind", "context",
                  "tool", "name", "trauma", "version", TRAUMA_VERSION, "seed", (json_int_t)options->seed,
                  "machine", machine->document, "present", machine->present);
    host_describe(context);
    json_object_set_new(context, "cpu_used", json_integer(cpu));
    json_object_set_new(context, "sensors", sensors);
    json_object_set_new(context, "sources", sources);
    if (names_contain(options->counters, "timing"))
        (void)host_measure_latency(machine, cpu, context, NULL); /* without it the figures lack one curve */
    json_object_set_new(context, "benchmarks", work_benchmarks(work));
    return context;
}

enum status run_context_agrees(const json_t *recorded, const json_t *now, const char *path,
                               struct error *error)
{
    static const char *const keys[] = {"machine", "seed", "host"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (json_equal(json_object_get(recorded, keys[i]), json_object_get(now, keys[i])))
            continue;
        error_set(error, STATUS_USAGE, "%s was begun with another %s: points of both would not be comparable",
                  path, keys[i]);
        error_hint(error, "give another file with -o");
        return STATUS_USAGE;
    }
    return STATUS_OK;
}
