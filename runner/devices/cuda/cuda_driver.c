/* PTX programs on NVIDIA's GPUs (runner/launch/launcher.h): loaded in the device's primary context, data
 * filled once, then launched as often as wanted on the default stream. Runs share their data: a program that
 * stores finds what the run before it stored. Nobody has seen this on a real GPU yet. */
#include "runner/launch/launcher.h"

#include "base/clock.h"
#include "base/json.h"
#include "runner/devices/cuda/cuda_device.h"
#include "runner/devices/cuda/cuda_machine.h"
#include "runner/devices/cuda/cuda_module.h"
#include "runner/devices/cuda/cuda_sides.h"
#include "runner/devices/data_pieces.h"
#include "runner/devices/grid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* CUctx_flags, CUevent_flags: who waits sleeps, so that the host draws no power for waiting. */
enum { SCHEDULE_BLOCKING = 4, EVENT_BLOCKING = 1 };

struct cuda_program {
    struct cuda_library library;
    cuda_device device;
    bool retained;
    cuda_function function;
    cuda_address allocation, data, record;
    cuda_event begin, end;
    struct launch_grid grid;
    struct record_entry *entries;
    json_t *facts; /* while it is opened */
};

static enum status refuse(const struct cuda_program *program, int result, const char *what,
                          struct error *error)
{
    return result == CUDA_OK ? STATUS_OK : cuda_refusal(&program->library, result, what, error);
}

/* ---- loading ---- */

static enum status open_context(struct cuda_program *program, unsigned ordinal, struct error *error)
{
    const struct cuda_library *cuda = &program->library;
    cuda_context context;
    char what[32];
    snprintf(what, sizeof what, "GPU %u", ordinal);
    int result = cuda->device(&program->device, (int)ordinal);
    if (result == CUDA_OK)
        (void)cuda->context_flags(program->device, SCHEDULE_BLOCKING); /* else waiting costs the host power */
    if (result == CUDA_OK)
        result = cuda->context_retain(&context, program->device);
    program->retained = result == CUDA_OK;
    if (result == CUDA_OK)
        result = cuda->context_set(context);
    return refuse(program, result, what, error);
}

static enum status allocate(struct cuda_program *program, size_t bytes, const char *what,
                            cuda_address *address, struct error *error)
{
    size_t left = 0;
    size_t total = 0;
    int result = program->library.allocate(address, bytes);
    if (result != CUDA_OUT_OF_MEMORY)
        return refuse(program, result, what, error);
    (void)program->library.memory_left(&left, &total); /* the answer only makes the sentence better */
    error_set(error, STATUS_UNAVAILABLE,
              "%s takes %zu bytes of the GPU's memory, of which %zu of %zu are left", what, bytes, left,
              total);
    error_hint(error, "`nvidia-smi` shows who else holds memory of the GPU; or take less data");
    return STATUS_UNAVAILABLE;
}

static enum status copy_piece(void *context, uint64_t offset, const void *bytes, size_t size,
                              struct error *error)
{
    struct cuda_program *program = context;
    int result = program->library.copy_in(program->data + offset, bytes, size);
    return refuse(program, result, "filling the GPU's memory", error);
}

static enum status take_memory(void *context, const struct gpu_image *image, uint64_t *address,
                               struct error *error)
{
    struct cuda_program *program = context;
    cuda_address mask = image->align - 1;
    enum status status =
        allocate(program, image->bytes + image->align, "the program's data", &program->allocation, error);
    if (status != STATUS_OK)
        return status;
    *address = program->data = (program->allocation + mask) & ~mask;
    if (image->bytes == 0)
        return STATUS_OK;
    return refuse(program, program->library.fill(program->data, 0, image->bytes), "clearing the GPU's memory",
                  error);
}

static enum status learn_sides(void *context, struct gpu_image *image, uint64_t address, struct arena *arena,
                               struct error *error)
{
    struct cuda_program *program = context;
    if (!cuda_sides_wanted(image))
        return STATUS_OK;
    return cuda_sides_learn(&program->library, json_object_get(program->facts, "device"), address, image,
                            arena, program->facts, error);
}

static enum status make_record(struct cuda_program *program, struct error *error)
{
    const struct cuda_library *cuda = &program->library;
    program->entries = calloc(program->grid.blocks, sizeof *program->entries);
    if (program->entries == NULL)
        return error_set(error, STATUS_FAILED, "no memory for the record of %u blocks", program->grid.blocks);
    enum status status = allocate(program, program->grid.blocks * sizeof *program->entries,
                                  "the blocks' record", &program->record, error);
    if (status == STATUS_OK)
        status = refuse(program, cuda->event_create(&program->begin, EVENT_BLOCKING), "an event", error);
    if (status == STATUS_OK)
        status = refuse(program, cuda->event_create(&program->end, EVENT_BLOCKING), "an event", error);
    return status;
}

static enum status open_program(const struct test_program *test_program, void **handle, json_t *facts,
                                struct error *error)
{
    const json_t *manifest = test_program->manifest;
    struct cuda_program *program = calloc(1, sizeof *program);
    const struct image_memory memory = {
        .take = take_memory, .write = copy_piece, .learn = learn_sides, .context = program};
    if (program == NULL)
        abort();
    *handle = program;
    program->facts = facts;
    enum status status = launch_grid_read(manifest, &program->grid, error);
    if (status == STATUS_OK)
        status = cuda_library_open(&program->library, error);
    if (status == STATUS_OK)
        status = open_context(program, test_program->device, error);
    if (status == STATUS_OK) {
        json_t *device = cuda_device_describe(&program->library, (int)test_program->device, error);
        status = device == NULL ? error->code : STATUS_OK;
        json_object_set_new(facts, "device", device);
    }
    if (status == STATUS_OK)
        status = cuda_module_load(&program->library, test_program->executable, test_program->executable_size,
                                  json_string_or(manifest, "entry", "trauma_kernel"), &program->function,
                                  facts, error);
    if (status == STATUS_OK)
        status = image_load(json_object_get(manifest, "data"), &memory, error);
    return status == STATUS_OK ? make_record(program, error) : status;
}

/* ---- running ---- */

static const struct record_unit multiprocessor[] = {{"sm", 0, 32}};

static int launch(struct cuda_program *program, uint64_t iterations)
{
    const struct cuda_library *cuda = &program->library;
    void *parameters[] = {&iterations, &program->grid.warmup, &program->data, &program->record};
    int result = cuda->event_record(program->begin, NULL);
    if (result == CUDA_OK)
        result = cuda->launch(program->function, program->grid.blocks, 1, 1, program->grid.threads, 1, 1, 0,
                              NULL, parameters, NULL);
    if (result == CUDA_OK)
        result = cuda->event_record(program->end, NULL);
    if (result == CUDA_OK)
        result = cuda->event_wait(program->end);
    return result;
}

static enum status run_program(void *handle, uint64_t iterations, struct device_run *run, struct error *error)
{
    struct cuda_program *program = handle;
    const struct cuda_library *cuda = &program->library;
    size_t bytes = program->grid.blocks * sizeof *program->entries;
    float milliseconds = 0;
    int result = cuda->fill(program->record, RECORD_UNWRITTEN, bytes);
    run->from_s = clock_now_s();
    if (result == CUDA_OK)
        result = launch(program, iterations);
    run->to_s = clock_now_s();
    if (result == CUDA_OK)
        result = cuda->event_elapsed(&milliseconds, program->begin, program->end);
    if (result == CUDA_OK)
        result = cuda->copy_out(program->entries, program->record, bytes);
    run->kernel_s = milliseconds * 1e-3;
    run->entries = program->entries;
    run->blocks = program->grid.blocks;
    run->units = multiprocessor;
    run->unit_count = 1;
    return refuse(program, result, "running the kernel", error);
}

/* What the process holds on the device goes with its context, also where that is broken. */
static void close_program(void *handle)
{
    struct cuda_program *program = handle;
    if (program->retained)
        (void)program->library.context_release(program->device);
    free(program->entries);
    free(program);
}

static const char *const units[] = {"sm", NULL};

const struct device_driver cuda_driver = {.open = open_program,
                                          .run = run_program,
                                          .close = close_program,
                                          .list = cuda_devices,
                                          .machine = cuda_machine,
                                          .is_machine = cuda_machine_is,
                                          .name = "cuda",
                                          .units = units,
                                          .count = "sm",
                                          .counted = "multiprocessors",
                                          .nvml = true};
