#include "runner/devices/cupti/cupti_shares.h"

#include "base/json.h"

#include <math.h>
#include <string.h>

/* Fewer sectors or instructions than this are what a launch adds, not the loop's. */
static const double FEWEST = 1000;

enum { LEVELS = 3 };
static const char *const levels[LEVELS] = {"L1", "L2", "MEM"};
static const char *const served[LEVELS] = {"served.L1", "served.L2", "served.MEM"};
static const char shared[] = "served.SHARED";

/* The first of that name; NAN when there is none, or nothing to divide by. */
static double ratio(const struct event_table *table, const double *counts, const char *metric)
{
    for (size_t i = 0; i < table->ratio_count; i++) {
        const struct event_ratio *row = &table->ratios[i];
        if (strcmp(row->metric, metric) != 0)
            continue;
        double under = row->under.count == 0 ? 1 : event_sum_value(&row->under, counts);
        return under < FEWEST ? NAN : event_sum_value(&row->over, counts) / under;
    }
    return NAN;
}

/* Loads that one sector of the level is; 0 where the manifest has none there. */
static double weight(const json_t *manifest, const char *level)
{
    double accesses = json_number_or(json_object_get(manifest, "accesses"), level, 0);
    double sectors = json_number_or(json_object_get(manifest, "transfers"), level, 0);
    return sectors > 0 ? accesses / sectors : 0;
}

static void add(struct cupti_shares *shares, const char *metric, double value)
{
    shares->metrics[shares->count] = metric;
    shares->values[shares->count++] = value;
}

/* Where the program was to have no loads a sector is as many as at its other levels, on average. */
static void fill_weights(const json_t *manifest, double weights[LEVELS])
{
    double sum = 0;
    unsigned known = 0;
    for (size_t i = 0; i < LEVELS; i++) {
        weights[i] = weight(manifest, levels[i]);
        sum += weights[i];
        known += weights[i] > 0;
    }
    for (size_t i = 0; i < LEVELS; i++)
        if (!(weights[i] > 0))
            weights[i] = known > 0 ? sum / known : 1;
}

static double loads_of(const struct event_table *table, const double *counts)
{
    double loads = 0;
    for (size_t i = 0; i < table->event_count; i++)
        if (strcmp(table->events[i].name, "global_loads") == 0 ||
            strcmp(table->events[i].name, "shared_loads") == 0)
            loads += counts[i];
    return loads;
}

void cupti_shares_make(const struct event_table *table, const double *counts, const json_t *manifest,
                       struct cupti_shares *shares)
{
    double weights[LEVELS];
    double parts[LEVELS];
    double sum = 0;
    double inside = ratio(table, counts, shared);
    *shares = (struct cupti_shares){.loads = loads_of(table, counts)};
    fill_weights(manifest, weights);
    for (size_t i = 0; i < LEVELS; i++) {
        parts[i] = fmax(ratio(table, counts, served[i]), 0) * weights[i];
        sum += parts[i];
    }
    bool caches = sum > 0 && isfinite(ratio(table, counts, served[0]));
    add(shares, shared, inside);
    for (size_t i = 0; i < LEVELS; i++)
        add(shares, served[i],
            caches        ? (1 - inside) * parts[i] / sum
            : inside == 1 ? 0
                          : NAN); /* all loads were of shared memory */
    add(shares, "l2.far_share", ratio(table, counts, "l2.far_share"));
    add(shares, "ipc", ratio(table, counts, "ipc"));
    add(shares, "l1d.miss_rate", ratio(table, counts, "l1d.miss_rate"));
    add(shares, "l2.miss_rate", ratio(table, counts, "l2.miss_rate"));
}
