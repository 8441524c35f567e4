#include "runner/simulators/simulator.h"

#include "base/units.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const struct simulator simulator_champsim, simulator_gem5, simulator_cachegrind, simulator_drcachesim,
    simulator_csv;

const struct simulator *const simulators[] = {&simulator_champsim,   &simulator_gem5, &simulator_cachegrind,
                                              &simulator_drcachesim, &simulator_csv,  NULL};

const char *const simulated_names[SIMULATED_COUNTS] = {
    "instructions",     "loads",      "stores",          "l1d.accesses", "l1d.load_misses",
    "l1d.store_misses", "l1d.misses", "l2.accesses",     "l2.misses",    "l3.accesses",
    "l3.misses",        "branches",   "branches.missed", "dtlb.misses"};

const char *const simulated_rate_names[SIMULATED_RATES] = {
    "l1d.miss_rate",         "l2.miss_rate",     "l3.miss_rate",  "store share",
    "store share of misses", "branch.miss_rate", "dtlb.miss_rate"};

enum status simulator_find(const char *name, const struct simulator **found, struct error *error)
{
    struct buffer names = {0};
    for (size_t i = 0; simulators[i] != NULL; i++) {
        *found = simulators[i];
        if (strcmp(simulators[i]->name, name) == 0) {
            buffer_free(&names);
            return STATUS_OK;
        }
        buffer_printf(&names, "%s%s", i == 0 ? "" : ", ", simulators[i]->name);
    }
    error_set(error, STATUS_USAGE, "there is no reader for the statistics of a simulator '%s'", name);
    error_hint(error, "known are %s; csv reads a table of any other simulator's counts", names.data);
    buffer_free(&names);
    return STATUS_USAGE;
}

enum status simulator_check_sets(const char *simulator, const char *name, const struct cache *cache,
                                 struct error *error)
{
    unsigned sets = cache_sets(cache), nearest = 1;
    if (units_is_power_of_two(sets) || cache->size == 0)
        return STATUS_OK;
    while (nearest * 2 <= sets)
        nearest *= 2;
    error_set(error, STATUS_USAGE, "%s needs a power of two as a cache's number of sets; %s has %u",
              simulator, name, sets);
    error_hint(error, "the next smaller one is %u sets: %llu bytes", nearest,
               (unsigned long long)nearest * cache->ways * cache->line);
    return STATUS_USAGE;
}

void simulated_stats_clear(struct simulated_stats *stats)
{
    for (size_t i = 0; i < SIMULATED_COUNTS; i++)
        stats->of[i] = NAN;
}

void simulated_stats_add(struct simulated_stats *stats, enum simulated_count count, double value)
{
    if (!isnan(value))
        stats->of[count] = (isnan(stats->of[count]) ? 0 : stats->of[count]) + value;
}

double simulated_number(const char *text, const char *mark)
{
    const char *at = strstr(text, mark);
    double value = 0;
    if (at == NULL)
        return NAN;
    at += strlen(mark);
    at += strspn(at, " \t");
    if (!isdigit((unsigned char)*at))
        return NAN;
    for (; isdigit((unsigned char)*at) || (*at == ',' && isdigit((unsigned char)at[1])); at++)
        value = *at == ',' ? value : value * 10 + (*at - '0');
    return value;
}

enum status simulated_refuse(const struct simulated_text *from, const char *expected, struct error *error)
{
    error_set(error, STATUS_USAGE, "%s has no statistics of caches or branches", from->path);
    error_hint(error, "expected %s", expected);
    return STATUS_USAGE;
}

static double share(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

static double or_sum(double whole, double a, double b)
{
    return !isnan(whole) ? whole : !isnan(a) && !isnan(b) ? a + b : a;
}

void simulated_complete(struct simulated_stats *stats, const struct simulated_known *known)
{
    double *of = stats->of;
    double instructions = of[SIMULATED_INSTRUCTIONS];
    if (isnan(of[SIMULATED_ACCESSES]) && isnan(of[SIMULATED_LOADS]))
        of[SIMULATED_ACCESSES] = instructions * known->accesses;
    if (isnan(of[SIMULATED_BRANCHES]))
        of[SIMULATED_BRANCHES] = instructions * known->branches;
}

void simulated_rates(const struct simulated_stats *stats, double rates[SIMULATED_RATES])
{
    const double *of = stats->of;
    double accesses = or_sum(of[SIMULATED_ACCESSES], of[SIMULATED_LOADS], of[SIMULATED_STORES]);
    double l1d =
        or_sum(of[SIMULATED_L1D_MISSES], of[SIMULATED_L1D_LOAD_MISSES], of[SIMULATED_L1D_STORE_MISSES]);
    double l2 = isnan(of[SIMULATED_L2_ACCESSES]) ? l1d : of[SIMULATED_L2_ACCESSES];
    double l3 = isnan(of[SIMULATED_L3_ACCESSES]) ? of[SIMULATED_L2_MISSES] : of[SIMULATED_L3_ACCESSES];
    rates[RATE_L1D] = share(l1d, accesses);
    rates[RATE_L2] = share(of[SIMULATED_L2_MISSES], l2);
    rates[RATE_L3] = share(of[SIMULATED_L3_MISSES], l3);
    rates[RATE_STORES] = share(of[SIMULATED_STORES], of[SIMULATED_LOADS] + of[SIMULATED_STORES]);
    rates[RATE_STORE_MISSES] =
        share(of[SIMULATED_L1D_STORE_MISSES], of[SIMULATED_L1D_LOAD_MISSES] + of[SIMULATED_L1D_STORE_MISSES]);
    rates[RATE_BRANCH] = share(of[SIMULATED_BRANCH_MISSES], of[SIMULATED_BRANCHES]);
    rates[RATE_TLB] = share(of[SIMULATED_TLB_MISSES], accesses);
}
