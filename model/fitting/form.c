#include "model/fitting/form.h"

#include "base/memory.h"
#include "model/data/model_result.h"
#include "model/fitting/whitened.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A suspect counts as found below this probability, corrected for the number of suspects (Bonferroni). */
static const double FOUND = 0.01;

/* A suspect is tested if at least this share of it is independent of the regressors: its condition number
 * with them is then at most 30, above which columns are strongly dependent (Belsley, Kuh and Welsch 1980). */
static const double OF_ITS_OWN = 2.0 / 30;

/* The most scatter beyond the repetitions' error that errors of whole points explain: as a share of all
 * power, and as a share of the measured quantity. */
static const double MOST_SHARE = 0.01, MOST_OFF = 0.1;

/* The latter counts only above this multiple of the repetitions' error: drifting idle levels and room
 * temperatures cause less. */
static const double FAR_BEYOND = 4;

/* Changes of the meter's gain are tried at powers that differ by this factor at least. Noise that grows with
 * the power, which the weights do not model, resembles such a change: its probability is multiplied by the
 * second number. */
static const double ONE_POWER = 1.02, ALSO_NOISE = 20;

/* A change of the gain, possible at any power, also fits data that another suspect explains: where another is
 * found, the change is named only if its probability is below this power of the other's. */
static const double CLEARLY = 1.25;

enum { LEAST_LEFT = 2, NAMES_BYTES = 2 * LINEAR_NAME_BYTES + 32 };

/* The terms that a form may lack. From SUSPECT_PAIRS on, a family has one suspect for each pair or column. */
enum suspect {
    SUSPECT_CONSTANT,
    SUSPECT_PREDICTION,
    SUSPECT_ORDER,
    SUSPECT_CELSIUS,
    SUSPECT_GHZ,
    SUSPECT_GAIN_ORDER,
    SUSPECT_GAIN_CELSIUS,
    SUSPECT_GAIN_GHZ,
    SUSPECT_GAIN_STEP, /* at the power that fits the rows best */
    SUSPECT_PAIRS,     /* of the strongest columns: 0 and 1, 0 and 2, 1 and 2 */
    SUSPECT_SQUARES = SUSPECT_PAIRS + BENCH_STRONGEST,
    SUSPECT_OWN = SUSPECT_SQUARES + LINEAR_COLUMNS, /* the model's own suspects */
    SUSPECTS = SUSPECT_OWN + FITTED_SUSPECTS
};

static const char *const words[] = {
    [SUSPECT_CONSTANT] = "a constant",
    [SUSPECT_PREDICTION] = "the square of the prediction",
    [SUSPECT_ORDER] = "the order in which the points ran",
    [SUSPECT_CELSIUS] = "the temperature",
    [SUSPECT_GHZ] = "the clock",
    [SUSPECT_GAIN_ORDER] = "the prediction times the order in which the points ran",
    [SUSPECT_GAIN_CELSIUS] = "the prediction times the temperature",
    [SUSPECT_GAIN_GHZ] = "the prediction times the clock",
    [SUSPECT_GAIN_STEP] = "a gain of the meter that changes with the power",
};

/* ---- probabilities ---- */

/* The continued fraction of the incomplete beta function (Abramowitz and Stegun 1964, 26.5.8; by Lentz 1976).
 */
static double beta_fraction(double a, double b, double x)
{
    const double tiny = 1e-300;
    double c = 1;
    double d = 1 / fmax(tiny, fabs(1 - (a + b) * x / (a + 1)));
    double value = d;
    for (int m = 1; m < 1000; m++) {
        double steps[2] = {m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                           -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))};
        double before = value;
        for (int k = 0; k < 2; k++) {
            d = 1 / (1 + steps[k] * d);
            c = 1 + steps[k] / c;
            value *= c * d;
        }
        if (fabs(value - before) < 1e-14 * fabs(value))
            break;
    }
    return value;
}

static double beta_share(double a, double b, double x)
{
    if (!(x > 0 && x < 1))
        return x >= 1;
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a
                                     : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double form_chance(double f, double above, double below)
{
    return f > 0 ? beta_share(below / 2, above / 2, below / (below + above * f)) : 1;
}

/* ---- suspects ---- */

static double covariate(const struct fitted_row *row, enum suspect suspect)
{
    return suspect == SUSPECT_ORDER ? row->order : suspect == SUSPECT_CELSIUS ? row->celsius : row->ghz;
}

/* Clocks that differ by less than this share are equal but for rounding. */
static const double ONE_CLOCK = 1e-4;

/* Fills extra with the covariate about its mean, gain: times the prediction. False when a row lacks it, or
 * all rows have the same clock. */
static bool fill_covariate(struct whitened *bench, enum suspect suspect, bool gain)
{
    const struct fitted_row *rows = bench->fitted->rows;
    double mean = 0, apart = 0;
    for (size_t i = 0; i < bench->n; i++)
        mean += covariate(&rows[i], suspect) / (double)bench->n;
    for (size_t i = 0; i < bench->n; i++)
        apart = fmax(apart, fabs(covariate(&rows[i], suspect) - mean));
    if (suspect == SUSPECT_GHZ && !(apart > ONE_CLOCK * mean))
        return false;
    for (size_t i = 0; i < bench->n; i++)
        bench->extra[i] = (covariate(&rows[i], suspect) - mean) * (gain ? rows[i].predicted : 1);
    return isfinite(mean);
}

/* Fills extra with the term of a gain that changes at step_w. */
static void fill_step(struct whitened *bench)
{
    const struct fitted_row *rows = bench->fitted->rows;
    for (size_t i = 0; i < bench->n; i++)
        bench->extra[i] = rows[i].watts >= bench->step_w ? whitened_whole(&rows[i]) : 0;
}

/* The strongest columns of a pair. */
static void pair_of(size_t suspect, size_t pair[2])
{
    static const size_t pairs[BENCH_STRONGEST][2] = {{0, 1}, {0, 2}, {1, 2}};
    memcpy(pair, pairs[suspect - SUSPECT_PAIRS], sizeof pairs[0]);
}

static void fill_product(struct whitened *bench, size_t a, size_t b)
{
    for (size_t i = 0; i < bench->n; i++)
        bench->extra[i] = bench->fitted->rows[i].x[a] * bench->fitted->rows[i].x[b];
}

/* Whether the model names a suspect of its own with that index. */
static bool has_own(const struct fitted *fitted, size_t which)
{
    size_t count = 0;
    while (count < FITTED_SUSPECTS && fitted->suspects[count] != NULL)
        count++;
    return which < count;
}

/* Fills extra with the suspect's column; false when this regression cannot have the suspect. */
static bool fill(struct whitened *bench, size_t suspect)
{
    size_t pair[2];
    if (suspect >= SUSPECT_OWN) {
        for (size_t i = 0; i < bench->n; i++)
            bench->extra[i] = bench->fitted->rows[i].suspects[suspect - SUSPECT_OWN];
        return has_own(bench->fitted, suspect - SUSPECT_OWN);
    }
    if (suspect >= SUSPECT_SQUARES) {
        size_t column = suspect - SUSPECT_SQUARES;
        if (column >= bench->fitted->spread.columns || bench->fitted->spread.value[column] == 0)
            return false;
        fill_product(bench, column, column);
        return true;
    }
    if (suspect >= SUSPECT_PAIRS) {
        pair_of(suspect, pair);
        if (pair[1] >= bench->strong_count)
            return false;
        fill_product(bench, bench->strong[pair[0]], bench->strong[pair[1]]);
        return true;
    }
    if (suspect == SUSPECT_GAIN_STEP) {
        fill_step(bench);
        return true;
    }
    if (suspect >= SUSPECT_GAIN_ORDER)
        return fill_covariate(bench, SUSPECT_ORDER + (suspect - SUSPECT_GAIN_ORDER), true);
    if (suspect >= SUSPECT_ORDER)
        return fill_covariate(bench, suspect, false);
    for (size_t i = 0; i < bench->n; i++)
        bench->extra[i] = suspect == SUSPECT_CONSTANT ? 1 : pow(bench->fitted->rows[i].predicted, 2);
    return true;
}

/* The effect of adding a suspect to a regression. */
struct effect {
    double factor, variance;      /* its coefficient, and the coefficient's variance per unit of noise */
    double squares;               /* the decrease of the sum of squares */
    double shared;                /* the part of it that shared errors of rows cause, per unit of noise */
    double moves[LINEAR_COLUMNS]; /* the change of the coefficients, per unit of factor */
};

/* The variance along extra that shared errors of rows cause, and errors of the thermometer if the suspect is
 * one of temperature: they move measured, too. */
static double shared_along(const struct whitened *bench, size_t suspect)
{
    const struct fitted *fitted = bench->fitted;
    bool gain = suspect == SUSPECT_GAIN_CELSIUS;
    double sum = 0;
    for (size_t i = 0; (gain || suspect == SUSPECT_CELSIUS) && i < bench->n; i++)
        sum += fitted->rows[i].celsius_off * fitted->rows[i].celsius_moves *
               (gain ? fabs(fitted->rows[i].predicted) : 1) / pow(bench->noise[i], 2);
    sum *= sum;
    for (size_t k = 0; k < fitted->commons; k++) {
        double along = 0;
        for (size_t i = 0; i < bench->n; i++)
            along += bench->extra[i] * fitted->common[i * fitted->commons + k] / bench->noise[i];
        sum += along * along;
    }
    return sum;
}

/* False when the regression cannot have the suspect, or its columns already contain it. */
static bool try_one(struct whitened *bench, size_t suspect, struct effect *effect)
{
    double parts[LINEAR_COLUMNS];
    size_t columns = bench->fitted->spread.columns;
    if (bench->n < bench->p + 1 || !fill(bench, suspect))
        return false;
    for (size_t i = 0; i < bench->n; i++)
        bench->extra[i] /= bench->noise[i];
    double before = whitened_product(bench->extra, bench->extra, bench->n);
    whitened_sweep(bench, bench->p, bench->extra, parts);
    double after = whitened_product(bench->extra, bench->extra, bench->n);
    if (!(after > OF_ITS_OWN * OF_ITS_OWN * before))
        return false;
    double along = whitened_product(bench->extra, bench->off, bench->n);
    *effect = (struct effect){.factor = along / after,
                              .variance = 1 / after,
                              .squares = along * along / after,
                              .shared = shared_along(bench, suspect) / after};
    for (size_t j = 0; j < columns; j++)
        for (size_t k = 0; k < bench->p; k++)
            effect->moves[j] -= bench->to[j * columns + k] * parts[k];
    return true;
}

static void name_of(const struct whitened *bench, size_t suspect, char name[NAMES_BYTES])
{
    const struct fitted *fitted = bench->fitted;
    size_t pair[2];
    if (suspect >= SUSPECT_OWN) {
        snprintf(name, NAMES_BYTES, "%s", fitted->suspects[suspect - SUSPECT_OWN]);
    } else if (suspect >= SUSPECT_SQUARES) {
        snprintf(name, NAMES_BYTES, "the square of the rate of %s", fitted->names[suspect - SUSPECT_SQUARES]);
    } else if (suspect >= SUSPECT_PAIRS) {
        pair_of(suspect, pair);
        snprintf(name, NAMES_BYTES, "the product of the rates of %s and %s",
                 fitted->names[bench->strong[pair[0]]], fitted->names[bench->strong[pair[1]]]);
    } else {
        snprintf(name, NAMES_BYTES, "%s", words[suspect]);
    }
}

/* ---- all regressions of a model ---- */

struct verdict_of_form {
    size_t suspects, rows, left; /* numbers of tested suspects, of rows and of residual degrees of freedom */
    size_t strongest;
    double chance;                /* the probability of the strongest, corrected */
    double noise;                 /* mean square of the residuals with the strongest added */
    double beyond, chance_beyond; /* scatter over the repetitions' own, and its probability; NAN: unknown */
    double share;                 /* the largest error of whole points */
    double off; /* the scatter of the residuals as a share of the measured values, in the worst regression */
};

/* The probability of the suspect in all regressions together, each with a coefficient of its own; NAN: it
 * cannot be tested. *noise: mean square of the residuals with the suspect. */
static double chance_of(struct whitened *benches, size_t count, size_t suspect, double *noise)
{
    double lowered = 0, left = 0, squares = 0, tried = 0;
    struct effect *effects = memory_zeroed(count, sizeof *effects); /* without the suspect: zeros */
    for (size_t i = 0; i < count; i++) {
        bool can = try_one(&benches[i], suspect, &effects[i]);
        double rest = (double)benches[i].n - (double)benches[i].p - can;
        if (rest <= 0 && !can)
            continue;
        tried += can;
        squares += benches[i].squares - effects[i].squares;
        left += rest;
    }
    *noise = fmax(fmax(squares, 0) / left, benches[0].rounding);
    /* Rows that scatter less than their own noise do not have smaller shared errors. */
    for (size_t i = 0; i < count; i++)
        lowered += effects[i].squares / (*noise + effects[i].shared * fmax(1, *noise));
    free(effects);
    return tried > 0 && left >= LEAST_LEFT ? form_chance(lowered / tried, tried, left) : NAN;
}

static void set_step(struct whitened *benches, size_t count, double from_w)
{
    for (size_t i = 0; i < count; i++)
        benches[i].step_w = from_w;
}

/* The least power of a row above the given one, W; NAN: none. */
static double next_power(const struct whitened *benches, size_t count, double above)
{
    double next = NAN;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < benches[i].n; j++)
            if (benches[i].fitted->rows[j].watts > above)
                next = fmin(next, benches[i].fitted->rows[j].watts);
    return next;
}

/* The probability of a step in the gain at the power that fits best, corrected for the number of powers and
 * for noise. Leaves the step there. */
static double chance_of_step(struct whitened *benches, size_t count, double *noise)
{
    double least = NAN, best = NAN, choices = 0, own;
    for (double from = next_power(benches, count, 0); !isnan(from);
         from = next_power(benches, count, ONE_POWER * from)) {
        set_step(benches, count, from);
        double chance = chance_of(benches, count, SUSPECT_GAIN_STEP, &own);
        choices += !isnan(chance);
        if (isnan(chance) || chance >= least)
            continue;
        least = chance;
        best = from;
        *noise = own;
    }
    set_step(benches, count, best);
    return fmin(1, ALSO_NOISE * choices * least);
}

static void take(struct verdict_of_form *verdict, size_t suspect, double chance, double noise)
{
    verdict->chance = chance;
    verdict->strongest = suspect;
    verdict->noise = noise;
}

static struct verdict_of_form judge(struct whitened *benches, size_t count)
{
    struct verdict_of_form verdict = {.chance = NAN, .beyond = NAN, .chance_beyond = NAN};
    double squares = 0, left = 0, freedom = 0;
    double noise, step_noise = 1, step = chance_of_step(benches, count, &step_noise);
    for (size_t suspect = 0; suspect < SUSPECTS; suspect++) {
        double chance = suspect == SUSPECT_GAIN_STEP ? NAN : chance_of(benches, count, suspect, &noise);
        if (isnan(chance))
            continue;
        verdict.suspects++;
        if (!(chance >= verdict.chance))
            take(&verdict, suspect, chance, noise);
    }
    verdict.suspects += !isnan(step);
    bool found = verdict.chance * (double)verdict.suspects < FOUND;
    if (step < (found ? pow(verdict.chance, CLEARLY) : fmin(1, verdict.chance)))
        take(&verdict, SUSPECT_GAIN_STEP, step, step_noise);
    verdict.chance = fmin(1, verdict.chance * (double)verdict.suspects);
    for (size_t i = 0; i < count; i++) {
        verdict.rows += benches[i].n;
        verdict.left += benches[i].n - benches[i].p;
        verdict.share = fmax(verdict.share, benches[i].share);
        squares += benches[i].own_squares;
        left += (double)benches[i].n - (double)benches[i].p;
        freedom = fmax(freedom, benches[i].freedom);
        double off = 0, measured = 0;
        for (size_t j = 0; j < benches[i].n; j++) {
            off += pow(benches[i].off[j] * benches[i].noise[j], 2);
            measured += pow(benches[i].fitted->rows[j].measured, 2);
        }
        verdict.off = fmax(verdict.off, measured > 0 ? sqrt(off / measured) : 0);
    }
    if (left > 0 && isfinite(squares)) {
        verdict.beyond = sqrt(squares / left);
        verdict.chance_beyond = form_chance(squares / left, left, freedom);
    }
    return verdict;
}

/* Widens the intervals so that they contain the coefficients with and without the suspect. */
static void widen(struct whitened *bench, struct fitted *fitted, const struct verdict_of_form *verdict,
                  struct model_result *result)
{
    struct effect effect;
    if (!try_one(bench, verdict->strongest, &effect))
        return;
    double size = pow(effect.factor, 2) + verdict->noise * effect.variance;
    struct spread *spread = &fitted->spread;
    for (size_t j = 0; j < spread->columns; j++) {
        for (size_t k = 0; k < spread->columns; k++)
            spread->covariance[j * spread->columns + k] += size * effect.moves[j] * effect.moves[k];
        struct spread more = {.columns = 1, .covariance = {size * pow(effect.moves[j], 2)}, .freedom = 30};
        double half = spread_sum(&more, (const double[LINEAR_COLUMNS]){1}).high;
        model_widen(result, fitted->names[j], half);
    }
}

/* The coefficient of the suspect as text, if it has a unit of its own: that of a constant; else "". */
static void size_of(struct whitened *bench, const struct verdict_of_form *verdict, char text[NAMES_BYTES])
{
    struct effect effect;
    text[0] = '\0';
    if (verdict->strongest == SUSPECT_CONSTANT && try_one(bench, verdict->strongest, &effect))
        snprintf(text, NAMES_BYTES, " of %.3g %s", effect.factor, bench->fitted->unit);
}

static void report(struct whitened *benches, size_t count, const struct verdict_of_form *verdict,
                   struct model_result *result)
{
    char name[NAMES_BYTES];
    char size[NAMES_BYTES];
    name_of(&benches[0], verdict->strongest, name);
    size_of(&benches[0], verdict, count == 1 ? size : memset(size, 0, sizeof size));
    result->form = (struct model_form){
        .rows = verdict->rows,
        .left = verdict->left,
        .suspects = verdict->suspects,
        .strongest = {arena_strdup(&result->arena, name), verdict->chance},
        .scatter = {verdict->beyond, verdict->chance_beyond, 100 * verdict->share},
        .is_suspect = verdict->suspects > 0 && isfinite(verdict->chance),
        .is_scatter = isfinite(verdict->beyond) && isfinite(verdict->chance_beyond),
    };
    model_states(result, "form");
    if (verdict->suspects == 0)
        model_note(result,
                   "the form could not be tested: %zu points leave %zu degrees of freedom beside the "
                   "coefficients; measure more points",
                   verdict->rows, verdict->left);
    else if (verdict->chance < FOUND)
        model_disbelieve(
            result,
            "do not trust this model: its residuals follow %s%s, which it does not have (p = %.1g, "
            "corrected for %zu suspects); the intervals include the coefficients with it",
            name, size, verdict->chance, verdict->suspects);
    if (verdict->chance_beyond < FOUND &&
        (verdict->share > MOST_SHARE || (verdict->off > MOST_OFF && verdict->beyond > FAR_BEYOND)))
        model_disbelieve(
            result,
            "do not trust this model: the points scatter about it by %.3g %% of what was measured "
            "(%.3g %% of their whole power), %.3g times their repetitions' own error",
            100 * verdict->off, 100 * verdict->share, verdict->beyond);
}

void form_test(struct fitted *fitted, struct model_result *result)
{
    size_t count = 0;
    for (struct fitted *each = fitted; each != NULL; each = each->next) {
        each->tested = true;
        count += each->count > 0;
    }
    if (count == 0)
        return;
    struct whitened *benches = memory_zeroed(count, sizeof *benches);
    size_t made = 0;
    for (const struct fitted *each = fitted; each != NULL; each = each->next)
        if (each->count > 0)
            benches[made++] = whitened_start(each);
    if (count > 1)
        whitened_share(benches, count);
    const struct verdict_of_form verdict = judge(benches, count);
    report(benches, count, &verdict, result);
    made = 0;
    for (struct fitted *each = fitted; each != NULL; each = each->next)
        if (each->count > 0) {
            if (verdict.chance < FOUND)
                widen(&benches[made], each, &verdict, result);
            whitened_end(&benches[made++]);
        }
    free(benches);
}
