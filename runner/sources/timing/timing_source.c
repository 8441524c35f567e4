/* Source "timing": what run time reveals on the present machine. If load latency bounds a kernel, the shares
 * of its levels follow from its time between those of plain chases, which depend on no plan and are measured
 * in turn with it. If random branches bound it, their rate follows from its time between those of the same
 * kernel with none and with only random ones. The core's clock, and so the IPC, follows from a chain of
 * one-cycle operations. Programs of GPUs are in timing_device.c. */
#include "runner/sources/timing/timing_source.h"

#include "base/error.h"
#include "base/stats.h"
#include "isa/isa.h"
#include "runner/results/evidence_width.h"
#include "runner/results/verdict.h"
#include "runner/sources/source.h"
#include "runner/sources/timing/plain_chase.h"
#include "runner/sources/timing/reference.h"
#include "runner/sources/timing/timing_shared.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* ---- the share of a level ---- */

/* The share of a kernel's loads that a level serves, from a race of the kernel with plain chases. The loads
 * of such a kernel wait for each other, so that pass = own pass in L1 + loads * (share of each level * (chase
 * of the level - chase in L1)), where the own pass is that of the same loop with all loads in L1. That loop
 * is certain to hit, as L1's index lies within a page; the cost of a load from another level comes from
 * chases that depend on no plan (plain_chase.h). One such equation determines one share, so that there are
 * two levels, or one and the level in front of it. The interval covers the rounds' variation (bootstrap), the
 * two sizes of each level's chase, the time that other operations of the unit may hide, and a small allowance
 * for effects on the caches that a chase does not have. */

/* Levels, or ends, closer to each other than this reveal nothing. */
static const double LEAST_SPREAD = 1.3;

/* A kernel that is slower than the slow end, or faster than the fast one, by more than this share of their
 * difference has loads from other levels, or was measured under other conditions: its time shows no share. */
static const double BEYOND = 0.1;

/* How far a level's cost in a kernel may differ from that of a plain chase, beyond the difference between its
 * two sizes: its working set, its translations and the effect of its loads on the nearer caches differ
 * slightly. */
static const double UNSURE[LEVEL_COUNT] = {0, 0.015, 0.05, 0.04};
static const double UNSURE_LEAST = 0.01;

/* The same for the cost of a miss soon after another miss of its set, as a share of the maximum. */
static const double UNSURE_CONFLICT = 0.1;

/* A wider interval is of no use. */
static const double WIDEST = 0.4;

/* A chase that takes this many times the probe's latency does not show the level when it is undisturbed. */
static const double OFF_THE_LADDER = 1.5;

/* A loop in L1 that takes up to this many times its chase is bound by its loads, and hides the rest. */
static const double HIDDEN = 1.1;

/* If others use L3 only at times, the rounds differ: the median exceeds the minimum by this factor. */
static const double UNSTEADY = 1.25;

/* Which bound of the remaining uncertainty is used. */
enum corner { LEAST, MIDDLE, MOST };

/* The computation of a share from chosen rounds. */
struct level_view {
    const struct race *race;
    const struct level_pair *levels;
    enum memory_level low; /* the level that serves what the higher one does not */
    enum corner corner;
};

/* Ticks per load of the chase, without the wait after each load. */
static double chase_ticks(const struct race *race, size_t chase, const size_t *chosen, size_t count)
{
    double ticks = race_quiet_load(race, chase, chosen, count);
    unsigned delay = race->chases.items[chase].delay;
    if (delay == 0)
        return ticks;
    double clock = race_quiet_pass(race, TIMING_CLOCK, chosen, count) / race->clock_cycles;
    return ticks - delay * clock;
}

/* The cost of a load from the level by its plain chases: the minimum, the maximum, or a value between them.
 * If one of the chases waits as the kernel does, that value is its cost. */
static double level_ticks(const struct level_view *view, enum memory_level level, enum corner corner,
                          const size_t *chosen, size_t count)
{
    const struct plain_chases *chases = &view->race->chases;
    double least = INFINITY, most = 0, middle = 0;
    for (size_t i = 0; i < chases->count; i++) {
        if (chases->items[i].level != level || chases->items[i].one_set)
            continue;
        double here = chase_ticks(view->race, i, chosen, count);
        middle = chases->items[i].delay > 0 ? here : (fmin(least, here) + fmax(most, here)) / 2;
        least = fmin(least, here);
        most = fmax(most, here);
    }
    return corner == LEAST ? least : corner == MOST ? most : middle;
}

static double loads_of(const struct race *race)
{
    return race->parts[TIMING_TEST_PROGRAM].manifest->loads;
}

/* True if the operations beside the loads bound the loop in L1: it takes longer than a chase. */
static bool others_bind(const struct level_view *view, const size_t *chosen, size_t count)
{
    double own = race_quiet_pass(view->race, TIMING_LOW_END, chosen, count) / loads_of(view->race);
    return view->levels->others && own > HIDDEN * level_ticks(view, LEVEL_L1, MIDDLE, chosen, count);
}

/* The mean additional cost of a load from L2 in a kernel whose loads soon miss the same set of L1 again:
 * after a miss of the set and some loads, it is that of a chase through one set with as many hits. */
static double conflict_ticks(const struct level_view *view, const size_t *chosen, size_t count)
{
    const struct plain_chases *chases = &view->race->chases;
    double plain = level_ticks(view, LEVEL_L2, MIDDLE, chosen, count);
    double sum = 0, most = 0;
    for (size_t i = 0; i < chases->count; i++) {
        if (!chases->items[i].one_set)
            continue;
        double more = race_quiet_load(view->race, i, chosen, count) - plain;
        sum += view->levels->again[chases->items[i].hits] * more;
        most = fmax(most, more);
    }
    if (others_bind(view, chosen, count) ||
        !view->levels
             ->shuffled) /* the order of the misses, or the time between them, differs from a chase's */
        return view->corner == LEAST ? most : view->corner == MOST ? 0 : sum;
    double unsure = UNSURE_CONFLICT * most;
    return view->corner == LEAST  ? fmin(sum + unsure, most)
           : view->corner == MOST ? fmax(sum - unsure, 0)
                                  : sum;
}

/* The cost of a load of the kernel in L1. Some addresses take a cycle longer there than those of a chase, but
 * not in other levels: the kernel's own loop determines the cost, unless other operations bound that loop. */
static double own_l1(const struct level_view *view, const size_t *chosen, size_t count)
{
    if (others_bind(view, chosen, count))
        return level_ticks(view, LEVEL_L1, MIDDLE, chosen, count);
    return race_quiet_pass(view->race, TIMING_LOW_END, chosen, count) / loads_of(view->race);
}

/* The mean additional time of a load beyond L1. If other operations bound the loop in L1, the chain may have
 * overlapped with them. */
static double beyond_l1(const struct level_view *view, double l1, const size_t *chosen, size_t count)
{
    double loads = loads_of(view->race);
    double own = race_quiet_pass(view->race, TIMING_LOW_END, chosen, count);
    double beyond = race_quiet_pass(view->race, TIMING_TEST_PROGRAM, chosen, count) - own;
    double room = fmax(0, own - loads * l1);
    beyond += view->corner == MOST ? room : view->corner == MIDDLE ? room / 2 : 0;
    return beyond / loads;
}

/* The share of the farther level. */
static double share_of(const size_t *chosen, size_t count, const void *context)
{
    const struct level_view *view = context;
    enum corner ends = view->corner == LEAST ? MOST : view->corner == MOST ? LEAST : MIDDLE;
    double l1 = own_l1(view, chosen, count);
    double low = view->low == LEVEL_L1 ? 0 : level_ticks(view, view->low, ends, chosen, count) - l1;
    double high = level_ticks(view, view->levels->high, ends, chosen, count) - l1;
    double beyond = beyond_l1(view, l1, chosen, count);
    if (view->levels->conflicts && view->low == LEVEL_L1 && view->levels->high == LEVEL_L2)
        high += conflict_ticks(view, chosen, count);
    return (beyond - low) / (high - low);
}

/* The share from chosen rounds, with an interval from the lower bound of one corner to the upper bound of the
 * other. */
static struct interval find_share(struct level_view view)
{
    size_t rounds = view.race->rounds;
    view.corner = MIDDLE;
    struct interval share = stats_bootstrap_rounds(rounds, share_of, &view);
    view.corner = LEAST;
    share.low = fmin(share.low, stats_bootstrap_rounds(rounds, share_of, &view).low);
    view.corner = MOST;
    share.high = fmax(share.high, stats_bootstrap_rounds(rounds, share_of, &view).high);
    return share;
}

/* ---- whether the chases are credible ---- */

static size_t all_rounds(const struct race *race, size_t all[REFERENCE_ROUNDS])
{
    for (size_t i = 0; i < race->rounds; i++)
        all[i] = i;
    return race->rounds;
}

static double all_ticks(const struct race *race, enum memory_level level, enum corner corner)
{
    size_t all[REFERENCE_ROUNDS];
    const struct level_view view = {.race = race};
    size_t count = all_rounds(race, all);
    return level_ticks(&view, level, corner, all, count);
}

static double known_latency(const struct machine *machine, enum memory_level level)
{
    const double cycles[] = {machine->latency_l1d, machine->latency_l2, machine->latency_l3,
                             machine->latency_mem};
    return cycles[level];
}

/* A level that is much slower now than when it was probed is shared with a busy neighbour. */
static enum status check_ladder(const struct race *race, enum memory_level level, struct error *error)
{
    size_t all[REFERENCE_ROUNDS];
    const struct machine *machine = test_program_reference_machine(&race->parts[TIMING_TEST_PROGRAM]);
    double known = machine == NULL ? 0 : known_latency(machine, level);
    size_t count = all_rounds(race, all);
    double clock = race_quiet_pass(race, TIMING_CLOCK, all, count);
    double cycles = all_ticks(race, level, LEAST) * race->clock_cycles / clock;
    if (known <= 0 || cycles <= OFF_THE_LADDER * known)
        return STATUS_OK;
    return error_set(error, STATUS_UNAVAILABLE,
                     "a plain chase in %s takes %.0f cycles per load, but took %.0f when this machine was "
                     "probed: another program uses the cache, or the clock varies",
                     level_name((int)level), cycles, known);
}

static bool is_unsteady(const double *ticks, size_t count)
{
    return stats_median(ticks, count) > UNSTEADY * stats_quantile(ticks, count, 0.05);
}

/* True if a chase that waits as the kernel does takes longer than one that does not: its lines are evicted in
 * between. */
static bool is_driven_out(const struct race *race)
{
    const struct plain_chases *chases = &race->chases;
    size_t all[REFERENCE_ROUNDS];
    size_t count = all_rounds(race, all);
    double plain = INFINITY, waiting = 0;
    for (size_t i = 0; i < chases->count; i++) {
        double here = chases->items[i].level == LEVEL_L3 ? chase_ticks(race, i, all, count) : 0;
        if (chases->items[i].delay > 0)
            waiting = here;
        else if (here > 0)
            plain = fmin(plain, here);
    }
    return waiting > UNSTEADY * plain;
}

/* Rejects L3 if other programs evict its lines: such loads come from memory, and a single time cannot
 * distinguish them from more loads from L3. */
static enum status check_co_runners(const struct race *race, const struct level_pair *levels,
                                    struct error *error)
{
    const struct plain_chases *chases = &race->chases;
    bool unsteady = is_unsteady(race->ticks_per_pass[TIMING_TEST_PROGRAM], race->rounds);
    for (size_t i = 0; i < chases->count; i++)
        unsteady = unsteady ||
                   (chases->items[i].level == LEVEL_L3 && is_unsteady(race->ticks_per_load[i], race->rounds));
    if (levels->high != LEVEL_L3 && (levels->low != LEVEL_L3 || levels->alone))
        return STATUS_OK;
    if (unsteady)
        return error_set(error, STATUS_UNAVAILABLE,
                         "loads from L3 take much longer in some rounds than in others: another program "
                         "evicts its lines, which then come from memory");
    if (is_driven_out(race))
        return error_set(error, STATUS_UNAVAILABLE,
                         "a chase in L3 takes much longer when it loads as seldom as the kernel: another "
                         "program evicts lines in between, which then come from memory");
    return STATUS_OK;
}

/* Rejects a race with too few undisturbed rounds; the rounds record the processor time of others. */
static enum status check_alone(const struct race *race, struct error *error)
{
    enum { FEWEST = 5 };
    size_t alone = race_least_alone(race);
    if (alone >= FEWEST || alone == race->rounds)
        return STATUS_OK;
    return error_set(error, STATUS_UNAVAILABLE,
                     "other programs used the processor during %zu of %zu rounds, each tried several times: "
                     "no rate follows from their time",
                     race->rounds - alone, race->rounds);
}

static enum status check_chases(const struct race *race, const struct level_pair *levels, struct error *error)
{
    enum status status = check_alone(race, error);
    if (status == STATUS_OK)
        status = check_ladder(race, levels->high, error);
    if (status == STATUS_OK && !levels->alone)
        status = check_ladder(race, levels->low, error);
    if (status == STATUS_OK)
        status = check_co_runners(race, levels, error);
    if (status != STATUS_OK)
        return status;
    double near = all_ticks(race, levels->low, MOST);
    double far = all_ticks(race, levels->high, LEAST);
    if (far >= LEAST_SPREAD * near)
        return STATUS_OK;
    return error_set(error, STATUS_UNAVAILABLE,
                     "a plain chase takes %.3g ticks per load in %s and %.3g in %s: too close to distinguish "
                     "shares; another program may use the caches",
                     near, level_name((int)levels->low), far, level_name((int)levels->high));
}

static double limited(double value)
{
    return fmin(fmax(value, 0), 1);
}

/* Includes the uncertainty of the level's cost, and stays within the range of a share. */
static struct interval as_share(struct interval found, double unsure)
{
    double more = UNSURE_LEAST + unsure * fabs(found.value);
    return (struct interval){limited(found.value), limited(found.low - more), limited(found.high + more),
                             found.n};
}

/* The mean cycles that the kernel spends on the other level's loads between two loads from L3, by the
 * machine's level latencies or defaults; 0 without such loads. */
static double level_share_delay(const struct level_pair *levels, const struct machine *machine)
{
    static const double usual[LEVEL_COUNT] = {4, 14, 50, 400};
    bool far = levels->high == LEVEL_L3;
    enum memory_level other = far ? levels->low : levels->high;
    double share = far ? levels->wanted : 1 - levels->wanted;
    double known = known_latency(machine, other);
    if ((!far && levels->low != LEVEL_L3) || share <= 0 || share >= 1)
        return 0;
    return (1 - share) / share * (known > 0 ? known : usual[other]);
}

/* The share of loads that the farther level serves, within 0 to 1, from a race whose parts are those of enum
 * timing_part. STATUS_UNAVAILABLE, with the reason, when the chases are too close together or take much
 * longer than when the machine was probed, when the kernel's time is not between theirs, and when the
 * interval is too wide to be useful. */
static enum status level_share_find(const struct race *race, const struct level_pair *levels,
                                    struct interval *found, struct error *error)
{
    enum status status = check_chases(race, levels, error);
    if (status != STATUS_OK)
        return status;
    struct level_view view = {.race = race, .levels = levels, .low = levels->low};
    struct interval share = find_share(view);
    if (levels->alone && levels->low > LEVEL_L1) { /* loads that the level did not serve may come from L1 */
        view.low = LEVEL_L1;
        share.high = fmax(share.high, find_share(view).high);
    }
    if (share.low > 1 + BEYOND || share.high < -BEYOND)
        return error_set(
            error, STATUS_UNAVAILABLE,
            "the kernel's time does not lie between those of plain chases in %s and %s (at %.2f of the way, "
            "from %.2f to %.2f): other levels serve its loads, or another program uses the caches",
            level_name((int)levels->low), level_name((int)levels->high), share.value, share.low, share.high);
    share = as_share(share, UNSURE[levels->high]);
    if (share.high - share.low > WIDEST)
        return error_set(
            error, STATUS_UNAVAILABLE,
            "by their time, %s serves between %.2f and %.2f of the loads, too wide a range: rounds or chases "
            "differ too much, as when others use the caches, or other operations bound the loop",
            level_name((int)levels->high), share.low, share.high);
    *found = share;
    return STATUS_OK;
}

/* ---- the source ---- */

enum { BRIEF_ROUNDS = 3, USUAL_ROUNDS = 20 };
static const double REP_S = 0.0005; /* well within a scheduler slice */

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
    nature->code = nature->code || item->is_fetched || !isnan(item->misses);
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

/* Why the kernel's time reveals no rate; NULL: it reveals some. */
static const char *why_no_rates(const struct nature *nature, bool two_levels)
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

/* True if misses of a set of L1D soon follow others of the same set, so that they take longer than plain
 * loads of L2. Fills in which share of the misses follows after each number of loads. The present machine's
 * lines have 64 bytes, and sets repeat within a page. */
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
    bound.why_not = why_no_rates(&nature, two_levels);
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
    return race->parts[TIMING_TEST_PROGRAM].manifest->instructions /
           (race_quiet_pass(race, TIMING_TEST_PROGRAM, chosen, count) * cycles_per_tick);
}

/* ---- random branches ---- */

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
    return (struct interval){from + place.value * (to - from), from + place.low * (to - from),
                             from + place.high * (to - from), place.n};
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

/* Marks all times if the program, or the clock's chain, never had the processor for itself. */
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

/* The context of is_enough. */
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

/* The level in front of it; a machine without L3 has L2 in front of memory. */
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
    return source_unavailable(status, error);
}

/* True if the manifest requests an IPC. */
static bool requests_ipc(const struct manifest *manifest)
{
    return manifest_has_target(manifest, "ipc") || manifest_bounds(manifest, "ipc") != NULL;
}

/* The number of turns in a round: the test program's rounds share the samples. */
static size_t turns_for(const struct test_program *test_program, bool rates)
{
    enum { LEAST_FOR_RATES = 9, LEAST_ROUNDS = 3 };
    bool brief = test_program->brief && !requests_ipc(test_program->manifest);
    size_t all = rates ? REFERENCE_ROUNDS : brief ? BRIEF_ROUNDS : USUAL_ROUNDS;
    size_t rounds = test_program->rounds > 0 ? test_program->rounds : 1;
    size_t least = rates ? LEAST_FOR_RATES : LEAST_ROUNDS;
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
