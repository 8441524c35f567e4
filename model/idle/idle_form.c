/* Tests whether the polynomial describes the course of each cooling. Windows of one degree share the
 * thermometer's error, so that degrees are the independent observations (Liang and Zeger 1986). Residuals and
 * suspects are taken about each cooling's mean, as point_error.h covers the error of whole coolings. */
#include "base/memory.h"
#include "model/fitting/algebra.h"
#include "model/fitting/form.h"
#include "model/idle/idle.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { STEPS = 11, SLOPES = 16, LEAST_LEFT = 8, LEAST_CARRIED = 3, NAME_BYTES = 96 };

static const double FOUND = 0.01;
static const double EARLY_S[] = {3, 15};
static const double COARSE_C = 0.3, LEAST_WIDTH_C = 0.25;

/* Coolings with a larger error of whole coolings had no common idle power. */
static const double MOST_SHARE = 0.02;

/* A suspect is tested if at least this share of it is independent of the form's columns. */
static const double OF_ITS_OWN = 1e-3;

enum idle_suspect {
    SUSPECT_CURVE,
    SUSPECT_CURVE_BY_VOLTS,
    SUSPECT_TIME,
    SUSPECT_EARLY,
    SUSPECT_LATER,
    SUSPECT_RATE,
    SUSPECT_STEP_C,
    SUSPECT_STEP_S = SUSPECT_STEP_C + STEPS,
    SUSPECT_SLOPE = SUSPECT_STEP_S + STEPS,
    SUSPECTS = SUSPECT_SLOPE + SLOPES
};

struct whitened_idle {
    const struct idle_samples *samples;
    const struct idle_fit *fit;
    size_t n, columns; /* samples; columns of the form, without each cooling's level */
    double longest_s;
    double *x, *inverse; /* n * columns, and its pseudo-inverse */
    double *off, *extra; /* residuals and suspect, orthogonal to the columns */
    double left;         /* residual degrees of freedom */
};

/* Subtracts each cooling's mean from a column of that stride. */
static void centre(const struct idle_samples *samples, double *column, size_t stride)
{
    for (size_t i = 0, next; i < samples->count; i = next) {
        double mean = 0;
        for (next = i; next < samples->count && samples->items[next].point == samples->items[i].point; next++)
            mean += (column[next * stride] - mean) / (double)(next - i + 1);
        for (size_t k = i; k < next; k++)
            column[k * stride] -= mean;
    }
}

/* The width of the range of temperatures that is one observation, K: one step of a coarse thermometer, at
 * least two steps of a fine one. */
static double width_of(const struct idle_samples *samples)
{
    return samples->step_c > COARSE_C ? samples->step_c : fmax(2 * samples->step_c, LEAST_WIDTH_C);
}

static bool is_same(const struct idle_samples *samples, size_t a, size_t b)
{
    const struct idle_sample *items = samples->items;
    double width = width_of(samples);
    return items[a].point == items[b].point &&
           floor(items[a].celsius / width) == floor(items[b].celsius / width);
}

/* One sample for each such range, the mean of its windows. The first and last step of a coarse thermometer
 * are omitted: the chip passes through only a part of them, so that rounding does not average out. */
static struct idle_samples observations(const struct idle_samples *samples)
{
    struct idle_samples all = {.points = samples->points, .step_c = samples->step_c};
    all.items = memory_zeroed(samples->count + 1, sizeof *all.items);
    for (size_t i = 0, next; i < samples->count; i = next) {
        struct idle_sample mean = samples->items[i];
        for (next = i + 1; next < samples->count && is_same(samples, i, next); next++) {
            const struct idle_sample *each = &samples->items[next];
            double share = 1 / (double)(next - i + 1);
            mean.celsius += share * (each->celsius - mean.celsius);
            mean.watts += share * (each->watts - mean.watts);
            mean.t_s += share * (each->t_s - mean.t_s);
            mean.rate += share * (each->rate - mean.rate);
        }
        bool first = i == 0 || samples->items[i - 1].point != mean.point;
        bool last = next == samples->count || samples->items[next].point != mean.point;
        if (samples->step_c <= COARSE_C || (!first && !last))
            all.items[all.count++] = mean;
    }
    return all;
}

/* Makes a centred column orthogonal to the form's columns. */
static void sweep(const struct whitened_idle *bench, double *column)
{
    double parts[LINEAR_COLUMNS];
    algebra_multiply(bench->inverse, bench->columns, bench->n, column, parts);
    for (size_t i = 0; i < bench->n; i++)
        for (size_t j = 0; j < bench->columns; j++)
            column[i] -= bench->x[i * bench->columns + j] * parts[j];
}

/* Sets up the test. False when too few observations remain. Free bench->x in both cases. */
static bool start(const struct idle_samples *samples, const struct idle_fit *fit, struct whitened_idle *bench)
{
    size_t levels = fit->volts_degree + 1;
    size_t n = samples->count;
    size_t columns = levels * fit->celsius_degree;
    double singular[LINEAR_COLUMNS];
    double row[LINEAR_COLUMNS];
    *bench = (struct whitened_idle){.samples = samples, .fit = fit, .n = n, .columns = columns};
    bench->x = algebra_numbers(2 * n * columns + 2 * n + columns * columns + 1);
    bench->inverse = bench->x + n * columns;
    bench->off = bench->inverse + n * columns;
    bench->extra = bench->off + n;
    for (size_t i = 0; i < n; i++) {
        const struct idle_sample *each = &samples->items[i];
        idle_columns(fit, each->volts, each->celsius, row);
        for (size_t j = 0; j < columns; j++)
            bench->x[i * columns + j] = row[levels + j];
        bench->off[i] = each->watts;
        bench->longest_s = fmax(bench->longest_s, each->t_s);
    }
    for (size_t j = 0; j < columns; j++)
        centre(samples, bench->x + j, columns);
    centre(samples, bench->off, 1);
    bench->left = (double)n - (double)(samples->points + columns + 1);
    if (bench->left < LEAST_LEFT ||
        !algebra_pseudo_inverse(bench->x, n, columns, bench->inverse, singular, bench->extra + n))
        return false;
    sweep(bench, bench->off);
    return true;
}

static double threshold(double low, double high, size_t step)
{
    return low + (high - low) * (double)(step + 1) / (STEPS + 1);
}

static double step_celsius(const struct idle_fit *fit, size_t step)
{
    return threshold(fit->celsius_middle - fit->celsius_half, fit->celsius_middle + fit->celsius_half, step);
}

/* The suspect's value at one window; NAN: the fit cannot have this suspect. */
static double suspect_at(const struct whitened_idle *bench, size_t suspect, const struct idle_sample *at)
{
    const struct idle_fit *fit = bench->fit;
    double curve =
        pow((at->celsius - fit->celsius_middle) / fit->celsius_half, (double)fit->celsius_degree + 1);
    if (suspect >= SUSPECT_SLOPE)
        return fit->volts_half <= 0 || suspect - SUSPECT_SLOPE >= bench->samples->points ? NAN
               : at->point == suspect - SUSPECT_SLOPE                                    ? at->celsius
                                                                                         : 0;
    if (suspect >= SUSPECT_STEP_S)
        return at->t_s > threshold(0, bench->longest_s, suspect - SUSPECT_STEP_S);
    if (suspect >= SUSPECT_STEP_C)
        return at->celsius > step_celsius(fit, suspect - SUSPECT_STEP_C);
    switch ((enum idle_suspect)suspect) {
    case SUSPECT_CURVE:
        return curve;
    case SUSPECT_CURVE_BY_VOLTS:
        return fit->volts_half > 0 ? curve * (at->volts - fit->volts_middle) : NAN;
    case SUSPECT_TIME:
        return at->t_s;
    case SUSPECT_EARLY:
    case SUSPECT_LATER:
        return exp(-at->t_s / EARLY_S[suspect - SUSPECT_EARLY]);
    default:
        return at->rate * idle_rise(fit, at->volts, at->celsius - 0.5, at->celsius + 0.5).value;
    }
}

/* Fills extra with the suspect; false when there is no such suspect, or the form contains it. */
static bool fill(struct whitened_idle *bench, size_t suspect)
{
    double before = 0;
    double after = 0;
    for (size_t i = 0; i < bench->n; i++)
        bench->extra[i] = suspect_at(bench, suspect, &bench->samples->items[i]);
    centre(bench->samples, bench->extra, 1);
    for (size_t i = 0; i < bench->n; i++)
        before += pow(bench->extra[i], 2);
    if (!(before > 0))
        return false;
    sweep(bench, bench->extra);
    for (size_t i = 0; i < bench->n; i++)
        after += pow(bench->extra[i], 2);
    return after > OF_ITS_OWN * OF_ITS_OWN * before;
}

/* The probability of the suspect, and its coefficient *factor, from sums over the observations. If few of
 * these have weight in the suspect, they alone are its degrees of freedom (Carter, Schnepel and Steigerwald
 * 2017). */
static double chance_of(const struct whitened_idle *bench, double *factor)
{
    double along = 0;
    double squares = 0;
    double of_squares = 0;
    double scatter = 0;
    for (size_t i = 0; i < bench->n; i++) {
        along += bench->extra[i] * bench->off[i];
        squares += pow(bench->extra[i], 2);
    }
    *factor = along / squares;
    for (size_t i = 0; i < bench->n; i++) {
        scatter += pow(bench->extra[i] * (bench->off[i] - *factor * bench->extra[i]), 2);
        of_squares += pow(bench->extra[i], 4);
    }
    double freedom = fmin(bench->left, squares * squares / of_squares - 1);
    return freedom < LEAST_CARRIED ? 1 : form_chance(along * along / scatter, 1, freedom);
}

static void name_of(const struct whitened_idle *bench, size_t suspect, char name[NAME_BYTES])
{
    static const char *const words[] = {
        [SUSPECT_CURVE] = "a curve in the temperature",
        [SUSPECT_CURVE_BY_VOLTS] = "a curve in the temperature that the voltage changes",
        [SUSPECT_TIME] = "the time since the load ended",
        [SUSPECT_EARLY] = "the first seconds of cooling: a thermometer that lags, or work that goes on",
        [SUSPECT_LATER] = "the first minute of cooling: a thermometer that lags, or work that goes on",
        [SUSPECT_RATE] = "the rate of cooling: a thermometer that lags",
    };
    if (suspect < SUSPECT_STEP_C)
        snprintf(name, NAME_BYTES, "%s", words[suspect]);
    else if (suspect < SUSPECT_STEP_S)
        snprintf(name, NAME_BYTES, "a step at %.3g C: a fan",
                 step_celsius(bench->fit, suspect - SUSPECT_STEP_C));
    else if (suspect < SUSPECT_SLOPE)
        snprintf(name, NAME_BYTES, "a step %.3g s after the load: work that goes on, or a fan",
                 threshold(0, bench->longest_s, suspect - SUSPECT_STEP_S));
    else
        snprintf(name, NAME_BYTES, "another slope in cooling %zu than the other voltages have",
                 suspect - SUSPECT_SLOPE + 1);
}

/* Widens the intervals so that they contain the coefficients with and without the suspect. */
static void widen(const struct whitened_idle *bench, size_t suspect, double factor, struct idle_fit *fit)
{
    size_t n = bench->n;
    size_t columns = fit->spread.columns;
    double singular[LINEAR_COLUMNS];
    double moves[LINEAR_COLUMNS];
    double *x = algebra_numbers(2 * n * columns + columns * columns + n);
    double *inverse = x + n * columns;
    double *extra = inverse + n * columns;
    for (size_t i = 0; i < n; i++) {
        const struct idle_sample *each = &bench->samples->items[i];
        idle_columns(fit, each->volts, each->celsius, x + i * columns);
        extra[i] = factor * suspect_at(bench, suspect, each);
    }
    if (algebra_pseudo_inverse(x, n, columns, inverse, singular, extra + n)) {
        algebra_multiply(inverse, columns, n, extra, moves);
        for (size_t j = 0; j < columns; j++)
            for (size_t k = 0; k < columns; k++)
                fit->spread.covariance[j * columns + k] += moves[j] * moves[k];
    }
    free(x);
}

void idle_test_form(const struct idle_samples *samples, struct idle_fit *fit, const char *of,
                    struct model_result *result)
{
    struct whitened_idle bench;
    char name[NAME_BYTES];
    double least = 1;
    double factor = 0;
    size_t strongest = 0;
    size_t tried = 0;
    if (fit->shift.share > MOST_SHARE && !fit->shift.assumed)
        model_disbelieve(
            result,
            "do not trust %s: whole coolings are off by %.3g %% of their power, so that they had no common "
            "idle power: idle states, fans or background work differed",
            of, 100 * fit->shift.share);
    struct idle_samples observed = observations(samples);
    if (!start(&observed, fit, &bench)) {
        model_note(result, "the form of %s could not be tested: the coolings pass through too few degrees",
                   of);
        free(bench.x);
        idle_free(&observed);
        return;
    }
    for (size_t suspect = 0; suspect < SUSPECTS; suspect++) {
        double each;
        if (!fill(&bench, suspect))
            continue;
        double chance = chance_of(&bench, &each);
        tried++;
        if (chance >= least)
            continue;
        least = chance;
        factor = each;
        strongest = suspect;
    }
    double chance = fmin(1, (double)tried * least);
    name_of(&bench, strongest, name);
    result->idle_form.suspect = arena_strdup(&result->arena, name);
    result->idle_form.p = chance;
    result->idle_form.suspects = tried;
    model_states(result, "idle_form");
    if (chance < FOUND) {
        widen(&bench, strongest, factor, fit);
        model_disbelieve(
            result,
            "do not trust %s: the power of the cooling chip follows %s (p = %.1g, corrected for %zu "
            "suspects); the intervals include the coefficients with it",
            of, name, chance, tried);
    }
    free(bench.x);
    idle_free(&observed);
}
