/* Samples and their evaluation. A run takes some milliseconds. Runs with multiplexed counters, which the
 * kernel switches every few milliseconds, are longer, so that every event gets many turns. */
#include "runner/sources/perf/perf_measure.h"

#include "base/json.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ten million instructions: a run's own overhead is below 0.001 of the counts. */
enum { SAMPLES = 5 };
static const double INSTRUCTIONS_BEFORE = 1e6;
static const double INSTRUCTIONS_COUNTED = 1e7;
static const double LONGER_IN_TURNS = 20;

/* A difference of fewer events than this comes from interrupts and page faults, not from the loop. */
static const double FEWEST_EVENTS = 1000;

static const char SOURCE[] = "perf";

/* Passes of the two runs: whole periods, as rates are defined only over these. */
struct passes {
    uint64_t fewer, more;
};

/* Results of the runs of one bundle: for each copy, then for all copies together. */
struct taken {
    size_t copies, events;
    struct passes passes;
    double *counts;  /* [copies + 1][SAMPLES][EVENT_TABLE_EVENTS], by index in the table */
    double *counted; /* [copies + 1][EVENT_TABLE_EVENTS]: the least share of the time */
};

static uint64_t whole_periods(double instructions, double per_pass, double period)
{
    return (uint64_t)(instructions / (per_pass * period) + 1) * (uint64_t)period;
}

static enum status choose_passes(const struct manifest *manifest, double longer, struct passes *passes,
                                 struct error *error)
{
    double per_pass = manifest->instructions;
    double period = manifest->period;
    if (!(per_pass >= 1) || !(period >= 1))
        return error_set(
            error, STATUS_UNAVAILABLE,
            "the manifest states %g instructions per pass and a period of %g; expected at least 1", per_pass,
            period);
    passes->fewer = whole_periods(INSTRUCTIONS_BEFORE, per_pass, period);
    passes->more = passes->fewer + whole_periods(INSTRUCTIONS_COUNTED * longer, per_pass, period);
    return STATUS_OK;
}

/* ---- samples ---- */

static void keep(const struct perf_bundle *bundle, const struct perf_reading *fewer,
                 const struct perf_reading *more, size_t copy, size_t sample, struct taken *taken)
{
    for (size_t i = 0; i < bundle->count; i++) {
        struct perf_difference difference = perf_subtract(&fewer[i], &more[i]);
        size_t event = (size_t)bundle->events[i];
        taken->counts[(copy * SAMPLES + sample) * EVENT_TABLE_EVENTS + event] = difference.count;
        double *counted = &taken->counted[copy * EVENT_TABLE_EVENTS + event];
        *counted = sample == 0 || difference.counted < *counted ? difference.counted : *counted;
    }
}

static enum status take_sample(const struct perf_plan *plan, const struct test_program *test_program,
                               const struct perf_bundle *bundle, const struct perf_session *session,
                               size_t sample, struct taken *taken, struct error *error)
{
    size_t count = session->count;
    struct perf_reading *fewer = memory_zeroed((taken->copies + 1) * count, sizeof *fewer);
    struct perf_reading *more = memory_zeroed((taken->copies + 1) * count, sizeof *more);
    enum status status = perf_count(test_program, plan->host, session, taken->passes.fewer, fewer, error);
    if (status == STATUS_OK)
        status = perf_count(test_program, plan->host, session, taken->passes.more, more, error);
    if (status == STATUS_OK) {
        perf_sum(fewer, taken->copies, count, fewer + taken->copies * count);
        perf_sum(more, taken->copies, count, more + taken->copies * count);
        for (size_t i = 0; i <= taken->copies; i++)
            keep(bundle, fewer + i * count, more + i * count, i, sample, taken);
    }
    free(fewer);
    free(more);
    return status;
}

static enum status take_samples(const struct perf_plan *plan, const struct test_program *test_program,
                                const struct perf_bundle *bundle, bool apart, struct taken *taken,
                                struct error *error)
{
    struct perf_session session;
    perf_plan_session(plan, bundle, apart, &session);
    bool in_turns = session.group[session.count - 1] > 0;
    enum status status =
        choose_passes(test_program->manifest, in_turns ? LONGER_IN_TURNS : 1, &taken->passes, error);
    for (size_t i = 0; i < SAMPLES && status == STATUS_OK; i++)
        status = take_sample(plan, test_program, bundle, &session, i, taken, error);
    return status;
}

/* ---- evaluation ---- */

static bool is_fraction(const char *metric)
{
    size_t length = strlen(metric);
    return strncmp(metric, "served.", 7) == 0 || (length > 5 && strcmp(metric + length - 5, "_rate") == 0);
}

/* True if the denominator is large enough. */
static bool enough(const struct event_sum *sum, const double *counts)
{
    double events = 0;
    for (size_t i = 0; i < sum->count; i++)
        events += sum->terms[i].event < 0 ? 0 : fabs(counts[sum->terms[i].event]);
    return events >= FEWEST_EVENTS && event_sum_value(sum, counts) > 0;
}

/* Computes the values of a copy's samples; false if there is nothing to divide by. *events: of the
 * denominator, over all samples. */
static bool values_of(const struct perf_want *want, const struct taken *taken, size_t copy,
                      double values[SAMPLES], double *events)
{
    double share = copy == taken->copies && taken->copies > 0 ? (double)taken->copies : 1;
    double passes = (double)(taken->passes.more - taken->passes.fewer) * share;
    /* Copies use their bandwidth at the same time, but their seconds are summed. */
    double together = strncmp(want->name, "bandwidth.", 10) == 0 ? share : 1;
    *events = 0;
    for (size_t i = 0; i < SAMPLES; i++) {
        const double *counts = taken->counts + (copy * SAMPLES + i) * EVENT_TABLE_EVENTS;
        if (!want->is_count && want->under.count > 0 && !enough(&want->under, counts))
            return false;
        double under = want->under.count > 0 ? event_sum_value(&want->under, counts) : 1;
        values[i] = together * event_sum_value(&want->over, counts) / (want->is_count ? passes : under);
        *events += under;
    }
    return true;
}

static void warn_of_turns(const struct perf_want *want, double counted, struct observations *list)
{
    warning_add(&list->warnings,
                "end other profilers; `sudo sysctl kernel.nmi_watchdog=0` frees the kernel's counter",
                "perf counted %s only %.0f %% of the time, as its events took turns; the counts are scaled",
                want->name, 100 * counted);
}

/* Adds a count for all copies together; metrics also for each copy if there are several. */
static enum status add_want(const struct perf_want *want, const struct taken *taken,
                            struct observations *list, struct error *error)
{
    for (size_t i = 0; i <= taken->copies; i++) {
        bool all = i == taken->copies;
        double values[SAMPLES];
        double events;
        if (!all && (taken->copies == 1 || want->is_count))
            continue;
        if (!values_of(want, taken, i, values, &events))
            return error_set(error, STATUS_UNAVAILABLE, "%s: nothing to divide by in the loop", want->name);
        const double *shares = taken->counted + i * EVENT_TABLE_EVENTS;
        double counted = event_sum_counted(&want->under, shares, event_sum_counted(&want->over, shares, 1));
        bool fraction = !want->is_count && is_fraction(want->name);
        struct interval seen = perf_interval(values, SAMPLES, counted, fraction);
        if (want->is_count) {
            seen.n = SAMPLES;
            observations_count(list, want->name, seen, counted);
        } else {
            seen.n = (size_t)events;
            observations_add_copy(list, all ? 0 : (unsigned)i + 1, want->name, SOURCE, EVIDENCE_MEASURED,
                                  seen);
            list->items[list->count - 1].counted = counted;
        }
        if (all && counted < 1)
            warn_of_turns(want, counted, list);
    }
    return STATUS_OK;
}

static void note(struct error *first_reason, const struct error *reason)
{
    if (first_reason->message[0] == '\0')
        *first_reason = *reason;
}

/* Measures one bundle. A group that the kernel rejects, or that never got its counters, is tried again event
 * by event. */
static enum status measure_bundle(const struct perf_plan *plan, size_t number,
                                  const struct test_program *test_program, struct observations *list,
                                  struct error *first_reason)
{
    const struct perf_bundle *bundle = &plan->bundles[number];
    size_t copies = test_program_copies(test_program);
    struct taken taken = {.copies = copies,
                          .counts =
                              memory_zeroed((copies + 1) * SAMPLES * EVENT_TABLE_EVENTS, sizeof(double)),
                          .counted = memory_zeroed((copies + 1) * EVENT_TABLE_EVENTS, sizeof(double))};
    struct error reason = {.code = STATUS_OK};
    enum status status = take_samples(plan, test_program, bundle, false, &taken, &reason);
    if (status == STATUS_UNAVAILABLE && bundle->count > 1)
        status = take_samples(plan, test_program, bundle, true, &taken, &reason);
    for (size_t i = 0; i < plan->want_count && status == STATUS_OK; i++)
        if (plan->wants[i].bundle == number && add_want(&plan->wants[i], &taken, list, &reason) != STATUS_OK)
            note(first_reason, &reason);
    if (status == STATUS_FAILED)
        *first_reason = reason;
    else if (status != STATUS_OK)
        note(first_reason, &reason);
    free(taken.counts);
    free(taken.counted);
    return status;
}

enum status perf_measure(const struct perf_plan *plan, const struct test_program *test_program,
                         struct observations *list, struct error *first_reason)
{
    for (size_t i = 0; i < plan->bundle_count; i++)
        if (measure_bundle(plan, i, test_program, list, first_reason) == STATUS_FAILED)
            return STATUS_FAILED;
    return STATUS_OK;
}

enum status perf_measure_event(const struct test_program *test_program, const struct perf_host *host,
                               const char *name, const struct perf_event_attr *attributes, size_t reps,
                               struct perf_run *runs, struct error *error)
{
    struct perf_session session = {.names = {name}, .attributes = {*attributes}, .count = 1};
    size_t copies = test_program_copies(test_program);
    struct perf_reading *readings = memory_zeroed(copies + 1, sizeof *readings);
    struct passes passes;
    enum status status = choose_passes(test_program->manifest, 1, &passes, error);
    for (size_t i = 0; i < 2 * reps && status == STATUS_OK; i++) {
        runs[i].passes = (double)(i % 2 == 0 ? passes.fewer : passes.more);
        status = perf_count(test_program, host, &session, (uint64_t)runs[i].passes, readings, error);
        perf_sum(readings, copies, 1, &readings[copies]);
        runs[i].count = (double)readings[copies].value;
        if (status == STATUS_OK && readings[copies].running < readings[copies].enabled)
            status = error_set(error, STATUS_UNAVAILABLE, "\"%s\" was counted only part of the time", name);
    }
    free(readings);
    return status;
}
