#include "session/predict/counter_replay.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/stats.h"
#include "runner/sources/source.h"
#include "runner/state/machine_state.h"
#include "session/predict/counter_trace.h"
#include "session/stop_signals.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A policy, with the state that it chose in the step before. */
struct policy {
    const char *name;
    size_t state; /* index among the result's states */
    bool begun;
    size_t over, steps;                     /* steps above the cap, and steps with a cap */
    double sum_w;                           /* sum of power, for the mean */
    size_t settling, settled_steps, events; /* steps since the cap changed; their sum; changes of the cap */
    bool unsettled;
};

enum { WHY_BYTES = 200 };

/* The machine's state that a replay with --allow-state sets. */
struct capping {
    struct state_lease lease;
    struct replay_clocks before, now;
    int *cpus; /* processors of the trace so far; owned */
    size_t cpu_count;
    double t_s; /* of the last step; NAN: none yet */
    size_t changes;
};

struct replay {
    const struct replay_request *request;
    struct capping capping;
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

/* ---- setting the clock ---- */

static const double SAME_GHZ = 5e-4;

/* A driver may round a clock by this share; if it reads back farther from the requested clock, it was not
 * set. */
static const double ROUNDED = 0.02;

/* The observed clocks of the index-th processor; false after the last. */
static bool next_clocks(const struct value *seen, size_t index, struct replay_clocks *clocks)
{
    bool list = seen->kind == VALUE_LIST;
    if (seen->kind == VALUE_NONE || index >= (list ? seen->count : 1))
        return false;
    const struct value *one = list ? &seen->parts[index].value : seen;
    *clocks = (struct replay_clocks){value_get(one, "min")->number, value_get(one, "max")->number};
    return true;
}

static void restrict_to(struct replay_clocks *clocks, struct replay_clocks other)
{
    clocks->least_ghz = fmax(clocks->least_ghz, other.least_ghz);
    clocks->most_ghz = fmin(clocks->most_ghz, other.most_ghz);
}

/* Restricts the clocks to those that all of the processors allow (count 0: all that are online).
 * STATUS_UNAVAILABLE if a processor has no clock to set. */
static enum status observe_clocks(const struct replay *replay, const int *cpus, size_t count,
                                  struct replay_clocks *clocks, struct error *error)
{
    static const double ANY_GHZ = 1;
    const struct state_request request = {.root = replay->request->root, .cpus = cpus, .cpu_count = count};
    struct state_record record = {.wanted = {.kind = VALUE_PARTS}};
    value_set(&record.wanted, "frequency", value_number(ANY_GHZ), &record.arena);
    state_begin(&request, &record); /* without a lease nothing is set, and the record has the reason */
    const struct value *seen = value_get(&record.observed, "frequency");
    enum status status = seen->kind == VALUE_NONE ? STATUS_UNAVAILABLE : STATUS_OK;
    struct replay_clocks one;
    for (size_t i = 0; next_clocks(seen, i, &one); i++)
        restrict_to(clocks, one);
    if (status != STATUS_OK) {
        const char *why = record.unmet.count == 0 ? NULL : strchr(record.unmet.items[0].what, ':');
        error_set(error, STATUS_UNAVAILABLE, "no clock can be set here%.600s", why == NULL ? "" : why);
        error_hint(error, "without --allow-state nothing is set, and the choice of each step is reported");
    }
    state_record_free(&record);
    return status;
}

/* Checks before the first step whether the clock can be set. */
static enum status capping_begin(struct replay *replay, struct error *error)
{
    const struct replay_request *request = replay->request;
    struct capping *capping = &replay->capping;
    struct warnings warnings = {0};
    if (!request->allow_state)
        return STATUS_OK;
    enum status status = state_lease_open(request->root, &capping->lease, &warnings, error);
    for (size_t i = 0; i < warnings.count; i++)
        request->warn(request->context, warnings.items[i].what);
    warnings_free(&warnings);
    if (status == STATUS_OK && capping->lease.journal.fd < 0) {
        *error = capping->lease.why_not;
        status = STATUS_UNAVAILABLE;
    }
    return status == STATUS_OK ? observe_clocks(replay, NULL, 0, &capping->now, error) : status;
}

static void report_change(struct replay *replay, struct replay_clocks to, const char *why)
{
    struct capping *capping = &replay->capping;
    const struct replay_change change = {capping->t_s, capping->cpus, capping->cpu_count, capping->now, to,
                                         why};
    replay->request->change(replay->request->context, &change);
    capping->now = to;
}

/* Restores the machine's state. status: the status of the replay. */
static void capping_end(struct replay *replay, enum status status)
{
    struct error not_back;
    struct capping *capping = &replay->capping;
    if (state_lease_close(&capping->lease, &not_back) != STATUS_OK)
        replay->request->warn(replay->request->context, not_back.message);
    else if (capping->changes > 0)
        report_change(replay, capping->before,
                      status != STATUS_OK   ? "restored after an error"
                      : stop_signals_came() ? "restored after a signal"
                                            : "restored at the end of the trace");
    free(capping->cpus);
}

/* Adds the step's processors. named: the trace has their numbers; else the step is for all processors. */
static enum status take_processors(struct replay *replay, const struct model_result *result, bool named,
                                   bool *added, struct error *error)
{
    struct capping *capping = &replay->capping;
    size_t before = capping->cpu_count;
    bool first = isnan(capping->t_s);
    struct replay_clocks had = {0, INFINITY};
    for (size_t i = 0; named && i < result->core_count; i++) {
        size_t at = 0;
        while (at < before && capping->cpus[at] != (int)result->cores[i].core)
            at++;
        if (at < before)
            continue;
        capping->cpus = memory_next(capping->cpus, capping->cpu_count, sizeof *capping->cpus);
        capping->cpus[capping->cpu_count++] = (int)result->cores[i].core;
    }
    *added = first || capping->cpu_count > before;
    if (!*added)
        return STATUS_OK;
    const int *others = named ? capping->cpus + before : NULL;
    enum status status = observe_clocks(replay, others, capping->cpu_count - before, &had, error);
    if (first)
        capping->before = capping->now = (struct replay_clocks){0, INFINITY};
    restrict_to(&capping->before, had);
    if (first)
        capping->now = capping->before;
    return status;
}

/* The fastest state that the cap and the processors' former clock limits allow. */
static enum status choose_state(const struct capping *capping, const struct model_result *result,
                                const struct model_state **chosen, struct error *error)
{
    const struct model_state *slowest = result->states;
    *chosen = NULL;
    for (size_t i = 0; i < result->state_count; i++) {
        const struct model_state *state = &result->states[i];
        if (state->ghz <= fmin(result->cap_ghz, capping->before.most_ghz) + SAME_GHZ &&
            (*chosen == NULL || state->ghz > (*chosen)->ghz))
            *chosen = state;
        slowest = state->ghz < slowest->ghz ? state : slowest;
    }
    if (*chosen != NULL)
        return STATUS_OK;
    return error_set(error, STATUS_UNAVAILABLE,
                     "the slowest state of the model has %.4g GHz, and these processors %.4g GHz at most",
                     slowest->ghz, capping->before.most_ghz);
}

static enum status set_clock(struct replay *replay, double ghz, struct error *error)
{
    struct capping *capping = &replay->capping;
    const struct state_request request = {.root = replay->request->root,
                                          .lease = &capping->lease,
                                          .cpus = capping->cpus,
                                          .cpu_count = capping->cpu_count};
    struct state_record record = {.wanted = {.kind = VALUE_PARTS}};
    struct replay_clocks got;
    enum status status = STATUS_OK;
    if (journal_is_long(&capping->lease.journal))
        status = state_end(&capping->lease, error);
    if (status != STATUS_OK)
        return status;
    value_set(&record.wanted, "frequency", value_number(ghz), &record.arena);
    state_begin(&request, &record);
    const struct value *seen = value_get(&record.observed, "frequency");
    bool good = seen->kind != VALUE_NONE;
    for (size_t i = 0; next_clocks(seen, i, &got); i++)
        good = good && fabs(got.least_ghz / ghz - 1) < ROUNDED && fabs(got.most_ghz / ghz - 1) < ROUNDED;
    if (record.unmet.count > 0 && !good)
        status = error_set(error, STATUS_UNAVAILABLE, "%.900s", record.unmet.items[0].what);
    state_record_free(&record);
    return status;
}

/* Sets the state that the step's prediction chooses. why: the reason; "": it is set already. */
static enum status cap(struct replay *replay, const struct named_numbers *step,
                       const struct model_result *result, struct replay_clocks *to, char why[WHY_BYTES],
                       struct error *error)
{
    const struct model_state *chosen;
    struct capping *capping = &replay->capping;
    bool added, named = named_number_find(step, "cycles") == NULL;
    why[0] = '\0';
    if (!replay->request->allow_state ||
        (capping->changes > 0 && !model_is_stated(result, "cap_w"))) /* no cap in this step */
        return STATUS_OK;
    if (!model_is_stated(result, "cap_w")) {
        error_set(error, STATUS_USAGE, "--allow-state sets the clock that keeps a cap, and there is none");
        error_hint(error, "--set cap_w=WATTS, or a column cap_w in the trace");
        return STATUS_USAGE;
    }
    enum status status = take_processors(replay, result, named, &added, error);
    if (status == STATUS_OK)
        status = choose_state(capping, result, &chosen, error);
    if (status != STATUS_OK)
        return status;
    capping->t_s = named_number_value(step, "t_s");
    if (!added && fabs(capping->now.most_ghz - chosen->ghz) < SAME_GHZ)
        return STATUS_OK;
    status = set_clock(replay, chosen->ghz, error);
    *to = (struct replay_clocks){chosen->ghz, chosen->ghz};
    capping->changes++;
    snprintf(why, WHY_BYTES, "%s of %.4g W: %.4g W are predicted there, %.4g W at %.4g GHz",
             result->cap_held ? "it keeps the cap" : "no state keeps the cap, this one comes nearest to it",
             result->cap_w, chosen->power_w, result->states[state_at(result, result->ghz)].power_w,
             result->ghz);
    return status;
}

static void report_step(const struct replay_request *request, const struct named_numbers *step,
                        struct model_result *result)
{
    bool chosen = model_is_stated(result, "cap_ghz");
    result->t_s = named_number_value(step, "t_s");
    result->measured_w = named_number_value(step, "power_w");
    model_withdraw(result, "parts");
    model_states(result, "t_s");
    model_states(result, "measured_w");
    const struct replay_step seen = {
        .result = result,
        .t_s = result->t_s,
        .ghz = result->ghz,
        .measured_w = result->measured_w,
        .predicted_w = result->states[state_at(result, result->ghz)].power_w,
        .energy_delay_ghz = model_is_stated(result, "energy_delay_ghz") ? result->energy_delay_ghz : NAN,
        .cap_ghz = chosen ? result->cap_ghz : NAN,
        .there_w = chosen ? result->states[state_at(result, result->cap_ghz)].power_w : NAN};
    request->step(request->context, &seen);
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
    struct replay_clocks to = {0, 0};
    char why[WHY_BYTES] = "";
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
        status = cap(replay, step, &result, &to, why, error);
    }
    if (status == STATUS_OK)
        report_step(request, step, &result);
    if (status == STATUS_OK && why[0] != '\0')
        report_change(replay, to, why);
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
                                   .simple = outcome_of(&replay->simple),
                                   .changes = replay->capping.changes};
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
    struct replay replay = {.request = request, .cap_w = NAN, .capping = {.now = {0, INFINITY}, .t_s = NAN}};
    struct counter_trace trace;
    struct named_numbers step;
    if (request->path == NULL)
        return refuse_counters(error);
    stop_signals_catch();
    enum status status = capping_begin(&replay, error);
    if (status != STATUS_OK) {
        capping_end(&replay, status);
        return status;
    }
    const struct counter_trace_request of = {
        .path = request->path,
        .grows = request->grows,
        .wait_s = request->wait_s,
        .given = request->given,
        .perf = {.path = request->path,
                 .columns = request->columns,
                 .machine = request->fitted->machine.name,
                 .clock_given = request->given != NULL && named_number_find(request->given, "ghz") != NULL,
                 .warn = request->warn,
                 .context = request->context}};
    status = counter_trace_open(&of, &trace, error);
    while (status == STATUS_OK && (status = counter_trace_next(&trace, &step, error)) == STATUS_OK &&
           step.count > 0) {
        status = make_step(&replay, &step, error);
        if (status != STATUS_OK && error->file[0] == '\0')
            error_at(error, request->path, trace.line);
    }
    if (status == STATUS_USAGE && trace.counted)
        perf_trace_hint(&trace.perf, error);
    if (status == STATUS_OK && replay.count == 0)
        status = error_set(error, STATUS_USAGE, "%s has no step", request->path);
    if (status == STATUS_OK)
        *summary = summarize(&replay);
    capping_end(&replay, status);
    counter_trace_close(&trace);
    free(replay.cost_s);
    return status;
}
