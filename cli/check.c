/* trauma check: targets against observations. */
#include "base/memory.h"
#include "base/text/names.h"
#include "base/text/plural.h"
#include "cli/command.h"
#include "cli/options/output_kind.h"
#include "cli/options/requests.h"
#include "report/point_table.h"
#include "report/table.h"
#include "report/test_formats.h"
#include "report/verdict_report.h"
#include "runner/evidence/evidence.h"
#include "runner/sources/source.h"
#include "session/execute/check_points.h"
#include "session/simulator_trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const accepted[] = {"machine", "target",   "filter",     "set",         "seed",
                                       "shard",   "counters", "sysfs-root", "allow-state", "strict",
                                       "tap",     "junit",    "failed",     "json",        "quiet",
                                       "verbose", "jobs",     "index",      "calibrate",   "no-calibration",
                                       "tune",    "here",     "import",     "columns",     "device",
                                       "probe",   "map",      "as-is",      "failed-in",   "simulator",
                                       NULL};

/* The findings so far, one per point, in order. */
struct findings {
    const struct options *options;
    size_t count;
    struct point_table points; /* of all findings, if tables are printed */
    struct verdict_list rates;
    struct check_findings list; /* for formats that need all findings at once */
    struct tally tally;
    bool by_cachegrind; /* it observed some rate */
};

/* With --failed, only points of which something did not pass. */
static void add_rows(struct findings *findings, const struct check_finding *finding)
{
    bool open = finding->failure != NULL;
    for (size_t i = 0; i < finding->rates.count; i++)
        open = open || verdict_rank(finding->rates.items[i].verdict) != RANK_PASSED;
    if (!findings->options->failed || open)
        point_table_add(&findings->points, finding);
    verdict_list_add(&findings->rates, finding);
}

static void print_lines(const struct check_finding *finding, bool failed_only)
{
    if (finding->failure != NULL)
        command_print_line(verdict_failure_line(finding));
    for (size_t i = 0; i < finding->rates.count; i++)
        if (!failed_only || verdict_rank(finding->rates.items[i].verdict) != RANK_PASSED)
            command_print_line(verdict_line(finding, &finding->rates.items[i]));
}

/* Test formats need no observations. */
static void keep(struct findings *findings, struct check_finding *finding)
{
    struct check_findings *list = &findings->list;
    for (size_t i = 0; i < finding->rates.count; i++)
        observations_free(&finding->rates.items[i].seen);
    list->items = memory_next(list->items, list->count, sizeof *list->items);
    list->items[list->count++] = finding;
}

/* True if cachegrind observed a rate of the point. */
static bool by_cachegrind(const struct check_finding *finding)
{
    for (size_t i = 0; i < finding->rates.count; i++)
        for (size_t k = 0; k < finding->rates.items[i].seen.count; k++)
            if (strcmp(finding->rates.items[i].seen.items[k].source, counter_cachegrind.name) == 0)
                return true;
    return false;
}

static void add_finding(void *context, struct check_finding *finding)
{
    struct findings *findings = context;
    if (finding->failure == NULL)
        tally_rates(&finding->rates, &findings->tally);
    else
        tally_failure(finding->code, &findings->tally);
    if (findings->options->json)
        print_lines(finding, findings->options->failed);
    findings->count++;
    findings->by_cachegrind = findings->by_cachegrind || by_cachegrind(finding);
    if (!findings->options->json && !findings->options->tap)
        add_rows(findings, finding);
    if (findings->options->tap || findings->options->junit != NULL)
        keep(findings, finding);
    else
        check_finding_free(finding);
}

/* Counts first, then the points, then their rates. One point's row would only repeat them. */
static void print_findings(struct findings *findings)
{
    struct buffer summary = {0};
    tally_summary(&findings->tally, findings->count, &summary);
    fputs(summary.data, stdout);
    if (findings->count > 1 && findings->points.count > 0) {
        printf("\n");
        point_table_print(&findings->points, stdout);
    }
    verdict_list_print(&findings->rates, stdout);
    if (findings->options->verbose && findings->by_cachegrind)
        printf(
            "\nto repeat what cachegrind saw: valgrind --tool=cachegrind --cache-sim=yes --vex-iropt-level=0 "
            "(else loads whose value nothing uses are dropped), docs/howto/simulators.md\n");
    buffer_free(&summary);
}

/* All inputs are of one kind: results files, or recipes and suites. */
static enum status check_inputs(const struct options *options, struct findings *findings, struct error *error)
{
    static const char *const of_programs[] = {
        "machine",    "target",      "filter", "set",   "seed",      "shard",          "counters",
        "sysfs-root", "allow-state", "jobs",   "index", "calibrate", "no-calibration", "tune",
        "here",       "columns",     "device", "probe", "map",       "failed-in",      NULL};
    static const char *const of_suites[] = {"machine", "set", "tune", "index", "seed", NULL};
    struct requests requests;
    requests_fill(options, WORK_GPU_ANOTHER, &requests);
    const struct check_request request = {.evidence = requests.evidence,
                                          .jobs = (size_t)options->jobs,
                                          .allow_state = options->allow_state,
                                          .as_is = options->as_is,
                                          .tally = &findings->tally,
                                          .found = add_finding,
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
    if (options->map != NULL && !names_contain(options->counters, counter_qemu.name))
        return error_set(error, STATUS_USAGE, "--map is for the source qemu, which --counters %s leaves out",
                         options->counters);
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

static enum status write_junit(const struct check_findings *list, const char *path, struct error *error)
{
    struct buffer text = {0};
    report_junit(list, &text);
    enum status status = output_write(path, text.data, text.size, error);
    buffer_free(&text);
    return status;
}

static void print_tap(const struct check_findings *list)
{
    struct buffer text = {0};
    report_tap(list, &text);
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

/* TAP, which takes the place of the tables, counts what passed. A JUnit file beside them has all rates. */
static enum status refuse_with_failed(const struct options *options, struct error *error)
{
    if (!options->failed || !options->tap)
        return STATUS_OK;
    error_set(error, STATUS_USAGE, "--failed shortens tables and --json; --tap has all rates");
    error_hint(error, "leave one of them out");
    return STATUS_USAGE;
}

/* ---- a simulator ---- */

static void print_trial_lines(const struct simulator_trial *trial)
{
    for (size_t i = 0; i < trial->count; i++) {
        const struct simulator_row *row = &trial->rows[i];
        command_print_line(json_pack("{s:s, s:s, s:f, s:f, s:f, s:s}", "program", row->program, "metric",
                                     simulated_rate_names[row->rate], "promised", row->promised, "reported",
                                     row->reported, "tolerance", row->tolerance, "verdict",
                                     row->wrong ? "wrong" : "right"));
    }
    command_print_line(json_pack("{s:I, s:I, s:I, s:[s*, s*, s*], s:I, s:I}", "programs",
                                 (json_int_t)trial->programs, "rates", (json_int_t)trial->count, "wrong",
                                 (json_int_t)trial->wrong, "faults", trial->faults[0], trial->faults[1],
                                 trial->faults[2], "explained", (json_int_t)trial->explained, "tried",
                                 (json_int_t)trial->tried));
}

static void print_trial(const struct simulator_trial *trial, const char *simulator, bool failed_only)
{
    struct table table = table_of("program|metric|>promised|>reported|>difference|verdict");
    for (size_t i = 0; i < trial->count; i++) {
        const struct simulator_row *row = &trial->rows[i];
        if (failed_only && !row->wrong)
            continue;
        table_cell(&table, "%s", row->program);
        table_cell(&table, "%s", simulated_rate_names[row->rate]);
        table_cell(&table, "%.4f", row->promised);
        table_cell(&table, "%.4f", row->reported);
        table_cell(&table, "%+.4f", row->reported - row->promised);
        table_cell(&table, "%s", row->wrong ? "wrong" : "right");
    }
    printf("%s: %zu of %zu rate%s of %zu program%s wrong\n", simulator, trial->wrong, trial->count,
           plural_s(trial->count), trial->programs, plural_s(trial->programs));
    for (size_t i = 0; trial->faults[i] != NULL; i++)
        printf(trial->nearly ? "%s %s: its rates are the nearest, and %zu of %zu within the tolerance\n"
                             : "%s %s: that explains %zu of %zu rates\n",
               i == 0 ? "it looks as if it" : "or as if it", trial->faults[i], trial->explained,
               trial->tried);
    if (trial->wrong > 0 && trial->faults[0] == NULL)
        printf(trial->tried > 0 ? "no known fault explains more of its rates than none does\n"
                                : "no fault could be tried\n");
    if (table.cell_count > 0)
        printf("\n");
    table_finish(&table, stdout);
}

static int check_simulator(const struct options *options)
{
    static const char *const others[] = {"counters", "sysfs-root", "allow-state", "strict", "tap",
                                         "junit",    "calibrate",  "probe",       "map",    "here",
                                         "device",   "failed-in",  "jobs",        "as-is",  NULL};
    struct requests requests;
    struct simulator_trial trial = {0};
    struct error error;
    const struct simulator_request request = {options->simulator, options->import, options->columns};
    requests_fill(options, WORK_GPU_NEEDED, &requests);
    enum status status = options_refuse(options, others, "a simulator", "its own report is judged", &error);
    if (status == STATUS_OK && options->import == NULL) {
        status = error_set(&error, STATUS_USAGE, "--simulator %s needs --import: what it reports",
                           options->simulator);
        error_hint(&error, "--import 'stats/{}.txt': {} is BENCHMARK/POINT");
    }
    if (status == STATUS_OK)
        status = simulator_trial_judge(&request, &requests.selection, &requests.target, &trial, &error);
    if ((status == STATUS_OK || status == STATUS_MISSED) && options->json)
        print_trial_lines(&trial);
    else if (status == STATUS_OK || status == STATUS_MISSED)
        print_trial(&trial, options->simulator, options->failed);
    simulator_trial_free(&trial);
    return status == STATUS_OK || status == STATUS_MISSED ? (int)status : command_fail(&error);
}

static int run(const struct options *options)
{
    struct error error;
    if (options->simulator != NULL)
        return check_simulator(options);
    if (!evidence_check_names(options->counters, &error))
        return command_fail(&error);
    struct findings findings = {
        .options = options,
        .rates = verdict_list_new(options->failed ? RANK_OPEN : RANK_PASSED, options->verbose)};
    enum status status = refuse_with_failed(options, &error);
    if (status == STATUS_OK)
        status = check_inputs(options, &findings, &error);
    if (status == STATUS_OK && options->junit != NULL)
        status = write_junit(&findings.list, options->junit, &error);
    if (status == STATUS_OK && options->tap)
        print_tap(&findings.list);
    else if (status == STATUS_OK && !options->json && !output_is_standard(options->junit))
        print_findings(&findings);
    for (size_t i = 0; i < findings.list.count; i++)
        check_finding_free(findings.list.items[i]);
    free(findings.list.items);
    point_table_free(&findings.points);
    verdict_list_free(&findings.rates);
    return status == STATUS_OK ? (int)conclude_check(&findings.tally, options) : command_fail(&error);
}

const struct command command_check = {
    .name = "check",
    .arguments = "RECIPE|SUITE|RESULTS.jsonl... [-m MACHINE] [OPTIONS]",
    .summary = "reports for each rate, with evidence, whether the code meets its recipe",
    .details =

        "A verdict has two sides: what the code does on the described machine (inspected, simulated), and "
        "what the silicon of this machine does with it (measured, otherwise inferred). A rate fails if "
        "either side fails and passes if both pass; pass (code) means that nothing observes the silicon, as "
        "of every machine but this one. What the bytes alone settle, such as the mix of instructions, needs "
        "no silicon.\n"
        "\n"
        "The exit code is 3 if a point is refused, else 5 if a rate missed its target, 4 if nothing was "
        "observed, else 0. Under --strict it is 4 if a rate is unobserved, inconclusive, or on this machine "
        "pass (code).\n"
        "\n"
        "First come the counts of verdicts, then one row per point, then its rates, those that did not pass "
        "first. --failed shows only points and rates that fail, are inconclusive or unobserved, or did not "
        "run; a file of --junit has all.\n"
        "\n"
        "--calibrate first tunes the plans (trauma run --help). If the machine of -m is not this host, it "
        "calibrates by simulation.\n"
        "\n"
        "--map judges cache rates by qemu with the program's pages at random places in memory, several "
        "times, as a system might put them; hashed also hashes the index of L2 and L3. Without it, caches "
        "see the program's own addresses.\n"
        "\n"
        "What cachegrind saw can be repeated by hand: the difference of two runs of a suite's program under "
        "valgrind belongs to the loop. -v prints the command. Its option vex-iropt-level=0 is needed, as "
        "valgrind otherwise drops loads whose value nothing uses (docs/howto/simulators.md).\n"
        "\n"
        "With -j N, one process times the points while the others simulate and inspect ahead of it; -j 1 "
        "does all in turn.\n",
    .examples = "  trauma check my.lua\n"
                "  trauma check my.lua --filter miss=0.37 -m cortex-a72\n"
                "  trauma check results.jsonl --failed  # only what did not pass\n"
                "  trauma check my.lua --failed-in results.jsonl\n",
    .options = accepted,
    .run = run,
};
