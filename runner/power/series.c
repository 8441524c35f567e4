#include "runner/power/series.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

enum { FIRST_CAPACITY = 1024, LEAST_CHANGES = 4 };

void series_add(struct series *series, double t_s, double value)
{
    if (series->count == series->capacity) {
        size_t capacity = series->capacity == 0 ? FIRST_CAPACITY : series->capacity * 2;
        series->t_s = memory_resized(series->t_s, capacity, sizeof *series->t_s);
        series->values = memory_resized(series->values, capacity, sizeof *series->values);
        series->capacity = capacity;
    }
    series->t_s[series->count] = t_s;
    series->values[series->count++] = value;
}

void series_clear(struct series *series)
{
    series->count = 0;
}

void series_free(struct series *series)
{
    free(series->t_s);
    free(series->values);
    *series = (struct series){0};
}

/* The first sample later than the moment; count if there is none. */
static size_t first_after(const struct series *series, double t_s)
{
    size_t low = 0;
    size_t high = series->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (series->t_s[middle] > t_s)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static double between(double t0, double v0, double t1, double v1, double t)
{
    return t1 > t0 ? v0 + (v1 - v0) * (t - t0) / (t1 - t0) : v0;
}

/* Interpolates between two samples; before the first and after the last, their values hold. */
static double value_at(const struct series *series, double t_s)
{
    size_t next = first_after(series, t_s);
    if (next == 0)
        return series->values[0];
    if (next == series->count)
        return series->values[next - 1];
    return between(series->t_s[next - 1], series->values[next - 1], series->t_s[next], series->values[next],
                   t_s);
}

/* The trapezoidal integral between two moments. */
static double integral(const struct series *series, double from_s, double to_s)
{
    double t_s = from_s;
    double value = value_at(series, from_s);
    double sum = 0;
    for (size_t i = first_after(series, from_s); i < series->count && series->t_s[i] < to_s; i++) {
        sum += (value + series->values[i]) / 2 * (series->t_s[i] - t_s);
        t_s = series->t_s[i];
        value = series->values[i];
    }
    return sum + (value + value_at(series, to_s)) / 2 * (to_s - t_s);
}

/* A counter read more often than it moves looks like steps; the moments of its moves lie on its true line.
 * Index of the last such sample at or before i; 0 is the first observation, and no move. */
static size_t moved_at(const struct series *series, size_t i)
{
    while (i > 0 && series->values[i - 1] == series->values[i])
        i--;
    return i;
}

/* The next sample after i with another value; count if there is none. */
static size_t moves_after(const struct series *series, size_t i)
{
    size_t next = i + 1;
    while (next < series->count && series->values[next] == series->values[i])
        next++;
    return next;
}

/* From one move of a counter to the next. */
struct step {
    double seconds, joules;
};

/* From the move at sample i on; seconds is 0 if its duration is unknown. */
static struct step step_from(const struct series *series, const struct sensor_channel *channel, size_t i)
{
    size_t next = i > 0 && i < series->count ? moves_after(series, i) : series->count;
    if (next >= series->count)
        return (struct step){0, 0};
    return (struct step){series->t_s[next] - series->t_s[i],
                         sensor_energy_difference(channel, series->values[i], series->values[next])};
}

/* Before its first move and after its last a counter continues at the rate of the adjacent step, but by at
 * most one step: otherwise it would have moved. */
static double beyond(struct step step, double seconds, double most_j)
{
    return step.seconds > 0 ? fmin(step.joules * seconds / step.seconds, most_j) : 0;
}

/* Joules from the counter's move at sample `at` to a moment before its next move. */
static double within_step(const struct series *series, const struct sensor_channel *channel, size_t at,
                          double t_s)
{
    size_t next = moves_after(series, at);
    if (next >= series->count) {
        struct step last =
            at > 0 ? step_from(series, channel, moved_at(series, at - 1)) : (struct step){0, 0};
        return beyond(last, t_s - series->t_s[at], last.joules);
    }
    double joules = sensor_energy_difference(channel, series->values[at], series->values[next]);
    struct step following = step_from(series, channel, next);
    if (at == 0 && following.seconds > 0)
        return joules - beyond(following, series->t_s[next] - t_s, joules);
    return between(series->t_s[at], 0, series->t_s[next], joules, t_s);
}

/* Joules from the sample `base`, where the counter had just moved, to a later moment. */
static double counted(const struct series *series, const struct sensor_channel *channel, size_t base,
                      double t_s)
{
    size_t last = first_after(series, t_s);
    double sum = 0;
    if (last == 0)
        return 0;
    size_t moved = moved_at(series, last - 1);
    for (size_t at = base; at < moved;) {
        size_t next = moves_after(series, at);
        sum += sensor_energy_difference(channel, series->values[at], series->values[next]);
        at = next;
    }
    return sum + within_step(series, channel, moved, t_s);
}

/* Whether power samples cover the window: it contains at least one, and no gap exceeds both half of it and
 * the slack. */
static bool is_seen(const struct series *series, double from_s, double to_s, double slack_s)
{
    double most_s = fmax((to_s - from_s) / 2, slack_s);
    double seen_s = from_s;
    bool any = false;
    for (size_t i = first_after(series, from_s); i < series->count && series->t_s[i] < to_s; i++) {
        if (series->t_s[i] - seen_s > most_s)
            return false;
        seen_s = series->t_s[i];
        any = true;
    }
    return any && to_s - seen_s <= most_s;
}

double series_energy(const struct series *series, const struct sensor_channel *channel, double from_s,
                     double to_s, double slack_s)
{
    if (series->count < 2 || !(to_s >= from_s) || series->t_s[0] > from_s + slack_s ||
        series->t_s[series->count - 1] < to_s - slack_s)
        return NAN;
    if (channel->quantity == SENSOR_POWER)
        return is_seen(series, from_s, to_s, slack_s) ? integral(series, from_s, to_s) : NAN;
    if (channel->quantity != SENSOR_ENERGY)
        return NAN;
    size_t first = first_after(series, from_s);
    size_t base = moved_at(series, first == 0 ? 0 : first - 1);
    return counted(series, channel, base, to_s) - counted(series, channel, base, from_s);
}

double series_mean(const struct series *series, double from_s, double to_s)
{
    size_t first = first_after(series, from_s);
    size_t behind = first_after(series, to_s);
    bool inside = behind > first || (first > 0 && to_s <= series->t_s[series->count - 1]);
    if (series->count == 0 || !inside || !(to_s > from_s))
        return NAN;
    return integral(series, from_s, to_s) / (to_s - from_s);
}

double series_at(const struct series *series, double t_s)
{
    size_t next = first_after(series, t_s);
    return next == 0 ? NAN : series->values[next - 1];
}

struct series_facts series_look(const struct series *series)
{
    struct series_facts facts = {NAN, NAN, NAN};
    double *spans = memory_zeroed(series->count + 1, sizeof *spans);
    size_t changes = 0;
    size_t last = 0;
    for (size_t i = 1; i < series->count; i++) {
        double step = fabs(series->values[i] - series->values[i - 1]);
        if (step == 0)
            continue;
        facts.resolution = isnan(facts.resolution) ? step : fmin(facts.resolution, step);
        /* The time at which it reached its first value is unknown. */
        if (last > 0)
            spans[changes++] = series->t_s[i] - series->t_s[last];
        last = i;
    }
    if (series->count > 1)
        facts.spacing_s = (series->t_s[series->count - 1] - series->t_s[0]) / (double)(series->count - 1);
    if (changes >= LEAST_CHANGES)
        facts.update_s = stats_median(spans, changes);
    free(spans);
    return facts;
}
