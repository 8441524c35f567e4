#include "runner/results/result_point.h"

#include "base/json.h"
#include "base/memory.h"

#include <math.h>
#include <stdint.h>
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

void result_rates_add(struct result_rates *rates, const struct result_rate *rate)
{
    rates->items = memory_next(rates->items, rates->count, sizeof *rates->items);
    struct result_rate *added = &rates->items[rates->count++];
    *added = *rate;
    added->metric = text_of(&rates->arena, rate->metric);
    added->reason = text_of(&rates->arena, rate->reason);
    for (size_t i = 0; i < added->seen.count; i++)
        added->seen.items[i].source = text_of(&rates->arena, added->seen.items[i].source);
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

const struct observation *result_rate_best(const struct result_rate *rate)
{
    const struct observation *best = NULL;
    for (size_t i = 0; i < rate->seen.count; i++) {
        const struct observation *one = &rate->seen.items[i];
        if (one->kind > (best == NULL ? EVIDENCE_NONE : best->kind) && isfinite(one->value))
            best = one;
    }
    return best;
}

/* ---- points ---- */

/* Of all copies that ran, the first and the last begin, and the first and the last end. */
struct point_span {
    double begin[2], end[2];
};

static void widen(struct point_span *span, const struct result_copies *copies)
{
    for (size_t i = 0; i < copies->count; i++) {
        double start = (double)copies->items[i].start;
        double stop = start + (double)copies->items[i].ticks;
        span->begin[0] = fmin(span->begin[0], start);
        span->begin[1] = fmax(span->begin[1], start);
        span->end[0] = fmin(span->end[0], stop);
        span->end[1] = fmax(span->end[1], stop);
    }
}

double result_rep_overlap(const struct result_rep *rep)
{
    struct point_span span = {{INFINITY, -INFINITY}, {INFINITY, -INFINITY}};
    widen(&span, &rep->threads);
    widen(&span, &rep->company);
    double whole = span.end[1] - span.begin[0];
    return whole > 0 ? fmax(0, (span.end[0] - span.begin[1]) / whole) : 0;
}

bool result_rep_counts(const struct result_rep *rep, double overlap)
{
    return rep->company.count == 0 || fmax(overlap, result_rep_overlap(rep)) >= RESULT_TOGETHER;
}

struct unit_range result_unit_range(const struct result_rep *reps, size_t count, double units, double overlap)
{
    struct unit_range range = {NAN, NAN};
    for (size_t i = 0; i < count; i++) {
        double seconds = reps[i].seconds / (reps[i].iterations * units);
        if (!(seconds > 0) || !isfinite(seconds) || !result_rep_counts(&reps[i], overlap))
            continue;
        range.least_s = fmin(range.least_s, seconds); /* fmin and fmax ignore the first NAN */
        range.most_s = fmax(range.most_s, seconds);
    }
    return range;
}

const struct result_value *result_value_find(const struct result_values *values, const char *name)
{
    for (size_t i = 0; name != NULL && i < values->count; i++)
        if (strcmp(values->items[i].name, name) == 0)
            return &values->items[i];
    return NULL;
}

struct interval result_value(const struct result_values *values, const char *name)
{
    const struct result_value *found = result_value_find(values, name);
    return found == NULL ? (struct interval){NAN, NAN, NAN, 0} : found->interval;
}

enum evidence_kind result_clock_kind(const struct result_point *point)
{
    return point->simulated ? EVIDENCE_SIMULATED : EVIDENCE_MEASURED;
}

enum evidence_kind result_power_kind(const struct result_point *point)
{
    return point->power.simulated ? EVIDENCE_SIMULATED : result_clock_kind(point);
}

double result_parameter(const struct result_point *point, const char *name)
{
    return value_get(&point->parameters, name)->number;
}

const char *result_parameter_text(const struct result_point *point, const char *name)
{
    return value_get(&point->parameters, name)->word;
}

void result_value_add(struct result_values *values, const char *name, struct interval interval,
                      struct arena *arena)
{
    values->items = arena_next(arena, values->items, values->count, sizeof *values->items);
    values->items[values->count++] = (struct result_value){arena_strdup(arena, name), interval, ""};
}

void state_record_free(struct state_record *record)
{
    warnings_free(&record->unmet);
    arena_free(&record->arena);
}

void result_record_free(struct result_record *record)
{
    if (record != NULL)
        arena_free(&record->arena);
    free(record);
}

void result_point_free(struct result_point *point)
{
    for (size_t i = 0; i < point->copy_count; i++)
        observations_free(&point->copies[i].seen);
    observations_free(&point->seen);
    json_decref(point->facts);
    state_record_free(&point->state.record);
    arena_free(&point->warnings.arena);
    result_rates_free(&point->rates);
    arena_free(&point->arena);
    json_decref(point->document);
}

void result_points_add(struct result_points *points, const struct result_point *point)
{
    points->items = memory_resized(points->items, points->count + 1, sizeof *points->items);
    points->items[points->count++] = *point;
}

struct turn {
    double index;
    size_t at;
};

static int by_turn(const void *a, const void *b)
{
    const struct turn *one = a, *other = b;
    if (one->index != other->index)
        return one->index < other->index ? -1 : 1;
    return (one->at > other->at) - (one->at < other->at);
}

void result_points_sort(struct result_points *points)
{
    struct turn *turns = memory_zeroed(points->count + 1, sizeof *turns);
    struct result_point *sorted = memory_zeroed(points->count + 1, sizeof *sorted);
    for (size_t i = 0; i < points->count; i++)
        turns[i] = (struct turn){points->items[i].index, i};
    qsort(turns, points->count, sizeof *turns, by_turn);
    for (size_t i = 0; i < points->count; i++)
        sorted[i] = points->items[turns[i].at];
    free(turns);
    free(points->items);
    points->items = sorted;
}

void result_points_free(struct result_points *points)
{
    for (size_t i = 0; i < points->count; i++)
        result_point_free(&points->items[i]);
    free(points->items);
    *points = (struct result_points){0};
}
