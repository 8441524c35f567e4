#include "session/execute/per_pass.h"

#include "base/json.h"

#include <stdio.h>

/* For a GPU's grid: the threads' loads by level, and the corresponding sectors. */
static void add_by_level(const char *counted, const struct rates *levels, json_t *per_pass)
{
    for (size_t i = 0; i < levels->count; i++) {
        char key[64];
        snprintf(key, sizeof key, "%s.%.32s", counted, levels->items[i].metric);
        json_object_set_new(per_pass, key, json_from_number(levels->items[i].value));
    }
}

static void add_count(const char *counted, bool stated, double count, json_t *counts)
{
    if (stated)
        json_object_set_new(counts, counted, json_from_number(count));
}

void per_pass_set(const struct manifest *manifest, json_t *point)
{
    json_t *per_pass = json_object();
    add_count("instructions", manifest->states_instructions, manifest->instructions, per_pass);
    add_count("loads", manifest->states_loads, manifest->loads, per_pass);
    add_count("stores", manifest->states_stores, manifest->stores, per_pass);
    add_by_level("accesses", &manifest->loads_by_level, per_pass);
    add_by_level("transfers", &manifest->transfers, per_pass);
    add_by_level("stored", &manifest->stored, per_pass);
    if (json_object_size(per_pass) > 0)
        json_object_set(point, "per_pass", per_pass);
    json_decref(per_pass);
    add_count("units", manifest->units > 0, manifest->units, point);
}
