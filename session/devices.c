#include "session/devices.h"

#include "base/text/plural.h"

#include <stdlib.h>

enum status devices_find(unsigned device_number, const struct device_driver *driver, struct device *device,
                         struct error *error)
{
    size_t wanted = device_number, count;
    struct device *list;
    enum status status = launch_devices(driver, &list, &count, error);
    if (status == STATUS_OK && wanted >= count) {
        status = error_set(error, STATUS_USAGE, "--device %zu: there %s %zu device%s", wanted,
                           count == 1 ? "is" : "are", count, plural_s(count));
        error_hint(error, "trauma sensors lists them, from 0 on");
    }
    if (status == STATUS_OK)
        *device = list[wanted];
    free(list);
    return status;
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
    struct device device;
    enum status status = devices_find(device_number, launcher->driver, &device, error);
    return status == STATUS_OK ? launcher->driver->machine(&device, machine, error) : status;
}
