#include "runner/power/series.h"

#include "base/memory.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum { FIRST_CAPACITY = 1024, LEAST_CHANGES = 4 };

static const double SOONEST = 0.1;

/* A counter was reset if it fell by more than a wrap and WRAP_MOST times its largest other step, or rose by
 * more than any machine draws and JUMP_MOST times that step; both per update within the step. */
static const double WRAP_MOST = 4, JUMP_MOST = 100;
static const double MACHINE_MOST_W = 1e4;

/* The time between the readings of two channels of one sensor. */
static const double READ_APART_S = 2e-4;
static const double ROUNDING = 1e-12;

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

/* The sample of the last move at or before sample i; 0: none, as the first sample shows no move. A counter
 * that is read more often than it moves looks like steps, and only its moves lie on its true line. */
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

/* The largest step upwards of a counter, without the step to the sample `but`. */
static double largest_step(const struct series *series, size_t but)
{
    double largest = 0;
    for (size_t i = 1; i < series->count; i++)
        if (i != but)
            largest = fmax(largest, series->values[i] - series->values[i - 1]);
    return largest;
}

/* Joules from one sample to a later one with another value; NAN: the counter was reset in between. */
static double step_joules(const struct series *series, const struct sensor_channel *channel, size_t from,
                          size_t to)
{
    double joules = sensor_energy_difference(channel, series->values[from], series->values[to]);
    double seconds = series->t_s[to] - series->t_s[from];
    bool fell = series->values[to] < series->values[from];
    if (isnan(joules) || (!fell && joules <= MACHINE_MOST_W * seconds))
        return joules;
    double largest = largest_step(series, to), update_s = series_look(series).update_s;
    double updates = seconds > update_s ? seconds / update_s : 1;
    double most = (fell ? WRAP_MOST : JUMP_MOST) * largest * updates;
    return joules < 0 || (largest > 0 && joules > most) ? NAN : joules;
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
    return (struct step){series->t_s[next] - series->t_s[i], step_joules(series, channel, i, next)};
}

/* Joules before a counter's first move or after its last, at the rate of the adjacent step, but at most one
 * step: otherwise it would have moved. */
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
    double joules = step_joules(series, channel, at, next);
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
        sum += step_joules(series, channel, at, next);
        at = next;
    }
    return sum + within_step(series, channel, moved, t_s);
}

/* Whether power samples cover the window: it contains at least one, and no gap exceeds both half of it and
 * the slack. */
static bool is_covered(const struct series *series, double from_s, double to_s, double slack_s)
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
        return is_covered(series, from_s, to_s, slack_s) ? integral(series, from_s, to_s) : NAN;
    if (channel->quantity != SENSOR_ENERGY)
        return NAN;
    size_t first = first_after(series, from_s);
    size_t base = moved_at(series, first == 0 ? 0 : first - 1);
    return counted(series, channel, base, to_s) - counted(series, channel, base, from_s);
}

bool series_was_reset(const struct series *series, const struct sensor_channel *channel, double from_s,
                      double to_s)
{
    if (channel->quantity != SENSOR_ENERGY || series->count < 2)
        return false;
    size_t i = first_after(series, from_s);
    size_t end = first_after(series, to_s);
    i = moved_at(series, i == 0 ? 0 : i - 1);
    end = end == 0 ? 0 : moves_after(series, end - 1);
    for (; i + 1 < series->count && i < end; i++)
        if (series->values[i + 1] != series->values[i] && isnan(step_joules(series, channel, i, i + 1)))
            return true;
    return false;
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

double series_spread(const struct series *series, double from_s, double to_s)
{
    double sum = 0, squares = 0;
    size_t count = 0, first = first_after(series, from_s);
    for (size_t i = first; i < series->count && series->t_s[i] <= to_s; i++, count++) {
        double off = series->values[i] - series->values[first];
        sum += off;
        squares += off * off;
    }
    return count < 2 ? 0 : sqrt(fmax(0, squares - sum * sum / (double)count) / (double)(count - 1));
}

double series_at(const struct series *series, double t_s)
{
    size_t next = first_after(series, t_s);
    return next == 0 ? NAN : series->values[next - 1];
}

struct series_facts series_look(const struct series *series)
{
    struct series_facts facts = {NAN, NAN, NAN, NAN};
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
    if (changes >= LEAST_CHANGES) {
        facts.update_s = stats_median(spans, changes);
        facts.soonest_s = stats_quantile(spans, changes, SOONEST);
    }
    free(spans);
    return facts;
}

/* Fills in the differences of both channels just before each change of either and at the end, and the first
 * channel's rate per second; returns the number of differences. */
static size_t settled(const struct series *a, const struct series *b, double *differences, double *rate)
{
    size_t count = 0, last_i = SIZE_MAX, last_j = 0, first_i = SIZE_MAX;
    for (size_t i = 0, j = 0; i < a->count && j < b->count;) {
        if (a->t_s[i] != b->t_s[j]) { /* one of them had no value */
            if (a->t_s[i] < b->t_s[j])
                i++;
            else
                j++;
            continue;
        }
        first_i = first_i == SIZE_MAX ? i : first_i;
        if (last_i != SIZE_MAX && (a->values[i] != a->values[last_i] || b->values[j] != b->values[last_j]))
            differences[count++] = a->values[last_i] - b->values[last_j];
        last_i = i++;
        last_j = j++;
    }
    if (last_i == SIZE_MAX)
        return 0;
    differences[count++] = a->values[last_i] - b->values[last_j];
    double seconds = a->t_s[last_i] - a->t_s[first_i];
    *rate = seconds > 0 ? fabs(a->values[last_i] - a->values[first_i]) / seconds : 0;
    return count;
}

struct series_likeness series_compare(const struct series *a, const struct series *b, bool counts)
{
    double *differences = memory_zeroed(a->count + 1, sizeof *differences);
    double rate = 0;
    size_t count = settled(a, b, differences, &rate), alike = 0;
    double usual = counts && count > 0 ? stats_median(differences, count) : 0;
    for (size_t i = 0; i < count; i++) {
        double size = fmax(fabs(a->values[a->count - 1]), fabs(b->values[b->count - 1]));
        alike += fabs(differences[i] - usual) <= (counts ? rate * READ_APART_S : 0) + ROUNDING * size;
    }
    free(differences);
    return (struct series_likeness){count > 0 ? count - 1 : 0, count > 0 ? (double)alike / (double)count : 0};
}
