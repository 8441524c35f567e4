#include "session/devices.h"

#include "base/json.h"
#include "base/text/plural.h"

#include <stdio.h>
#include <string.h>

json_t *devices_find(unsigned device_number, const struct device_driver *driver, struct error *error)
{
    size_t wanted = device_number;
    json_t *list = launch_devices(driver, error);
    size_t count = json_array_size(list);
    json_t *device = json_incref(json_array_get(list, wanted));
    if (list != NULL && device == NULL) {
        error_set(error, STATUS_USAGE, "--device %zu: there %s %zu device%s", wanted,
                  count == 1 ? "is" : "are", count, plural_s(count));
        error_hint(error, "trauma sensors lists them, from 0 on");
    }
    json_decref(list);
    return device;
}

enum status devices_detect(unsigned device_number, const char *target, struct machine *machine,
                           struct error *error)
{
    const struct launcher *launcher = launcher_find(target);
    *machine = (struct machine){0};
    if (launcher == NULL || launcher->driver == NULL) {
        error_set(error, STATUS_USAGE, "trauma machine detect -t %s: expected the target of a GPU", target);
        error_hint(
            error,
            "-t ptx describes an NVIDIA GPU, -t gcn an AMD GPU; without -t the processor is described");
        return STATUS_USAGE;
    }
    json_t *device = devices_find(device_number, launcher->driver, error);
    if (device == NULL)
        return error->code;
    enum status status = launcher->driver->machine(device, machine, error);
    json_decref(device);
    return status;
}

static void add_device(const struct device_driver *driver, const json_t *device, json_t *channels)
{
    char name[32];
    char label[160];
    snprintf(name, sizeof name, "%s:%d", driver->name, (int)json_number_or(device, "ordinal", 0));
    const char *arch = json_string_or(device, "arch", "");
    snprintf(label, sizeof label, "%.80s%s%.16s, %d %s, %.1f GiB", json_string_or(device, "name", "?"),
             arch[0] == '\0' ? "" : ", ", arch, (int)json_number_or(device, driver->count, 0),
             driver->counted, json_number_or(device, "memory", 0) / (1 << 30));
    json_array_append_new(channels,
                          json_pack("{s:s, s:s, s:O}", "name", name, "label", label, "device", device));
}

void devices_describe(json_t *entries)
{
    for (const struct launcher *launcher = launchers; launcher->target != NULL; launcher++) {
        struct error why_not = {0};
        char observes[64];
        if (launcher->driver == NULL)
            continue;
        json_t *list = launch_devices(launcher->driver, &why_not);
        json_t *channels = json_array();
        for (size_t i = 0; i < json_array_size(list); i++)
            add_device(launcher->driver, json_array_get(list, i), channels);
        snprintf(observes, sizeof observes, "runs programs of -t %s", launcher->target);
        bool there = list != NULL;
        json_array_append_new(entries, json_pack("{s:s, s:s, s:s, s:b, s:[s], s:o, s:s?, s:s?}", "name",
                                                 launcher->driver->name, "type", "device", "kind", "measured",
                                                 "usable", there, "observes", observes, "channels", channels,
                                                 "reason", there ? NULL : why_not.message, "hint",
                                                 there || why_not.hint[0] == '\0' ? NULL : why_not.hint));
        json_decref(list);
    }
}
