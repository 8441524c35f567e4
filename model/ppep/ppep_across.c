/* Predicts one voltage-frequency state from another: cycles by leading loads (Keramidas et al. 2010), events
 * by the paper's two observations. Computes the errors of predictions between measured states. */
#include "base/memory.h"
#include "model/chart.h"
#include "model/ppep/ppep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double SAME_CLOCK = 1e-3;

void ppep_move(const struct ppep_rates *rates, double from_ghz, double to_ghz, double leading_factor,
               struct ppep_rates *moved)
{
    double cpi = rates->cycles / rates->instructions;
    double leading = isfinite(rates->leading) ? leading_factor * rates->leading / rates->instructions : 0;
    double cpi_there = cpi + leading * (to_ghz / from_ghz - 1);
    moved->instructions = rates->instructions * (to_ghz / from_ghz) * (cpi / cpi_there);
    moved->cycles = cpi_there * moved->instructions;
    moved->leading = rates->leading / rates->instructions * (to_ghz / from_ghz) * moved->instructions;
    /* Observation 1: events per instruction are the same in both states. Observation 2: so are cycles without
     * dispatch stalls. */
    for (size_t i = 0; i < PPEP_EVENTS; i++)
        moved->event[i] = rates->event[i] / rates->instructions * moved->instructions;
    double stalls = rates->event[PPEP_STALLS] / rates->instructions + cpi_there - cpi;
    moved->event[PPEP_STALLS] = fmax(stalls, 0) * moved->instructions;
}

static bool other_state(const struct ppep_point *a, const struct ppep_point *b)
{
    return fabs(a->vf.ghz - b->vf.ghz) > SAME_CLOCK * a->vf.ghz;
}

static double cpi_of(const struct ppep_point *point)
{
    return point->rates.cycles / point->rates.instructions;
}

/* Whether the point is the slowest run of a program that ran in several states; *fastest: its fastest run. */
static bool is_slowest(const struct ppep_points *points, const struct ppep_point *point,
                       const struct ppep_point **fastest)
{
    *fastest = point;
    for (size_t i = 0; i < points->count; i++) {
        const struct ppep_point *other = &points->items[i];
        if (other == point || !ppep_same_program(point, other))
            continue;
        if (other->vf.ghz < point->vf.ghz || (other->vf.ghz == point->vf.ghz && other < point))
            return false;
        if (other->vf.ghz > (*fastest)->vf.ghz)
            *fastest = other;
    }
    return other_state(point, *fastest);
}

bool ppep_fit_leading(const struct ppep_points *points, struct interval *factor)
{
    static const char *const names[] = {"leading loads"};
    double *x = memory_zeroed(points->count + 1, sizeof *x);
    double *y = memory_zeroed(points->count + 1, sizeof *y);
    const struct ppep_point *fastest;
    struct linear_fit fit;
    struct spread spread;
    size_t rows = 0;
    for (size_t i = 0; i < points->count; i++) {
        const struct ppep_point *slow = &points->items[i];
        if (!is_slowest(points, slow, &fastest) || !isfinite(slow->rates.leading))
            continue;
        x[rows] = slow->rates.leading / slow->rates.instructions * (fastest->vf.ghz / slow->vf.ghz - 1);
        y[rows++] = cpi_of(fastest) - cpi_of(slow);
    }
    const struct linear_data data = {rows, 1, x, y, NULL, names};
    bool good = rows > 1 && spread_fit(&data, NULL, NULL, &fit, &spread, NULL) == STATUS_OK;
    if (good)
        *factor = fit.interval[0];
    free(x);
    free(y);
    return good;
}

/* ---- errors ---- */

struct ppep_errors {
    double cpi, dynamic, chip;
    size_t pairs, powers;
};

static void add_error(const struct ppep_model *model, const struct ppep_point *from,
                      const struct ppep_point *to, struct ppep_errors *errors)
{
    struct ppep_rates moved;
    ppep_move(&from->rates, from->vf.ghz, to->vf.ghz, model->leading_factor, &moved);
    errors->cpi += fabs(moved.cycles / moved.instructions / cpi_of(to) - 1);
    errors->pairs++;
    double dynamic = ppep_power_at(&model->power, &moved, to->vf.volts, 1).value;
    double measured = ppep_dynamic(model, to);
    /* As in the paper, the temperature is that of the state from which the prediction is made. */
    double idle = model->has_idle && isfinite(from->celsius)
                      ? idle_at(&model->idle, to->vf.volts, from->celsius).value
                      : NAN;
    if (!(isfinite(idle) && measured > 0 && to->total_w > 0))
        return;
    errors->dynamic += fabs(dynamic / measured - 1);
    errors->chip += fabs((dynamic + idle) / to->total_w - 1);
    errors->powers++;
}

static void sum_errors(struct ppep_errors *sum, const struct ppep_errors *more)
{
    sum->cpi += more->cpi;
    sum->dynamic += more->dynamic;
    sum->chip += more->chip;
    sum->pairs += more->pairs;
    sum->powers += more->powers;
}

/* The mean errors; those of power are NAN if unknown. */
static struct ppep_across means_of(const struct ppep_errors *errors)
{
    double powers = errors->powers > 0 ? (double)errors->powers : NAN;
    return (struct ppep_across){errors->cpi / (double)errors->pairs,
                                errors->pairs,
                                errors->dynamic / powers,
                                errors->chip / powers,
                                NAN,
                                NAN};
}

static struct ppep_errors errors_between(const struct ppep_model *model, const struct ppep_points *points,
                                         const struct vf_state *from, const struct vf_state *to)
{
    struct ppep_errors errors = {0};
    for (size_t i = 0; i < points->count; i++)
        for (size_t j = 0; j < points->count; j++) {
            const struct ppep_point *a = &points->items[i];
            const struct ppep_point *b = &points->items[j];
            if (a->vf.ghz == from->ghz && b->vf.ghz == to->ghz && ppep_same_program(a, b) && a != b)
                add_error(model, a, b, &errors);
        }
    return errors;
}

static struct ppep_errors judge_pairs(const struct ppep_model *model, const struct ppep_points *points,
                                      struct model_result *result)
{
    struct ppep_own *own = result->own;
    struct ppep_errors all = {0};
    for (size_t i = 0; i < model->table.count; i++)
        for (size_t j = 0; j < model->table.count; j++) {
            const struct vf_state *from = &model->table.states[i];
            const struct vf_state *to = &model->table.states[j];
            struct ppep_errors errors = {0};
            if (i != j)
                errors = errors_between(model, points, from, to);
            if (errors.pairs == 0)
                continue;
            own->across = arena_next(&result->arena, own->across, own->across_count, sizeof *own->across);
            struct ppep_across *across = &own->across[own->across_count++];
            *across = means_of(&errors);
            across->from_ghz = from->ghz;
            across->to_ghz = to->ghz;
            sum_errors(&all, &errors);
        }
    return all;
}

/* Sets the error of each program's prediction from its slowest state to its fastest, with its
 * memory-boundedness: the cycles in the fastest state over those in the slowest. */
static void judge_programs(const struct ppep_model *model, const struct ppep_points *points,
                           struct model_result *result)
{
    struct ppep_own *own = result->own;
    struct arena *arena = &result->arena;
    const struct ppep_point *fast;
    for (size_t i = 0; i < points->count; i++) {
        const struct ppep_point *slow = &points->items[i];
        struct ppep_errors errors = {0};
        if (!is_slowest(points, slow, &fast))
            continue;
        add_error(model, slow, fast, &errors);
        own->programs = arena_next(arena, own->programs, own->program_count, sizeof *own->programs);
        own->programs[own->program_count++] =
            (struct ppep_program){arena_strdup(arena, slow->point->benchmark),
                                  arena_strdup(arena, slow->point->name),
                                  slow->vf.ghz,
                                  fast->vf.ghz,
                                  cpi_of(fast) / cpi_of(slow),
                                  errors.cpi};
    }
}

/* Sets the mean difference of events per instruction, and of cycles without dispatch stalls, between the
 * slowest and the fastest state. */
static void judge_observations(const struct ppep_points *points, struct model_result *result)
{
    struct ppep_own *own = result->own;
    double sums[PPEP_EVENTS] = {0};
    size_t counts[PPEP_EVENTS] = {0};
    const struct ppep_point *fast;
    for (size_t i = 0; i < points->count; i++) {
        const struct ppep_point *slow = &points->items[i];
        if (!is_slowest(points, slow, &fast))
            continue;
        for (size_t k = 0; k < PPEP_EVENTS; k++) {
            double there = slow->rates.event[k] / slow->rates.instructions;
            double here = fast->rates.event[k] / fast->rates.instructions;
            if (k == PPEP_STALLS) {
                there = cpi_of(slow) - there;
                here = cpi_of(fast) - here;
            }
            /* Differences of rare events are large, and irrelevant. */
            if (points->columns.event[k] == NULL || !(fabs(here) > 1e-5))
                continue;
            sums[k] += fabs(there / here - 1);
            counts[k]++;
        }
    }
    own->observations = arena_alloc(&result->arena, PPEP_EVENTS, sizeof *own->observations);
    for (size_t k = 0; k < PPEP_EVENTS; k++)
        if (counts[k] > 0)
            own->observations[own->observation_count++] = (struct ppep_observation){
                k == PPEP_STALLS ? "cycles without dispatch stalls" : ppep_events[k].name,
                sums[k] / (double)counts[k], counts[k]};
}

/* Draws the paper's figures: mean errors by pair of states, and each program's error over its
 * memory-boundedness. */
static void draw(struct model_result *result)
{
    const struct ppep_own *own = result->own;
    if (own->across_count == 0)
        return;
    struct chart *pairs = model_chart(result, CHART_BARS, "Errors across states",
                                      "mean absolute, by pair of states", "From and to (GHz)", "Error (%)");
    struct chart *bound = model_chart(result, CHART_POINTS, "Error of cycles against memory-boundedness",
                                      "from the slowest state to the fastest",
                                      "Cycles at the fastest / cycles at the slowest", "Error (%)");
    for (size_t i = 0; i < own->across_count; i++) {
        const struct ppep_across *each = &own->across[i];
        char name[32];
        snprintf(name, sizeof name, "%.3g-%.3g", each->from_ghz, each->to_ghz);
        chart_bar(pairs, "cycles", name, interval_exact(100 * each->cpi));
        if (isfinite(each->chip_power))
            chart_bar(pairs, "chip power", name, interval_exact(100 * each->chip_power));
    }
    for (size_t i = 0; i < own->program_count; i++)
        chart_sample(bound, "a program", own->programs[i].memory_boundedness,
                     interval_exact(100 * own->programs[i].cpi_error));
}

void ppep_judge_across(const struct ppep_model *model, const struct ppep_points *points,
                       struct model_result *result)
{
    struct ppep_errors all = judge_pairs(model, points, result);
    judge_programs(model, points, result);
    judge_observations(points, result);
    model_states(result, "across");
    model_states(result, "programs");
    model_states(result, "observations");
    if (all.pairs == 0)
        return;
    draw(result);
    const struct ppep_across means = means_of(&all);
    model_set_quality(result, "across_cpi_error", means.cpi, false);
    model_set_quality(result, "across_dynamic_error", means.dynamic_power, false);
    model_set_quality(result, "across_chip_error", means.chip_power, false);
}
