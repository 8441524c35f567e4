/* PTX programs on NVIDIA's GPUs (runner/devices/launcher.h): loaded in the device's primary context, data
 * filled once, then launched as often as needed on the default stream. Runs share their data: a program that
 * stores finds what the previous run stored. Not yet tested on a real GPU. */
#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "generator/machine/machine.h"
#include "generator/plan/gpu/gpu_split.h"
#include "generator/suite/manifest_read.h"
#include "runner/devices/cuda/cuda_device.h"
#include "runner/devices/cuda/cuda_library.h"
#include "runner/devices/cuda/cuda_module.h"
#include "runner/devices/cuda/cuda_sides.h"
#include "runner/devices/data_pieces.h"
#include "runner/devices/device_driver.h"
#include "runner/devices/device_machine.h"
#include "runner/devices/grid.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the device's conditions ---- */

/* What a plan counts on at a launch and a driver may choose otherwise: the split between L1 and shared memory
 * (generator/plan/gpu/gpu_split.h), blocks of a cluster on different multiprocessors, and a whole sector, no
 * more, fetched from memory. Requested, and recorded as far as the driver accepts it. */

/* CUfunction_attribute, CUclusterSchedulingPolicy, CUlimit. */
enum { SHARED_SPLIT = 9, CLUSTER_POLICY = 15, SPREAD = 1, L2_FETCH = 5, SECTOR = 32 };

static bool has_level(const struct manifest *manifest, const char *level)
{
    for (size_t i = 0; i < manifest->stream_count; i++)
        if (strcmp(manifest->streams[i].level, level) == 0)
            return true;
    return false;
}

static enum status set_split(const struct cuda_library *library, cuda_function function,
                             const struct manifest *manifest, const json_t *device, json_t *launch,
                             struct error *error)
{
    struct gpu_split split;
    double units = fmax(json_number_or(device, "sm", 1), 1);
    unsigned blocks = (unsigned)ceil(manifest->blocks / units);
    if (!gpu_split_of(json_string_or(device, "arch", ""), (uint64_t)manifest->shared_bytes, blocks, &split))
        return STATUS_OK;
    /* In percent of the most; the driver takes the next step that holds as much. */
    int percent = (int)ceil(100 * (double)split.shared / (double)split.most);
    int result = library->function_set(function, SHARED_SPLIT, percent);
    if (result == CUDA_OK)
        json_object_set_new(launch, "shared_split", json_integer((json_int_t)split.shared));
    else if (has_level(manifest, "L1"))
        return cuda_refusal(library, result, "L1 may be smaller than the program's: requesting its split",
                            error);
    return STATUS_OK;
}

/* Adds to facts["launch"]: "shared_split", bytes of shared memory per multiprocessor; "cluster_policy":
 * "spread"; "l2_fetch_bytes", as the driver reports it after the request. STATUS_UNAVAILABLE, with what would
 * be wrong, where the driver refuses one that the program's rates rest on. */
static enum status cuda_conditions_set(const struct cuda_library *library, cuda_function function,
                                       const struct manifest *manifest, json_t *facts, struct error *error)
{
    const json_t *device = json_object_get(facts, "device");
    json_t *launch = json_object();
    size_t fetched = 0;
    json_object_set_new(facts, "launch", launch);
    enum status status = set_split(library, function, manifest, device, launch, error);
    if (status == STATUS_OK && manifest->cluster > 1) {
        int result = library->function_set(function, CLUSTER_POLICY, SPREAD);
        if (result == CUDA_OK)
            json_object_set_new(launch, "cluster_policy", json_string("spread"));
        else
            status =
                cuda_refusal(library, result,
                             "two blocks of a cluster may share a multiprocessor: requesting others", error);
    }
    if (library->limit_set != NULL && library->limit_get != NULL) {
        (void)library->limit_set(L2_FETCH, SECTOR); /* a wish, which not all chips know */
        if (library->limit_get(&fetched, L2_FETCH) == CUDA_OK)
            json_object_set_new(launch, "l2_fetch_bytes", json_integer((json_int_t)fetched));
    }
    return status;
}

/* ---- cuda machine ---- */

/* Describes a GPU as a machine, from its driver's data and the facts known of its family. */

/* CUDA C++ Programming Guide, "Technical Specifications per Compute Capability": unified L1 and shared
 * memory, in KiB. Parts of L2: the whitepapers of the chips; GH100's and GA100's counters have a fabric
 * between them (lts__t_sectors_srcunit_ltcfabric), AD102's and GB202's have none. */
static const struct family {
    const char *arch;
    unsigned l1_kib, sides;
} families[] = {
    {"sm_50", 24, 1},   {"sm_52", 48, 1},   {"sm_60", 24, 1},   {"sm_61", 48, 1},
    {"sm_70", 128, 1},  {"sm_72", 128, 1},  {"sm_75", 96, 1},   {"sm_80", 192, 2},
    {"sm_86", 128, 1},  {"sm_87", 192, 1},  {"sm_89", 128, 1},  {"sm_90", 256, 2},
    {"sm_100", 256, 2}, {"sm_103", 256, 2}, {"sm_120", 128, 1}, {"sm_121", 128, 1},
};

static const struct family *find_family(const char *arch)
{
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
        if (strcmp(families[i].arch, arch) == 0)
            return &families[i];
    return NULL;
}

static json_t *describe(const json_t *device, const struct family *family)
{
    char name[DEVICE_NAME_BYTES];
    device_machine_name(json_string_or(device, "name", ""), name);
    json_t *gpu = json_pack(
        "{s:s, s:O, s:O, s:i, s:i, s:O, s:O}", "arch", family->arch, "sm", json_object_get(device, "sm"),
        "wave", json_object_get(device, "warp"), "sides", (int)family->sides, "block_threads",
        (int)json_number_or(device, "threads_per_block", 1024), "shared",
        json_object_get(device, "shared_usual"), "memory", json_object_get(device, "memory"));
    json_t *document =
        json_pack("{s:s, s:s, s:s, s:{s:{s:I, s:i, s:i, s:s}, s:{s:O, s:i, s:i, s:s}}, s:o}", "name", name,
                  "isa", "ptx", "vendor", "NVIDIA", "caches", "L1", "size", (json_int_t)family->l1_kib << 10,
                  "line", 128, "sector", 32, "policy", "unknown", "L2", "size", json_object_get(device, "l2"),
                  "line", 128, "sector", 32, "policy", "unknown", "gpu", gpu);
    double hz = json_number_or(device, "clock_hz", 0);
    if (document != NULL && hz > 0)
        json_object_set_new(document, "clock_ghz", json_from_number(round(hz * 1e-6) * 1e-3));
    return document;
}

/* Fills *machine (free with machine_free), present, from a device's description (cuda_device.h). The driver
 * reports neither the size of L1, which a multiprocessor shares with shared memory, nor the number of L2
 * partitions: these come from the family. STATUS_UNAVAILABLE for an unknown family. */
static enum status cuda_machine(const json_t *device, struct machine *machine, struct error *error)
{
    const char *arch = json_string_or(device, "arch", "");
    const struct family *family = find_family(arch);
    struct error wrong;
    memset(machine, 0, sizeof *machine);
    if (family == NULL) {
        error_set(error, STATUS_UNAVAILABLE, "%s is a GPU of the family %s, which this version does not know",
                  json_string_or(device, "name", "it"), arch);
        error_hint(error, "describe it in a file (recipes/machines/h200.lua is an example) and pass -m FILE");
        return STATUS_UNAVAILABLE;
    }
    json_t *document = describe(device, family);
    enum status status =
        document == NULL ? STATUS_RECIPE : machine_from_json(document, NULL, machine, &wrong);
    if (document == NULL)
        error_set(&wrong, STATUS_RECIPE, "it does not report its number of multiprocessors or its L2 size");
    json_decref(document);
    machine->present = status == STATUS_OK;
    if (status == STATUS_OK)
        return STATUS_OK;
    return error_set(error, STATUS_UNAVAILABLE, "the GPU's driver reports values that no plan can use: %s",
                     wrong.message);
}

/* True when the device matches the machine: architecture, multiprocessors and, if both state it, about as
 * much memory. */
static bool cuda_machine_is(const json_t *device, const struct machine *machine)
{
    return strcmp(json_string_or(device, "arch", ""), machine->gpu.arch) == 0 &&
           json_number_or(device, "sm", 0) == machine->gpu.sm && device_machine_memory(device, machine);
}

/* ---- cuda driver ---- */

/* CUctx_flags, CUevent_flags: the waiting thread sleeps, so that the host draws no power for it. */
enum { SCHEDULE_BLOCKING = 4, EVENT_BLOCKING = 1 };

struct cuda_program {
    struct cuda_library library;
    cuda_device device;
    bool retained;
    cuda_function function;
    cuda_address allocation, data, record;
    cuda_event begin, end;
    struct device_grid grid;
    struct block_record_entry *entries;
    json_t *facts; /* while it is being opened */
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
        (void)cuda->context_flags(program->device,
                                  SCHEDULE_BLOCKING); /* otherwise waiting costs the host power */
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
    (void)program->library.memory_left(&left, &total); /* the answer only improves the message */
    error_set(error, STATUS_UNAVAILABLE,
              "%s needs %zu bytes of the GPU's memory, of which %zu of %zu are free", what, bytes, left,
              total);
    error_hint(error, "`nvidia-smi` shows which processes use the GPU's memory; or use less data");
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
    const struct manifest *manifest = test_program->manifest;
    struct cuda_program *program = memory_zeroed(1, sizeof *program);
    const struct data_pieces_memory memory = {
        .take = take_memory, .write = copy_piece, .learn = learn_sides, .context = program};
    *handle = program;
    program->facts = facts;
    enum status status = device_grid_read(manifest, &program->grid, error);
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
                                  manifest_text_or(manifest->entry, "trauma_kernel"), &program->function,
                                  facts, error);
    if (status == STATUS_OK)
        status = cuda_conditions_set(&program->library, program->function, manifest, facts, error);
    if (status == STATUS_OK)
        status = data_pieces_load(manifest->data.document, &memory, error);
    return status == STATUS_OK ? make_record(program, error) : status;
}

/* ---- running ---- */

static const struct block_record_unit multiprocessor[] = {{"sm", 0, 32}};

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

/* What the process holds on the device is released with its context, even if that is broken. */
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
