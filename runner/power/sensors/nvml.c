/* The sensor "nvml": power, energy, temperature and clocks of NVIDIA's GPUs, by NVML opened at run time.
 * Instant and average power are separate channels: nvmlDeviceGetPowerUsage is an average over a second on
 * most chips since Ampere, and is used only if the chip reports neither. A100 and H100 sample their power
 * about a quarter of the time (Yang et al. 2023, arXiv 2312.02741), synchronised with nothing, so repetitions
 * must differ in phase. The energy counter counts millijoules since the driver was loaded and moves every 10
 * to 100 ms. It is the whole channel, because it misses nothing between readings. A query for it can take
 * some milliseconds. */
#include "base/memory.h"
#include "runner/power/sensor.h"
#include "runner/power/sensors/nvml_library.h"

#include "base/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 96, KINDS_MOST = 16 };

/* Reads one value of a device in units of the library; returns the library's result. */
typedef int reader(const struct nvml_library *library, nvml_device device, unsigned which, double *value);

static int read_energy(const struct nvml_library *library, nvml_device device, unsigned which, double *value)
{
    (void)which;
    unsigned long long millijoules = 0;
    if (library->energy == NULL)
        return NVML_NOT_SUPPORTED;
    int result = library->energy(device, &millijoules);
    *value = (double)millijoules;
    return result;
}

static int read_field(const struct nvml_library *library, nvml_device device, unsigned which, double *value)
{
    struct nvml_field field = {.field = which};
    if (library->fields == NULL)
        return NVML_NOT_SUPPORTED;
    int result = library->fields(device, 1, &field);
    if (result != NVML_OK)
        return result;
    *value = nvml_field_number(&field);
    return isnan(*value) && field.result == NVML_OK ? NVML_NOT_SUPPORTED : field.result;
}

static int read_usage(const struct nvml_library *library, nvml_device device, unsigned which, double *value)
{
    (void)which;
    unsigned milliwatts = 0;
    int result = library->power(device, &milliwatts);
    *value = milliwatts;
    return result;
}

static int read_temperature(const struct nvml_library *library, nvml_device device, unsigned which,
                            double *value)
{
    unsigned celsius = 0;
    int result = library->temperature(device, which, &celsius);
    *value = celsius;
    return result;
}

static int read_clock(const struct nvml_library *library, nvml_device device, unsigned which, double *value)
{
    unsigned mhz = 0;
    int result = library->clock(device, which, &mhz);
    *value = mhz;
    return result;
}

/* The channels of a device; the first power that it reports is whole. */
static const struct kind {
    const char *name;
    reader *read;
    unsigned which;
    enum sensor_quantity quantity;
    double scale; /* factor to our unit */
    bool instead; /* only if no power was reported before it */
} kinds[] = {
    {"energy", read_energy, 0, SENSOR_ENERGY, 1e-3, false},
    {"power instant", read_field, NVML_POWER_INSTANT, SENSOR_POWER, 1e-3, false},
    {"power average", read_field, NVML_POWER_AVERAGE, SENSOR_POWER, 1e-3, false},
    {"power usage", read_usage, 0, SENSOR_POWER, 1e-3, true},
    {"temperature", read_temperature, NVML_TEMPERATURE_GPU, SENSOR_TEMPERATURE, 1, false},
    {"SM clock", read_clock, NVML_CLOCK_SM, SENSOR_CLOCK, 1e6, false},
    {"memory clock", read_clock, NVML_CLOCK_MEMORY, SENSOR_CLOCK, 1e6, false},
};
enum { KIND_COUNT = sizeof kinds / sizeof kinds[0] };

/* A channel's own number contains its device and its kind. */
static unsigned long number_of(unsigned device, size_t kind)
{
    return (unsigned long)device * KINDS_MOST + kind;
}

struct gpus {
    struct nvml_library library;
    nvml_device *devices; /* of each channel */
    const struct kind **kinds;
    size_t count;
};

static void add_channel(unsigned device, size_t kind, const char *name, struct sensor_channel *found)
{
    *found = (struct sensor_channel){.quantity = kinds[kind].quantity,
                                     .may_stand = kinds[kind].quantity == SENSOR_POWER,
                                     .number = number_of(device, kind)};
    snprintf(found->name, sizeof found->name, "nvml:%u:%s", device, kinds[kind].name);
    snprintf(found->label, sizeof found->label, "%.44s %s", name, kinds[kind].name);
}

/* Sets the PCI address, "0000:0f:00.0", by which a program's driver also identifies the GPU. */
static void set_pci(const struct nvml_library *library, nvml_device device, struct sensor_channel *channel)
{
    struct nvml_pci pci = {.domain = 0};
    if (library->pci != NULL && library->pci(device, &pci) == NVML_OK)
        snprintf(channel->pci, sizeof channel->pci, "%04x:%02x:%02x.0", pci.domain, pci.bus, pci.device);
}

/* Adds the device's current values. Returns the first error other than "not supported". */
static int find_device(const struct nvml_library *library, unsigned index, struct sensor_channel *channels,
                       size_t capacity, size_t *count)
{
    nvml_device device;
    char name[NAME_BYTES] = "GPU";
    bool whole = false;
    bool power = false;
    int refused = library->by_index(index, &device);
    if (refused != NVML_OK)
        return refused;
    if (library->name(device, name, sizeof name) != NVML_OK)
        snprintf(name, sizeof name, "GPU");
    for (size_t i = 0; i < KIND_COUNT && *count < capacity; i++) {
        double value;
        if (kinds[i].instead && power)
            continue;
        int result = kinds[i].read(library, device, kinds[i].which, &value);
        refused = refused == NVML_OK && result != NVML_NOT_SUPPORTED ? result : refused;
        if (result != NVML_OK)
            continue;
        struct sensor_channel *found = &channels[(*count)++];
        add_channel(index, i, name, found);
        set_pci(library, device, found);
        power = power || found->quantity == SENSOR_POWER;
        found->whole = !whole && sensor_measures_power(found);
        found->spare = whole && sensor_measures_power(found);
        whole = whole || found->whole;
    }
    return refused;
}

static enum status nothing_found(const struct nvml_library *library, unsigned devices, int refused,
                                 struct error *error)
{
    if (devices == 0) {
        error_set(error, STATUS_UNAVAILABLE, "NVML finds no GPU");
        error_hint(error, "start a container with access to the GPU (docker run --gpus all)");
    } else if (refused != NVML_OK) {
        error_set(error, STATUS_UNAVAILABLE, "none of the %u GPUs reports power or energy: %s", devices,
                  library->error_text(refused));
        error_hint(error,
                   "`nvidia-smi -q -d POWER` queries the same values; a virtual GPU's host may forbid it");
    } else {
        error_set(error, STATUS_UNAVAILABLE, "none of the %u GPUs has a power or energy sensor", devices);
        error_hint(error, "use an external meter at its supply: trauma sensors lists those");
    }
    return STATUS_UNAVAILABLE;
}

static bool has_whole(const struct sensor_channel *channels, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (channels[i].whole)
            return true;
    return false;
}

/* With another root than the machine's own there are no GPUs except those that the user names. */
static enum status open_library(const struct sensor_request *request, struct nvml_library *library,
                                struct error *error)
{
    const char *named = nvml_library_named(request_text(request, "library"));
    if (named != NULL || request->root[0] == '\0')
        return nvml_library_open(named, library, error);
    error_set(error, STATUS_UNAVAILABLE, "with --sysfs-root NVML is not used, as GPUs are not files");
    error_hint(error, "name a library: --power nvml@library=FILE, or the variable TRAUMA_NVML");
    return STATUS_UNAVAILABLE;
}

static enum status find(const struct sensor_request *request, struct sensor_channel *channels,
                        size_t capacity, size_t *count, struct error *error)
{
    struct nvml_library library;
    unsigned devices = 0;
    *count = 0;
    if (open_library(request, &library, error) != STATUS_OK)
        return STATUS_UNAVAILABLE;
    int refused = library.count(&devices);
    for (unsigned i = 0; i < devices; i++) {
        int result = find_device(&library, i, channels, capacity, count);
        refused = refused == NVML_OK ? result : refused;
    }
    bool found = has_whole(channels, *count);
    *count = found ? *count : 0;
    enum status status = found ? STATUS_OK : nothing_found(&library, devices, refused, error);
    nvml_library_close(&library);
    return status;
}

static void close_all(void *handle)
{
    struct gpus *gpus = handle;
    nvml_library_close(&gpus->library);
    free(gpus->devices);
    free(gpus->kinds);
    free(gpus);
}

static enum status open_all(const struct sensor_request *request, const struct sensor_channel *channels,
                            size_t count, void **handle, struct error *error)
{
    struct nvml_library library;
    if (open_library(request, &library, error) != STATUS_OK)
        return STATUS_UNAVAILABLE;
    struct gpus *gpus = memory_zeroed(1, sizeof *gpus);
    gpus->library = library;
    gpus->devices = memory_zeroed(count + 1, sizeof *gpus->devices);
    gpus->kinds = memory_zeroed(count + 1, sizeof *gpus->kinds);
    for (gpus->count = 0; gpus->count < count; gpus->count++) {
        unsigned device = (unsigned)(channels[gpus->count].number / KINDS_MOST);
        gpus->kinds[gpus->count] = &kinds[channels[gpus->count].number % KINDS_MOST];
        int result = library.by_index(device, &gpus->devices[gpus->count]);
        if (result == NVML_OK)
            continue;
        error_set(error, STATUS_UNAVAILABLE, "GPU %u cannot be opened: %s", device,
                  library.error_text(result));
        error_hint(error, "`nvidia-smi` uses the same library and gives details");
        close_all(gpus);
        return STATUS_UNAVAILABLE;
    }
    *handle = gpus;
    return STATUS_OK;
}

static enum status read_all(void *handle, double *t_s, double *values, struct error *error)
{
    const struct gpus *gpus = handle;
    size_t read = 0;
    int refused = NVML_OK;
    double begin_s = clock_now_s();
    for (size_t i = 0; i < gpus->count; i++) {
        const struct kind *kind = gpus->kinds[i];
        double value = NAN;
        int result = kind->read(&gpus->library, gpus->devices[i], kind->which, &value);
        values[i] = result == NVML_OK ? value * kind->scale : NAN;
        read += result == NVML_OK;
        refused = result != NVML_OK ? result : refused;
    }
    *t_s = (begin_s + clock_now_s()) / 2;
    if (read > 0)
        return STATUS_OK;
    error_set(error, STATUS_FAILED, "no GPU reports values any more: %s", gpus->library.error_text(refused));
    error_hint(error, "`dmesg | grep -i -e nvrm -e xid` shows why");
    return STATUS_FAILED;
}

static const char *const settings[] = {"library", NULL};

const struct power_sensor power_nvml = {.name = "nvml",
                                        .what = "energy, power, temperature and clocks of NVIDIA's GPUs",
                                        .type = "power",
                                        .settings = settings,
                                        .period_s = 0.02,
                                        .rank = 20,
                                        .accelerator = true,
                                        .find = find,
                                        .open = open_all,
                                        .read = read_all,
                                        .close = close_all};
