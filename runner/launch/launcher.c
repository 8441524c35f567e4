/* The table of launchers: a new target is its driver's folder and one row here. */
#include "runner/launch/launcher.h"

#include "base/json.h"

#include <string.h>

static const struct launcher launchers[] = {
    {"x86_64", NULL},
    {"ptx", &cuda_driver},
};

const struct launcher *launcher_find(const char *target)
{
    for (size_t i = 0; i < sizeof launchers / sizeof launchers[0]; i++)
        if (strcmp(launchers[i].target, target) == 0)
            return &launchers[i];
    return NULL;
}

const struct launcher *launcher_of(const json_t *manifest)
{
    return launcher_find(json_string_or(manifest, "target", launchers[0].target));
}
