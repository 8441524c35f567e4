#include "runner/evidence/evidence_rounds.h"

#include "base/memory.h"
#include "generator/metric/metric.h"
#include "runner/results/evidence_width.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void evidence_rounds_ask(struct evidence_rounds *rounds, const struct counter_source *source,
                         const struct test_program *test_program)
{
    struct evidence_part part;
    evidence_memory_ask(NULL, source, test_program, &part);
    rounds->parts = memory_next(rounds->parts, rounds->count, sizeof *rounds->parts);
    rounds->parts[rounds->count++] = part;
}

/* ---- one metric ---- */

/* What the rounds that observed it say of a metric. */
struct round_metrics {
    struct observation last;
    double *values, *lows, *highs; /* count of each; without interval the bounds are the value */
    size_t count;
    double n;
};

static const struct observation *find(const struct evidence_part *part, const struct observation *like)
{
    for (size_t i = 0; i < part->seen.count; i++) {
        const struct observation *seen = &part->seen.items[i];
        if (seen->copy == like->copy && strcmp(seen->metric, like->metric) == 0)
            return seen;
    }
    return NULL;
}

static size_t count_undisturbed(const struct evidence_rounds *rounds, const struct observation *like)
{
    size_t count = 0;
    for (size_t i = 0; i < rounds->count; i++) {
        const struct observation *seen = find(&rounds->parts[i], like);
        count += seen != NULL && seen->doubt[0] == '\0';
    }
    return count;
}

/* Undisturbed rounds alone if there are two of them. */
static void collect(const struct evidence_rounds *rounds, const struct observation *like,
                    struct round_metrics *told)
{
    bool quiet = count_undisturbed(rounds, like) >= 2;
    *told = (struct round_metrics){.values = memory_zeroed(rounds->count, sizeof(double)),
                                   .lows = memory_zeroed(rounds->count, sizeof(double)),
                                   .highs = memory_zeroed(rounds->count, sizeof(double))};
    for (size_t i = 0; i < rounds->count; i++) {
        const struct observation *seen = find(&rounds->parts[i], like);
        if (seen == NULL || (quiet && seen->doubt[0] != '\0'))
            continue;
        told->last = *seen;
        told->values[told->count] = seen->value;
        told->lows[told->count] = isnan(seen->low) ? seen->value : seen->low;
        told->highs[told->count++] = isnan(seen->high) ? seen->value : seen->high;
        told->n += seen->n;
    }
}

static void free_told(struct round_metrics *told)
{
    free(told->values);
    free(told->lows);
    free(told->highs);
}

/* The median is no farther off than the round that knew most, or as far as the rounds differ. */
static struct interval shares_of(const struct round_metrics *told)
{
    double value = stats_median(told->values, told->count);
    size_t at = 0;
    for (size_t i = 1; i < told->count; i++)
        if (told->highs[i] - told->lows[i] < told->highs[at] - told->lows[at])
            at = i;
    const struct interval spread =
        stats_repeated(told->values, told->count); /* of one round it has no ends */
    return (struct interval){value, fmin(spread.low, value - (told->values[at] - told->lows[at])),
                             fmax(spread.high, value + (told->highs[at] - told->values[at])), told->count};
}

/* What grows as time shrinks is a ratio to the clock, whose own time others lengthen as well. */
static struct interval times_of(const struct round_metrics *told, bool ratio)
{
    return ratio ? stats_agreeing(told->values, told->count) : stats_fastest(told->values, told->count);
}

static void say_why_not(const struct round_metrics *told, struct observations *list)
{
    char why[OBSERVATION_DOUBT_BYTES];
    double least = stats_quantile(told->values, told->count, 0);
    double most = stats_quantile(told->values, told->count, 1);
    if (told->count < 2)
        snprintf(why, sizeof why, "timed in one round alone: there is nothing to compare it with");
    else
        snprintf(why, sizeof why, "the rounds differ by %.2g %%: other programs disturbed it",
                 100 * (most / least - 1));
    observations_doubt(list, why);
}

static void join_metric(const struct evidence_rounds *rounds, const struct observation *like,
                        struct observations *list)
{
    const struct metric *row = metric_find(like->metric);
    enum metric_trend trend = row == NULL ? TREND_NONE : row->trend;
    struct round_metrics told;
    collect(rounds, like, &told);
    struct interval interval = trend == TREND_NONE ? shares_of(&told) : times_of(&told, trend == TREND_MORE);
    bool doubted = told.last.doubt[0] != '\0';
    if (doubted)
        interval.low = interval.high = NAN;
    observations_add(list, like->metric, like->source, like->kind, interval.value, interval.low,
                     interval.high, told.n);
    struct observation *added = &list->items[list->count - 1];
    added->copy = like->copy;
    memcpy(added->part, like->part, sizeof added->part);
    if (doubted)
        observations_doubt(list, told.last.doubt);
    else if (isnan(interval.low))
        say_why_not(&told, list);
    free_told(&told);
}

double evidence_rounds_disagreement(const struct evidence_rounds *rounds, const char *metric)
{
    struct observation like = {0};
    struct round_metrics told;
    snprintf(like.metric, sizeof like.metric, "%s", metric);
    collect(rounds, &like, &told);
    const struct interval interval = times_of(&told, false);
    bool doubted = told.last.doubt[0] != '\0';
    double half = told.count == 0                  ? NAN
                  : doubted || isnan(interval.low) ? INFINITY
                                                   : (interval.high - interval.low) / 2 / interval.value;
    free_told(&told);
    return half;
}

/* ---- all ---- */

/* 0: not observed. */
static double value_of(const struct evidence_part *part, const char *metric)
{
    struct observation like = {0};
    snprintf(like.metric, sizeof like.metric, "%s", metric);
    const struct observation *seen = find(part, &like);
    return seen == NULL ? 0 : seen->value;
}

/* A failure, else what most rounds are. */
static const struct evidence_part *typical(const struct evidence_rounds *rounds)
{
    const struct evidence_part *good = NULL, *bad = NULL;
    size_t good_count = 0;
    for (size_t i = 0; i < rounds->count; i++) {
        const struct evidence_part *part = &rounds->parts[i];
        if (part->status == STATUS_FAILED)
            return part;
        if (part->status == STATUS_OK) {
            good = part;
            good_count++;
        } else {
            bad = part;
        }
    }
    return bad == NULL || 2 * good_count > rounds->count ? good : bad;
}

double evidence_rounds_width(const struct evidence_rounds *rounds)
{
    double width = 0;
    for (size_t i = 0; i < rounds->count; i++)
        width = fmax(width, evidence_width_of(value_of(&rounds->parts[i], EVIDENCE_WIDTH)));
    return width;
}

/* A kernel that executes less than an instruction per cycle waits for something else than units. */
static void doubt_shared(struct evidence_rounds *rounds, double width)
{
    width = fmax(width, evidence_rounds_width(rounds));
    for (size_t i = 0; i < rounds->count; i++) {
        struct evidence_part *part = &rounds->parts[i];
        double additions = value_of(part, EVIDENCE_WIDTH);
        if (additions == 0 || value_of(part, "ipc") <= 1 || !evidence_width_is_shared(additions, width))
            continue;
        for (size_t j = 0; j < part->seen.count; j++) {
            const struct metric *row = metric_find(part->seen.items[j].metric);
            if (row != NULL && row->trend != TREND_NONE && part->seen.items[j].doubt[0] == '\0')
                snprintf(part->seen.items[j].doubt, OBSERVATION_DOUBT_BYTES,
                         "another thread used the core's units: it adds %.2f numbers per cycle", additions);
        }
    }
}

void evidence_rounds_join(struct evidence_rounds *rounds, double width, struct evidence_part *part)
{
    struct observations list = {0};
    if (rounds->count == 0)
        return;
    doubt_shared(rounds, width);
    const struct evidence_part *most = typical(rounds);
    *part = (struct evidence_part){.asked = true, .status = most->status, .reason = most->reason};
    for (size_t i = 0; i < rounds->count; i++)
        for (size_t j = 0; j < rounds->parts[i].seen.count; j++) {
            const struct observation *like = &rounds->parts[i].seen.items[j];
            bool done = false;
            for (size_t k = 0; k < i && !done; k++)
                done = find(&rounds->parts[k], like) != NULL;
            if (!done)
                join_metric(rounds, like, &list);
        }
    struct observations *last = &rounds->parts[rounds->count - 1].seen; /* its documents are taken over */
    last->count = 0;
    observations_move(&list, last);
    part->seen = list;
    evidence_rounds_free(rounds);
}

void evidence_rounds_free(struct evidence_rounds *rounds)
{
    for (size_t i = 0; i < rounds->count; i++)
        observations_free(&rounds->parts[i].seen);
    free(rounds->parts);
    *rounds = (struct evidence_rounds){0};
}
