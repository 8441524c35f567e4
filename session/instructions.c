#include "session/instructions.h"

#include "base/buffer.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/memory.h"
#include "generator/machine/detect.h"
#include "runner/evidence/host.h"
#include "runner/instruction/instruction_time.h"
#include "runner/power/summary.h"
#include "runner/process/worker.h"
#include "runner/results/observation.h"
#include "runner/results/result_point.h"
#include "runner/results/results.h"
#include "session/execute/run_power.h"

#include <ctype.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_MOST = 20000 };
static const double LIMIT_S = 30; /* for one instruction; the fastest thousand take as long */

/* ---- the list ---- */

/* One text, and where it stands. */
struct line {
    char *text;
    const char *file; /* NULL: the command line */
    int number;
};

struct list {
    struct line *lines;
    size_t count;
};

static enum status add_line(struct list *list, const char *text, size_t length, const char *file, int number,
                            struct error *error)
{
    while (length > 0 && isspace((unsigned char)text[0])) {
        text++;
        length--;
    }
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        length--;
    if (length == 0 || text[0] == '#')
        return STATUS_OK;
    if (list->count == LINES_MOST)
        return error_set(error, STATUS_USAGE, "there are more than %d instructions", LINES_MOST);
    list->lines = memory_next(list->lines, list->count, sizeof *list->lines);
    char *copy = memory_resized(NULL, length + 1, 1);
    memcpy(copy, text, length);
    copy[length] = '\0';
    list->lines[list->count++] = (struct line){copy, file, number};
    return STATUS_OK;
}

/* A file's lines; empty ones and those that begin with # are none. */
static enum status read_file(struct list *list, const char *path, struct error *error)
{
    struct buffer contents = {0};
    enum status status = file_read(path, &contents, error);
    const char *at = contents.data;
    if (status == STATUS_OK && at != NULL && !json_is_text(at))
        status = error_set(error, STATUS_USAGE, "%s is not UTF-8", path);
    for (int number = 1; status == STATUS_OK && at != NULL && *at != '\0'; number++) {
        size_t length = strcspn(at, "\n");
        status = add_line(list, at, length, path, number, error);
        at += length + (at[length] == '\n');
    }
    buffer_free(&contents);
    return status;
}

static enum status read_list(const struct instructions_request *request, struct list *list,
                             struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < request->input_count; i++) {
        const char *input = request->inputs[i];
        bool standard = strcmp(input, "-") == 0;
        if (standard || file_is_regular(input))
            status = read_file(list, standard ? "/dev/stdin" : input, error);
        else if (strchr(input, ' ') == NULL && strpbrk(input, "/.") != NULL)
            status = error_set(error, STATUS_USAGE, "there is no file %s", input);
        else
            status = add_line(list, input, strlen(input), NULL, 0, error);
    }
    if (status == STATUS_OK && list->count == 0) {
        status = error_set(error, STATUS_USAGE, "no instruction given");
        error_hint(error, "expected texts such as 'imulq %%rbx, %%rax', or a file with one on each line");
    }
    return status;
}

static void free_list(struct list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->lines[i].text);
    free(list->lines);
}

/* ---- documents ---- */

static void set_text(json_t *object, const char *key, const char *text)
{
    if (text[0] != '\0')
        json_object_set_new(object, key, json_string(text));
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

/* Flags and memory written are not what an instruction is mostly used for: they are the headline only if
 * there is no other result; what is in doubt never is. Of several, the longest that is not just as long as
 * independent copies take. */
static int headline(const struct insn_times *times)
{
    int best = -1;
    double most = 0;
    for (unsigned i = 0; i < times->latency_count; i++) {
        const struct insn_latency *latency = &times->latencies[i];
        if (latency->doubt[0] != '\0')
            continue;
        double weight = latency->cycles.value + (latency->to < INSN_FLAGS ? 1e9 : 0) +
                        (latency->from != INSN_FLAGS ? 1e8 : 0);
        if (weight <= most)
            continue;
        most = weight;
        best = (int)i;
    }
    return best;
}

static void describe_ports(const struct insn_times *times, json_t *document)
{
    json_t *ports = json_array();
    for (unsigned i = 0; i < times->ports.count; i++)
        json_array_append_new(ports,
                              json_pack("{s:s, s:o}", "port", times->ports.ports[i].name, "per_instruction",
                                        result_interval_to_json(times->ports.ports[i].per_instruction)));
    json_object_set_new(document, "ports", ports);
    set_text(document, "ports_remark", times->ports_remark);
    set_text(document, "no_ports", times->no_ports);
}

static json_t *describe(const char *text, const struct insn_times *times)
{
    json_t *latencies = json_array();
    json_t *rates = json_array();
    struct buffer assembled = {0};
    struct register_use uses[INSN_SLOTS];
    for (unsigned i = 0; i < INSN_SLOTS; i++)
        uses[i] = times->insn.slots[i].use;
    insn_write(&times->insn, uses, 0, &assembled);
    for (unsigned i = 0; i < times->latency_count; i++) {
        const struct insn_latency *latency = &times->latencies[i];
        json_t *cycles = result_interval_to_json(latency->cycles);
        set_text(cycles, "doubt", latency->doubt);
        json_t *row = json_pack("{s:s, s:s, s:o}", "from", insn_operand_name(&times->insn, latency->from),
                                "to", insn_operand_name(&times->insn, latency->to), "cycles", cycles);
        set_text(row, "values", latency->values);
        set_text(row, "remark", latency->remark);
        json_array_append_new(latencies, row);
    }
    for (unsigned i = 0; i < times->rate_count; i++) {
        json_t *seen = result_interval_to_json(times->rates[i].per_cycle);
        set_text(seen, "doubt", times->rates[i].doubt);
        json_t *row = json_pack("{s:o}", "per_cycle", seen);
        set_text(row, "values", times->rates[i].values);
        set_text(row, "remark", times->rates[i].remark);
        json_array_append_new(rates, row);
    }
    json_t *document = json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "instruction", text, "assembled",
                                 assembled.data, "reads", describe_operands(times, false), "writes",
                                 describe_operands(times, true), "latency", latencies, "per_cycle", rates);
    describe_ports(times, document);
    if (insn_changes_nothing(times))
        json_object_set_new(document, "changes_nothing", json_true());
    int most = headline(times);
    if (most >= 0)
        json_object_set_new(document, "headline", json_integer(most));
    buffer_free(&assembled);
    return document;
}

/* ---- the process that measures ---- */

struct measuring {
    const struct machine *machine;
    int cpu;
    struct insn_bench *bench;  /* of the child; NULL: not open yet */
    struct insn_times *latest; /* of the child: what it measured last */
};

static enum status open_bench(struct measuring *measuring, struct error *error)
{
    if (measuring->bench != NULL)
        return STATUS_OK;
    cpu_set_t one;
    CPU_ZERO(&one);
    if (measuring->cpu >= 0) {
        CPU_SET((size_t)measuring->cpu, &one);
        (void)sched_setaffinity(0, sizeof one, &one); /* unpinned it is only noisier */
    }
    measuring->bench = insn_bench_open(measuring->machine, NULL, error);
    measuring->latest = memory_zeroed(1, sizeof *measuring->latest);
    return measuring->bench == NULL ? error->code : STATUS_OK;
}

/* {"text"} measures it; {"load_s"} runs what was measured last for so many seconds. */
static json_t *answer(void *context, const json_t *request)
{
    struct measuring *measuring = context;
    struct error error;
    if (open_bench(measuring, &error) != STATUS_OK)
        return worker_refusal(&error);
    const double load_s = json_number_or(request, "load_s", 0);
    if (load_s > 0) {
        struct insn_load load;
        if (insn_load_run(measuring->bench, measuring->latest, load_s, &load, &error) != STATUS_OK)
            return worker_refusal(&error);
        return json_pack("{s:f, s:f, s:f}", "instructions", load.instructions, "from_s", load.from_s, "to_s",
                         load.to_s);
    }
    const char *text = json_string_or(request, "text", "");
    return insn_measure(measuring->bench, text, measuring->latest, &error) == STATUS_OK
               ? describe(text, measuring->latest)
               : worker_refusal(&error);
}

static void end_bench(void *context)
{
    struct measuring *measuring = context;
    if (measuring->bench != NULL)
        insn_bench_close(measuring->bench);
    free(measuring->latest);
}

static json_t *describe_failure(const struct line *line, const struct error *error)
{
    return json_pack("{s:s, s:o, s:i}", "instruction", line->text, "error", json_from_text(error->message),
                     "code", (int)error->code);
}

/* ---- results ---- */

static json_t *make_context(const struct machine *machine, int cpu)
{
    json_t *context =
        json_pack("{s:i, s:s, s:{s:s, s:s}, s:i, s:O, s:b, s:i, s:[], s:[s], s:[{s:s, s:s, s:s, s:[{s:s, "
                  "s:s, s:[s, s]}]}]}",
                  "schema", RESULTS_SCHEMA, "kind", "context", "tool", "name", "trauma", "version",
                  TRAUMA_VERSION, "seed", 1, "machine", machine->document, "present", 1, "cpu_used", cpu,
                  "sensors", "sources", "measure", "benchmarks", "recipe", "measure/instruction", "name",
                  "instruction", "title", "Latency and rate of single instructions", "plot", "kind", "bars",
                  "x", "instruction", "y", "insn.latency", "insn.per_cycle");
    host_describe(context);
    return context;
}

static void add_rate(struct result_rates *rates, const char *metric, const json_t *interval)
{
    struct result_rate rate = {.metric = metric,
                               .target = NAN,
                               .min = -INFINITY,
                               .max = INFINITY,
                               .verdict = VERDICT_OBSERVED,
                               .has_silicon = true,
                               .silicon = VERDICT_OBSERVED,
                               .reason = ""};
    struct interval seen = result_interval(interval);
    if (seen.n == 0)
        return;
    observations_add(&rate.seen, metric, "measure", EVIDENCE_INFERRED, seen.value, seen.low, seen.high,
                     (double)seen.n);
    observations_doubt(&rate.seen, json_string_or(interval, "doubt", ""));
    result_rates_add(rates, &rate);
}

/* The longest latency with these values. */
static const json_t *latency_of(const json_t *document, const char *values)
{
    const json_t *list = json_object_get(document, "latency");
    const json_t *chief = json_array_get(list, (size_t)json_number_or(document, "headline", -1));
    const json_t *best = NULL;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *row = json_array_get(list, i);
        bool fits = strcmp(json_string_or(row, "values", ""), values) == 0 &&
                    strcmp(json_string_or(row, "from", ""), json_string_or(chief, "from", "")) == 0 &&
                    strcmp(json_string_or(row, "to", ""), json_string_or(chief, "to", "")) == 0;
        best = fits ? json_object_get(row, "cycles") : best;
    }
    return best;
}

/* One point for each set of values. */
static enum status record(struct results_file *file, const struct machine *machine, const json_t *document,
                          struct error *error)
{
    const char *text = json_string_or(document, "instruction", "");
    const json_t *list = json_object_get(document, "per_cycle");
    const char *failure = json_string_or(document, "error", "");
    enum status status = STATUS_OK;
    size_t count = failure[0] != '\0' ? 1 : json_array_size(list);
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        const json_t *row = json_array_get(list, i);
        const char *values = json_string_or(row, "values", "");
        struct buffer shown = {0};
        struct buffer name = {0};
        char hash[HASH_TEXT_BYTES];
        struct result_rates rates = {0};
        buffer_printf(&shown, values[0] == '\0' ? "%s" : "%s (%s)", text, values);
        buffer_printf(&name, "instruction=%s", shown.data);
        hash_bytes(name.data, name.size, hash);
        json_t *point = json_pack("{s:s, s:s, s:s, s:{s:s}, s:s, s:s, s:s}", "kind", "point", "recipe",
                                  "measure/instruction", "benchmark", "instruction", "point", "instruction",
                                  text, "name", name.data, "target", machine->isa, "program_hash", hash);
        if (failure[0] != '\0')
            json_object_set_new(point, "error", json_string(failure));
        add_rate(&rates, "insn.latency", latency_of(document, values));
        add_rate(&rates, "insn.per_cycle", json_object_get(row, "per_cycle"));
        if (i == 0) /* the load has the first values */
            add_rate(&rates, "insn.energy_j",
                     json_object_get(json_object_get(document, "energy"), "per_instruction_j"));
        json_object_set_new(point, "rates", result_rates_to_json(&rates));
        json_object_set_new(point, "instruction", json_deep_copy(document));
        status = results_append(file, point, error);
        result_rates_free(&rates);
        json_decref(point);
        buffer_free(&name);
        buffer_free(&shown);
    }
    return status;
}

/* ---- all of it ---- */

struct run {
    const struct instructions_request *request;
    struct instructions_outcome *outcome;
    struct measuring measuring;
    struct worker_job job;
    struct worker worker;
    struct results_file file;
    struct run_power power;
    double load_s; /* of each load for sensors; 0: there are none */
};

/* ---- energy ---- */

/* Of a load: the time between two updates of the sensor is a small part of it. */
static const double LEAST_LOAD_S = 0.2, MOST_LOAD_S = 10, UPDATES = 20, LOOK_S = 0.25;
enum { LOADS = 3 };

/* Seconds of a load, by the slowest sensor of power. */
static double choose_seconds(struct recorder *recorder)
{
    const struct sensor_list *meters = recorder_meters(recorder);
    double slowest = 0;
    recorder_begin(recorder, NULL, 0);
    clock_rest(LOOK_S);
    recorder_end(recorder, clock_now_s());
    for (size_t i = 0; i < meters->count; i++)
        for (size_t j = 0; j < meters->meters[i].count; j++) {
            if (!sensor_tells_power(&meters->meters[i].channels[j]))
                continue;
            const struct series_facts facts = series_look(recorder_series(recorder, i, j));
            slowest = fmax(slowest, isfinite(facts.update_s) ? facts.update_s : meters->meters[i].period_s);
        }
    return fmin(MOST_LOAD_S, fmax(LEAST_LOAD_S, UPDATES * slowest));
}

static void scale(struct interval interval, double per_s, json_t *energy, const char *key)
{
    interval.value /= per_s;
    interval.low /= per_s;
    interval.high /= per_s;
    if (interval.n > 0)
        json_object_set_new(energy, key, result_interval_to_json(interval));
}

/* Nothing runs, then the instruction does, several times. */
static enum status measure_energy(struct run *run, json_t *document, struct error *error)
{
    struct recorder *recorder = run->power.recorder;
    struct window loops[LOADS];
    double instructions = 0, seconds = 0;
    struct window idle = {.from_s = clock_now_s()};
    enum status status = STATUS_OK;
    recorder_begin(recorder, &run->measuring.cpu, run->measuring.cpu >= 0);
    recorder_mark(recorder, "idle_before");
    clock_rest(run->load_s);
    idle.to_s = clock_now_s();
    for (size_t i = 0; status == STATUS_OK && i < LOADS; i++) {
        json_t *load = NULL;
        json_t *request = json_pack("{s:f}", "load_s", run->load_s);
        recorder_mark(recorder, "load");
        status = worker_ask(&run->worker, request, LIMIT_S, "it", &load, error);
        json_decref(request);
        loops[i] = (struct window){json_number_or(load, "from_s", NAN), json_number_or(load, "to_s", NAN)};
        instructions += json_number_or(load, "instructions", 0);
        seconds += loops[i].to_s - loops[i].from_s;
        json_decref(load);
    }
    recorder_mark(recorder, "end");
    recorder_end(recorder, clock_now_s());
    if (status != STATUS_OK || !(instructions > 0) || !(seconds > 0))
        return status;
    const struct phase_windows windows = {
        .loops = loops, .runs = loops, .count = LOADS, .idle = {idle}, .idle_count = 1};
    struct power_view view;
    power_view_open(recorder, &windows, &view);
    struct arena arena = {0};
    const struct result_power power = summary_power(&view, NULL, &arena);
    power_view_free(&view);
    json_t *energy = json_object(), *from = json_array();
    scale(result_value(&power.values, "power.dynamic_w"), instructions / seconds, energy,
          "per_instruction_j");
    scale(result_value(&power.values, "power.total_w"), instructions / seconds, energy,
          "per_instruction_total_j");
    for (size_t i = 0; i < power.from.count; i++)
        json_array_append_new(from, json_string(power.from.items[i]));
    if (power.verdict != NULL)
        json_object_update_new(energy, json_pack("{s:O, s:s, s:s}", "from", from, "verdict", power.verdict,
                                                 "reason", power.reason));
    json_object_set_new(document, "energy", energy);
    json_decref(from);
    arena_free(&arena);
    return STATUS_OK;
}

/* Without a sensor the rest is measured all the same, and the outcome says why. */
static enum status open_power(struct run *run, struct error *error)
{
    struct error *why = &run->outcome->no_energy;
    enum status status = run_power_find(run->request->sensors, run->request->root, &run->power, why);
    if (status == STATUS_UNAVAILABLE)
        return STATUS_OK;
    if (status == STATUS_OK && sensor_list_power_channels(&run->power.meters) > 0)
        status = run_power_open(&run->power, why);
    if (status != STATUS_OK) {
        *error = *why;
        return status;
    }
    if (sensor_list_power_channels(&run->power.meters) == 0) {
        if (why->message[0] == '\0')
            error_set(why, STATUS_UNAVAILABLE, "no sensor of power was asked for");
        return STATUS_OK;
    }
    *why = (struct error){.code = STATUS_OK};
    run->load_s = choose_seconds(run->power.recorder);
    return STATUS_OK;
}

static void place_error(const struct line *line, struct error *error)
{
    error_prefix(error, "%s", line->text);
    if (line->file != NULL)
        error_at(error, line->file, line->number);
}

/* The instruction ended the process. */
static void tell_end(struct error *error)
{
    struct error told = *error;
    const char *how = strstr(told.message, "ended ");
    error_set(error, STATUS_FAILED, "it ended the process that measured it%s%s", how == NULL ? ": " : "",
              how == NULL ? told.message : how + strlen("ended"));
}

/* Measures one line. An error ends the list; an instruction's own becomes its document. */
static enum status measure_line(struct run *run, const struct line *line, struct error *error)
{
    json_t *document = NULL;
    struct error found;
    enum status status = STATUS_OK;
    if (run->worker.pid == 0)
        status = worker_start(&run->job, &run->worker, error);
    if (status != STATUS_OK)
        return status;
    json_t *request = json_pack("{s:s}", "text", line->text);
    enum status measured = worker_ask(&run->worker, request, LIMIT_S, "it", &document, &found);
    json_decref(request);
    if (measured == STATUS_OK && run->load_s > 0)
        measured = measure_energy(run, document, &found);
    if (measured != STATUS_OK) {
        json_decref(document);
        if (run->worker.pid == 0)
            tell_end(&found);
        document = describe_failure(line, &found);
        place_error(line, &found);
        if (run->outcome->failed++ == 0)
            run->outcome->first = found;
    }
    run->outcome->measured += measured == STATUS_OK;
    if (run->request->path != NULL)
        status = record(&run->file, run->measuring.machine, document, error);
    run->request->measured(run->request->context, document);
    json_decref(document);
    return status;
}

static enum status measure_list(struct run *run, const struct list *list, struct error *error)
{
    enum status status = STATUS_OK;
    if (run->request->path != NULL) {
        json_t *context = make_context(run->measuring.machine, run->measuring.cpu);
        status = results_create(&run->file, run->request->path, context, error);
        json_decref(context);
    }
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; status == STATUS_OK && i < list->count; i++) {
        session_progress(run->request->events, "instructions measured", i, list->count);
        status = measure_line(run, &list->lines[i], error);
    }
    session_progress_end(run->request->events);
    (void)worker_end(&run->worker);
    if (run->request->path != NULL)
        results_close(&run->file);
    return status;
}

/* Refuses a processor without texts before its whole list is. */
static enum status check_processor(struct error *error)
{
    struct template texts;
    enum status status = insn_texts_open(NULL, &texts, error);
    template_free(&texts);
    return status;
}

enum status instructions_measure(const struct instructions_request *request,
                                 struct instructions_outcome *outcome, struct error *error)
{
    struct list list = {0};
    struct machine machine = {0};
    struct run run = {.request = request, .outcome = outcome};
    *outcome = (struct instructions_outcome){0};
    enum status status = read_list(request, &list, error);
    if (status == STATUS_OK)
        status = check_processor(error);
    if (status == STATUS_OK)
        status = detect_machine(&machine, error);
    if (status == STATUS_OK) {
        run.measuring = (struct measuring){.machine = &machine, .cpu = host_choose_cpu()};
        status = open_power(&run, error);
    }
    if (status == STATUS_OK) {
        run.job = (struct worker_job){.answer = answer, .end = end_bench, .context = &run.measuring};
        status = measure_list(&run, &list, error);
    }
    run_power_close(&run.power);
    machine_free(&machine);
    free_list(&list);
    return status;
}
