#include "session/execute/calibrated_program.h"

#include "base/json.h"
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

/* Measurement comes before simulation. */
static const struct counter_source *const sources[] = {&counter_perf, &counter_timing, &counter_cachegrind};
enum { SOURCES = sizeof sources / sizeof sources[0] };

/* One point being calibrated. */
struct calibrating {
    struct work *work;
    const char *counters; /* names of sources to ask; NULL: all */
    const struct work_item *item;
    json_t *document; /* the recipe's point */
    int cpu;
    const struct counter_source *source; /* the first that observed one of the rates; NULL: none yet */
    struct evidence evidence;            /* of the latest round: why nothing was observed */
    unsigned round;
};

/* Notes something about the item. */
__attribute__((format(printf, 2, 3))) static void tell(const struct calibrating *calibrating,
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

static void tell_round(const struct calibrating *calibrating, const struct plan_tuning *tuning,
                       const struct calibrate_seen *seen)
{
    char text[TUNING_TEXT];
    tuning_describe(tuning, text, sizeof text);
    for (size_t i = 0; i < seen->count; i++) {
        const struct calibrate_rate *rate = &seen->rates[i];
        char value[SEEN_TEXT];
        bool by_code = rate->verdict == VERDICT_PASS && calibrating->source->kind == EVIDENCE_SIMULATED;
        tell(calibrating, "round %u, %s: %s %s by %s, wanted %.6g: %s", calibrating->round, text,
             tuning_metric(rate->rate), seen_text(rate, value), calibrating->source->name, rate->target,
             verdict_name(by_code ? VERDICT_PASS_CODE : rate->verdict));
    }
}

/* Asks the sources in turn until one observes a rate; from then on only that one. */
static enum status ask(struct calibrating *calibrating, const struct test_program *test_program,
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

static enum status look(void *context, const struct plan_tuning *tuning, struct calibrate_seen *seen,
                        struct error *error)
{
    struct calibrating *calibrating = context;
    struct program program;
    json_object_set_new(calibrating->document, "calibration",
                        json_pack("{s:o}", "tuning", tuning_to_json(tuning)));
    enum status status = work_make(calibrating->item, calibrating->document, &program, error);
    calibrating->round++;
    if (status == STATUS_OK) {
        struct test_program test_program = work_test_program(calibrating->item, &program, calibrating->cpu);
        struct placement place;
        test_program_find_place(&test_program, &place);
        status = ask(calibrating, &test_program, seen, error);
        tell_round(calibrating, tuning, seen);
    } else if (status == STATUS_RECIPE) {
        char text[TUNING_TEXT];
        tell(calibrating, "round %u, %s: %s", calibrating->round, tuning_describe(tuning, text, sizeof text),
             error->message);
    }
    program_free(&program);
    return status;
}

/* The same in the state that the recipe requests, if the machine is this host. */
static enum status search(struct calibrating *calibrating, const struct calibrate_start *start,
                          struct calibrate_result *result, struct error *error)
{
    const struct work_item *item = calibrating->item;
    if (!work_machine(item->source)->present)
        return calibrate(start, look, calibrating, result, error);
    struct state_record record = {.given = false};
    requested_state_begin(calibrating->work, item, json_object_get(calibrating->document, "state"), &record);
    enum status status = calibrate(start, look, calibrating, result, error);
    requested_state_end(calibrating->work);
    state_record_free(&record);
    return status;
}

static json_t *rates_to_json(const struct calibrate_seen *seen)
{
    json_t *rates = json_object();
    for (size_t i = 0; i < seen->count; i++) {
        const struct calibrate_rate *rate = &seen->rates[i];
        const struct interval interval = {rate->value, rate->low, rate->high, 0};
        json_t *entry = result_interval_to_json(interval);
        json_object_del(entry, "n");
        json_object_set_new(entry, "target", json_from_number(rate->target));
        json_object_set_new(rates, tuning_metric(rate->rate), entry);
    }
    return rates;
}

/* The entry for the calibration store. */
static json_t *entry_of(const struct calibrating *calibrating, const struct calibrate_result *result)
{
    const struct calibrate_round *best = &result->rounds[result->best];
    return json_pack("{s:s, s:s, s:o, s:s, s:s, s:i, s:o}", "benchmark", calibrating->item->benchmark,
                     "point", calibrating->item->point, "tuning", tuning_to_json(&best->tuning), "source",
                     calibrating->source->name, "kind", evidence_kinds[calibrating->source->kind].name,
                     "rounds", (int)result->count, "rates", rates_to_json(&best->seen));
}

/* Stores the result, unless the file already has it or it equals the plan without tuning. */
static enum status keep(struct calibrating *calibrating, const struct calibrate_result *result,
                        const json_t *entry, struct error *error)
{
    struct calibration_store *calibration_store =
        &calibrating->item->source->target_context->calibration_store;
    const json_t *kernel = json_object_get(calibrating->document, "kernel");
    const struct plan_tuning *tuning = &result->rounds[result->best].tuning;
    json_t *known = calibration_find(&calibration_store->calibration, kernel);
    struct plan_tuning before = {0};
    if (known != NULL)
        (void)tuning_from_json(json_object_get(known, "tuning"), NULL, &before, NULL);
    json_decref(known);
    if (tuning_same(&before, tuning))
        return STATUS_OK;
    bool measured = calibrating->source != &counter_cachegrind;
    const struct machine *machine = work_machine(calibrating->item->source);
    enum status status = calibration_store_add(calibration_store, machine, measured, kernel, entry, error);
    if (status == STATUS_OK)
        tell(calibrating, "kept in %s", calibration_store->path);
    return status;
}

static void tell_end(const struct calibrating *calibrating, const struct calibrate_result *result)
{
    const struct calibrate_rate *worst = &result->worst;
    const char *plural = plural_s(result->count);
    char text[TUNING_TEXT], value[SEEN_TEXT];
    tuning_describe(&result->rounds[result->best].tuning, text, sizeof text);
    if (result->end == CALIBRATE_REACHED)
        tell(calibrating, "calibrated by %s in %zu round%s: %s", calibrating->source->name, result->count,
             plural, text);
    else if (result->end == CALIBRATE_WITHIN_NOISE)
        tell(calibrating, "calibrated within the noise of %s in %zu round%s: %s", calibrating->source->name,
             result->count, plural, text);
    else
        tell(calibrating, "%s = %.6g cannot be reached here: the nearest in %zu round%s is %s by %s, with %s",
             tuning_metric(worst->rate), worst->target, result->count, plural, seen_text(worst, value),
             calibrating->source->name, text);
}

static json_t *record_of(const struct calibrating *calibrating, const struct calibrate_result *result)
{
    const struct calibrate_round *best = &result->rounds[result->best];
    json_t *record = json_pack("{s:b, s:i, s:s, s:o, s:o}", "reached", result->end != CALIBRATE_UNREACHABLE,
                               "rounds", (int)result->count, "source", calibrating->source->name, "tuning",
                               tuning_to_json(&best->tuning), "rates", rates_to_json(&best->seen));
    return record;
}

/* Reports and stores the result, and sets the document's calibration for the final program. */
static enum status conclude(struct calibrating *calibrating, const struct calibrate_result *result,
                            struct calibrated *calibrated, struct error *error)
{
    enum status status = STATUS_OK;
    json_t *entry = entry_of(calibrating, result);
    tell_end(calibrating, result);
    calibrated->unreached = result->end == CALIBRATE_UNREACHABLE;
    calibrated->record = record_of(calibrating, result);
    if (!calibrated->unreached)
        status = keep(calibrating, result, entry, error);
    json_object_del(calibrating->document, "calibration");
    if (tuning_is_set(&result->rounds[result->best].tuning))
        json_object_set_new(calibrating->document, "calibration",
                            json_pack("{s:O, s:O, s:O}", "tuning", json_object_get(entry, "tuning"), "source",
                                      json_object_get(entry, "source"), "kind",
                                      json_object_get(entry, "kind")));
    json_decref(entry);
    return status;
}

/* Searches, and sets the document's calibration for the final program. */
static enum status calibrate_item(struct calibrating *calibrating, struct calibrated *calibrated,
                                  struct error *error)
{
    struct calibrate_result result;
    struct calibrate_start start = {
        .known_depth =
            calibration_depth(&calibrating->item->source->target_context->calibration_store.calibration)};
    json_t *known = json_incref(json_object_get(calibrating->document, "calibration"));
    if (known != NULL)
        (void)tuning_from_json(json_object_get(known, "tuning"), NULL, &start.tuning, NULL);
    enum status status = search(calibrating, &start, &result, error);
    if (status == STATUS_OK && result.end != CALIBRATE_UNSEEN) {
        status = conclude(calibrating, &result, calibrated, error);
    } else if (status == STATUS_OK) {
        const char *unseen = calibrating->evidence.unseen;
        tell(calibrating, "not calibrated: %s",
             unseen[0] != '\0' ? unseen : "it has no rate that tuning a plan could change");
        json_object_del(calibrating->document, "calibration");
        if (known != NULL)
            json_object_set(calibrating->document, "calibration", known);
    }
    json_decref(known);
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
    *calibrated = (struct calibrated){false, NULL};
    *changed = false;
    memset(program, 0, sizeof *program);
    if (!work->request->calibrate)
        return work_program(item, program, changed, error);
    struct calibrating calibrating = {.work = work, .counters = counters, .item = item, .cpu = cpu};
    calibrating.document = work_tuned_document(item, error);
    if (calibrating.document == NULL)
        return STATUS_FAILED;
    enum status status = calibrate_item(&calibrating, calibrated, error);
    if (status == STATUS_OK)
        status = work_make(item, calibrating.document, program, error);
    evidence_free(&calibrating.evidence);
    json_decref(calibrating.document);
    return status;
}

void calibrated_free(struct calibrated *calibrated)
{
    json_decref(calibrated->record);
    calibrated->record = NULL;
}
