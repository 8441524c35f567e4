#include "runner/devices/cupti/cupti_count.h"

#include "base/json.h"
#include "base/memory.h"
#include "runner/devices/cuda/cuda_library.h"
#include "runner/devices/cupti/cupti_host.h"
#include "runner/devices/device_driver.h"
#include "runner/process/worker.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* One run to be counted. */
typedef enum status cupti_run(void *context, struct error *error);

enum { PASSES_MOST = 64 };

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

/* The counters that the device makes available to this user. This query may be denied although the counters
 * are not. */
static void ask_availability(struct cupti_session *session, void *context)
{
    struct cupti_availability ask = {.size = CUPTI_SIZE(struct cupti_availability, image),
                                     .context = context};
    if (session->library->availability(&ask) != CUPTI_OK || ask.image_size == 0)
        return;
    buffer_fill(&session->availability, '\0', ask.image_size);
    ask.image = (uint8_t *)session->availability.data;
    if (session->library->availability(&ask) != CUPTI_OK)
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
    ask_availability(session, context);
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

/* The header does not say whether a profiler that has counted can be set up again; if it refuses, it is
 * enabled anew. */
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

/* One pass: *done when it was the last. */
static enum status make_pass(struct cupti_session *session, cupti_run *run, void *run_context, bool *done,
                             struct error *error)
{
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
    enum status status = run(run_context, error);
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
static enum status cupti_session_count(struct cupti_session *session, cupti_run *run, void *run_context,
                                       double *values, struct error *error)
{
    bool done = false;
    enum status status = configure(session, error);
    session->counted = true;
    for (unsigned i = 0; status == STATUS_OK && !done; i++) {
        if (i == PASSES_MOST)
            return error_set(error, STATUS_UNAVAILABLE,
                             "CUPTI is not done after %d of the %zu passes that it requested", PASSES_MOST,
                             session->host.passes);
        status = make_pass(session, run, run_context, &done, error);
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

struct cupti_work {
    const struct test_program *test_program;
    struct cupti_counts *counts;
    struct cupti_library library;
    struct cupti_session session;
    void *program;
    uint64_t passes; /* of the next run */
    double clock_hz; /* of the last run; NAN: unknown */
};

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

static enum status run_once(void *context, struct error *error)
{
    struct cupti_work *work = context;
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

static enum status count_sample(struct cupti_work *work, double *before, double *values, struct error *error)
{
    struct cupti_counts *counts = work->counts;
    work->passes = 0;
    enum status status = cupti_session_count(&work->session, run_once, work, before, error);
    work->passes = counts->passes;
    if (status == STATUS_OK)
        status = cupti_session_count(&work->session, run_once, work, values, error);
    for (size_t i = 0; status == STATUS_OK && i < counts->count; i++)
        values[i] -= before[i];
    return status;
}

/* A failure here is the program's; and this is the clock without the profiler. */
static enum status run_plainly(struct cupti_work *work, struct error *error)
{
    json_t *facts = json_object();
    enum status status = cuda_driver.open(work->test_program, &work->program, facts, error);
    json_decref(facts);
    work->passes = work->counts->passes;
    if (status == STATUS_OK)
        status = run_once(work, error);
    work->counts->plain_clock_hz = work->clock_hz;
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
    counts->counted_clock_hz = work->clock_hz;
    return status;
}

static json_t *number_or_null(double number)
{
    return isfinite(number) ? json_real(number) : json_null();
}

static json_t *say(const struct cupti_work *work)
{
    const struct cupti_counts *counts = work->counts;
    json_t *samples = json_array();
    for (unsigned i = 0; i < CUPTI_SAMPLES; i++) {
        json_t *values = json_array();
        for (size_t j = 0; j < counts->count; j++)
            json_array_append_new(values, json_real(counts->values[i][j]));
        json_array_append_new(samples, values);
    }
    return json_pack("{s:o, s:o, s:o, s:s, s:I}", "samples", samples, "plain_clock_hz",
                     number_or_null(counts->plain_clock_hz), "counted_clock_hz",
                     number_or_null(counts->counted_clock_hz), "chip", work->session.chip, "replays",
                     (json_int_t)work->session.host.passes);
}

/* The library is opened before the driver starts, because it hooks into it. */
static json_t *answer_plain(struct cupti_work *work)
{
    struct error error;
    enum status status = cupti_library_open(&work->library, &error);
    if (status == STATUS_OK)
        status = run_plainly(work, &error);
    return status == STATUS_OK ? json_object() : worker_refusal(&error);
}

static json_t *answer_count(void *context, const json_t *request)
{
    struct cupti_work *work = context;
    struct error error;
    if (json_object_get(request, "plain") != NULL)
        return answer_plain(work);
    double *before = memory_zeroed(work->counts->count + 1, sizeof *before);
    enum status status = count_all(work, before, &error);
    free(before);
    return status == STATUS_OK ? say(work) : worker_refusal(&error);
}

static void end_count(void *context)
{
    struct cupti_work *work = context;
    cupti_session_close(&work->session);
    if (work->program != NULL)
        cuda_driver.close(work->program);
}

static json_t *answer_look(void *context, const json_t *request)
{
    struct cupti_library library;
    struct error error;
    (void)context, (void)request;
    return cupti_library_open(&library, &error) == STATUS_OK ? json_object() : worker_refusal(&error);
}

/* ---- in the parent ---- */

static enum status ask(struct worker *worker, const char *word, double seconds, const char *what,
                       json_t **answer, struct error *error)
{
    json_t *request = json_pack("{s:b}", word, true);
    enum status status = worker_ask(worker, request, seconds, what, answer, error);
    json_decref(request);
    return status;
}

static enum status hear(const json_t *answer, struct cupti_counts *counts, struct error *error)
{
    for (size_t i = 0; i < CUPTI_SAMPLES; i++) {
        const json_t *values = json_array_get(json_object_get(answer, "samples"), i);
        if (json_array_size(values) != counts->count)
            return error_set(error, STATUS_UNAVAILABLE, "the counting process reported %zu of %zu counters",
                             json_array_size(values), counts->count);
        for (size_t j = 0; j < counts->count; j++)
            counts->values[i][j] = json_number_value(json_array_get(values, j));
    }
    counts->plain_clock_hz = json_number_or(answer, "plain_clock_hz", NAN);
    counts->counted_clock_hz = json_number_or(answer, "counted_clock_hz", NAN);
    counts->replays = (unsigned)json_number_or(answer, "replays", 0);
    snprintf(counts->chip, sizeof counts->chip, "%s", json_string_or(answer, "chip", ""));
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

enum status cupti_count(const struct test_program *test_program, struct cupti_counts *counts,
                        struct error *error)
{
    struct cupti_work work = {.test_program = test_program, .counts = counts, .clock_hz = NAN};
    const struct worker_job job = {.answer = answer_count, .end = end_count, .context = &work};
    struct worker worker = {.pid = 0};
    json_t *answer = NULL;
    enum status status = worker_start(&job, &worker, error);
    if (status == STATUS_OK)
        status = ask(&worker, "plain", COUNT_S, "the program", &answer, error);
    json_decref(answer);
    answer = NULL;
    if (status == STATUS_OK)
        status = blame_profiler(ask(&worker, "count", COUNT_S, "counting", &answer, error), error);
    (void)worker_end(&worker); /* the errors that it can return have been reported */
    if (status == STATUS_OK)
        status = hear(answer, counts, error);
    json_decref(answer);
    return status;
}

enum status cupti_is_here(struct error *why_not)
{
    const struct worker_job job = {.answer = answer_look};
    struct worker worker = {.pid = 0};
    json_t *answer = NULL;
    enum status status = worker_start(&job, &worker, why_not);
    if (status == STATUS_OK)
        status = ask(&worker, "look", LOOK_S, "opening CUPTI", &answer, why_not);
    (void)worker_end(&worker);
    json_decref(answer);
    if (status == STATUS_FAILED && why_not != NULL)
        why_not->code = STATUS_UNAVAILABLE;
    return status == STATUS_FAILED ? STATUS_UNAVAILABLE : status;
}
