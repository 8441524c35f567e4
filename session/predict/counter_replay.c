#include "session/predict/counter_replay.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/stats.h"
#include "runner/sources/source.h"
#include "session/predict/counter_trace.h"
#include "session/stop_signals.h"

#include <math.h>
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

static size_t state_at(const struct model_result *result, double ghz)
{
    const struct model_state *states = result->states;
    size_t best = 0;
    for (size_t i = 1; i < result->state_count; i++)
        if (fabs(states[i].ghz - ghz) < fabs(states[best].ghz - ghz))
            best = i;
    return best;
}

/* The next slower (up: faster) state; itself at the end. */
static size_t neighbour(const struct model_result *result, size_t from, bool up)
{
    const struct model_state *states = result->states;
    size_t best = from;
    for (size_t i = 0; i < result->state_count; i++) {
        double step = states[i].ghz - states[from].ghz;
        bool right = up ? step > 0 : step < 0;
        if (right && (best == from || fabs(step) < fabs(states[best].ghz - states[from].ghz)))
            best = i;
    }
    return best;
}

/* Accounts for the policy's state in this step. */
static void account(struct policy *policy, double watts, size_t wanted, double cap_w, bool changed)
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
    policy->over += watts > cap_w;
    policy->sum_w += watts;
    policy->steps++;
}

static void judge(struct replay *replay, const struct model_result *result)
{
    double cap_w = model_is_stated(result, "cap_w") ? result->cap_w : NAN;
    if (isnan(cap_w))
        return;
    size_t wanted = state_at(result, result->cap_ghz);
    struct policy *const both[] = {&replay->one_step, &replay->simple};
    for (size_t i = 0; i < 2; i++) {
        if (!both[i]->begun)
            both[i]->state = state_at(result, result->ghz);
        both[i]->begun = true;
        account(both[i], result->states[both[i]->state].power_w, wanted, cap_w, cap_w != replay->cap_w);
    }
    replay->cap_w = cap_w;
    replay->one_step.state = wanted;
    replay->simple.state =
        neighbour(result, replay->simple.state, result->states[replay->simple.state].power_w <= cap_w);
}

static void tell_step(const struct replay_request *request, const struct named_numbers *step,
                      struct model_result *result)
{
    bool chosen = model_is_stated(result, "cap_ghz");
    result->t_s = named_number_value(step, "t_s");
    result->measured_w = named_number_value(step, "power_w");
    model_withdraw(result, "parts");
    model_states(result, "t_s");
    model_states(result, "measured_w");
    const struct replay_step told = {
        .result = result,
        .t_s = result->t_s,
        .ghz = result->ghz,
        .measured_w = result->measured_w,
        .predicted_w = result->states[state_at(result, result->ghz)].power_w,
        .energy_delay_ghz = model_is_stated(result, "energy_delay_ghz") ? result->energy_delay_ghz : NAN,
        .cap_ghz = chosen ? result->cap_ghz : NAN,
        .there_w = chosen ? result->states[state_at(result, result->cap_ghz)].power_w : NAN};
    request->step(request->context, &told);
}

static void compare(struct replay *replay, const struct named_numbers *step,
                    const struct model_result *result)
{
    double measured = named_number_value(step, "power_w");
    double predicted = result->states[state_at(result, result->ghz)].power_w;
    if (!(measured > 0 && isfinite(predicted)))
        return;
    replay->error_sum += fabs(predicted / measured - 1);
    replay->errors++;
}

static enum status make_step(struct replay *replay, const struct named_numbers *step, struct error *error)
{
    const struct replay_request *request = replay->request;
    struct model_result result = {0};
    double begin_s = clock_now_s();
    enum status status =
        model_predict(request->model, request->fitted, step, request->settings, &result, error);
    double cost_s = clock_now_s() - begin_s;
    if (status == STATUS_OK && result.state_count == 0) {
        status = error_set(error, STATUS_USAGE, "the model %s has no states of voltage and frequency",
                           request->model->name);
        error_hint(error, "only the model ppep takes a trace");
    }
    if (status == STATUS_OK) {
        replay->cost_s = memory_resized(replay->cost_s, replay->count + 1, sizeof *replay->cost_s);
        replay->cost_s[replay->count++] = cost_s;
        compare(replay, step, &result);
        judge(replay, &result);
        tell_step(request, step, &result);
    }
    model_result_free(&result);
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
    struct named_numbers step;
    if (request->path == NULL)
        return refuse_counters(error);
    stop_signals_catch();
    enum status status = counter_trace_open(request->path, request->grows, request->wait_s, &trace, error);
    while (status == STATUS_OK && (status = counter_trace_next(&trace, &step, error)) == STATUS_OK &&
           step.count > 0) {
        status = make_step(&replay, &step, error);
        if (status != STATUS_OK && error->file[0] == '\0')
            error_at(error, request->path, trace.line);
    }
    if (status == STATUS_OK && replay.count == 0)
        status = error_set(error, STATUS_USAGE, "%s has no step", request->path);
    if (status == STATUS_OK)
        *summary = summarize(&replay);
    counter_trace_close(&trace);
    free(replay.cost_s);
    return status;
}
