#include "session/instructions.h"

#include "base/buffer.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "generator/machine/detect.h"
#include "runner/evidence/host.h"
#include "runner/instruction/instruction_forms.h"
#include "runner/instruction/scheduling_model.h"
#include "runner/power/summary.h"
#include "runner/process/worker.h"
#include "runner/results/result_point.h"
#include "runner/results/results.h"
#include "session/execute/run_power.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { LINES_MOST = 20000 };
static const double LIMIT_S = 30; /* for one instruction; a fast machine measures a thousand in this time */

/* ---- the list ---- */

/* One instruction's text and its place. */
struct instruction_line {
    char *text;
    const char *file; /* NULL: the command line */
    int number;
};

struct list {
    struct instruction_line *lines;
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
    list->lines[list->count++] = (struct instruction_line){copy, file, number};
    return STATUS_OK;
}

/* Adds a file's lines, except for empty ones and comments (#). */
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

static enum status add_forms(struct list *list, struct error *error)
{
    struct text_set forms = {0};
    enum status status = insn_forms_read(NULL, &forms, error);
    for (size_t i = 0; status == STATUS_OK && i < forms.count; i++)
        status = add_line(list, forms.texts[i], strlen(forms.texts[i]), NULL, 0, error);
    text_set_free(&forms);
    return status;
}

static enum status read_list(const struct instructions_request *request, struct list *list,
                             struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < request->input_count; i++) {
        const char *input = request->inputs[i];
        bool standard = strcmp(input, "-") == 0;
        if (request->list && strcmp(input, "all") == 0)
            status = add_forms(list, error);
        else if (standard || file_is_regular(input))
            status = read_file(list, standard ? "/dev/stdin" : input, error);
        else if (strchr(input, ' ') == NULL && (request->list || strpbrk(input, "/.") != NULL))
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

/* ---- the process that measures ---- */

/* The index of the latency to show first; -1: none. It is the longest one that is not in doubt; latencies to
 * flags or to memory, and from flags, are chosen only if there is no other. */
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

/* The latest measurement, in memory that the measuring process shares with this one. */
struct shared_result {
    struct insn_times times;
    char assembled[INSTRUCTION_BYTES];
    int headline;
    struct insn_load load;
};

struct measuring {
    const struct machine *machine;
    int cpu;
    bool once;                /* as insn_measure_once */
    struct insn_bench *bench; /* in the child; NULL: not open yet */
    struct shared_result *shared;
};

static enum status open_bench(struct measuring *measuring, struct error *error)
{
    if (measuring->bench != NULL)
        return STATUS_OK;
    cpu_set_t one;
    CPU_ZERO(&one);
    if (measuring->cpu >= 0) {
        CPU_SET((size_t)measuring->cpu, &one);
        (void)sched_setaffinity(0, sizeof one, &one); /* without pinning, results are only noisier */
    }
    measuring->bench = insn_bench_open(measuring->machine, NULL, error);
    return measuring->bench == NULL ? error->code : STATUS_OK;
}

static void complete(struct shared_result *shared)
{
    const struct insn *insn = &shared->times.insn;
    struct buffer assembled = {0};
    struct register_use uses[INSN_SLOTS];
    for (unsigned i = 0; i < INSN_SLOTS; i++)
        uses[i] = insn->slots[i].use;
    insn_write(insn, uses, 0, &assembled);
    snprintf(shared->assembled, sizeof shared->assembled, "%s", assembled.data);
    shared->headline = headline(&shared->times);
    buffer_free(&assembled);
}

/* Sends a request. load_s above 0: run the latest instruction for that many seconds; 0: measure the text. */
static enum status send_request(struct worker *worker, double load_s, const char *text, struct error *error)
{
    struct buffer bytes = {0};
    buffer_append(&bytes, &load_s, sizeof load_s);
    buffer_append(&bytes, text, strlen(text) + 1);
    enum status status =
        worker_ask(worker, &(struct worker_bytes){bytes.data, bytes.size}, LIMIT_S, "it", NULL, error);
    buffer_free(&bytes);
    return status;
}

static enum status answer_request(void *context, const struct worker_bytes *request, struct buffer *answer,
                                  struct error *error)
{
    struct measuring *measuring = context;
    struct shared_result *shared = measuring->shared;
    double load_s;
    memcpy(&load_s, request->bytes, sizeof load_s);
    (void)answer; /* the shared result holds all of it */
    enum status status = open_bench(measuring, error);
    if (status == STATUS_OK && load_s > 0)
        return insn_load_run(measuring->bench, &shared->times, load_s, &shared->load, error);
    if (status == STATUS_OK)
        status = (measuring->once ? insn_measure_once : insn_measure)(
            measuring->bench, (const char *)request->bytes + sizeof load_s, &shared->times, error);
    if (status == STATUS_OK)
        complete(shared);
    return status;
}

static void end_bench(void *context)
{
    struct measuring *measuring = context;
    if (measuring->bench != NULL)
        insn_bench_close(measuring->bench);
}

/* ---- the run ---- */

struct instruction_run {
    const struct instructions_request *request;
    struct instructions_outcome *outcome;
    struct measuring measuring;
    struct worker_job job;
    struct worker worker;
    struct results_file file;
    struct run_power power;
    double load_s;             /* duration of each load for sensors; 0: there are no sensors */
    struct arena energy_arena; /* texts of the latest energy */
};

/* ---- energy ---- */

/* A load lasts for this many of the sensor's updates, so that the time between two is a small part of it. */
static const double LEAST_LOAD_S = 0.2, MOST_LOAD_S = 10, UPDATES = 20, LOOK_S = 0.25;
enum { LOADS = 3 };

/* The duration of a load, in seconds, for the slowest power sensor. */
static double choose_seconds(struct recorder *recorder)
{
    const struct sensor_list *meters = recorder_meters(recorder);
    double slowest = 0;
    recorder_begin(recorder, NULL, 0);
    clock_rest(LOOK_S);
    recorder_end(recorder, clock_now_s());
    for (size_t i = 0; i < meters->count; i++)
        for (size_t j = 0; j < meters->meters[i].count; j++) {
            if (!sensor_measures_power(&meters->meters[i].channels[j]))
                continue;
            const struct series_facts facts = series_look(recorder_series(recorder, i, j));
            slowest = fmax(slowest, isfinite(facts.update_s) ? facts.update_s : meters->meters[i].period_s);
        }
    return fmin(MOST_LOAD_S, fmax(LEAST_LOAD_S, UPDATES * slowest));
}

static struct interval scaled(const struct result_power *power, const char *name, double per_s)
{
    struct interval interval = result_value(&power->values, name);
    interval.value /= per_s;
    interval.low /= per_s;
    interval.high /= per_s;
    return interval;
}

/* Measures an idle time and then several loads of the instruction. */
static enum status measure_energy(struct instruction_run *run, struct instruction_energy *energy,
                                  struct error *error)
{
    struct recorder *recorder = run->power.recorder;
    const struct insn_load *load = &run->measuring.shared->load;
    struct window loops[LOADS];
    double instructions = 0, seconds = 0;
    struct window idle = {.from_s = clock_now_s()};
    enum status status = STATUS_OK;
    recorder_begin(recorder, &run->measuring.cpu, run->measuring.cpu >= 0);
    recorder_mark(recorder, "idle_before");
    clock_rest(run->load_s);
    idle.to_s = clock_now_s();
    for (size_t i = 0; status == STATUS_OK && i < LOADS; i++) {
        recorder_mark(recorder, "load");
        status = send_request(&run->worker, run->load_s, "", error);
        loops[i] = (struct window){load->from_s, load->to_s};
        instructions += load->instructions;
        seconds += load->to_s - load->from_s;
    }
    recorder_mark(recorder, "end");
    recorder_end(recorder, clock_now_s());
    if (status != STATUS_OK || !(instructions > 0) || !(seconds > 0))
        return status;
    const struct phase_windows windows = {
        .loops = loops, .runs = loops, .count = LOADS, .idle = {idle}, .idle_count = 1};
    struct power_view view;
    power_view_open(recorder, &windows, &view);
    arena_free(&run->energy_arena);
    const struct result_power power = summary_power(&view, NULL, &run->energy_arena);
    power_view_free(&view);
    *energy =
        (struct instruction_energy){.given = true,
                                    .dynamic_j = scaled(&power, "power.dynamic_w", instructions / seconds),
                                    .total_j = scaled(&power, "power.total_w", instructions / seconds),
                                    .from = power.from,
                                    .verdict = power.verdict == NULL ? "" : power.verdict,
                                    .reason = power.reason == NULL ? "" : power.reason};
    return STATUS_OK;
}

/* Opens the power sensors. Without one the times are still measured, and outcome->no_energy has the reason.
 */
static enum status open_power(struct instruction_run *run, struct error *error)
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
            error_set(why, STATUS_UNAVAILABLE, "no power sensor was requested");
        return STATUS_OK;
    }
    *why = (struct error){.code = STATUS_OK};
    run->load_s = choose_seconds(run->power.recorder);
    return STATUS_OK;
}

/* Sets the error of an instruction that ended the process, from the worker's own error. */
static void set_end_error(struct error *error)
{
    struct error ended = *error;
    const char *how = strstr(ended.message, "ended ");
    error_set(error, STATUS_FAILED, "it ended the process that measured it%s%s", how == NULL ? ": " : "",
              how == NULL ? ended.message : how + strlen("ended"));
}

/* Measures the text in the child process. */
static enum status measure_text(struct instruction_run *run, const char *text,
                                struct instruction_measured *measured, struct error *error)
{
    const struct shared_result *shared = run->measuring.shared;
    enum status status = send_request(&run->worker, 0, text, error);
    if (status == STATUS_OK && run->load_s > 0)
        status = measure_energy(run, &measured->energy, error);
    if (status != STATUS_OK) {
        if (run->worker.pid == 0)
            set_end_error(error);
        return status;
    }
    measured->times = &shared->times;
    measured->headline = shared->headline;
    memcpy(measured->assembled, shared->assembled, sizeof measured->assembled);
    return STATUS_OK;
}

/* Counts a line that was measured or failed, adds it to the results, and passes it to the caller. */
static enum status deliver(struct instruction_run *run, const struct instruction_line *line,
                           const struct instruction_measured *measured, struct error *error)
{
    struct instructions_outcome *outcome = run->outcome;
    if (measured->times != NULL) {
        outcome->measured++;
    } else if (run->request->list && measured->error.code == STATUS_UNAVAILABLE) {
        outcome->left_out++;
    } else if (outcome->failed++ == 0) {
        outcome->first = measured->error;
        error_prefix(&outcome->first, "%s", line->text);
        if (line->file != NULL)
            error_at(&outcome->first, line->file, line->number);
    }
    enum status status = STATUS_OK;
    if (run->request->path != NULL)
        status = instruction_results_append(&run->file, measured, run->measuring.machine, error);
    run->request->measured(run->request->context, measured);
    return status;
}

/* Measures one line. The status is that of the whole list; an error of the instruction is in its result. */
static enum status measure_line(struct instruction_run *run, const struct instruction_line *line,
                                struct error *error)
{
    struct instruction_measured measured = {.text = line->text, .headline = -1};
    enum status status = STATUS_OK;
    if (run->worker.pid == 0)
        status = worker_start(&run->job, &run->worker, error);
    if (status != STATUS_OK)
        return status;
    (void)measure_text(run, line->text, &measured, &measured.error);
    return deliver(run, line, &measured, error);
}

/* ---- tables ---- */

/* A number counts when two runs, some time apart, agree on it: other programs can disturb all samples of one
 * run. */
enum { ROUNDS_MOST = 6 };

struct table_line {
    bool measured;
    struct insn_times
        times; /* of the first run; confirmed numbers have the interval of all runs that agree */
    char assembled[INSTRUCTION_BYTES];
    int headline;
    unsigned runs;
    double latencies[INSN_PAIRS][ROUNDS_MOST];   /* cycles, as measured by each run */
    double rates[INSN_VALUES_MOST][ROUNDS_MOST]; /* cycles per instruction, by each run */
    bool latency_confirmed[INSN_PAIRS], rate_confirmed[INSN_VALUES_MOST];
    struct error error; /* why it was not measured */
    struct insn_model model;
};

/* Disturbances only make a run slower, so the number is confirmed when the `needed` lowest of all runs agree
 * to `near`. *low and *high receive their range. */
static bool agree(const double *found, unsigned runs, unsigned needed, double near, double *low, double *high)
{
    double sorted[ROUNDS_MOST];
    if (runs < needed)
        return false;
    memcpy(sorted, found, runs * sizeof *sorted);
    stats_sort(sorted, runs);
    *low = sorted[0];
    *high = sorted[needed - 1];
    return *high - *low <= near;
}

/* Sets *seen to the latest run's number, with the interval of all runs that agree. */
static void confirm(struct interval *seen, const struct interval *latest, double low, double high)
{
    *seen = (struct interval){fmin(fmax(latest->value, low), high), fmin(latest->low, low),
                              fmax(latest->high, high), latest->n};
}

/* Two runs must agree. Three must agree where a lasting disturbance is likely: on a latency that is not a
 * whole number, and on a rate whose samples lie at two values. */
static void take_latency(struct table_line *line, unsigned i, const struct insn_latency *latest)
{
    static const double NEAR_SHARE = 0.02, NEAR_CYCLES = 0.05, NEAR_WHOLE = 0.06;
    const double cycles = latest->cycles.value;
    const unsigned needed = fabs(latest->whole - round(latest->whole)) < NEAR_WHOLE ? 2 : 3;
    double low, high;
    line->latencies[i][line->runs - 1] = cycles;
    if (line->latency_confirmed[i] ||
        !agree(line->latencies[i], line->runs, needed, fmax(NEAR_CYCLES, NEAR_SHARE * cycles), &low, &high))
        return;
    line->latency_confirmed[i] = true;
    if (cycles <= high)
        line->times.latencies[i] = *latest;
    const struct interval agreed = {low, low, high, latest->cycles.n};
    confirm(&line->times.latencies[i].cycles, cycles <= high ? &latest->cycles : &agreed, low, high);
}

static void take_rate(struct table_line *line, unsigned i, const struct insn_rate *latest)
{
    static const double NEAR_SHARE = 0.02;
    const double each = 1 / latest->per_cycle.value;
    const unsigned needed = strstr(latest->remark, "often") == NULL ? 2 : 3;
    double low, high;
    line->rates[i][line->runs - 1] = each;
    if (line->rate_confirmed[i] || !agree(line->rates[i], line->runs, needed, NEAR_SHARE * each, &low, &high))
        return;
    line->rate_confirmed[i] = true;
    line->times.rates[i] = *latest;
    line->times.rates[i].per_cycle =
        (struct interval){2 / (low + high), 1 / high, 1 / low, latest->per_cycle.n};
}

static void take_run(struct table_line *line, const struct insn_times *times)
{
    line->runs++;
    for (unsigned i = 0; i < line->times.latency_count && i < times->latency_count; i++)
        take_latency(line, i, &times->latencies[i]);
    for (unsigned i = 0; i < line->times.rate_count && i < times->rate_count; i++)
        take_rate(line, i, &times->rates[i]);
}

static bool is_confirmed(const struct table_line *line)
{
    bool confirmed = true;
    for (unsigned i = 0; i < line->times.latency_count; i++)
        confirmed = confirmed && line->latency_confirmed[i];
    for (unsigned i = 0; i < line->times.rate_count; i++)
        confirmed = confirmed && line->rate_confirmed[i];
    return confirmed;
}

/* Marks the numbers on which the runs do not agree as in doubt. */
static void doubt_unconfirmed(struct table_line *line)
{
    static const char why[] = "%u runs, of which no two agree: others disturbed them";
    for (unsigned i = 0; i < line->times.latency_count; i++) {
        struct insn_latency *latency = &line->times.latencies[i];
        if (line->latency_confirmed[i])
            continue;
        latency->cycles.low = latency->cycles.high = NAN;
        snprintf(latency->doubt, sizeof latency->doubt, why, line->runs);
    }
    for (unsigned i = 0; i < line->times.rate_count; i++) {
        struct insn_rate *rate = &line->times.rates[i];
        if (line->rate_confirmed[i])
            continue;
        rate->per_cycle.low = rate->per_cycle.high = NAN;
        snprintf(rate->doubt, sizeof rate->doubt, why, line->runs);
    }
    line->headline = headline(&line->times);
}

/* Measures one line once more. After a run that succeeded, a failure is ignored. */
static enum status measure_again(struct instruction_run *run, const struct instruction_line *line,
                                 struct table_line *found, struct error *error)
{
    struct instruction_measured measured = {.text = line->text, .headline = -1};
    struct error why;
    enum status status = STATUS_OK;
    if (run->worker.pid == 0)
        status = worker_start(&run->job, &run->worker, error);
    if (status != STATUS_OK)
        return status;
    if (measure_text(run, line->text, &measured, &why) != STATUS_OK) {
        if (!found->measured)
            found->error = why;
        return STATUS_OK;
    }
    if (!found->measured) {
        found->times = *measured.times;
        memcpy(found->assembled, measured.assembled, sizeof found->assembled);
    }
    found->measured = true;
    take_run(found, measured.times);
    return STATUS_OK;
}

/* Measures the list in rounds; each round repeats the lines that are not confirmed yet. */
static enum status measure_rounds(struct instruction_run *run, const struct list *list,
                                  struct table_line *lines, struct error *error)
{
    enum status status = STATUS_OK;
    size_t left = list->count;
    for (unsigned round = 0; status == STATUS_OK && round < ROUNDS_MOST && left > 0; round++) {
        size_t done = 0, now = left;
        left = 0;
        for (size_t i = 0; status == STATUS_OK && i < list->count; i++) {
            struct table_line *line = &lines[i];
            if (round > 0 && (!line->measured || is_confirmed(line)))
                continue;
            session_progress(run->request->events, round == 0 ? "instructions measured" : "confirmed", done++,
                             now);
            status = measure_again(run, &list->lines[i], line, error);
            left += line->measured && !is_confirmed(line);
        }
    }
    session_progress_end(run->request->events);
    return status;
}

static void read_models(struct instruction_run *run, const struct list *list, struct table_line *lines)
{
    struct instructions_outcome *outcome = run->outcome;
    const char **texts = memory_zeroed(list->count, sizeof *texts);
    size_t *places = memory_zeroed(list->count, sizeof *places);
    struct insn_model *models = memory_zeroed(list->count, sizeof *models);
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++)
        if (lines[i].measured) {
            texts[count] = lines[i].assembled;
            places[count++] = i;
        }
    if (insn_models_read(run->measuring.machine, texts, count, models, outcome->model, &outcome->no_model) !=
        STATUS_OK)
        outcome->model[0] = '\0';
    for (size_t i = 0; outcome->model[0] != '\0' && i < count; i++)
        lines[places[i]].model = models[i];
    free(texts);
    free(places);
    free(models);
}

static enum status deliver_line(struct instruction_run *run, const struct instruction_line *line,
                                struct table_line *found, struct error *error)
{
    struct instruction_measured measured = {.text = line->text, .headline = -1, .error = found->error};
    if (found->measured) {
        doubt_unconfirmed(found);
        measured.times = &found->times;
        measured.headline = found->headline;
        measured.model = found->model;
        memcpy(measured.assembled, found->assembled, sizeof measured.assembled);
    }
    return deliver(run, line, &measured, error);
}

static enum status measure_table(struct instruction_run *run, const struct list *list, struct error *error)
{
    struct table_line *lines = memory_zeroed(list->count, sizeof *lines);
    enum status status = measure_rounds(run, list, lines, error);
    if (status == STATUS_OK)
        read_models(run, list, lines);
    for (size_t i = 0; status == STATUS_OK && i < list->count; i++)
        status = deliver_line(run, &list->lines[i], &lines[i], error);
    free(lines);
    return status;
}

static enum status measure_each(struct instruction_run *run, const struct list *list, struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < list->count; i++) {
        session_progress(run->request->events, "instructions measured", i, list->count);
        status = measure_line(run, &list->lines[i], error);
    }
    session_progress_end(run->request->events);
    return status;
}

static enum status measure_list(struct instruction_run *run, const struct list *list, struct error *error)
{
    enum status status = STATUS_OK;
    if (run->request->path != NULL)
        status = instruction_results_create(&run->file, run->request->path, run->measuring.machine,
                                            run->measuring.cpu, error);
    if (status != STATUS_OK)
        return status;
    status = (run->request->list ? measure_table : measure_each)(run, list, error);
    (void)worker_end(&run->worker);
    if (run->request->path != NULL)
        results_close(&run->file);
    return status;
}

static enum status open_shared(struct measuring *measuring, struct error *error)
{
    void *memory =
        mmap(NULL, sizeof *measuring->shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return error_set(error, STATUS_FAILED, "no memory to share with the process that measures: %s",
                         strerror(errno));
    measuring->shared = memory;
    return STATUS_OK;
}

/* Refuses a processor without instruction texts at once, instead of line by line. */
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
    struct instruction_run run = {.request = request, .outcome = outcome};
    *outcome = (struct instructions_outcome){0};
    enum status status = read_list(request, &list, error);
    if (status == STATUS_OK)
        status = check_processor(error);
    if (status == STATUS_OK)
        status = detect_machine(&machine, error);
    if (status == STATUS_OK) {
        run.measuring =
            (struct measuring){.machine = &machine, .cpu = host_choose_cpu(), .once = request->list};
        status = open_shared(&run.measuring, error);
    }
    if (status == STATUS_OK && request->list)
        error_set(&outcome->no_energy, STATUS_UNAVAILABLE, "a list's instructions run too briefly for it");
    else if (status == STATUS_OK)
        status = open_power(&run, error);
    if (status == STATUS_OK) {
        run.job = (struct worker_job){.answer = answer_request, .end = end_bench, .context = &run.measuring};
        status = measure_list(&run, &list, error);
    }
    run_power_close(&run.power);
    arena_free(&run.energy_arena);
    if (run.measuring.shared != NULL)
        munmap(run.measuring.shared, sizeof *run.measuring.shared);
    machine_free(&machine);
    free_list(&list);
    return status;
}
