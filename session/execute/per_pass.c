#include "session/execute/per_pass.h"

#include <stdio.h>

/* For a GPU's grid: the threads' loads by level, and the corresponding sectors. */
static void add_by_level(const json_t *manifest, const char *counted, json_t *per_pass)
{
    const char *level;
    json_t *count;
    json_object_foreach(json_object_get(manifest, counted), level, count)
    {
        char key[64];
        snprintf(key, sizeof key, "%s.%.32s", counted, level);
        if (json_is_number(count))
            json_object_set(per_pass, key, count);
    }
}

void per_pass_set(const json_t *manifest, json_t *point)
{
    static const char *const counted[] = {"instructions", "loads", "stores"};
    json_t *per_pass = json_object();
    for (size_t i = 0; i < sizeof counted / sizeof counted[0]; i++)
        if (json_object_get(manifest, counted[i]) != NULL)
            json_object_set(per_pass, counted[i], json_object_get(manifest, counted[i]));
    add_by_level(manifest, "accesses", per_pass);
    add_by_level(manifest, "transfers", per_pass);
    add_by_level(manifest, "stored", per_pass);
    if (point != NULL && json_object_size(per_pass) > 0)
        json_object_set(point, "per_pass", per_pass);
    json_decref(per_pass);
}
