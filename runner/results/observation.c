/* The list of observations. It grows by doubling and is searched in order: a point has some dozens of entries
 * at most. Static text is kept as a pointer; the metric's name is copied. */
#include "runner/results/observation.h"

#include "base/json.h"
#include "base/memory.h"
#include "generator/metric/metric.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WARNING_BYTES = 4096 };

/* A share lies between 0 and 1: what an extrapolation or a resampling puts beyond ends there. An interval
 * that is far beyond is no observation of a share, and has no ends. */
static void keep_share(struct observation *one)
{
    static const double FAR = 0.03;
    double low = one->low, high = one->high, value = one->value;
    if (isnan(value) || !metric_is_share(one->metric) ||
        (value >= 0 && value <= 1 && !(low < 0) && !(high > 1)))
        return;
    one->value = fmin(fmax(value, 0), 1);
    one->low = isnan(low) ? low : fmin(fmax(low, 0), 1);
    one->high = isnan(high) ? high : fmin(fmax(high, 0), 1);
    if (!(high < -FAR) && !(low > 1 + FAR))
        return;
    one->low = one->high = NAN;
    snprintf(one->doubt, sizeof one->doubt, "a share lies between 0 and 1, and %s saw %.3g [%.3g, %.3g]",
             one->source, value, low, high);
}

void observations_add(struct observations *list, const char *metric, const char *source,
                      enum evidence_kind kind, double value, double low, double high, double n)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 16;
        list->items = memory_resized(list->items, capacity, sizeof *list->items);
        list->capacity = capacity;
    }
    struct observation *added = &list->items[list->count++];
    *added = (struct observation){
        .source = source, .kind = kind, .value = value, .low = low, .high = high, .n = n};
    snprintf(added->metric, sizeof added->metric, "%s", metric);
    keep_share(added);
}

void observations_copy(struct observations *list, const struct observation *one)
{
    observations_add(list, one->metric, one->source, one->kind, one->value, one->low, one->high, one->n);
    list->items[list->count - 1] = *one;
}

void observations_doubt(struct observations *list, const char *why)
{
    struct observation *last = &list->items[list->count - 1];
    if (last->doubt[0] == '\0')
        snprintf(last->doubt, sizeof last->doubt, "%s", why);
}

void observations_add_copy(struct observations *list, unsigned copy, const char *metric, const char *source,
                           enum evidence_kind kind, struct interval interval)
{
    observations_add(list, metric, source, kind, interval.value, interval.low, interval.high,
                     (double)interval.n);
    list->items[list->count - 1].copy = copy;
}

/* Moves the document, or adds its content to the existing one. */
static void take_over(json_t **list, json_t **from, int (*add)(json_t *list, json_t *from))
{
    if (*list == NULL) {
        *list = *from;
        *from = NULL;
    } else if (*from != NULL) {
        add(*list, *from);
    }
}

void observations_warn(struct observations *list, const char *mend, const char *format, ...)
{
    char what[WARNING_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (list->warnings == NULL)
        list->warnings = json_array();
    json_array_append_new(list->warnings, json_pack("{s:s, s:s?}", "what", what, "mend", mend));
}

void observations_move(struct observations *list, struct observations *from)
{
    for (size_t i = 0; i < from->count; i++) {
        observations_copy(list, &from->items[i]);
    }
    take_over(&list->counters, &from->counters, json_object_update);
    take_over(&list->imported, &from->imported, json_object_update);
    take_over(&list->warnings, &from->warnings, json_array_extend);
    observations_free(from);
}

const struct observation *observations_find(const struct observations *list, const char *metric,
                                            const char *source)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct observation *item = &list->items[i];
        if (item->copy == 0 && strcmp(item->metric, metric) == 0 && strcmp(item->source, source) == 0)
            return item;
    }
    return NULL;
}

static json_t *bound_to_json(double bound)
{
    return isfinite(bound) ? json_from_number(bound) : json_null();
}

json_t *observation_to_json(const struct observation *observation)
{
    json_t *json = json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "source", observation->source, "kind",
                             evidence_kinds[observation->kind].name, "value",
                             json_from_number(observation->value), "low", bound_to_json(observation->low),
                             "high", bound_to_json(observation->high), "n", json_from_number(observation->n));
    if (observation->counted > 0 && observation->counted < 1)
        json_object_set_new(json, "counted", json_from_number(observation->counted));
    if (observation->part[0] != '\0')
        json_object_set_new(json, "part", json_string(observation->part));
    if (observation->doubt[0] != '\0')
        json_object_set_new(json, "doubt", json_from_text(observation->doubt));
    return json;
}

json_t *observations_to_json(const struct observations *list)
{
    json_t *document = json_array();
    for (size_t i = 0; i < list->count; i++)
        json_array_append_new(document, observation_to_json(&list->items[i]));
    return document;
}

/* The largest number that surely fits a size_t. */
static const double MOST_SAMPLES = 1e15;

static double bound_or(const json_t *from, const char *name, double usual)
{
    return json_is_null(json_object_get(from, name)) ? NAN : json_number_or(from, name, usual);
}

struct interval result_interval(const json_t *from)
{
    double value = json_is_number(from) ? json_number_value(from) : json_number_or(from, "value", NAN);
    return (struct interval){.value = value,
                             .low = bound_or(from, "low", value),
                             .high = bound_or(from, "high", value),
                             .n = (size_t)fmin(fmax(0, json_number_or(from, "n", 0)), MOST_SAMPLES)};
}

json_t *result_interval_to_json(struct interval interval)
{
    const double numbers[] = {interval.value, interval.low, interval.high};
    json_t *shown[3];
    for (size_t i = 0; i < 3; i++)
        shown[i] = isfinite(numbers[i]) ? json_real(numbers[i]) : json_null();
    return json_pack("{s:o, s:o, s:o, s:I}", "value", shown[0], "low", shown[1], "high", shown[2], "n",
                     (json_int_t)interval.n);
}

void observation_read(const json_t *document, const char *metric, struct observations *list)
{
    const struct interval interval = result_interval(document);
    observations_add(list, metric, json_string_or(document, "source", "?"),
                     evidence_kind_named(json_string_or(document, "kind", NULL)), interval.value,
                     interval.low, interval.high, json_number_or(document, "n", 0));
    struct observation *read = &list->items[list->count - 1];
    read->counted = json_number_or(document, "counted", 0);
    snprintf(read->part, sizeof read->part, "%s", json_string_or(document, "part", ""));
    snprintf(read->doubt, sizeof read->doubt, "%s", json_string_or(document, "doubt", ""));
}

void observations_read(const json_t *document, const char *metric, struct observations *list)
{
    for (size_t i = 0; i < json_array_size(document); i++)
        observation_read(json_array_get(document, i), metric, list);
}

void observations_free(struct observations *list)
{
    free(list->items);
    json_decref(list->counters);
    json_decref(list->imported);
    json_decref(list->warnings);
    *list = (struct observations){0};
}
