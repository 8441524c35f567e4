#include "runner/measure/copies.h"

#include "base/memory.h"
#include "base/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct result_copies copies_of_run(const struct process_group *process_group)
{
    struct result_copies copies = {true, memory_zeroed(process_group->count, sizeof *copies.items),
                                   process_group->count};
    for (size_t i = 0; i < copies.count; i++) {
        const struct process_group_copy *copy = &process_group->copies[i];
        copies.items[i] = (struct result_copy){copy->call.cpu, (long long)copy->call.iterations,
                                               (long long)copy->time.ticks, (long long)copy->time.start};
    }
    return copies;
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

/* The time of one copy's repetitions. */
static struct interval ticks_per_pass(const struct result_rep *reps, size_t count, size_t copy)
{
    double *ticks = memory_zeroed(count, sizeof *ticks);
    for (size_t i = 0; i < count; i++)
        if (copy < reps[i].threads.count)
            ticks[i] =
                (double)reps[i].threads.items[copy].ticks / (double)reps[i].threads.items[copy].iterations;
    struct interval interval = stats_fastest(ticks, count);
    free(ticks);
    return interval;
}

/* The rates of one copy: per second of the programs' clock, and per tick. */
static const char *const sums[] = {"passes_per_s", "instructions_per_tick", "load_bytes_per_s"};
enum { SUMS = sizeof sums / sizeof sums[0] };

static json_t *summary_of(const struct manifest *manifest, const struct result_rep *reps, size_t count,
                          size_t copy, double ticks_per_s, double totals[SUMS])
{
    struct interval ticks = ticks_per_pass(reps, count, copy);
    json_t *summary = json_pack("{s:i, s:{s:o}}", "cpu", reps[0].threads.items[copy].cpu, "time",
                                "ticks_per_pass", result_interval_to_json(ticks));
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

double copies_summarize(const struct manifest *manifest, const struct result_rep *reps, size_t count,
                        double ticks_per_s, json_t *point)
{
    size_t copies = count == 0 ? 0 : reps[0].threads.count;
    double totals[SUMS] = {0};
    double overlap = 1;
    json_t *threads = json_array();
    for (size_t i = 0; i < copies; i++)
        json_array_append_new(threads, summary_of(manifest, reps, count, i, ticks_per_s, totals));
    for (size_t i = 0; i < count; i++)
        overlap = fmin(overlap, result_rep_overlap(&reps[i]));
    json_object_set_new(point, "threads", threads);
    if (copies == 0)
        return 1;
    json_t *together = json_object();
    for (size_t i = 0; i < SUMS; i++)
        json_object_set_new(together, sums[i], json_real(totals[i]));
    if (manifest->shared.given)
        overlap = 1; /* copies that share wait for each other; their ticks may be those of their turns */
    else
        json_object_set_new(together, "overlap", json_real(overlap));
    json_object_set_new(point, "together", together);
    return overlap;
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
