/* The table of launchers: a new target is its driver's folder and one row here. */
#include "runner/launch/launcher.h"

#include "base/json.h"
#include "isa/isa.h"

#include <string.h>

const struct launcher launchers[] = {
    {ISA_PROCESSOR, NULL}, {"ptx", &cuda_driver}, {"gcn", &opencl_driver}, {NULL, NULL}};

const struct launcher *launcher_find(const char *target)
{
    for (size_t i = 0; launchers[i].target != NULL; i++)
        if (isa_is_listed(launchers[i].target, target))
            return &launchers[i];
    return NULL;
}

enum status launcher_any_device(const char *target, struct error *why_not)
{
    enum status status = STATUS_UNAVAILABLE;
    for (const struct launcher *row = launchers; status != STATUS_OK && row->target != NULL; row++) {
        if (row->driver == NULL || (target != NULL && strcmp(row->target, target) != 0))
            continue;
        json_t *list = launch_devices(row->driver, why_not);
        status = list != NULL ? STATUS_OK : STATUS_UNAVAILABLE;
        json_decref(list);
    }
    return status;
}

const struct launcher *launcher_of(const json_t *manifest)
{
    return launcher_find(json_string_or(manifest, "target", launchers[0].target));
}
