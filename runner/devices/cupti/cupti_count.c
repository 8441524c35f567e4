#include "runner/devices/cupti/cupti_count.h"

#include "base/json.h"
#include "base/memory.h"
#include "runner/devices/cuda/cuda_library.h"
#include "runner/devices/cupti/cupti_session.h"
#include "runner/devices/device_driver.h"
#include "runner/process/worker.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A driver may compile a long program for seconds, and each count takes several runs. */
static const double COUNT_S = 600;
static const double LOOK_S = 30;

/* ---- in the worker ---- */

struct work {
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
    struct work *work = context;
    struct device_run run = {0};
    enum status status = cuda_driver.run(work->program, work->passes, &run, error);
    if (status != STATUS_OK)
        return status;
    json_t *record = block_record_summarize(run.entries, run.blocks, NULL, 0, error);
    if (record == NULL)
        return error->code;
    work->clock_hz = json_number_or(record, "clock_hz", NAN);
    json_decref(record);
    return STATUS_OK;
}

static enum status count_sample(struct work *work, double *before, double *values, struct error *error)
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
static enum status run_plainly(struct work *work, struct error *error)
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

static enum status count_all(struct work *work, double *before, struct error *error)
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

static json_t *say(const struct work *work)
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
static json_t *answer_plain(struct work *work)
{
    struct error error;
    enum status status = cupti_library_open(&work->library, &error);
    if (status == STATUS_OK)
        status = run_plainly(work, &error);
    return status == STATUS_OK ? json_object() : worker_refusal(&error);
}

static json_t *answer_count(void *context, const json_t *request)
{
    struct work *work = context;
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
    struct work *work = context;
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
    struct work work = {.test_program = test_program, .counts = counts, .clock_hz = NAN};
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
