#include "runner/results/results_context.h"

#include "base/json.h"
#include "base/json/field_json.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* ---- the machine ---- */

size_t recorded_states_read(const json_t *list, struct vf_state *states)
{
    size_t count = 0;
    for (size_t i = 0; i < json_array_size(list) && count < VF_MOST; i++) {
        const json_t *item = json_array_get(list, i);
        states[count] =
            (struct vf_state){json_number_or(item, "volts", NAN), json_number_or(item, "ghz", NAN)};
        count += states[count].volts > 0 && states[count].ghz > 0;
    }
    return count;
}

static bool read_states(struct fields_reader *reader, const json_t *list, void *at)
{
    struct recorded_machine *machine = at;
    (void)reader;
    machine->vf_count = recorded_states_read(list, machine->vf);
    return true;
}

#define SIZE(member)                                                                                         \
    (const struct field_row[])                                                                               \
    {                                                                                                        \
        FIELD_ROW(recorded_machine, "size", FIELD_NUMBER, member),                                           \
        {                                                                                                    \
            0                                                                                                \
        }                                                                                                    \
    }
static const struct field_row cache_rows[] = {FIELD_INNER("L1", SIZE(l1)),
                                              FIELD_INNER("L1D", SIZE(l1d)),
                                              FIELD_INNER("L2", SIZE(l2)),
                                              FIELD_INNER("L3", SIZE(l3)),
                                              FIELD_STATED(recorded_machine, "L3", has_l3),
                                              {0}};
static const struct field_row port_rows[] = {FIELD_ROW(recorded_machine, "load", FIELD_NUMBER, load_ports),
                                             {0}};
static const struct field_row cycle_rows[] = {FIELD_ROW(recorded_machine, "L1D", FIELD_NUMBER, latency_l1d),
                                              FIELD_ROW(recorded_machine, "L2", FIELD_NUMBER, latency_l2),
                                              {0}};
static const struct field_row gpu_rows[] = {FIELD_ROW(recorded_machine, "sides", FIELD_NUMBER, sides), {0}};
static const struct field_row machine_rows[] = {
    FIELD_ROW(recorded_machine, "name", FIELD_TEXT, name),
    FIELD_ROW(recorded_machine, "clock_ghz", FIELD_NUMBER, clock_ghz),
    FIELD_ROW(recorded_machine, "issue_width", FIELD_NUMBER, issue_width),
    FIELD_ROW(recorded_machine, "cu", FIELD_NUMBER, cu),
    FIELD_ROW(recorded_machine, "cores", FIELD_NUMBER, cores),
    FIELD_INNER("ports", port_rows),
    FIELD_INNER("latency", cycle_rows),
    FIELD_STATED(recorded_machine, "caches", has_caches),
    FIELD_INNER("caches", cache_rows),
    FIELD_STATED(recorded_machine, "gpu", is_gpu),
    FIELD_INNER("gpu", gpu_rows),
    FIELD_SELF("vf", read_states),
    {0}};

struct recorded_machine recorded_machine_read(const json_t *document)
{
    struct fields_reader reader = {.what = "", .kind = ""};
    struct recorded_machine machine = {.clock_ghz = NAN,
                                       .issue_width = NAN,
                                       .load_ports = NAN,
                                       .cu = NAN,
                                       .cores = NAN,
                                       .latency_l1d = NAN,
                                       .latency_l2 = NAN,
                                       .sides = 1};
    fields_read(&reader, document, NULL, machine_rows, &machine);
    machine.lacks_l3 = machine.has_caches && !machine.has_l3;
    return machine;
}

static bool read_machine(struct fields_reader *reader, const json_t *value, void *at)
{
    (void)reader;
    *(struct recorded_machine *)at = recorded_machine_read(value);
    return true;
}

/* ---- what is simulated ---- */

const char *simulated_label(const struct simulated *simulated)
{
    if (!simulated->given)
        return NULL;
    return strcmp(simulated->what, "meter") == 0 ? "simulated meter" : "simulated results";
}

static const struct field_row simulated_rows[] = {
    FIELD_ROW(simulated, "what", FIELD_TEXT, what), FIELD_ROW(simulated, "how", FIELD_TEXT, how), {0}};

void simulated_read(const json_t *document, struct simulated *simulated)
{
    struct fields_reader reader = {.what = "", .kind = ""};
    *simulated = (struct simulated){document != NULL && !json_is_null(document), "", ""};
    fields_read(&reader, document, NULL, simulated_rows, simulated);
}

static bool read_simulated(struct fields_reader *reader, const json_t *value, void *at)
{
    (void)reader;
    simulated_read(value, at);
    return true;
}

void simulated_write(struct json_text *text, const char *name, const struct simulated *simulated)
{
    if (!simulated->given)
        return;
    json_text_open(text, name, '{');
    fields_write(text, simulated_rows, NULL, simulated);
    json_text_close(text, '}');
}

/* ---- sensors, benchmarks ---- */

static const struct context_sensor no_sensor = {"", NULL, "", "", NAN, NAN, NAN, NULL, NAN, NAN, NAN};
static const struct field_row sensor_rows[] = {
    FIELD_ROW(context_sensor, "name", FIELD_TEXT, name),
    FIELD_ROW(context_sensor, "label", FIELD_TEXT, label),
    FIELD_ROW(context_sensor, "quantity", FIELD_TEXT, quantity),
    FIELD_ROW(context_sensor, "unit", FIELD_TEXT, unit),
    FIELD_ROW(context_sensor, "period_s", FIELD_NUMBER, period_s),
    FIELD_ROW(context_sensor, "update_s", FIELD_NUMBER, update_s),
    FIELD_ROW(context_sensor, "resolution", FIELD_NUMBER, resolution),
    {0}};

static json_t *real_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *context_sensors_to_json(const struct context_sensor *sensors, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        const struct context_sensor *of = &sensors[i];
        json_t *sensor =
            json_pack("{s:s, s:s, s:s, s:s, s:f, s:o, s:o}", "name", of->name, "label", of->label, "quantity",
                      of->quantity, "unit", of->unit, "period_s", of->period_s, "update_s",
                      real_or_null(of->update_s), "resolution", real_or_null(of->resolution));
        if (of->window != NULL)
            json_object_update_new(sensor, json_pack("{s:s, s:f, s:f}", "window", of->window, "window_s",
                                                     of->window_s, "lag_s", of->lag_s));
        if (of->window != NULL && isfinite(of->sampled))
            json_object_set_new(sensor, "sampled", json_real(of->sampled));
        json_array_append_new(list, sensor);
    }
    return list;
}

static bool read_benchmarks(struct fields_reader *reader, const json_t *list, void *at)
{
    struct results_context *context = at;
    (void)reader;
    for (size_t i = 0; i < json_array_size(list); i++)
        benchmark_add(&context->benchmarks, json_array_get(list, i));
    return json_is_array(list);
}

/* ---- the line ---- */

static const struct result_warning no_warning = {"", ""};
static const struct field_row warning_rows[] = {FIELD_ROW(result_warning, "what", FIELD_TEXT, what),
                                                FIELD_ROW(result_warning, "mend", FIELD_TEXT, mend),
                                                {0}};
static const struct field_row tool_rows[] = {FIELD_ROW(results_context, "version", FIELD_TEXT, version), {0}};
static const struct field_row shard_rows[] = {FIELD_ROW(results_context, "index", FIELD_NUMBER, shard_index),
                                              FIELD_ROW(results_context, "count", FIELD_NUMBER, shard_count),
                                              {0}};
static const struct field_row latency_rows[] = {FIELD_ROW(results_context, "L1D", FIELD_NUMBER, latency_l1d),
                                                FIELD_ROW(results_context, "L2", FIELD_NUMBER, latency_l2),
                                                {0}};
static const struct field_row processor_rows[] = {
    FIELD_MANY(results_context, "cpus", FIELD_NUMBERS, processors.cpus, processors.count),
    FIELD_MANY(results_context, "socket", FIELD_NUMBERS, processors.socket, processors.sockets),
    FIELD_MANY(results_context, "cluster", FIELD_NUMBERS, processors.cluster, processors.clusters),
    FIELD_MANY(results_context, "core", FIELD_NUMBERS, processors.core, processors.cores),
    {0}};

static bool read_others(struct fields_reader *reader, const json_t *list, void *at);

static const struct field_row context_rows[] = {
    FIELD_ROW(results_context, "host", FIELD_TEXT, host),
    FIELD_ROW(results_context, "cpu", FIELD_TEXT, cpu),
    FIELD_INNER("tool", tool_rows),
    FIELD_ROW(results_context, "present", FIELD_FLAG, present),
    FIELD_INNER("shard", shard_rows),
    FIELD_BY(results_context, "machine", machine, read_machine),
    FIELD_BY(results_context, "simulated", simulated, read_simulated),
    FIELD_INNER("latency_cycles", latency_rows),
    FIELD_LIKE(results_context, "sensors", sensors, sensor_count, sensor_rows, no_sensor),
    FIELD_SELF("benchmarks", read_benchmarks),
    FIELD_LIKE(results_context, "warnings", warnings, warning_count, warning_rows, no_warning),
    FIELD_STATED(results_context, "processors", processors.given),
    FIELD_INNER("processors", processor_rows),
    FIELD_SELF("contexts", read_others),
    {0}};

static bool read_others(struct fields_reader *reader, const json_t *list, void *at)
{
    struct results_context *context = at;
    context->other_count = json_array_size(list);
    context->others = arena_alloc(reader->arena, context->other_count, sizeof *context->others);
    for (size_t i = 0; i < context->other_count; i++) {
        results_context_read(json_array_get(list, i), &context->others[i]);
        if (!context->simulated.given)
            context->simulated = context->others[i].simulated;
    }
    return json_is_array(list);
}

void results_context_read(const json_t *document, struct results_context *context)
{
    *context = (struct results_context){.machine = recorded_machine_read(NULL),
                                        .simulated = {.what = "", .how = ""},
                                        .latency_l1d = NAN,
                                        .latency_l2 = NAN,
                                        .members = value_none,
                                        .document = json_incref((json_t *)(uintptr_t)document)};
    struct fields_reader reader = {.arena = &context->arena, .what = "", .kind = ""};
    fields_read(&reader, document, NULL, context_rows, context);
    if (json_is_object(document))
        context->members = value_read(document, &context->arena);
}

void results_context_free(struct results_context *context)
{
    for (size_t i = 0; i < context->other_count; i++)
        results_context_free(&context->others[i]);
    benchmarks_free(&context->benchmarks);
    arena_free(&context->arena);
    json_decref(context->document);
    *context = (struct results_context){0};
}

const struct results_context *results_context_of(const struct results_context *first, size_t number)
{
    return number == 0 ? first : number <= first->other_count ? &first->others[number - 1] : NULL;
}
