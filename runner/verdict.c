#include "runner/verdict.h"

#include "base/json.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char *const names[] = {"pass",       "pass, disputed", "inconclusive", "fail",
                                    "unobserved", "not applicable", "observed"};
enum { NAME_COUNT = sizeof names / sizeof names[0] };

const char *verdict_name(enum verdict verdict)
{
    return names[verdict];
}

enum verdict verdict_from_name(const char *name)
{
    for (int i = 0; i < NAME_COUNT; i++)
        if (strcmp(name, names[i]) == 0)
            return (enum verdict)i;
    return VERDICT_UNOBSERVED;
}

/* Kinds of evidence: how much each weighs, and how far it errs in its own way (DESIGN.md section 6). */
struct kind {
    const char *name;
    int rank; /* the highest that saw a metric decides; 0 never does, CALIBRATING is below "measured" alone */
    double tolerance;
    double branch_tolerance; /* for metrics that begin with "branch." */
};

static const struct kind kinds[] = {
    {"measured", 4, 0.01, 0.01}, {"simulated", 2, 0.002, 0.03}, {"inspected", 2, 0, 0},
    {"inferred", 1, 0.03, 0.03}, {"predicted", 0, 0, 0},
};
enum { CALIBRATING = 3 };

static const double ROUNDING = 1e-9;

static const struct kind *find_kind(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    return &kinds[sizeof kinds / sizeof kinds[0] - 1];
}

/* What is asked of one metric. */
struct wanted {
    const char *metric;
    bool has_target;
    double target;
    double min, max;        /* the author's own bounds; infinite where not given */
    double own_tolerance;   /* the recipe's, for measured values; negative: none */
    bool prefetched;        /* the target is without prefetchers, the bounds are with them */
    const char *calibrated; /* the kind of evidence from the machine by which the plan was calibrated, which a
                               simulation by the machine's description does not outweigh; NULL: it was not */
};

/* How much an observation weighs for the metric. */
static int rank_of(const struct wanted *wanted, const struct kind *kind)
{
    bool calibrates = wanted->calibrated != NULL && strcmp(wanted->calibrated, kind->name) == 0;
    return calibrates && kind->rank < CALIBRATING ? CALIBRATING : kind->rank;
}

static double tolerance_of(const struct wanted *wanted, const struct kind *kind)
{
    if (strcmp(kind->name, "measured") == 0 && wanted->own_tolerance >= 0)
        return wanted->own_tolerance;
    return strncmp(wanted->metric, "branch.", 7) == 0 ? kind->branch_tolerance : kind->tolerance;
}

static enum verdict within(double low, double high, double least, double most)
{
    if (low >= least - ROUNDING && high <= most + ROUNDING)
        return VERDICT_PASS;
    return high < least - ROUNDING || low > most + ROUNDING ? VERDICT_FAIL : VERDICT_INCONCLUSIVE;
}

static enum verdict worse(enum verdict a, enum verdict b)
{
    return a > b ? a : b;
}

static enum verdict judge_one(const struct wanted *wanted, const struct kind *kind, const json_t *seen)
{
    double low = json_number_or(seen, "low", NAN);
    double high = json_number_or(seen, "high", NAN);
    enum verdict verdict = within(low, high, wanted->min, wanted->max);
    double tolerance = tolerance_of(wanted, kind);
    if (wanted->has_target)
        verdict = worse(verdict, within(low, high, wanted->target - tolerance, wanted->target + tolerance));
    return verdict;
}

bool verdict_settled(const json_t *manifest, const struct observation *seen)
{
    const json_t *target = json_object_get(json_object_get(manifest, "targets"), seen->metric);
    const struct wanted wanted = {.metric = seen->metric, .own_tolerance = -1};
    double tolerance = tolerance_of(&wanted, find_kind(seen->kind));
    if (json_object_size(json_object_get(manifest, "expect")) > 0)
        return false;
    return !json_is_number(target) || within(seen->low, seen->high, json_number_value(target) - tolerance,
                                             json_number_value(target) + tolerance) != VERDICT_INCONCLUSIVE;
}

/* The verdict over all observations of the metric, and why. */
static enum verdict judge_all(const struct wanted *wanted, const json_t *observations, char *reason,
                              size_t reason_size)
{
    int best = 0;
    for (size_t i = 0; i < json_array_size(observations); i++) {
        const char *name = json_string_or(json_array_get(observations, i), "kind", "");
        int rank = rank_of(wanted, find_kind(name));
        best = rank > best ? rank : best;
    }
    if (best == 0)
        return VERDICT_UNOBSERVED;
    enum verdict verdict = VERDICT_PASS;
    const json_t *against = NULL;
    for (size_t i = 0; i < json_array_size(observations); i++) {
        const json_t *seen = json_array_get(observations, i);
        const struct kind *kind = find_kind(json_string_or(seen, "kind", ""));
        if (kind->rank == 0)
            continue;
        enum verdict here = judge_one(wanted, kind, seen);
        bool decides = rank_of(wanted, kind) == best;
        if (decides)
            verdict = worse(verdict, here);
        else if (here == VERDICT_FAIL)
            against = seen;
        if (here == VERDICT_FAIL && decides)
            snprintf(reason, reason_size, "%s saw %.6g", json_string_or(seen, "source", "?"),
                     json_number_or(seen, "value", NAN));
    }
    if (verdict == VERDICT_FAIL && wanted->calibrated != NULL && best < CALIBRATING) {
        size_t used = strlen(reason);
        snprintf(reason + used, reason_size - used,
                 ": the program was calibrated on a machine that this source does not see");
        return VERDICT_UNOBSERVED;
    }
    if (verdict == VERDICT_PASS && against != NULL) {
        snprintf(reason, reason_size, "%s (%s) saw %.6g", json_string_or(against, "source", "?"),
                 json_string_or(against, "kind", "?"), json_number_or(against, "value", NAN));
        return VERDICT_DISPUTED;
    }
    return verdict;
}

/* What failed stays failed, whatever was not seen. */
static enum verdict either(enum verdict a, enum verdict b)
{
    return a == VERDICT_FAIL || b == VERDICT_FAIL ? VERDICT_FAIL : worse(a, b);
}

static json_t *of_kinds(const json_t *observations, bool measured)
{
    json_t *list = json_array();
    for (size_t i = 0; i < json_array_size(observations); i++) {
        json_t *seen = json_array_get(observations, i);
        if ((strcmp(json_string_or(seen, "kind", ""), "measured") == 0) == measured)
            json_array_append(list, seen);
    }
    return list;
}

/* Hardware counters see what prefetchers make of the caches, and no other source does. */
static enum verdict judge_prefetched(const struct wanted *wanted, const json_t *observations, char *reason,
                                     size_t reason_size)
{
    struct wanted target = *wanted;
    struct wanted bounds = *wanted;
    target.min = -INFINITY;
    target.max = INFINITY;
    bounds.has_target = false;
    json_t *measured = of_kinds(observations, true);
    json_t *others = of_kinds(observations, false);
    enum verdict verdict = VERDICT_PASS;
    if (wanted->has_target)
        verdict = judge_all(&target, others, reason, reason_size);
    if (isfinite(wanted->min) || isfinite(wanted->max))
        verdict = either(verdict, judge_all(&bounds, measured, reason, reason_size));
    else if (!wanted->has_target)
        verdict = judge_all(&bounds, observations, reason, reason_size);
    json_decref(measured);
    json_decref(others);
    return verdict;
}

static double own_tolerance(const json_t *tolerance, const char *metric)
{
    double general =
        json_is_number(tolerance) ? json_number_value(tolerance) : json_number_or(tolerance, "*", -1);
    return json_number_or(tolerance, metric, general);
}

/* What is asked of one metric, as JSON has it. */
struct asked {
    const char *metric;
    json_t *target, *expect; /* NULL: not asked for */
    const json_t *tolerance;
    bool applicable; /* the plan could form it, or not known; what a source saw is judged whatever the plan
                        could */
    bool prefetched;
    const char *calibrated; /* struct wanted */
    const char *unseen;     /* why no source saw it */
};

static struct wanted make_wanted(const struct asked *asked)
{
    struct wanted wanted = {.metric = asked->metric,
                            .has_target = json_is_number(asked->target),
                            .target = json_number_value(asked->target),
                            .min = -INFINITY,
                            .max = INFINITY,
                            .own_tolerance = own_tolerance(asked->tolerance, asked->metric),
                            .prefetched = asked->prefetched,
                            .calibrated = asked->calibrated};
    if (asked->expect != NULL) {
        wanted.min = json_number_or(asked->expect, "min", -INFINITY);
        wanted.max = json_number_or(asked->expect, "max", INFINITY);
    }
    return wanted;
}

static const char NOT_SEEN[] = "only hardware counters see what prefetchers do; ";

static enum verdict judge_asked(const struct asked *asked, const json_t *observations, char *reason,
                                size_t reason_size)
{
    struct wanted wanted = make_wanted(asked);
    enum verdict verdict = wanted.prefetched ? judge_prefetched(&wanted, observations, reason, reason_size)
                                             : judge_all(&wanted, observations, reason, reason_size);
    if (verdict == VERDICT_UNOBSERVED && !asked->applicable)
        return VERDICT_NOT_APPLICABLE;
    if (verdict != VERDICT_UNOBSERVED || reason[0] != '\0')
        return verdict;
    bool say =
        asked->prefetched && asked->expect != NULL && strncmp(asked->unseen, NOT_SEEN, strlen(NOT_SEEN)) != 0;
    snprintf(reason, reason_size, "%s%s", say ? NOT_SEEN : "", asked->unseen);
    return verdict;
}

/* Sets rates[metric] to the judged entry. observations: stolen. */
static void set_entry(json_t *rates, const struct asked *asked, json_t *observations)
{
    char reason[512] = "";
    enum verdict verdict = judge_asked(asked, observations, reason, sizeof reason);
    if (asked->target == NULL && asked->expect == NULL) {
        if (verdict == VERDICT_UNOBSERVED) { /* only predicted, and nothing was asked of it */
            json_decref(observations);
            return;
        }
        verdict = VERDICT_OBSERVED;
    }
    json_t *entry = json_object();
    json_object_set_new(entry, "target", asked->target == NULL ? json_null() : json_incref(asked->target));
    if (asked->expect != NULL)
        json_object_set(entry, "expect", asked->expect);
    if (asked->prefetched)
        json_object_set_new(entry, "prefetched", json_true());
    if (asked->calibrated != NULL)
        json_object_set_new(entry, "calibrated", json_string(asked->calibrated));
    json_object_set_new(entry, "verdict", json_string(verdict_name(verdict)));
    if (reason[0] != '\0')
        json_object_set_new(entry, "reason", json_string(reason));
    json_object_set_new(entry, "observations", observations);
    json_object_set_new(rates, asked->metric, entry);
}

static json_t *observations_of(const struct observations *observations, const char *metric)
{
    json_t *list = json_array();
    for (size_t i = 0; i < observations->count; i++)
        if (observations->items[i].copy == 0 && strcmp(observations->items[i].metric, metric) == 0)
            json_array_append_new(list, observation_to_json(&observations->items[i]));
    return list;
}

/* False for a target whose value the plan itself cannot form: misses of a level that nothing reaches. */
static bool is_applicable(const json_t *manifest, const char *metric)
{
    return json_object_get(json_object_get(manifest, "targets"), metric) == NULL ||
           json_object_get(json_object_get(manifest, "expected"), metric) != NULL;
}

static bool is_of_data_caches(const char *metric)
{
    static const char *const families[] = {"l1d.", "l2.miss", "l3.miss", "served."};
    bool cache = false;
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
        cache = cache || strncmp(metric, families[i], strlen(families[i])) == 0;
    return cache;
}

/* The kind of evidence that calibrated a rate of the program, where a simulation did not; else NULL. */
static const char *calibrated_by(const json_t *manifest, const char *metric)
{
    const char *kind = json_string_or(json_object_get(manifest, "calibration"), "kind", NULL);
    bool moved = is_of_data_caches(metric) || strcmp(metric, "branch.miss_rate") == 0;
    return moved && kind != NULL && strcmp(kind, "simulated") != 0 ? kind : NULL;
}

/* True for rates of the data caches in a kernel that invites prefetchers. */
static bool is_prefetched(const json_t *manifest, const char *metric)
{
    const json_t *unit = json_object_get(json_object_get(manifest, "kernel"), "unit");
    bool invited = false;
    for (size_t i = 0; i < json_array_size(unit); i++)
        invited = invited || strcmp(json_string_or(json_array_get(unit, i), "prefetch", ""), "invite") == 0;
    return invited && is_of_data_caches(metric);
}

static void judge_metric(json_t *rates, const json_t *manifest, const struct observations *observations,
                         const char *metric, json_t *target, const char *unseen)
{
    if (json_object_get(rates, metric) != NULL)
        return;
    struct asked asked = {.metric = metric,
                          .target = target,
                          .expect = json_object_get(json_object_get(manifest, "expect"), metric),
                          .tolerance = json_object_get(manifest, "tolerance"),
                          .applicable = is_applicable(manifest, metric),
                          .prefetched = is_prefetched(manifest, metric),
                          .calibrated = calibrated_by(manifest, metric),
                          .unseen = unseen};
    set_entry(rates, &asked, observations_of(observations, metric));
}

json_t *verdict_judge(const json_t *manifest, const struct observations *observations, const char *unseen)
{
    json_t *rates = json_object();
    const char *metric;
    json_t *value;
    json_object_foreach(json_object_get(manifest, "targets"), metric, value)
        judge_metric(rates, manifest, observations, metric, value, unseen);
    json_object_foreach(json_object_get(manifest, "expected"), metric, value)
    {
        if (strncmp(metric, "mix.", 4) == 0 || strcmp(metric, "body.share") == 0)
            judge_metric(rates, manifest, observations, metric, value, unseen);
    }
    json_object_foreach(json_object_get(manifest, "expect"), metric, value)
        judge_metric(rates, manifest, observations, metric, NULL, unseen);
    for (size_t i = 0; i < observations->count; i++)
        if (observations->items[i].copy == 0)
            judge_metric(rates, manifest, observations, observations->items[i].metric, NULL, unseen);
    return rates;
}

json_t *verdict_judge_again(const json_t *rates, const json_t *tolerance)
{
    json_t *again = json_object();
    const char *metric;
    json_t *entry;
    json_object_foreach((json_t *)(uintptr_t)rates, metric, entry)
    {
        json_t *target = json_object_get(entry, "target");
        json_t *seen = json_object_get(entry, "observations");
        struct asked asked = {.metric = metric,
                              .target = json_is_number(target) ? target : NULL,
                              .expect = json_object_get(entry, "expect"),
                              .tolerance = tolerance,
                              .applicable =
                                  strcmp(json_string_or(entry, "verdict", ""), "not applicable") != 0,
                              .prefetched = json_is_true(json_object_get(entry, "prefetched")),
                              .calibrated = json_string_or(entry, "calibrated", NULL),
                              .unseen = json_string_or(entry, "reason", "")};
        set_entry(again, &asked, json_is_array(seen) ? json_incref(seen) : json_array());
    }
    return again;
}
