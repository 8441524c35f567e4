#include "runner/power/per_access.h"

#include "base/json.h"

#include <stdio.h>
#include <string.h>

static const double ALL = 0.99;
static const char served[] = "served.";

/* The level that serves all loads; NULL if there is none. */
static const char *sole_level(const json_t *manifest)
{
    const char *metric;
    json_t *share;
    json_object_foreach(json_object_get(manifest, "expected"), metric,
                        share) if (strncmp(metric, served, sizeof served - 1) == 0 &&
                                   json_number_value(share) >= ALL) return metric +
        sizeof served - 1;
    return NULL;
}

/* Accesses per pass: for a GPU, the sectors or lines of the level that its whole grid moves (Delestrac et al.
 * 2024, section III-C). */
static double accesses_of(const json_t *manifest, const char *level)
{
    const json_t *transfers = json_object_get(manifest, "transfers");
    return json_is_object(transfers) ? json_number_or(transfers, level, 0)
                                     : json_number_or(manifest, "loads", 0);
}

void per_access_set(const json_t *manifest, double passes, json_t *power)
{
    static const char *const ends[] = {"value", "low", "high"};
    const json_t *energy = json_object_get(power, "energy.dynamic_j");
    const char *level = sole_level(manifest);
    double accesses = level == NULL ? 0 : accesses_of(manifest, level) * passes;
    char key[64];
    if (energy == NULL || !(accesses > 0) || json_number_or(manifest, "stores", 0) > 0 ||
        json_object_get(manifest, "stored") != NULL)
        return;
    json_t *each = json_object();
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        json_object_set_new(each, ends[i], json_real(json_number_or(energy, ends[i], 0) / accesses));
    json_object_set(each, "n", json_object_get(energy, "n"));
    snprintf(key, sizeof key, "energy.per_access_j.%.16s", level);
    json_object_set_new(power, key, each);
}
