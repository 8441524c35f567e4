#include "generator/plan/tuning.h"

#include "base/text/suggest.h"
#include "generator/plan/code/branches.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char DEPTH[] = "depth";

/* 64 times the ways of a set are more lines than any deeper cache holds in it. */
static const double MOST_DEPTH = 64;

/* Names for tuning_set: the metrics in the order of enum tuning_rate, then the depth. */
static const char *const names[] = {"l1d.miss_rate", "l2.miss_rate", "l3.miss_rate", "branch.miss_rate",
                                    DEPTH};
enum { NAMES = sizeof names / sizeof names[0] };

/* A random branch is mispredicted half of the time at most. */
static const double most[TUNING_RATES] = {1, 1, 1, 0.5};

const char *tuning_metric(enum tuning_rate rate)
{
    return names[rate];
}

double tuning_most(enum tuning_rate rate)
{
    return most[rate];
}

bool tuning_is_set(const struct plan_tuning *tuning)
{
    bool set = tuning->depth > 0;
    for (size_t i = 0; i < TUNING_RATES; i++)
        set = set || tuning->aimed[i];
    return set;
}

bool tuning_same(const struct plan_tuning *a, const struct plan_tuning *b)
{
    bool same = a->depth == b->depth;
    for (size_t i = 0; i < TUNING_RATES; i++)
        same = same && a->aimed[i] == b->aimed[i] && (!a->aimed[i] || a->aim[i] == b->aim[i]);
    return same;
}

static enum status set_depth(struct plan_tuning *tuning, double value, struct error *error)
{
    tuning->depth = value;
    if (value > 0 && value <= MOST_DEPTH)
        return STATUS_OK;
    return error_set(error, STATUS_USAGE,
                     "%s is %.6g; expected a multiple of the ways, above 0 and at most %.0f", DEPTH, value,
                     MOST_DEPTH);
}

enum status tuning_set(struct plan_tuning *tuning, const char *name, double value, struct error *error)
{
    size_t i = 0;
    while (i < NAMES && strcmp(names[i], name) != 0)
        i++;
    if (i == NAMES) {
        error_set(error, STATUS_USAGE, "'%s' cannot be tuned", name);
        suggest_hint(error, name, names, NAMES, "expected depth or a miss rate, such as l1d.miss_rate");
        return STATUS_USAGE;
    }
    if (i == TUNING_RATES)
        return set_depth(tuning, value, error);
    tuning->aimed[i] = true;
    tuning->aim[i] = value;
    if (value >= 0 && value <= most[i])
        return STATUS_OK;
    return error_set(error, STATUS_USAGE, "the aim of %s is %.6g; expected 0 to %.6g", name, value, most[i]);
}

void tuning_override(struct plan_tuning *tuning, const struct plan_tuning *with)
{
    if (with->depth > 0)
        tuning->depth = with->depth;
    for (size_t i = 0; i < TUNING_RATES; i++) {
        tuning->aimed[i] = tuning->aimed[i] || with->aimed[i];
        if (with->aimed[i])
            tuning->aim[i] = with->aim[i];
    }
}

const char *tuning_describe(const struct plan_tuning *tuning, char *text, size_t capacity)
{
    int used = snprintf(text, capacity, "%s", tuning_is_set(tuning) ? "" : "the plan's own");
    if (tuning->depth > 0)
        used = snprintf(text, capacity, "depth %.6g", tuning->depth);
    for (size_t i = 0; i < TUNING_RATES && used >= 0 && (size_t)used < capacity; i++)
        if (tuning->aimed[i])
            used += snprintf(text + used, capacity - (size_t)used, "%s%s aimed at %.6g", used > 0 ? ", " : "",
                             names[i], tuning->aim[i]);
    return text;
}

/* ---- aims ---- */

/* The new rate of one behaviour when the total goes from `from` to `to`; 0 and the maximum stay. */
static double moved(double rate, double from, double to, double top)
{
    if (rate <= 0 || rate >= top || from <= 0 || from >= top)
        return rate;
    return to <= from ? rate * to / from : top - (top - rate) * (top - to) / (top - from);
}

static double arriving_at(const struct behaviour *item, int level)
{
    double arriving = 0;
    for (int i = level; i < LEVEL_COUNT; i++)
        arriving += item->served[i];
    return arriving;
}

/* Misses per access that reaches the level; below 0 if none does. */
static double rate_of(const struct kernel *kernel, int level)
{
    double arriving = 0;
    double served = 0;
    for (size_t i = 0; i < kernel->count; i++) {
        const struct behaviour *item = &kernel->items[i];
        if (!behaviour_accesses(item) || item->working_set > 0)
            continue;
        arriving += item->count * arriving_at(item, level);
        served += item->count * item->served[level];
    }
    return arriving > 0 ? 1 - served / arriving : -1;
}

static void aim_item(struct behaviour *item, int level, double from, double to)
{
    double arriving = arriving_at(item, level);
    double missing = arriving - item->served[level];
    if (!behaviour_accesses(item) || item->working_set > 0 || arriving <= 0)
        return;
    double goes = moved(missing / arriving, from, to, 1) * arriving;
    if (missing <= 0 || goes == missing)
        return;
    for (int i = level + 1; i < LEVEL_COUNT; i++)
        item->served[i] *= goes / missing;
    item->served[level] = arriving - goes;
}

static void aim_branches(struct kernel *kernel, double to)
{
    double from = branches_wanted(kernel);
    for (size_t i = 0; i < kernel->count; i++)
        if (kernel->items[i].kind == BEHAVIOUR_BRANCH)
            kernel->items[i].accuracy = 1 - moved(1 - kernel->items[i].accuracy, from, to, 0.5);
}

struct kernel tuning_aim(const struct plan_tuning *tuning, const struct kernel *kernel,
                         const struct machine *machine, struct arena *arena)
{
    struct kernel aimed = *kernel;
    aimed.items = arena_alloc(arena, kernel->count, sizeof *aimed.items);
    memcpy(aimed.items, kernel->items, kernel->count * sizeof *aimed.items);
    for (int level = LEVEL_L1; level < LEVEL_MEM; level++) {
        double from = rate_of(kernel, level);
        for (size_t i = 0; tuning->aimed[level] && machine_cache(machine, level) != NULL && i < aimed.count;
             i++)
            aim_item(&aimed.items[i], level, from, tuning->aim[level]);
    }
    if (tuning->aimed[TUNING_BRANCH])
        aim_branches(&aimed, tuning->aim[TUNING_BRANCH]);
    return aimed;
}

/* Rounds the shares of levels beyond L1 to whole accesses per period; L1 gets the rest. */
static void round_shares(struct behaviour *item, double accesses)
{
    double deeper = 0;
    for (int level = LEVEL_L2; level < LEVEL_COUNT; level++) {
        item->served[level] = round(item->served[level] * accesses) / accesses;
        deeper += item->served[level];
    }
    if (item->served[LEVEL_L1] > 0 && deeper <= 1) {
        item->served[LEVEL_L1] = 1 - deeper;
        return;
    }
    for (int level = LEVEL_COUNT - 1; level > LEVEL_L1; level--) /* the deepest level compensates */
        if (item->served[level] > deeper - 1) {
            item->served[level] -= deeper - 1;
            break;
        }
    item->served[LEVEL_L1] = 0;
}

void tuning_keep_size(struct kernel *aimed, unsigned units, unsigned period)
{
    aimed->loop_units = units;
    for (size_t i = 0; i < aimed->count; i++)
        if (behaviour_accesses(&aimed->items[i]) && aimed->items[i].working_set == 0)
            round_shares(&aimed->items[i], (double)units * aimed->items[i].count * period);
}
