#include "runner/results/result_point.h"

#include "base/json.h"

#include <math.h>
#include <stdio.h>
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

/* The largest number that surely fits a size_t. */
static const double MOST_SAMPLES = 1e15;

struct interval result_interval(const json_t *from)
{
    double value = json_is_number(from) ? json_number_value(from) : json_number_or(from, "value", NAN);
    return (struct interval){.value = value,
                             .low = json_number_or(from, "low", value),
                             .high = json_number_or(from, "high", value),
                             .n = (size_t)fmin(fmax(0, json_number_or(from, "n", 0)), MOST_SAMPLES)};
}

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    if (memory == NULL)
        abort(); /* out of memory */
    return memory;
}

/* ---- rates ---- */

static void read_observations(const char *metric, const json_t *list, struct observations *seen)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i);
        const struct interval interval = result_interval(one);
        observations_add(seen, metric, json_string_or(one, "source", "?"), json_string_or(one, "kind", ""),
                         interval.value, interval.low, interval.high, json_number_or(one, "n", 0));
        seen->items[i].counted = json_number_or(one, "counted", 0);
        snprintf(seen->items[i].part, sizeof seen->items[i].part, "%s", json_string_or(one, "part", ""));
    }
}

void result_rate_read(const char *metric, const json_t *entry, struct result_rate *rate)
{
    const json_t *expect = json_object_get(entry, "expect");
    *rate = (struct result_rate){.metric = metric,
                                 .target = json_number_or(entry, "target", NAN),
                                 .min = json_number_or(expect, "min", -INFINITY),
                                 .max = json_number_or(expect, "max", INFINITY),
                                 .prefetched = json_is_true(json_object_get(entry, "prefetched")),
                                 .calibrated = json_string_or(entry, "calibrated", NULL),
                                 .verdict = verdict_from_name(json_string_or(entry, "verdict", "")),
                                 .reason = json_string_or(entry, "reason", ""),
                                 .document = entry};
    read_observations(metric, json_object_get(entry, "observations"), &rate->seen);
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

void result_rate_free(struct result_rate *rate)
{
    observations_free(&rate->seen);
}

/* ---- points ---- */

/* The member's text, "" if it has another type; NULL without the member. */
static const char *reason_of(const json_t *document, const char *key)
{
    return json_object_get(document, key) == NULL ? NULL : json_string_or(document, key, "");
}

static void read_reps(const json_t *list, struct result_point *point)
{
    point->reps = allocate(json_array_size(list), sizeof *point->reps);
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

static void read_rates(json_t *rates, struct result_point *point)
{
    const char *metric;
    json_t *entry;
    point->rates = allocate(json_object_size(rates), sizeof *point->rates);
    json_object_foreach(rates, metric, entry)
    {
        result_rate_read(metric, entry, &point->rates[point->rate_count++]);
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
    read_rates(json_object_get(document, "rates"), point);
}

const struct result_rate *result_point_rate(const struct result_point *point, const char *metric)
{
    for (size_t i = 0; i < point->rate_count; i++)
        if (strcmp(point->rates[i].metric, metric) == 0)
            return &point->rates[i];
    return NULL;
}

void result_point_free(struct result_point *point)
{
    for (size_t i = 0; i < point->rate_count; i++)
        result_rate_free(&point->rates[i]);
    free(point->rates);
    free(point->reps);
}
