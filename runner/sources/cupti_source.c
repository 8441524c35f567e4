/* Source "cupti": sectors and hits of the measured loop by NVIDIA's counters, with the events that
 * templates/events/nvidia*.txt name. Its runs are not those that measure power, as the profiler slows
 * programs down; it checks that both have the same clock. Tested with a simulated library only, not yet on a
 * real GPU. */
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/stats.h"
#include "runner/devices/cuda/cuda_library.h"
#include "runner/devices/cupti/cupti_library.h"
#include "runner/devices/device_driver.h"
#include "runner/devices/launcher.h"
#include "runner/launch/test_program.h"
#include "runner/process/worker.h"
#include "runner/sources/events/event_folder.h"
#include "runner/sources/events/event_table.h"
#include "runner/sources/source.h"

#include <dlfcn.h>
#include <jansson.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- counting, in a process of its own ---- */

/* Counts events in a PTX program's measured loop, in a separate process (runner/process/worker.h). The
 * program runs with no passes, which is the warm-up alone, and with some; the counts are subtracted. */

enum { CUPTI_SAMPLES = 3 };

/* The clock during the loop, without and with the profiler; NAN: unknown. */
struct cupti_clocks {
    double plain_hz, counted_hz;
};

/* The request and its results. */
struct cupti_counts {
    const char **names; /* CUPTI's metrics */
    size_t count;
    uint64_t passes;               /* of the loop */
    double *values[CUPTI_SAMPLES]; /* [count] each, over all passes; the caller's */
    struct cupti_clocks clocks;
};

/* ---- one session: the kernel's passes, counted ---- */

/* CUPTI's range profiler: Enable, SetConfig, then Start, Push, Pop and Stop once per pass that the counters
 * need, Decode. Uses user replay: the same run is repeated for each pass, so runs must be identical. Follows
 * the vendor's header (cupti_range_profiler.h); tested only against a simulated library, not yet on a real
 * GPU. */

/* All zeros is closed. */
struct cupti_session {
    const struct cupti_library *library;
    struct cupti_host host;
    struct buffer availability; /* the device's counters; empty: the library uses the chip's name */
    struct buffer data;
    char chip[32]; /* "GH100" */
    void *context, *profiler;
    bool initialized, counted;
};

enum { PASSES_MOST = 64 };

struct cupti_work {
    const struct test_program *test_program;
    struct cupti_counts *counts;
    struct cupti_library library;
    struct cupti_session session;
    void *program;
    uint64_t passes; /* of the next run */
    double clock_hz; /* of the last run; NAN: unknown */
};

/* The run to be counted. */
static enum status run_once(struct cupti_work *work, struct error *error)
{
    struct device_run run = {0};
    enum status status = cuda_driver.run(work->program, work->passes, &run, error);
    if (status != STATUS_OK)
        return status;
    struct result_record *record = block_record_summarize(run.entries, run.blocks, NULL, 0, error);
    if (record == NULL)
        return error->code;
    work->clock_hz = record->clock_hz;
    result_record_free(record);
    return STATUS_OK;
}

/* ---- preparing ---- */

static enum status initialize(struct cupti_session *session, unsigned device, struct error *error)
{
    const struct cupti_library *library = session->library;
    struct cupti_plain plain = {.size = CUPTI_SIZE(struct cupti_plain, reserved)};
    struct cupti_chip_name name = {.size = CUPTI_SIZE(struct cupti_chip_name, name), .device = device};
    int result = library->initialize(&plain);
    session->initialized = result == CUPTI_OK;
    if (result == CUPTI_OK)
        result = library->chip_name(&name);
    if (result == CUPTI_OK && name.name != NULL)
        snprintf(session->chip, sizeof session->chip, "%s", name.name);
    return cupti_refusal(library, result, "the profiler", error);
}

/* Reads which counters the device makes available to this user. This query may be denied although the
 * counters are not. */
static void read_availability(struct cupti_session *session, void *context)
{
    struct cupti_availability query = {.size = CUPTI_SIZE(struct cupti_availability, image),
                                       .context = context};
    if (session->library->availability(&query) != CUPTI_OK || query.image_size == 0)
        return;
    buffer_fill(&session->availability, '\0', query.image_size);
    query.image = (uint8_t *)session->availability.data;
    if (session->library->availability(&query) != CUPTI_OK)
        buffer_free(&session->availability);
}

static enum status make_data(struct cupti_session *session, struct error *error)
{
    struct cupti_data_size size = {.size = CUPTI_SIZE(struct cupti_data_size, bytes),
                                   .profiler = session->profiler,
                                   .names = session->host.names,
                                   .count = session->host.count,
                                   .most_ranges = 1,
                                   .most_nodes = 1};
    enum status status = cupti_refusal(session->library, session->library->data_size(&size),
                                       "sizing the counters' data", error);
    if (status == STATUS_OK)
        buffer_fill(&session->data, '\0', size.bytes);
    return status;
}

static enum status enable(struct cupti_session *session, struct error *error)
{
    const struct cupti_library *library = session->library;
    struct cupti_enable enable = {.size = CUPTI_SIZE(struct cupti_enable, profiler),
                                  .context = session->context};
    enum status status = cupti_refusal(library, library->enable(&enable), "the GPU's counters", error);
    session->profiler = status == STATUS_OK ? enable.profiler : NULL;
    return status == STATUS_OK ? make_data(session, error) : status;
}

static void disable(struct cupti_session *session)
{
    struct cupti_object object = {.size = CUPTI_SIZE(struct cupti_object, profiler),
                                  .profiler = session->profiler};
    if (session->profiler != NULL)
        (void)session->library->disable(&object); /* it is released when its process ends */
    session->profiler = NULL;
    buffer_free(&session->data);
}

/* Prepares to count the metrics on the device (CUDA's ordinal) in its context (a CUcontext that is current).
 * STATUS_UNAVAILABLE with the reason: permission, another profiler, a metric that the chip lacks. Close with
 * cupti_session_close even after an error. */
static enum status cupti_session_open(const struct cupti_library *library, unsigned device, void *context,
                                      const char **names, size_t count, struct cupti_session *session,
                                      struct error *error)
{
    *session = (struct cupti_session){.library = library, .host = {.library = library}};
    enum status status = initialize(session, device, error);
    if (status != STATUS_OK)
        return status;
    read_availability(session, context);
    status = cupti_host_open(library, session->chip, (const uint8_t *)session->availability.data, names,
                             count, &session->host, error);
    if (status != STATUS_OK)
        return status;
    session->context = context;
    return enable(session, error);
}

/* ---- counting ---- */

static int try_configure(struct cupti_session *session)
{
    const struct cupti_library *library = session->library;
    uint8_t *data = (uint8_t *)session->data.data;
    struct cupti_data_begin begin = {.size = CUPTI_SIZE(struct cupti_data_begin, data),
                                     .profiler = session->profiler,
                                     .bytes = session->data.size,
                                     .data = data};
    struct cupti_set_config config = {.size = CUPTI_SIZE(struct cupti_set_config, target_nesting),
                                      .profiler = session->profiler,
                                      .config_bytes = session->host.config.size,
                                      .config = (const uint8_t *)session->host.config.data,
                                      .data_bytes = session->data.size,
                                      .data = data,
                                      .range = CUPTI_USER_RANGE,
                                      .replay = CUPTI_USER_REPLAY,
                                      .most_ranges = 1,
                                      .nesting_levels = 1,
                                      .least_nesting = 1,
                                      .target_nesting = 1};
    int result = library->data_begin(&begin);
    if (result == CUPTI_OK)
        result = library->set_config(&config);
    return result;
}

/* The vendor's header does not state whether a profiler that has counted can be set up again; if it refuses,
 * it is enabled anew. */
static enum status configure(struct cupti_session *session, struct error *error)
{
    int result = try_configure(session);
    if (result != CUPTI_OK && session->counted) {
        disable(session);
        if (enable(session, error) != STATUS_OK)
            return error->code;
        result = try_configure(session);
    }
    return cupti_refusal(session->library, result, "setting the counters up", error);
}

/* Makes one pass. *done: it was the last. */
static enum status make_pass(struct cupti_work *work, bool *done, struct error *error)
{
    const struct cupti_session *session = &work->session;
    const struct cupti_library *library = session->library;
    struct cupti_object object = {.size = CUPTI_SIZE(struct cupti_object, profiler),
                                  .profiler = session->profiler};
    struct cupti_push push = {
        .size = CUPTI_SIZE(struct cupti_push, name), .profiler = session->profiler, .name = "loop"};
    struct cupti_stop stop = {.size = CUPTI_SIZE(struct cupti_stop, all_submitted),
                              .profiler = session->profiler};
    int result = library->start(&object);
    if (result == CUPTI_OK)
        result = library->push(&push);
    if (result != CUPTI_OK)
        return cupti_refusal(library, result, "starting the counters", error);
    enum status status = run_once(work, error);
    if (status != STATUS_OK)
        return status;
    result = library->pop(&object);
    if (result == CUPTI_OK)
        result = library->stop(&stop);
    *done = stop.all_submitted != 0;
    return cupti_refusal(library, result, "stopping the counters", error);
}

static enum status decode(struct cupti_session *session, double *values, struct error *error)
{
    const struct cupti_library *library = session->library;
    const uint8_t *data = (const uint8_t *)session->data.data;
    struct cupti_decode decode = {.size = CUPTI_SIZE(struct cupti_decode, dropped),
                                  .profiler = session->profiler};
    struct cupti_data_info info = {
        .size = CUPTI_SIZE(struct cupti_data_info, ranges), .data = data, .bytes = session->data.size};
    int result = library->decode(&decode);
    if (result == CUPTI_OK)
        result = library->data_info(&info);
    if (result != CUPTI_OK)
        return cupti_refusal(library, result, "decoding the counters", error);
    if (decode.dropped > 0 || info.ranges != 1)
        return error_set(error, STATUS_UNAVAILABLE,
                         "the profiler has %zu ranges and dropped %zu; expected one", info.ranges,
                         decode.dropped);
    enum status status = cupti_host_evaluate(&session->host, data, session->data.size, 0, values, error);
    for (size_t i = 0; status == STATUS_OK && i < session->host.count; i++)
        if (!isfinite(values[i]) || values[i] < 0)
            status = error_set(error, STATUS_UNAVAILABLE, "the counter %s has the value %g",
                               session->host.names[i], values[i]);
    return status;
}

/* Repeats the run for as many passes as needed; values[count] get the metrics' sums over the GPU. Returns the
 * run's own errors unchanged. */
static enum status cupti_session_count(struct cupti_work *work, double *values, struct error *error)
{
    struct cupti_session *session = &work->session;
    bool done = false;
    enum status status = configure(session, error);
    session->counted = true;
    for (unsigned i = 0; status == STATUS_OK && !done; i++) {
        if (i == PASSES_MOST)
            return error_set(error, STATUS_UNAVAILABLE,
                             "CUPTI is not done after %d of the %zu passes that it requested", PASSES_MOST,
                             session->host.passes);
        status = make_pass(work, &done, error);
    }
    return status == STATUS_OK ? decode(session, values, error) : status;
}

static void cupti_session_close(struct cupti_session *session)
{
    const struct cupti_library *library = session->library;
    struct cupti_plain plain = {.size = CUPTI_SIZE(struct cupti_plain, reserved)};
    if (library == NULL)
        return;
    disable(session);
    cupti_host_close(&session->host);
    if (session->initialized)
        (void)library->deinitialize(&plain);
    buffer_free(&session->availability);
    *session = (struct cupti_session){.library = NULL};
}

/* A driver may compile a long program for seconds, and each count takes several runs. */
static const double COUNT_S = 600;
static const double LOOK_S = 30;

/* ---- in the worker ---- */

/* The context that the program was opened in. */
static enum status current_context(void **context, struct error *error)
{
    struct cuda_library cuda;
    int (*current)(void **) = NULL;
    enum status status = cuda_library_open(&cuda, error);
    if (status != STATUS_OK)
        return status;
    void *found = dlsym(cuda.handle, "cuCtxGetCurrent");
    memcpy(&current, &found, sizeof found);
    *context = NULL;
    if (current == NULL || current(context) != CUDA_OK || *context == NULL)
        return error_set(error, STATUS_UNAVAILABLE, "the driver reports no context to count in");
    return STATUS_OK;
}

static enum status count_sample(struct cupti_work *work, double *before, double *values, struct error *error)
{
    struct cupti_counts *counts = work->counts;
    work->passes = 0;
    enum status status = cupti_session_count(work, before, error);
    work->passes = counts->passes;
    if (status == STATUS_OK)
        status = cupti_session_count(work, values, error);
    for (size_t i = 0; status == STATUS_OK && i < counts->count; i++)
        values[i] -= before[i];
    return status;
}

/* Runs the program without the profiler: a failure is the program's, and the clock is the one to compare
 * with. */
static enum status run_plainly(struct cupti_work *work, struct error *error)
{
    struct device_facts facts = device_facts_none();
    enum status status = cuda_driver.open(work->test_program, &work->program, &facts, error);
    device_facts_free(&facts);
    work->passes = work->counts->passes;
    if (status == STATUS_OK)
        status = run_once(work, error);
    work->counts->clocks.plain_hz = work->clock_hz;
    return status;
}

static enum status count_all(struct cupti_work *work, double *before, struct error *error)
{
    struct cupti_counts *counts = work->counts;
    void *context = NULL;
    enum status status = current_context(&context, error);
    if (status == STATUS_OK)
        status = cupti_session_open(&work->library, work->test_program->device, context, counts->names,
                                    counts->count, &work->session, error);
    for (unsigned i = 0; status == STATUS_OK && i < CUPTI_SAMPLES; i++)
        status = count_sample(work, before, counts->values[i], error);
    counts->clocks.counted_hz = work->clock_hz;
    return status;
}

/* The answer to CUPTI_COUNT is a struct cupti_clocks, followed by the values of each sample. */
enum cupti_request { CUPTI_LOOK, CUPTI_PLAIN, CUPTI_COUNT };

static void write_counts(const struct cupti_counts *counts, struct buffer *answer)
{
    buffer_append(answer, &counts->clocks, sizeof counts->clocks);
    for (unsigned i = 0; i < CUPTI_SAMPLES; i++)
        buffer_append(answer, counts->values[i], counts->count * sizeof *counts->values[i]);
}

static enum status answer_request(void *context, const struct worker_bytes *request, struct buffer *answer,
                                  struct error *error)
{
    struct cupti_work *work = context;
    if (*(const enum cupti_request *)request->bytes == CUPTI_COUNT) {
        double *before = memory_zeroed(work->counts->count + 1, sizeof *before);
        enum status status = count_all(work, before, error);
        free(before);
        if (status == STATUS_OK)
            write_counts(work->counts, answer);
        return status;
    }
    /* The library is opened before the driver starts, because it hooks into it. */
    enum status status = cupti_library_open(&work->library, error);
    if (status != STATUS_OK || *(const enum cupti_request *)request->bytes == CUPTI_LOOK)
        return status;
    return run_plainly(work, error);
}

static void end_count(void *context)
{
    struct cupti_work *work = context;
    cupti_session_close(&work->session);
    if (work->program != NULL)
        cuda_driver.close(work->program);
}

/* ---- in the parent ---- */

static enum status ask(struct worker *worker, enum cupti_request request, double seconds, const char *what,
                       struct buffer *answer, struct error *error)
{
    return worker_ask(worker, &(struct worker_bytes){&request, sizeof request}, seconds, what, answer, error);
}

static enum status read_counts(const struct buffer *answer, struct cupti_counts *counts, struct error *error)
{
    size_t bytes = counts->count * sizeof *counts->values[0];
    if (answer->size != sizeof counts->clocks + CUPTI_SAMPLES * bytes)
        return error_set(error, STATUS_UNAVAILABLE,
                         "the counting process reported %zu bytes; expected %d samples of %zu counters",
                         answer->size, CUPTI_SAMPLES, counts->count);
    memcpy(&counts->clocks, answer->data, sizeof counts->clocks);
    for (size_t i = 0; i < CUPTI_SAMPLES; i++)
        memcpy(counts->values[i], answer->data + sizeof counts->clocks + i * bytes, bytes);
    return STATUS_OK;
}

/* If the program runs without the profiler but fails with it, the program is not at fault. */
static enum status blame_profiler(enum status status, struct error *error)
{
    if (status != STATUS_FAILED)
        return status;
    error_prefix(error, "with CUPTI's profiler");
    return error->code = STATUS_UNAVAILABLE;
}

/* Runs the test program on its device. STATUS_UNAVAILABLE with the reason when counting is impossible there,
 * STATUS_FAILED when the program failed. */
static enum status cupti_count(const struct test_program *test_program, struct cupti_counts *counts,
                               struct error *error)
{
    struct cupti_work work = {.test_program = test_program, .counts = counts, .clock_hz = NAN};
    const struct worker_job job = {.answer = answer_request, .end = end_count, .context = &work};
    struct worker worker = {.pid = 0};
    struct buffer answer = {0};
    enum status status = worker_start(&job, &worker, error);
    if (status == STATUS_OK)
        status = ask(&worker, CUPTI_PLAIN, COUNT_S, "the program", NULL, error);
    if (status == STATUS_OK)
        status = blame_profiler(ask(&worker, CUPTI_COUNT, COUNT_S, "counting", &answer, error), error);
    (void)worker_end(&worker); /* the errors that it can return have been reported */
    if (status == STATUS_OK)
        status = read_counts(&answer, counts, error);
    buffer_free(&answer);
    return status;
}

/* STATUS_OK when CUPTI is on this machine; checked in a separate process, because CUPTI hooks into the
 * driver. */
static enum status cupti_is_here(struct error *why_not)
{
    struct cupti_work work = {.test_program = NULL};
    const struct worker_job job = {.answer = answer_request, .context = &work};
    struct worker worker = {.pid = 0};
    enum status status = worker_start(&job, &worker, why_not);
    if (status == STATUS_OK)
        status = ask(&worker, CUPTI_LOOK, LOOK_S, "opening CUPTI", NULL, why_not);
    (void)worker_end(&worker);
    if (status == STATUS_FAILED && why_not != NULL)
        why_not->code = STATUS_UNAVAILABLE;
    return status == STATUS_FAILED ? STATUS_UNAVAILABLE : status;
}

/* ---- cupti shares ---- */

/* Shares of a program's loads by the level that served them, from NVIDIA's counters. Caches count sectors of
 * 32 bytes and shared memory counts warps' instructions, but a recipe promises shares of loads. The loads per
 * sector at each level follow from the manifest's exact "accesses" and "transfers". */

enum { CUPTI_SHARES = 8 };

struct cupti_shares {
    const char *metrics[CUPTI_SHARES]; /* "served.L1"; static text, or owned by the table */
    double values[CUPTI_SHARES];       /* NAN: nothing to divide by */
    size_t count;
    double loads; /* warps' load instructions on which the shares are based */
};

/* Fewer sectors or instructions than this come from the launch, not from the loop. */
static const double FEWEST = 1000;

enum { LEVELS = 3 };
static const char *const levels[LEVELS] = {"L1", "L2", "MEM"};
static const char *const served[LEVELS] = {"served.L1", "served.L2", "served.MEM"};
static const char shared[] = "served.SHARED";

/* The table's first ratio of that name; NAN: there is none, or nothing to divide by. */
static double ratio(const struct event_table *table, const double *counts, const char *metric)
{
    for (size_t i = 0; i < table->ratio_count; i++) {
        const struct event_ratio *row = &table->ratios[i];
        if (strcmp(row->metric, metric) != 0)
            continue;
        double under = row->under.count == 0 ? 1 : event_sum_value(&row->under, counts);
        return under < FEWEST ? NAN : event_sum_value(&row->over, counts) / under;
    }
    return NAN;
}

/* Loads per sector of the level; 0 if the manifest has no loads there. */
static double weight(const struct manifest *manifest, const char *level)
{
    double accesses = rates_get(&manifest->loads_by_level, level, 0);
    double sectors = rates_get(&manifest->transfers, level, 0);
    return sectors > 0 ? accesses / sectors : 0;
}

static void add(struct cupti_shares *shares, const char *metric, double value)
{
    shares->metrics[shares->count] = metric;
    shares->values[shares->count++] = value;
}

/* A level without planned loads gets the mean weight of the program's other levels. */
static void fill_weights(const struct manifest *manifest, double weights[LEVELS])
{
    double sum = 0;
    unsigned known = 0;
    for (size_t i = 0; i < LEVELS; i++) {
        weights[i] = weight(manifest, levels[i]);
        sum += weights[i];
        known += weights[i] > 0;
    }
    for (size_t i = 0; i < LEVELS; i++)
        if (!(weights[i] > 0))
            weights[i] = known > 0 ? sum / known : 1;
}

static double loads_of(const struct event_table *table, const double *counts)
{
    double loads = 0;
    for (size_t i = 0; i < table->event_count; i++)
        if (strcmp(table->events[i].name, "global_loads") == 0 ||
            strcmp(table->events[i].name, "shared_loads") == 0)
            loads += counts[i];
    return loads;
}

/* Evaluates the table's metrics over counts [table->event_count]. The metrics and their order depend on the
 * table alone. */
static void cupti_shares_make(const struct event_table *table, const double *counts,
                              const struct manifest *manifest, struct cupti_shares *shares)
{
    double weights[LEVELS];
    double parts[LEVELS];
    double sum = 0;
    double inside = ratio(table, counts, shared);
    *shares = (struct cupti_shares){.loads = loads_of(table, counts)};
    fill_weights(manifest, weights);
    for (size_t i = 0; i < LEVELS; i++) {
        parts[i] = fmax(ratio(table, counts, served[i]), 0) * weights[i];
        sum += parts[i];
    }
    bool caches = sum > 0 && isfinite(ratio(table, counts, served[0]));
    add(shares, shared, inside);
    for (size_t i = 0; i < LEVELS; i++)
        add(shares, served[i],
            caches        ? (1 - inside) * parts[i] / sum
            : inside == 1 ? 0
                          : NAN); /* all loads were of shared memory */
    add(shares, "l2.far_share", ratio(table, counts, "l2.far_share"));
    add(shares, "ipc", ratio(table, counts, "ipc"));
    add(shares, "l1d.miss_rate", ratio(table, counts, "l1d.miss_rate"));
    add(shares, "l2.miss_rate", ratio(table, counts, "l2.miss_rate"));
}

/* ---- cupti source ---- */

static const char SOURCE[] = "cupti";

/* The number of loads for one count, beside which a run's own overhead is small. At worst, a thread's own
 * loads take a microsecond each, and each sample takes some ten runs. */
static const double LOADS_COUNTED = 1e7;
static const double LOADS_OF_A_THREAD = 1e5;
static const double CLOCKS_DIFFER = 0.02;

static enum status usable(struct error *why_not)
{
    enum status status = cupti_is_here(why_not);
    return status == STATUS_OK ? launcher_any_device("ptx", why_not) : status;
}

/* ---- counting ---- */

/* The event file of the device that the program is for, by the manifest's "sm_90". */
static enum status find_events(const struct test_program *test_program, struct event_table *table,
                               struct error *error)
{
    const char *arch = manifest_text_or(test_program->manifest->arch, "");
    unsigned number = strncmp(arch, "sm_", 3) == 0 ? (unsigned)strtoul(arch + 3, NULL, 10) : 0;
    const struct event_processor processor = {"NVIDIA", number / 10, number % 10, "gpu", NULL};
    enum status status = event_folder_table(&processor, table, error);
    if (status != STATUS_OK || (event_table_of_gpu(table) && table->event_count > 0))
        return status;
    return error_set(error, STATUS_UNAVAILABLE, "no events file covers \"%s\"; nvidia*.txt start at sm_70",
                     arch);
}

static uint64_t choose_passes(const struct manifest *manifest)
{
    double period = fmax(manifest->period, 1);
    double loads = 0;
    for (size_t i = 0; i < manifest->loads_by_level.count; i++)
        loads += manifest->loads_by_level.items[i].value;
    double threads = fmax(manifest->blocks, 1) * fmax(manifest->block_threads, 1);
    double wanted = fmin(LOADS_COUNTED, LOADS_OF_A_THREAD * threads);
    return (uint64_t)(loads > 0 ? ceil(wanted / (loads * period)) * period : period);
}

static enum status count(const struct test_program *test_program, const struct event_table *table,
                         struct cupti_counts *counts, struct error *error)
{
    *counts =
        (struct cupti_counts){.count = table->event_count, .passes = choose_passes(test_program->manifest)};
    counts->names = memory_zeroed(table->event_count, sizeof *counts->names);
    for (size_t i = 0; i < CUPTI_SAMPLES; i++)
        counts->values[i] = memory_zeroed(table->event_count, sizeof(double));
    for (size_t i = 0; i < table->event_count; i++)
        counts->names[i] = table->events[i].code;
    return cupti_count(test_program, counts, error);
}

static void counts_free(struct cupti_counts *counts)
{
    free(counts->names);
    for (size_t i = 0; i < CUPTI_SAMPLES; i++)
        free(counts->values[i]);
}

/* ---- evaluating the counts ---- */

/* With few samples the interval is their whole range. */
static struct interval span(const double *values)
{
    struct interval interval = {stats_median(values, CUPTI_SAMPLES), values[0], values[0], CUPTI_SAMPLES};
    for (size_t i = 1; i < CUPTI_SAMPLES; i++) {
        interval.low = fmin(interval.low, values[i]);
        interval.high = fmax(interval.high, values[i]);
    }
    return interval;
}

static void add_counters(const struct event_table *table, const struct cupti_counts *counts,
                         struct observations *list)
{
    for (size_t i = 0; i < counts->count; i++) {
        double values[CUPTI_SAMPLES];
        for (size_t j = 0; j < CUPTI_SAMPLES; j++)
            values[j] = counts->values[j][i] / (double)counts->passes;
        observations_count(list, table->events[i].name, span(values), NAN);
    }
}

static void add_metrics(const struct manifest *manifest, const struct event_table *table,
                        const struct cupti_counts *counts, struct observations *list)
{
    struct cupti_shares shares[CUPTI_SAMPLES];
    for (size_t i = 0; i < CUPTI_SAMPLES; i++)
        cupti_shares_make(table, counts->values[i], manifest, &shares[i]);
    for (size_t i = 0; i < shares[0].count; i++) {
        double values[CUPTI_SAMPLES];
        bool known = true;
        for (size_t j = 0; j < CUPTI_SAMPLES; j++) {
            values[j] = shares[j].values[i];
            known = known && isfinite(values[j]);
        }
        struct interval seen = span(values);
        if (known)
            observations_add(list, shares[0].metrics[i], SOURCE, EVIDENCE_MEASURED, seen.value, seen.low,
                             seen.high, shares[0].loads);
    }
}

/* Power is measured in other runs: these counts apply to them only at the same clock. */
static void compare_clocks(const struct cupti_counts *counts, struct observations *list)
{
    double plain = counts->clocks.plain_hz;
    double counted = counts->clocks.counted_hz;
    if (!(fabs(counted - plain) > CLOCKS_DIFFER * plain))
        return;
    warning_add(&list->warnings, "state = { gpu_clock = ... } and --allow-state fix the clock",
                "with the profiler the multiprocessors ran at %.4g GHz, without it at %.4g: the counts do "
                "not describe the power measurement's runs",
                counted * 1e-9, plain * 1e-9);
}

static enum status observe_with(const struct test_program *test_program, struct event_table *table,
                                struct observations *list, struct error *error)
{
    struct cupti_counts counts = {.count = 0};
    enum status status = find_events(test_program, table, error);
    if (status == STATUS_OK)
        status = count(test_program, table, &counts, error);
    if (status == STATUS_OK) {
        add_counters(table, &counts, list);
        add_metrics(test_program->manifest, table, &counts, list);
        compare_clocks(&counts, list);
    }
    counts_free(&counts);
    return status;
}

/* Refuses loads that no counter counts: the counters of L1 are of loads into registers, those of shared
 * memory of a block's own. */
static enum status refuse_uncounted(const struct manifest *manifest, struct error *error)
{
    for (size_t i = 0; i < manifest->stream_count; i++) {
        if (manifest->streams[i].source[0] != '\0')
            return error_set(
                error, STATUS_UNAVAILABLE,
                "its loads are asynchronous, and no counter reports which level served such copies");
        if (strcmp(manifest->streams[i].level, "DSMEM") == 0)
            return error_set(
                error, STATUS_UNAVAILABLE,
                "it reads the shared memory of other blocks, and no known counter distinguishes such "
                "loads from others");
    }
    return STATUS_OK;
}

static enum status observe(const struct test_program *test_program, struct observations *list,
                           struct error *error)
{
    if (refuse_uncounted(test_program->manifest, error) != STATUS_OK)
        return STATUS_UNAVAILABLE;
    if (test_program->launch == NULL && !test_program->machine->present)
        return error_set(error, STATUS_UNAVAILABLE, "its program is for another machine");
    struct event_table *table = memory_zeroed(1, sizeof *table);
    enum status status = observe_with(test_program, table, list, error);
    event_table_free(table);
    free(table);
    return status;
}

const struct counter_source counter_cupti = {.name = SOURCE,
                                             .kind = EVIDENCE_MEASURED,
                                             .targets = "ptx",
                                             .usable = usable,
                                             .observe = observe,
                                             .alone = true};
