#include "session/execute/calibrated_program.h"

#include "base/memory.h"
#include "base/text/names.h"
#include "base/text/plural.h"
#include "report/metric_value.h"
#include "runner/evidence/calibration_loop.h"
#include "runner/evidence/evidence.h"
#include "runner/sources/source.h"
#include "session/execute/requested_state.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TUNING_TEXT = 200 };

/* In order of preference: measurement comes before simulation. */
static const struct counter_source *const sources[] = {&counter_perf, &counter_timing, &counter_cachegrind};
enum { SOURCES = sizeof sources / sizeof sources[0] };

/* One point being calibrated. */
struct calibrating {
    struct work *work;
    const char *counters; /* names of sources to use; NULL: all */
    const struct work_item *item;
    struct manifest *point; /* the recipe's */
    int cpu;
    const struct counter_source *source; /* the first that observed a rate; NULL: none yet */
    struct evidence evidence;            /* of the latest round: why nothing was observed */
    unsigned round;
};

/* Passes a note about the item to the caller. */
__attribute__((format(printf, 2, 3))) static void note(const struct calibrating *calibrating,
                                                       const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = memory_printed(format, arguments);
    va_end(arguments);
    session_note(calibrating->work->request->events, "%s/%s: %s", calibrating->item->benchmark,
                 calibrating->item->point, text);
    free(text);
}

enum { SEEN_TEXT = 80 };

/* "0.49 [0.48, 0.5]", or "0.49 ?" without an interval. */
static const char *seen_text(const struct calibrate_rate *rate, char text[SEEN_TEXT])
{
    struct metric_value seen = {.value = rate->value, .low = rate->low, .high = rate->high};
    metric_value_write(&seen, 1, 4, text, SEEN_TEXT);
    return text;
}

static void note_round(const struct calibrating *calibrating, const struct plan_tuning *tuning,
                       const struct calibrate_seen *seen)
{
    char text[TUNING_TEXT];
    tuning_describe(tuning, text, sizeof text);
    for (size_t i = 0; i < seen->count; i++) {
        const struct calibrate_rate *rate = &seen->rates[i];
        char value[SEEN_TEXT];
        bool by_code = rate->verdict == VERDICT_PASS && calibrating->source->kind == EVIDENCE_SIMULATED;
        note(calibrating, "round %u, %s: %s %s by %s, wanted %.6g: %s", calibrating->round, text,
             tuning_metric(rate->rate), seen_text(rate, value), calibrating->source->name, rate->target,
             verdict_name(by_code ? VERDICT_PASS_CODE : rate->verdict));
    }
}

/* Tries the sources in turn until one observes a rate; later rounds use only that source. */
static enum status observe(struct calibrating *calibrating, const struct test_program *test_program,
                           struct calibrate_seen *seen, struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < SOURCES && seen->count == 0; i++) {
        const struct counter_source *source = sources[i];
        bool other = calibrating->source != NULL && calibrating->source != source;
        if (other || !names_contain(calibrating->counters, source->name))
            continue;
        evidence_free(&calibrating->evidence);
        status = evidence_gather(test_program, source->name, &calibrating->evidence, error);
        struct result_rates judged = {0};
        if (status == STATUS_OK)
            evidence_judge(test_program, &calibrating->evidence, &judged);
        calibrate_rates(&judged, source->name, seen);
        result_rates_free(&judged);
        if (seen->count > 0)
            calibrating->source = source;
    }
    return status;
}

/* Makes the program with this tuning and observes its rates. */
static enum status try_tuning(void *context, const struct plan_tuning *tuning, struct calibrate_seen *seen,
                              struct error *error)
{
    struct calibrating *calibrating = context;
    struct program program;
    calibrating->point->calibration =
        (struct plan_calibration){.given = true, .tuned = true, .tuning = *tuning};
    enum status status = work_make(calibrating->item, calibrating->point, &program, error);
    calibrating->round++;
    if (status == STATUS_OK) {
        struct test_program test_program = work_test_program(calibrating->item, &program, calibrating->cpu);
        struct placement place;
        test_program_find_place(&test_program, &place);
        status = observe(calibrating, &test_program, seen, error);
        note_round(calibrating, tuning, seen);
    } else if (status == STATUS_RECIPE) {
        char text[TUNING_TEXT];
        note(calibrating, "round %u, %s: %s", calibrating->round, tuning_describe(tuning, text, sizeof text),
             error->message);
    }
    program_free(&program);
    return status;
}

/* Searches for the tuning, in the machine state that the recipe requests if the machine is this host. */
static enum status search(struct calibrating *calibrating, const struct calibrate_start *start,
                          struct calibrate_result *result, struct error *error)
{
    const struct work_item *item = calibrating->item;
    if (!work_machine(item->source)->present)
        return calibrate(start, try_tuning, calibrating, result, error);
    struct state_record record = {.given = false};
    const struct value wanted = value_read(calibrating->point->state, &record.arena);
    requested_state_begin(calibrating->work, item, &wanted, &record);
    enum status status = calibrate(start, try_tuning, calibrating, result, error);
    requested_state_end(calibrating->work);
    state_record_free(&record);
    return status;
}

/* The outcome to store and record. Its texts are the item's, or static. */
static struct calibration_outcome outcome_of(const struct calibrating *calibrating,
                                             const struct calibrate_result *result)
{
    const struct calibrate_round *best = &result->rounds[result->best];
    struct calibration_outcome outcome = {.benchmark = calibrating->item->benchmark,
                                          .point = calibrating->item->point,
                                          .reached = result->end != CALIBRATE_UNREACHABLE,
                                          .rounds = (unsigned)result->count,
                                          .best = {.given = tuning_is_set(&best->tuning),
                                                   .source = calibrating->source->name,
                                                   .kind = evidence_kinds[calibrating->source->kind].name,
                                                   .tuned = true,
                                                   .tuning = best->tuning},
                                          .rate_count = best->seen.count};
    for (size_t i = 0; i < best->seen.count; i++) {
        const struct calibrate_rate *rate = &best->seen.rates[i];
        outcome.rates[i] = (struct calibration_rate){tuning_metric(rate->rate), rate->target, rate->value,
                                                     rate->low, rate->high};
    }
    return outcome;
}

/* Stores the result, unless the file already has it or it equals the plan without tuning. */
static enum status keep(struct calibrating *calibrating, const struct calibration_outcome *outcome,
                        struct error *error)
{
    struct calibration_store *store = &calibrating->item->source->target_context->calibration_store;
    const struct plan_calibration known = calibration_find(&store->calibration, calibrating->point->kernel);
    if (tuning_same(&known.tuning, &outcome->best.tuning))
        return STATUS_OK;
    bool measured = calibrating->source != &counter_cachegrind;
    const struct machine *machine = work_machine(calibrating->item->source);
    enum status status = calibration_store_add(store, machine, measured, calibrating->point, outcome, error);
    if (status == STATUS_OK)
        note(calibrating, "kept in %s", store->path);
    return status;
}

static void note_end(const struct calibrating *calibrating, const struct calibrate_result *result)
{
    const struct calibrate_rate *worst = &result->worst;
    const char *plural = plural_s(result->count);
    char text[TUNING_TEXT], value[SEEN_TEXT];
    tuning_describe(&result->rounds[result->best].tuning, text, sizeof text);
    if (result->end == CALIBRATE_REACHED)
        note(calibrating, "calibrated by %s in %zu round%s: %s", calibrating->source->name, result->count,
             plural, text);
    else if (result->end == CALIBRATE_WITHIN_NOISE)
        note(calibrating, "calibrated within the noise of %s in %zu round%s: %s", calibrating->source->name,
             result->count, plural, text);
    else
        note(calibrating, "%s = %.6g cannot be reached here: the nearest in %zu round%s is %s by %s, with %s",
             tuning_metric(worst->rate), worst->target, result->count, plural, seen_text(worst, value),
             calibrating->source->name, text);
}

/* Searches, and sets the point's calibration for the final program. */
static enum status calibrate_item(struct calibrating *calibrating, struct calibrated *calibrated,
                                  struct error *error)
{
    struct calibrate_result result;
    struct manifest *point = calibrating->point;
    const struct plan_calibration known = point->calibration;
    const struct calibrate_start start = {
        .tuning = known.tuning,
        .known_depth = calibrating->item->source->target_context->calibration_store.calibration.depth};
    enum status status = search(calibrating, &start, &result, error);
    if (status == STATUS_OK && result.end != CALIBRATE_UNSEEN) {
        calibrated->given = true;
        calibrated->outcome = outcome_of(calibrating, &result);
        note_end(calibrating, &result);
        if (calibrated->outcome.reached)
            status = keep(calibrating, &calibrated->outcome, error);
        point->calibration = calibrated->outcome.best;
    } else if (status == STATUS_OK) {
        const char *unseen = calibrating->evidence.unseen;
        note(calibrating, "not calibrated: %s",
             unseen[0] != '\0' ? unseen : "it has no rate that tuning a plan could change");
        point->calibration = known;
    }
    return status;
}

enum status calibrate_check(const struct work *work, struct error *error)
{
    for (size_t i = 0; work->request->calibrate && i < work->source_count; i++) {
        if (work->sources[i].kind != INPUT_SUITE)
            continue;
        error_set(error, STATUS_USAGE, "%s is a suite: its programs are fixed and cannot be calibrated",
                  work->sources[i].path);
        error_hint(error, "calibrate the recipe; trauma gen then makes a suite from the result");
        return STATUS_USAGE;
    }
    return STATUS_OK;
}

enum status calibrated_program(struct work *work, const struct work_item *item, const char *counters, int cpu,
                               struct program *program, bool *changed, struct calibrated *calibrated,
                               struct error *error)
{
    *calibrated = (struct calibrated){.given = false};
    *changed = false;
    memset(program, 0, sizeof *program);
    if (!work->request->calibrate)
        return work_program(item, program, changed, error);
    struct calibrating calibrating = {.work = work, .counters = counters, .item = item, .cpu = cpu};
    calibrating.point = work_tuned_point(item, error);
    if (calibrating.point == NULL)
        return STATUS_FAILED;
    enum status status = calibrate_item(&calibrating, calibrated, error);
    if (status == STATUS_OK)
        status = work_make(item, calibrating.point, program, error);
    evidence_free(&calibrating.evidence);
    manifest_free(calibrating.point);
    return status;
}
