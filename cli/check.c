/* trauma check: targets against observations. */
#include "base/json.h"
#include "cli/command.h"
#include "cli/output_kind.h"
#include "cli/requests.h"
#include "report/test_formats.h"
#include "report/verdict_report.h"
#include "runner/results/evidence.h"
#include "session/execute/check_points.h"

#include <stdint.h>
#include <stdio.h>

static const char *const accepted[] = {
    "machine",        "target",     "filter",      "set",    "seed",    "shard",
    "counters",       "sysfs-root", "allow-state", "strict", "tap",     "junit",
    "json",           "quiet",      "verbose",     "jobs",   "index",   "calibrate",
    "no-calibration", "tune",       "here",        "import", "columns", "device",
    "probe",          NULL};

/* The findings so far, one per point, in order. */
struct findings {
    const struct options *options;
    size_t count;
    struct table table; /* of all findings, if a table is printed */
    json_t *points;     /* for formats that need all findings at once (test_formats.h) */
    struct tally tally;
};

/* The part of the verdicts that test formats need: no observations. New reference. */
static json_t *outcomes(const json_t *rates)
{
    json_t *brief = json_object();
    const char *metric;
    json_t *entry;
    json_object_foreach((json_t *)(uintptr_t)rates, metric, entry)
    {
        json_object_set_new(brief, metric,
                            json_pack("{s:O*, s:O*}", "verdict", json_object_get(entry, "verdict"), "reason",
                                      json_object_get(entry, "reason")));
    }
    return brief;
}

static void add_rows(struct findings *findings, const json_t *point)
{
    char name[512];
    snprintf(name, sizeof name, "%s/%s", json_string_or(point, "benchmark", ""),
             json_string_or(point, "point", ""));
    verdict_rows(&findings->table, name, json_object_get(point, "rates"), findings->options->verbose);
}

/* Takes the reference. */
static void print_line(json_t *line)
{
    command_print_json(line, 0);
    json_decref(line);
}

static void print_lines(const json_t *point, const json_t *rates)
{
    const char *benchmark = json_string_or(point, "benchmark", "");
    const char *name = json_string_or(point, "point", "");
    const char *target = json_string_or(point, "target", "");
    const char *metric;
    json_t *entry;
    if (rates == NULL)
        print_line(verdict_failure_line(benchmark, name, target, json_string_or(point, "error", "")));
    json_object_foreach((json_t *)(uintptr_t)rates, metric, entry)
    {
        print_line(verdict_line(benchmark, name, target, metric, entry));
    }
}

/* Takes the reference. */
static void add_point(void *context, json_t *point)
{
    struct findings *findings = context;
    const json_t *rates = json_object_get(point, "rates");
    if (rates != NULL)
        tally_rates(rates, &findings->tally);
    else
        tally_failure(point, &findings->tally);
    if (findings->options->json)
        print_lines(point, rates);
    findings->count++;
    if (!findings->options->json && !findings->options->tap)
        add_rows(findings, point);
    if (findings->options->tap || findings->options->junit != NULL) {
        if (rates != NULL)
            json_object_set_new(point, "rates", outcomes(rates));
        json_array_append(findings->points, point);
    }
    json_decref(point);
}

static void print_findings(const struct findings *findings)
{
    table_print(&findings->table, stdout);
    struct buffer summary = {0};
    tally_summary(&findings->tally, findings->count, &summary);
    printf("\n%s", summary.data);
    buffer_free(&summary);
}

/* All inputs are of one kind: results files, or recipes and suites. */
static enum status check_inputs(const struct options *options, struct findings *findings, struct error *error)
{
    static const char *const of_programs[] = {"machine", "target",    "filter",         "set",         "seed",
                                              "shard",   "counters",  "sysfs-root",     "allow-state", "jobs",
                                              "index",   "calibrate", "no-calibration", "tune",        "here",
                                              "columns", "device",    "probe",          NULL};
    static const char *const of_suites[] = {"machine", "set", "tune", "index", "seed", NULL};
    struct requests requests;
    requests_fill(options, WORK_GPU_ANOTHER, &requests);
    const struct check_request request = {.evidence = requests.evidence,
                                          .jobs = (size_t)options->jobs,
                                          .allow_state = options->allow_state,
                                          .tally = &findings->tally,
                                          .found = add_point,
                                          .context = findings};
    size_t results = 0;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < options->input_count; i++) {
        enum input_kind kind;
        status = work_classify(options->inputs[i], &kind, error);
        if (status != STATUS_OK)
            return status;
        results += kind == INPUT_RESULTS;
    }
    status = requests_refuse_for_suites(options, of_suites, error);
    if (status != STATUS_OK)
        return status;
    if (results == 0)
        return check_programs(&request, &requests.selection, &requests.target, error);
    if (options->import != NULL)
        return error_set(error, STATUS_USAGE,
                         "--import adds counters to a recipe or suite; a results file already has those that "
                         "trauma run imported");
    if (results < options->input_count)
        return error_set(
            error, STATUS_USAGE,
            "results files cannot be checked together with recipes or suites; check them separately");
    status = options_refuse(options, of_programs, "a results file",
                            "all its recorded points are judged again", error);
    for (size_t i = 0; status == STATUS_OK && i < options->input_count; i++)
        status = check_results(&request, options->inputs[i], &requests.shown.events, error);
    return status;
}

static enum status write_junit(const json_t *points, const char *path, struct error *error)
{
    struct buffer text = {0};
    report_junit(points, &text);
    enum status status = output_write(path, text.data, text.size, error);
    buffer_free(&text);
    return status;
}

static void print_tap(const json_t *points)
{
    struct buffer text = {0};
    report_tap(points, &text);
    fwrite(text.data, 1, text.size, stdout);
    buffer_free(&text);
}

/* The exit code. A check that observed nothing says so. */
static enum status conclude_check(const struct tally *tally, const struct options *options)
{
    enum status status = tally_status(tally, options->strict);
    if (!tally_saw_nothing(tally) || (status != STATUS_OK && status != STATUS_UNAVAILABLE))
        return status;
    fprintf(options->tap || options->json || output_is_standard(options->junit) ? stderr : stdout,
            "nothing was observed, so nothing was checked: no requested source can observe these points "
            "here; `trauma sensors` lists the sources\n");
    return STATUS_UNAVAILABLE;
}

static int run(const struct options *options)
{
    struct error error;
    struct findings findings = {.options = options, .table = verdict_table(), .points = json_array()};
    if (!evidence_check_names(options->counters, &error)) {
        json_decref(findings.points);
        return command_fail(&error);
    }
    enum status status = check_inputs(options, &findings, &error);
    if (status == STATUS_OK && options->junit != NULL)
        status = write_junit(findings.points, options->junit, &error);
    if (status == STATUS_OK && options->tap)
        print_tap(findings.points);
    else if (status == STATUS_OK && !options->json && !output_is_standard(options->junit))
        print_findings(&findings);
    json_decref(findings.points);
    table_free(&findings.table);
    return status == STATUS_OK ? (int)conclude_check(&findings.tally, options) : command_fail(&error);
}

const struct command command_check = {
    .name = "check",
    .arguments = "RECIPE|SUITE|RESULTS.jsonl... [-m MACHINE] [OPTIONS]",
    .summary = "reports for each rate, with evidence, whether the code meets its recipe",
    .details =

        "A verdict has two sides: what the code does on the described machine (inspected, simulated), and "
        "what the silicon of this machine does with it (measured, otherwise inferred). A rate fails if "
        "either side fails and passes if both pass; pass (code) means that nothing observes the silicon. "
        "Other machines are judged by code alone.\n"
        "\n"
        "The exit code is 5 if a rate missed its target, 4 if nothing was observed, else 0. Under --strict "
        "it is 4 if a rate is unobserved, inconclusive or pass (code).\n"
        "\n"
        "--calibrate first tunes the plans (trauma run --help). If the machine of -m is not this host, it "
        "calibrates by simulation.\n"
        "\n"
        "With -j N, one process times the points while the others simulate and inspect ahead of it; -j 1 "
        "does all in turn.\n",
    .options = accepted,
    .run = run,
};
