#include "session/diff/differences.h"

#include "base/arena.h"
#include "base/buffer.h"
#include "base/memory.h"
#include "base/text/text_set.h"
#include "generator/metric/metric.h"
#include "runner/results/results.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The meaning of a rising or falling metric. */
static const char *meaning(const char *metric, double change)
{
    const struct metric *row = metric_find(metric);
    switch (row == NULL ? TREND_NONE : row->trend) {
    case TREND_MORE:
        return change > 0 ? "more" : "less";
    case TREND_SLOWER:
        return change > 0 ? "slower" : "faster";
    case TREND_NONE:
        break;
    }
    return "moved";
}

/* ---- families of numbers ---- */

/* A family is the numbers of a point that one cause changes together: one of them decides, the others follow.
 */
enum family {
    FAMILY_NONE, /* changes alone */
    FAMILY_TIME,
    FAMILY_CACHES,
    FAMILY_MIX,
    FAMILY_POWER,
    FAMILY_ENERGY, /* power times time; follows either of them */
    FAMILY_COUNTS, /* of events in a pass; not judged, as the generator chooses the size of a pass */
    FAMILIES
};

/* Families by the beginning of a metric's name. */
static const struct {
    const char *begin;
    enum family family;
} families[] = {{"time.", FAMILY_TIME},
                {"unit.", FAMILY_TIME},
                {"pass.", FAMILY_TIME},
                {"load.ns", FAMILY_TIME},
                {"store.ns", FAMILY_TIME},
                {"branch.ns", FAMILY_TIME},
                {"branch.distance", FAMILY_TIME},
                {"latency.", FAMILY_TIME},
                {"bandwidth.", FAMILY_TIME},
                {"coherence.", FAMILY_TIME},
                {"ipc", FAMILY_TIME},
                {"dpc", FAMILY_TIME},
                {"instructions_per_tick", FAMILY_TIME},
                {"load_bytes_per_s", FAMILY_TIME},
                {"passes_per_s", FAMILY_TIME},
                {"overlap", FAMILY_TIME},
                {"served.", FAMILY_CACHES},
                {"l1d.", FAMILY_CACHES},
                {"l2.miss_rate", FAMILY_CACHES},
                {"l3.miss_rate", FAMILY_CACHES},
                {"mix.", FAMILY_MIX},
                {"body.share", FAMILY_MIX},
                {"power.", FAMILY_POWER},
                {"energy.", FAMILY_ENERGY},
                {"counter.", FAMILY_COUNTS}};

static enum family family_of(const char *metric)
{
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
        if (strncmp(metric, families[i].begin, strlen(families[i].begin)) == 0)
            return families[i].family;
    return FAMILY_NONE;
}

/* The metrics that decide on the time, best first: of the first measure that both sides have, the first
 * metric that is not marked as doubtful. cycles: the metric that shows whether the code or only the clock
 * changed. */
static const struct {
    const char *metric, *cycles;
    bool of_a_pass;
    int measure; /* number of the measure */
} deciding[] = {{"unit.ns", "unit.cycles", false, 0},    {"unit.cycles", NULL, false, 0},
                {"pass.ns", "pass.cycles", true, 1},     {"pass.cycles", NULL, true, 1},
                {"time.ticks_per_unit", NULL, false, 2}, /* includes disturbances */
                {"time.ticks_per_pass", NULL, true, 3}};
enum { DECIDING = sizeof deciding / sizeof deciding[0] };

/* ---- a point's values, by metric, part and source ---- */

enum { NAME_BYTES = 128 };

struct reported_value {
    char metric[NAME_BYTES], part[NAME_BYTES];
    const char *unit, *source, *verdict, *doubt;
    enum value_class class;
    bool seen, inferred;
    double value, low, high;
};

/* Texts are in the arena. */
struct reported {
    struct reported_value *items;
    size_t count;
    bool every; /* the values of all sources, not only the best */
    struct arena arena;
};

/* False for sums over copies, which have no interval and repeat the copies' times. */
static bool comparable(const struct point_value *value)
{
    return value->seen && isfinite(value->value) && value->kind != EVIDENCE_PREDICTED &&
           (value->class != VALUE_TIME || value->n > 0);
}

/* Finds a value; source NULL: any. The search begins at index `after`, as both sides have the same order. */
static const struct reported_value *find(const struct reported *reported, const char *metric,
                                         const char *part, const char *source, size_t after)
{
    for (size_t i = 0; i < reported->count; i++) {
        const struct reported_value *value = &reported->items[(after + i) % reported->count];
        if (strcmp(value->metric, metric) == 0 && strcmp(value->part, part) == 0 &&
            (source == NULL || strcmp(value->source, source) == 0))
            return value;
    }
    return NULL;
}

static void collect(const struct point_value *value, void *context)
{
    struct reported *reported = context;
    if (reported->every && !comparable(value))
        return;
    reported->items = memory_next(reported->items, reported->count, sizeof *reported->items);
    struct reported_value *added = &reported->items[reported->count++];
    *added = (struct reported_value){.unit = arena_strdup(&reported->arena, value->unit),
                                     .source = arena_strdup(&reported->arena, value->source),
                                     .verdict = arena_strdup(&reported->arena, value->verdict),
                                     .doubt = arena_strdup(&reported->arena, value->doubt),
                                     .class = value->class,
                                     .seen = comparable(value),
                                     .inferred = value->kind == EVIDENCE_INFERRED,
                                     .value = value->value,
                                     .low = value->low,
                                     .high = value->high};
    snprintf(added->metric, sizeof added->metric, "%s", value->metric);
    snprintf(added->part, sizeof added->part, "%s", value->part);
}

/* Replaces energies of repetitions, whose length the run chooses, by energies of a unit: power times its
 * time. */
static void add_energy_of_units(struct reported *reported)
{
    static const double NS = 1e-9;
    const struct reported_value *power = find(reported, "power.dynamic_w", "", NULL, 0);
    const struct reported_value *time = find(reported, "unit.ns", "", NULL, 0);
    size_t kept = 0;
    for (size_t i = 0; i < reported->count; i++) {
        struct reported_value *value = &reported->items[i];
        bool of_a_run = strcmp(value->metric, "energy.dynamic_j") == 0;
        if (of_a_run && (value->part[0] != '\0' || power == NULL || time == NULL || !time->seen))
            continue;
        if (of_a_run) {
            snprintf(value->metric, sizeof value->metric, "energy.unit_j");
            value->value = power->value * time->value * NS;
            value->low = power->low * time->low * NS;
            value->high = power->high * time->high * NS;
            value->doubt = time->doubt[0] != '\0' ? time->doubt : value->doubt;
        }
        if (&reported->items[kept] != value)
            reported->items[kept] = *value;
        kept++;
    }
    reported->count = kept;
}

/* Adds the ticks of a unit, computed from those of a pass; older results lack units. */
static void add_ticks_of_units(struct reported *reported, double units)
{
    const struct reported_value *pass = find(reported, "time.ticks_per_pass", "", NULL, 0);
    if (pass == NULL || !pass->seen || !(units > 0))
        return;
    struct reported_value unit = *pass;
    snprintf(unit.metric, sizeof unit.metric, "time.ticks_per_unit");
    unit.value /= units;
    unit.low /= units;
    unit.high /= units;
    reported->items = memory_next(reported->items, reported->count, sizeof *reported->items);
    reported->items[reported->count++] = unit;
}

/* Gathers the point's values. Free them with reported_free. */
static void gather_values(const struct result_point *point, bool every, struct reported *reported)
{
    *reported = (struct reported){.every = every};
    point_values(point, every, collect, reported);
    if (every)
        return;
    add_ticks_of_units(reported, point->units);
    add_energy_of_units(reported);
}

static void reported_free(struct reported *reported)
{
    free(reported->items);
    arena_free(&reported->arena);
}

/* ---- one point ---- */

/* Two values of one source; NULL: that side lacks it. */
struct comparison {
    const struct reported_value *old, *new;
    enum family family;
    struct diff_change change;
    const char *doubt; /* why it and its followers are not judged; "": they are */
    bool past;         /* past the threshold, with separate intervals */
    bool elsewhere;    /* the sides have it only from different sources */
};

/* A point of both files. */
struct pair {
    struct diff *diff;
    const char *name;
    const struct result_point *old_point, *new_point;
    struct reported old, new; /* the best values */
    struct reported old_all,
        new_all; /* of all sources; filled when the best values come from different sources */
    bool all;    /* old_all and new_all are filled */
    bool same_program;
    struct comparison *items;
    size_t count;
};

static bool is_share(const struct reported_value *value)
{
    return point_value_is_share(value->unit);
}

/* The change: the difference for shares, relative to the old value for values with a unit. */
static struct diff_change moved(const struct reported_value *old, const struct reported_value *new)
{
    double by = new->value - old->value;
    if (is_share(old) || by == 0)
        return (struct diff_change){.by = by, .relative = !is_share(old)};
    return (struct diff_change){.by = old->value == 0 ? copysign(HUGE_VAL, by) : by / fabs(old->value),
                                .relative = true};
}

/* Shares inferred from timing are no better than their tolerance, whatever the interval. */
static double threshold_of(const struct diff *diff, const struct reported_value *value)
{
    bool rate = value->class == VALUE_RATE;
    double threshold = diff->threshold[rate && !is_share(value) ? VALUE_TIME : value->class];
    return rate && is_share(value) && value->inferred
               ? fmax(threshold, evidence_kinds[EVIDENCE_INFERRED].tolerances[TOLERANCE_USUAL])
               : threshold;
}

/* True for a time. */
static bool is_time(const struct reported_value *value)
{
    const struct metric *row = metric_find(value->metric);
    return family_of(value->metric) == FAMILY_TIME && (row == NULL || row->trend == TREND_SLOWER);
}

/* How far the true value may lie below. Disturbances only lengthen a time, so it may be too long by its
 * variation. */
static double down(const struct reported_value *value)
{
    return is_time(value) ? value->high - value->low : value->value - value->low;
}

/* True if the intervals are separate; false without intervals. */
static bool is_apart(const struct diff *diff, const struct reported_value *old,
                     const struct reported_value *new)
{
    const struct reported_value *lower = old->value < new->value ? old : new;
    const struct reported_value *upper = lower == old ? new : old;
    return upper->value - diff->reach * down(upper) >
           lower->value + diff->reach * (lower->high - lower->value);
}

/* A time must be positive. Returns why the values are not judged; "": they are. */
static const char *doubt_of(const struct reported_value *old, const struct reported_value *new)
{
    if (is_time(old) && (!(old->value > 0) || !(new->value > 0)))
        return !(old->value > 0) ? "OLD's time is not positive: its clock did not resolve it"
                                 : "NEW's time is not positive: its clock did not resolve it";
    return old->doubt[0] != '\0' ? old->doubt : new->doubt;
}

static void compare(struct pair *pair, const struct reported_value *old, const struct reported_value *new)
{
    struct comparison comparison = {.old = old,
                                    .new = new,
                                    .family = family_of((old != NULL ? old : new)->metric),
                                    .change = DIFF_NO_NUMBER,
                                    .doubt = ""};
    bool both = old != NULL && new != NULL;
    comparison.elsewhere = both && strcmp(old->source, new->source) != 0;
    if (both && !comparison.elsewhere) {
        comparison.change = moved(old, new);
        comparison.doubt = doubt_of(old, new);
        comparison.past =
            fabs(comparison.change.by) > threshold_of(pair->diff, old) && is_apart(pair->diff, old, new);
    }
    pair->items = memory_next(pair->items, pair->count, sizeof *pair->items);
    pair->items[pair->count++] = comparison;
}

/* Compares the values of a source that both sides have, if there is one. */
static void compare_sources(struct pair *pair, const struct reported_value *old,
                            const struct reported_value *new)
{
    if (!pair->all) {
        gather_values(pair->old_point, true, &pair->old_all);
        gather_values(pair->new_point, true, &pair->new_all);
        pair->all = true;
    }
    const struct reported_value *of_old = find(&pair->old_all, old->metric, old->part, new->source, 0);
    const struct reported_value *of_new = find(&pair->new_all, new->metric, new->part, old->source, 0);
    if (of_old != NULL)
        compare(pair, of_old, new);
    else
        compare(pair, old, of_new != NULL ? of_new : new);
}

static void gather(struct pair *pair)
{
    for (size_t i = 0; i < pair->old.count; i++) {
        const struct reported_value *old = &pair->old.items[i];
        const struct reported_value *new = find(&pair->new, old->metric, old->part, NULL, i);
        bool now_seen = new != NULL &&new->seen;
        if (old->seen && now_seen && strcmp(old->source, new->source) != 0)
            compare_sources(pair, old, new);
        else if (old->seen || now_seen)
            compare(pair, old->seen ? old : NULL, now_seen ? new : NULL);
    }
    for (size_t i = 0; i < pair->new.count; i++) {
        const struct reported_value *new = &pair->new.items[i];
        if (new->seen && find(&pair->old, new->metric, new->part, NULL, i) == NULL)
            compare(pair, NULL, new);
    }
}

static const struct reported_value *either(const struct comparison *comparison)
{
    return comparison->old != NULL ? comparison->old : comparison->new;
}

static bool is_judged(const struct comparison *comparison)
{
    return !isnan(comparison->change.by) && comparison->doubt[0] == '\0';
}

/* The comparison of the whole point's metric, if both sides have it; NULL: none. */
static const struct comparison *whole(const struct pair *pair, const char *metric)
{
    for (size_t i = 0; i < pair->count; i++)
        if (either(&pair->items[i])->part[0] == '\0' &&
            strcmp(either(&pair->items[i])->metric, metric) == 0 && !isnan(pair->items[i].change.by))
            return &pair->items[i];
    return NULL;
}

/* The comparison that decides for each family; NULL: none does. */
struct chiefs {
    const struct comparison *of[FAMILIES];
    const struct comparison *cycles; /* cycles of the time that decides; NULL: unknown */
    bool of_a_pass;                  /* the time that decides is that of a pass */
    size_t followers[FAMILIES];      /* number of changed followers */
};

/* Finds the time that decides; if all are in doubt, the first. */
static void find_time(const struct pair *pair, struct chiefs *chiefs)
{
    size_t first = DECIDING;
    for (size_t i = 0; i < DECIDING; i++) {
        const struct comparison *time = whole(pair, deciding[i].metric);
        if (time == NULL || (first < DECIDING && deciding[i].measure != deciding[first].measure))
            continue;
        first = first == DECIDING ? i : first;
        if (chiefs->of[FAMILY_TIME] != NULL && (is_judged(chiefs->of[FAMILY_TIME]) || !is_judged(time)))
            continue;
        chiefs->of[FAMILY_TIME] = time;
        chiefs->of_a_pass = deciding[i].of_a_pass;
        chiefs->cycles = deciding[i].cycles == NULL ? NULL : whole(pair, deciding[i].cycles);
        if (chiefs->cycles != NULL && !is_judged(chiefs->cycles))
            chiefs->cycles = NULL;
    }
}

static bool is_trusted(const struct comparison *comparison)
{
    return is_judged(comparison) && comparison->past;
}

/* Finds the deciding comparisons: of other families the first changed one, preferably of the whole point. */
static void find_chiefs(const struct pair *pair, struct chiefs *chiefs)
{
    *chiefs = (struct chiefs){.cycles = NULL};
    find_time(pair, chiefs);
    for (size_t i = 0; i < pair->count; i++) {
        const struct comparison *one = &pair->items[i];
        const struct comparison **chief = &chiefs->of[one->family];
        bool free = one->family != FAMILY_NONE && one->family != FAMILY_COUNTS &&
                    (one->family != FAMILY_TIME || *chief == NULL);
        bool better = *chief == NULL || (either(*chief)->part[0] != '\0' && either(one)->part[0] == '\0');
        if (free && better && is_trusted(one))
            *chief = one;
    }
    const struct comparison *power = chiefs->of[FAMILY_POWER], *time = chiefs->of[FAMILY_TIME];
    if (power != NULL)
        chiefs->of[FAMILY_ENERGY] = power;
    else if (time != NULL && (is_trusted(time) || !is_judged(time)))
        chiefs->of[FAMILY_ENERGY] = time;
    for (size_t i = 0; i < pair->count; i++)
        if (&pair->items[i] != chiefs->of[pair->items[i].family] && is_trusted(&pair->items[i]))
            chiefs->followers[pair->items[i].family]++;
}

/* True if the code changed, not only the clock: the cycles changed past the threshold, or by most of the
 * change. */
static bool is_code(const struct pair *pair, const struct comparison *time, const struct comparison *cycles)
{
    double by = time->change.by;
    double of_cycles = cycles == NULL ? fabs(by) : copysign(1, by) * cycles->change.by;
    return of_cycles > threshold_of(pair->diff, time->old) || of_cycles > fabs(by) / 2;
}

/* ---- rows ---- */

static struct value number_of(const struct reported_value *value)
{
    return value == NULL || !isfinite(value->value) ? value_none : value_plain(value->value);
}

/* Returns the row, or NULL if it is not kept. */
static struct diff_row *row(const struct pair *pair, const struct comparison *one, const char *what,
                            bool past, bool shown)
{
    struct diff_row *made =
        diff_row(pair->diff, pair->name, either(one)->part, either(one)->metric, number_of(one->old),
                 number_of(one->new), one->change, what, past, shown);
    if (made != NULL && one->doubt[0] != '\0')
        made->doubt = arena_strdup(&pair->diff->arena, one->doubt);
    return made;
}

static bool is(const struct reported_value *value, const char *verdict)
{
    return strcmp(value->verdict, verdict) == 0;
}

static void row_of_change(const struct pair *pair, const struct comparison *one, const struct chiefs *chiefs)
{
    bool chief = one == chiefs->of[one->family], time = chief && one->family == FAMILY_TIME;
    bool clock = time && !is_code(pair, one, chiefs->cycles);
    size_t followers = chief ? chiefs->followers[one->family] : 0;
    const char *what = clock ? "clock, not code" : meaning(either(one)->metric, one->change.by);
    struct diff_row *made = row(pair, one, what, !clock, true);
    pair->diff->clock += clock;
    if (made == NULL)
        return;
    made->followers = followers;
    if (time && chiefs->of_a_pass && !pair->same_program)
        made->note = "per pass, which may have another number of units";
}

static void row_of_follower(const struct pair *pair, const struct comparison *one,
                            const struct comparison *chief)
{
    struct buffer what = {0};
    buffer_printf(&what, "%s %s", is_trusted(chief) ? "follows" : "decided by", either(chief)->metric);
    row(pair, one, what.data, false, false);
    buffer_free(&what);
}

/* Adds the row of a number that one side lacks, or that the sides have from different sources. */
static void row_of_one_side(const struct pair *pair, const struct comparison *one)
{
    const char *what = one->old == NULL ? "seen now" : one->new == NULL ? "not seen now" : "seen otherwise";
    row(pair, one, what, false, one->old != NULL);
}

static void row_of_both(const struct pair *pair, const struct comparison *one, const struct chiefs *chiefs)
{
    const struct comparison *chief = chiefs->of[one->family];
    bool follows = chief != NULL && chief != one && one->family != FAMILY_NONE;
    bool decided = follows && (one->family == FAMILY_TIME || one->past || !is_judged(chief));
    bool moved_far = fabs(one->change.by) > threshold_of(pair->diff, one->old);
    if (one->family == FAMILY_COUNTS) {
        row(pair, one, one->past ? "of a pass, not judged" : "same", false, one->past && pair->same_program);
        return;
    }
    pair->diff->compared += one->family != FAMILY_TIME || !follows;
    if (is(one->old, "untrustworthy") || is(one->new, "untrustworthy")) {
        row(pair, one, "untrustworthy", false, one->past);
    } else if (is(one->new, "fail") && !is(one->old, "fail")) {
        row(pair, one, "fails now", true, true);
    } else if (decided) {
        row_of_follower(pair, one, chief);
    } else if (!is_judged(one)) {
        pair->diff->marked++;
        row(pair, one, "marked", false, moved_far);
    } else if (one->past) {
        row_of_change(pair, one, chiefs);
    } else {
        row(pair, one, "same", false, false);
    }
}

static void compare_points(struct diff *diff, const char *name, const struct result_point *old,
                           const struct result_point *new)
{
    struct pair pair = {.diff = diff, .name = name, .old_point = old, .new_point = new};
    struct chiefs chiefs;
    gather_values(old, false, &pair.old);
    gather_values(new, false, &pair.new);
    pair.same_program = strcmp(old->program_hash, new->program_hash) == 0;
    if (!pair.same_program)
        diff_row(diff, name, "", "program", value_none, value_none, DIFF_NO_NUMBER, "another program", false,
                 true);
    gather(&pair);
    find_chiefs(&pair, &chiefs);
    for (size_t i = 0; i < pair.count; i++)
        if (isnan(pair.items[i].change.by))
            row_of_one_side(&pair, &pair.items[i]);
        else
            row_of_both(&pair, &pair.items[i], &chiefs);
    free(pair.items);
    reported_free(&pair.old);
    reported_free(&pair.new);
    reported_free(&pair.old_all);
    reported_free(&pair.new_all);
}

/* Reports points that ran on one side only, or on neither. True if both ran. */
static bool compare_runs(struct diff *diff, const char *name, const struct result_point *old,
                         const struct result_point *new)
{
    const char *word;
    const char *old_failure = point_failure(old, &word);
    const char *new_failure = point_failure(new, &word);
    if (old_failure == NULL && new_failure == NULL)
        return true;
    bool worse = old_failure == NULL;
    bool same = old_failure != NULL && new_failure != NULL;
    diff->compared++;
    diff_row(diff, name, "", "", value_word(old_failure == NULL ? "ran" : old_failure, &diff->arena),
             value_word(new_failure == NULL ? "ran" : new_failure, &diff->arena), DIFF_NO_NUMBER,
             worse  ? "does not run now"
             : same ? "runs in neither"
                    : "runs now",
             worse, true);
    return false;
}

/* ---- two files ---- */

/* A file's points by name; of several points with one name, the last. */
struct compared_file {
    struct results_reader results;
    struct text_set names;
    size_t *points; /* [names.count]; owned */
};

static enum status by_name(struct compared_file *side, struct error *error)
{
    static const char *const wanted[] = {"benchmark", "name", NULL};
    enum status status = STATUS_OK;
    side->points = memory_zeroed(side->results.count + 1, sizeof *side->points);
    for (size_t i = 0; status == STATUS_OK && i < side->results.count; i++) {
        struct result_point point;
        struct buffer name = {0};
        status = result_point_load(&side->results, i, wanted, &point, error);
        if (status != STATUS_OK)
            continue;
        buffer_printf(&name, "%s/%s", point.benchmark, point.name);
        side->points[text_set_add(&side->names, name.data)] = i;
        buffer_free(&name);
        result_point_free(&point);
    }
    return status;
}

static void close_side(struct compared_file *side)
{
    results_reader_close(&side->results);
    text_set_free(&side->names);
    free(side->points);
}

static void only(struct diff *diff, const char *name, const char *where)
{
    diff->compared++;
    diff_row(diff, name, "", "", value_none, value_none, DIFF_NO_NUMBER, where, true, true);
}

static enum status compare_pair(struct diff *diff, struct compared_file sides[2], const char *name,
                                size_t old, size_t new, struct error *error)
{
    static const char *const wanted[] = {"program_hash", "error",    "code",    "rates", "time",  "device",
                                         "together",     "counters", "threads", "power", "units", NULL};
    struct result_point points[2];
    enum status status = result_point_load(&sides[0].results, old, wanted, &points[0], error);
    if (status != STATUS_OK)
        return status;
    diff->points++;
    status = result_point_load(&sides[1].results, new, wanted, &points[1], error);
    if (status == STATUS_OK) {
        if (compare_runs(diff, name, &points[0], &points[1]))
            compare_points(diff, name, &points[0], &points[1]);
        result_point_free(&points[1]);
    }
    result_point_free(&points[0]);
    return status;
}

/* Approximate number of judged numbers of a point. */
enum { COMPARED_PER_POINT = 10 };

/* The factor of half intervals in a comparison. Half of a 95 % interval is 1.96 standard deviations of the
 * difference between two runs; intervals that just touch differ by twice that, which chance does in one of
 * 11,000 comparisons. For more comparisons the factor grows, so that at most one in twenty pairs of files has
 * a false change (Bonferroni). */
static double reach_of(size_t comparisons)
{
    const double half = 1.96, chance = 0.05 / (double)comparisons;
    double low = 0, high = 40;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (erfc(middle / sqrt(2)) > chance)
            low = middle;
        else
            high = middle;
    }
    return fmax(1, low / (2 * half));
}

static enum status compare_files(struct diff *diff, struct compared_file sides[2], struct error *error)
{
    const struct text_set *old = &sides[0].names, *new = &sides[1].names;
    enum status status = by_name(&sides[0], error);
    if (status == STATUS_OK)
        status = by_name(&sides[1], error);
    if (status != STATUS_OK)
        return status;
    diff_contexts(diff, &sides[0].results.context.members, &sides[1].results.context.members);
    diff->reach = reach_of(COMPARED_PER_POINT * (old->count > 0 ? old->count : 1));
    for (size_t i = 0; i < old->count; i++) {
        const char *name = old->texts[i];
        size_t other = text_set_find(new, name);
        if (other == new->count)
            only(diff, name, "only in OLD");
        else if (status == STATUS_OK)
            status = compare_pair(diff, sides, name, sides[0].points[i], sides[1].points[other], error);
    }
    for (size_t i = 0; i < new->count; i++)
        if (text_set_find(old, new->texts[i]) == old->count)
            only(diff, new->texts[i], "only in NEW");
    return status;
}

static enum status open_one(struct diff *diff, const char *path, struct results_reader *results,
                            struct error *error)
{
    enum status status = results_open(path, results, error);
    if (status == STATUS_OK && results->cut)
        session_warn(diff->events, "%s: the last line is incomplete and left out", path);
    const struct simulated *simulated = &results->context.simulated;
    if (status == STATUS_OK && simulated->given)
        session_warn(diff->events, "%s: %s: %s", path, simulated_label(simulated), simulated->how);
    if (status == STATUS_OK && results->count == 0)
        status = error_set(error, STATUS_FAILED, "%s has no finished point to compare", path);
    return status;
}

enum status diff_results(struct diff *diff, const char *old, const char *new, struct error *error)
{
    struct compared_file sides[2] = {{.results = {.fd = -1}}, {.results = {.fd = -1}}};
    enum status status = open_one(diff, old, &sides[0].results, error);
    if (status == STATUS_OK)
        status = open_one(diff, new, &sides[1].results, error);
    if (status == STATUS_OK)
        status = compare_files(diff, sides, error);
    close_side(&sides[0]);
    close_side(&sides[1]);
    return status;
}
