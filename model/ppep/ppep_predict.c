/* Applies a fitted model to counters: predicts each state's cycles, power and energy, each core's share, and
 * chooses states by a power cap and by the energy-delay product. */
#include "model/data/counters.h"
#include "model/model.h"
#include "model/ppep/ppep.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CORES_MOST = 256, NAME_BYTES = 64, MISSING_BYTES = 800 };

/* The counters of one step, and the state in which they were taken. */
struct ppep_step {
    const struct ppep_model *model;
    const struct named_numbers *counters;
    struct vf_state now;
    double seconds, celsius, cap_w;
    bool gated, one; /* one: the names of the counters contain no core */
    size_t cores;    /* number of cores with counts */
    size_t number[CORES_MOST];
    struct ppep_rates rates[CORES_MOST];
    double busy_units;
};

/* The prediction for all cores in one state. */
struct outcome {
    double ips, cpi, idle_w;
    struct interval dynamic, power; /* power.value NAN: no idle model */
};

static double count_of(const struct ppep_step *step, size_t core, const char *name)
{
    char key[NAME_BYTES];
    if (step->one)
        snprintf(key, sizeof key, "%s", name);
    else
        snprintf(key, sizeof key, "core%zu.%s", core, name);
    return named_number_value(step->counters, key);
}

static enum status refuse_missing(const char *names, struct error *error)
{
    (void)counters_lack(names, "", error);
    error_hint(error, "expected seconds, ghz, temperature_c, and cycles, instructions and the counters used "
                      "in the fit (columns), of one core, or as core0.cycles and so on");
    return STATUS_USAGE;
}

/* Adds the name to the list of missing counters, unless the value is a count. */
static void miss(const struct ppep_step *step, size_t core, const char *name, double value,
                 char missing[MISSING_BYTES])
{
    size_t used = strlen(missing);
    if (value >= 0)
        return;
    used += (size_t)snprintf(missing + used, MISSING_BYTES - used, "%s", used == 0 ? "" : ", ");
    if (step->one)
        snprintf(missing + used, MISSING_BYTES - used, "%s", name);
    else
        snprintf(missing + used, MISSING_BYTES - used, "core%zu.%s", core, name);
}

static enum status read_core(struct ppep_step *step, size_t core, struct error *error)
{
    const struct ppep_columns *columns = &step->model->columns;
    struct ppep_rates rates = {.cycles = count_of(step, core, "cycles") / step->seconds,
                               .instructions = count_of(step, core, "instructions") / step->seconds,
                               .leading = NAN};
    if (rates.cycles == 0 || rates.instructions == 0)
        return STATUS_OK;
    char missing[MISSING_BYTES] = "";
    miss(step, core, "cycles", rates.cycles, missing);
    miss(step, core, "instructions", rates.instructions, missing);
    for (size_t i = 0; i < step->model->power.events; i++) {
        size_t event = step->model->power.event[i];
        const char *name =
            columns->event[event] == NULL ? ppep_events[event].names[0] : columns->event[event];
        rates.event[event] = count_of(step, core, name) / step->seconds;
        miss(step, core, name, rates.event[event], missing);
    }
    if (columns->leading != NULL) {
        rates.leading = count_of(step, core, columns->leading->name) / step->seconds;
        miss(step, core, columns->leading->name, rates.leading, missing);
    }
    if (missing[0] != '\0')
        return refuse_missing(missing, error);
    step->number[step->cores] = core;
    step->rates[step->cores++] = rates;
    return STATUS_OK;
}

static size_t unit_of(const struct ppep_model *model, size_t core)
{
    double each = model->gating.units > 0 ? fmax(model->gating.cores / model->gating.units, 1) : 1;
    return (size_t)((double)core / each);
}

static void count_units(struct ppep_step *step)
{
    for (size_t i = 0; i < step->cores; i++) {
        bool again = false;
        for (size_t j = 0; j < i; j++)
            again = again || unit_of(step->model, step->number[j]) == unit_of(step->model, step->number[i]);
        step->busy_units += !again;
    }
}

static enum status read_state(struct ppep_step *step, struct error *error)
{
    double index = named_number_value(step->counters, "vf");
    double ghz = named_number_value(step->counters, "ghz");
    const struct vf_table *table = &step->model->table;
    const struct vf_state *state = vf_at(table, ghz);
    if (index >= 1 && index <= (double)table->count)
        state = &table->states[(size_t)index - 1];
    else if (isnan(ghz) && table->count == 1)
        state = &table->states[0];
    if (state != NULL) {
        step->now = *state;
        return STATUS_OK;
    }
    if (isnan(ghz))
        return refuse_missing("ghz, or vf, the state's number", error);
    error_set(error, STATUS_USAGE, "%g GHz is not one of the model's %zu states", ghz, table->count);
    return STATUS_USAGE;
}

static enum status read_step(struct ppep_step *step, struct error *error)
{
    char key[NAME_BYTES];
    step->seconds = named_number_value(step->counters, "seconds");
    step->celsius = named_number_value(step->counters, "temperature_c");
    if (!(step->seconds > 0))
        return refuse_missing("seconds", error);
    if (step->model->has_idle && !isfinite(step->celsius))
        return refuse_missing("temperature_c", error);
    enum status status = read_state(step, error);
    if (status == STATUS_OK && isfinite(named_number_value(step->counters, "ghz")) &&
        fabs(named_number_value(step->counters, "ghz") / step->now.ghz - 1) > 0.02)
        return error_set(error, STATUS_USAGE, "vf means %g GHz, but ghz is %g", step->now.ghz,
                         named_number_value(step->counters, "ghz"));
    step->one = named_number_find(step->counters, "cycles") != NULL;
    for (size_t core = 0; status == STATUS_OK && core < (step->one ? 1 : CORES_MOST); core++) {
        snprintf(key, sizeof key, "core%zu.cycles", core);
        if (step->one || named_number_find(step->counters, key) != NULL)
            status = read_core(step, core, error);
    }
    if (status == STATUS_OK && step->cores == 0)
        return refuse_missing("cycles and instructions of any core", error);
    count_units(step);
    return status;
}

/* ---- one state ---- */

static double gated_share(const struct ppep_step *step)
{
    return step->gated && step->model->gating.known ? ppep_gated_share(&step->model->gating, step->busy_units)
                                                    : 1;
}

/* The uncertain part of awake power if the number of cores is outside the range of the fit, W: a part that
 * belongs to the chip does not depend on that number, a part that belongs to the cores is proportional to it.
 */
static double awake_doubt(const struct ppep_step *step)
{
    const struct ppep_power *power = &step->model->power;
    double least = (double)power->copies_least;
    double most = (double)power->copies_most;
    double cores = (double)step->cores;
    if (!power->awake || most == 0 || (cores >= least && cores <= most))
        return 0;
    return power->spread.value[power->events] * (cores < least ? 1 - cores / least : cores / most - 1);
}

static void predict_state(const struct ppep_step *step, const struct vf_state *there, struct outcome *outcome)
{
    struct ppep_rates sum = {0};
    const struct ppep_model *model = step->model;
    for (size_t i = 0; i < step->cores; i++) {
        struct ppep_rates moved;
        ppep_move(&step->rates[i], step->now.ghz, there->ghz, model->leading_factor, &moved);
        sum.cycles += moved.cycles;
        sum.instructions += moved.instructions;
        for (size_t k = 0; k < PPEP_EVENTS; k++)
            sum.event[k] += moved.event[k];
    }
    *outcome = (struct outcome){.ips = sum.instructions, .cpi = sum.cycles / sum.instructions, .idle_w = NAN};
    outcome->dynamic = ppep_power_at(&model->power, &sum, there->volts, 1);
    double doubt = awake_doubt(step);
    outcome->dynamic.low -= step->cores < model->power.copies_least ? fmax(doubt, 0) : 0;
    outcome->dynamic.high += step->cores > model->power.copies_most ? fmax(doubt, 0) : 0;
    outcome->power = (struct interval){NAN, NAN, NAN, 0};
    if (!model->has_idle)
        return;
    struct interval idle = idle_at(&model->idle, there->volts, step->celsius);
    double share = gated_share(step);
    double of_idle = share * (idle.high - idle.low) / 2;
    outcome->idle_w = share * idle.value;
    double watts = outcome->idle_w + outcome->dynamic.value;
    outcome->power = (struct interval){
        watts, watts - hypot(of_idle, outcome->dynamic.value - outcome->dynamic.low),
        watts + hypot(of_idle, outcome->dynamic.high - outcome->dynamic.value), outcome->dynamic.n};
}

static void add_state(const struct vf_state *state, const struct outcome *outcome,
                      struct model_result *result)
{
    char name[NAME_BYTES];
    bool whole = isfinite(outcome->power.value);
    double watts = whole ? outcome->power.value : NAN;
    result->states = arena_next(&result->arena, result->states, result->state_count, sizeof *result->states);
    result->states[result->state_count++] =
        (struct model_state){.ghz = state->ghz,
                             .volts = state->volts,
                             .cpi = outcome->cpi,
                             .instructions_per_s = outcome->ips,
                             .dynamic_w = outcome->dynamic.value,
                             .idle_w = whole ? outcome->idle_w : NAN,
                             .power_w = watts,
                             .energy_per_instruction_j = watts / outcome->ips,
                             .energy_delay_js = watts / outcome->ips / outcome->ips};
    snprintf(name, sizeof name, "%.4g GHz: cycles of an instruction", state->ghz);
    model_add_part(result, name, interval_exact(outcome->cpi), "cycles", false);
    struct interval power = whole ? outcome->power : outcome->dynamic;
    snprintf(name, sizeof name, "%.4g GHz: %spower", state->ghz, whole ? "" : "dynamic ");
    model_add_part(result, name, power, "W", false);
    snprintf(name, sizeof name, "%.4g GHz: %senergy of an instruction", state->ghz, whole ? "" : "dynamic ");
    model_add_part(result, name, interval_times(power, 1 / outcome->ips), "J", false);
}

/* ---- each core's share ---- */

/* The core's share of idle power, W; NAN: unknown. Without gating all cores have equal shares. With gating
 * the busy cores of a unit share its power, and all busy cores share the rest (the paper's slide). */
static double idle_of_core(const struct ppep_step *step, size_t which, double idle_w)
{
    const struct ppep_gating *gating = &step->model->gating;
    if (!gating->known)
        return NAN;
    if (!step->gated)
        return idle_w / fmax(gating->cores, 1);
    double in_unit = 0;
    for (size_t i = 0; i < step->cores; i++)
        in_unit += unit_of(step->model, step->number[i]) == unit_of(step->model, step->number[which]);
    double on = step->busy_units * gating->cu + gating->nb + gating->base;
    return idle_w / on * (gating->cu / in_unit + (gating->nb + gating->base) / (double)step->cores);
}

static void add_cores(const struct ppep_step *step, const struct outcome *now, struct model_result *result)
{
    for (size_t i = 0; i < step->cores; i++) {
        char name[NAME_BYTES];
        struct interval dynamic =
            ppep_power_at(&step->model->power, &step->rates[i], step->now.volts, 1 / (double)step->cores);
        double idle = idle_of_core(step, i, now->idle_w);
        result->cores = arena_next(&result->arena, result->cores, result->core_count, sizeof *result->cores);
        result->cores[result->core_count++] =
            (struct model_core){step->number[i], dynamic.value, idle, idle + dynamic.value};
        snprintf(name, sizeof name, "core %zu: %spower now", step->number[i],
                 isfinite(idle) ? "" : "dynamic ");
        if (isfinite(idle))
            dynamic =
                (struct interval){dynamic.value + idle, dynamic.low + idle, dynamic.high + idle, dynamic.n};
        model_add_part(result, name, dynamic, "W", false);
    }
}

/* ---- choices ---- */

/* Chooses the fastest state within the cap, or that with the least power if none is within it; and the state
 * with the least energy-delay product. */
static void choose(const struct ppep_step *step, struct model_result *result)
{
    double best = INFINITY;
    double fastest = -1;
    double least = INFINITY;
    double edp_ghz = NAN;
    double cap_ghz = NAN;
    for (size_t i = 0; i < result->state_count; i++) {
        double ghz = result->states[i].ghz;
        double watts = result->states[i].power_w;
        double speed = result->states[i].instructions_per_s;
        double product = result->states[i].energy_delay_js;
        if (product < best) {
            best = product;
            edp_ghz = ghz;
        }
        bool within = watts <= step->cap_w;
        if ((within && speed > fastest) || (!within && fastest < 0 && watts < least))
            cap_ghz = ghz;
        if (within)
            fastest = fmax(fastest, speed);
        least = fmin(least, watts);
    }
    if (isfinite(edp_ghz)) {
        result->energy_delay_ghz = edp_ghz;
        model_states(result, "energy_delay_ghz");
        model_add_part(result, "least energy times delay at", interval_exact(edp_ghz), "GHz", false);
    }
    if (isfinite(step->cap_w) && isfinite(cap_ghz)) {
        result->cap_ghz = cap_ghz;
        result->cap_w = step->cap_w;
        result->cap_held = fastest >= 0;
        model_states(result, "cap_ghz");
        model_states(result, "cap_w");
        model_states(result, "cap_held");
        model_add_part(result, "fastest within the cap at", interval_exact(cap_ghz), "GHz", false);
    }
}

static void describe(const struct ppep_step *step, struct model_result *result)
{
    struct outcome now;
    for (size_t i = 0; i < step->model->table.count; i++) {
        const struct vf_state *state = &step->model->table.states[i];
        struct outcome outcome;
        bool same = fabs(state->volts - step->now.volts) < 1e-6;
        if (!same && isnan(step->model->power.alpha))
            continue;
        predict_state(step, state, &outcome);
        add_state(state, &outcome, result);
    }
    predict_state(step, &step->now, &now);
    result->ghz = step->now.ghz;
    model_states(result, "ghz");
    add_cores(step, &now, result);
    choose(step, result);
}

static void note_extrapolation(const struct ppep_step *step, const struct model_span *ghz,
                               struct model_result *result)
{
    for (size_t i = 0; ghz->given && ghz->count == 2 && i < step->model->table.count; i++) {
        double there = step->model->table.states[i].ghz;
        if (there < 0.99 * ghz->ends[0] || there > 1.01 * ghz->ends[1])
            model_note(result, "extrapolated: %.4g GHz is outside the measured clocks, %.4g to %.4g GHz",
                       there, ghz->ends[0], ghz->ends[1]);
    }
    struct sentences beyond = {0};
    if (step->model->has_idle)
        idle_note_beyond(&step->model->idle, step->now.volts, step->celsius, &beyond, &result->arena);
    model_take_notes(result, &beyond);
}

enum status ppep_predict(const struct model_result *fitted, const struct named_numbers *counters,
                         const struct model_settings *settings, struct model_result *result,
                         struct error *error)
{
    const struct ppep_own *own = fitted->own;
    struct ppep_model model;
    struct ppep_step step = {.model = &model, .counters = counters};
    if (!ppep_recall(own, &model))
        return error_set(error, STATUS_USAGE, "the model has no weights");
    step.gated = model_setting(model_ppep.settings, settings, "gated") != 0;
    double set_w = model_setting(model_ppep.settings, settings, "cap_w");
    double counted_w = named_number_value(counters, "cap_w");
    step.cap_w = isnan(counted_w) ? set_w : counted_w;
    if (isfinite(set_w) && step.cap_w != set_w) {
        error_set(error, STATUS_USAGE, "cap_w is %.10g W in the counters, but was set to %.10g W", step.cap_w,
                  set_w);
        error_hint(error, "omit --set cap_w, or the trace's column cap_w");
        return STATUS_USAGE;
    }
    if (step.gated && !model.gating.known) {
        error_set(error, STATUS_USAGE, "gated=1: the model was fitted without power gating");
        error_hint(error, "add results of ppep-2014/power-gating to the fit");
        return STATUS_USAGE;
    }
    enum status status = read_step(&step, error);
    if (status != STATUS_OK)
        return status;
    if (isfinite(step.cap_w) && !model.has_idle) {
        error_set(error, STATUS_USAGE,
                  "cap_w cannot be used: without idle power the model does not predict the chip's power");
        error_hint(error, "add results of ppep-2014/heat-and-cool to the fit");
        return STATUS_USAGE;
    }
    model_states(result, "parts");
    model_states(result, "states");
    model_states(result, "cores");
    note_extrapolation(&step, &own->fitted.ghz, result);
    double doubt = awake_doubt(&step);
    const struct interval now = ppep_power_at(&model.power, &step.rates[0], step.now.volts, 1);
    if (doubt > (now.high - now.low) / 2)
        model_disbelieve(
            result,
            "do not trust this prediction: %zu cores ran, %zu to %zu in the fit, which does not determine "
            "whether the awake power of %.3g W is the chip's or its cores': %.3g W are uncertain, and in "
            "the interval",
            step.cores, model.power.copies_least, model.power.copies_most,
            model.power.spread.value[model.power.events], doubt);
    describe(&step, result);
    return STATUS_OK;
}
