/* Predicts one voltage-frequency state from another: cycles by leading loads (Keramidas et al. 2010), events
 * by the paper's two observations; and computes the errors between states that were both measured. */
#include "base/json.h"
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
    /* Observation 1: events per instruction stay the same. Observation 2: so do cycles without dispatch
     * stalls.
     */
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

/* True for the slowest run of a program that ran in several states; *fastest is its fastest. */
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

struct errors {
    double cpi, dynamic, chip;
    size_t pairs, powers;
};

static void add_error(const struct ppep_model *model, const struct ppep_point *from,
                      const struct ppep_point *to, struct errors *errors)
{
    struct ppep_rates moved;
    ppep_move(&from->rates, from->vf.ghz, to->vf.ghz, model->leading_factor, &moved);
    errors->cpi += fabs(moved.cycles / moved.instructions / cpi_of(to) - 1);
    errors->pairs++;
    double dynamic = ppep_power_at(&model->power, &moved, to->vf.volts, 1).value;
    double measured = ppep_dynamic(model, to);
    /* As in the paper, the temperature is the one measured in the state predicted from. */
    double idle = model->has_idle && isfinite(from->celsius)
                      ? idle_at(&model->idle, to->vf.volts, from->celsius).value
                      : NAN;
    if (!(isfinite(idle) && measured > 0 && to->total_w > 0))
        return;
    errors->dynamic += fabs(dynamic / measured - 1);
    errors->chip += fabs((dynamic + idle) / to->total_w - 1);
    errors->powers++;
}

static void sum_errors(struct errors *sum, const struct errors *more)
{
    sum->cpi += more->cpi;
    sum->dynamic += more->dynamic;
    sum->chip += more->chip;
    sum->pairs += more->pairs;
    sum->powers += more->powers;
}

/* The means; those of power are left out if unknown. */
static json_t *errors_to_json(const struct errors *errors)
{
    json_t *object = json_pack("{s:f, s:I}", "cpi", errors->cpi / (double)errors->pairs, "pairs",
                               (json_int_t)errors->pairs);
    if (errors->powers > 0) {
        json_object_set_new(object, "dynamic_power", json_real(errors->dynamic / (double)errors->powers));
        json_object_set_new(object, "chip_power", json_real(errors->chip / (double)errors->powers));
    }
    return object;
}

static struct errors errors_between(const struct ppep_model *model, const struct ppep_points *points,
                                    const struct vf_state *from, const struct vf_state *to)
{
    struct errors errors = {0};
    for (size_t i = 0; i < points->count; i++)
        for (size_t j = 0; j < points->count; j++) {
            const struct ppep_point *a = &points->items[i];
            const struct ppep_point *b = &points->items[j];
            if (a->vf.ghz == from->ghz && b->vf.ghz == to->ghz && ppep_same_program(a, b) && a != b)
                add_error(model, a, b, &errors);
        }
    return errors;
}

static struct errors judge_pairs(const struct ppep_model *model, const struct ppep_points *points,
                                 json_t *list)
{
    struct errors all = {0};
    for (size_t i = 0; i < model->table.count; i++)
        for (size_t j = 0; j < model->table.count; j++) {
            const struct vf_state *from = &model->table.states[i];
            const struct vf_state *to = &model->table.states[j];
            struct errors errors = {0};
            if (i != j)
                errors = errors_between(model, points, from, to);
            if (errors.pairs == 0)
                continue;
            json_t *object = errors_to_json(&errors);
            json_object_set_new(object, "from_ghz", json_real(from->ghz));
            json_object_set_new(object, "to_ghz", json_real(to->ghz));
            json_array_append_new(list, object);
            sum_errors(&all, &errors);
        }
    return all;
}

/* Each program from its slowest state to its fastest: the error against memory-boundedness, which is cycles
 * of the fastest over cycles of the slowest. */
static void judge_programs(const struct ppep_model *model, const struct ppep_points *points, json_t *list)
{
    const struct ppep_point *fast;
    for (size_t i = 0; i < points->count; i++) {
        const struct ppep_point *slow = &points->items[i];
        struct errors errors = {0};
        if (!is_slowest(points, slow, &fast))
            continue;
        add_error(model, slow, fast, &errors);
        json_array_append_new(list, json_pack("{s:s, s:s, s:f, s:f, s:f, s:f}", "benchmark",
                                              slow->point->benchmark, "name", slow->point->name, "from_ghz",
                                              slow->vf.ghz, "to_ghz", fast->vf.ghz, "memory_boundedness",
                                              cpi_of(fast) / cpi_of(slow), "cpi_error", errors.cpi));
    }
}

/* How much events per instruction, and cycles without dispatch stalls, differ from slowest to fastest. */
static void judge_observations(const struct ppep_points *points, json_t *observations)
{
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
            /* Rare events differ by large percentages that do not matter. */
            if (points->columns.event[k] == NULL || !(fabs(here) > 1e-5))
                continue;
            sums[k] += fabs(there / here - 1);
            counts[k]++;
        }
    }
    for (size_t k = 0; k < PPEP_EVENTS; k++)
        if (counts[k] > 0)
            json_array_append_new(
                observations,
                json_pack("{s:s, s:f, s:I}", "what",
                          k == PPEP_STALLS ? "cycles without dispatch stalls" : ppep_events[k].name,
                          "difference", sums[k] / (double)counts[k], "programs", (json_int_t)counts[k]));
}

static struct interval exactly(double value)
{
    return (struct interval){value, value, value, 1};
}

/* The paper's figures: mean errors by pair of states, and each program's against its memory-boundedness. */
static void draw(const json_t *across, const json_t *programs, json_t *document)
{
    const json_t *each;
    size_t i;
    if (json_array_size(across) == 0)
        return;
    json_t *pairs = chart_add(document, "Errors across states", "mean absolute, by pair of states", "bars",
                              "From and to (GHz)", "Error (%)");
    json_t *bound = chart_add(document, "Error of cycles against memory-boundedness",
                              "from the slowest state to the fastest", "points",
                              "Cycles at the fastest / cycles at the slowest", "Error (%)");
    json_array_foreach(across, i, each)
    {
        char name[32];
        double chip = json_number_or(each, "chip_power", NAN);
        snprintf(name, sizeof name, "%.3g-%.3g", json_number_or(each, "from_ghz", 0),
                 json_number_or(each, "to_ghz", 0));
        chart_bar(pairs, "cycles", name, exactly(100 * json_number_or(each, "cpi", 0)));
        if (isfinite(chip))
            chart_bar(pairs, "chip power", name, exactly(100 * chip));
    }
    json_array_foreach(programs, i, each)
        chart_sample(bound, "a program", json_number_or(each, "memory_boundedness", 0),
                     exactly(100 * json_number_or(each, "cpi_error", 0)));
}

void ppep_judge_across(const struct ppep_model *model, const struct ppep_points *points, json_t *document)
{
    json_t *across = json_array();
    json_t *observations = json_array();
    json_t *programs = json_array();
    struct errors all = judge_pairs(model, points, across);
    judge_programs(model, points, programs);
    judge_observations(points, observations);
    json_object_set_new(document, "across", across);
    json_object_set_new(document, "programs", programs);
    json_object_set_new(document, "observations", observations);
    if (all.pairs == 0)
        return;
    draw(across, programs, document);
    json_t *means = errors_to_json(&all);
    json_t *quality = json_object_get(document, "quality");
    json_object_set(quality, "across_cpi_error", json_object_get(means, "cpi"));
    if (all.powers > 0) {
        json_object_set(quality, "across_dynamic_error", json_object_get(means, "dynamic_power"));
        json_object_set(quality, "across_chip_error", json_object_get(means, "chip_power"));
    }
    json_decref(means);
}
