/* trauma check: targets against observations. */
#include "base/json.h"
#include "base/names.h"
#include "cli/calibrate.h"
#include "cli/command.h"
#include "cli/conditions.h"
#include "cli/judged.h"
#include "cli/progress.h"
#include "cli/report_tests.h"
#include "cli/wished_state.h"
#include "cli/work.h"
#include "runner/evidence.h"
#include "runner/host.h"
#include "runner/results.h"
#include "runner/trust/conditions.h"
#include "runner/verdict.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char *const accepted[] = {"machine",   "target",         "filter",     "set",         "seed",
                                       "shard",     "counters",       "sysfs-root", "allow-state", "strict",
                                       "tap",       "junit",          "json",       "quiet",       "verbose",
                                       "calibrate", "no-calibration", "tune",       "here",        NULL};

/* What a check has found so far: one entry a point, in order. */
struct findings {
    json_t *points; /* {"benchmark","point","target","rates" or "error"} */
    struct tally tally;
};

/* A finding without rates so far. */
static json_t *new_point(const char *benchmark, const char *point, const char *target)
{
    return json_pack("{s:s, s:s, s:s}", "benchmark", benchmark, "point", point, "target", target);
}

static void add_point(struct findings *findings, const struct options *options, json_t *point)
{
    const json_t *rates = json_object_get(point, "rates");
    const char *benchmark = json_string_or(point, "benchmark", "");
    const char *name = json_string_or(point, "point", "");
    const char *target = json_string_or(point, "target", "");
    if (rates != NULL)
        judged_count(rates, &findings->tally);
    else
        judged_count_failure(point, &findings->tally);
    if (options->json && rates != NULL)
        judged_print_json(benchmark, name, target, rates);
    else if (options->json)
        judged_print_broken_json(benchmark, name, target, json_string_or(point, "error", ""));
    json_array_append_new(findings->points, point);
}

/* A program that fails becomes a finding, not the end. */
static void add_failure(struct findings *findings, const struct options *options, json_t *point,
                        const struct error *error)
{
    command_warn(options, "%s/%s: %s", json_string_or(point, "benchmark", ""),
                 json_string_or(point, "point", ""), error->message);
    judged_set_failure(point, error);
    add_point(findings, options, point);
}

/* Asks the sources. What runs on this machine does so in the state that the recipe wishes, if that is
 * allowed. */
static enum status gather_in_state(const struct work_item *item, const struct subject *subject,
                                   const struct options *options, struct evidence *evidence,
                                   struct error *error)
{
    struct guard guard;
    json_t *record;
    if (!subject->machine->present)
        return evidence_gather(subject, options->counters, evidence, error);
    *evidence = (struct evidence){.unseen = ""};
    enum status status = wished_begin(options, item, subject->manifest, &guard, &record, error);
    if (status == STATUS_OK)
        status = evidence_gather(subject, options->counters, evidence, error);
    wished_end(options, &guard);
    json_decref(record);
    return status;
}

static void check_program(const struct work *work, const struct work_item *item,
                          const struct program *program, const struct options *options, int cpu,
                          struct findings *findings)
{
    struct subject subject = work_subject(work, item, program, cpu);
    struct placement place;
    struct evidence evidence;
    struct error error;
    subject_find_place(&subject, &place);
    if (subject.machine->present && subject.place != NULL && place.why_not.message[0] != '\0')
        command_warn(options, "%s/%s: %s; it is judged without running it", item->benchmark, item->point,
                     place.why_not.message);
    json_t *point = new_point(item->benchmark, item->point, json_string_or(program->manifest, "target", ""));
    if (subject_check_features(&subject, &error) != STATUS_OK) {
        command_warn(options, "%s/%s is skipped: %s", item->benchmark, item->point, error.message);
        findings->tally.skipped++;
    }
    enum status status = gather_in_state(item, &subject, options, &evidence, &error);
    if (status == STATUS_OK) {
        json_object_set_new(point, "rates", evidence_judge(&subject, &evidence));
        add_point(findings, options, point);
    } else {
        add_failure(findings, options, point, &error);
    }
    evidence_free(&evidence);
}

static enum status check_item(struct work *work, const struct work_item *item, const struct options *options,
                              int cpu, struct findings *findings, struct error *error)
{
    struct program program;
    struct calibrated calibrated;
    bool changed;
    enum status status = calibrated_program(options, work, item, cpu, &program, &changed, &calibrated, error);
    findings->tally.unreached += calibrated.unreached;
    calibrated_free(&calibrated);
    if (status == STATUS_OK && changed)
        command_warn(options, "%s/%s: its files are not those that were generated; what is there is judged",
                     item->benchmark, item->point);
    if (status == STATUS_OK) {
        check_program(work, item, &program, options, cpu, findings);
    } else if (work_can_go_on(item, status)) {
        const char *target = json_string_or(item->entry, "target", "");
        add_failure(findings, options, new_point(item->benchmark, item->point, target), error);
        status = STATUS_OK;
    }
    program_free(&program);
    return status;
}

/* What speaks against measuring now; a machine that is not here is not measured. */
static void tell_conditions(const struct options *options, const struct work *work, int cpu)
{
    unsigned matters = conditions_that_matter(options, false, false);
    if (matters == 0 || !work_machine(work, &work->sources[0])->present)
        return;
    json_t *conditions = conditions_now(options, cpu, matters);
    json_t *warnings = conditions_warnings(conditions);
    conditions_tell(options, warnings);
    json_decref(warnings);
    json_decref(conditions);
}

static enum status check_programs(const struct options *options, struct findings *findings,
                                  struct error *error)
{
    struct work work;
    enum status status = work_open(options, false, &work, error);
    if (status == STATUS_OK)
        status = work_check_runnable(&work, error);
    if (status == STATUS_OK)
        status = calibrate_check(options, &work, error);
    if (status == STATUS_OK) {
        int cpu = host_choose_cpu();
        tell_conditions(options, &work, cpu);
        struct progress progress = progress_start(options, "points checked", work.item_count);
        for (size_t i = 0; status == STATUS_OK && i < work.item_count; i++) {
            status = check_item(&work, &work.items[i], options, cpu, findings, error);
            progress_step(&progress, i + 1);
        }
        progress_end(&progress);
    }
    work_close(&work);
    return status;
}

static bool is_observation(const json_t *seen)
{
    return json_is_string(json_object_get(seen, "source")) && json_is_string(json_object_get(seen, "kind")) &&
           json_is_number(json_object_get(seen, "value")) && json_is_number(json_object_get(seen, "low")) &&
           json_is_number(json_object_get(seen, "high"));
}

/* What is wrong with a recorded point's rates, or NULL. */
static const char *fault_of(const json_t *rates)
{
    const char *metric;
    json_t *entry;
    if (!json_is_object(rates))
        return "expected an object as \"rates\", or the \"error\" of a point that did not run";
    json_object_foreach((json_t *)(uintptr_t)rates, metric, entry)
    {
        const json_t *list = json_object_get(entry, "observations");
        if (!json_is_array(list))
            return "expected a list of \"observations\" for each rate";
        for (size_t i = 0; i < json_array_size(list); i++)
            if (!is_observation(json_array_get(list, i)))
                return "expected \"source\" and \"kind\" and numbers as \"value\", \"low\" and \"high\" in "
                       "each "
                       "observation";
    }
    return NULL;
}

/* Recorded observations are judged again, by the targets recorded with them. */
static enum status check_recorded(const json_t *recorded, const char *path, const struct options *options,
                                  struct findings *findings, struct error *error)
{
    const char *benchmark = json_string_or(recorded, "benchmark", "");
    const char *name = json_string_or(recorded, "name", "");
    const json_t *rates = json_object_get(recorded, "rates");
    json_t *failure = json_object_get(recorded, "error");
    const char *fault = json_is_string(failure) ? NULL : fault_of(rates);
    if (fault != NULL) {
        error_set(error, STATUS_USAGE, "%s/%s: %s", benchmark, name, fault);
        error_at(error, path, 0);
        return STATUS_USAGE;
    }
    json_t *point = new_point(benchmark, name, json_string_or(recorded, "target", ""));
    findings->tally.skipped += json_object_get(recorded, "skipped") != NULL;
    if (json_is_string(failure)) {
        json_object_set(point, "error", failure);
        json_object_set(point, "code", json_object_get(recorded, "code"));
    } else
        json_object_set_new(point, "rates",
                            verdict_judge_again(rates, json_object_get(recorded, "tolerance")));
    add_point(findings, options, point);
    return STATUS_OK;
}

static enum status check_results(const struct options *options, const char *path, struct findings *findings,
                                 struct error *error)
{
    struct results results;
    enum status status = results_read(path, &results, error);
    if (status == STATUS_OK && results.cut)
        command_warn(options, "%s: the last line is incomplete and left out; trauma run --resume goes on",
                     path);
    for (size_t i = 0; status == STATUS_OK && i < json_array_size(results.points); i++)
        status = check_recorded(json_array_get(results.points, i), path, options, findings, error);
    if (status == STATUS_OK && json_array_size(results.points) == 0)
        status =
            error_set(error, STATUS_FAILED, "%s holds no finished point: there is nothing to check", path);
    results_free(&results);
    return status;
}

static void print_findings(const struct findings *findings, const struct options *options)
{
    struct table table = judged_table();
    for (size_t i = 0; i < json_array_size(findings->points); i++) {
        const json_t *point = json_array_get(findings->points, i);
        char name[512];
        snprintf(name, sizeof name, "%s/%s", json_string_or(point, "benchmark", ""),
                 json_string_or(point, "point", ""));
        judged_rows(&table, name, json_object_get(point, "rates"), options->verbose);
    }
    table_print(&table);
    table_free(&table);
    printf("\n");
    judged_print_summary(&findings->tally, json_array_size(findings->points));
}

/* All inputs are of one kind: results files, or recipes and suites. */
static enum status check_inputs(const struct options *options, struct findings *findings, struct error *error)
{
    size_t results = 0;
    for (size_t i = 0; i < options->input_count; i++) {
        enum input_kind kind;
        enum status status = work_classify(options->inputs[i], &kind, error);
        if (status != STATUS_OK)
            return status;
        results += kind == INPUT_RESULTS;
    }
    if (results == 0)
        return check_programs(options, findings, error);
    if (results < options->input_count)
        return error_set(error, STATUS_USAGE, "results files and recipes or suites are checked apart");
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < options->input_count; i++)
        status = check_results(options, options->inputs[i], findings, error);
    return status;
}

static int run(const struct options *options)
{
    struct error error;
    struct findings findings = {.points = json_array()};
    if (!evidence_check_names(options->counters, &error)) {
        json_decref(findings.points);
        return command_fail(&error);
    }
    enum status status = check_inputs(options, &findings, &error);
    if (status == STATUS_OK && options->junit != NULL)
        status = report_junit(findings.points, options->junit, &error);
    if (status == STATUS_OK && options->tap)
        report_tap(findings.points);
    else if (status == STATUS_OK && !options->json)
        print_findings(&findings, options);
    json_decref(findings.points);
    return status == STATUS_OK ? (int)judged_status(&findings.tally, options->strict) : command_fail(&error);
}

const struct command command_check = {
    .name = "check",
    .arguments = "RECIPE|SUITE|RESULTS.jsonl... [-m MACHINE] [OPTIONS]",
    .summary = "says, rate by rate and with evidence, whether the code does what its recipe says",
    .details =
        "A rate passes when the best kind of source that saw it lies within that kind's tolerance. Exit code "
        "5\n"
        "when a rate missed, 0 when none did; a rate that is unobserved or inconclusive is reported, and is "
        "4 "
        "under\n--strict. --calibrate tunes the plans first (trauma run --help); a machine of -m that is not "
        "this host is\ncalibrated by simulation.\n",
    .options = accepted,
    .run = run,
};
