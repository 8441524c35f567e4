#include "runner/power/per_access.h"

#include <stdio.h>
#include <string.h>

static const double ALL = 0.99;
static const char served[] = "served.";

/* The level that serves all loads; NULL if there is none. */
static const char *sole_level(const struct manifest *manifest)
{
    for (size_t i = 0; i < manifest->expected.count; i++) {
        const struct rate *share = &manifest->expected.items[i];
        if (strncmp(share->metric, served, sizeof served - 1) == 0 && share->value >= ALL)
            return share->metric + sizeof served - 1;
    }
    return NULL;
}

/* Accesses per pass: for a GPU, the sectors or lines of the level that its whole grid moves (Delestrac et al.
 * 2024, section III-C). */
static double accesses_of(const struct manifest *manifest, const char *level)
{
    return manifest->transfers.count > 0 ? rates_get(&manifest->transfers, level, 0) : manifest->loads;
}

void per_access_set(const struct manifest *manifest, double passes, struct result_power *power,
                    struct arena *arena)
{
    const struct interval energy = result_value(&power->values, "energy.dynamic_j");
    const char *level = sole_level(manifest);
    double accesses = level == NULL ? 0 : accesses_of(manifest, level) * passes;
    char name[64];
    if (result_value_find(&power->values, "energy.dynamic_j") == NULL || !(accesses > 0) ||
        manifest->stores > 0 || manifest->stored.count > 0)
        return;
    snprintf(name, sizeof name, RESULT_PER_ACCESS "%.16s", level);
    result_value_add(
        &power->values, name,
        (struct interval){energy.value / accesses, energy.low / accesses, energy.high / accesses, energy.n},
        arena);
}
