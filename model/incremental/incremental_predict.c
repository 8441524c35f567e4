/* Predicts an application's energy from the costs of its events (Kestor et al. 2013, section V.B, figures 6
 * and 7). */
#include "model/chart.h"
#include "model/data/counters.h"
#include "model/incremental/incremental.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PARTS = 6, MOVES = 5, MOST_NAMES = 4 };

/* Parts of an application's energy. The first MOVES are data movement. */
static const struct {
    const char *part, *coefficient;
    const char *counters[MOST_NAMES]; /* the names of its counter; the first that is given counts */
} parts[PARTS] = {
    {"L1->REG", "increment.L1", {"accesses.L1", "l1d_accesses"}},
    {"L2->L1", "increment.L2", {"l1d_misses", "l1d_load_misses"}},
    {"L3->L2", "increment.L3", {"l2_misses", "l2_misses_demand", "l2_load_misses"}},
    {"MEM->L3", "increment.MEM", {"l3_misses", "l3_load_misses", "fills_beyond"}},
    {"prefetch", "E_prefetch", {"prefetches"}},
    {"stalls", "E_stall", {"stall_cycles", "load_stall_cycles"}},
};
enum { PART_L1 = 0, PART_PREFETCH = 4 };

static double count_of(const struct named_numbers *counters, const char *const *names)
{
    double count = NAN;
    for (size_t i = 0; i < MOST_NAMES && names[i] != NULL && isnan(count); i++)
        count = named_number_value(counters, names[i]);
    return count;
}

static enum status missing(const char *const *names, struct error *error)
{
    (void)counters_lack(names[0], "", error);
    error_hint(error, "expected accesses.L1, l1d_misses, l2_misses, l3_misses, prefetches and stall_cycles; "
                      "one that is known to be 0 can be given as 0");
    return STATUS_USAGE;
}

/* Sets energies[PARTS]; n is 0 for a part that the machine lacks. Without L3, the model has no increment for
 * it, and memory serves the L2 misses. */
static enum status set_energies(const struct model_result *model, const struct named_numbers *counters,
                                struct interval *energies, struct error *error)
{
    struct interval cost;
    bool has_l3 = model_coefficient(model, "increment.L3", &cost);
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
        if (!model_coefficient(model, parts[i].coefficient, &cost))
            return error_set(error, STATUS_USAGE, "the model has no coefficient %s", parts[i].coefficient);
        energies[i] = interval_times(cost, count);
        energies[i].n = 1;
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

/* Adds the part's share of the whole, in percent. */
static void add_share(struct model_result *to, const char *part, struct interval of, double whole)
{
    model_add_part(to, part,
                   (struct interval){100 * of.value / whole, 100 * of.low / whole, 100 * of.high / whole, 1},
                   "%", false);
}

static void add_rest(const struct named_numbers *counters, const struct interval *energies,
                     struct model_result *result)
{
    struct interval moved = sum(energies, MOVES);
    struct interval all = sum(energies, PARTS);
    double idle = named_number_value(counters, "static_w") * named_number_value(counters, "seconds");
    double dynamic = named_number_value(counters, "energy_j") - idle;
    if (isfinite(idle))
        model_add_part(result, "static", interval_exact(idle), "J", false);
    if (!isfinite(dynamic)) {
        model_note(result, "the remaining energy is unknown: it needs energy_j, static_w and seconds");
        return;
    }
    const struct interval others = {dynamic - all.value, dynamic - all.high, dynamic - all.low, 1};
    model_add_part(result, "others", others, "J", false);
    if (!(dynamic > 0)) {
        model_note(result, "energy_j is not above static_w * seconds: no shares are computed");
        return;
    }
    if (all.low > dynamic)
        model_note(result, "the events alone cost more than the dynamic energy: do not trust this model for "
                           "this application");
    add_share(result, "data movement, of dynamic", moved, dynamic);
    add_share(result, "stalls, of dynamic", energies[PARTS - 1], dynamic);
    add_share(result, "others, of dynamic", others, dynamic);
}

/* Compares prefetches with loads from L1: every value that is used is eventually loaded from L1. */
static void judge_prefetcher(const struct interval *energies, struct model_result *result)
{
    struct interval moved = sum(energies, MOVES);
    if (!(moved.value > 0))
        return;
    for (size_t i = 0; i < MOVES; i++)
        if (energies[i].value != 0) {
            char name[48];
            snprintf(name, sizeof name, "%s, of data movement", parts[i].part);
            add_share(result, name, energies[i], moved.value);
        }
    if (energies[PART_PREFETCH].value > energies[PART_L1].value)
        model_note(result, "prefetching takes more energy than all loads from L1: a large part of what is "
                           "prefetched is not used");
}

enum status incremental_predict(const struct model_result *model, const struct named_numbers *counters,
                                const struct model_settings *settings, struct model_result *result,
                                struct error *error)
{
    struct interval energies[PARTS];
    (void)settings;
    enum status status = set_energies(model, counters, energies, error);
    if (status != STATUS_OK)
        return status;
    model_states(result, "parts");
    model_states(result, "notes");
    for (size_t i = 0; i < PARTS; i++)
        if (energies[i].n > 0)
            model_add_part(result, parts[i].part, energies[i], "J", false);
    add_rest(counters, energies, result);
    judge_prefetcher(energies, result);
    /* Figures 6 and 7: breakdown of the dynamic energy, and of data movement. */
    model_chart_parts(result, "Where the dynamic energy went", "J", "static", "Energy (J)");
    return STATUS_OK;
}
