/* Source "timing": what run time tells on the present machine. The rates of a kernel bound by load latency
 * lie between those of the same kernel at 0 % and at 100 % misses, measured in turn with it; the core's
 * clock, and so the IPC, comes from a chain of one-cycle operations. Of GPUs' programs timing_device.h tells.
 */
#include "runner/counters/timing.h"

#include "base/json.h"
#include "base/stats.h"
#include "runner/counters/source.h"
#include "runner/counters/timing_device.h"
#include "runner/verdict.h"

#include <string.h>

enum { BRIEF_ROUNDS = 9 };
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

/* A kernel slower than its own slow end, or quicker than the quick one, by more than this share of what lies
 * between was not measured under the same conditions as these: its time is no rate. */
static const double BEYOND = 0.1;

/* What the unit's loads and branches are, as far as time tells of them. */
struct nature {
    bool loads, chase, branches, stores, walks;
    bool text; /* the recipe's own, which may take any time */
    bool code; /* the front end waits for lines of code too */
    bool levels[LEVEL_COUNT];
};

static void look_at(const json_t *item, struct nature *nature)
{
    const json_t *served = json_object_get(item, "served");
    bool load = strcmp(json_string_or(item, "op", ""), "load") == 0;
    nature->branches = nature->branches || json_object_get(item, "accuracy") != NULL;
    nature->text = nature->text || json_object_get(item, "text") != NULL;
    nature->code = nature->code || json_object_get(item, "fetched") != NULL;
    nature->walks = nature->walks || json_object_get(item, "working_set") != NULL;
    nature->stores = nature->stores || (served != NULL && !load);
    if (!load)
        return;
    nature->loads = true;
    nature->chase = nature->chase && strcmp(json_string_or(item, "address", ""), "chase") == 0;
    for (int level = 0; level < LEVEL_COUNT; level++)
        nature->levels[level] = nature->levels[level] || json_number_or(served, level_name(level), 0) > 0;
}

/* The two levels; L1, or where that is the only one L2, stands beside a single one. False with more. */
static bool find_levels(const struct nature *nature, struct timing_bound *bound)
{
    unsigned count = 0;
    for (int level = 0; level < LEVEL_COUNT; level++) {
        if (!nature->levels[level])
            continue;
        bound->low = count == 0 ? (enum memory_level)level : bound->low;
        bound->high = (enum memory_level)level;
        count++;
    }
    if (count == 1)
        bound->low = LEVEL_L1;
    if (bound->high == LEVEL_L1)
        bound->high = LEVEL_L2;
    return count == 1 || count == 2;
}

struct timing_bound timing_find_bound(const json_t *manifest)
{
    const json_t *unit = json_object_get(json_object_get(manifest, "kernel"), "unit");
    struct nature nature = {.chase = true};
    struct timing_bound bound = {.bound = BOUND_OTHER};
    for (size_t i = 0; i < json_array_size(unit); i++)
        look_at(json_array_get(unit, i), &nature);
    if (nature.walks || nature.stores || nature.text || nature.code)
        return bound;
    bool one_place = nature.loads && find_levels(&nature, &bound);
    bool missing = nature.levels[LEVEL_L2] || nature.levels[LEVEL_L3] || nature.levels[LEVEL_MEM];
    if (nature.branches)
        bound.bound = missing ? BOUND_OTHER : BOUND_BRANCHES;
    else if (one_place && nature.chase)
        bound.bound = BOUND_LATENCY;
    return bound;
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

enum status timing_add_rates(const struct race *race, struct timing_bound bound, struct observations *list,
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
    if (place.low > 1 + BEYOND || place.high < -BEYOND)
        return error_set(error, STATUS_UNAVAILABLE,
                         "the kernel's time does not lie between those of its ends (at %.2f of the way, from "
                         "%.2f to %.2f): something else uses the caches or the memory",
                         place.value, place.low, place.high);
    if (bound.bound == BOUND_BRANCHES) {
        static const char metric[] = "branch.miss_rate";
        add(list, metric,
            between(place, race_expected(race, TIMING_LOW_END, metric),
                    race_expected(race, TIMING_HIGH_END, metric)));
        return STATUS_OK;
    }
    static const char *const served[] = {"served.L1", "served.L2", "served.L3", "served.MEM"};
    static const char *const missed[] = {"l1d.miss_rate", "l2.miss_rate", "l3.miss_rate"};
    struct interval low = {1 - place.value, 1 - place.high, 1 - place.low, place.n};
    add(list, missed[bound.low], place);
    add(list, served[bound.low], low);
    add(list, served[bound.high], place);
    return STATUS_OK;
}

/* Who asks whether there are rounds enough. */
struct question {
    struct timing_bound bound;
    const json_t *manifest;
};

static bool is_enough(const struct race *race, const void *context)
{
    const struct question *question = context;
    struct observations seen = {0};
    bool enough = timing_add_rates(race, question->bound, &seen, NULL) == STATUS_OK;
    for (size_t i = 0; enough && i < seen.count; i++)
        enough = verdict_settled(question->manifest, &seen.items[i]);
    observations_free(&seen);
    return enough;
}

static enum status prepare(struct race *race, const struct subject *subject, struct timing_bound bound,
                           struct error *error)
{
    bool rates = bound.bound != BOUND_OTHER;
    struct race_end low = {bound.low, 0};
    struct race_end high = {bound.bound == BOUND_LATENCY ? bound.high : LEVEL_L1, 1};
    struct workshop workshop;
    race->rep_s = REP_S;
    race_add(race, subject);
    enum status status = workshop_open(subject->machine->isa, &workshop, error);
    if (status == STATUS_OK)
        status = race_add_clock(race, subject, &workshop, error);
    if (status == STATUS_OK && rates)
        status = race_add_end(race, subject, &workshop, low, error);
    if (status == STATUS_OK && rates)
        status = race_add_end(race, subject, &workshop, high, error);
    workshop_close(&workshop);
    return source_cannot_see(status, error);
}

/* True when the manifest says what the IPC shall be. */
static bool asks_ipc(const json_t *manifest)
{
    return json_object_get(json_object_get(manifest, "targets"), "ipc") != NULL ||
           json_object_get(json_object_get(manifest, "expect"), "ipc") != NULL;
}

static size_t rounds_for(const struct race *race, bool rates)
{
    if (rates)
        return REFERENCE_ROUNDS;
    return race->brief ? BRIEF_ROUNDS : REFERENCE_ROUNDS / 2;
}

static bool concerns(const struct subject *subject)
{
    return !subject_is_on_device(subject) || timing_device_concerns(subject);
}

static enum status observe(const struct subject *subject, struct observations *list, struct error *error)
{
    if (subject_is_on_device(subject))
        return timing_device_observe(subject, list, error);
    if (!subject->machine->present)
        return error_set(error, STATUS_UNAVAILABLE, "%s is not the machine that this runs on",
                         subject->machine->name);
    if (subject_check_runs(subject, error) != STATUS_OK || subject_check_walk(subject, error) != STATUS_OK)
        return STATUS_UNAVAILABLE;
    struct timing_bound bound = timing_find_bound(subject->manifest);
    bool rates = bound.bound != BOUND_OTHER;
    struct race race = {0};
    const struct question question = {bound, subject->manifest};
    race.enough = rates ? is_enough : NULL;
    race.context = &question;
    race.brief = subject->brief && !rates && !asks_ipc(subject->manifest);
    enum status status = prepare(&race, subject, bound, error);
    if (status == STATUS_OK)
        status = race_run(&race, rounds_for(&race, rates), error);
    if (status == STATUS_OK)
        timing_add_ipc(&race, list);
    if (status == STATUS_OK && rates)
        status = timing_add_rates(&race, bound, list, error);
    else if (status == STATUS_OK)
        status = error_set(error, STATUS_UNAVAILABLE,
                           "rates are inferred where loads are all address = \"chase\" and two levels serve "
                           "them, or where there "
                           "are branches and nothing misses, and nowhere beside asm{}");
    race_free(&race);
    return status;
}

static const char *const metrics[] = {"l1d.miss_rate",    "l2.miss_rate", "l3.miss_rate", "served.*",
                                      "branch.miss_rate", "ipc",          "l2.far_share", NULL};

const struct counter_source counter_timing = {.name = "timing",
                                              .kind = "inferred",
                                              .targets = "x86_64,ptx",
                                              .concerns = concerns,
                                              .usable = usable,
                                              .observe = observe,
                                              .alone = true,
                                              .metrics = metrics};
