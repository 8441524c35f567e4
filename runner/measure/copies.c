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
        copies.items[i] = (struct result_copy){.cpu = copy->call.cpu,
                                               .iterations = (long long)copy->call.iterations,
                                               .ticks = (long long)copy->time.ticks,
                                               .start = (long long)copy->time.start};
    }
    return copies;
}

double copies_pass_bytes(const struct manifest *manifest, bool stores)
{
    double bytes = 0;
    for (size_t i = 0; i < manifest->unit_count; i++) {
        const struct manifest_item *item = &manifest->unit[i];
        if (strcmp(item->op, "load") == 0 || (stores && strcmp(item->op, "store") == 0))
            bytes += item->count * manifest_width(item);
    }
    return bytes * manifest->units;
}

/* The ticks per pass of one copy, over the repetitions. */
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

static void add_number(struct result_values *values, const char *name, double value, struct arena *arena)
{
    result_value_add(values, name, (struct interval){value, value, value, 1}, arena);
}

static struct result_copy_summary summary_of(const struct manifest *manifest, const struct result_rep *reps,
                                             size_t count, size_t copy, double ticks_per_s,
                                             double totals[SUMS], struct arena *arena)
{
    struct interval ticks = ticks_per_pass(reps, count, copy);
    struct result_copy_summary summary = {.cpu = reps[0].threads.items[copy].cpu};
    result_value_add(&summary.time, "ticks_per_pass", ticks, arena);
    if (!(ticks.value > 0))
        return summary;
    double passes_per_s = ticks_per_s / ticks.value;
    const double rates[SUMS] = {passes_per_s, manifest->instructions / ticks.value,
                                passes_per_s * copies_pass_bytes(manifest, false)};
    for (size_t i = 0; i < SUMS; i++) {
        add_number(&summary.values, sums[i], rates[i], arena);
        totals[i] += rates[i];
    }
    return summary;
}

void copies_summarize(const struct manifest *manifest, double ticks_per_s, struct result_point *point)
{
    const struct result_rep *reps = point->reps;
    const size_t count = point->rep_count;
    double totals[SUMS] = {0};
    point->placed = true;
    point->copy_count = count == 0 ? 0 : reps[0].threads.count;
    point->copies = arena_alloc(&point->arena, point->copy_count, sizeof *point->copies);
    point->overlap = 1;
    for (size_t i = 0; i < point->copy_count; i++)
        point->copies[i] = summary_of(manifest, reps, count, i, ticks_per_s, totals, &point->arena);
    if (point->copy_count == 0)
        return;
    for (size_t i = 0; i < SUMS; i++)
        add_number(&point->together, sums[i], totals[i], &point->arena);
    if (manifest->shared.given)
        return; /* such copies wait for each other, and their ticks may be those of their turns */
    for (size_t i = 0; i < count; i++)
        point->overlap = fmin(point->overlap, result_rep_overlap(&reps[i]));
    add_number(&point->together, "overlap", point->overlap, &point->arena);
}

void copies_add_rates(const struct observations *observations, struct result_point *point)
{
    for (size_t i = 0; i < observations->count; i++) {
        const struct observation *seen = &observations->items[i];
        if (seen->copy > 0 && seen->copy <= point->copy_count)
            observations_copy(&point->copies[seen->copy - 1].seen, seen);
    }
}
