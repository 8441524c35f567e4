#include "session/instruction_results.h"

#include "base/hash.h"
#include "base/json.h"
#include "runner/evidence/host.h"
#include "runner/results/observation.h"
#include "runner/results/result_point.h"

#include <math.h>
#include <string.h>

/* ---- an instruction's document ---- */

static void set_text(json_t *object, const char *key, const char *text)
{
    if (text[0] != '\0')
        json_object_set_new(object, key, json_string(text));
}

static void set_interval(json_t *object, const char *key, struct interval interval)
{
    if (interval.n > 0)
        json_object_set_new(object, key, result_interval_to_json(interval));
}

static json_t *doubted(struct interval interval, const char *doubt)
{
    json_t *document = result_interval_to_json(interval);
    set_text(document, "doubt", doubt);
    return document;
}

static json_t *describe_operands(const struct insn_times *times, bool written)
{
    json_t *names = json_array();
    for (unsigned i = 0; i < INSN_OPERANDS; i++)
        if (i >= INSN_FLAGS || i < times->insn.slot_count)
            if (written ? times->roles.written[i] : insn_reads(&times->roles, i))
                json_array_append_new(names, json_string(insn_operand_name(&times->insn, i)));
    return names;
}

static json_t *describe_latencies(const struct insn_times *times)
{
    json_t *latencies = json_array();
    for (unsigned i = 0; i < times->latency_count; i++) {
        const struct insn_latency *latency = &times->latencies[i];
        json_t *row = json_pack("{s:s, s:s, s:o}", "from", insn_operand_name(&times->insn, latency->from),
                                "to", insn_operand_name(&times->insn, latency->to), "cycles",
                                doubted(latency->cycles, latency->doubt));
        if (latency->queued > 0)
            json_object_set_new(row, "queued", json_real(latency->queued));
        set_text(row, "values", latency->values);
        set_text(row, "remark", latency->remark);
        json_array_append_new(latencies, row);
    }
    return latencies;
}

static json_t *describe_rates(const struct insn_times *times)
{
    json_t *rates = json_array();
    for (unsigned i = 0; i < times->rate_count; i++) {
        const struct insn_rate *rate = &times->rates[i];
        json_t *row = json_pack("{s:o}", "per_cycle", doubted(rate->per_cycle, rate->doubt));
        set_text(row, "values", rate->values);
        set_text(row, "remark", rate->remark);
        json_array_append_new(rates, row);
    }
    return rates;
}

static json_t *describe_ports(const struct insn_ports *counted)
{
    json_t *ports = json_array();
    for (unsigned i = 0; i < counted->count; i++)
        json_array_append_new(ports,
                              json_pack("{s:s, s:o}", "port", counted->ports[i].name, "per_instruction",
                                        result_interval_to_json(counted->ports[i].per_instruction)));
    return ports;
}

static void describe_energy(const struct instruction_energy *energy, json_t *document)
{
    if (!energy->given)
        return;
    json_t *object = json_object();
    set_interval(object, "per_instruction_j", energy->dynamic_j);
    set_interval(object, "per_instruction_total_j", energy->total_j);
    json_t *from = json_array();
    for (size_t i = 0; i < energy->from.count; i++)
        json_array_append_new(from, json_string(energy->from.items[i]));
    if (json_array_size(from) > 0)
        json_object_set(object, "from", from);
    json_decref(from);
    set_text(object, "verdict", energy->verdict);
    set_text(object, "reason", energy->reason);
    json_object_set_new(document, "energy", object);
}

/* ---- comparison with the model ---- */

/* True for a number that is known to a cycle: neither in doubt nor a bound, and not known only as part of a
 * sum. */
static bool is_certain(const struct insn_latency *latency)
{
    static const double WIDE = 1;
    return latency->doubt[0] == '\0' && !latency->split && latency->to != INSN_MEMORY_OPERAND &&
           latency->cycles.high - latency->cycles.low < WIDE;
}

enum instruction_beside instruction_beside_model(const struct instruction_measured *measured)
{
    const struct insn_times *times = measured->times;
    if (!measured->model.known)
        return BESIDE_UNKNOWN;
    if (times == NULL || measured->headline < 0)
        return BESIDE_UNCERTAIN;
    const struct insn_latency *chief = &times->latencies[measured->headline];
    double low = chief->cycles.value, high = low;
    for (unsigned i = 0; i < times->latency_count; i++) {
        const struct insn_latency *latency = &times->latencies[i];
        const bool own = latency->from == chief->from && latency->to == chief->to;
        const bool may_be_longer = latency->doubt[0] != '\0' && latency->to < INSN_FLAGS;
        if (may_be_longer || (own && !is_certain(latency)))
            return BESIDE_UNCERTAIN;
        if (!own)
            continue;
        low = fmin(low, latency->cycles.value);
        high = fmax(high, fmax(latency->cycles.value, latency->queued));
    }
    return round(low) <= measured->model.latency && measured->model.latency <= round(high) ? BESIDE_EQUAL
                                                                                           : BESIDE_DIFFERS;
}

static void describe_model(const struct instruction_measured *measured, json_t *document)
{
    static const char *const names[] = {"unknown", "untold", "equal", "differs"};
    const struct insn_model *model = &measured->model;
    if (model->known)
        json_object_set_new(document, "model",
                            json_pack("{s:f, s:f, s:i, s:s}", "latency", model->latency, "per_copy",
                                      model->per_copy, "micro_operations", (int)model->micro_operations,
                                      "beside", names[instruction_beside_model(measured)]));
}

static json_t *describe(const struct instruction_measured *measured)
{
    const struct insn_times *times = measured->times;
    if (times == NULL)
        return json_pack("{s:s, s:o, s:i}", "instruction", measured->text, "error",
                         json_from_text(measured->error.message), "code", (int)measured->error.code);
    json_t *document =
        json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o}", "instruction", measured->text, "assembled",
                  measured->assembled, "reads", describe_operands(times, false), "writes",
                  describe_operands(times, true), "latency", describe_latencies(times), "per_cycle",
                  describe_rates(times), "ports", describe_ports(&times->ports));
    set_text(document, "ports_remark", times->ports_remark);
    set_text(document, "no_ports", times->no_ports);
    if (insn_changes_nothing(times))
        json_object_set_new(document, "changes_nothing", json_true());
    if (measured->headline >= 0)
        json_object_set_new(document, "headline", json_integer(measured->headline));
    describe_energy(&measured->energy, document);
    describe_model(measured, document);
    return document;
}

void instruction_write(const struct instruction_measured *measured, struct buffer *text)
{
    json_t *document = describe(measured);
    json_write(text, document, 0);
    json_decref(document);
}

/* ---- results ---- */

enum status instruction_results_create(struct results_file *file, const char *path,
                                       const struct machine *machine, int cpu, struct error *error)
{
    json_t *context =
        json_pack("{s:i, s:s, s:{s:s, s:s}, s:i, s:O, s:b, s:i, s:[], s:[s], s:[{s:s, s:s, s:s, s:[{s:s, "
                  "s:s, s:[s, s]}]}]}",
                  "schema", RESULTS_SCHEMA, "kind", "context", "tool", "name", "trauma", "version",
                  TRAUMA_VERSION, "seed", 1, "machine", machine->document, "present", 1, "cpu_used", cpu,
                  "sensors", "sources", "measure", "benchmarks", "recipe", "measure/instruction", "name",
                  "instruction", "title", "Latency and rate of single instructions", "plot", "kind", "bars",
                  "x", "instruction", "y", "insn.latency", "insn.per_cycle");
    host_write(&(struct json_text){.depth = 1, .tree = {context}});
    enum status status = results_create(file, path, context, error);
    json_decref(context);
    return status;
}

static void add_rate(struct result_rates *rates, const char *metric, struct interval seen, const char *doubt)
{
    struct result_rate rate = {.metric = metric,
                               .target = NAN,
                               .min = -INFINITY,
                               .max = INFINITY,
                               .verdict = VERDICT_OBSERVED,
                               .has_silicon = true,
                               .silicon = VERDICT_OBSERVED,
                               .reason = ""};
    if (seen.n == 0)
        return;
    observations_add(&rate.seen, metric, "measure", EVIDENCE_INFERRED, seen.value, seen.low, seen.high,
                     (double)seen.n);
    observations_doubt(&rate.seen, doubt);
    result_rates_add(rates, &rate);
}

/* The last latency with these values between the operands of the headline; NULL: none. */
static const struct insn_latency *latency_of(const struct instruction_measured *measured, const char *values)
{
    const struct insn_times *times = measured->times;
    const struct insn_latency *chief = measured->headline >= 0 ? &times->latencies[measured->headline] : NULL;
    const struct insn_latency *best = NULL;
    for (unsigned i = 0; chief != NULL && i < times->latency_count; i++) {
        const struct insn_latency *latency = &times->latencies[i];
        if (strcmp(latency->values, values) == 0 && latency->from == chief->from && latency->to == chief->to)
            best = latency;
    }
    return best;
}

/* The point of one set of values, or of a failure. */
static json_t *make_point(const struct instruction_measured *measured, const struct machine *machine,
                          const char *values)
{
    struct buffer name = {0};
    char hash[HASH_TEXT_BYTES];
    buffer_printf(&name, "instruction=%s", measured->text);
    if (values[0] != '\0')
        buffer_printf(&name, " (%s)", values);
    hash_bytes(name.data, name.size, hash);
    json_t *point =
        json_pack("{s:s, s:s, s:s, s:{s:s}, s:s, s:s, s:s}", "kind", "point", "recipe", "measure/instruction",
                  "benchmark", "instruction", "point", "instruction", measured->text, "name", name.data,
                  "target", machine->isa, "program_hash", hash);
    buffer_free(&name);
    if (measured->times == NULL)
        json_object_set_new(point, "error", json_from_text(measured->error.message));
    return point;
}

static void add_rates(const struct instruction_measured *measured, unsigned index, struct result_rates *rates)
{
    const struct insn_rate *rate = &measured->times->rates[index];
    const struct insn_latency *latency = latency_of(measured, rate->values);
    if (latency != NULL)
        add_rate(rates, "insn.latency", latency->cycles, latency->doubt);
    add_rate(rates, "insn.per_cycle", rate->per_cycle, rate->doubt);
    if (index == 0 && measured->energy.given) /* the load has the first values */
        add_rate(rates, "insn.energy_j", measured->energy.dynamic_j, "");
}

enum status instruction_results_append(struct results_file *file, const struct instruction_measured *measured,
                                       const struct machine *machine, struct error *error)
{
    const struct insn_times *times = measured->times;
    enum status status = STATUS_OK;
    json_t *document = describe(measured);
    const unsigned count = times == NULL ? 1 : times->rate_count;
    for (unsigned i = 0; status == STATUS_OK && i < count; i++) {
        struct result_rates rates = {0};
        json_t *point = make_point(measured, machine, times == NULL ? "" : times->rates[i].values);
        if (times != NULL)
            add_rates(measured, i, &rates);
        json_object_set_new(point, "rates", result_rates_to_json(&rates));
        json_object_set_new(point, "instruction", json_deep_copy(document));
        status = results_append(file, point, error);
        result_rates_free(&rates);
        json_decref(point);
    }
    json_decref(document);
    return status;
}
