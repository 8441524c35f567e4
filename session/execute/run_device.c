#include "session/execute/run_device.h"

#include "runner/devices/launcher.h"
#include "runner/power/measurement_quality.h"
#include "runner/results/warning.h"
#include "session/execute/requested_state.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Environment variable: run programs on a device other than the described one, with a warning. */
#define ANY_DEVICE "TRAUMA_ANY_DEVICE"

/* Least ratio of the latencies of a long and a short path. */
static const double LEAST_FAR = 1.1;

enum status run_device_open(const struct work *work, bool allow_state, struct gpu_clock *clock,
                            struct error *error)
{
    bool gpus = false;
    for (size_t i = 0; i < work->source_count; i++)
        gpus = gpus || machine_is_gpu(work_machine(&work->sources[i]));
    enum status status = gpu_clock_open(gpus && allow_state, clock, error);
    clock->journal = work->lease.opened ? &work->lease.journal : NULL;
    return status;
}

/* True if the request has a member for a GPU. */
static bool is_of_gpu(const struct value *wanted)
{
    bool found = false;
    for (size_t i = 0; i < wanted->count; i++)
        found = found || strncmp(wanted->parts[i].name, "gpu_", 4) == 0;
    return found;
}

/* Sets the GPU's state as requested, through NVML or amdgpu's files. Below --sysfs-root, the cards there
 * stand for the device. */
static void set_state(struct work *work, struct gpu_clock *clock, const struct test_program *test_program,
                      struct state_record *record)
{
    const struct device *device = &launch_facts(test_program)->device;
    const char *pci = device->pci[0] == '\0' ? NULL : device->pci;
    const size_t before = record->unmet.count;
    if (!record->given || !is_of_gpu(&record->wanted))
        return;
    if (!launcher_of(test_program->manifest)->driver->nvml && (pci != NULL || work->request->root[0] != '\0'))
        requested_state_gpu(work, pci, record);
    else if (clock != NULL && pci != NULL)
        gpu_clock_lock(clock, pci, record);
    else
        warning_add(
            &record->unmet, NULL,
            "state: the platform does not report which PCI device %s is, so the GPU's state is not set",
            device->name);
    for (size_t i = before; i < record->unmet.count; i++)
        session_point(work->request->events, SESSION_WARNING, test_program->benchmark, test_program->point,
                      "%s", record->unmet.items[i].what);
}

/* A program whose variables do not fit into registers makes additional memory accesses. */
static void judge_module(const struct test_program *test_program, struct result_point *point)
{
    const struct device_module *module = &launch_facts(test_program)->module;
    if (module->local_bytes > 0)
        warning_add(&point->warnings, NULL,
                    "the driver's compiler spilled registers: the measurement includes accesses to %.0f "
                    "bytes of local memory per thread",
                    module->local_bytes);
    if (module->why[0] != '\0')
        warning_add(&point->warnings, NULL,
                    "the driver's compiler replaced the program's own code with code compiled from %s: %s",
                    module->from == NULL ? "its text" : module->from, module->why);
}

/* Atomic operations execute at a line's home; loads may find a copy on their own side. */
static void judge_sides(const struct test_program *test_program, struct result_point *point)
{
    const struct device_sides *sides = &launch_facts(test_program)->sides;
    if (sides->chunk > 0 && sides->load_far < LEAST_FAR * sides->load_near)
        warning_add(&point->warnings, NULL,
                    "loads from the far side of L2 take %.0f ticks, from the near side %.0f: this L2 seems "
                    "to copy far lines to the reader's side, so no long path is used",
                    sides->load_far, sides->load_near);
}

/* Warns if the device is a part of a GPU, or not the one that the program is for. */
static void judge_device(const struct test_program *test_program, struct result_point *point)
{
    const struct device *device = &launch_facts(test_program)->device;
    char mend[80];
    if (device->mig)
        warning_add(
            &point->warnings, "nvidia-smi -mig 0 (as root) undoes the division",
            "%s is a part of a GPU (MIG): power is the whole board's, and includes the programs of other "
            "parts",
            device->name);
    if (test_program->machine->present)
        return;
    snprintf(mend, sizeof mend, "trauma machine detect -t %.10s -o mine.lua; -m mine.lua",
             launcher_of(test_program->manifest)->target);
    warning_add(&point->warnings, mend, "the program is for %s, but runs on %s (%s)",
                test_program->machine->name, device->name,
                device->arch[0] != '\0' ? device->arch : device->type);
}

/* The length without the letters behind an architecture's number (sm_90a), which name optional instructions.
 */
static size_t arch_length(const char *arch)
{
    size_t length = strlen(arch);
    while (strncmp(arch, "sm_", 3) == 0 && length > 0 && isalpha((unsigned char)arch[length - 1]))
        length--;
    return length;
}

/* STATUS_UNAVAILABLE if the device is of another architecture than the program's, as its caches differ. Older
 * platforms report no architecture. */
static enum status check_device(const struct test_program *test_program, struct error *error)
{
    const struct device *device = &launch_facts(test_program)->device;
    const char *arch = device->arch, *type = device->type;
    const char *wanted = test_program->machine->gpu.arch;
    bool other =
        strcmp(type, "GPU") != 0 || (arch[0] != '\0' && (arch_length(arch) != arch_length(wanted) ||
                                                         strncmp(arch, wanted, arch_length(wanted)) != 0));
    if (test_program->machine->present || !other || getenv(ANY_DEVICE) != NULL)
        return STATUS_OK;
    error_set(error, STATUS_UNAVAILABLE, "the program is for %s (%s), and %s is %s%s",
              test_program->machine->name, wanted, device->name, arch[0] != '\0' ? "" : "of type ",
              arch[0] != '\0' ? arch : type);
    error_hint(error,
               "describe this one: trauma machine detect -t %.10s -o mine.lua; -m mine.lua; " ANY_DEVICE
               "=1 runs it here all the same",
               launcher_of(test_program->manifest)->target);
    return STATUS_UNAVAILABLE;
}

enum status run_device_begin(struct work *work, struct gpu_clock *clock, struct test_program *test_program,
                             struct result_point *point, struct error *error)
{
    enum status status = launch_open(test_program, error);
    if (status != STATUS_OK || launch_facts(test_program) == NULL)
        return status;
    struct json_text facts = {.buffer = NULL};
    device_facts_write(&facts, launch_facts(test_program));
    point->facts = facts.tree[0];
    status = check_device(test_program, error);
    if (status != STATUS_OK)
        return status;
    set_state(work, clock, test_program, &point->state.record);
    return STATUS_OK;
}

/* The number of blocks whose accesses the manifest counts: those that work, or in older suites the whole
 * grid. 0: the manifest has no loads, so it is unknown. */
static double blocks_counted(const struct manifest *manifest)
{
    double all = 0, of_block = 0;
    for (size_t i = 0; i < manifest->loads_by_level.count; i++)
        all += manifest->loads_by_level.items[i].value;
    for (size_t i = 0; i < manifest->stream_count; i++)
        if (strcmp(manifest->streams[i].op, "load") == 0)
            of_block +=
                (manifest->streams[i].per_pass + manifest->streams[i].links) * manifest->block_threads;
    return of_block > 0 ? all / of_block : 0;
}

/* Scales the counts per pass to the number of blocks that worked. */
static void count_worked(const struct manifest *manifest, struct result_point *point)
{
    const struct result_record *record = point->rep_count == 0 ? NULL : point->reps[0].record;
    double counted = blocks_counted(manifest);
    double worked = record == NULL ? counted : record->worked;
    for (size_t i = 0; i < point->per_pass.count; i++)
        if (counted > 0 && strchr(point->per_pass.items[i].name, '.') != NULL)
            point->per_pass.items[i].interval.value *= worked / counted;
}

/* If the clock changed by more than this share, the power is not that of one clock. */
static const double CLOCK_MOVED = 0.1;

void run_device_judge(const struct test_program *test_program, struct result_point *point)
{
    const struct value *wanted = value_get(&point->state.record.wanted, "gpu_clock");
    if (launch_facts(test_program) == NULL)
        return;
    count_worked(test_program->manifest, point);
    judge_module(test_program, point);
    judge_device(test_program, point);
    judge_sides(test_program, point);
    if (gpu_clock_judge(point->reps, point->rep_count, wanted->number, &point->warnings) > CLOCK_MOVED)
        power_quality_doubt(&point->power, "the GPU's clock changed between repetitions", &point->arena);
}

enum status run_device_check_beside(const struct result_point *point, struct error *error)
{
    double greatest = 0;
    bool any = false;
    for (size_t i = 0; i < point->rep_count; i++) {
        any = any || point->reps[i].company.count > 0;
        greatest = fmax(greatest, result_rep_overlap(&point->reps[i]));
    }
    if (!point->on_device || !any || greatest >= RESULT_BESIDE)
        return STATUS_OK;
    error_set(error, STATUS_UNAVAILABLE,
              "the grids beside it ran during at most %.2f of its time, less than %g, so none of its numbers "
              "counts",
              greatest, RESULT_BESIDE);
    error_hint(error, "fewer blocks or threads leave room for all grids; CUDA_LAUNCH_BLOCKING=1, debuggers "
                      "and profilers launch them one after the other");
    return STATUS_UNAVAILABLE;
}

void run_device_end(const struct session_events *events, struct gpu_clock *clock,
                    struct test_program *test_program)
{
    struct error not_back;
    launch_close(test_program);
    if (gpu_clock_unlock(clock, &not_back) != STATUS_OK)
        session_warn(events, "%s", not_back.message);
}
