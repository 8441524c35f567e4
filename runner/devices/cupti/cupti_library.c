#include "runner/devices/cupti/cupti_library.h"

#include "runner/devices/symbols.h"

#include <dlfcn.h>
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the host part: counters by name ---- */

enum { WHAT_BYTES = 160 };

static int open_handle(const struct cupti_library *library, const char *chip, const uint8_t *availability,
                       void **handle)
{
    struct cupti_host_open open = {.size = CUPTI_SIZE(struct cupti_host_open, host),
                                   .profiler = CUPTI_RANGE_PROFILER,
                                   .chip = chip,
                                   .availability = availability};
    int result = library->host_open(&open);
    *handle = result == CUPTI_OK ? open.host : NULL;
    return result;
}

static void close_handle(const struct cupti_library *library, void *handle)
{
    struct cupti_host_close close = {.size = CUPTI_SIZE(struct cupti_host_close, host), .host = handle};
    if (handle != NULL)
        (void)library->host_close(&close); /* nothing left can fail */
}

static int add_metrics(const struct cupti_library *library, void *handle, const char **names, size_t count)
{
    struct cupti_add_metrics add = {
        .size = CUPTI_SIZE(struct cupti_add_metrics, count), .host = handle, .names = names, .count = count};
    return library->add_metrics(&add);
}

bool cupti_host_has(const struct cupti_library *library, const char *chip, const uint8_t *availability,
                    const char *metric)
{
    void *handle;
    bool has = open_handle(library, chip, availability, &handle) == CUPTI_OK &&
               add_metrics(library, handle, &metric, 1) == CUPTI_OK;
    close_handle(library, handle);
    return has;
}

static enum status make_config(struct cupti_host *host, struct error *error)
{
    const struct cupti_library *library = host->library;
    struct cupti_config_size size = {.size = CUPTI_SIZE(struct cupti_config_size, bytes),
                                     .host = host->handle};
    int result = library->config_size(&size);
    if (result != CUPTI_OK)
        return cupti_refusal(library, result, "sizing the configuration", error);
    buffer_fill(&host->config, '\0', size.bytes);
    uint8_t *image = (uint8_t *)host->config.data;
    struct cupti_config config = {.size = CUPTI_SIZE(struct cupti_config, image),
                                  .host = host->handle,
                                  .bytes = host->config.size,
                                  .image = image};
    struct cupti_passes passes = {
        .size = CUPTI_SIZE(struct cupti_passes, passes), .bytes = host->config.size, .image = image};
    result = library->config(&config);
    if (result == CUPTI_OK)
        result = library->passes(&passes);
    host->passes = passes.passes;
    return cupti_refusal(library, result, "making the configuration", error);
}

/* Finds the metric that the chip lacks, which CUPTI does not report. */
static enum status blame_metric(const struct cupti_host *host, const char *chip, const uint8_t *availability,
                                int result, struct error *error)
{
    for (size_t i = 0; i < host->count; i++)
        if (!cupti_host_has(host->library, chip, availability, host->names[i])) {
            error_set(error, STATUS_UNAVAILABLE, "%s has no counter %s", chip, host->names[i]);
            error_hint(error, "`ncu --query-metrics --chip %s` lists those that it has", chip);
            return STATUS_UNAVAILABLE;
        }
    return cupti_refusal(host->library, result, "choosing counters", error);
}

enum status cupti_host_open(const struct cupti_library *library, const char *chip,
                            const uint8_t *availability, const char **names, size_t count,
                            struct cupti_host *host, struct error *error)
{
    char what[WHAT_BYTES];
    *host = (struct cupti_host){.library = library, .names = names, .count = count};
    snprintf(what, sizeof what, "the counters of the chip %.60s", chip);
    int result = open_handle(library, chip, availability, &host->handle);
    if (result != CUPTI_OK)
        return cupti_refusal(library, result, what, error);
    result = add_metrics(library, host->handle, names, count);
    return result != CUPTI_OK ? blame_metric(host, chip, availability, result, error)
                              : make_config(host, error);
}

enum status cupti_host_evaluate(const struct cupti_host *host, const uint8_t *data, size_t bytes,
                                size_t range, double *values, struct error *error)
{
    struct cupti_evaluate evaluate = {.size = CUPTI_SIZE(struct cupti_evaluate, values),
                                      .host = host->handle,
                                      .data = data,
                                      .bytes = bytes,
                                      .range = range,
                                      .names = host->names,
                                      .count = host->count,
                                      .values = values};
    return cupti_refusal(host->library, host->library->evaluate(&evaluate), "evaluating counters", error);
}

void cupti_host_close(struct cupti_host *host)
{
    close_handle(host->library, host->handle);
    buffer_free(&host->config);
    host->handle = NULL;
}

/* ---- the library ---- */

static const char variable[] = "TRAUMA_CUPTI";

static const struct library_symbol symbols[] = {
#define SYMBOL(name, field)                                                                                  \
    {                                                                                                        \
        name, offsetof(struct cupti_library, field), false                                                   \
    }
    SYMBOL("cuptiGetVersion", version),
    SYMBOL("cuptiGetResultString", result_text),
    SYMBOL("cuptiProfilerInitialize", initialize),
    SYMBOL("cuptiProfilerDeInitialize", deinitialize),
    SYMBOL("cuptiProfilerGetCounterAvailability", availability),
    SYMBOL("cuptiDeviceGetChipName", chip_name),
    SYMBOL("cuptiProfilerHostInitialize", host_open),
    SYMBOL("cuptiProfilerHostDeinitialize", host_close),
    SYMBOL("cuptiProfilerHostConfigAddMetrics", add_metrics),
    SYMBOL("cuptiProfilerHostGetConfigImageSize", config_size),
    SYMBOL("cuptiProfilerHostGetConfigImage", config),
    SYMBOL("cuptiProfilerHostGetNumOfPasses", passes),
    SYMBOL("cuptiProfilerHostEvaluateToGpuValues", evaluate),
    SYMBOL("cuptiRangeProfilerEnable", enable),
    SYMBOL("cuptiRangeProfilerDisable", disable),
    SYMBOL("cuptiRangeProfilerGetCounterDataSize", data_size),
    SYMBOL("cuptiRangeProfilerCounterDataImageInitialize", data_begin),
    SYMBOL("cuptiRangeProfilerSetConfig", set_config),
    SYMBOL("cuptiRangeProfilerStart", start),
    SYMBOL("cuptiRangeProfilerStop", stop),
    SYMBOL("cuptiRangeProfilerPushRange", push),
    SYMBOL("cuptiRangeProfilerPopRange", pop),
    SYMBOL("cuptiRangeProfilerDecodeData", decode),
    SYMBOL("cuptiRangeProfilerGetCounterDataInfo", data_info),
#undef SYMBOL
};

/* The meaning of results for the user, and the remedies. */
static const struct refusal {
    int result;
    const char *what, *hint;
} refusals[] = {
    {CUPTI_NO_PRIVILEGE, "this user may not read the GPU's counters",
     "run as root, or `echo options nvidia NVreg_RestrictProfilingToAdminUsers=0 | sudo tee "
     "/etc/modprobe.d/trauma.conf` and reload the nvidia module; RmProfilingAdminOnly in "
     "/proc/driver/nvidia/params is then 0"},
    {CUPTI_VIRTUAL_NO_PRIVILEGE, "guests may not use this virtual GPU's counters",
     "the host's administrator enables profiling of the vGPU"},
    {CUPTI_VIRTUALIZED, "the virtual GPU has no counters",
     "counters need the GPU itself, or passthrough of it"},
    {CUPTI_HARDWARE_BUSY, "another program uses the counters",
     "end other profilers: ncu, nsys, DCGM's profiling metrics"},
    {CUPTI_OLD_PROFILER_HELD, "an older profiling interface uses the counters",
     "end other profilers: nvprof"},
    {CUPTI_OTHER_TOOL, "another NVIDIA tool is attached to this process",
     "run it without ncu, nsys and cuda-gdb"},
    {CUPTI_CONFIDENTIAL, "confidential computing is on, which hides the counters",
     "`nvidia-smi conf-compute -f` shows it; only the machine's owner can turn it off"},
    {CUPTI_WSL, "a GPU under WSL has no counters", "count on a bare Linux machine"},
    {CUPTI_INVALID_CHIP, "this CUPTI does not support the chip", "use that of a newer CUDA toolkit"},
    {CUPTI_UNKNOWN, "CUPTI does not start (999)",
     "without NVIDIA's driver, libcuda.so.1, CUPTI of CUDA 13.0 starts, but newer ones may not"},
    {CUPTI_MIG, "the GPU is split (MIG), and parts have no access to its counters",
     "`nvidia-smi -mig 0` removes the split"},
};

/* True if the library at the path has all functions; sets *opened even if it is too old. */
static bool try_path(const char *path, struct cupti_library *library, bool *opened)
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    *opened = *opened || handle != NULL;
    if (handle == NULL)
        return false;
    *library = (struct cupti_library){.handle = handle};
    bool good = symbols_bind(handle, symbols, sizeof symbols / sizeof symbols[0], library) == NULL;
    if (!good)
        dlclose(handle);
    return good;
}

/* The last one by name is usually the newest. */
static bool try_pattern(const char *pattern, struct cupti_library *library, bool *opened)
{
    glob_t found;
    bool good = false;
    if (glob(pattern, 0, NULL, &found) != 0)
        return false;
    for (size_t i = found.gl_pathc; i-- > 0 && !good;)
        good = try_path(found.gl_pathv[i], library, opened);
    globfree(&found);
    return good;
}

static enum status none(bool opened, const char *named, struct error *error)
{
    if (named != NULL)
        error_set(error, STATUS_UNAVAILABLE, "%s, which %s names, %s", named, variable,
                  opened ? "is not CUPTI of CUDA 12.6 or newer" : "cannot be opened");
    else
        error_set(error, STATUS_UNAVAILABLE, "%s",
                  opened ? "the installed CUPTI is older than that of CUDA 12.6"
                         : "NVIDIA's CUPTI, libcupti.so, is not on this machine");
    error_hint(error,
               "it comes with a CUDA toolkit or `pip install nvidia-cuda-cupti`; %s=FILE names one; without "
               "an NVIDIA GPU it is not needed",
               variable);
    return STATUS_UNAVAILABLE;
}

enum status cupti_library_open(struct cupti_library *library, struct error *error)
{
    static const char *const names[] = {"libcupti.so", "libcupti.so.13", "libcupti.so.12"};
    static const char *const patterns[] = {"/usr/local/cuda*/lib64/libcupti.so",
                                           "/usr/local/cuda*/extras/CUPTI/lib64/libcupti.so"};
    const char *named = getenv(variable);
    bool opened = false;
    if (named != NULL && named[0] != '\0')
        return try_path(named, library, &opened) ? STATUS_OK : none(opened, named, error);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (try_path(names[i], library, &opened))
            return STATUS_OK;
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++)
        if (try_pattern(patterns[i], library, &opened))
            return STATUS_OK;
    return none(opened, NULL, error);
}

enum status cupti_refusal(const struct cupti_library *library, int result, const char *what,
                          struct error *error)
{
    const char *text = NULL;
    if (result == CUPTI_OK)
        return STATUS_OK;
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++)
        if (refusals[i].result == result) {
            error_set(error, STATUS_UNAVAILABLE, "%s: %s", what, refusals[i].what);
            error_hint(error, "%s", refusals[i].hint);
            return STATUS_UNAVAILABLE;
        }
    if (library->result_text(result, &text) != CUPTI_OK || text == NULL)
        text = "an error without a name";
    return error_set(error, STATUS_UNAVAILABLE, "%s: CUPTI reports %s (%d)", what, text, result);
}
