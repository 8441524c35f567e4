/* The list is searched in order: a point has some dozens of observations at most. Static text is kept as a
 * pointer; the metric's name is copied. */
#include "runner/results/observation.h"

#include "base/memory.h"
#include "generator/metric/metric.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Clamps a share and its interval, which an extrapolation or a resampling may put beyond 0 or 1. An interval
 * that lies far beyond is wrong, and is removed. */
static void clamp_share(struct observation *one)
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
    clamp_share(added);
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

static void add_count(struct observations *list, struct raw_counts *counts, const struct raw_count *one)
{
    for (size_t i = 0; i < counts->count; i++)
        if (strcmp(counts->items[i].name, one->name) == 0) {
            counts->items[i].interval = one->interval;
            counts->items[i].counted = one->counted;
            return;
        }
    counts->items = memory_next(counts->items, counts->count, sizeof *counts->items);
    counts->items[counts->count++] =
        (struct raw_count){arena_strdup(&list->arena, one->name), one->interval, one->counted};
}

void observations_count(struct observations *list, const char *name, struct interval interval, double counted)
{
    add_count(list, &list->counters, &(struct raw_count){name, interval, counted});
}

const struct raw_count *observations_counted(const struct observations *list, const char *name)
{
    for (size_t i = 0; i < list->counters.count; i++)
        if (strcmp(list->counters.items[i].name, name) == 0)
            return &list->counters.items[i];
    return NULL;
}

static void import_of(struct observations *list, const char *tool, const char *file)
{
    if (list->tool != NULL || tool == NULL)
        return;
    list->tool = arena_strdup(&list->arena, tool);
    list->file = arena_strdup(&list->arena, file);
}

void observations_import(struct observations *list, const char *tool, const char *file, const char *name,
                         double value)
{
    import_of(list, tool, file);
    add_count(list, &list->imported, &(struct raw_count){name, {value, value, value, 1}, NAN});
}

void observations_extend(struct observations *list, const struct observations *from)
{
    for (size_t i = 0; i < from->count; i++)
        observations_copy(list, &from->items[i]);
    for (size_t i = 0; i < from->counters.count; i++)
        add_count(list, &list->counters, &from->counters.items[i]);
    import_of(list, from->tool, from->file);
    for (size_t i = 0; i < from->imported.count; i++)
        add_count(list, &list->imported, &from->imported.items[i]);
    warnings_extend(&list->warnings, &from->warnings);
}

void observations_move(struct observations *list, struct observations *from)
{
    observations_extend(list, from);
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

void observations_free(struct observations *list)
{
    free(list->items);
    free(list->counters.items);
    free(list->imported.items);
    warnings_free(&list->warnings);
    arena_free(&list->arena);
    *list = (struct observations){0};
}
