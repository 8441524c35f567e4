#include "session/instructions.h"

#include "base/buffer.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/memory.h"
#include "generator/machine/detect.h"
#include "runner/instruction/instruction_time.h"
#include "runner/launch/host.h"
#include "runner/process/worker.h"
#include "runner/results/observation.h"
#include "runner/results/result_point.h"
#include "runner/results/results.h"

#include <ctype.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
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
    for (int number = 1; status == STATUS_OK && at != NULL && *at != '\0'; number++) {
        size_t length = strcspn(at, "\n");
        if (!json_is_text(at))
            status = error_set(error, STATUS_USAGE, "%s is not UTF-8", path);
        else
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

static json_t *interval_to_json(const struct interval *interval)
{
    return json_pack("{s:o, s:o, s:o, s:I}", "value", json_from_number(interval->value), "low",
                     json_from_number(interval->low), "high", json_from_number(interval->high), "n",
                     (json_int_t)interval->n);
}

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
 * there is no other result. Of several, the longest that is not just as long as independent copies take. */
static int headline(const struct insn_times *times)
{
    int best = -1;
    double most = 0;
    for (unsigned i = 0; i < times->latency_count; i++) {
        const struct insn_latency *latency = &times->latencies[i];
        double weight = latency->cycles.value + (latency->to < INSN_FLAGS ? 1e9 : 0) +
                        (latency->from != INSN_FLAGS ? 1e8 : 0);
        if (weight <= most)
            continue;
        most = weight;
        best = (int)i;
    }
    return best;
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
        json_t *row = json_pack("{s:s, s:s, s:o}", "from", insn_operand_name(&times->insn, latency->from),
                                "to", insn_operand_name(&times->insn, latency->to), "cycles",
                                interval_to_json(&latency->cycles));
        set_text(row, "values", latency->values);
        set_text(row, "remark", latency->remark);
        json_array_append_new(latencies, row);
    }
    for (unsigned i = 0; i < times->rate_count; i++) {
        json_t *row = json_pack("{s:o}", "per_cycle", interval_to_json(&times->rates[i].per_cycle));
        set_text(row, "values", times->rates[i].values);
        set_text(row, "remark", times->rates[i].remark);
        json_array_append_new(rates, row);
    }
    json_t *document = json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "instruction", text, "assembled",
                                 assembled.data, "reads", describe_operands(times, false), "writes",
                                 describe_operands(times, true), "latency", latencies, "per_cycle", rates);
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
    struct insn_bench *bench; /* of the child; NULL: not open yet */
};

static json_t *measure_one(void *context, const json_t *request)
{
    struct measuring *measuring = context;
    struct error error;
    if (measuring->bench == NULL) {
        cpu_set_t one;
        CPU_ZERO(&one);
        if (measuring->cpu >= 0) {
            CPU_SET((size_t)measuring->cpu, &one);
            (void)sched_setaffinity(0, sizeof one, &one); /* unpinned it is only noisier */
        }
        measuring->bench = insn_bench_open(measuring->machine, NULL, &error);
        if (measuring->bench == NULL)
            return worker_refusal(&error);
    }
    const char *text = json_string_or(request, "text", "");
    struct insn_times *times = memory_zeroed(1, sizeof *times);
    json_t *answer = insn_measure(measuring->bench, text, times, &error) == STATUS_OK
                         ? describe(text, times)
                         : worker_refusal(&error);
    free(times);
    return answer;
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
    observations_add(&rate.seen, metric, "measure", "inferred", seen.value, seen.low, seen.high,
                     (double)seen.n);
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
};

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
    if (measured != STATUS_OK) {
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
        run.job = (struct worker_job){.answer = measure_one, .context = &run.measuring};
        status = measure_list(&run, &list, error);
    }
    machine_free(&machine);
    free_list(&list);
    return status;
}
