#include "runner/power/sensors/nvml_library.h"

#include "runner/devices/symbols.h"

#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define USUAL_NAME "libnvidia-ml.so.1"
static const char variable[] = "TRAUMA_NVML";

static const struct library_symbol symbols[] = {
    {"nvmlInit_v2", offsetof(struct nvml_library, init), false},
    {"nvmlShutdown", offsetof(struct nvml_library, shutdown), false},
    {"nvmlErrorString", offsetof(struct nvml_library, error_text), false},
    {"nvmlDeviceGetCount_v2", offsetof(struct nvml_library, count), false},
    {"nvmlDeviceGetHandleByIndex_v2", offsetof(struct nvml_library, by_index), false},
    {"nvmlDeviceGetName", offsetof(struct nvml_library, name), false},
    {"nvmlDeviceGetTotalEnergyConsumption", offsetof(struct nvml_library, energy), true},
    {"nvmlDeviceGetPowerUsage", offsetof(struct nvml_library, power), false},
    {"nvmlDeviceGetTemperature", offsetof(struct nvml_library, temperature), false},
    {"nvmlDeviceGetClockInfo", offsetof(struct nvml_library, clock), false},
    {"nvmlDeviceGetFieldValues", offsetof(struct nvml_library, fields), true},
    {"nvmlDeviceGetPciInfo_v3", offsetof(struct nvml_library, pci), true},
    {"nvmlDeviceGetHandleByPciBusId_v2", offsetof(struct nvml_library, by_pci), true},
    {"nvmlDeviceSetGpuLockedClocks", offsetof(struct nvml_library, lock_clock), true},
    {"nvmlDeviceResetGpuLockedClocks", offsetof(struct nvml_library, unlock_clock), true},
};

/* Why the library does not start, by its result, and the remedy. */
static const struct refusal {
    int result;
    const char *hint;
} refusals[] = {
    {NVML_NO_PERMISSION, "sudo chmod a+rw /dev/nvidiactl /dev/nvidia*, or join the group that owns them"},
    {9 /* driver not loaded */, "sudo modprobe nvidia; `dmesg | grep -i nvidia` shows why it is not loaded"},
    {18 /* driver and library differ */, "the driver was updated meanwhile: reboot, or reload the module"},
    {NVML_GPU_IS_LOST, "the GPU fell off the bus: `dmesg | grep -i xid`, then reboot"},
};

static const char *hint_of(int result)
{
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++)
        if (refusals[i].result == result)
            return refusals[i].hint;
    return "`nvidia-smi` uses the same library and gives details";
}

static enum status start(const struct nvml_library *library, struct error *error)
{
    int result = library->init();
    if (result == NVML_OK)
        return STATUS_OK;
    error_set(error, STATUS_UNAVAILABLE, "NVML does not start: %s", library->error_text(result));
    error_hint(error, "%s", hint_of(result));
    return STATUS_UNAVAILABLE;
}

const char *nvml_library_named(const char *setting)
{
    const char *named = setting != NULL ? setting : getenv(variable);
    return named != NULL && named[0] != '\0' ? named : NULL;
}

enum status nvml_library_open(const char *path, struct nvml_library *library, struct error *error)
{
    const struct symbols_library nvml = {.path = path != NULL ? path : USUAL_NAME,
                                         .what = "NVIDIA's NVML",
                                         .get = "it comes with NVIDIA's driver (Debian: apt-get install "
                                                "libnvidia-ml1); without an NVIDIA GPU it is "
                                                "not needed",
                                         .kind = "NVML",
                                         .get_kind = "the driver's library is called " USUAL_NAME,
                                         .symbols = symbols,
                                         .count = sizeof symbols / sizeof symbols[0]};
    *library = (struct nvml_library){0};
    enum status status = symbols_open(&nvml, &library->handle, library, error);
    if (status == STATUS_OK)
        status = start(library, error);
    if (status != STATUS_OK && library->handle != NULL)
        dlclose(library->handle);
    return status;
}

void nvml_library_close(struct nvml_library *library)
{
    (void)library->shutdown(); /* nothing left can fail */
    dlclose(library->handle);
}

double nvml_field_number(const struct nvml_field *field)
{
    /* nvmlValueType_t */
    const double values[] = {field->value.real,
                             field->value.whole,
                             (double)field->value.long_whole,
                             (double)field->value.longer_whole,
                             (double)field->value.signed_longer,
                             field->value.signed_whole,
                             field->value.short_whole};
    if (field->result != NVML_OK || field->type >= sizeof values / sizeof values[0])
        return NAN;
    return values[field->type];
}
