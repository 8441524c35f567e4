#include "runner/measure/copies.h"

#include "base/json.h"
#include "base/memory.h"
#include "base/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

json_t *copies_of_run(const struct process_group *process_group)
{
    json_t *list = json_array();
    for (size_t i = 0; i < process_group->count; i++) {
        const struct process_group_copy *copy = &process_group->copies[i];
        json_array_append_new(list,
                              json_pack("{s:i, s:I, s:I, s:I}", "cpu", copy->call.cpu, "iterations",
                                        (json_int_t)copy->call.iterations, "ticks",
                                        (json_int_t)copy->time.ticks, "start", (json_int_t)copy->time.start));
    }
    return list;
}

/* Bytes that the loads of one pass read. */
static double load_bytes(const struct manifest *manifest)
{
    double bytes = 0;
    for (size_t i = 0; i < manifest->unit_count; i++) {
        const struct manifest_item *item = &manifest->unit[i];
        if (strcmp(item->op, "load") == 0)
            bytes += item->count * manifest_width(item);
    }
    return bytes * manifest->units;
}

static const json_t *copy_of(const json_t *reps, size_t rep, size_t copy)
{
    return json_array_get(json_object_get(json_array_get(reps, rep), "threads"), copy);
}

/* The median of one copy's repetitions. */
static struct interval ticks_per_pass(const json_t *reps, size_t copy)
{
    size_t count = json_array_size(reps);
    double *ticks = memory_zeroed(count + 1, sizeof *ticks);
    for (size_t i = 0; i < count; i++)
        ticks[i] = json_number_or(copy_of(reps, i, copy), "ticks", 0) /
                   json_number_or(copy_of(reps, i, copy), "iterations", 1);
    struct interval interval = stats_bootstrap(ticks, count);
    free(ticks);
    return interval;
}

/* The first and last of the begins and ends of all copies that ran. */
struct span {
    double begin[2], end[2];
};

static void widen(struct span *span, const json_t *copies)
{
    for (size_t i = 0; i < json_array_size(copies); i++) {
        double start = json_number_or(json_array_get(copies, i), "start", 0);
        double stop = start + json_number_or(json_array_get(copies, i), "ticks", 0);
        span->begin[0] = fmin(span->begin[0], start);
        span->begin[1] = fmax(span->begin[1], start);
        span->end[0] = fmin(span->end[0], stop);
        span->end[1] = fmax(span->end[1], stop);
    }
}

static double overlap_of(const json_t *rep)
{
    struct span span = {{INFINITY, -INFINITY}, {INFINITY, -INFINITY}};
    widen(&span, json_object_get(rep, "threads"));
    widen(&span, json_object_get(rep, "company"));
    double whole = span.end[1] - span.begin[0];
    return whole > 0 ? fmax(0, (span.end[0] - span.begin[1]) / whole) : 0;
}

/* The rates of one copy: per second of the programs' clock, and per tick. */
static const char *const sums[] = {"passes_per_s", "instructions_per_tick", "load_bytes_per_s"};
enum { SUMS = sizeof sums / sizeof sums[0] };

static json_t *summary_of(const struct manifest *manifest, const json_t *reps, size_t copy,
                          double ticks_per_s, double totals[SUMS])
{
    struct interval ticks = ticks_per_pass(reps, copy);
    json_t *summary =
        json_pack("{s:O, s:{s:{s:f, s:f, s:f, s:I}}}", "cpu", json_object_get(copy_of(reps, 0, copy), "cpu"),
                  "time", "ticks_per_pass", "value", ticks.value, "low", ticks.low, "high", ticks.high, "n",
                  (json_int_t)ticks.n);
    if (!(ticks.value > 0))
        return summary;
    double passes_per_s = ticks_per_s / ticks.value;
    const double rates[SUMS] = {passes_per_s, manifest->instructions / ticks.value,
                                passes_per_s * load_bytes(manifest)};
    for (size_t i = 0; i < SUMS; i++) {
        json_object_set_new(summary, sums[i], json_real(rates[i]));
        totals[i] += rates[i];
    }
    return summary;
}

void copies_summarize(const struct manifest *manifest, const json_t *reps, double ticks_per_s, json_t *point)
{
    size_t copies = json_array_size(json_object_get(json_array_get(reps, 0), "threads"));
    double totals[SUMS] = {0};
    double overlap = 1;
    json_t *threads = json_array();
    for (size_t i = 0; i < copies; i++)
        json_array_append_new(threads, summary_of(manifest, reps, i, ticks_per_s, totals));
    for (size_t i = 0; i < json_array_size(reps); i++)
        overlap = fmin(overlap, overlap_of(json_array_get(reps, i)));
    json_object_set_new(point, "threads", threads);
    if (copies == 0)
        return;
    json_t *together = json_object();
    for (size_t i = 0; i < SUMS; i++)
        json_object_set_new(together, sums[i], json_real(totals[i]));
    json_object_set_new(together, "overlap", json_real(overlap));
    json_object_set_new(point, "together", together);
}

void copies_add_rates(const struct observations *observations, json_t *point)
{
    for (size_t i = 0; i < observations->count; i++) {
        const struct observation *seen = &observations->items[i];
        json_t *copy =
            seen->copy == 0 ? NULL : json_array_get(json_object_get(point, "threads"), seen->copy - 1);
        if (copy == NULL)
            continue;
        if (json_object_get(copy, "rates") == NULL)
            json_object_set_new(copy, "rates", json_object());
        json_object_set_new(json_object_get(copy, "rates"), seen->metric, observation_to_json(seen));
    }
}
