/* The table of launchers (a new target is its driver's folder and one row here), and both kinds of run: a
 * process of the standalone executable, and a device's program in the worker that has it loaded, by the
 * requests {"open"} and {"run"}. */
#include "runner/devices/launcher.h"

#include "base/json.h"
#include "base/memory.h"
#include "isa/isa.h"
#include "runner/process/child.h"
#include "runner/process/worker.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct launcher launchers[] = {
    {ISA_PROCESSOR, NULL}, {"ptx", &cuda_driver}, {"gcn", &opencl_driver}, {NULL, NULL}};

const struct launcher *launcher_find(const char *target)
{
    for (size_t i = 0; launchers[i].target != NULL; i++)
        if (isa_is_listed(launchers[i].target, target))
            return &launchers[i];
    return NULL;
}

enum status launcher_any_device(const char *target, struct error *why_not)
{
    enum status status = STATUS_UNAVAILABLE;
    for (const struct launcher *row = launchers; status != STATUS_OK && row->target != NULL; row++) {
        if (row->driver == NULL || (target != NULL && strcmp(row->target, target) != 0))
            continue;
        json_t *list = launch_devices(row->driver, why_not);
        status = list != NULL ? STATUS_OK : STATUS_UNAVAILABLE;
        json_decref(list);
    }
    return status;
}

const struct launcher *launcher_of(const struct manifest *manifest)
{
    return launcher_find(manifest_text_or(manifest->target, launchers[0].target));
}

/* ---- programs that are processes ---- */

/* A process that it left behind ran beside the measurement and after it. */
static enum status check_left(const struct child_result *result, struct error *error)
{
    char more[32] = "";
    if (result->left == 0)
        return STATUS_OK;
    if (result->left_more > 0)
        snprintf(more, sizeof more, " and %u more", result->left_more);
    error_set(error, STATUS_FAILED, "the program ended but left process %ld (%s)%s running, which was killed",
              (long)result->left, result->left_name, more);
    error_hint(error, "a generated program starts no processes: generate the suite again");
    return STATUS_FAILED;
}

static enum status run_executable(const struct test_program *test_program,
                                  const struct test_program_call *call, struct test_program_time *time,
                                  struct error *error)
{
    char name[] = "program";
    char count[24];
    char meet[16];
    snprintf(count, sizeof count, "%" PRIu64, call->iterations);
    snprintf(meet, sizeof meet, "%d", call->meet_fd);
    char share[TEST_PROGRAM_SHARE_BYTES] = "";
    char *arguments[] = {name, count, NULL, NULL, NULL};
    unsigned given = 2;
    if (call->meet_fd != 0)
        arguments[given++] = meet;
    if (call->share_fd != 0) {
        test_program_share_text(call, share);
        arguments[given] = share;
    }
    const struct child_request request = {.image = test_program->executable,
                                          .image_size = test_program->executable_size,
                                          .arguments = arguments,
                                          .cpu = call->cpu,
                                          .keep_fd = call->meet_fd,
                                          .timeout_s = call->timeout_s,
                                          .before_start = call->before_start,
                                          .context = call->context};
    struct child_result result;
    enum status status = test_program_check_executable(test_program, error);
    if (status == STATUS_OK)
        status = test_program_check_features(test_program, error);
    if (status != STATUS_OK)
        return status;
    status = child_run(&request, &result, error);
    if (status == STATUS_OK)
        status = test_program_parse_line(&result.output, call->iterations, time, error);
    if (status == STATUS_OK)
        status = test_program_check_ticks(time, result.wall_s, error);
    if (status == STATUS_OK)
        status = check_left(&result, error);
    child_result_free(&result);
    return status;
}

/* ---- programs of devices ---- */

/* A driver may compile a long program for seconds, and much data crosses the bus. */
static const double OPEN_S = 120;
static const double FILL_S_A_BYTE = 60.0 / (1 << 30);
static const double LIST_S = 60;

struct launch {
    struct worker worker;
    json_t *facts;
    struct buffer binary; /* empty: unknown */
};

/* In the worker. */

struct place_of_work {
    const struct device_driver *driver;
    const struct test_program *test_program;
    void *handle;
};

static json_t *open_program(struct place_of_work *here)
{
    struct error error;
    json_t *facts = json_object();
    if (here->driver->open(here->test_program, &here->handle, facts, &error) == STATUS_OK)
        return facts;
    json_decref(facts);
    return worker_refusal(&error);
}

/* Without a timer, blocks do not report the duration of the loop; without a clock they report no ticks
 * either, and nanoseconds are used instead. */
static void time_by_events(double loop_s, struct result_record *record)
{
    record->seconds = loop_s;
    record->by_events = true;
    if (!(record->ticks_high > 0))
        record->ticks = record->ticks_low = record->ticks_high = round(loop_s * 1e9);
}

static json_t *copy_to_json(const struct result_copy *copy)
{
    return json_pack("{s:I, s:I, s:I, s:f, s:f}", "iterations", (json_int_t)copy->iterations, "ticks",
                     (json_int_t)copy->ticks, "start", (json_int_t)copy->start, "bytes", copy->bytes,
                     "blocks", copy->blocks);
}

/* What the grids beside it did while any of its blocks ran: "own" and "beside". NULL with *error: one of them
 * left no record. */
static json_t *tell_beside(const struct device_run *run, uint64_t iterations,
                           const struct result_record *record, struct error *error)
{
    struct block_record_span span = block_record_any(run->entries, run->blocks);
    double hz = record->clock_hz > 0 ? record->clock_hz : 0;
    json_t *list = json_array();
    const struct result_copy own = {.iterations = (long long)iterations,
                                    .blocks = record->worked,
                                    .ticks = llround((double)(span.to_ns - span.from_ns) * 1e-9 * hz)};
    for (size_t i = 0; i < run->beside_count; i++) {
        const struct device_beside *beside = &run->beside[i];
        struct result_record *other =
            block_record_summarize(beside->entries, beside->blocks, run->units, run->unit_count, error);
        bool seen = other != NULL;
        result_record_free(other);
        if (!seen) {
            error_prefix(error, "a grid beside it");
            json_decref(list);
            return NULL;
        }
        struct result_copy copy = block_record_within(beside->entries, beside->blocks, span, hz,
                                                      beside->passes, beside->bytes_a_pass);
        json_array_append_new(list, copy_to_json(&copy));
    }
    return json_pack("{s:o, s:o}", "own", copy_to_json(&own), "beside", list);
}

static json_t *run_program(struct place_of_work *here, uint64_t iterations)
{
    struct device_run run = {0};
    struct error error;
    struct result_record *record = NULL;
    if (here->driver->run(here->handle, iterations, &run, &error) == STATUS_OK)
        record = block_record_summarize(run.entries, run.blocks, run.units, run.unit_count, &error);
    if (record == NULL)
        return worker_refusal(&error);
    if (run.loop_s > 0)
        time_by_events(run.loop_s, record);
    record->kernel_s = run.kernel_s;
    json_t *together = run.beside_count > 0 ? tell_beside(&run, iterations, record, &error) : NULL;
    json_t *told = run.beside_count > 0 && together == NULL
                       ? worker_refusal(&error)
                       : json_pack("{s:f, s:f, s:o, s:o*}", "from_s", run.from_s, "to_s", run.to_s, "record",
                                   result_record_to_json(record), "together", together);
    result_record_free(record);
    return told;
}

static json_t *answer(void *context, const json_t *request)
{
    struct place_of_work *here = context;
    const json_t *iterations = json_object_get(request, "run");
    return iterations == NULL ? open_program(here)
                              : run_program(here, (uint64_t)json_integer_value(iterations));
}

static void end(void *context)
{
    struct place_of_work *here = context;
    if (here->handle != NULL)
        here->driver->close(here->handle);
}

static json_t *answer_list(void *context, const json_t *request)
{
    const struct device_driver *const *driver = context;
    struct error error;
    (void)request;
    json_t *list = (*driver)->list(&error);
    return list != NULL ? list : worker_refusal(&error);
}

/* In the parent. */

static unsigned digit(char character)
{
    return (unsigned)(character <= '9' ? character - '0' : character - 'a' + 10);
}

/* The worker writes it as digits; results do not repeat it. */
static void take_binary(struct launch *launch)
{
    const json_t *told = json_object_get(launch->facts, "binary");
    const char *digits = json_string_value(told);
    for (size_t i = 0; i + 1 < json_string_length(told); i += 2)
        buffer_append(&launch->binary, &(char){(char)(digit(digits[i]) << 4 | digit(digits[i + 1]))}, 1);
    json_object_del(launch->facts, "binary");
}

static const struct device_driver *driver_of(const struct test_program *test_program)
{
    const struct launcher *launcher = launcher_of(test_program->manifest);
    return launcher == NULL ? NULL : launcher->driver;
}

enum status launch_open(struct test_program *test_program, struct error *error)
{
    struct place_of_work here = {.driver = driver_of(test_program), .test_program = test_program};
    if (here.driver == NULL || test_program->launch != NULL)
        return STATUS_OK;
    if (test_program->beside_count > 0 && !here.driver->together)
        return error_set(
            error, STATUS_UNAVAILABLE,
            "several grids run at the same time through CUDA alone; expected a program for ptx, or one grid");
    const struct worker_job job = {.answer = answer, .end = end, .context = &here};
    struct launch *launch = memory_zeroed(1, sizeof *launch);
    json_t *request = json_pack("{s:n}", "open");
    if (request == NULL)
        abort(); /* out of memory */
    double seconds = OPEN_S + FILL_S_A_BYTE * test_program->manifest->data.bytes;
    for (size_t i = 0; i < test_program->beside_count; i++)
        seconds += OPEN_S + FILL_S_A_BYTE * test_program->beside[i]->manifest->data.bytes;
    test_program->launch = launch;
    enum status status = worker_start(&job, &launch->worker, error);
    if (status == STATUS_OK)
        status = worker_ask(&launch->worker, request, seconds, "loading the program", &launch->facts, error);
    json_decref(request);
    if (status == STATUS_OK)
        take_binary(launch);
    else
        launch_close(test_program);
    return status;
}

void launch_close(struct test_program *test_program)
{
    if (test_program->launch == NULL)
        return;
    (void)worker_end(&test_program->launch->worker); /* the errors that it can return have been reported */
    json_decref(test_program->launch->facts);
    buffer_free(&test_program->launch->binary);
    free(test_program->launch);
    test_program->launch = NULL;
}

const json_t *launch_facts(const struct test_program *test_program)
{
    return test_program->launch == NULL ? NULL : test_program->launch->facts;
}

const char *launch_gpu(const struct test_program *test_program)
{
    const json_t *device = json_object_get(launch_facts(test_program), "device");
    bool elsewhere = strcmp(json_string_or(device, "type", "GPU"), "CPU") != 0;
    return test_program_is_on_device(test_program) && elsewhere ? json_string_or(device, "pci", "none")
                                                                : NULL;
}

const struct buffer *launch_binary(const struct test_program *test_program, struct error *why_not)
{
    const struct launch *launch = test_program->launch;
    const json_t *module = json_object_get(launch_facts(test_program), "module");
    if (launch != NULL && launch->binary.size > 0)
        return &launch->binary;
    error_set(why_not, STATUS_UNAVAILABLE, "what the device runs is not known: %s",
              json_string_or(module, "no_binary",
                             launch == NULL ? "no program is loaded" : "its runtime gives no binary"));
    return NULL;
}

static void read_copy(const json_t *object, struct result_copy *copy)
{
    *copy = (struct result_copy){.cpu = -1,
                                 .iterations = llround(json_number_or(object, "iterations", 0)),
                                 .ticks = llround(json_number_or(object, "ticks", 0)),
                                 .start = llround(json_number_or(object, "start", 0)),
                                 .bytes = json_number_or(object, "bytes", 0),
                                 .blocks = json_number_or(object, "blocks", 0)};
}

static void read_together(const json_t *together, struct result_record *record)
{
    const json_t *list = json_object_get(together, "beside");
    struct result_copies *beside = &record->beside;
    if (together == NULL)
        return;
    record->own = (struct result_copies){true, arena_alloc(&record->arena, 1, sizeof *beside->items), 1};
    read_copy(json_object_get(together, "own"), record->own.items);
    *beside = (struct result_copies){
        true, arena_alloc(&record->arena, json_array_size(list), sizeof *beside->items),
        json_array_size(list)};
    for (size_t i = 0; i < beside->count; i++)
        read_copy(json_array_get(list, i), &beside->items[i]);
}

/* The loop ended with the kernel, whose end this process waited for. */
static void set_time(const json_t *said, struct test_program_time *time)
{
    struct result_record *record = result_record_read(json_object_get(said, "record"));
    double to_s = json_number_or(said, "to_s", NAN);
    read_together(json_object_get(said, "together"), record);
    *time = (struct test_program_time){.ticks = (uint64_t)record->ticks,
                                       .told = true,
                                       .from_s =
                                           fmax(to_s - record->seconds, json_number_or(said, "from_s", NAN)),
                                       .to_s = to_s,
                                       .record = record};
    if (isnan(record->seconds))
        time->from_s = time->to_s = NAN;
}

static enum status run_loaded(struct launch *launch, const struct test_program_call *call,
                              struct test_program_time *time, struct error *error)
{
    json_t *request = json_pack("{s:I}", "run", (json_int_t)call->iterations);
    json_t *said = NULL;
    double timeout_s = call->timeout_s > 0 ? call->timeout_s : 60;
    enum status status = worker_ask(&launch->worker, request, timeout_s, "the kernel", &said, error);
    if (status == STATUS_OK)
        set_time(said, time);
    json_decref(said);
    json_decref(request);
    return status;
}

enum status launch_run(const struct test_program *test_program, const struct test_program_call *call,
                       struct test_program_time *time, struct error *error)
{
    struct test_program own = *test_program;
    enum status status = launch_open(&own, error);
    if (status == STATUS_OK)
        status = run_loaded(own.launch, call, time, error);
    if (test_program->launch == NULL)
        launch_close(&own);
    return status;
}

json_t *launch_devices(const struct device_driver *driver, struct error *why_not)
{
    struct worker worker;
    json_t *list = NULL;
    json_t *request = json_object();
    const struct worker_job job = {.answer = answer_list, .context = &driver};
    if (worker_start(&job, &worker, why_not) == STATUS_OK)
        (void)worker_ask(&worker, request, LIST_S, "looking for devices", &list, why_not);
    (void)worker_end(&worker);
    json_decref(request);
    return list;
}

enum status launcher_run(const struct test_program *test_program, const struct test_program_call *call,
                         struct test_program_time *time, struct error *error)
{
    if (launcher_of(test_program->manifest) == NULL)
        return error_set(error, STATUS_UNAVAILABLE, "this version cannot run programs for %.40s",
                         manifest_text_or(test_program->manifest->target, ""));
    return test_program_is_on_device(test_program) ? launch_run(test_program, call, time, error)
                                                   : run_executable(test_program, call, time, error);
}
