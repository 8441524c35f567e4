/* An application's energy from the costs of its events (Kestor et al. 2013, section V.B, figures 6 and 7). */
#include "base/json.h"
#include "model/chart.h"
#include "model/incremental/incremental.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PARTS = 6, MOVES = 5, MOST_NAMES = 4 };

/* Parts of an application's energy. The first MOVES are data movement; the last of these is the prefetcher's.
 */
static const struct {
    const char *part, *coefficient;
    const char *counters[MOST_NAMES]; /* any of these names */
} parts[PARTS] = {
    {"L1->REG", "increment.L1", {"accesses.L1", "l1d_accesses"}},
    {"L2->L1", "increment.L2", {"l1d_misses", "l1d_load_misses"}},
    {"L3->L2", "increment.L3", {"l2_misses", "l2_misses_demand", "l2_load_misses"}},
    {"MEM->L3", "increment.MEM", {"l3_misses", "l3_load_misses", "fills_beyond"}},
    {"prefetch", "E_prefetch", {"prefetches"}},
    {"stalls", "E_stall", {"stall_cycles", "load_stall_cycles"}},
};
enum { PART_L1 = 0, PART_PREFETCH = 4 };

static void add(json_t *to, const char *part, struct interval value, const char *unit)
{
    json_array_append_new(to, json_pack("{s:s, s:f, s:f, s:f, s:s}", "part", part, "value", value.value,
                                        "low", value.low, "high", value.high, "unit", unit));
}

static double count_of(const json_t *counters, const char *const *names)
{
    double count = NAN;
    for (size_t i = 0; i < MOST_NAMES && names[i] != NULL && isnan(count); i++)
        count = json_number_or(counters, names[i], NAN);
    return count;
}

static enum status missing(const char *const *names, struct error *error)
{
    error_set(error, STATUS_USAGE, "the counters lack %s", names[0]);
    error_hint(error, "expected accesses.L1, l1d_misses, l2_misses, l3_misses, prefetches and stall_cycles; "
                      "one that is known to be 0 can be given as 0");
    return STATUS_USAGE;
}

/* A machine without L3 has no increment for it; its L2 misses go to memory. */
static enum status set_energies(const json_t *document, const json_t *counters, struct interval *energies,
                                struct error *error)
{
    struct interval cost;
    bool has_l3 = model_coefficient(document, "increment.L3", &cost);
    for (size_t i = 0; i < PARTS; i++) {
        const char *const *names = !has_l3 && i == 3 ? parts[2].counters : parts[i].counters;
        energies[i] = (struct interval){0};
        if (!has_l3 && i == 2)
            continue;
        double count = count_of(counters, names);
        if (isnan(count))
            return missing(names, error);
        if (count < 0)
            return error_set(error, STATUS_USAGE, "the counter %s is %g: expected 0 or more", names[0],
                             count);
        if (!model_coefficient(document, parts[i].coefficient, &cost))
            return error_set(error, STATUS_USAGE, "the model has no coefficient %s", parts[i].coefficient);
        energies[i] = (struct interval){count * cost.value, count * cost.low, count * cost.high, 1};
    }
    return STATUS_OK;
}

static struct interval sum(const struct interval *energies, size_t count)
{
    struct interval total = {0, 0, 0, 1};
    for (size_t i = 0; i < count; i++) {
        total.value += energies[i].value;
        total.low += energies[i].low;
        total.high += energies[i].high;
    }
    return total;
}

/* The part's share of the whole, in percent. */
static void add_share(json_t *to, const char *part, struct interval of, double whole)
{
    add(to, part, (struct interval){100 * of.value / whole, 100 * of.low / whole, 100 * of.high / whole, 1},
        "%");
}

static void add_rest(const json_t *counters, const struct interval *energies, json_t *list, json_t *notes)
{
    struct interval moved = sum(energies, MOVES);
    struct interval all = sum(energies, PARTS);
    double idle = json_number_or(counters, "static_w", NAN) * json_number_or(counters, "seconds", NAN);
    double dynamic = json_number_or(counters, "energy_j", NAN) - idle;
    if (isfinite(idle))
        add(list, "static", (struct interval){idle, idle, idle, 1}, "J");
    if (!isfinite(dynamic)) {
        json_array_append_new(
            notes, json_string("the remaining energy is unknown: it needs energy_j, static_w and seconds"));
        return;
    }
    add(list, "others", (struct interval){dynamic - all.value, dynamic - all.high, dynamic - all.low, 1},
        "J");
    if (!(dynamic > 0)) {
        json_array_append_new(
            notes, json_string("energy_j is not above static_w * seconds: no shares are computed"));
        return;
    }
    if (all.low > dynamic)
        json_array_append_new(notes, json_string("the events alone cost more than the dynamic energy: do not "
                                                 "trust this model for this application"));
    add_share(list, "data movement, of dynamic", moved, dynamic);
    add_share(list, "stalls, of dynamic", energies[PARTS - 1], dynamic);
    add_share(list, "others, of dynamic",
              (struct interval){dynamic - all.value, dynamic - all.high, dynamic - all.low, 1}, dynamic);
}

/* Every value that is used is eventually loaded from L1. */
static void judge_prefetcher(const struct interval *energies, json_t *list, json_t *notes)
{
    struct interval moved = sum(energies, MOVES);
    if (!(moved.value > 0))
        return;
    for (size_t i = 0; i < MOVES; i++)
        if (energies[i].value != 0) {
            char name[48];
            snprintf(name, sizeof name, "%s, of data movement", parts[i].part);
            add_share(list, name, energies[i], moved.value);
        }
    if (energies[PART_PREFETCH].value > energies[PART_L1].value)
        json_array_append_new(notes, json_string("prefetching takes more energy than all loads from L1: a "
                                                 "large part of what is prefetched is not used"));
}

/* Figures 6 and 7: breakdown of the dynamic energy, and of data movement. */
static void draw(const json_t *list, json_t *result)
{
    json_t *chart = chart_add(result, "Where the dynamic energy went", "", "bars", "", "Energy (J)");
    const json_t *part;
    size_t i;
    json_array_foreach(list, i, part)
    {
        const char *name = json_string_or(part, "part", "");
        if (strcmp(json_string_or(part, "unit", ""), "J") == 0 && strcmp(name, "static") != 0)
            chart_bar(chart, "", name,
                      (struct interval){json_number_or(part, "value", 0), json_number_or(part, "low", 0),
                                        json_number_or(part, "high", 0), 1});
    }
}

enum status incremental_predict(const json_t *document, const json_t *counters,
                                const struct model_settings *settings, json_t **result, struct error *error)
{
    struct interval energies[PARTS];
    (void)settings;
    enum status status = set_energies(document, counters, energies, error);
    if (status != STATUS_OK)
        return status;
    json_t *list = json_array();
    json_t *notes = json_array();
    for (size_t i = 0; i < PARTS; i++)
        if (energies[i].n > 0)
            add(list, parts[i].part, energies[i], "J");
    add_rest(counters, energies, list, notes);
    judge_prefetcher(energies, list, notes);
    *result = json_pack("{s:o, s:o}", "parts", list, "notes", notes);
    draw(list, *result);
    return STATUS_OK;
}
