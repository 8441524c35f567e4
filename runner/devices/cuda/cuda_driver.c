/* PTX programs on NVIDIA's GPUs (runner/devices/launcher.h): loaded in the device's primary context, data
 * filled once, then launched as often as needed on the default stream, or beside other grids each on its own.
 * Runs share their data: a program that stores finds what the previous run stored. Not yet tested on a real
 * GPU. */
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

/* CUctx_flags, CUevent_flags, CUstream_flags: the waiting thread sleeps, so that the host draws no power for
 * it. */
enum { SCHEDULE_BLOCKING = 4, EVENT_BLOCKING = 1, STREAM_DEFAULT = 0 };

/* The test program, or a grid that runs beside it. */
struct cuda_grid {
    cuda_function function;
    cuda_address allocation, data, record;
    cuda_event begin, end;
    cuda_stream stream; /* NULL: the default one, of a grid alone */
    struct device_grid shape;
    struct block_record_entry *entries;
    double bytes_a_pass; /* that a block loads and stores */
    uint64_t passes;     /* of the last run */
    double pass_ns;      /* as the last run showed it; 0: not known yet */
    double more_ns;      /* the test program: of warm-up beyond its own; another: of its run at the end */
};

struct cuda_program {
    struct cuda_library library;
    cuda_device device;
    bool retained;
    struct cuda_grid *grids; /* the test program's first */
    size_t count;
    struct device_beside *beside; /* [count - 1] */
    struct cuda_grid *loading;    /* while it is being opened */
    json_t *facts;
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

static enum status allocate(const struct cuda_program *program, size_t bytes, const char *what,
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
    int result = program->library.copy_in(program->loading->data + offset, bytes, size);
    return refuse(program, result, "filling the GPU's memory", error);
}

static enum status take_memory(void *context, const struct gpu_image *image, uint64_t *address,
                               struct error *error)
{
    struct cuda_program *program = context;
    struct cuda_grid *grid = program->loading;
    cuda_address mask = image->align - 1;
    enum status status =
        allocate(program, image->bytes + image->align, "the program's data", &grid->allocation, error);
    if (status != STATUS_OK)
        return status;
    *address = grid->data = (grid->allocation + mask) & ~mask;
    if (image->bytes == 0)
        return STATUS_OK;
    return refuse(program, program->library.fill(grid->data, 0, image->bytes), "clearing the GPU's memory",
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

static enum status make_record(const struct cuda_program *program, struct cuda_grid *grid,
                               struct error *error)
{
    const struct cuda_library *cuda = &program->library;
    grid->entries = calloc(grid->shape.blocks, sizeof *grid->entries);
    if (grid->entries == NULL)
        return error_set(error, STATUS_FAILED, "no memory for the record of %u blocks", grid->shape.blocks);
    enum status status = allocate(program, grid->shape.blocks * sizeof *grid->entries, "the blocks' record",
                                  &grid->record, error);
    if (status == STATUS_OK)
        status = refuse(program, cuda->event_create(&grid->begin, EVENT_BLOCKING), "an event", error);
    if (status == STATUS_OK)
        status = refuse(program, cuda->event_create(&grid->end, EVENT_BLOCKING), "an event", error);
    if (status == STATUS_OK && program->count > 1) /* waits for what the default stream clears */
        status = refuse(program, cuda->stream_create(&grid->stream, STREAM_DEFAULT), "a stream", error);
    return status;
}

static double bytes_of_pass(const struct manifest *manifest)
{
    double bytes = 0;
    for (size_t i = 0; i < manifest->stream_count; i++) {
        const struct manifest_stream *stream = &manifest->streams[i];
        if (strcmp(stream->op, "load") == 0 || strcmp(stream->op, "store") == 0)
            bytes += (double)stream->per_pass * stream->width * manifest->block_threads;
    }
    return bytes;
}

/* facts has the device. */
static enum status load_grid(struct cuda_program *program, const struct test_program *test_program,
                             struct cuda_grid *grid, json_t *facts, struct error *error)
{
    const struct manifest *manifest = test_program->manifest;
    const struct data_pieces_memory memory = {
        .take = take_memory, .write = copy_piece, .learn = learn_sides, .context = program};
    program->loading = grid;
    program->facts = facts;
    grid->bytes_a_pass = bytes_of_pass(manifest);
    enum status status =
        cuda_module_load(&program->library, test_program->executable, test_program->executable_size,
                         manifest_text_or(manifest->entry, "trauma_kernel"), &grid->function, facts, error);
    if (status == STATUS_OK)
        status = cuda_conditions_set(&program->library, grid->function, manifest, facts, error);
    if (status == STATUS_OK)
        status = data_pieces_load(manifest->data.document, &memory, error);
    return status == STATUS_OK ? make_record(program, grid, error) : status;
}

/* What is known of the driver's binary of a grid beside is told with the results of that grid's own point. */
static enum status load_beside(struct cuda_program *program, const struct test_program *test_program,
                               const json_t *facts, struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 1; status == STATUS_OK && i < program->count; i++) {
        const struct test_program *other = test_program->beside[i - 1];
        json_t *own = json_object();
        json_object_set(own, "device", json_object_get(facts, "device"));
        status = device_grid_read(other->manifest, &program->grids[i].shape, error);
        if (status == STATUS_OK)
            status = load_grid(program, other, &program->grids[i], own, error);
        if (status != STATUS_OK)
            error_prefix(error, "%s, which runs beside it", other->point);
        json_decref(own);
    }
    return status;
}

static enum status open_program(const struct test_program *test_program, void **handle, json_t *facts,
                                struct error *error)
{
    struct cuda_program *program = memory_zeroed(1, sizeof *program);
    *handle = program;
    program->count = 1 + test_program->beside_count;
    program->grids = memory_zeroed(program->count, sizeof *program->grids);
    program->beside = memory_zeroed(program->count, sizeof *program->beside);
    enum status status = device_grid_read(test_program->manifest, &program->grids[0].shape, error);
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
        status = load_grid(program, test_program, &program->grids[0], facts, error);
    return status == STATUS_OK ? load_beside(program, test_program, facts, error) : status;
}

/* ---- running ---- */

static const struct block_record_unit multiprocessor[] = {{"sm", 0, 32}};

static size_t record_bytes(const struct cuda_grid *grid)
{
    return grid->shape.blocks * sizeof *grid->entries;
}

static int launch(const struct cuda_program *program, struct cuda_grid *grid, uint64_t passes,
                  uint64_t warmup)
{
    const struct cuda_library *cuda = &program->library;
    void *parameters[] = {&passes, &warmup, &grid->data, &grid->record};
    int result = cuda->event_record(grid->begin, grid->stream);
    grid->passes = passes;
    if (result == CUDA_OK)
        result = cuda->launch(grid->function, grid->shape.blocks, 1, 1, grid->shape.threads, 1, 1, 0,
                              grid->stream, parameters, NULL);
    return result == CUDA_OK ? cuda->event_record(grid->end, grid->stream) : result;
}

/* *to_s: when its end was seen; then reads its record. */
static int finish(const struct cuda_program *program, struct cuda_grid *grid, double *to_s)
{
    int result = program->library.event_wait(grid->end);
    *to_s = clock_now_s();
    return result == CUDA_OK ? program->library.copy_out(grid->entries, grid->record, record_bytes(grid))
                             : result;
}

static void learn_pace(struct cuda_grid *grid)
{
    double ns = block_record_pass_ns(grid->entries, grid->shape.blocks, grid->passes);
    grid->pass_ns = ns > 0 ? ns : grid->pass_ns;
}

/* ---- beside other grids ---- */

/* All are launched at once, the test program last. The others make passes for as long as it is expected to
 * run, and it makes more of its warm-up until their own is over; where the records say that they did not
 * cover its run, it is made again. */

enum { TRIES = 4, MOST_PILOT = 1 << 20, PILOT_GROWTH = 8 };

/* LEAST_NS: of a first run alone, and between the begins and ends of grids; MOST_NS: no grid that can run
 * beside another begins later, with its warm-up. */
static const double LEAST_NS = 200e3, MOST_NS = 20e6, SPARE = 1.1;

static double warmup_ns(const struct cuda_grid *grid)
{
    return (double)grid->shape.warmup * grid->pass_ns;
}

static uint64_t passes_for(const struct cuda_grid *grid, double ns)
{
    double passes = ns > 0 && grid->pass_ns > 0 ? ceil(ns / grid->pass_ns) : 0;
    return passes < (double)(INT64_MAX / 2) ? (uint64_t)passes : INT64_MAX / 2;
}

/* The time of a pass of a grid alone, the first time. */
static int find_pace(const struct cuda_program *program, struct cuda_grid *grid)
{
    int result = CUDA_OK;
    double end_s;
    bool told = grid->pass_ns > 0;
    for (uint64_t passes = 1; result == CUDA_OK && !told; passes *= PILOT_GROWTH) {
        result = program->library.fill(grid->record, RECORD_UNWRITTEN, record_bytes(grid));
        if (result == CUDA_OK)
            result = launch(program, grid, passes, grid->shape.warmup);
        if (result == CUDA_OK)
            result = finish(program, grid, &end_s);
        if (result == CUDA_OK)
            learn_pace(grid);
        told = grid->pass_ns * (double)passes >= LEAST_NS || passes >= MOST_PILOT;
    }
    return result;
}

static int launch_all(struct cuda_program *program, uint64_t iterations)
{
    struct cuda_grid *own = &program->grids[0];
    double before_ns = own->more_ns;
    int result = CUDA_OK;
    for (size_t i = 0; result == CUDA_OK && i < program->count; i++)
        result = program->library.fill(program->grids[i].record, RECORD_UNWRITTEN,
                                       record_bytes(&program->grids[i]));
    for (size_t i = 1; i < program->count; i++)
        before_ns = fmax(before_ns, warmup_ns(&program->grids[i]) + LEAST_NS - warmup_ns(own));
    double ns = warmup_ns(own) + before_ns + SPARE * (double)iterations * own->pass_ns + LEAST_NS;
    for (size_t i = 1; result == CUDA_OK && i < program->count; i++) {
        struct cuda_grid *other = &program->grids[i];
        uint64_t passes = passes_for(other, ns + other->more_ns - warmup_ns(other));
        result = launch(program, other, passes > 0 ? passes : 1, other->shape.warmup);
    }
    return result == CUDA_OK
               ? launch(program, own, iterations, own->shape.warmup + passes_for(own, before_ns))
               : result;
}

/* True if the others ran during all of its run; else they shall next time. */
static bool are_beside(struct cuda_program *program)
{
    struct cuda_grid *own = &program->grids[0];
    const struct block_record_span run = block_record_any(own->entries, own->shape.blocks);
    bool all = true;
    double run_ns = (double)(run.to_ns - run.from_ns), early_ns = 0;
    for (size_t i = 1; i < program->count; i++) {
        struct cuda_grid *other = &program->grids[i];
        const struct block_record_span span = block_record_all(other->entries, other->shape.blocks);
        double late_ns = (double)run.to_ns - (double)span.to_ns;
        early_ns = fmax(early_ns, (double)span.from_ns - (double)run.from_ns);
        all = all && span.from_ns <= run.from_ns && span.to_ns >= run.to_ns;
        if (late_ns > 0)
            other->more_ns = fmin(other->more_ns + late_ns + LEAST_NS, run_ns + MOST_NS);
        own->more_ns = early_ns > 0 ? fmin(fmax(own->more_ns, warmup_ns(other)) + early_ns + LEAST_NS,
                                           2 * warmup_ns(other) + MOST_NS)
                                    : own->more_ns;
    }
    return all;
}

static int run_beside(struct cuda_program *program, uint64_t iterations, struct device_run *run)
{
    int result = CUDA_OK;
    double end_s;
    bool done = false;
    for (size_t i = 0; result == CUDA_OK && i < program->count; i++)
        result = find_pace(program, &program->grids[i]);
    for (int tries = 0; result == CUDA_OK && tries < TRIES && !done; tries++) {
        run->from_s = clock_now_s();
        result = launch_all(program, iterations);
        for (size_t i = 0; result == CUDA_OK && i < program->count; i++) {
            result = finish(program, &program->grids[i], i == 0 ? &run->to_s : &end_s);
            if (result == CUDA_OK)
                learn_pace(&program->grids[i]);
        }
        done = result == CUDA_OK && (iterations == 0 || are_beside(program));
    }
    for (size_t i = 1; i < program->count; i++) {
        const struct cuda_grid *other = &program->grids[i];
        program->beside[i - 1] =
            (struct device_beside){other->entries, other->shape.blocks, other->passes, other->bytes_a_pass};
    }
    run->beside = program->beside;
    run->beside_count = program->count - 1;
    return result;
}

static int run_alone(struct cuda_program *program, uint64_t iterations, struct device_run *run)
{
    struct cuda_grid *grid = &program->grids[0];
    int result = program->library.fill(grid->record, RECORD_UNWRITTEN, record_bytes(grid));
    run->from_s = clock_now_s();
    if (result == CUDA_OK)
        result = launch(program, grid, iterations, grid->shape.warmup);
    if (result == CUDA_OK)
        result = finish(program, grid, &run->to_s);
    return result;
}

static enum status run_program(void *handle, uint64_t iterations, struct device_run *run, struct error *error)
{
    struct cuda_program *program = handle;
    const struct cuda_grid *own = &program->grids[0];
    float milliseconds = 0;
    int result =
        program->count > 1 ? run_beside(program, iterations, run) : run_alone(program, iterations, run);
    if (result == CUDA_OK)
        result = program->library.event_elapsed(&milliseconds, own->begin, own->end);
    run->kernel_s = milliseconds * 1e-3;
    run->entries = own->entries;
    run->blocks = own->shape.blocks;
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
    for (size_t i = 0; i < program->count; i++)
        free(program->grids[i].entries);
    free(program->grids);
    free(program->beside);
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
                                          .nvml = true,
                                          .together = true};
