#include "runner/results/result_point.h"

#include "base/json.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"pass", "pass (code)", "pass, disputed", "inconclusive",
                                    "fail", "unobserved",  "not applicable", "observed"};
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

/* ---- rates ---- */

static const char *text_of(struct arena *arena, const char *text)
{
    return text == NULL ? NULL : arena_strdup(arena, text);
}

static struct result_rate *append(struct result_rates *rates, const struct result_rate *rate)
{
    rates->items = memory_next(rates->items, rates->count, sizeof *rates->items);
    rates->items[rates->count] = *rate;
    return &rates->items[rates->count++];
}

void result_rates_add(struct result_rates *rates, const struct result_rate *rate)
{
    struct result_rate *added = append(rates, rate);
    added->metric = text_of(&rates->arena, rate->metric);
    added->calibrated = text_of(&rates->arena, rate->calibrated);
    added->reason = text_of(&rates->arena, rate->reason);
    for (size_t i = 0; i < added->seen.count; i++) {
        added->seen.items[i].source = text_of(&rates->arena, added->seen.items[i].source);
        added->seen.items[i].kind = text_of(&rates->arena, added->seen.items[i].kind);
    }
}

/* A side's own verdict, which is null if it has no observation. */
static bool read_side(const json_t *entry, const char *side, enum verdict *verdict)
{
    const char *name = json_string_or(entry, side, NULL);
    *verdict = verdict_from_name(name == NULL ? "" : name);
    return name != NULL;
}

static void read_rate(struct result_rates *rates, const char *metric, const json_t *entry)
{
    const json_t *expect = json_object_get(entry, "expect");
    struct result_rate rate = {.metric = metric,
                               .target = json_number_or(entry, "target", NAN),
                               .bounded = expect != NULL,
                               .min = json_number_or(expect, "min", -INFINITY),
                               .max = json_number_or(expect, "max", INFINITY),
                               .prefetched = json_is_true(json_object_get(entry, "prefetched")),
                               .calibrated = json_string_or(entry, "calibrated", NULL),
                               .verdict = verdict_from_name(json_string_or(entry, "verdict", "")),
                               .reason = json_string_or(entry, "reason", "")};
    rate.has_code = read_side(entry, "code", &rate.code);
    rate.has_silicon = read_side(entry, "silicon", &rate.silicon);
    observations_read(json_object_get(entry, "observations"), metric, &rate.seen);
    (void)append(rates, &rate);
}

void result_rates_read_one(const json_t *document, const char *metric, struct result_rates *rates)
{
    const json_t *entry = json_object_get(document, metric);
    *rates = (struct result_rates){0};
    if (entry != NULL)
        read_rate(rates, metric, entry);
}

void result_rates_read(const json_t *document, struct result_rates *rates)
{
    const char *metric;
    json_t *entry;
    *rates = (struct result_rates){0};
    json_object_foreach((json_t *)(uintptr_t)document, metric, entry) read_rate(rates, metric, entry);
}

json_t *result_rate_target(const struct result_rate *rate)
{
    /* The mix of a loop is a quotient, and stays one where it is whole. */
    bool quotient = strncmp(rate->metric, "mix.", 4) == 0 || strcmp(rate->metric, "body.share") == 0;
    return isnan(rate->target) ? json_null()
           : quotient          ? json_real(rate->target)
                               : json_from_number(rate->target);
}

json_t *result_rate_bounds(const struct result_rate *rate)
{
    if (!rate->bounded)
        return NULL;
    json_t *bounds = json_object();
    if (isfinite(rate->min))
        json_object_set_new(bounds, "min", json_from_number(rate->min));
    if (isfinite(rate->max))
        json_object_set_new(bounds, "max", json_from_number(rate->max));
    return bounds;
}

static json_t *word_of(bool there, enum verdict verdict)
{
    return there ? json_string(verdict_name(verdict)) : json_null();
}

static json_t *rate_to_json(const struct result_rate *rate)
{
    json_t *entry = json_object();
    json_object_set_new(entry, "target", result_rate_target(rate));
    if (rate->bounded)
        json_object_set_new(entry, "expect", result_rate_bounds(rate));
    if (rate->prefetched)
        json_object_set_new(entry, "prefetched", json_true());
    if (rate->calibrated != NULL)
        json_object_set_new(entry, "calibrated", json_string(rate->calibrated));
    json_object_set_new(entry, "verdict", json_string(verdict_name(rate->verdict)));
    json_object_set_new(entry, "code", word_of(rate->has_code, rate->code));
    json_object_set_new(entry, "silicon", word_of(rate->has_silicon, rate->silicon));
    if (rate->reason[0] != '\0')
        json_object_set_new(entry, "reason", json_string(rate->reason));
    json_object_set_new(entry, "observations", observations_to_json(&rate->seen));
    return entry;
}

json_t *result_rates_to_json(const struct result_rates *rates)
{
    json_t *document = json_object();
    for (size_t i = 0; i < rates->count; i++)
        json_object_set_new(document, rates->items[i].metric, rate_to_json(&rates->items[i]));
    return document;
}

const struct result_rate *result_rates_find(const struct result_rates *rates, const char *metric)
{
    for (size_t i = 0; i < rates->count; i++)
        if (strcmp(rates->items[i].metric, metric) == 0)
            return &rates->items[i];
    return NULL;
}

void result_rates_free(struct result_rates *rates)
{
    for (size_t i = 0; i < rates->count; i++)
        observations_free(&rates->items[i].seen);
    free(rates->items);
    arena_free(&rates->arena);
    *rates = (struct result_rates){0};
}

/* The kinds of evidence, worst first. */
static const char *const kinds[] = {"predicted", "inferred", "simulated", "inspected", "measured"};

static int rank_of(const char *kind)
{
    int rank = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i], kind) == 0)
            rank = (int)i + 1;
    return rank;
}

const struct observation *result_rate_best(const struct result_rate *rate)
{
    const struct observation *best = NULL;
    int highest = 0;
    for (size_t i = 0; i < rate->seen.count; i++) {
        const struct observation *one = &rate->seen.items[i];
        if (rank_of(one->kind) <= highest || !isfinite(one->value))
            continue;
        highest = rank_of(one->kind);
        best = one;
    }
    return best;
}

/* ---- points ---- */

/* The member's text, "" if it has another type; NULL without the member. */
static const char *reason_of(const json_t *document, const char *key)
{
    return json_object_get(document, key) == NULL ? NULL : json_string_or(document, key, "");
}

static void read_reps(const json_t *list, struct result_point *point)
{
    point->reps = memory_zeroed(json_array_size(list), sizeof *point->reps);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *rep = json_array_get(list, i);
        size_t copies = json_array_size(json_object_get(rep, "threads"));
        point->reps[point->rep_count++] =
            (struct result_rep){.iterations = json_number_or(rep, "iterations", NAN),
                                .ticks = json_number_or(rep, "ticks", NAN),
                                .seconds = json_number_or(rep, "seconds", NAN),
                                .copies = copies > 0 ? copies : 1,
                                .document = rep};
    }
}

void result_point_read(const json_t *document, struct result_point *point)
{
    *point = (struct result_point){.recipe = json_string_or(document, "recipe", ""),
                                   .benchmark = json_string_or(document, "benchmark", ""),
                                   .name = json_string_or(document, "name", ""),
                                   .target = json_string_or(document, "target", ""),
                                   .program_hash = json_string_or(document, "program_hash", ""),
                                   .error = reason_of(document, "error"),
                                   .skipped = reason_of(document, "skipped"),
                                   .on_device = json_object_get(document, "device") != NULL,
                                   .ticks_per_pass = result_interval(
                                       json_object_get(json_object_get(document, "time"), "ticks_per_pass")),
                                   .document = document};
    read_reps(json_object_get(document, "reps"), point);
    result_rates_read(json_object_get(document, "rates"), &point->rates);
}

void result_point_free(struct result_point *point)
{
    result_rates_free(&point->rates);
    free(point->reps);
}
