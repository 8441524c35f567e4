/* Source "timing": what run time tells on the present machine. The rates of a kernel bound by load latency
 * lie between those of the same kernel at 0 % and at 100 % misses, measured in turn with it; the core's
 * clock, and so the IPC, comes from a chain of one-cycle operations. */
#include "runner/counters/timing.h"

#include "base/json.h"
#include "base/stats.h"
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

enum timing_bound timing_find_bound(const json_t *manifest)
{
    const json_t *unit = json_object_get(json_object_get(manifest, "kernel"), "unit");
    bool loads = false;
    bool chase = true;
    bool missing = false;
    bool branches = false;
    for (size_t i = 0; i < json_array_size(unit); i++) {
        const json_t *item = json_array_get(unit, i);
        const json_t *served = json_object_get(item, "served");
        branches = branches || json_object_get(item, "accuracy") != NULL;
        if (served == NULL)
            continue;
        loads = true;
        missing = missing || json_number_or(served, "L2", 0) > 0;
        chase = chase && strcmp(json_string_or(item, "address", ""), "chase") == 0;
    }
    if (branches)
        return missing ? BOUND_OTHER : BOUND_BRANCHES;
    return loads && chase ? BOUND_LATENCY : BOUND_OTHER;
}

static void add(struct observations *list, const char *metric, struct interval interval)
{
    observations_add(list, metric, counter_timing.name, counter_timing.kind, interval.value, interval.low,
                     interval.high, (double)interval.n);
}

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
    double cycles_per_tick =
        race_instructions(race, TIMING_CLOCK) / quiet_ticks(race, TIMING_CLOCK, chosen, count);
    return race_instructions(race, TIMING_SUBJECT) /
           (quiet_ticks(race, TIMING_SUBJECT, chosen, count) * cycles_per_tick);
}

static double place_of(const size_t *chosen, size_t count, const void *context)
{
    const struct race *race = context;
    double low = quiet_ticks(race, TIMING_LOW_END, chosen, count);
    double high = quiet_ticks(race, TIMING_HIGH_END, chosen, count);
    return (quiet_ticks(race, TIMING_SUBJECT, chosen, count) - low) / (high - low);
}

static double spread_of(const size_t *chosen, size_t count, const void *context)
{
    const struct race *race = context;
    return quiet_ticks(race, TIMING_HIGH_END, chosen, count) /
           quiet_ticks(race, TIMING_LOW_END, chosen, count);
}

/* The place between the ends, as a rate that is `from` at the one and `to` at the other. */
static struct interval between(struct interval place, double from, double to)
{
    struct interval rate = {from + place.value * (to - from), from + place.low * (to - from),
                            from + place.high * (to - from), place.n};
    return rate;
}

void timing_add_ipc(const struct race *race, struct observations *list)
{
    add(list, "ipc", stats_bootstrap_rounds(race->rounds, ipc_of, race));
}

enum status timing_add_rates(const struct race *race, enum timing_bound bound, struct observations *list,
                             struct error *error)
{
    struct interval spread = stats_bootstrap_rounds(race->rounds, spread_of, race);
    if (spread.low < LEAST_SPREAD)
        return error_set(
            error, STATUS_UNAVAILABLE,
            "the kernel's time with misses alone is %.2f times that without: too little, or too noisy, to "
            "tell rates between",
            spread.value);
    struct interval place = stats_bootstrap_rounds(race->rounds, place_of, race);
    if (bound == BOUND_BRANCHES) {
        static const char metric[] = "branch.miss_rate";
        add(list, metric,
            between(place, race_expected(race, TIMING_LOW_END, metric),
                    race_expected(race, TIMING_HIGH_END, metric)));
        return STATUS_OK;
    }
    struct interval hit = {1 - place.value, 1 - place.high, 1 - place.low, place.n};
    add(list, "l1d.miss_rate", place);
    add(list, "served.L1", hit);
    add(list, "served.L2", place);
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
    return source_cannot_see(status, error);
}

static enum status observe(const struct subject *subject, struct observations *list, struct error *error)
{
    if (!subject->machine->present)
        return error_set(error, STATUS_UNAVAILABLE, "%s is not the machine that this runs on",
                         subject->machine->name);
    enum timing_bound bound = timing_find_bound(subject->manifest);
    bool rates = bound != BOUND_OTHER;
    struct race race = {0};
    enum status status = prepare(&race, subject, rates, error);
    if (status == STATUS_OK)
        status = race_run(&race, rates ? REFERENCE_ROUNDS : REFERENCE_ROUNDS / 2, error);
    if (status == STATUS_OK)
        timing_add_ipc(&race, list);
    if (status == STATUS_OK && rates)
        status = timing_add_rates(&race, bound, list, error);
    else if (status == STATUS_OK)
        status = error_set(
            error, STATUS_UNAVAILABLE,
            "rates are inferred where loads are all address = \"chase\", or where there are branches "
            "and nothing misses");
    race_free(&race);
    return status;
}

static const char *const metrics[] = {"l1d.miss_rate",    "served.L1", "served.L2",
                                      "branch.miss_rate", "ipc",       NULL};

const struct counter_source counter_timing = {
    .name = "timing", .kind = "inferred", .usable = usable, .observe = observe, .metrics = metrics};
