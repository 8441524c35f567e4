/* PTX programs on NVIDIA's GPUs (runner/devices/launcher.h): loaded in the device's primary context, with
 * data that is filled once, and launched as often as needed. A grid alone uses the default stream; grids that
 * run beside each other have a stream each. Runs share their data: a program that stores finds what the
 * previous run stored. Not yet tested on a real GPU. */
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "generator/machine/machine.h"
#include "generator/plan/gpu/gpu_split.h"
#include "generator/suite/manifest_read.h"
#include "runner/devices/cuda/cuda_library.h"
#include "runner/devices/cuda/cuda_module.h"
#include "runner/devices/cuda/cuda_sides.h"
#include "runner/devices/data_pieces.h"
#include "runner/devices/device_driver.h"
#include "runner/devices/device_machine.h"
#include "runner/devices/grid.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the device's properties ---- */

/* CUdevice_attribute, with the factor to our unit. */
static const struct attribute {
    size_t offset; /* of a uint64_t in the device */
    int number;
    long long scale;
} attributes[] = {
    {offsetof(struct device, units), 16, 1},
    {offsetof(struct device, threads_per_block), 1, 1},
    {offsetof(struct device, threads_per_sm), 39, 1},
    {offsetof(struct device, blocks_per_sm), 106, 1},
    {offsetof(struct device, shared_per_block), 97, 1}, /* if a kernel opts in; otherwise 48 KiB */
    {offsetof(struct device, shared), 8, 1},
    {offsetof(struct device, shared_per_sm), 81, 1},
    {offsetof(struct device, l2), 38, 1},
    {offsetof(struct device, clock_hz), 13, 1000},
    {offsetof(struct device, memory_clock_hz), 36, 1000},
    {offsetof(struct device, bus_bits), 37, 1},
    {offsetof(struct device, wave), 10, 1},
    {offsetof(struct device, ecc), 32, 1}, /* absent: memory without or with it switched off */
};
enum { MAJOR = 75, MINOR = 76, PCI_DOMAIN = 50, PCI_BUS = 33, PCI_DEVICE = 34 };

static int attribute_of(const struct cuda_library *library, cuda_device device, int number)
{
    int value = 0;
    return library->device_attribute(&value, number, device) == CUDA_OK ? value : 0;
}

static void set_identity(const struct cuda_library *library, cuda_device device, struct device *described)
{
    int version = 0;
    if (library->device_name(described->name, sizeof described->name, device) != CUDA_OK)
        snprintf(described->name, sizeof described->name, "GPU");
    snprintf(described->type, sizeof described->type, "GPU");
    described->mig = strstr(described->name, " MIG ") != NULL;
    snprintf(described->arch, sizeof described->arch, "sm_%d%d", attribute_of(library, device, MAJOR),
             attribute_of(library, device, MINOR));
    snprintf(described->pci, sizeof described->pci, "%04x:%02x:%02x.0",
             (unsigned)attribute_of(library, device, PCI_DOMAIN),
             (unsigned)attribute_of(library, device, PCI_BUS),
             (unsigned)attribute_of(library, device, PCI_DEVICE));
    if (library->driver_version(&version) == CUDA_OK)
        snprintf(described->driver, sizeof described->driver, "%d.%d", version / 1000, version % 1000 / 10);
}

static enum status describe_device(const struct cuda_library *library, unsigned ordinal,
                                   struct device *described, struct error *error)
{
    cuda_device device;
    size_t bytes = 0;
    char what[32];
    snprintf(what, sizeof what, "GPU %u", ordinal);
    int result = library->device(&device, (int)ordinal);
    if (result != CUDA_OK)
        return cuda_refusal(library, result, what, error);
    *described = (struct device){.through = DEVICE_CUDA, .ordinal = ordinal};
    set_identity(library, device, described);
    for (size_t i = 0; i < sizeof attributes / sizeof attributes[0]; i++) {
        long long value = attribute_of(library, device, attributes[i].number);
        if (value > 0)
            *(uint64_t *)(void *)((char *)described + attributes[i].offset) =
                (uint64_t)(value * attributes[i].scale);
    }
    if (library->device_memory(&bytes, device) == CUDA_OK)
        described->memory = bytes;
    return STATUS_OK;
}

static enum status list_devices(struct buffer *devices, struct error *why_not)
{
    struct cuda_library library;
    int count = 0;
    enum status status = cuda_library_open(&library, why_not);
    if (status != STATUS_OK)
        return status;
    int result = library.device_count(&count);
    if (result == CUDA_OK && count == 0)
        result = 100; /* as newer drivers report from the start */
    status = cuda_refusal(&library, result, "GPUs", why_not);
    for (int i = 0; status == STATUS_OK && i < count; i++) {
        struct device device;
        status = describe_device(&library, (unsigned)i, &device, why_not);
        if (status == STATUS_OK)
            buffer_append(devices, &device, sizeof device);
    }
    return status;
}

/* ---- the device's conditions ---- */

/* Settings of a launch that a plan relies on and a driver may choose differently: the split between L1 and
 * shared memory (generator/plan/gpu/gpu_split.h), blocks of a cluster on different multiprocessors, and
 * single sectors fetched from memory. They are requested, and recorded if the driver accepts them. */

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
                             const struct manifest *manifest, struct device_facts *facts, struct error *error)
{
    struct gpu_split split;
    double units = fmax((double)facts->device.units, 1);
    unsigned blocks = (unsigned)ceil(manifest->blocks / units);
    if (!gpu_split_of(facts->device.arch, (uint64_t)manifest->shared_bytes, blocks, &split))
        return STATUS_OK;
    /* In percent of the maximum; the driver takes the next larger step. */
    int percent = (int)ceil(100 * (double)split.shared / (double)split.most);
    int result = library->function_set(function, SHARED_SPLIT, percent);
    if (result == CUDA_OK)
        facts->launch.shared_split = (double)split.shared;
    else if (has_level(manifest, "L1"))
        return cuda_refusal(library, result, "L1 may be smaller than the program's: requesting its split",
                            error);
    return STATUS_OK;
}

/* Sets facts->launch to the settings that the driver accepts or reports after the request.
 * STATUS_UNAVAILABLE, with the consequence, if the driver refuses one on which the program's rates depend. */
static enum status cuda_conditions_set(const struct cuda_library *library, cuda_function function,
                                       const struct manifest *manifest, struct device_facts *facts,
                                       struct error *error)
{
    size_t fetched = 0;
    enum status status = set_split(library, function, manifest, facts, error);
    if (status == STATUS_OK && manifest->cluster > 1) {
        int result = library->function_set(function, CLUSTER_POLICY, SPREAD);
        facts->launch.spread = result == CUDA_OK;
        status = cuda_refusal(library, result,
                              "two blocks of a cluster may share a multiprocessor: requesting others", error);
    }
    if (library->limit_set != NULL && library->limit_get != NULL) {
        (void)library->limit_set(L2_FETCH, SECTOR); /* not all chips support it */
        if (library->limit_get(&fetched, L2_FETCH) == CUDA_OK)
            facts->launch.l2_fetch_bytes = (double)fetched;
    }
    return status;
}

/* ---- cuda machine ---- */

/* A machine's description of a GPU, from the driver's data and facts about the GPU's family. */

/* Unified L1 and shared memory, in KiB: CUDA C++ Programming Guide, "Technical Specifications per Compute
 * Capability". Parts of L2: the whitepapers of the chips; GH100's and GA100's counters have a fabric between
 * them (lts__t_sectors_srcunit_ltcfabric), AD102's and GB202's have none. */
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

/* Fills *machine (free with machine_free), as the present one. The size of L1, which a multiprocessor shares
 * with shared memory, and the number of L2 partitions come from the family, because the driver reports
 * neither. STATUS_UNAVAILABLE for an unknown family. */
static enum status cuda_machine(const struct device *device, struct machine *machine, struct error *error)
{
    const struct family *family = find_family(device->arch);
    memset(machine, 0, sizeof *machine);
    if (family == NULL) {
        error_set(error, STATUS_UNAVAILABLE, "%s is a GPU of the family %s, which this version does not know",
                  device->name, device->arch);
        error_hint(error, "describe it in a file (recipes/machines/h200.lua is an example) and pass -m FILE");
        return STATUS_UNAVAILABLE;
    }
    if (device->units == 0 || device->l2 == 0 || device->wave == 0 || device->shared == 0 ||
        device->memory == 0)
        return error_set(error, STATUS_UNAVAILABLE,
                         "the GPU's driver reports values that no plan can use: it does not report its "
                         "number of multiprocessors or its L2 size");
    const uint64_t threads = device->threads_per_block;
    const struct device_machine description = {
        .isa = "ptx",
        .vendor = "NVIDIA",
        .who = "the GPU's driver",
        .l1 = {{"size", (uint64_t)family->l1_kib << 10}, {"line", 128}, {"sector", 32}},
        .l2 = {{"size", device->l2}, {"line", 128}, {"sector", 32}},
        .policy = "unknown",
        .gpu = {{"sm", device->units},
                {"wave", device->wave},
                {"sides", family->sides},
                {"block_threads", threads > 0 ? threads : 1024},
                {"shared", device->shared},
                {"memory", device->memory}}};
    return device_machine_make(device, &description, machine, error);
}

/* True when the device matches the machine: architecture, multiprocessors and, if both state it, about as
 * much memory. */
static bool cuda_machine_is(const struct device *device, const struct machine *machine)
{
    return strcmp(device->arch, machine->gpu.arch) == 0 && device->units == machine->gpu.sm &&
           device_machine_memory(device, machine);
}

/* ---- cuda driver ---- */

/* CUctx_flags, CUevent_flags, CUstream_flags: the waiting thread sleeps, and so draws no power on the host.
 */
enum { SCHEDULE_BLOCKING = 4, EVENT_BLOCKING = 1, STREAM_DEFAULT = 0 };

/* The test program, or a grid that runs beside it. */
struct cuda_grid {
    cuda_function function;
    cuda_address allocation, data, record;
    cuda_event begin, end;
    cuda_stream stream; /* NULL: the default one, for a grid alone */
    struct device_grid shape;
    struct block_record_entry *entries;
    double bytes_a_pass; /* that a block loads and stores */
    uint64_t passes;     /* of the last run */
    double pass_ns;      /* in the last run; 0: not known yet */
    double more_ns;      /* extra time: of the test program's warm-up, or at the end of another grid's run */
};

struct cuda_program {
    struct cuda_library library;
    cuda_device device;
    bool retained;
    struct cuda_grid *grids; /* the test program's first */
    size_t count;
    struct device_beside *beside; /* [count - 1] */
    struct cuda_grid *loading;    /* while it is being opened */
    struct device_facts *facts;
};

static enum status refuse(const struct cuda_program *program, int result, const char *what,
                          struct error *error)
{
    return cuda_refusal(&program->library, result, what, error);
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
    (void)program->library.memory_left(&left, &total); /* only for the message */
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
    return cuda_sides_learn(&program->library, &program->facts->device, address, image, arena,
                            &program->facts->sides, error);
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
    if (status == STATUS_OK && program->count > 1) /* waits until the default stream has cleared records */
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

/* Loads a grid's program and data; facts already contains the device. */
static enum status load_grid(struct cuda_program *program, const struct test_program *test_program,
                             struct cuda_grid *grid, struct device_facts *facts, struct error *error)
{
    const struct manifest *manifest = test_program->manifest;
    const struct data_pieces_memory memory = {
        .take = take_memory, .write = copy_piece, .learn = learn_sides, .context = program};
    program->loading = grid;
    program->facts = facts;
    grid->bytes_a_pass = bytes_of_pass(manifest);
    enum status status = cuda_module_load(
        &program->library, test_program->executable, test_program->executable_size,
        manifest_text_or(manifest->entry, "trauma_kernel"), &grid->function, &facts->module, error);
    if (status == STATUS_OK)
        status = cuda_conditions_set(&program->library, grid->function, manifest, facts, error);
    if (status == STATUS_OK)
        status = data_pieces_load(&manifest->data, &memory, error);
    return status == STATUS_OK ? make_record(program, grid, error) : status;
}

/* Loads the grids beside. The facts about a grid's binary are in the results of that grid's own point, and
 * are dropped here. */
static enum status load_beside(struct cuda_program *program, const struct test_program *test_program,
                               const struct device_facts *facts, struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 1; status == STATUS_OK && i < program->count; i++) {
        const struct test_program *other = test_program->beside[i - 1];
        struct device_facts own = device_facts_none();
        own.device = facts->device;
        status = device_grid_read(other->manifest, &program->grids[i].shape, error);
        if (status == STATUS_OK)
            status = load_grid(program, other, &program->grids[i], &own, error);
        if (status != STATUS_OK)
            error_prefix(error, "%s, which runs beside it", other->point);
        device_facts_free(&own);
    }
    return status;
}

static enum status open_program(const struct test_program *test_program, void **handle,
                                struct device_facts *facts, struct error *error)
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
    if (status == STATUS_OK)
        status = describe_device(&program->library, test_program->device, &facts->device, error);
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

/* Waits for the grid's end, sets *to_s to that moment and reads the record. */
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

/* All grids are launched at once, the test program last. The others make passes for as long as it is expected
 * to run, and its warm-up is extended until theirs is over. If the records show that they did not cover its
 * run, the run is repeated. */

enum { TRIES = 4, MOST_PILOT = 1 << 20, PILOT_GROWTH = 8 };

/* LEAST_NS: the least duration of the first run alone, and the least time between the begins and ends of
 * grids. MOST_NS: the longest delay of a grid that can run beside another. */
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

/* Measures the time of a pass of a grid alone, unless it is known. */
static int find_pace(const struct cuda_program *program, struct cuda_grid *grid)
{
    int result = CUDA_OK;
    double end_s;
    bool known = grid->pass_ns > 0;
    for (uint64_t passes = 1; result == CUDA_OK && !known; passes *= PILOT_GROWTH) {
        result = program->library.fill(grid->record, RECORD_UNWRITTEN, record_bytes(grid));
        if (result == CUDA_OK)
            result = launch(program, grid, passes, grid->shape.warmup);
        if (result == CUDA_OK)
            result = finish(program, grid, &end_s);
        if (result == CUDA_OK)
            learn_pace(grid);
        known = grid->pass_ns * (double)passes >= LEAST_NS || passes >= MOST_PILOT;
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

/* True if the others covered the test program's run; otherwise extends their next runs. */
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

/* Releases the context, and with it all of the device's resources that the process holds. */
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
                                          .list = list_devices,
                                          .machine = cuda_machine,
                                          .is_machine = cuda_machine_is,
                                          .name = "cuda",
                                          .units = units,
                                          .counted = "multiprocessors",
                                          .nvml = true,
                                          .together = true};
