/* Source "timing": what run time reveals on the present machine. The shares of the levels in a kernel bound
 * by load latency lie between plain chases that depend on no plan (level_share.h), measured in turn with it.
 * The rate of a kernel of random branches lies between those of the same kernel with none and with only
 * random ones. The core's clock, and so the IPC, comes from a chain of one-cycle operations. GPUs' programs
 * are in timing_device.h. */
#include "runner/sources/timing/timing_source.h"

#include "base/stats.h"
#include "isa/isa.h"
#include "runner/results/evidence_width.h"
#include "runner/results/verdict.h"
#include "runner/sources/source.h"
#include "runner/sources/timing/plain_chase.h"
#include "runner/sources/timing/timing_device.h"
#include "runner/sources/timing/timing_shared.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BRIEF_ROUNDS = 3, USUAL_ROUNDS = 20 };
static const double REP_S = 0.0005; /* well within a scheduler slice */

/* Ends closer to each other than this reveal nothing. */
static const double LEAST_SPREAD = 1.3;

/* If a kernel is slower than its own slow end, or faster than the fast one, by more than this share of their
 * difference, it was not measured under the same conditions: its time is no rate. */
static const double BEYOND = 0.1;

/* The properties of the unit's loads and branches that affect its time. */
struct nature {
    bool loads, chase, branches, stores, walks;
    bool text; /* the recipe's own, which may take any time */
    bool code; /* the front end also waits for code */
    bool pages, invited;
    bool others;  /* operations beside loads */
    bool ordered; /* misses that are not shuffled */
    bool levels[LEVEL_COUNT];
};

static void look_at(const struct manifest_item *item, struct nature *nature)
{
    const char *op = item->op;
    bool load = strcmp(op, "load") == 0;
    nature->branches = nature->branches || !isnan(item->accuracy);
    nature->text = nature->text || item->has_text;
    nature->code = nature->code || item->is_fetched;
    nature->walks = nature->walks || item->working_set > 0;
    nature->stores = nature->stores || (item->is_served && !load);
    nature->pages = nature->pages || strcmp(op, "tlb") == 0;
    nature->others = nature->others || !load;
    if (!load)
        return;
    nature->loads = true;
    nature->ordered = nature->ordered || strcmp(manifest_text_or(item->order, ""), "shuffled") != 0;
    nature->invited = nature->invited || strcmp(manifest_text_or(item->prefetch, ""), "invite") == 0;
    nature->chase = nature->chase && strcmp(manifest_text_or(item->address, ""), "chase") == 0;
    for (int level = 0; level < LEVEL_COUNT; level++)
        nature->levels[level] = nature->levels[level] || item->served[level] > 0;
}

/* The two levels that serve the loads; if one serves them all, the other is the level in front of it or, for
 * L1, behind it. False if there are more. */
static bool find_levels(const struct nature *nature, struct level_pair *levels)
{
    unsigned count = 0;
    for (int level = 0; level < LEVEL_COUNT; level++) {
        if (!nature->levels[level])
            continue;
        levels->low = count == 0 ? (enum memory_level)level : levels->low;
        levels->high = (enum memory_level)level;
        count++;
    }
    levels->alone = count == 1;
    if (count == 1 && levels->high > LEVEL_L1)
        levels->low = levels->high - 1;
    if (levels->high == LEVEL_L1)
        levels->high = LEVEL_L2;
    return count == 1 || count == 2;
}

/* Why time reveals no rate of it, or NULL. */
static const char *say_why_not(const struct nature *nature, bool two_levels)
{
    bool missing = nature->levels[LEVEL_L2] || nature->levels[LEVEL_L3] || nature->levels[LEVEL_MEM];
    if (nature->text)
        return "no rate follows from its time: the recipe's own text may take any time";
    if (nature->walks)
        return "no rate follows from its time: the levels that serve a walk are not known beforehand";
    if (nature->stores)
        return "no rate follows from its time: no operation waits for store misses";
    if (nature->code)
        return "no rate follows from its time: it also waits for lines of code";
    if (nature->pages)
        return "no rate follows from its time: it also waits for translations";
    if (nature->invited)
        return "no rate follows from its time: prefetchers are invited to hide misses";
    if (nature->branches)
        return missing ? "no rate follows from its time: it waits for both branches and misses" : NULL;
    if (!nature->loads)
        return "no rate follows from its time: nothing in it waits for a cache or a branch";
    if (!nature->chase)
        return "no rate follows from its time: loads overlap unless all are address = \"chase\"";
    if (!two_levels)
        return "one time determines one share, but more than two levels serve the loads";
    return NULL;
}

/* True if misses of a set of L1D soon follow others of the same set: then they take longer than plain loads
 * of L2. Fills how soon how many do. This machine's lines have 64 bytes, and sets repeat within a page. */
static bool misses_again(const struct manifest *manifest, double again[ONE_SET_GAPS])
{
    enum { LINE = 64, PAGE_SETS = 64 };
    static const double SOME = 0.05;
    const struct manifest_data *data = &manifest->data;
    bool conflicts[PAGE_SETS] = {false};
    size_t last[PAGE_SETS] = {0}; /* 1 + the last access to that set */
    double misses = 0;
    for (size_t i = 0; i < data->eviction_set_count; i++)
        conflicts[(size_t)data->eviction_sets[i].l1d_set % PAGE_SETS] = true;
    for (size_t i = 0; i < manifest->access_count; i++) {
        size_t set = (size_t)manifest->accesses[i] / LINE % PAGE_SETS;
        if (!conflicts[set])
            continue;
        misses++;
        if (last[set] > 0 && i - last[set] < ONE_SET_GAPS)
            again[i - last[set]]++;
        last[set] = i + 1;
    }
    for (size_t gap = 0; gap < ONE_SET_GAPS && misses > 0; gap++)
        again[gap] /= misses;
    return again[0] + again[1] > SOME;
}

struct timing_bound timing_find_bound(const struct manifest *manifest)
{
    struct nature nature = {.chase = true};
    struct timing_bound bound = {.bound = BOUND_OTHER};
    for (size_t i = 0; i < manifest->unit_count; i++)
        look_at(&manifest->unit[i], &nature);
    bool two_levels = nature.loads && find_levels(&nature, &bound.levels);
    bound.levels.others = nature.others;
    char metric[32];
    snprintf(metric, sizeof metric, "served.%s", level_name((int)bound.levels.high));
    bound.levels.wanted = rates_get(&manifest->targets, metric, 0);
    bound.levels.shuffled = !nature.ordered;
    bound.levels.conflicts = misses_again(manifest, bound.levels.again);
    bound.why_not = say_why_not(&nature, two_levels);
    if (bound.why_not == NULL)
        bound.bound = nature.branches ? BOUND_BRANCHES : BOUND_LATENCY;
    return bound;
}

static void add(struct observations *list, const char *metric, struct interval interval)
{
    observations_add_copy(list, 0, metric, counter_timing.name, counter_timing.kind, interval);
}

static double ipc_of(const size_t *chosen, size_t count, const void *context)
{
    const struct race *race = context;
    double cycles_per_tick = race->clock_cycles / race_quiet_pass(race, TIMING_CLOCK, chosen, count);
    return race_instructions(race, TIMING_TEST_PROGRAM) /
           (race_quiet_pass(race, TIMING_TEST_PROGRAM, chosen, count) * cycles_per_tick);
}

/* ---- random branches: between the same loop's two ends ---- */

static double place_of(const size_t *chosen, size_t count, const void *context)
{
    const struct race *race = context;
    double low = race_quiet_pass(race, TIMING_LOW_END, chosen, count);
    double high = race_quiet_pass(race, TIMING_HIGH_END, chosen, count);
    return (race_quiet_pass(race, TIMING_TEST_PROGRAM, chosen, count) - low) / (high - low);
}

static double spread_of(const size_t *chosen, size_t count, const void *context)
{
    const struct race *race = context;
    return race_quiet_pass(race, TIMING_HIGH_END, chosen, count) /
           race_quiet_pass(race, TIMING_LOW_END, chosen, count);
}

/* The position between the ends, as a rate that is `from` at the one and `to` at the other. */
static struct interval between(struct interval place, double from, double to)
{
    struct interval rate = {from + place.value * (to - from), from + place.low * (to - from),
                            from + place.high * (to - from), place.n};
    return rate;
}

static double additions_of(const size_t *chosen, size_t count, const void *context)
{
    const struct race *race = context;
    return race_quiet_pass(race, TIMING_CLOCK, chosen, count) /
           race_quiet_pass(race, TIMING_WIDTH, chosen, count);
}

void timing_add_ipc(const struct race *race, struct observations *list)
{
    add(list, "ipc", stats_bootstrap_rounds(race->rounds, ipc_of, race));
}

static double ns_of(const size_t *chosen, size_t count, const void *context)
{
    const struct race *race = context;
    return race_quiet_pass(race, TIMING_TEST_PROGRAM, chosen, count) / race->ticks_per_s * 1e9;
}

/* Marks all times if the program, or what they are compared with, never had the processor for itself. */
static void doubt_disturbed(const struct race *race, struct observations *list)
{
    bool always = race_alone(race, TIMING_TEST_PROGRAM) == 0 || race_alone(race, TIMING_CLOCK) == 0;
    for (size_t i = 0; always && i < list->count; i++)
        snprintf(list->items[i].doubt, sizeof list->items[i].doubt,
                 "other programs used the processor in every turn");
}

static void add_time(const struct race *race, struct observations *list)
{
    if (race->ticks_per_s > 0)
        add(list, "pass.ns", stats_bootstrap_rounds(race->rounds, ns_of, race));
}

static enum status add_branches(const struct race *race, struct observations *list, struct error *error)
{
    static const char metric[] = "branch.miss_rate";
    struct interval spread = stats_bootstrap_rounds(race->rounds, spread_of, race);
    if (spread.low < LEAST_SPREAD)
        return error_set(error, STATUS_UNAVAILABLE,
                         "the kernel's time with random branches alone is %.2f times that without: too "
                         "little, or too noisy, to determine rates",
                         spread.value);
    struct interval place = stats_bootstrap_rounds(race->rounds, place_of, race);
    if (place.low > 1 + BEYOND || place.high < -BEYOND)
        return error_set(error, STATUS_UNAVAILABLE,
                         "the kernel's time does not lie between those of its ends (at %.2f of the way, from "
                         "%.2f to %.2f): something else uses the core",
                         place.value, place.low, place.high);
    add(list, metric,
        between(place, race_expected(race, TIMING_LOW_END, metric),
                race_expected(race, TIMING_HIGH_END, metric)));
    return STATUS_OK;
}

static enum status add_levels(const struct race *race, const struct level_pair *levels,
                              struct observations *list, struct error *error)
{
    static const char *const served[] = {"served.L1", "served.L2", "served.L3", "served.MEM"};
    static const char *const missed[] = {"l1d.miss_rate", "l2.miss_rate", "l3.miss_rate"};
    struct interval share;
    enum status status = level_share_find(race, levels, &share, error);
    if (status != STATUS_OK)
        return status;
    struct interval rest = {1 - share.value, 1 - share.high, 1 - share.low, share.n};
    add(list, missed[levels->low], share);
    add(list, served[levels->low], rest);
    add(list, served[levels->high], share);
    return STATUS_OK;
}

enum status timing_add_rates(const struct race *race, struct timing_bound bound, struct observations *list,
                             struct error *error)
{
    return bound.bound == BOUND_BRANCHES ? add_branches(race, list, error)
                                         : add_levels(race, &bound.levels, list, error);
}

/* The data for the decision whether the rounds suffice. */
struct question {
    struct timing_bound bound;
    const struct manifest *manifest;
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

/* There may be no L3 in front of memory. */
static enum memory_level in_front_of(enum memory_level level, const struct machine *machine)
{
    bool gap = level == LEVEL_MEM && machine->l3.size == 0;
    return level - (gap ? 2 : 1);
}

/* The chases of both levels, and of L1. */
static enum status open_chases(struct race *race, const struct test_program *test_program,
                               struct timing_bound bound, struct error *error)
{
    struct plain_chase_request request = {.one_set = bound.levels.conflicts && bound.levels.low == LEVEL_L1 &&
                                                     bound.levels.high == LEVEL_L2};
    request.levels[bound.levels.low] = true;
    request.levels[bound.levels.high] = true;
    request.l3_delay = level_share_delay(&bound.levels, test_program_reference_machine(test_program));
    if (test_program_copies(test_program) > 1)
        return error_set(
            error, STATUS_UNAVAILABLE,
            "no rate follows from its time: its copies share the caches, which a chase has alone");
    return plain_chases_open(test_program_reference_machine(test_program), request, test_program->cpu,
                             &race->chases, error);
}

static enum status prepare(struct race *race, const struct test_program *test_program,
                           struct timing_bound bound, struct error *error)
{
    struct race_end low = {LEVEL_L1, 0};
    struct race_end high = {LEVEL_L1, 1};
    struct code_generator code_generator;
    race->rep_s = REP_S;
    race_add(race, test_program);
    enum status status = code_generator_open(test_program->machine->isa, &code_generator, error);
    if (status == STATUS_OK)
        status = race_add_clock(race, test_program, &code_generator, error);
    if (status == STATUS_OK)
        status = race_add_width(race, test_program, &code_generator, error);
    if (status == STATUS_OK && bound.bound != BOUND_OTHER)
        status = race_add_end(race, test_program, &code_generator, low, error);
    if (status == STATUS_OK && bound.bound == BOUND_BRANCHES)
        status = race_add_end(race, test_program, &code_generator, high, error);
    code_generator_close(&code_generator);
    return source_cannot_see(status, error);
}

/* True if the manifest requests an IPC. */
static bool asks_ipc(const struct manifest *manifest)
{
    return manifest_has_target(manifest, "ipc") || manifest_bounds(manifest, "ipc") != NULL;
}

/* The test program's rounds share the samples: so many turns for each. */
static size_t turns_for(const struct test_program *test_program, bool rates)
{
    enum { LEAST_FOR_RATES = 9, LEAST = 3 };
    bool brief = test_program->brief && !asks_ipc(test_program->manifest);
    size_t all = rates ? REFERENCE_ROUNDS : brief ? BRIEF_ROUNDS : USUAL_ROUNDS;
    size_t rounds = test_program->rounds > 0 ? test_program->rounds : 1;
    size_t least = rates ? LEAST_FOR_RATES : LEAST;
    return all / rounds > least ? (all + rounds - 1) / rounds : least;
}

static bool concerns(const struct test_program *test_program)
{
    return !test_program_is_on_device(test_program) || timing_device_concerns(test_program);
}

static enum status observe(const struct test_program *test_program, struct observations *list,
                           struct error *error)
{
    if (test_program_is_on_device(test_program))
        return timing_device_observe(test_program, list, error);
    if (!test_program->machine->present)
        return error_set(error, STATUS_UNAVAILABLE, "%s is not the machine that this runs on",
                         test_program->machine->name);
    if (test_program_check_runs(test_program, error) != STATUS_OK ||
        test_program_check_walk(test_program, error) != STATUS_OK)
        return STATUS_UNAVAILABLE;
    if (test_program->manifest->shared.given && test_program_copies(test_program) > 1)
        return timing_shared_observe(test_program, list, error);
    struct timing_bound bound = timing_find_bound(test_program->manifest);
    if (bound.levels.alone && bound.levels.low > LEVEL_L1)
        bound.levels.low = in_front_of(bound.levels.high, test_program_reference_machine(test_program));
    struct error why_not = {0}; /* no rates, but the IPC is reported all the same */
    struct race race = {0};
    if (bound.bound == BOUND_OTHER)
        error_set(&why_not, STATUS_UNAVAILABLE, "%s", bound.why_not);
    else if (bound.bound == BOUND_LATENCY && open_chases(&race, test_program, bound, &why_not) != STATUS_OK)
        bound.bound = BOUND_OTHER;
    bool rates = bound.bound != BOUND_OTHER;
    const struct question question = {bound, test_program->manifest};
    race.enough = rates ? is_enough : NULL;
    race.context = &question;
    enum status status = prepare(&race, test_program, bound, error);
    if (status == STATUS_OK)
        status = race_run(&race, turns_for(test_program, rates), error);
    if (status == STATUS_OK) {
        timing_add_ipc(&race, list);
        add_time(&race, list);
        doubt_disturbed(&race, list);
        add(list, EVIDENCE_WIDTH, stats_bootstrap_rounds(race.rounds, additions_of, &race));
    }
    if (status == STATUS_OK && rates)
        status = timing_add_rates(&race, bound, list, error);
    else if (status == STATUS_OK) {
        if (error != NULL)
            *error = why_not;
        status = STATUS_UNAVAILABLE;
    }
    race_free(&race);
    return status;
}

const struct counter_source counter_timing = {.name = "timing",
                                              .kind = EVIDENCE_INFERRED,
                                              .targets = ISA_PROCESSOR ",ptx",
                                              .concerns = concerns,
                                              .usable = race_usable,
                                              .observe = observe,
                                              .alone = true,
                                              .in_rounds = true};
