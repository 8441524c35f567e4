#include "generator/plan_rates.h"

#include "generator/cache_model.h"

#include <math.h>
#include <string.h>

/* Passes simulated: enough for random replacement to settle, few enough to be quick. */
enum { LEAST_PASSES = 20 };

void rates_add(struct rates *rates, const char *metric, double value)
{
    if (rates->count < PLAN_RATES)
        rates->items[rates->count++] = (struct rate){metric, value};
}

static void rates_set(struct rates *rates, const char *metric, double value)
{
    for (size_t i = 0; i < rates->count; i++) {
        if (strcmp(rates->items[i].metric, metric) != 0)
            continue;
        rates->items[i].value = value;
        return;
    }
    rates_add(rates, metric, value);
}

double rates_get(const struct rates *rates, const char *metric, double fallback)
{
    for (size_t i = 0; i < rates->count; i++)
        if (strcmp(rates->items[i].metric, metric) == 0)
            return rates->items[i].value;
    return fallback;
}

static void add_branch_targets(struct plan *plan)
{
    double taken = 0;
    for (size_t i = 0; i < plan->kernel->count; i++) {
        const struct behaviour *item = &plan->kernel->items[i];
        if (item->is_branch && item->taken < 0)
            taken = -1;
        else if (item->is_branch && taken >= 0)
            taken += item->count * item->taken;
    }
    unsigned branches = branches_in_unit(plan->kernel);
    if (branches == 0)
        return;
    rates_add(&plan->targets, "branch.miss_rate", branches_wanted(plan->kernel));
    if (taken >= 0)
        rates_add(&plan->targets, "branch.taken_rate", taken / branches);
}

/* One word over and over: nothing toggles, and its ones are the data's. */
static void add_data(const struct plan *plan, struct rates *rates)
{
    const struct behaviour *data = kernel_data(plan->kernel);
    if (data == NULL || data->changes)
        return;
    rates_add(rates, "data.toggle_rate", 0);
    rates_add(rates, "data.ones_rate", __builtin_popcountll(data->word) / 64.0);
}

/* Words that change are placed, and so counted, after the other targets are known. The promise is the
 * recipe's share to the last bit that the loop allows: flips come in pairs, one there and one back. */
static void add_changing_data(struct plan *plan)
{
    const struct behaviour *data = kernel_data(plan->kernel);
    if (data == NULL || !data->changes)
        return;
    double pair = 2.0 / (8.0 * data->width * plan->loads);
    bool reached = data->word_count > 0 || fabs(plan->toggle_rate - data->toggle) <= pair;
    rates_add(&plan->expected, "data.toggle_rate", plan->toggle_rate);
    rates_add(&plan->expected, "data.ones_rate", plan->ones_rate);
    rates_set(&plan->targets, "data.toggle_rate", reached ? plan->toggle_rate : data->toggle);
    if (data->word_count > 0)
        rates_set(&plan->targets, "data.ones_rate", plan->ones_rate);
}

void plan_set_targets(struct plan *plan)
{
    double loads = 0;
    double l2 = 0;
    for (size_t i = 0; i < plan->kernel->count; i++) {
        const struct behaviour *item = &plan->kernel->items[i];
        loads += item->is_load ? item->count : 0;
        l2 += item->is_load ? item->count * item->served[LEVEL_L2] : 0;
    }
    plan->targets.count = 0;
    if (loads > 0) {
        rates_add(&plan->targets, "l1d.miss_rate", l2 / loads);
        rates_add(&plan->targets, "l2.miss_rate", 0);
        rates_add(&plan->targets, "served.L1", 1 - l2 / loads);
        rates_add(&plan->targets, "served.L2", l2 / loads);
    }
    add_branch_targets(plan);
    add_data(plan, &plan->targets);
}

struct tally {
    double loads, l1_misses, l2_misses;
};

static void simulate_pass(const struct plan *plan, unsigned pass, struct cache_model *l1,
                          struct cache_model *l2, struct tally *tally)
{
    for (size_t i = 0; i < plan->slot_count; i++) {
        if (plan->slots[i].service == SERVICE_NONE)
            continue;
        uint64_t offset = plan_offset(plan, &plan->slots[i], pass);
        tally->loads++;
        if (cache_model_access(l1, offset))
            continue;
        tally->l1_misses++;
        tally->l2_misses += !cache_model_access(l2, offset);
    }
}

double plan_simulate(struct plan *plan)
{
    plan->expected.count = 0;
    if (plan->branches.total > 0) {
        rates_add(&plan->expected, "branch.miss_rate", branches_miss_rate(&plan->branches));
        rates_add(&plan->expected, "branch.taken_rate", branches_taken_rate(&plan->branches));
    }
    add_data(plan, &plan->expected);
    add_changing_data(plan);
    if (plan->loads == 0)
        return 0;
    struct cache_model *l1 = cache_model_new(&plan->machine->l1d);
    struct cache_model *l2 = cache_model_new(&plan->machine->l2);
    unsigned period = plan->sizing.period;
    unsigned passes = (LEAST_PASSES + period - 1) / period * period;
    struct tally warm = {0};
    struct tally tally = {0};
    for (unsigned pass = 0; pass < 2 * period; pass++)
        simulate_pass(plan, pass % period, l1, l2, &warm);
    for (unsigned pass = 0; pass < passes; pass++)
        simulate_pass(plan, pass % period, l1, l2, &tally);
    cache_model_free(l1);
    cache_model_free(l2);
    rates_add(&plan->expected, "l1d.miss_rate", tally.l1_misses / tally.loads);
    if (tally.l1_misses > 0)
        rates_add(&plan->expected, "l2.miss_rate", tally.l2_misses / tally.l1_misses);
    rates_add(&plan->expected, "served.L1", 1 - tally.l1_misses / tally.loads);
    rates_add(&plan->expected, "served.L2", (tally.l1_misses - tally.l2_misses) / tally.loads);
    return fabs(tally.l1_misses / tally.loads - rates_get(&plan->targets, "l1d.miss_rate", 0));
}
