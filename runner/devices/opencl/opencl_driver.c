/* Programs for AMD's GPUs on OpenCL devices (runner/launch/launcher.h): loaded once, data filled once, then
 * run as often as wanted. Runs share their data: a program that stores finds what the run before it stored.
 * OpenCL C runs on any device, AMD's code on AMD's alone, where nobody has seen this yet. */
#include "runner/launch/launcher.h"

#include "base/clock.h"
#include "base/json.h"
#include "runner/devices/grid.h"
#include "runner/devices/opencl/opencl_machine.h"
#include "runner/devices/opencl/opencl_memory.h"
#include "runner/devices/opencl/opencl_program.h"

#include <inttypes.h>
#include <stdlib.h>

/* No clock is so fast that one instruction takes less than this. */
static const uint64_t MANY_PASSES = 1 << 20;
static const double LEAST_PASS_S = 1e-11;

struct opencl_run {
    struct opencl_session session;
    struct launch_grid grid;
    struct opencl_loaded loaded;
    struct opencl_data data;
    opencl_memory record;
    struct record_entry *entries;
    bool tells_time; /* its blocks told the time of their loops */
};

static enum status make_record(struct opencl_run *run, struct error *error)
{
    run->entries = calloc(run->grid.blocks, sizeof *run->entries);
    if (run->entries == NULL)
        return error_set(error, STATUS_FAILED, "no memory for the record of %u blocks", run->grid.blocks);
    return opencl_memory_take(&run->session, run->grid.blocks * sizeof *run->entries, "the blocks' record",
                              &run->record, error);
}

static enum status open_program(const struct test_program *test_program, void **handle, json_t *facts,
                                struct error *error)
{
    struct opencl_run *run = calloc(1, sizeof *run);
    json_t *device = NULL;
    if (run == NULL)
        abort();
    *handle = run;
    enum status status = launch_grid_read(test_program->manifest, &run->grid, error);
    if (status == STATUS_OK)
        status = opencl_session_open(&run->session, test_program->device, &device, error);
    if (status == STATUS_OK)
        status = opencl_program_load(&run->session, test_program, device, &run->loaded, facts, error);
    if (device != NULL)
        json_object_set_new(facts, "device", device);
    if (status == STATUS_OK)
        status = opencl_data_load(&run->session, json_object_get(test_program->manifest, "data"), &run->data,
                                  error);
    return status == STATUS_OK ? make_record(run, error) : status;
}

static int set_arguments(const struct opencl_run *run, uint64_t iterations)
{
    const struct {
        const void *value;
        size_t size;
    } arguments[] = {{&iterations, sizeof iterations},
                     {&run->grid.warmup, sizeof run->grid.warmup},
                     {&run->data.memory, sizeof run->data.memory},
                     {&run->record, sizeof run->record}};
    int result = OPENCL_OK;
    for (uint32_t i = 0; result == OPENCL_OK && i < sizeof arguments / sizeof arguments[0]; i++)
        result = run->session.library.argument(run->loaded.kernel, i, arguments[i].size, arguments[i].value);
    return result;
}

/* One launch; the record is read. */
static enum status launch(struct opencl_run *run, uint64_t iterations, double *seconds, struct error *error)
{
    const struct opencl_library *library = &run->session.library;
    const unsigned char unwritten = RECORD_UNWRITTEN;
    size_t bytes = run->grid.blocks * sizeof *run->entries;
    size_t threads = (size_t)run->grid.blocks * run->grid.threads;
    int result = library->fill(run->session.queue, run->record, &unwritten, 1, 0, bytes, 0, NULL, NULL);
    if (result == OPENCL_OK)
        result = library->finish(run->session.queue);
    if (result == OPENCL_OK)
        result = set_arguments(run, iterations);
    enum status status = result == OPENCL_OK ? STATUS_OK : opencl_refusal(result, "the kernel", error);
    if (status == STATUS_OK)
        status =
            opencl_session_run(&run->session, run->loaded.kernel, threads, run->grid.threads, seconds, error);
    return status;
}

static enum status read_record(struct opencl_run *run, struct error *error)
{
    size_t bytes = run->grid.blocks * sizeof *run->entries;
    int result = run->session.library.copy_out(run->session.queue, run->record, 1, 0, bytes, run->entries, 0,
                                               NULL, NULL);
    for (size_t i = 0; result == OPENCL_OK && i < run->grid.blocks; i++)
        run->tells_time = run->tells_time || (run->entries[i].worked == 1 && run->entries[i].stop_ns != 0);
    return result == OPENCL_OK ? STATUS_OK : opencl_refusal(result, "reading the record", error);
}

/* A compiler that finds no use for what a loop does removes it: then passes take no time at all. */
static enum status check_runs(uint64_t iterations, const struct device_run *told, struct error *error)
{
    if (iterations < MANY_PASSES || told->kernel_s > (double)iterations * LEAST_PASS_S)
        return STATUS_OK;
    return error_set(error, STATUS_FAILED,
                     "%" PRIu64 " passes took %g s: the device's compiler removed the program's loop",
                     iterations, told->kernel_s);
}

/* Where blocks cannot tell how long their loops took, a run of the warm-up alone is taken from the kernel's
 * time. It comes first, so that what is measured ends last. */
static enum status run_program(void *handle, uint64_t iterations, struct device_run *told,
                               struct error *error)
{
    struct opencl_run *run = handle;
    double warmup_s = 0;
    enum status status = STATUS_OK;
    *told = (struct device_run){.entries = run->entries,
                                .blocks = run->grid.blocks,
                                .units = run->loaded.units,
                                .unit_count = run->loaded.unit_count};
    if (iterations > 0 && !run->tells_time)
        status = launch(run, 0, &warmup_s, error);
    told->from_s = clock_now_s();
    if (status == STATUS_OK)
        status = launch(run, iterations, &told->kernel_s, error);
    told->to_s = clock_now_s();
    if (status == STATUS_OK)
        status = read_record(run, error);
    if (iterations > 0 && !run->tells_time && told->kernel_s > warmup_s)
        told->loop_s = told->kernel_s - warmup_s;
    return status == STATUS_OK ? check_runs(iterations, told, error) : status;
}

/* What the process holds on the device goes with it. */
static void close_program(void *handle)
{
    struct opencl_run *run = handle;
    free(run->entries);
    free(run);
}

static const char *const units[] = {"se", "sh", "cu", NULL};

const struct device_driver opencl_driver = {.open = open_program,
                                            .run = run_program,
                                            .close = close_program,
                                            .list = opencl_devices,
                                            .machine = opencl_machine,
                                            .is_machine = opencl_machine_is,
                                            .name = "opencl",
                                            .units = units,
                                            .count = "compute_units",
                                            .counted = "compute units"};
