#include "runner/power/per_access.h"

#include "runner/results/observation.h"

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

void per_access_set(const struct manifest *manifest, double passes, json_t *power)
{
    const json_t *energy = json_object_get(power, "energy.dynamic_j");
    const char *level = sole_level(manifest);
    double accesses = level == NULL ? 0 : accesses_of(manifest, level) * passes;
    char key[64];
    if (energy == NULL || !(accesses > 0) || manifest->stores > 0 || manifest->stored.count > 0)
        return;
    struct interval each = result_interval(energy);
    each = (struct interval){each.value / accesses, each.low / accesses, each.high / accesses, each.n};
    snprintf(key, sizeof key, "energy.per_access_j.%.16s", level);
    json_object_set_new(power, key, result_interval_to_json(each));
}
