#include "session/predict/counter_replay.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/stats.h"
#include "runner/sources/source.h"
#include "session/predict/counter_trace.h"
#include "session/stop_signals.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A policy's state, decided in the step before. */
struct policy {
    const char *name;
    size_t state; /* index among the result's states */
    bool begun;
    size_t over, steps;                     /* steps above the cap, of those with one */
    double sum_w;                           /* of power, for the mean */
    size_t settling, settled_steps, events; /* since the cap changed; the sum; how often it changed */
    bool unsettled;
};

struct replay {
    const struct replay_request *request;
    struct policy one_step, simple;
    double cap_w;
    double *cost_s; /* of each step; owned */
    size_t count;
    double error_sum; /* of predicted against measured power */
    size_t errors;
};

static double watts_at(const json_t *states, size_t i)
{
    return json_number_or(json_array_get(states, i), "power_w", NAN);
}

static double ghz_at(const json_t *states, size_t i)
{
    return json_number_or(json_array_get(states, i), "ghz", NAN);
}

static size_t state_at(const json_t *states, double ghz)
{
    size_t best = 0;
    for (size_t i = 1; i < json_array_size(states); i++)
        if (fabs(ghz_at(states, i) - ghz) < fabs(ghz_at(states, best) - ghz))
            best = i;
    return best;
}

/* The next slower (up: faster) state; itself at the end. */
static size_t neighbour(const json_t *states, size_t from, bool up)
{
    size_t best = from;
    for (size_t i = 0; i < json_array_size(states); i++) {
        double step = ghz_at(states, i) - ghz_at(states, from);
        bool right = up ? step > 0 : step < 0;
        if (right && (best == from || fabs(step) < fabs(ghz_at(states, best) - ghz_at(states, from))))
            best = i;
    }
    return best;
}

/* Accounts for the policy's state in this step. */
static void account(struct policy *policy, const json_t *states, size_t wanted, double cap_w, bool changed)
{
    if (changed) {
        policy->events++;
        policy->unsettled = true;
        policy->settling = 0;
    }
    policy->settling += policy->unsettled;
    if (policy->unsettled && policy->state == wanted) {
        policy->settled_steps += policy->settling - 1;
        policy->unsettled = false;
    }
    policy->over += watts_at(states, policy->state) > cap_w;
    policy->sum_w += watts_at(states, policy->state);
    policy->steps++;
}

static void judge(struct replay *replay, const json_t *result, double recorded_ghz)
{
    const json_t *states = json_object_get(result, "states");
    double cap_w = json_number_or(result, "cap_w", NAN);
    if (isnan(cap_w))
        return;
    size_t wanted = state_at(states, json_number_or(result, "cap_ghz", NAN));
    struct policy *const both[] = {&replay->one_step, &replay->simple};
    for (size_t i = 0; i < 2; i++) {
        if (!both[i]->begun)
            both[i]->state = state_at(states, recorded_ghz);
        both[i]->begun = true;
        account(both[i], states, wanted, cap_w, cap_w != replay->cap_w);
    }
    replay->cap_w = cap_w;
    replay->one_step.state = wanted;
    replay->simple.state =
        neighbour(states, replay->simple.state, watts_at(states, replay->simple.state) <= cap_w);
}

static void tell_step(const struct replay_request *request, const json_t *step, const json_t *result)
{
    const json_t *states = json_object_get(result, "states");
    double ghz = json_number_or(result, "ghz", NAN);
    double cap_ghz = json_number_or(result, "cap_ghz", NAN);
    json_t *line = json_copy((json_t *)(uintptr_t)result);
    json_object_set(line, "t_s", json_object_get(step, "t_s"));
    json_object_set(line, "measured_w", json_object_get(step, "power_w"));
    json_object_del(line, "parts");
    const struct replay_step told = {
        .line = line,
        .t_s = json_number_or(step, "t_s", NAN),
        .ghz = ghz,
        .measured_w = json_number_or(step, "power_w", NAN),
        .predicted_w = watts_at(states, state_at(states, ghz)),
        .energy_delay_ghz = json_number_or(result, "energy_delay_ghz", NAN),
        .cap_ghz = cap_ghz,
        .there_w = isfinite(cap_ghz) ? watts_at(states, state_at(states, cap_ghz)) : NAN};
    request->step(request->context, &told);
    json_decref(line);
}

static void compare(struct replay *replay, const json_t *step, const json_t *result)
{
    const json_t *states = json_object_get(result, "states");
    double measured = json_number_or(step, "power_w", NAN);
    double predicted = watts_at(states, state_at(states, json_number_or(result, "ghz", NAN)));
    if (!(measured > 0 && isfinite(predicted)))
        return;
    replay->error_sum += fabs(predicted / measured - 1);
    replay->errors++;
}

static enum status make_step(struct replay *replay, const json_t *step, struct error *error)
{
    const struct replay_request *request = replay->request;
    json_t *result = NULL;
    double begin_s = clock_now_s();
    enum status status =
        model_predict(request->model, request->document, step, request->settings, &result, error);
    double cost_s = clock_now_s() - begin_s;
    if (status == STATUS_OK && json_array_size(json_object_get(result, "states")) == 0) {
        status = error_set(error, STATUS_USAGE, "the model %s has no states of voltage and frequency",
                           request->model->name);
        error_hint(error, "only the model ppep takes a trace");
    }
    if (status == STATUS_OK) {
        replay->cost_s = memory_resized(replay->cost_s, replay->count + 1, sizeof *replay->cost_s);
        replay->cost_s[replay->count++] = cost_s;
        compare(replay, step, result);
        judge(replay, result, json_number_or(result, "ghz", NAN));
        tell_step(request, step, result);
    }
    json_decref(result);
    return status;
}

static struct replay_policy outcome_of(const struct policy *policy)
{
    return (struct replay_policy){
        .steps = policy->steps,
        .above_cap = policy->over,
        .cap_changes = policy->events,
        .mean_w = policy->sum_w / (double)policy->steps,
        .steps_to_settle = policy->unsettled ? NAN : (double)policy->settled_steps / (double)policy->events};
}

static struct replay_summary summarize(const struct replay *replay)
{
    return (struct replay_summary){.steps = replay->count,
                                   .cost_s = stats_median(replay->cost_s, replay->count),
                                   .cost_95_s = stats_quantile(replay->cost_s, replay->count, 0.95),
                                   .compared = replay->errors,
                                   .power_error = replay->error_sum / (double)replay->errors,
                                   .one_step = outcome_of(&replay->one_step),
                                   .simple = outcome_of(&replay->simple)};
}

/* Reports why this machine's own counters are not read. */
static enum status refuse_counters(struct error *error)
{
    enum status status = counter_perf.usable(error);
    if (status != STATUS_OK)
        return STATUS_UNAVAILABLE;
    error_set(error, STATUS_UNAVAILABLE, "this version does not sample the counters of all cores");
    error_hint(error, "write them to a growing trace: t_s,core,ghz,temperature_c,cycles,instructions,...");
    return STATUS_UNAVAILABLE;
}

enum status counter_replay(const struct replay_request *request, struct replay_summary *summary,
                           struct error *error)
{
    struct replay replay = {.request = request, .cap_w = NAN};
    struct counter_trace trace;
    json_t *step;
    if (request->path == NULL)
        return refuse_counters(error);
    stop_signals_catch();
    enum status status = counter_trace_open(request->path, request->grows, request->wait_s, &trace, error);
    while (status == STATUS_OK && (status = counter_trace_next(&trace, &step, error)) == STATUS_OK &&
           step != NULL) {
        status = make_step(&replay, step, error);
        if (status != STATUS_OK && error->file[0] == '\0')
            error_at(error, request->path, trace.line);
        json_decref(step);
    }
    if (status == STATUS_OK && replay.count == 0)
        status = error_set(error, STATUS_USAGE, "%s has no step", request->path);
    if (status == STATUS_OK)
        *summary = summarize(&replay);
    counter_trace_close(&trace);
    free(replay.cost_s);
    return status;
}
