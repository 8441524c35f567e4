#include "model/fitting/validation.h"

#include "base/buffer.h"
#include "base/memory.h"
#include "model/chart.h"
#include "model/data/model_result.h"
#include "model/fitting/algebra.h"
#include "model/fitting/whitened.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A direction is undetermined without a group if the rest keeps less than this share of it. */
static const double DETERMINED = 1e-6;

/* Columns with a larger part of that direction are named. */
static const double TAKES_PART = 0.3;

/* Numbers below this share of the largest are rounding errors. */
static const double ROUNDING = 1e-9;

/* Ranges wider than this are drawn on logarithmic axes. */
static const double WIDE = 100;

/* ---- one regression ---- */

struct refit {
    const struct fitted *fitted;
    struct fitted like; /* without the rows that are unlike, which were not fitted; its rows are copies */
    struct whitened bench;
    double *left_out; /* the prediction of each row of fitted without its group; NAN: not validated */
    double inflation[LINEAR_COLUMNS];
};

static struct refit refit_start(const struct fitted *fitted)
{
    struct refit refit = {.fitted = fitted, .like = *fitted};
    refit.like.rows = memory_zeroed(fitted->count + 1, sizeof *fitted->rows);
    refit.like.count = 0;
    for (size_t i = 0; i < fitted->count; i++)
        if (!fitted->rows[i].unlike)
            refit.like.rows[refit.like.count++] = fitted->rows[i];
    refit.left_out = algebra_numbers(fitted->count + 1);
    for (size_t i = 0; i < fitted->count; i++)
        refit.left_out[i] = NAN;
    return refit;
}

static void refit_end(struct refit *refit)
{
    whitened_end(&refit->bench);
    free(refit->like.rows);
    free(refit->left_out);
}

/* The uncentred variance inflation: 1 where a column is independent of the others. */
static void set_inflation(struct refit *refit)
{
    size_t columns = refit->like.spread.columns;
    const struct whitened *bench = &refit->bench;
    for (size_t j = 0; j < columns; j++) {
        double length = 0;
        double moves = 0;
        for (size_t i = 0; i < bench->n; i++)
            length += pow(bench->fitted->rows[i].x[j] / bench->noise[i], 2);
        for (size_t k = 0; k < bench->p; k++)
            moves += pow(bench->to[j * columns + k], 2);
        refit->inflation[j] = length > 0 && moves > 0 ? length * moves : NAN;
    }
}

/* How far the fit moves along each basis column without the group. False, with the direction that the rest
 * does not determine, when it cannot be fitted. */
static bool leave_out(const struct refit *refit, size_t group, double *moved, double *undetermined)
{
    const struct whitened *bench = &refit->bench;
    size_t p = bench->p;
    double singular[LINEAR_COLUMNS];
    double *rest = algebra_numbers(3 * p * p + p);
    double *inverse = rest + p * p;
    double *right = inverse + p * p;
    double *pull = right + p * p;
    for (size_t j = 0; j < p; j++)
        rest[j * p + j] = 1;
    for (size_t i = 0; i < bench->n; i++) {
        if (refit->like.rows[i].group != group)
            continue;
        for (size_t j = 0; j < p; j++) {
            double at = bench->basis[j * bench->n + i];
            pull[j] -= at * bench->off[i];
            for (size_t k = 0; k < p; k++)
                rest[j * p + k] -= at * bench->basis[k * bench->n + i];
        }
    }
    bool good =
        p > 0 && algebra_pseudo_inverse(rest, p, p, inverse, singular, right) && singular[p - 1] > DETERMINED;
    if (good)
        algebra_multiply(inverse, p, p, pull, moved);
    else if (p > 0)
        memcpy(undetermined, right + (p - 1) * p, p * sizeof *undetermined);
    free(rest);
    return good;
}

/* Names the coefficients that take part in a direction of the basis, by their columns' contribution. */
static void name_columns(const struct refit *refit, const double *direction, struct buffer *names)
{
    const struct whitened *bench = &refit->bench;
    size_t columns = refit->like.spread.columns;
    double part[LINEAR_COLUMNS] = {0};
    double most = 0;
    for (size_t j = 0; j < columns; j++) {
        double length = 0;
        for (size_t i = 0; i < bench->n; i++)
            length = hypot(length, bench->fitted->rows[i].x[j] / bench->noise[i]);
        for (size_t k = 0; k < bench->p; k++)
            part[j] += bench->to[j * columns + k] * direction[k];
        part[j] = fabs(part[j]) * length;
        most = fmax(most, part[j]);
    }
    for (size_t j = 0; j < columns; j++)
        if (part[j] > TAKES_PART * most)
            buffer_printf(names, "%s%s", names->size == 0 ? "" : " and ", refit->fitted->names[j]);
}

static void predict_group(struct refit *refit, size_t group, const char *name, struct model_result *result)
{
    const struct whitened *bench = &refit->bench;
    size_t columns = refit->like.spread.columns;
    double moved[LINEAR_COLUMNS] = {0};
    double undetermined[LINEAR_COLUMNS] = {0};
    bool fitted = false;
    for (size_t i = 0; i < refit->like.count; i++)
        fitted = fitted || refit->like.rows[i].group == group;
    if (fitted && !leave_out(refit, group, moved, undetermined)) {
        struct buffer names = {0};
        name_columns(refit, undetermined, &names);
        model_note(result, "not validated by leaving out %s%s%s: the rest does not determine %s", name,
                   refit->fitted->of[0] == '\0' ? "" : " of ", refit->fitted->of,
                   names.size == 0 ? "the coefficients" : names.data);
        buffer_free(&names);
        return;
    }
    for (size_t i = 0; i < refit->fitted->count; i++) {
        const struct fitted_row *row = &refit->fitted->rows[i];
        double step = 0;
        for (size_t j = 0; row->group == group && j < columns; j++)
            for (size_t k = 0; k < bench->p; k++)
                step += row->x[j] * bench->to[j * columns + k] * moved[k];
        if (row->group == group && (fitted || row->unlike))
            refit->left_out[i] = row->predicted + step;
    }
}

/* ---- all groups ---- */

/* The sums of errors. */
struct errors {
    double sum, worst, whole;
    size_t rows;
    const struct fitted_row *worst_row;
};

/* Whether a row has a relative error: its measured value is above rounding, and a regressor is not 0. */
static bool is_judged(const struct fitted *fitted, size_t which)
{
    const struct fitted_row *row = &fitted->rows[which];
    double largest = 0;
    for (size_t i = 0; i < fitted->count; i++)
        largest = fmax(largest, fabs(fitted->rows[i].measured));
    for (size_t j = 0; j < fitted->spread.columns; j++)
        if (row->x[j] != 0)
            return fabs(row->measured) > ROUNDING * largest;
    return false;
}

static void add_error(struct errors *errors, const struct fitted_row *row, double predicted)
{
    double off = fabs(predicted - row->measured);
    double share = off / fabs(row->measured);
    errors->sum += share;
    errors->whole += off / whitened_whole(row);
    errors->rows++;
    if (errors->worst_row == NULL || share > errors->worst) {
        errors->worst = share;
        errors->worst_row = row;
    }
}

static const char *program_of(const struct fitted_row *row)
{
    return row->name != NULL ? row->name : row->point == NULL ? "several points" : row->point->benchmark;
}

/* Sets the mean error of each program (benchmark). */
static void set_programs(const struct refit *refits, size_t count, struct model_result *result)
{
    struct model_validation *to = &result->validation;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < refits[i].fitted->count; j++) {
            const struct fitted_row *row = &refits[i].fitted->rows[j];
            double off = fabs(refits[i].left_out[j] / row->measured - 1);
            size_t at = 0;
            if (!isfinite(off) || !is_judged(refits[i].fitted, j))
                continue;
            while (at < to->program_count && strcmp(to->programs[at].name, program_of(row)) != 0)
                at++;
            if (at == to->program_count) {
                to->programs =
                    arena_next(&result->arena, to->programs, to->program_count++, sizeof *to->programs);
                to->programs[at].name = arena_strdup(&result->arena, program_of(row));
            }
            to->programs[at].rows++;
            to->programs[at].mean_absolute += off; /* a sum, for now */
        }
    for (size_t i = 0; i < to->program_count; i++)
        to->programs[i].mean_absolute /= (double)to->programs[i].rows;
    to->by_program = true;
}

static size_t groups_of(const struct fitted *fitted)
{
    size_t count = 0;
    for (; fitted != NULL; fitted = fitted->next)
        for (size_t i = 0; i < fitted->count; i++)
            count = fitted->rows[i].group + 1 > count ? fitted->rows[i].group + 1 : count;
    return count;
}

/* Whether anything can be left out of a regression: a second group, or rows that were not fitted. */
static bool can_validate(const struct fitted *fitted)
{
    for (size_t i = 0; i < fitted->count; i++)
        if (fitted->rows[i].unlike || fitted->rows[i].group != fitted->rows[0].group)
            return true;
    return false;
}

static void leave_out_groups(struct refit *refits, size_t count, const struct dataset *dataset,
                             struct model_result *result)
{
    const struct fitted *fitted = refits[0].fitted;
    const char *word = fitted->groups == NULL ? "recipes" : fitted->groups;
    struct errors errors = {0};
    size_t groups = 0;
    bool any = false;
    for (const struct fitted *each = fitted; each != NULL; each = each->next)
        any = any || can_validate(each);
    if (!any) {
        if (!model_is_stated(result, "validation"))
            model_note(result, "not validated: all points come from one recipe");
        return;
    }
    for (size_t group = 0; group < groups_of(fitted); group++) {
        char name[64];
        size_t before = errors.rows;
        snprintf(name, sizeof name, "one of its %s", word);
        for (size_t i = 0; i < count; i++) {
            if (!can_validate(refits[i].fitted))
                continue;
            predict_group(&refits[i], group,
                          fitted->groups == NULL && group < dataset->group_count ? dataset->groups[group]
                                                                                 : name,
                          result);
            for (size_t j = 0; j < refits[i].fitted->count; j++) {
                const struct fitted_row *row = &refits[i].fitted->rows[j];
                if (row->group == group && isfinite(refits[i].left_out[j]) && is_judged(refits[i].fitted, j))
                    add_error(&errors, row, refits[i].left_out[j]);
            }
        }
        groups += errors.rows > before;
    }
    if (errors.rows == 0)
        return;
    if (model_is_stated(result, "validation"))
        return; /* the model validates itself */
    double n = (double)errors.rows;
    char label[FITTED_LABEL_BYTES];
    result->validation = (struct model_validation){
        .leaves_out = word,
        .groups = groups,
        .rows = errors.rows,
        .mean_absolute = errors.sum / n,
        .worst = errors.worst,
        .worst_point = sentence_copy(&result->arena, fitted_label(errors.worst_row, label)),
        .whole_mean_absolute = errors.whole / n,
        .dynamic_mean_absolute = NAN};
    set_programs(refits, count, result);
    model_states(result, "validation");
}

/* ---- export ---- */

static void add_regression(const struct refit *refit, struct model_result *result)
{
    const struct fitted *fitted = refit->fitted;
    const struct spread *spread = &fitted->spread;
    struct arena *arena = &result->arena;
    size_t n = spread->columns;
    result->regressions =
        arena_next(arena, result->regressions, result->regression_count, sizeof *result->regressions);
    struct model_regression *to = &result->regressions[result->regression_count++];
    *to = (struct model_regression){.of = arena_strdup(arena, fitted->of),
                                    .quantity = arena_strdup(arena, fitted->quantity),
                                    .unit = arena_strdup(arena, fitted->unit),
                                    .freedom = spread->freedom,
                                    .columns = arena_alloc(arena, n, sizeof *to->columns),
                                    .count = n};
    for (size_t j = 0; j < n; j++) {
        to->columns[j] = (struct model_column){.name = arena_strdup(arena, fitted->names[j]),
                                               .value = spread->value[j],
                                               .covariance = arena_alloc(arena, n, sizeof(double)),
                                               .columns = n,
                                               .inflation = refit->inflation[j]};
        memcpy(to->columns[j].covariance, spread->covariance + j * n, n * sizeof(double));
    }
}

static void add_rows(const struct refit *refit, size_t index, struct model_result *result)
{
    char label[FITTED_LABEL_BYTES];
    size_t like = 0;
    for (size_t i = 0; i < refit->fitted->count; i++) {
        const struct fitted_row *row = &refit->fitted->rows[i];
        result->rows = arena_next(&result->arena, result->rows, result->row_count, sizeof *result->rows);
        result->rows[result->row_count++] = (struct model_row){
            .regression = index,
            .point = sentence_copy(&result->arena, fitted_label(row, label)),
            .recipe = row->point == NULL ? "" : arena_strdup(&result->arena, row->point->recipe),
            .measured = row->measured,
            .predicted = row->predicted,
            .left_out = refit->left_out[i],
            .error = row->own > 0 ? row->own : NAN,
            .leverage = row->unlike ? NAN : whitened_leverage(&refit->bench, like),
            .unlike = row->unlike};
        like += !row->unlike;
    }
}

/* ---- charts ---- */

static bool is_wide(const struct fitted *fitted)
{
    double low = INFINITY;
    double high = 0;
    for (; fitted != NULL; fitted = fitted->next)
        for (size_t i = 0; i < fitted->count; i++) {
            low = fmin(low, fmin(fitted->rows[i].measured, fitted->rows[i].predicted));
            high = fmax(high, fitted->rows[i].measured);
        }
    return low > 0 && high > WIDE * low;
}

static const char *label_of(const struct fitted *fitted, const struct fitted_row *row)
{
    return fitted->of[0] != '\0' ? fitted->of : row->point == NULL ? "" : row->point->recipe;
}

static void draw(const struct fitted *fitted, struct model_result *result)
{
    char title[96], x[96], y[96];
    const char *name = fitted->quantity, *unit = fitted->unit;
    snprintf(title, sizeof title, "%c%s: predicted against measured", toupper((unsigned char)name[0]),
             name + 1);
    snprintf(x, sizeof x, "Measured (%s)", unit);
    snprintf(y, sizeof y, "Predicted (%s)", unit);
    struct chart *against = model_chart(result, CHART_POINTS, title, "", x, y);
    snprintf(title, sizeof title, "%c%s: residuals", toupper((unsigned char)name[0]), name + 1);
    snprintf(y, sizeof y, "Measured less predicted (%s)", unit);
    snprintf(x, sizeof x, "Predicted (%s)", unit);
    struct chart *residuals =
        model_chart(result, CHART_POINTS, title, "with the error that repetitions show", x, y);
    if (is_wide(fitted)) {
        against->log = "xy";
        residuals->log = "x";
    }
    for (const struct fitted *each = fitted; each != NULL; each = each->next)
        for (size_t i = 0; i < each->count; i++) {
            const struct fitted_row *row = &each->rows[i];
            double off = row->measured - row->predicted;
            chart_sample(against, label_of(each, row), row->measured, interval_exact(row->predicted));
            chart_sample(residuals, label_of(each, row), row->predicted,
                         (struct interval){off, off - 1.96 * row->own, off + 1.96 * row->own, 1});
        }
    chart_diagonal(against, "equal");
}

void validation_set(const struct fitted *fitted, const struct dataset *dataset, struct model_result *result)
{
    size_t count = 0;
    for (const struct fitted *each = fitted; each != NULL; each = each->next)
        count += each->count > 0;
    if (count == 0)
        return;
    struct refit *refits = memory_zeroed(count, sizeof *refits);
    size_t made = 0;
    for (const struct fitted *each = fitted; each != NULL; each = each->next)
        if (each->count > 0) {
            refits[made] = refit_start(each);
            refits[made].bench = whitened_start(&refits[made].like);
            set_inflation(&refits[made++]);
        }
    leave_out_groups(refits, count, dataset, result);
    for (size_t i = 0; i < count; i++) {
        add_regression(&refits[i], result);
        add_rows(&refits[i], i, result);
        refit_end(&refits[i]);
    }
    model_states(result, "regressions");
    model_states(result, "rows");
    draw(fitted, result);
    free(refits);
}
