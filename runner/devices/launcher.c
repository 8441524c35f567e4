/* The table of launchers (a new target needs its driver's folder and one row here), and both kinds of run: a
 * process of the standalone executable, and a device's program in a worker, which gets a request to load the
 * program and one for each run. */
#include "runner/devices/launcher.h"

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
        struct device *devices = NULL;
        size_t count;
        status = launch_devices(row->driver, &devices, &count, why_not) == STATUS_OK ? STATUS_OK
                                                                                     : STATUS_UNAVAILABLE;
        free(devices);
    }
    return status;
}

const struct launcher *launcher_of(const struct manifest *manifest)
{
    return launcher_find(manifest_text_or(manifest->target, launchers[0].target));
}

/* ---- programs that are processes ---- */

/* STATUS_FAILED if the program left processes, which ran beside the measurement and after it. */
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
    struct device_facts facts;
};

/* A request: to load the program, answered by its device_facts, or to run it. */
struct launch_order {
    bool open;
    uint64_t iterations;
};

struct answered_unit {
    char name[8];
    unsigned low, size;
};

/* The answer to a run; the entries of the grid and of the grids beside it follow. */
struct run_answer {
    struct device_run run; /* its pointers are not used */
    struct answered_unit units[RECORD_UNITS];
};

/* In the worker. */

struct place_of_work {
    const struct device_driver *driver;
    const struct test_program *test_program;
    void *handle;
};

static enum status open_program(struct place_of_work *here, struct buffer *answer, struct error *error)
{
    struct device_facts facts = device_facts_none();
    enum status status = here->driver->open(here->test_program, &here->handle, &facts, error);
    if (status == STATUS_OK)
        device_facts_append(&facts, answer);
    device_facts_free(&facts);
    return status;
}

static enum status run_program(struct place_of_work *here, uint64_t iterations, struct buffer *answer,
                               struct error *error)
{
    struct run_answer head = {.units = {{"", 0, 0}}};
    struct device_run *run = &head.run;
    enum status status = here->driver->run(here->handle, iterations, run, error);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < run->unit_count; i++) {
        snprintf(head.units[i].name, sizeof head.units[i].name, "%s", run->units[i].name);
        head.units[i].low = run->units[i].low;
        head.units[i].size = run->units[i].size;
    }
    buffer_append(answer, &head, sizeof head);
    buffer_append(answer, run->entries, run->blocks * sizeof *run->entries);
    buffer_append(answer, run->beside, run->beside_count * sizeof *run->beside);
    for (size_t i = 0; i < run->beside_count; i++)
        buffer_append(answer, run->beside[i].entries, run->beside[i].blocks * sizeof *run->entries);
    return STATUS_OK;
}

static enum status answer_launch_order(void *context, const struct worker_bytes *request,
                                       struct buffer *answer, struct error *error)
{
    struct place_of_work *here = context;
    const struct launch_order *order = request->bytes;
    return order->open ? open_program(here, answer, error)
                       : run_program(here, order->iterations, answer, error);
}

static void end(void *context)
{
    struct place_of_work *here = context;
    if (here->handle != NULL)
        here->driver->close(here->handle);
}

static enum status answer_list(void *context, const struct worker_bytes *request, struct buffer *answer,
                               struct error *error)
{
    const struct device_driver *const *driver = context;
    (void)request;
    return (*driver)->list(answer, error);
}

/* In the parent. */

/* Sets the duration of the loop, which blocks do not report without a timer. Without a clock they report no
 * ticks either; nanoseconds replace them. */
static void time_by_events(double loop_s, struct result_record *record)
{
    record->seconds = loop_s;
    record->by_events = true;
    if (!(record->ticks_high > 0))
        record->ticks = record->ticks_low = record->ticks_high = round(loop_s * 1e9);
}

/* Sets the runs of the program's grid and of the grids beside it, while any of the program's blocks ran.
 * STATUS_FAILED: a grid left no record. */
static enum status set_beside(const struct device_run *run, uint64_t iterations, struct result_record *record,
                              struct error *error)
{
    struct block_record_span span = block_record_any(run->entries, run->blocks);
    double hz = record->clock_hz > 0 ? record->clock_hz : 0;
    struct result_copies *own = &record->own, *beside = &record->beside;
    *own = (struct result_copies){true, arena_alloc(&record->arena, 1, sizeof *own->items), 1};
    own->items[0] = (struct result_copy){.cpu = -1,
                                         .iterations = (long long)iterations,
                                         .blocks = record->worked,
                                         .ticks = llround((double)(span.to_ns - span.from_ns) * 1e-9 * hz)};
    *beside = (struct result_copies){
        true, arena_alloc(&record->arena, run->beside_count, sizeof *beside->items), run->beside_count};
    for (size_t i = 0; i < run->beside_count; i++) {
        const struct device_beside *other = &run->beside[i];
        struct result_record *its =
            block_record_summarize(other->entries, other->blocks, run->units, run->unit_count, error);
        bool recorded = its != NULL;
        result_record_free(its);
        if (!recorded) {
            error_prefix(error, "a grid beside it");
            return error->code;
        }
        beside->items[i] =
            block_record_within(other->entries, other->blocks, span, hz, other->passes, other->bytes_a_pass);
    }
    return STATUS_OK;
}

/* Sets the time and its record. The loop ends with the kernel, so its window ends at run->to_s. */
static enum status summarize(const struct device_run *run, uint64_t iterations,
                             struct test_program_time *time, struct error *error)
{
    struct result_record *record =
        block_record_summarize(run->entries, run->blocks, run->units, run->unit_count, error);
    if (record == NULL)
        return error->code;
    if (run->loop_s > 0)
        time_by_events(run->loop_s, record);
    record->kernel_s = run->kernel_s;
    enum status status = run->beside_count > 0 ? set_beside(run, iterations, record, error) : STATUS_OK;
    if (status != STATUS_OK) {
        result_record_free(record);
        return status;
    }
    *time = (struct test_program_time){.ticks = (uint64_t)record->ticks,
                                       .on_device = true,
                                       .from_s = fmax(run->to_s - record->seconds, run->from_s),
                                       .to_s = run->to_s,
                                       .record = record};
    if (isnan(record->seconds))
        time->from_s = time->to_s = NAN;
    return STATUS_OK;
}

/* The next bytes of the answer; NULL at its end. */
static void *part(const struct buffer *answer, size_t *at, size_t size)
{
    char *bytes = answer->size - *at < size ? NULL : answer->data + *at;
    *at += bytes == NULL ? 0 : size;
    return bytes;
}

/* Reads a run, whose pointers point into the answer and to units; the answer's parts are multiples of eight
 * bytes. False if it is incomplete. */
static bool read_run(const struct buffer *answer, struct block_record_unit units[RECORD_UNITS],
                     struct device_run *run)
{
    size_t at = 0;
    const struct run_answer *head = part(answer, &at, sizeof *head);
    if (head == NULL || head->run.unit_count > RECORD_UNITS)
        return false;
    *run = head->run;
    for (size_t i = 0; i < run->unit_count; i++)
        units[i] = (struct block_record_unit){head->units[i].name, head->units[i].low, head->units[i].size};
    run->units = run->unit_count > 0 ? units : NULL;
    run->entries = part(answer, &at, run->blocks * sizeof *run->entries);
    struct device_beside *beside = part(answer, &at, run->beside_count * sizeof *beside);
    bool whole = run->entries != NULL && beside != NULL;
    for (size_t i = 0; whole && i < run->beside_count; i++) {
        beside[i].entries = part(answer, &at, beside[i].blocks * sizeof *run->entries);
        whole = beside[i].entries != NULL;
    }
    run->beside = beside;
    return whole;
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
    const struct worker_job job = {.answer = answer_launch_order, .end = end, .context = &here};
    const struct launch_order order = {.open = true};
    struct launch *launch = memory_zeroed(1, sizeof *launch);
    struct buffer answer = {0};
    size_t at = 0;
    double seconds = OPEN_S + FILL_S_A_BYTE * test_program->manifest->data.bytes;
    for (size_t i = 0; i < test_program->beside_count; i++)
        seconds += OPEN_S + FILL_S_A_BYTE * test_program->beside[i]->manifest->data.bytes;
    test_program->launch = launch;
    enum status status = worker_start(&job, &launch->worker, error);
    if (status == STATUS_OK)
        status = worker_ask(&launch->worker, &(struct worker_bytes){&order, sizeof order}, seconds,
                            "loading the program", &answer, error);
    if (status == STATUS_OK && !device_facts_take(&answer, &at, &launch->facts))
        status = error_set(error, STATUS_FAILED, "loading the program: its process answered in part");
    buffer_free(&answer);
    if (status != STATUS_OK)
        launch_close(test_program);
    return status;
}

void launch_close(struct test_program *test_program)
{
    if (test_program->launch == NULL)
        return;
    (void)worker_end(&test_program->launch->worker); /* the errors that it can return have been reported */
    device_facts_free(&test_program->launch->facts);
    free(test_program->launch);
    test_program->launch = NULL;
}

const struct device_facts *launch_facts(const struct test_program *test_program)
{
    return test_program->launch == NULL ? NULL : &test_program->launch->facts;
}

const char *launch_gpu(const struct test_program *test_program)
{
    const struct device_facts *facts = launch_facts(test_program);
    bool elsewhere = facts == NULL || strcmp(facts->device.type, "CPU") != 0;
    if (!test_program_is_on_device(test_program) || !elsewhere)
        return NULL;
    return facts != NULL && facts->device.pci[0] != '\0' ? facts->device.pci : "none";
}

const struct buffer *launch_binary(const struct test_program *test_program, struct error *why_not)
{
    const struct device_facts *facts = launch_facts(test_program);
    if (facts != NULL && facts->module.made.size > 0)
        return &facts->module.made;
    error_set(why_not, STATUS_UNAVAILABLE, "what the device runs is not known: %s",
              facts == NULL                        ? "no program is loaded"
              : facts->module.no_binary[0] != '\0' ? facts->module.no_binary
                                                   : "its runtime gives no binary");
    return NULL;
}

static enum status run_loaded(struct launch *launch, const struct test_program_call *call,
                              struct test_program_time *time, struct error *error)
{
    const struct launch_order order = {.iterations = call->iterations};
    struct block_record_unit units[RECORD_UNITS];
    struct device_run run = {0};
    struct buffer answer = {0};
    enum status status = worker_ask(&launch->worker, &(struct worker_bytes){&order, sizeof order},
                                    call->timeout_s > 0 ? call->timeout_s : 60, "the kernel", &answer, error);
    if (status == STATUS_OK && !read_run(&answer, units, &run))
        status = error_set(error, STATUS_FAILED, "the kernel: its process answered in part");
    if (status == STATUS_OK)
        status = summarize(&run, call->iterations, time, error);
    buffer_free(&answer);
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

enum status launch_devices(const struct device_driver *driver, struct device **devices, size_t *count,
                           struct error *why_not)
{
    struct worker worker;
    struct buffer list = {0};
    const struct worker_job job = {.answer = answer_list, .context = &driver};
    enum status status = worker_start(&job, &worker, why_not);
    if (status == STATUS_OK)
        status = worker_ask(&worker, &(struct worker_bytes){NULL, 0}, LIST_S, "looking for devices", &list,
                            why_not);
    (void)worker_end(&worker);
    *devices = (struct device *)(void *)list.data;
    *count = list.size / sizeof **devices;
    return status;
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
