/* Source "timing": what run time tells on the present machine. The rates of a kernel bound by load latency
 * lie between those of the same kernel at 0 % and at 100 % misses, measured in turn with it; the core's
 * clock, and so the IPC, comes from a chain of one-cycle operations. */
#include "base/json.h"
#include "base/stats.h"
#include "runner/counters/reference.h"
#include "runner/counters/source.h"

#include <string.h>

static const double REP_S = 0.0005; /* well inside a slice of the scheduler */

/* Ends nearer to each other than this tell nothing. */
static const double LEAST_SPREAD = 1.3;

static enum status usable(struct error *why_not)
{
#if defined(__x86_64__)
    (void)why_not;
    return STATUS_OK;
#else
    return error_set(why_not, STATUS_UNAVAILABLE, "this processor does not run x86-64 programs");
#endif
}

/* All loads are one chain, and there is one: nothing but their latency bounds the loop. */
static bool is_latency_bound(const json_t *manifest)
{
    const json_t *unit = json_object_get(json_object_get(manifest, "kernel"), "unit");
    size_t loads = 0;
    for (size_t i = 0; i < json_array_size(unit); i++) {
        const json_t *item = json_array_get(unit, i);
        if (json_object_get(item, "served") == NULL)
            continue;
        if (strcmp(json_string_or(item, "address", ""), "chase") != 0)
            return false;
        loads++;
    }
    return loads > 0;
}

static void add(struct observations *list, const char *metric, struct interval interval)
{
    observations_add(list, metric, counter_timing.name, counter_timing.kind, interval.value, interval.low,
                     interval.high, (double)interval.n);
}

/* Parts of the race, in the order in which they are added. */
enum { SUBJECT, CLOCK, ALL_HITS, ALL_MISSES };

/* What else runs on the machine only ever adds time: the quiet rounds are the true ones, and a fifth of the
 * rounds is quiet even on a busy machine. */
static const double QUIET = 0.2;

static double quiet_ticks(const struct race *race, size_t part, const size_t *chosen, size_t count)
{
    double ticks[REFERENCE_ROUNDS];
    for (size_t i = 0; i < count; i++)
        ticks[i] = race->ticks_per_pass[part][chosen[i]];
    return stats_quantile(ticks, count, QUIET);
}

static double ipc_of(const size_t *chosen, size_t count, const void *context)
{
    const struct race *race = context;
    double cycles_per_tick = race_instructions(race, CLOCK) / quiet_ticks(race, CLOCK, chosen, count);
    return race_instructions(race, SUBJECT) / (quiet_ticks(race, SUBJECT, chosen, count) * cycles_per_tick);
}

static double rate_of(const size_t *chosen, size_t count, const void *context)
{
    const struct race *race = context;
    double hits = quiet_ticks(race, ALL_HITS, chosen, count);
    double misses = quiet_ticks(race, ALL_MISSES, chosen, count);
    return (quiet_ticks(race, SUBJECT, chosen, count) - hits) / (misses - hits);
}

static double spread_of(const size_t *chosen, size_t count, const void *context)
{
    const struct race *race = context;
    return quiet_ticks(race, ALL_MISSES, chosen, count) / quiet_ticks(race, ALL_HITS, chosen, count);
}

static enum status observe_rates(const struct race *race, struct observations *list, struct error *error)
{
    struct interval spread = stats_bootstrap_rounds(race->rounds, spread_of, race);
    if (spread.low < LEAST_SPREAD)
        return error_set(
            error, STATUS_UNAVAILABLE,
            "the kernel's time with misses alone is %.2f times that with hits alone: too little, or too "
            "noisy, to tell rates between",
            spread.value);
    struct interval missed = stats_bootstrap_rounds(race->rounds, rate_of, race);
    struct interval hit = {1 - missed.value, 1 - missed.high, 1 - missed.low, missed.n};
    add(list, "l1d.miss_rate", missed);
    add(list, "served.L1", hit);
    add(list, "served.L2", missed);
    return STATUS_OK;
}

static enum status prepare(struct race *race, const struct subject *subject, bool rates, struct error *error)
{
    struct workshop workshop;
    race->rep_s = REP_S;
    race_add(race, subject);
    enum status status = workshop_open(subject->machine->isa, &workshop, error);
    if (status == STATUS_OK)
        status = race_add_clock(race, subject, &workshop, error);
    if (status == STATUS_OK && rates)
        status = race_add_end(race, subject, &workshop, 0, error);
    if (status == STATUS_OK && rates)
        status = race_add_end(race, subject, &workshop, 1, error);
    workshop_close(&workshop);
    return status;
}

static enum status observe(const struct subject *subject, struct observations *list, struct error *error)
{
    if (!subject->machine->present)
        return error_set(error, STATUS_UNAVAILABLE, "%s is not the machine that this runs on",
                         subject->machine->name);
    bool rates = is_latency_bound(subject->manifest);
    struct race race = {0};
    enum status status = prepare(&race, subject, rates, error);
    if (status == STATUS_OK)
        status = race_run(&race, rates ? REFERENCE_ROUNDS : REFERENCE_ROUNDS / 2, error);
    if (status == STATUS_OK)
        add(list, "ipc", stats_bootstrap_rounds(race.rounds, ipc_of, &race));
    if (status == STATUS_OK && rates)
        status = observe_rates(&race, list, error);
    else if (status == STATUS_OK)
        status = error_set(error, STATUS_UNAVAILABLE,
                           "rates are inferred for kernels whose loads are all address = \"chase\"");
    race_free(&race);
    return status;
}

static const char *const metrics[] = {"l1d.miss_rate", "served.L1", "served.L2", "ipc", NULL};

const struct counter_source counter_timing = {
    .name = "timing", .kind = "inferred", .usable = usable, .observe = observe, .metrics = metrics};
