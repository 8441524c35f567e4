/* Each program is a row: the counts per pass, with the error that repetitions show. A meaning is fitted to
 * all rows at once. Its residuals must not exceed the error, which is computed from the meaning's own
 * predictions: an error in proportion to the counts would favour rows that are low by chance. Sums are tried
 * by size: all of one and two quantities, then extensions of the best. */
#include "model/trial/trial.h"

#include "base/memory.h"
#include "base/stats.h"
#include "model/fitting/algebra.h"
#include "model/fitting/spread.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

const char *const trial_verdict_names[TRIAL_VERDICTS] = {[TRIAL_EXACT] = "exact",
                                                         [TRIAL_SCALED] = "scaled",
                                                         [TRIAL_OTHER] = "other",
                                                         [TRIAL_MIXTURE] = "mixture",
                                                         [TRIAL_NOISY] = "noisy",
                                                         [TRIAL_DEAD] = "dead",
                                                         [TRIAL_UNAVAILABLE] = "unavailable"};

/* Tolerances of counts and of factors beyond their noise: sources that measure have the same. A factor is 1
 * if 1 is within UNLIKELY times its 95 % interval. Quantities are known to a few of 100,000 instructions, as
 * interrupts and page faults add some. */
static const double TOLERANCE = 0.01;
static const double FACTOR_TOLERANCE = 0.02;
static const double UNLIKELY = 1.6;
static const double SHARE_NOT_KNOWN = 2e-5;

/* A meaning is refused if its misfit has a probability below 3 in 100,000 (DEVIATIONS), or leaves LEFT_MOST
 * times the noise. Of two meanings that fit, one is better if its chi squared is lower by BETTER. One more
 * quantity must lower chi squared by WORTH_A_TERM, as there are many to choose from. */
static const double DEVIATIONS = 4;
static const double LEFT_MOST = 10;
static const double BETTER = 12;
static const double WORTH_A_TERM = 30;

/* An event is noisy above this noise of a single run; with overflows, above the second number. */
static const double NOISE_MOST = 0.5;
static const double NOISE_WRAPPED = 0.125;

/* The first guess with overflows uses runs that count at most so many times the least. */
static const double FEW_TIMES = 2;

/* Above this noise, without repetitions to confirm it, overflows of the counter are tried as its cause. */
static const double NOISE_INFERRED = 0.05;

/* A dead event counts less than this share of the quantity that it should count. */
static const double STILL = 0.2;

/* A prefetcher that prevents a tenth of the misses is detected. */
static const double NOT_SPARED = 0.9;

/* The most counts per unit of a quantity with overflows: more of these would explain any numbers. */
static const double PER_MOST_WRAPPED = 1000;

enum {
    BEAM = 40,
    ROUNDS = 4,
    NOISE_ROUNDS = 200,
    LEAST_ROWS = 3,
    COLUMNS_MOST = TRIAL_TERMS + 1,
    GROUPS_MOST = 8,
    REPEATED = 4
};

/* Runs of one program with equal passes. */
struct trial_group {
    double passes, count, variance; /* mean, and variance among the runs */
    size_t runs;
};

struct trial_row {
    size_t program;
    struct trial_group groups[GROUPS_MOST];
    size_t group_count;
    double offset; /* the counts of a run without passes */
    double most;   /* the greatest known quantity */
};

struct trial_bench {
    const struct trial_suite *suite;
    const struct trial_run *runs;
    size_t run_count;
    double *counts; /* [run_count], unwrapped */
    struct trial_row *rows;
    size_t row_count;
    double relative, absolute; /* standard deviations of a run: as a share of its count, and in counts */
    double freedom;            /* degrees of freedom of both */
    int claim;
};

/* A sum of quantities, and its fit. */
struct trial_fit {
    size_t quantity[TRIAL_TERMS];
    size_t count;
    bool every_pass; /* the number of passes is one of the columns, behind the others */
    double per[COLUMNS_MOST], sigma[COLUMNS_MOST];
    double squares; /* chi squared */
    double left;    /* the sum of squared residuals over that of the noise, without weights */
    double error;   /* the residuals as a share of the counts */
    size_t rows;    /* the number of rows whose quantities are known */
    double covered; /* the share of all rows' counts that is in these rows */
    bool valid;     /* it could be fitted, and each factor is above 0 */
};

bool trial_contradicts(enum trial_verdict verdict)
{
    return verdict != TRIAL_EXACT && verdict != TRIAL_UNAVAILABLE;
}

static double known(const struct trial_bench *bench, const struct trial_row *row, size_t quantity)
{
    return bench->suite->known[row->program * bench->suite->quantities + quantity];
}

/* ---- rows ---- */

static struct trial_group *group_of(struct trial_row *row, double passes)
{
    for (size_t i = 0; i < row->group_count; i++)
        if (row->groups[i].passes == passes)
            return &row->groups[i];
    if (row->group_count == GROUPS_MOST)
        return NULL;
    row->groups[row->group_count] = (struct trial_group){.passes = passes};
    return &row->groups[row->group_count++];
}

static struct trial_row *row_of(struct trial_bench *bench, size_t program)
{
    for (size_t i = 0; i < bench->row_count; i++)
        if (bench->rows[i].program == program)
            return &bench->rows[i];
    struct trial_row *row = &bench->rows[bench->row_count++];
    *row = (struct trial_row){.program = program};
    for (size_t i = 0; i < bench->suite->quantities; i++)
        row->most = fmax(row->most, known(bench, row, i)); /* fmax ignores NAN */
    return row;
}

/* Sets mean and variance of the runs, without outliers. */
static void fill_group(const struct trial_bench *bench, size_t program, struct trial_group *group)
{
    double *samples = memory_zeroed(bench->run_count, sizeof *samples);
    bool *far = memory_zeroed(bench->run_count, sizeof *far);
    size_t count = 0;
    for (size_t i = 0; i < bench->run_count; i++)
        if (bench->runs[i].program == program && bench->runs[i].passes == group->passes)
            samples[count++] = bench->counts[i];
    if (count >= REPEATED)
        (void)stats_outliers(samples, count, TOLERANCE, far);
    double sum = 0, squares = 0;
    group->runs = 0;
    for (size_t i = 0; i < count; i++)
        if (!far[i]) {
            sum += samples[i];
            group->runs++;
        }
    group->count = sum / (double)group->runs;
    for (size_t i = 0; i < count; i++)
        squares += far[i] ? 0 : (samples[i] - group->count) * (samples[i] - group->count);
    group->variance = group->runs > 1 ? squares / (double)(group->runs - 1) : 0;
    free(samples);
    free(far);
}

/* The counts per pass and their variance *own, from the variance of each group. With a single number of
 * passes they include the counts of the start. */
static double slope_of(const struct trial_row *row, const double *variance, double *own)
{
    double w = 0, wp = 0, wc = 0, top = 0, under = 0;
    if (row->group_count == 1) {
        double passes = row->groups[0].passes;
        *own = variance[0] / (passes * passes);
        return row->groups[0].count / passes;
    }
    for (size_t i = 0; i < row->group_count; i++) {
        w += 1 / variance[i];
        wp += row->groups[i].passes / variance[i];
        wc += row->groups[i].count / variance[i];
    }
    for (size_t i = 0; i < row->group_count; i++) {
        double passes = row->groups[i].passes - wp / w;
        top += passes * (row->groups[i].count - wc / w) / variance[i];
        under += passes * passes / variance[i];
    }
    *own = 1 / under;
    return top / under;
}

/* The row's counts per pass and their variance *own, with noise in proportion to the predicted counts per
 * pass; NAN: to the counts themselves. */
static double slope_under(const struct trial_bench *bench, const struct trial_row *row, double predicted,
                          double *own)
{
    double variance[GROUPS_MOST];
    for (size_t i = 0; i < row->group_count; i++) {
        const struct trial_group *group = &row->groups[i];
        double count = isnan(predicted) ? group->count : predicted * group->passes + row->offset;
        double noise = bench->relative * bench->relative * count * count + bench->absolute * bench->absolute;
        variance[i] = (noise + 1) / (double)group->runs; /* counts are whole */
    }
    return slope_of(row, variance, own);
}

static void make_rows(struct trial_bench *bench)
{
    bench->row_count = 0;
    for (size_t i = 0; i < bench->run_count; i++) {
        struct trial_row *row = row_of(bench, bench->runs[i].program);
        (void)group_of(row, bench->runs[i].passes);
    }
    for (size_t i = 0; i < bench->row_count; i++) {
        struct trial_row *row = &bench->rows[i];
        for (size_t j = 0; j < row->group_count; j++)
            fill_group(bench, row->program, &row->groups[j]);
        double own;
        double start = row->groups[0].count - slope_under(bench, row, NAN, &own) * row->groups[0].passes;
        row->offset = start > row->groups[0].count / 5 ? start : 0; /* less is noise, or negligible */
    }
}

/* ---- noise ---- */

/* An observed variance with its degrees of freedom. Its expectation is share * relative^2 + beside *
 * absolute^2. */
struct trial_spread {
    double observed, freedom, share, beside;
};

/* Sets the most likely noise, by expectation maximisation of its two parts. A variance counts at most as
 * `most` times its expectation. */
static void noise_by(struct trial_bench *bench, const struct trial_spread *spreads, size_t count, double most)
{
    double squares = 0, shares = 0, besides = 0, freedom = 0, shared = 0;
    for (size_t i = 0; i < count; i++) {
        squares += spreads[i].freedom * spreads[i].observed;
        shares += spreads[i].freedom * spreads[i].share;
        besides += spreads[i].freedom * spreads[i].beside;
        freedom += spreads[i].freedom;
        shared += spreads[i].share > 0 ? spreads[i].freedom : 0;
    }
    double relative = shares > 0 ? squares / shares : 0, absolute = besides > 0 ? squares / besides : 0;
    for (int round = 0; round < NOISE_ROUNDS; round++) {
        double of_relative = 0, of_absolute = 0;
        for (size_t i = 0; i < count; i++) {
            const struct trial_spread *spread = &spreads[i];
            double part = relative * spread->share, rest = absolute * spread->beside, all = part + rest;
            if (!(all > 0))
                continue;
            double observed = fmin(spread->observed, most * all);
            double ours = part / all, others = rest / all;
            of_absolute += spread->freedom * (others * others * observed + ours * rest) / spread->beside;
            if (spread->share > 0)
                of_relative += spread->freedom * (ours * ours * observed + others * part) / spread->share;
        }
        relative = shared > 0 ? of_relative / shared : 0;
        absolute = freedom > 0 ? of_absolute / freedom : 0;
    }
    bench->relative = sqrt(relative);
    bench->absolute = sqrt(absolute);
    bench->freedom = freedom;
}

/* Sets the noise from the variances among repetitions. False without repetitions. */
static bool noise_of_repetitions(struct trial_bench *bench)
{
    struct trial_spread *spreads = memory_zeroed(bench->row_count * GROUPS_MOST + 1, sizeof *spreads);
    size_t count = 0;
    for (size_t i = 0; i < bench->row_count; i++)
        for (size_t j = 0; j < bench->rows[i].group_count; j++) {
            const struct trial_group *group = &bench->rows[i].groups[j];
            if (group->runs > 1)
                spreads[count++] = (struct trial_spread){group->variance, (double)group->runs - 1,
                                                         group->count * group->count, 1};
        }
    noise_by(bench, spreads, count, INFINITY);
    free(spreads);
    return count > 0;
}

/* ---- fits ---- */

/* The element of a column: a quantity, or behind these 1 for the count per pass. */
static double column(const struct trial_bench *bench, const struct trial_fit *fit, size_t number,
                     const struct trial_row *row)
{
    return number < fit->count ? known(bench, row, fit->quantity[number]) : 1;
}

static bool knows_all(const struct trial_bench *bench, const struct trial_fit *fit,
                      const struct trial_row *row)
{
    for (size_t i = 0; i < fit->count; i++)
        if (isnan(known(bench, row, fit->quantity[i])))
            return false;
    return true;
}

static double predict(const struct trial_bench *bench, const struct trial_fit *fit,
                      const struct trial_row *row)
{
    double sum = 0;
    for (size_t i = 0; i < fit->count + fit->every_pass; i++)
        sum += fit->per[i] * column(bench, fit, i, row);
    return sum;
}

/* The variance of a row's residual: the variance of its counts per pass, the tolerance and the uncertainty of
 * its quantities. */
static double variance_of(const struct trial_row *row, double own, double predicted)
{
    double off = TOLERANCE * predicted, floor = SHARE_NOT_KNOWN * row->most;
    return own + off * off + floor * floor + 1e-30;
}

/* Inverts the k * k matrix in place (Gauss-Jordan without exchanges: it is positive definite). False if
 * singular. */
static bool invert(double *a, size_t k)
{
    for (size_t i = 0; i < k; i++) {
        double pivot = a[i * k + i];
        if (!(pivot > 0))
            return false;
        a[i * k + i] = 1;
        for (size_t j = 0; j < k; j++)
            a[i * k + j] /= pivot;
        for (size_t row = 0; row < k; row++) {
            double factor = a[row * k + i];
            if (row == i)
                continue;
            a[row * k + i] = 0;
            for (size_t j = 0; j < k; j++)
                a[row * k + j] -= factor * a[i * k + j];
        }
    }
    return true;
}

/* Weighted least squares, with weights from the present predictions (first: from the counts). False if
 * columns are collinear. */
static bool solve(const struct trial_bench *bench, struct trial_fit *fit, bool first)
{
    size_t k = fit->count + fit->every_pass;
    double normal[COLUMNS_MOST * COLUMNS_MOST] = {0}, right[COLUMNS_MOST] = {0}, length[COLUMNS_MOST] = {0};
    for (size_t r = 0; r < bench->row_count; r++) {
        const struct trial_row *row = &bench->rows[r];
        if (!knows_all(bench, fit, row))
            continue;
        double own, predicted = first ? NAN : fmax(predict(bench, fit, row), 0);
        double slope = slope_under(bench, row, predicted, &own);
        double weight = 1 / variance_of(row, own, first ? fabs(slope) : predicted);
        for (size_t i = 0; i < k; i++) {
            double x = column(bench, fit, i, row);
            right[i] += weight * x * slope;
            length[i] += weight * x * x;
            for (size_t j = 0; j < k; j++)
                normal[i * k + j] += weight * x * column(bench, fit, j, row);
        }
    }
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < k; j++) {
            if (!(length[i] > 0) || !(length[j] > 0))
                return false;
            normal[i * k + j] /= sqrt(length[i]) * sqrt(length[j]);
        }
    for (size_t i = 0; i < k; i++)
        normal[i * k + i] += 1e-12;
    if (!invert(normal, k))
        return false;
    for (size_t i = 0; i < k; i++) {
        fit->per[i] = 0;
        for (size_t j = 0; j < k; j++)
            fit->per[i] += normal[i * k + j] / sqrt(length[i]) * right[j] / sqrt(length[j]);
        fit->sigma[i] = sqrt(normal[i * k + i] / length[i]);
        if (!(normal[i * k + i] < 1e6))
            return false;
    }
    return true;
}

/* Sets chi squared of the fit and the other measures of its residuals. */
static void weigh(const struct trial_bench *bench, struct trial_fit *fit)
{
    double left = 0, noise = 0, all = 0, total = 0, covered = 0;
    fit->squares = 0;
    fit->rows = 0;
    for (size_t r = 0; r < bench->row_count; r++) {
        const struct trial_row *row = &bench->rows[r];
        bool here = knows_all(bench, fit, row);
        double predicted = here ? fmax(predict(bench, fit, row), 0) : NAN;
        double own, slope = slope_under(bench, row, predicted, &own);
        double share = row->most > 0 ? fabs(slope) / row->most : 0;
        total += share;
        covered += here ? share : 0;
        if (!here)
            continue;
        double square = (slope - predicted) * (slope - predicted),
               variance = variance_of(row, own, predicted);
        fit->squares += square / variance;
        left += square;
        noise += variance;
        all += slope * slope;
        fit->rows++;
    }
    fit->covered = total > 0 ? covered / total : 1;
    fit->left = noise > 0 ? left / noise : 0;
    fit->error = all > 0 ? sqrt(left / all) : 0;
}

static void make_fit(const struct trial_bench *bench, struct trial_fit *fit)
{
    fit->valid = true;
    for (int round = 0; round < ROUNDS && fit->valid && fit->count + fit->every_pass > 0; round++)
        fit->valid = solve(bench, fit, round == 0);
    for (size_t i = 0; i < fit->count + fit->every_pass; i++)
        fit->valid = fit->valid && fit->per[i] > 0 && fit->per[i] > 2 * fit->sigma[i];
    weigh(bench, fit);
    fit->valid = fit->valid && fit->rows >= fit->count + fit->every_pass + LEAST_ROWS;
}

/* Whether the residuals of the fit may be noise (Wilson and Hilferty 1931). */
static bool explains(const struct trial_fit *fit)
{
    double freedom = (double)(fit->rows - fit->count - fit->every_pass);
    double share = 2 / (9 * freedom);
    return fit->valid && (fit->count == 0 || fit->error < NOISE_MOST) && fit->left < LEFT_MOST &&
           (cbrt(fit->squares / freedom) - (1 - share)) / sqrt(share) < DEVIATIONS;
}

/* ---- the search ---- */

/* The best fits of one size; the first is the best. */
struct trial_beam {
    struct trial_fit fits[BEAM];
    size_t count;
};

/* Chi squared and a penalty for counts that the fit does not cover, as fits may cover different programs. */
static double badness(const struct trial_fit *fit)
{
    return fit->squares + 100 * (1 - fit->covered) * (double)fit->rows;
}

static bool same_terms(const struct trial_fit *a, const struct trial_fit *b)
{
    return a->count == b->count && memcmp(a->quantity, b->quantity, a->count * sizeof a->quantity[0]) == 0;
}

/* Inserts the fit by its badness, unless the beam has its terms already, or is full of better ones. */
static void keep(struct trial_beam *beam, const struct trial_fit *fit)
{
    size_t at = beam->count;
    for (size_t i = 0; i < beam->count; i++)
        if (same_terms(&beam->fits[i], fit))
            return;
    while (at > 0 && badness(&beam->fits[at - 1]) > badness(fit))
        at--;
    if (at == BEAM)
        return;
    size_t moved = (beam->count < BEAM ? beam->count : BEAM - 1) - at;
    memmove(&beam->fits[at + 1], &beam->fits[at], moved * sizeof beam->fits[0]);
    beam->fits[at] = *fit;
    beam->count += beam->count < BEAM;
}

static struct trial_fit extended(const struct trial_fit *from, size_t quantity)
{
    struct trial_fit fit = *from;
    size_t at = fit.count++;
    for (; at > 0 && fit.quantity[at - 1] > quantity; at--)
        fit.quantity[at] = fit.quantity[at - 1];
    fit.quantity[at] = quantity;
    return fit;
}

static bool has_term(const struct trial_fit *fit, size_t quantity)
{
    for (size_t i = 0; i < fit->count; i++)
        if (fit->quantity[i] == quantity)
            return true;
    return false;
}

/* Sets the best valid fits that have one quantity more than those in `from`. */
static void extend(const struct trial_bench *bench, const struct trial_beam *from, struct trial_beam *to)
{
    to->count = 0;
    for (size_t i = 0; i < from->count; i++)
        for (size_t q = 0; q < bench->suite->quantities; q++) {
            bool unnamed =
                bench->suite->traits != NULL && bench->suite->traits[q].unnamed && bench->claim != (int)q;
            if (unnamed || has_term(&from->fits[i], q))
                continue;
            struct trial_fit fit = extended(&from->fits[i], q);
            make_fit(bench, &fit);
            if (fit.valid)
                keep(to, &fit);
        }
}

/* Sets the best valid fits of one quantity. */
static void begin(const struct trial_bench *bench, bool every_pass, struct trial_beam *beam)
{
    struct trial_fit none = {.every_pass = every_pass};
    struct trial_beam nothing = {.fits = {none}, .count = 1};
    extend(bench, &nothing, beam);
}

/* The best fit of the beam that explains the counts, or one with the claimed quantity that is as good; NULL:
 * none. */
static const struct trial_fit *choose(const struct trial_bench *bench, const struct trial_beam *beam)
{
    const struct trial_fit *best = NULL;
    for (size_t i = 0; i < beam->count; i++) {
        const struct trial_fit *fit = &beam->fits[i];
        if (!explains(fit))
            continue;
        if (best == NULL)
            best = fit;
        if (bench->claim != TRIAL_NONE && has_term(fit, (size_t)bench->claim) &&
            badness(fit) < badness(best) + BETTER)
            return fit;
    }
    return best;
}

/* Tries sums by size, each without and with the count of passes. Finds the first that explains the counts,
 * unless one more quantity explains them much better (WORTH_A_TERM). *others: the beam in which it was found.
 */
static bool search(const struct trial_bench *bench, struct trial_fit *found, struct trial_beam *others)
{
    struct trial_beam *beams = memory_zeroed(2, sizeof *beams);
    struct trial_beam *wider = memory_zeroed(2, sizeof *wider);
    bool any = false;
    for (size_t size = 1; size <= TRIAL_TERMS && !any; size++)
        for (int pass = 0; pass < 2 && !any; pass++) {
            if (size == 1)
                begin(bench, pass == 1, &beams[pass]);
            const struct trial_fit *fit = choose(bench, &beams[pass]);
            if (size < TRIAL_TERMS)
                extend(bench, &beams[pass], &wider[pass]);
            const struct trial_fit *more = size < TRIAL_TERMS ? choose(bench, &wider[pass]) : NULL;
            any = fit != NULL;
            if (any && more != NULL && pass == 0 && badness(fit) > badness(more) + WORTH_A_TERM)
                any = false;
            if (any) {
                *found = *fit;
                *others = beams[pass];
            }
            beams[pass] = wider[pass];
        }
    free(beams);
    free(wider);
    return any;
}

/* A quantile of the amounts of normal deviates, and its value. */
static const double FEW_ABOVE = 0.8;
static const double FEW_ABOVE_NORMAL = 1.2816;

/* The relative noise with which the fit would explain the rows that count more than least of their greatest
 * quantity, by its prediction or at the start. */
static double noise_under(struct trial_bench *bench, const struct trial_fit *fit, double least)
{
    double *shares = memory_zeroed(bench->row_count + 1, sizeof *shares);
    size_t count = 0;
    for (size_t r = 0; r < bench->row_count; r++) {
        const struct trial_row *row = &bench->rows[r];
        if (!knows_all(bench, fit, row))
            continue;
        double predicted = fmax(predict(bench, fit, row), 0);
        double own, slope = slope_under(bench, row, predicted, &own);
        if (predicted + row->offset > least * row->most)
            shares[count++] = fabs(slope - predicted) / sqrt(own) * bench->relative;
    }
    bench->freedom = count > fit->count + 1 ? (double)(count - fit->count) : 1;
    double relative =
        count == 0 ? bench->relative : stats_quantile(shares, count, FEW_ABOVE) / FEW_ABOVE_NORMAL;
    free(shares);
    return fmax(relative, 1e-6);
}

/* Sets the noise from the fit's residuals of each program between two numbers of passes. A program counts at
 * most MOST times its expectation, as the fit need not describe all programs. */
static void noise_of_fit(struct trial_bench *bench, const struct trial_fit *fit)
{
    static const double MOST = 9;
    struct trial_spread *spreads = memory_zeroed(bench->row_count * GROUPS_MOST + 1, sizeof *spreads);
    size_t count = 0;
    for (size_t r = 0; r < bench->row_count; r++) {
        const struct trial_row *row = &bench->rows[r];
        double per = knows_all(bench, fit, row) ? fmax(predict(bench, fit, row), 0) : NAN;
        for (size_t j = row->group_count > 1 ? 1 : 0; j < row->group_count && !isnan(per); j++) {
            struct trial_group none = {.passes = 0, .runs = 0};
            const struct trial_group *to = &row->groups[j], *from = j > 0 ? &row->groups[j - 1] : &none;
            double left = to->count - from->count - per * (to->passes - from->passes);
            double low = per * from->passes + row->offset, high = per * to->passes + row->offset;
            double share = high * high / (double)to->runs + (j > 0 ? low * low / (double)from->runs : 0);
            double beside = 1 / (double)to->runs + (j > 0 ? 1 / (double)from->runs : 0);
            spreads[count++] = (struct trial_spread){left * left, 1, share, beside};
        }
    }
    noise_by(bench, spreads, count, MOST);
    bench->relative = fmax(bench->relative, 1e-6);
    bench->freedom = fmax(bench->freedom - (double)fit->count, 1);
    free(spreads);
}

/* The lower quartile, over the programs, of the counts that more passes add. */
static double low_count(const struct trial_bench *bench)
{
    double *counts = memory_zeroed(bench->row_count + 1, sizeof *counts);
    for (size_t r = 0; r < bench->row_count; r++) {
        const struct trial_row *row = &bench->rows[r];
        counts[r] = fabs(row->groups[0].count - (row->group_count > 1 ? row->groups[1].count : 0));
    }
    double low = bench->row_count > 0 ? stats_quantile(counts, bench->row_count, 0.25) : 0;
    free(counts);
    return low;
}

/* Sets the noise, without repetitions, from the residuals of the best sum of several quantities. */
static void noise_of_rows(struct trial_bench *bench)
{
    struct trial_beam *beam = memory_zeroed(2, sizeof *beam);
    bench->relative = 0.1;
    bench->absolute = low_count(bench);
    for (int round = 0; round < 2; round++) {
        begin(bench, false, &beam[0]);
        for (size_t size = 1; size < TRIAL_TERMS && beam[0].count > 0; size++) {
            beam[0].count = size == 1 || beam[0].count < REPEATED ? beam[0].count : REPEATED;
            extend(bench, &beam[0], &beam[1]);
            if (beam[1].count == 0 || beam[1].fits[0].squares > 0.9 * beam[0].fits[0].squares)
                break;
            beam[0] = beam[1];
        }
        if (beam[0].count > 0)
            noise_of_fit(bench, &beam[0].fits[0]);
    }
    free(beam);
}

/* ---- counters that overflow ---- */

/* Adds to each count the overflows of the counter that the guess predicts. False if there are none. */
static bool unwrap(struct trial_bench *bench, const struct trial_fit *guess, double size)
{
    bool any = false;
    for (size_t i = 0; i < bench->run_count; i++) {
        struct trial_row row = {.program = bench->runs[i].program};
        double predicted = predict(bench, guess, &row) * bench->runs[i].passes;
        double turns = isnan(predicted) ? 0 : round((predicted - bench->runs[i].count) / size);
        bench->counts[i] = bench->runs[i].count + size * fmax(turns, 0);
        any = any || turns > 0;
    }
    return any;
}

/* Whether the quantity and overflows of a counter with `size` values explain the counts; leaves these
 * unwrapped. The first guess of the quantity's factor is 1 (once) or comes from the runs that should count
 * least; then all runs refine it. */
static bool explains_wrapped(struct trial_bench *bench, size_t quantity, double size, bool once,
                             struct trial_fit *fit)
{
    struct trial_fit guess = {.quantity = {quantity}, .count = 1};
    double least = INFINITY, counted = 0, should = 0;
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < bench->run_count; i++) {
            const struct trial_row row = {.program = bench->runs[i].program};
            double own = known(bench, &row, quantity) * bench->runs[i].passes;
            least = round == 0 && own > 0 ? fmin(least, own) : least;
            counted += round == 1 && own > 0 && own <= FEW_TIMES * least ? bench->runs[i].count : 0;
            should += round == 1 && own > 0 && own <= FEW_TIMES * least ? own : 0;
        }
    guess.per[0] = once ? 1 : should > 0 ? counted / should : 0;
    bool wrapped = false;
    for (int round = 0; round < ROUNDS && guess.per[0] > 0; round++) {
        wrapped = unwrap(bench, &guess, size);
        make_rows(bench);
        (void)solve(bench, &guess, true);
        (void)solve(bench, &guess, false);
    }
    if (wrapped && !noise_of_repetitions(bench))
        noise_of_rows(bench);
    *fit = (struct trial_fit){.quantity = {quantity}, .count = 1};
    make_fit(bench, fit);
    return wrapped && bench->relative < NOISE_WRAPPED && fit->per[0] < PER_MOST_WRAPPED && explains(fit);
}

/* Tries the claim first, then all quantities. Leaves the counts unwrapped for the quantity that was found. */
static bool search_wrapped(struct trial_bench *bench, double size, struct trial_fit *found,
                           struct trial_beam *others)
{
    double most = 0;
    for (size_t i = 0; i < bench->run_count; i++)
        most = fmax(most, bench->runs[i].count);
    if (most >= size || most < size / 16)
        return false;
    bool any =
        bench->claim != TRIAL_NONE && (explains_wrapped(bench, (size_t)bench->claim, size, false, found) ||
                                       explains_wrapped(bench, (size_t)bench->claim, size, true, found));
    size_t best = bench->suite->quantities;
    double least = INFINITY;
    for (size_t q = 0; q < bench->suite->quantities && !any; q++)
        if (explains_wrapped(bench, q, size, false, found) && badness(found) < least) {
            least = badness(found);
            best = q;
        }
    any = any || (best < bench->suite->quantities && explains_wrapped(bench, best, size, false, found));
    others->count = 0;
    return any;
}

/* ---- the verdict ---- */

/* Half the width of a 95 % interval in standard deviations, given the degrees of freedom of the noise. */
static double width_of(const struct trial_bench *bench, const struct trial_fit *fit)
{
    return spread_student(fmin(bench->freedom, (double)(fit->rows - fit->count - fit->every_pass)));
}

static struct trial_meaning meaning_of(const struct trial_bench *bench, const struct trial_fit *fit)
{
    struct trial_meaning meaning = {.count = fit->count};
    double freedom = (double)(fit->rows - fit->count - fit->every_pass);
    double wide = width_of(bench, fit) * sqrt(fmax(1, fit->squares / freedom));
    for (size_t i = 0; i < fit->count; i++)
        meaning.terms[i] = (struct trial_term){.quantity = fit->quantity[i],
                                               .per = fit->per[i],
                                               .low = fit->per[i] - wide * fit->sigma[i],
                                               .high = fit->per[i] + wide * fit->sigma[i]};
    return meaning;
}

/* Adds a term for the programs in which a prefetcher may prevent misses, if the event counts nearly all of
 * their accesses: then it also counts prefetches (or there is no prefetcher). Otherwise those programs add
 * nothing to the meaning. */
static void add_followed(const struct trial_bench *bench, const struct trial_fit *found,
                         struct trial_meaning *meaning)
{
    size_t q = found->quantity[0];
    int followed = bench->suite->traits == NULL ? TRIAL_NONE : bench->suite->traits[q].followed;
    double *shares = memory_zeroed(bench->row_count + 1, sizeof *shares);
    size_t count = 0;
    for (size_t r = 0; r < bench->row_count && found->count == 1 && followed != TRIAL_NONE; r++) {
        double own, all = known(bench, &bench->rows[r], (size_t)followed);
        if (isnan(known(bench, &bench->rows[r], q)) && all > 0)
            shares[count++] = slope_under(bench, &bench->rows[r], NAN, &own) / all;
    }
    struct interval per = stats_repeated(shares, count);
    if (count >= LEAST_ROWS - 1 && per.value > NOT_SPARED * found->per[0])
        meaning->terms[meaning->count++] =
            (struct trial_term){(size_t)followed, per.value, per.low, per.high};
    free(shares);
}

static void conclude(const struct trial_bench *bench, const struct trial_fit *found,
                     const struct trial_beam *others, struct trial_result *result)
{
    result->meaning = meaning_of(bench, found);
    add_followed(bench, found, &result->meaning);
    result->error = found->error;
    result->programs = found->rows;
    result->per_pass = found->every_pass ? found->per[found->count] : 0;
    for (size_t i = 0; i < others->count && result->alike_count < TRIAL_ALIKE; i++)
        if (!same_terms(&others->fits[i], found) && explains(&others->fits[i]) &&
            badness(&others->fits[i]) < badness(found) + BETTER)
            result->alike[result->alike_count++] = meaning_of(bench, &others->fits[i]);
    double off = fabs(found->per[0] - 1);
    bool once = off < FACTOR_TOLERANCE || off < UNLIKELY * width_of(bench, found) * found->sigma[0];
    if (result->meaning.count > 1)
        result->verdict = TRIAL_MIXTURE;
    else if (bench->claim != TRIAL_NONE && found->quantity[0] != (size_t)bench->claim)
        result->verdict = TRIAL_OTHER;
    else
        result->verdict = found->every_pass ? TRIAL_MIXTURE : once ? TRIAL_EXACT : TRIAL_SCALED;
}

/* Whether noise explains all counts, and these are well below STILL of the claimed quantity or, without a
 * claim, of each program's greatest quantity. */
static bool is_dead(struct trial_bench *bench, bool repeated)
{
    struct trial_fit none = {.count = 0};
    double relative = bench->relative, sum = 0, variance = 0, should = 0;
    if (!repeated)
        bench->relative = fmin(noise_under(bench, &none, 1), NOISE_MOST);
    make_fit(bench, &none);
    for (size_t r = 0; r < bench->row_count; r++) {
        const struct trial_row *row = &bench->rows[r];
        double own, one = bench->claim == TRIAL_NONE ? row->most : known(bench, row, (size_t)bench->claim);
        double slope = slope_under(bench, row, 0, &own);
        if (one > 0) {
            sum += slope;
            variance += own;
            should += one;
        }
    }
    bool dead = explains(&none) && fabs(sum) + DEVIATIONS * sqrt(variance) < STILL * should;
    bench->relative = dead ? bench->relative : relative;
    return dead;
}

/* Whether too few programs were counted, or none of them has the claimed quantity. */
static bool is_untried(const struct trial_bench *bench)
{
    size_t moved = 0;
    for (size_t r = 0; r < bench->row_count && bench->claim != TRIAL_NONE; r++)
        moved += known(bench, &bench->rows[r], (size_t)bench->claim) > 0;
    return bench->row_count < LEAST_ROWS + 1 || (bench->claim != TRIAL_NONE && moved == 0);
}

static void judge(struct trial_bench *bench, struct trial_result *result)
{
    static const int bits[] = {32, 48};
    struct trial_fit found;
    struct trial_beam *others = memory_zeroed(1, sizeof *others);
    make_rows(bench);
    bool repeated = noise_of_repetitions(bench);
    if (!repeated)
        noise_of_rows(bench);
    result->programs = bench->row_count;
    bool dead = is_dead(bench, repeated);
    result->noise = bench->relative;
    if (is_untried(bench)) {
        result->verdict = TRIAL_UNAVAILABLE;
        result->why = bench->row_count < LEAST_ROWS + 1 ? "too few programs were counted"
                                                        : "no counted program has the claimed quantity";
    } else if (dead) {
        result->verdict = TRIAL_DEAD;
    } else {
        bool any = bench->relative < NOISE_MOST && search(bench, &found, others);
        double noise = bench->relative;
        if (any)
            conclude(bench, &found, others, result);
        for (size_t i = 0; i < 2 && (!any || (!repeated && noise > NOISE_INFERRED)); i++)
            if (search_wrapped(bench, ldexp(1, bits[i]), &found, others) &&
                (!any || bench->relative < noise / 2)) {
                *result = (struct trial_result){.noise = bench->relative, .wraps = (unsigned)bits[i]};
                conclude(bench, &found, others, result);
                break;
            }
    }
    free(others);
}

void trial_judge(const struct trial_suite *suite, const struct trial_run *runs, size_t run_count, int claim,
                 struct trial_result *result)
{
    *result = (struct trial_result){.verdict = TRIAL_NOISY, .error = NAN, .noise = NAN};
    struct trial_bench bench = {.suite = suite,
                                .runs = runs,
                                .run_count = run_count,
                                .counts = memory_zeroed(run_count + 1, sizeof(double)),
                                .rows = memory_zeroed(suite->programs + 1, sizeof(struct trial_row)),
                                .claim = claim};
    for (size_t i = 0; i < run_count; i++)
        bench.counts[i] = runs[i].count;
    judge(&bench, result);
    free(bench.counts);
    free(bench.rows);
}

/* ---- the suite ---- */

/* The length of a quantity's column; unknown numbers count as 0. */
static double length_of(const struct trial_suite *suite, size_t quantity)
{
    double sum = 0;
    for (size_t i = 0; i < suite->programs; i++) {
        double one = suite->known[i * suite->quantities + quantity];
        sum += isnan(one) ? 0 : one * one;
    }
    return sqrt(sum);
}

/* Whether the quantity is not a sum by definition and not 0 in all programs. */
static bool is_moved(const struct trial_suite *suite, size_t quantity)
{
    return (suite->traits == NULL || !suite->traits[quantity].sum) && length_of(suite, quantity) > 0;
}

double trial_condition(const struct trial_suite *suite, size_t *moved)
{
    double *x = algebra_numbers(suite->programs * suite->quantities + 1);
    size_t columns = 0;
    for (size_t q = 0; q < suite->quantities; q++)
        columns += is_moved(suite, q);
    *moved = columns;
    size_t at = 0;
    for (size_t q = 0; q < suite->quantities; q++) {
        double length = length_of(suite, q);
        if (!is_moved(suite, q))
            continue;
        for (size_t i = 0; i < suite->programs; i++) {
            double one = suite->known[i * suite->quantities + q];
            x[i * columns + at] = isnan(one) ? 0 : one / length;
        }
        at++;
    }
    double condition = INFINITY;
    double *inverse = algebra_numbers(columns * suite->programs + 1),
           *singular = algebra_numbers(columns + 1);
    double *right = algebra_numbers(columns * columns + 1);
    if (columns > 0 && columns <= suite->programs &&
        algebra_pseudo_inverse(x, suite->programs, columns, inverse, singular, right))
        condition = singular[0] / singular[columns - 1];
    free(x);
    free(inverse);
    free(singular);
    free(right);
    return condition;
}

bool trial_same(const struct trial_suite *suite, size_t a, size_t b)
{
    double dot = 0;
    for (size_t i = 0; i < suite->programs; i++) {
        double one = suite->known[i * suite->quantities + a], other = suite->known[i * suite->quantities + b];
        if (isnan(one) != isnan(other))
            return false;
        dot += isnan(one) ? 0 : one * other;
    }
    double lengths = length_of(suite, a) * length_of(suite, b);
    return lengths > 0 && dot > (1 - 1e-6) * lengths;
}

/* ---- verdicts ---- */

void trial_print(const struct trial_suite *suite, const struct trial_meaning *meaning, struct buffer *text)
{
    for (size_t i = 0; i < meaning->count; i++)
        buffer_printf(text, "%s%.3g %s", i == 0 ? "" : " + ", meaning->terms[i].per,
                      suite->names[meaning->terms[i].quantity]);
}

bool trial_set_contradicts(const struct trial_set *set)
{
    bool any = false;
    for (size_t i = 0; i < set->count; i++)
        any = any || (set->items[i].claim != NULL && trial_contradicts(set->items[i].result.verdict));
    return any;
}
