/* The sensors "hwmon" and "hwmon-gpu": power and energy and, for graphics cards, temperatures and clocks, by
 * Linux hwmon (Documentation/hwmon/sysfs-interface). A folder hwmonN is identified by the driver's `name`, as
 * N changes from boot to boot, and distinguished from others of the same driver by its device. */
#include "base/memory.h"
#include "runner/power/sensor.h"
#include "runner/power/sensors/file_channels.h"

#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DRIVER_BYTES = 48, DEVICE_BYTES = 48, WHOLE_NEVER = 99 };

/* The channels of drivers. The first driver listed here that has a whole channel on this machine supplies the
 * sensor's total. Channels of other drivers are parts, and not in the total. */
static const struct driver {
    const char *name;
    const char *whole; /* whole channels have labels that start like this; "": all; NULL: none */
    bool gpu;
} drivers[] = {
    /* A counter for each core and each socket. */
    {"amd_energy", "Esocket", false},
    {"zenergy", "Esocket", false},
    /* Reading the average takes as long as its averaging time, 10 ms by default. */
    {"fam15h_power", "", false},
    /* Cores and the rest of the chip, from their voltage regulators: their sum is the processor's power. */
    {"zenpower", "", false},
    {"sbrmi", "", false},
    {"apm_xgene", "", false},
    /* ACPI's meter, at the power supply: averages over a second or more. */
    {"power_meter", "", false},
    /* Shunts on a board: the rail of each is in the board's schematic only. */
    {"ina209", NULL, false},
    {"ina219", NULL, false},
    {"ina220", NULL, false},
    {"ina226", NULL, false},
    {"ina230", NULL, false},
    {"ina231", NULL, false},
    {"ina2xx", NULL, false},
    /* Driver and firmware update these every 1 to 100 ms, depending on the chip; older chips only have an
     * average. */
    {"amdgpu", "", true},
    {"radeon", "", true},
    {"nouveau", "", true},
    {"i915", "", true},
    {"i915_gt0", NULL, true},
    {"i915_gt1", NULL, true},
    {"xe", "card", true}, /* contains its "pkg" */
};
enum { DRIVER_COUNT = sizeof drivers / sizeof drivers[0] };

/* The kind of a file, by the start and end of its name. If one power is available in several forms, one
 * counts as whole: the counter, else the instant power, else the average. */
static const struct file_kind {
    const char *prefix, *suffix;
    enum sensor_quantity quantity;
    const char *way; /* its form; "": the only one */
    int order;       /* the lowest one is whole; WHOLE_NEVER: none */
    bool gpu_only;
} kinds[] = {
    {"energy", "_input", SENSOR_ENERGY, "", 0, false},
    {"power", "_input", SENSOR_POWER, " instant", 1, false},
    {"power", "_average", SENSOR_POWER, " average", 2, false},
    {"temp", "_input", SENSOR_TEMPERATURE, "", WHOLE_NEVER, true},
    {"freq", "_input", SENSOR_CLOCK, "", WHOLE_NEVER, true},
};
enum { KIND_COUNT = sizeof kinds / sizeof kinds[0] };

/* A hwmon folder being scanned. */
struct hwmon_place {
    char folder[FILE_PATH_BYTES];
    char driver[DRIVER_BYTES];
    char device[DEVICE_BYTES]; /* "@0000:03:00.0"; "" if the folder does not name its device */
    size_t index;              /* of the folders */
    size_t row;                /* index of the driver; DRIVER_COUNT: none */
};

/* The data that decides whether a channel is whole. */
struct origin {
    size_t row;   /* of drivers */
    size_t place; /* of the folders */
    int order;
};

struct hwmon_finding {
    struct sensor_channel *channels;
    struct origin *origins; /* of the channels */
    size_t count, capacity;
    bool gpu;
    size_t unread; /* existing files that cannot be read */
    int number;    /* errno of the first of them */
    char path[SENSOR_PATH_BYTES];
};

static size_t driver_row(const char *driver)
{
    size_t i = 0;
    while (i < DRIVER_COUNT && strcmp(drivers[i].name, driver) != 0)
        i++;
    return i;
}

static bool begins_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* False if the folder is no driver's, or is of the other kind. */
static bool enter(const char *root, const char *name, bool gpu, struct hwmon_place *place)
{
    char link[FILE_PATH_BYTES];
    char target[FILE_PATH_BYTES];
    file_join(place->folder, root, name);
    if (!file_channel_line(place->folder, "name", place->driver, sizeof place->driver))
        return false;
    place->row = driver_row(place->driver);
    place->device[0] = '\0';
    ssize_t length = readlink(file_join(link, place->folder, "device"), target, sizeof target - 1);
    if (length > 0) {
        target[length] = '\0';
        snprintf(place->device, sizeof place->device, "@%.40s", file_base_name(target));
    }
    return gpu == (place->row < DRIVER_COUNT && drivers[place->row].gpu);
}

static const struct file_kind *kind_of(const char *file)
{
    for (size_t i = 0; i < KIND_COUNT; i++)
        if (begins_with(file, kinds[i].prefix) && file_ends_with(file, kinds[i].suffix))
            return &kinds[i];
    return NULL;
}

/* Whether the driver updates the channel, or all channels, too rarely to show a second's work. */
static bool is_slow(const struct hwmon_place *place, const char *stem)
{
    static const double SLOW_MS = 500;
    char files[2][FILE_PATH_BYTES] = {"", "update_interval"};
    char line[32];
    snprintf(files[0], sizeof files[0], "%s_interval", stem);
    for (size_t i = 0; i < 2; i++)
        if (file_channel_line(place->folder, files[i], line, sizeof line) && strtod(line, NULL) >= SLOW_MS)
            return true;
    return false;
}

/* Whether the channel may stay the same while some core works: a graphics card's, another core's, or a slow
 * one. */
static bool may_stand(const struct hwmon_place *place, const char *file, const struct sensor_channel *channel)
{
    bool known = place->row < DRIVER_COUNT;
    const char *whole = known ? drivers[place->row].whole : NULL;
    if (channel->quantity == SENSOR_ENERGY)
        return known && !drivers[place->row].gpu && whole != NULL && !channel->whole;
    return (known && drivers[place->row].gpu) || is_slow(place, file);
}

/* "PPT instant", or "power1 instant" if the driver has no label. */
static void describe(const struct hwmon_place *place, const char *file, const struct file_kind *kind,
                     struct sensor_channel *found)
{
    char path[FILE_PATH_BYTES];
    char label[SENSOR_LABEL_BYTES];
    int stem = (int)(strlen(file) - strlen(kind->suffix));
    *found = (struct sensor_channel){.quantity = kind->quantity};
    snprintf(path, sizeof path, "%.*s_label", stem, file);
    if (!file_channel_line(place->folder, path, label, sizeof label))
        snprintf(label, sizeof label, "%.*s", stem < 40 ? stem : 40, file);
    snprintf(found->label, sizeof found->label, "%.50s%s", label, kind->way);
    snprintf(found->name, sizeof found->name, "%s%s:%.31s", place->driver, place->device, found->label);
    snprintf(found->path, sizeof found->path, "%.511s", file_join(path, place->folder, file));
    if (place->row < DRIVER_COUNT && drivers[place->row].gpu && place->device[0] == '@')
        snprintf(found->pci, sizeof found->pci, "%.23s", place->device + 1);
    const char *whole = place->row < DRIVER_COUNT ? drivers[place->row].whole : NULL;
    found->whole = kind->order != WHOLE_NEVER && whole != NULL && begins_with(found->label, whole);
    found->may_stand = may_stand(place, file, found);
}

/* For channels that neither label nor device distinguishes. */
static void make_unique(struct hwmon_finding *finding, struct sensor_channel *found)
{
    size_t length = strlen(found->name);
    for (size_t i = 0; i < finding->count; i++)
        if (strcmp(finding->channels[i].name, found->name) == 0) {
            snprintf(found->name + length, sizeof found->name - length, "#%zu", finding->count);
            return;
        }
}

/* Adds the file's channel if it may be whole, or else may not. */
static void take_file(const struct hwmon_place *place, const char *file, bool whole,
                      struct hwmon_finding *finding)
{
    const struct file_kind *kind = kind_of(file);
    double value;
    if (kind == NULL || (kind->gpu_only && !finding->gpu) || finding->count == finding->capacity)
        return;
    struct sensor_channel *found = &finding->channels[finding->count];
    describe(place, file, kind, found);
    if (found->whole != whole)
        return;
    make_unique(finding, found);
    int number = file_channel_read(found->path, found->quantity, &value);
    if (number != 0 && finding->unread++ == 0) {
        finding->number = number;
        memcpy(finding->path, found->path, sizeof finding->path);
    }
    if (number != 0)
        return;
    finding->origins[finding->count++] = (struct origin){place->row, place->index, kind->order};
}

/* Whether a whole channel of the same device has a better form. */
static bool has_better_form(const struct hwmon_finding *finding, size_t channel)
{
    const struct origin *origin = &finding->origins[channel];
    for (size_t i = 0; i < finding->count; i++)
        if (finding->channels[i].whole && finding->origins[i].place == origin->place &&
            finding->origins[i].order < origin->order)
            return true;
    return false;
}

/* Leaves whole channels only to one driver, and for each of its devices only in the best available form. */
static void choose_whole(struct hwmon_finding *finding)
{
    size_t row = DRIVER_COUNT;
    for (size_t i = 0; i < finding->count; i++)
        if (finding->channels[i].whole && finding->origins[i].row < row)
            row = finding->origins[i].row;
    for (size_t i = 0; i < finding->count; i++)
        if (finding->origins[i].row != row || has_better_form(finding, i)) {
            finding->channels[i].spare = finding->channels[i].whole && finding->origins[i].row == row;
            finding->channels[i].whole = false;
        }
}

static bool has_power(const struct hwmon_finding *finding)
{
    for (size_t i = 0; i < finding->count; i++)
        if (finding->origins[i].order != WHOLE_NEVER)
            return true;
    return false;
}

static enum status nothing_found(const struct hwmon_finding *finding, const char *root, struct error *error)
{
    if (finding->unread > 0) {
        error_set(error, STATUS_UNAVAILABLE, "cannot read any hwmon power file: %s: %s", finding->path,
                  strerror(finding->number));
        error_hint(error, "sudo chmod a+r %s, or run as root; a suspended card reports nothing",
                   finding->path);
    } else if (finding->gpu) {
        error_set(error, STATUS_UNAVAILABLE, "no graphics card under %s reports power or energy", root);
        error_hint(error,
                   "amdgpu, radeon, nouveau, i915 and xe do; NVIDIA's own driver reports to nvml instead");
    } else {
        error_set(error, STATUS_UNAVAILABLE, "no driver under %s reports power or energy", root);
        error_hint(error, "a virtual machine has none; on a real one load the chip's driver, such as "
                          "`sudo modprobe fam15h_power`");
    }
    return STATUS_UNAVAILABLE;
}

static void look_through(const char *root, bool whole, struct hwmon_finding *finding)
{
    char **names = file_list(root, "");
    for (char **name = names; name != NULL && *name != NULL; name++) {
        struct hwmon_place place = {.index = (size_t)(name - names)};
        if (!enter(root, *name, finding->gpu, &place))
            continue;
        char **files = file_list(place.folder, "");
        for (char **file = files; file != NULL && *file != NULL; file++)
            take_file(&place, *file, whole, finding);
        file_free_names(files);
    }
    file_free_names(names);
}

static enum status find(const struct sensor_request *request, bool gpu, struct sensor_channel *channels,
                        size_t capacity, size_t *count, struct error *error)
{
    char root[FILE_PATH_BYTES];
    struct hwmon_finding finding = {.channels = channels, .capacity = capacity, .gpu = gpu};
    finding.origins = memory_zeroed(capacity + 1, sizeof *finding.origins);
    snprintf(root, sizeof root, "%s/sys/class/hwmon", request->root);
    /* With a hundred cores some counters may not fit; whole ones come first, so that they do. */
    look_through(root, true, &finding);
    look_through(root, false, &finding);
    choose_whole(&finding);
    bool found = has_power(&finding);
    *count = found ? finding.count : 0;
    free(finding.origins);
    return found ? STATUS_OK : nothing_found(&finding, root, error);
}

static enum status find_host(const struct sensor_request *request, struct sensor_channel *channels,
                             size_t capacity, size_t *count, struct error *error)
{
    return find(request, false, channels, capacity, count, error);
}

static enum status find_gpu(const struct sensor_request *request, struct sensor_channel *channels,
                            size_t capacity, size_t *count, struct error *error)
{
    return find(request, true, channels, capacity, count, error);
}

const struct power_sensor power_hwmon = {.name = "hwmon",
                                         .what = "power of processors and boards from other drivers (hwmon)",
                                         .type = "power",
                                         .period_s = 0.02,
                                         .rank = 20,
                                         .find = find_host,
                                         .open = file_channels_open,
                                         .read = file_channels_read,
                                         .close = file_channels_close};

const struct power_sensor power_hwmon_gpu = {.name = "hwmon-gpu",
                                             .what =
                                                 "power, temperature and clocks of graphics cards (hwmon)",
                                             .type = "power",
                                             .period_s = 0.02,
                                             .rank = 20,
                                             .accelerator = true,
                                             .find = find_gpu,
                                             .open = file_channels_open,
                                             .read = file_channels_read,
                                             .close = file_channels_close};
