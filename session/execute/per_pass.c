#include "session/execute/per_pass.h"

#include <stdio.h>

static void add(const char *counted, bool stated, double count, struct result_point *point)
{
    if (stated)
        result_value_add(&point->per_pass, counted, (struct interval){count, count, count, 1}, &point->arena);
}

/* For a GPU's grid: the threads' loads by level, and the corresponding sectors. */
static void add_by_level(const char *counted, const struct rates *levels, struct result_point *point)
{
    for (size_t i = 0; i < levels->count; i++) {
        char key[64];
        snprintf(key, sizeof key, "%s.%.32s", counted, levels->items[i].metric);
        add(key, true, levels->items[i].value, point);
    }
}

void per_pass_set(const struct manifest *manifest, struct result_point *point)
{
    add("instructions", manifest->states_instructions, manifest->instructions, point);
    add("loads", manifest->states_loads, manifest->loads, point);
    add("stores", manifest->states_stores, manifest->stores, point);
    add_by_level("accesses", &manifest->loads_by_level, point);
    add_by_level("transfers", &manifest->transfers, point);
    add_by_level("stored", &manifest->stored, point);
    if (manifest->units > 0)
        point->units = manifest->units;
}
