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
    int rank; /* the highest that saw a metric decides; 0 never does */
    double tolerance;
    double branch_tolerance; /* for metrics that begin with "branch." */
};

static const struct kind kinds[] = {
    {"measured", 3, 0.01, 0.01}, {"simulated", 2, 0.002, 0.03}, {"inspected", 2, 0, 0},
    {"inferred", 1, 0.03, 0.03}, {"predicted", 0, 0, 0},
};

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
    double min, max;      /* the author's own bounds; infinite where not given */
    double own_tolerance; /* the recipe's, for measured values; negative: none */
};

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

/* The verdict over all observations of the metric, and why. */
static enum verdict judge_all(const struct wanted *wanted, const json_t *observations, char *reason,
                              size_t reason_size)
{
    int best = 0;
    for (size_t i = 0; i < json_array_size(observations); i++) {
        int rank = find_kind(json_string_or(json_array_get(observations, i), "kind", ""))->rank;
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
        if (kind->rank == best)
            verdict = worse(verdict, here);
        else if (here == VERDICT_FAIL)
            against = seen;
        if (here == VERDICT_FAIL && kind->rank == best)
            snprintf(reason, reason_size, "%s saw %.6g", json_string_or(seen, "source", "?"),
                     json_number_or(seen, "value", NAN));
    }
    if (verdict == VERDICT_PASS && against != NULL) {
        snprintf(reason, reason_size, "%s (%s) saw %.6g", json_string_or(against, "source", "?"),
                 json_string_or(against, "kind", "?"), json_number_or(against, "value", NAN));
        return VERDICT_DISPUTED;
    }
    return verdict;
}

static double own_tolerance(const json_t *tolerance, const char *metric)
{
    double general =
        json_is_number(tolerance) ? json_number_value(tolerance) : json_number_or(tolerance, "*", -1);
    return json_number_or(tolerance, metric, general);
}

static struct wanted make_wanted(const char *metric, const json_t *target, const json_t *expect,
                                 const json_t *tolerance)
{
    struct wanted wanted = {
        .metric = metric, .has_target = json_is_number(target), .min = -INFINITY, .max = INFINITY};
    wanted.target = json_number_value(target);
    if (expect != NULL) {
        wanted.min = json_number_or(expect, "min", -INFINITY);
        wanted.max = json_number_or(expect, "max", INFINITY);
    }
    wanted.own_tolerance = own_tolerance(tolerance, metric);
    return wanted;
}

/* Sets rates[metric] to the judged entry. applicable: the plan could form it, or not known; what a source
 * saw is judged whatever the plan could. observations: stolen. */
static void set_entry(json_t *rates, const char *metric, json_t *target, json_t *expect,
                      const json_t *tolerance, json_t *observations, bool applicable, const char *unseen)
{
    struct wanted wanted = make_wanted(metric, target, expect, tolerance);
    char reason[512] = "";
    enum verdict verdict = judge_all(&wanted, observations, reason, sizeof reason);
    if (verdict == VERDICT_UNOBSERVED && !applicable)
        verdict = VERDICT_NOT_APPLICABLE;
    if (verdict == VERDICT_UNOBSERVED)
        snprintf(reason, sizeof reason, "%s", unseen);
    if (target == NULL && expect == NULL) {
        if (verdict == VERDICT_UNOBSERVED) { /* only predicted, and nothing was asked of it */
            json_decref(observations);
            return;
        }
        verdict = VERDICT_OBSERVED;
    }
    json_t *entry = json_object();
    json_object_set_new(entry, "target", target == NULL ? json_null() : json_incref(target));
    if (expect != NULL)
        json_object_set(entry, "expect", expect);
    json_object_set_new(entry, "verdict", json_string(verdict_name(verdict)));
    if (reason[0] != '\0')
        json_object_set_new(entry, "reason", json_string(reason));
    json_object_set_new(entry, "observations", observations);
    json_object_set_new(rates, metric, entry);
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

static void judge_metric(json_t *rates, const json_t *manifest, const struct observations *observations,
                         const char *metric, json_t *target, const char *unseen)
{
    if (json_object_get(rates, metric) != NULL)
        return;
    set_entry(rates, metric, target, json_object_get(json_object_get(manifest, "expect"), metric),
              json_object_get(manifest, "tolerance"), observations_of(observations, metric),
              is_applicable(manifest, metric), unseen);
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
        bool applicable = strcmp(json_string_or(entry, "verdict", ""), "not applicable") != 0;
        set_entry(again, metric, json_is_number(target) ? target : NULL, json_object_get(entry, "expect"),
                  tolerance, json_is_array(seen) ? json_incref(seen) : json_array(), applicable,
                  json_string_or(entry, "reason", ""));
    }
    return again;
}
