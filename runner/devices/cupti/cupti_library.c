#include "runner/devices/cupti/cupti_library.h"

#include "runner/devices/symbols.h"

#include <dlfcn.h>
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* The obstacle that each result stands for, and its remedy. */
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

/* True if the library of that name fits; *opened is also set when it is too old. */
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
