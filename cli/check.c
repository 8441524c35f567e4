/* trauma check: compares targets with observations. */
#include "base/file.h"
#include "base/memory.h"
#include "base/text/names.h"
#include "base/text/plural.h"
#include "cli/command.h"
#include "cli/options/output_kind.h"
#include "cli/options/requests.h"
#include "report/point_table.h"
#include "report/table.h"
#include "report/verdict_report.h"
#include "runner/evidence/evidence.h"
#include "runner/results/evidence_kind.h"
#include "runner/simulators/simulator.h"
#include "runner/sources/source.h"
#include "session/events.h"
#include "session/execute/check_points.h"
#include "session/target_request.h"
#include "session/work.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- judging a simulator ---- */

struct simulator_request {
    const char *simulator; /* its name in the table */
    const char *stats;     /* a file; with {} in its name, one for each program: {} is BENCHMARK/POINT */
    const char *columns;   /* of a table; NULL: none */
};

/* One rate of one program. */
struct simulator_row {
    char *program;
    enum simulated_rate rate;
    double promised, reported, tolerance;
    bool wrong;
};

/* All zeros is empty. */
struct simulator_trial {
    struct simulator_row *rows;
    size_t count, wrong, programs;

    /* Faults of a simulator that explain more of its rates than a correct one would, each equally many;
     * NULL-terminated. */
    const char *faults[4];
    bool nearly;      /* they do not explain more rates, but their rates are nearest to the reported ones */
    size_t explained; /* rates that each of them explains, of `tried` */
    size_t tried;     /* rates of programs that the faults were tried on */
};

enum { MOST_FAULTS_NAMED = 3, PASSES = 100, NAME_BYTES = 512 };
/* A fault is nearer than another only if its distance is below this share of the other's. */
static const double NEARER = 0.9;
/* Accesses to execute with a fault: if the report does not state its own number, and at most. */
static const double LEAST = 20000, MOST = 100000;

/* The rates of one program: promised, reported, and those of a simulator with each fault. */
struct judged {
    double promised[SIMULATED_RATES], reported[SIMULATED_RATES];
    double counted; /* accesses in the report; NAN: unknown */
    double faulty[SIMULATOR_FAULTS][SIMULATED_RATES];
    bool has_faulty;
};

struct trying {
    const struct simulator *simulator;
    const struct simulator_request *request;
    struct work *work;
    struct judged *programs; /* [item_count] */
    struct simulator_trial *trial;
};

static double tolerance_of(enum simulated_rate rate)
{
    const double *of = evidence_kinds[EVIDENCE_SIMULATED].tolerances;
    return rate == RATE_BRANCH ? of[1] : of[0];
}

/* ---- reports ---- */

/* The path, with the program's name in place of {}. */
static enum status name_file(const struct trying *judging, const char *program, char path[FILE_PATH_BYTES],
                             struct error *error)
{
    const char *stats = judging->request->stats, *mark = strstr(stats, "{}");
    bool table = strcmp(judging->simulator->name, "csv") == 0;
    if (mark == NULL && !table && judging->work->item_count > 1) {
        error_set(error, STATUS_USAGE, "--import %s: that is the report of one program, and %zu are selected",
                  stats, judging->work->item_count);
        error_hint(error,
                   "name a file for each, with {} for BENCHMARK/POINT: --import 'stats/{}.txt'; or --filter");
        return STATUS_USAGE;
    }
    if (mark == NULL)
        snprintf(path, FILE_PATH_BYTES, "%s", stats);
    else
        snprintf(path, FILE_PATH_BYTES, "%.*s%s%s", (int)(mark - stats), stats, program, mark + 2);
    return STATUS_OK;
}

static enum status read_report(const struct trying *judging, const char *program,
                               const struct simulated_known *known, struct judged *judged,
                               struct error *error)
{
    char path[FILE_PATH_BYTES];
    struct buffer text = {0};
    struct simulated_stats stats;
    simulated_stats_clear(&stats);
    enum status status = name_file(judging, program, path, error);
    if (status == STATUS_OK)
        status = file_read_most(path, FILE_MOST_DOCUMENT, &text, error);
    buffer_append(&text, "", 1);
    const struct simulated_text from = {path, text.data, program, judging->request->columns};
    if (status == STATUS_OK)
        status = judging->simulator->read(&from, &stats, error);
    buffer_free(&text);
    if (status == STATUS_OK) {
        simulated_complete(&stats, known);
        simulated_rates(&stats, judged->reported);
        judged->counted = isnan(stats.of[SIMULATED_ACCESSES])
                              ? stats.of[SIMULATED_LOADS] + stats.of[SIMULATED_STORES]
                              : stats.of[SIMULATED_ACCESSES];
    }
    return status;
}

/* ---- promises ---- */

static struct simulated_known known_of(const struct manifest *manifest)
{
    double instructions = manifest->states_instructions ? manifest->instructions : NAN;
    return (struct simulated_known){(manifest->loads + manifest->stores) / instructions,
                                    rates_get(&manifest->counts, "branches", NAN) / instructions};
}

static void set_promised(const struct manifest *manifest, double rates[SIMULATED_RATES])
{
    for (size_t i = 0; i < SIMULATED_RATES; i++)
        rates[i] = rates_get(&manifest->expected, simulated_rate_names[i], NAN);
    double accesses = manifest->loads + manifest->stores;
    double branches = rates_get(&manifest->counts, "branches", NAN);
    rates[RATE_STORES] = accesses > 0 ? manifest->stores / accesses : NAN;
    double misses = rates_get(&manifest->counts, "l1d.misses", NAN);
    rates[RATE_STORE_MISSES] =
        misses > 0 ? rates_get(&manifest->counts, "l1d.store_misses", NAN) / misses : NAN;
    rates[RATE_BRANCH] = branches > 0 ? rates_get(&manifest->counts, "branches.missed", NAN) / branches : NAN;
    if (!(accesses > 0))
        rates[RATE_L1D] = NAN;
    if (!(rates[RATE_L1D] > 0))
        rates[RATE_L2] = NAN;
    if (!(rates[RATE_L2] > 0))
        rates[RATE_L3] = NAN;
}

/* Enough for as many accesses as the simulator counted, up to MOST, so that cold misses have the same share
 * in both. */
static uint64_t passes_to_try(const struct manifest *manifest, double counted)
{
    double accesses = manifest->loads + manifest->stores, period = fmax(manifest->period, 1);
    double wanted = isnan(counted) ? LEAST : fmin(counted, MOST);
    double passes = accesses > 0 ? round(wanted / accesses) : PASSES;
    return (uint64_t)(ceil(fmax(passes, PASSES) / period) * period);
}

/* Executes the program with each fault. A program that qemu cannot execute is left out, with a warning. */
static void try_faults(struct trying *judging, size_t index)
{
    bool changed;
    struct program program = {0};
    struct error error;
    const struct work_item *item = &judging->work->items[index];
    struct judged *judged = &judging->programs[index];
    if (judged->has_faulty)
        return;
    if (work_refusal(item, &error) == STATUS_OK &&
        work_program(item, &program, &changed, &error) == STATUS_OK) {
        const struct test_program test_program = work_test_program(item, &program, -1);
        judged->has_faulty =
            simulator_fault_rates(&test_program, passes_to_try(program.manifest, judged->counted),
                                  judged->faulty, &error) == STATUS_OK;
        if (!judged->has_faulty)
            session_point(judging->work->request->events, SESSION_WARNING, item->benchmark, item->point,
                          "no fault can be tried: %s", error.message);
    }
    program_free(&program);
}

/* True if the machine replaces no line at random, so that one execution shows the rates of walks. */
static bool is_certain(const struct machine *machine)
{
    const struct cache *const caches[] = {&machine->l1d, &machine->l2, &machine->l3};
    bool certain = machine->data_tlb.policy != POLICY_RANDOM;
    for (size_t i = 0; i < sizeof caches / sizeof caches[0]; i++)
        certain = certain && caches[i]->policy != POLICY_RANDOM;
    return certain;
}

/* For walks, and for pages without tlb{}, the manifest has a prediction or nothing. Their rates are those of
 * an execution instead, with all pages as large as the machine's TLB states, since simulators have no huge
 * pages.
 */
static void set_promised_walks(struct trying *judging, size_t index, const struct manifest *manifest)
{
    struct judged *judged = &judging->programs[index];
    const struct machine *machine = work_machine(judging->work->items[index].source);
    static const enum simulated_rate rates[] = {RATE_L1D, RATE_L2, RATE_L3, RATE_TLB};
    for (size_t i = 0; is_certain(machine) && i < sizeof rates / sizeof rates[0]; i++) {
        bool has = rates[i] == RATE_TLB ? machine->data_tlb.entries > 0 : !isnan(judged->promised[rates[i]]);
        if (!has || isnan(judged->reported[rates[i]]) ||
            !isnan(rates_get(&manifest->targets, simulated_rate_names[rates[i]], NAN)))
            continue;
        try_faults(judging, index);
        if (judged->has_faulty)
            judged->promised[rates[i]] = judged->faulty[0][rates[i]];
    }
}

static void add_trial_rows(struct trying *judging, const char *program, const struct judged *judged)
{
    struct simulator_trial *trial = judging->trial;
    for (size_t i = 0; i < SIMULATED_RATES; i++) {
        struct simulator_row row = {.rate = (enum simulated_rate)i,
                                    .promised = judged->promised[i],
                                    .reported = judged->reported[i],
                                    .tolerance = tolerance_of(i)};
        if (isnan(row.promised) || isnan(row.reported))
            continue;
        row.program = memory_text(program);
        row.wrong = fabs(row.promised - row.reported) > row.tolerance;
        trial->wrong += row.wrong;
        trial->rows = memory_next(trial->rows, trial->count, sizeof *trial->rows);
        trial->rows[trial->count++] = row;
    }
    trial->programs++;
}

static enum status judge_item(struct trying *judging, size_t index, struct error *error)
{
    char name[NAME_BYTES];
    bool changed;
    struct program program = {0};
    struct simulated_known known;
    const struct work_item *item = &judging->work->items[index];
    struct judged *judged = &judging->programs[index];
    snprintf(name, sizeof name, "%s/%s", item->benchmark, item->point);
    if (work_refusal(item, error) != STATUS_OK) /* it has no program */
        return STATUS_OK;
    enum status status = work_program(item, &program, &changed, error);
    if (status == STATUS_OK)
        known = known_of(program.manifest);
    if (status == STATUS_OK)
        status = read_report(judging, name, &known, judged, error);
    if (status == STATUS_OK) {
        set_promised(program.manifest, judged->promised);
        set_promised_walks(judging, index, program.manifest);
        add_trial_rows(judging, name, judged);
    }
    program_free(&program);
    return status;
}

/* ---- faults ---- */

static bool is_near(double a, double b, enum simulated_rate rate)
{
    return fabs(a - b) <= tolerance_of(rate);
}

/* The number of reported rates that a simulator with the fault would have; *tried: those that can be
 * compared.
 */
static size_t count_explained(const struct trying *judging, size_t fault, size_t *tried)
{
    size_t explained = 0;
    *tried = 0;
    for (size_t i = 0; i < judging->work->item_count; i++)
        for (size_t rate = 0; judging->programs[i].has_faulty && rate < SIMULATED_RATES; rate++) {
            const struct judged *judged = &judging->programs[i];
            if (isnan(judged->reported[rate]) || isnan(judged->promised[rate]))
                continue;
            ++*tried;
            explained += is_near(judged->faulty[fault][rate], judged->reported[rate], rate);
        }
    return explained;
}

/* The faults that explain most rates: all of them, up to MOST_FAULTS_NAMED. */
static void find_fault(struct trying *judging)
{
    struct simulator_trial *trial = judging->trial;
    size_t named = 0, least = count_explained(judging, 0, &trial->tried);
    trial->explained = least;
    for (size_t fault = 1; fault < SIMULATOR_FAULTS; fault++) {
        size_t tried, explained = count_explained(judging, fault, &tried);
        if (explained > trial->explained)
            named = 0, trial->explained = explained;
        if (explained > least && explained == trial->explained && named < MOST_FAULTS_NAMED)
            trial->faults[named++] = simulator_fault_words(fault);
        trial->faults[named] = NULL;
    }
}

/* The sum of the differences between the reported rates and those of a simulator with the fault. */
static double distance_of(const struct trying *judging, size_t fault)
{
    double distance = 0;
    for (size_t i = 0; i < judging->work->item_count; i++)
        for (size_t rate = 0; judging->programs[i].has_faulty && rate < SIMULATED_RATES; rate++) {
            const struct judged *judged = &judging->programs[i];
            double off = judged->faulty[fault][rate] - judged->reported[rate];
            if (!isnan(judged->promised[rate]))
                distance += isnan(off) ? 0 : fabs(off);
        }
    return distance;
}

/* An out-of-order simulator has a fault's rates only approximately. If no fault explains more rates than none
 * does, names the faults whose rates are at most half as far from the reported ones. */
static void find_nearest(struct trying *judging)
{
    struct simulator_trial *trial = judging->trial;
    double least = distance_of(judging, 0) / 2;
    size_t named = 0;
    for (size_t fault = 1; fault < SIMULATOR_FAULTS; fault++) {
        double distance = distance_of(judging, fault);
        if (distance < least * NEARER)
            named = 0;
        if (distance < least / NEARER && named < MOST_FAULTS_NAMED)
            trial->faults[named++] = simulator_fault_words(fault);
        least = fmin(least, distance);
        trial->faults[named] = NULL;
    }
    trial->nearly = named > 0;
}

/* Opens the suite and judges. STATUS_MISSED if a rate is wrong, STATUS_UNAVAILABLE if the report has no
 * promised rate. Free with simulator_trial_free in every case. */
static enum status simulator_trial_judge(const struct simulator_request *request,
                                         const struct selection *selection,
                                         const struct target_request *target, struct simulator_trial *trial,
                                         struct error *error)
{
    struct work work = {0};
    struct trying judging = {.request = request, .work = &work, .trial = trial};
    enum status status = simulator_find(request->simulator, &judging.simulator, error);
    if (status == STATUS_OK)
        status = work_open(selection, target, &work, error);
    judging.programs = memory_zeroed(work.item_count, sizeof *judging.programs);
    for (size_t i = 0; status == STATUS_OK && i < work.item_count; i++)
        status = judge_item(&judging, i, error);
    for (size_t i = 0; status == STATUS_OK && trial->wrong > 0 && i < work.item_count; i++) {
        try_faults(&judging, i);
        session_progress(target->events, "programs tried with faults", i + 1, work.item_count);
    }
    session_progress_end(target->events);
    session_report_points(target->events);
    if (status == STATUS_OK && trial->wrong > 0)
        find_fault(&judging);
    if (status == STATUS_OK && trial->wrong > 0 && trial->faults[0] == NULL)
        find_nearest(&judging);
    free(judging.programs);
    work_close(&work);
    if (status == STATUS_OK && trial->count == 0)
        return error_set(error, STATUS_UNAVAILABLE,
                         "nothing was judged: %s has no rate that these programs promise", request->stats);
    return status == STATUS_OK && trial->wrong > 0 ? STATUS_MISSED : status;
}

static void simulator_trial_free(struct simulator_trial *trial)
{
    for (size_t i = 0; i < trial->count; i++)
        free(trial->rows[i].program);
    free(trial->rows);
    *trial = (struct simulator_trial){0};
}

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
    struct point_table points; /* if tables are printed */
    struct verdict_list rates;
    struct check_findings list; /* for formats that need all findings at once */
    struct tally tally;
    bool by_cachegrind; /* cachegrind observed a rate */
};

/* With --failed, only points with a rate that did not pass. */
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
    struct buffer lines = {0};
    struct json_text text = {.buffer = &lines, .compact = true};
    if (finding->failure != NULL)
        verdict_failure_line(&text, finding);
    for (size_t i = 0; i < finding->rates.count; i++)
        if (!failed_only || verdict_rank(finding->rates.items[i].verdict) != RANK_PASSED)
            verdict_line(&text, finding, &finding->rates.items[i]);
    command_print_json_lines(&lines);
}

/* Keeps the finding without its observations, which test formats do not need. */
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

/* The counts of verdicts, then the points unless there is only one, then the rates. */
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
            "\nto repeat cachegrind's counts: valgrind --tool=cachegrind --cache-sim=yes --vex-iropt-level=0 "
            "(without it, loads whose value is not used are dropped), docs/howto/simulators.md\n");
    buffer_free(&summary);
}

/* The inputs are either all results files, or recipes and suites. */
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

/* The exit code. Prints a line if nothing was observed. */
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

/* TAP, which is printed instead of the tables, states the number of all rates. */
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
    struct buffer lines = {0};
    struct json_text text = {.buffer = &lines, .compact = true};
    for (size_t i = 0; i < trial->count; i++) {
        const struct simulator_row *row = &trial->rows[i];
        json_text_open(&text, NULL, '{');
        json_text_string(&text, "program", row->program);
        json_text_string(&text, "metric", simulated_rate_names[row->rate]);
        json_text_real(&text, "promised", row->promised);
        json_text_real(&text, "reported", row->reported);
        json_text_real(&text, "tolerance", row->tolerance);
        json_text_string(&text, "verdict", row->wrong ? "wrong" : "right");
        json_text_close(&text, '}');
    }
    json_text_open(&text, NULL, '{');
    json_text_integer(&text, "programs", (long long)trial->programs);
    json_text_integer(&text, "rates", (long long)trial->count);
    json_text_integer(&text, "wrong", (long long)trial->wrong);
    json_text_open(&text, "faults", '[');
    for (size_t i = 0; trial->faults[i] != NULL; i++)
        json_text_string(&text, NULL, trial->faults[i]);
    json_text_close(&text, ']');
    json_text_integer(&text, "explained", (long long)trial->explained);
    json_text_integer(&text, "tried", (long long)trial->tried);
    json_text_close(&text, '}');
    command_print_json_lines(&lines);
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

        "A verdict has two sides. Code is what the program does on the described machine, by inspection "
        "and simulation. Silicon is what this machine does, measured or else inferred. A rate fails if "
        "either side fails, and passes if both pass. pass (code) means that nothing observed the silicon; "
        "this is always so for another machine. A metric that the bytes alone determine, such as the "
        "instruction mix, needs no silicon.\n"
        "\n"
        "The exit code is 3 if a point is refused, else 5 if a rate missed its target, else 4 if nothing "
        "was observed, else 0. With --strict it is 4 if a rate is unobserved, inconclusive, or on this "
        "machine pass (code).\n"
        "\n"
        "The output begins with the counts of verdicts. One row per point follows, then the rates, first "
        "those that did not pass. --failed prints only points and rates that fail, are inconclusive or "
        "unobserved, or did not run; the file of --junit always has all.\n"
        "\n"
        "--calibrate first tunes the plans (see trauma run --help). If the machine of -m is not this "
        "host, it calibrates by simulation.\n"
        "\n"
        "--map judges cache rates by qemu with the program's pages at random places in memory, several "
        "times, as an operating system might place them. With hashed, the index of L2 and L3 is hashed "
        "too. Without --map, the simulated caches are indexed by the program's own addresses.\n"
        "\n"
        "--simulator judges a simulator instead of a program: the rates that a suite promises are "
        "compared with those in the simulator's own report (--import).\n"
        "\n"
        "The counts of cachegrind can be repeated by hand: run a program of the suite twice under "
        "valgrind, with different numbers of iterations; the difference belongs to the loop. -v prints "
        "the command. Its option vex-iropt-level=0 is needed, as valgrind otherwise drops loads whose "
        "value is not used (docs/howto/simulators.md).\n"
        "\n"
        "With -j N, one process times the points while the others simulate and inspect in advance; -j 1 "
        "does everything in turn.\n",
    .examples = "  trauma check my.lua\n"
                "  trauma check my.lua --filter miss=0.37 -m cortex-a72\n"
                "  trauma check results.jsonl --failed  # only what did not pass\n"
                "  trauma check my.lua --failed-in results.jsonl\n",
    .options = accepted,
    .run = run,
};
