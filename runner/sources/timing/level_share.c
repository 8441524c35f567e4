#include "runner/sources/timing/level_share.h"

#include <math.h>

/* Levels closer to each other than this reveal nothing. */
static const double LEAST_SPREAD = 1.3;

/* If a kernel is slower than the slow end, or faster than the fast one, by more than this share of their
 * difference, other levels serve some of its loads: its time is no share. */
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

/* If others use L3 only now and then, the rounds differ: the median exceeds the minimum by this factor. */
static const double UNSTEADY = 1.25;

/* Which end of the remaining uncertainty is taken. */
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

/* The cost of a load from the level by its plain chases: minimum, maximum, or between; if one of them waits
 * as the kernel does, "between" is closer to that. */
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

/* True if the operations beside the loads bound the loop in L1, not the loads: it takes longer than a
 * chase. */
static bool others_bind(const struct level_view *view, const size_t *chosen, size_t count)
{
    double own = race_quiet_pass(view->race, TIMING_LOW_END, chosen, count) / loads_of(view->race);
    return view->levels->others && own > HIDDEN * level_ticks(view, LEVEL_L1, MIDDLE, chosen, count);
}

/* The mean cost of a load from L2 beyond its plain chase in a kernel whose loads miss a set of L1 soon again:
 * after a miss of the same set with a number of loads between, it equals that of a chase through one set with
 * as many hits. */
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
        !view->levels->shuffled) /* the order, or the time between, differs */
        return view->corner == LEAST ? most : view->corner == MOST ? 0 : sum;
    double unsure = UNSURE_CONFLICT * most;
    return view->corner == LEAST  ? fmin(sum + unsure, most)
           : view->corner == MOST ? fmax(sum - unsure, 0)
                                  : sum;
}

/* The cost of a load of the kernel in L1. Some addresses take a cycle longer there than those of a chase, but
 * not in other levels: so the kernel's own loop determines it, unless other operations bound that loop. */
static double own_l1(const struct level_view *view, const size_t *chosen, size_t count)
{
    if (others_bind(view, chosen, count))
        return level_ticks(view, LEVEL_L1, MIDDLE, chosen, count);
    return race_quiet_pass(view->race, TIMING_LOW_END, chosen, count) / loads_of(view->race);
}

/* The mean time of a load beyond L1. If other operations bound the loop in L1, the chain may have overlapped
 * with them. */
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

/* From the lower end of one corner to the upper end of the other. */
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

/* A chase that waits as the kernel does takes longer than one that does not: its lines are evicted in
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

/* Loads from L3 whose lines others evict come from memory, which a single time cannot distinguish from more
 * loads from L3. */
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

/* The processor time that others took is recorded with the rounds. */
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

double level_share_delay(const struct level_pair *levels, const struct machine *machine)
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

enum status level_share_find(const struct race *race, const struct level_pair *levels, struct interval *found,
                             struct error *error)
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
