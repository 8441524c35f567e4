/* trauma check: targets against observations. */
#include "base/clock.h"
#include "base/json.h"
#include "base/names.h"
#include "cli/calibrate.h"
#include "cli/check_workers.h"
#include "cli/command.h"
#include "cli/conditions.h"
#include "cli/devices.h"
#include "cli/imported.h"
#include "cli/judged.h"
#include "cli/output_kind.h"
#include "cli/probe_wanted.h"
#include "cli/progress.h"
#include "cli/report_tests.h"
#include "cli/wished_state.h"
#include "cli/work.h"
#include "runner/conditions/conditions.h"
#include "runner/launch/host.h"
#include "runner/results/evidence.h"
#include "runner/results/results.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* ---- check order ---- */

/* In which order a check looks at its points: what it says is in the order of its inputs all the same. */

static bool is_in_memory(const struct work_item *item)
{
    if (item->in_recipe == NULL || !item->source->target_context->machine.present)
        return false;
    json_t *document = work_document(item, NULL);
    const json_t *unit = json_object_get(json_object_get(document, "kernel"), "unit");
    bool found = false;
    for (size_t i = 0; i < json_array_size(unit); i++)
        found = found || json_number_or(json_object_get(json_array_get(unit, i), "served"), "MEM", 0) > 0;
    json_decref(document);
    return found;
}

/* The work's items, by their indices, in the order in which to look at them; in the work's arena. Points of
 * recipes for the present machine whose data lies in memory come one after the other, at the first one's
 * turn: a virtual machine may give pages that nobody uses back to its host within seconds, and to have a GiB
 * again takes it seconds, too. */
static const size_t *check_order(struct work *work)
{
    size_t *order = arena_alloc(&work->arena, work->item_count, sizeof *order);
    bool *far = arena_alloc(&work->arena, work->item_count, sizeof *far);
    size_t count = 0;
    bool gathered = false;
    for (size_t i = 0; i < work->item_count; i++)
        far[i] = is_in_memory(&work->items[i]);
    for (size_t i = 0; i < work->item_count; i++) {
        if (!far[i])
            order[count++] = i;
        for (size_t j = i; far[i] && !gathered && j < work->item_count; j++)
            if (far[j])
                order[count++] = j;
        gathered = gathered || far[i];
    }
    return order;
}

/* ---- check ---- */

static const char *const accepted[] = {
    "machine",        "target",     "filter",      "set",    "seed",    "shard",
    "counters",       "sysfs-root", "allow-state", "strict", "tap",     "junit",
    "json",           "quiet",      "verbose",     "jobs",   "index",   "calibrate",
    "no-calibration", "tune",       "here",        "import", "columns", "device",
    "probe",          NULL};

/* What a check has found so far: one entry a point, in order. */
struct findings {
    size_t count;
    struct table table; /* of all, where that is what is printed */
    json_t *points;     /* as report_tests.h has them, for the forms that need all at once */
    json_t **waiting;   /* those that came before their turn, by what their places will be; NULL: none does */
    size_t waiting_count;
    struct tally tally;
};

/* A finding without rates so far. */
static json_t *new_point(const char *benchmark, const char *point, const char *target)
{
    return json_pack("{s:s, s:s, s:s}", "benchmark", benchmark, "point", point, "target", target);
}

/* What report_tests.h needs of the judged rates: what each source saw is not among it. New reference. */
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

static void add_rows(struct findings *findings, const struct options *options, const json_t *point)
{
    char name[512];
    snprintf(name, sizeof name, "%s/%s", json_string_or(point, "benchmark", ""),
             json_string_or(point, "point", ""));
    judged_rows(&findings->table, name, json_object_get(point, "rates"), options->verbose);
}

/* Takes the reference. */
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
    findings->count++;
    if (!options->json && !options->tap)
        add_rows(findings, options, point);
    if (options->tap || options->junit != NULL) {
        if (rates != NULL)
            json_object_set_new(point, "rates", outcomes(rates));
        json_array_append(findings->points, point);
    }
    json_decref(point);
}

/* Adds the point of that place when its turn has come, and with it those that waited for it. */
static void add_in_turn(struct findings *findings, const struct options *options, size_t place, json_t *point)
{
    findings->waiting[place] = point;
    size_t next = findings->count;
    for (; next < findings->waiting_count && findings->waiting[next] != NULL; next++) {
        add_point(findings, options, findings->waiting[next]);
        findings->waiting[next] = NULL;
    }
}

/* A program that fails becomes a finding, not the end. */
static void add_failure(struct findings *findings, const struct options *options, size_t place, json_t *point,
                        const struct error *error)
{
    command_warn(options, "%s/%s: %s", json_string_or(point, "benchmark", ""),
                 json_string_or(point, "point", ""), error->message);
    judged_set_failure(point, error);
    add_in_turn(findings, options, place, point);
}

/* What a check of programs works with. */
struct checking {
    const struct options *options;
    struct work *work;
    struct check_workers workers;
    const size_t *order; /* of the work's items */
    int cpu;
    struct findings *findings;
};

/* A point that was timed, or could not be made (then the status is not STATUS_OK). */
struct timed {
    size_t turn;
    struct program program;
    struct evidence_parts parts;
    double seconds; /* that this process spent on it; its worker's are not known */
    enum status status;
    struct error error;
};

/* So many wait for their workers at most: each has its program in memory. */
enum { MOST_WAITING = 64 };

/* Asks the sources that have to be alone on the machine. What shares caches or processors is not timed while
 * workers are busy; from one such point to the next they need not begin again. */
static void ask_alone(struct checking *checking, const struct test_program *test_program,
                      struct evidence_parts *parts)
{
    if (test_program->machine->present && test_program_shares(test_program))
        check_workers_pause(&checking->workers);
    else
        check_workers_resume(&checking->workers);
    evidence_ask(test_program, checking->options->counters, true, parts);
}

/* The same in the state that the recipe wishes, if that is allowed, where it runs on this machine. */
static void ask_alone_in_state(struct checking *checking, const struct work_item *item,
                               const struct test_program *test_program, struct evidence_parts *parts)
{
    if (!test_program->machine->present) {
        ask_alone(checking, test_program, parts);
        return;
    }
    json_decref(wished_begin(checking->options, checking->work, item, test_program->manifest));
    ask_alone(checking, test_program, parts);
    wished_end(checking->options, checking->work);
}

/* What the sources complain of. */
static void pass_on(const struct options *options, const json_t *point)
{
    const json_t *warning;
    size_t i;
    json_array_foreach(json_object_get(point, "warnings"), i, warning)
    {
        const char *mend = json_string_or(warning, "mend", "");
        command_warn(options, "%s/%s: %s%s%s", json_string_or(point, "benchmark", ""),
                     json_string_or(point, "point", ""), json_string_or(warning, "what", ""),
                     mend[0] == '\0' ? "" : "; ", mend);
    }
}

/* Judges what all sources saw; what no worker looked at is looked at here. seconds: what was spent on the
 * point. */
static void conclude(const struct checking *checking, size_t index, const struct test_program *test_program,
                     struct evidence_parts *parts, double seconds)
{
    const struct work_item *item = &checking->work->items[index];
    const char *target = json_string_or(test_program->manifest, "target", "");
    json_t *point = new_point(item->benchmark, item->point, target);
    struct evidence evidence;
    struct error error;
    double begin_s = clock_now_s();
    evidence_ask(test_program, checking->options->counters, false, parts);
    json_object_set_new(point, "seconds", json_real(seconds + clock_now_s() - begin_s));
    enum status status = evidence_join(parts, &evidence, &error);
    if (status == STATUS_OK)
        status = imported_add(checking->options, &evidence, &error);
    if (status == STATUS_OK) {
        json_object_set_new(point, "rates", evidence_judge(test_program, &evidence));
        evidence_record(&evidence, point);
        pass_on(checking->options, point);
        add_in_turn(checking->findings, checking->options, index, point);
    } else {
        add_failure(checking->findings, checking->options, index, point, &error);
    }
    evidence_free(&evidence);
}

/* Warns of what stands against running it. */
static void warn_of(const struct checking *checking, const struct work_item *item,
                    const struct test_program *test_program)
{
    struct error error;
    if (test_program->machine->present && test_program->place != NULL &&
        test_program->place->why_not.message[0] != '\0')
        command_warn(checking->options, "%s/%s: %s; it is judged without running it", item->benchmark,
                     item->point, test_program->place->why_not.message);
    if (test_program_check_features(test_program, &error) != STATUS_OK) {
        command_warn(checking->options, "%s/%s is skipped: %s", item->benchmark, item->point, error.message);
        checking->findings->tally.skipped++;
    }
}

/* Times the program; what its worker says of it is waited for later. */
static void time_program(struct checking *checking, struct timed *timed)
{
    const struct work_item *item = &checking->work->items[checking->order[timed->turn]];
    struct test_program test_program = work_test_program(item, &timed->program, checking->cpu);
    struct placement place;
    test_program.brief = true;
    test_program_find_place(&test_program, &place);
    warn_of(checking, item, &test_program);
    ask_alone_in_state(checking, item, &test_program, &timed->parts);
}

/* Makes or loads the program of that turn and times it. One that cannot be loaded becomes a finding. */
static enum status time_item(struct checking *checking, size_t turn, struct timed *timed, struct error *error)
{
    const struct work_item *item = &checking->work->items[checking->order[turn]];
    struct calibrated calibrated;
    bool changed;
    double begin_s = clock_now_s();
    *timed = (struct timed){.turn = turn};
    enum status status = calibrated_program(checking->options, checking->work, item, checking->cpu,
                                            &timed->program, &changed, &calibrated, error);
    checking->findings->tally.unreached += calibrated.unreached;
    calibrated_free(&calibrated);
    if (status == STATUS_OK && changed)
        command_warn(checking->options,
                     "%s/%s: its files are not those that were generated; what is there is judged",
                     item->benchmark, item->point);
    if (status == STATUS_OK) {
        time_program(checking, timed);
    } else if (work_can_go_on(item, status)) {
        timed->status = status;
        timed->error = *error;
        status = STATUS_OK;
    }
    timed->seconds = clock_now_s() - begin_s;
    return status;
}

/* Adds what the point's worker saw and judges it all. */
static enum status finish_item(const struct checking *checking, struct timed *timed, struct error *error)
{
    size_t index = checking->order[timed->turn];
    const struct work_item *item = &checking->work->items[index];
    struct test_program test_program = work_test_program(item, &timed->program, checking->cpu);
    struct placement place;
    const char *target =
        json_string_or(timed->program.manifest, "target", json_string_or(item->entry, "target", ""));
    enum status status = check_workers_take(&checking->workers, timed->turn, &timed->parts, error);
    if (status == STATUS_OK && timed->status == STATUS_OK) {
        test_program_find_place(&test_program, &place);
        conclude(checking, index, &test_program, &timed->parts, timed->seconds);
    } else if (status == STATUS_OK) {
        add_failure(checking->findings, checking->options, index,
                    new_point(item->benchmark, item->point, target), &timed->error);
    }
    return status;
}

static void free_timed(struct timed *timed)
{
    evidence_free_parts(&timed->parts);
    program_free(&timed->program);
}

/* Times all points in their turns, and finishes each when its worker has looked at it, or when too many
 * wait for theirs. */
static enum status check_turns(struct checking *checking, struct progress *progress,
                               struct timed waiting[MOST_WAITING], struct error *error)
{
    size_t count = checking->work->item_count;
    size_t done = 0;
    size_t turn = 0;
    enum status status = STATUS_OK;
    while (status == STATUS_OK && done < count) {
        bool full = turn == count || turn - done == MOST_WAITING;
        struct timed *first = &waiting[done % MOST_WAITING];
        if (full)
            check_workers_resume(&checking->workers);
        if (turn > done && (full || check_workers_ready(&checking->workers, done))) {
            status = finish_item(checking, first, error);
            free_timed(first);
            progress_step(progress, ++done);
        } else {
            status = time_item(checking, turn, &waiting[turn % MOST_WAITING], error);
            turn++;
        }
    }
    for (; done < turn; done++)
        free_timed(&waiting[done % MOST_WAITING]);
    return status;
}

static enum status check_items(struct checking *checking, struct error *error)
{
    struct work *work = checking->work;
    struct progress progress = progress_start(checking->options, "points checked", work->item_count);
    checking->order = check_order(work);
    checking->findings->waiting = arena_alloc(&work->arena, work->item_count, sizeof(json_t *));
    checking->findings->waiting_count = work->item_count;
    const struct check_task task = {work, checking->order, checking->options, checking->cpu};
    enum status status = check_workers_open(&task, &checking->workers, error);
    if (status == STATUS_OK)
        status = check_turns(checking, &progress,
                             arena_alloc(&work->arena, MOST_WAITING, sizeof(struct timed)), error);
    for (size_t i = 0; i < work->item_count; i++)
        json_decref(checking->findings->waiting[i]); /* whose turn did not come, after an error */
    checking->findings->waiting_count = 0;
    check_workers_close(&checking->workers);
    progress_end(&progress);
    return status;
}

/* What speaks against measuring now; a machine that is not here is not measured. */
static void tell_conditions(const struct options *options, const struct work *work, int cpu)
{
    unsigned matters = conditions_that_matter(options, false, false);
    if (matters == 0 || !work_machine(&work->sources[0])->present)
        return;
    conditions_tell_now(options, cpu, matters);
}

static enum status check_programs(const struct options *options, struct findings *findings,
                                  struct error *error)
{
    struct work work;
    enum status status = work_open(options, WORK_GPU_ANOTHER, &work, error);
    if (status == STATUS_OK)
        status = work_check_runnable(&work, error);
    if (status == STATUS_OK)
        (void)devices_find(options, &work, NULL); /* without them it is judged by what was not run */
    if (status == STATUS_OK)
        status = imported_check(options, &work, error);
    if (status == STATUS_OK)
        status = calibrate_check(options, &work, error);
    if (status == STATUS_OK)
        status = wished_open(options, false, &work, error);
    if (status == STATUS_OK) {
        struct checking checking = {
            .options = options, .work = &work, .cpu = host_choose_cpu(), .findings = findings};
        tell_conditions(options, &work, checking.cpu);
        probe_wanted_tell(options, &work);
        status = check_items(&checking, error);
    }
    wished_close(options, &work);
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
                return "expected \"source\" and \"kind\" and numbers as \"value\", \"low\" and \"high\" of "
                       "each observation";
    }
    return NULL;
}

/* What its repetitions took. */
static double recorded_seconds(const json_t *recorded)
{
    double seconds = 0;
    size_t index;
    const json_t *rep;
    json_array_foreach(json_object_get(recorded, "reps"), index, rep)
    {
        seconds += json_number_or(rep, "wall_s", 0);
    }
    return isfinite(seconds) ? seconds : 0;
}

/* Recorded observations are judged again, by the targets recorded with them. */
static enum status check_recorded(const struct results_reader *results, const json_t *recorded,
                                  const char *path, const struct options *options, struct findings *findings,
                                  struct error *error)
{
    const char *benchmark = json_string_or(recorded, "benchmark", "");
    const char *name = json_string_or(recorded, "name", "");
    json_t *failure = json_object_get(recorded, "error");
    const char *fault = json_is_string(failure) ? NULL : fault_of(json_object_get(recorded, "rates"));
    if (fault != NULL) {
        error_set(error, STATUS_USAGE, "%s/%s: %s", benchmark, name, fault);
        error_at(error, path, 0);
        return STATUS_USAGE;
    }
    json_t *point = new_point(benchmark, name, json_string_or(recorded, "target", ""));
    json_object_set_new(point, "seconds", json_real(recorded_seconds(recorded)));
    findings->tally.skipped += json_object_get(recorded, "skipped") != NULL;
    if (json_is_string(failure)) {
        json_object_set(point, "error", failure);
        json_object_set(point, "code", json_object_get(recorded, "code"));
    } else
        json_object_set_new(point, "rates", judged_again(results->context, recorded));
    add_point(findings, options, point);
    return STATUS_OK;
}

static enum status check_results(const struct options *options, const char *path, struct findings *findings,
                                 struct error *error)
{
    struct results_reader results;
    enum status status = results_open(path, &results, error);
    if (status == STATUS_OK && results.cut)
        command_warn(options, "%s: the last line is incomplete and left out; trauma run --resume goes on",
                     path);
    for (size_t i = 0; status == STATUS_OK && i < results.count; i++) {
        json_t *point = results_point(&results, i, NULL, error);
        status =
            point == NULL ? STATUS_USAGE : check_recorded(&results, point, path, options, findings, error);
        json_decref(point);
    }
    if (status == STATUS_OK && results.count == 0)
        status =
            error_set(error, STATUS_FAILED, "%s holds no finished point: there is nothing to check", path);
    results_reader_close(&results);
    return status;
}

static void print_findings(const struct findings *findings)
{
    table_print(&findings->table);
    printf("\n");
    judged_print_summary(&findings->tally, findings->count);
}

/* All inputs are of one kind: results files, or recipes and suites. */
static enum status check_inputs(const struct options *options, struct findings *findings, struct error *error)
{
    static const char *const of_programs[] = {"machine", "target",    "filter",         "set",         "seed",
                                              "shard",   "counters",  "sysfs-root",     "allow-state", "jobs",
                                              "index",   "calibrate", "no-calibration", "tune",        "here",
                                              "columns", "device",    "probe",          NULL};
    static const char *const of_recipes[] = {"seed", NULL};
    size_t results = 0, suites = 0;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < options->input_count; i++) {
        enum input_kind kind;
        status = work_classify(options->inputs[i], &kind, error);
        if (status != STATUS_OK)
            return status;
        results += kind == INPUT_RESULTS;
        suites += kind == INPUT_SUITE;
    }
    if (suites > 0 && suites == options->input_count)
        status = options_refuse(options, of_recipes, "a suite",
                                "its programs are made; its recipe makes others", error);
    if (status != STATUS_OK)
        return status;
    if (results == 0)
        return check_programs(options, findings, error);
    if (options->import != NULL)
        return error_set(error, STATUS_USAGE, "--import is of a recipe or suite, and recorded by trauma run");
    if (results < options->input_count)
        return error_set(error, STATUS_USAGE, "results files and recipes or suites are checked apart");
    status = options_refuse(options, of_programs, "a results file",
                            "what was recorded of all its points is judged again", error);
    for (size_t i = 0; status == STATUS_OK && i < options->input_count; i++)
        status = check_results(options, options->inputs[i], findings, error);
    return status;
}

static int run(const struct options *options)
{
    struct error error;
    struct findings findings = {.table = judged_table(), .points = json_array()};
    if (!evidence_check_names(options->counters, &error)) {
        json_decref(findings.points);
        return command_fail(&error);
    }
    enum status status = check_inputs(options, &findings, &error);
    if (status == STATUS_OK && options->junit != NULL)
        status = report_junit(findings.points, options->junit, &error);
    if (status == STATUS_OK && options->tap)
        report_tap(findings.points);
    else if (status == STATUS_OK && !options->json && !output_is_standard(options->junit))
        print_findings(&findings);
    json_decref(findings.points);
    table_free(&findings.table);
    FILE *to = options->tap || options->json || output_is_standard(options->junit) ? stderr : stdout;
    return status == STATUS_OK ? (int)judged_check_status(&findings.tally, options->strict, to)
                               : command_fail(&error);
}

const struct command command_check = {
    .name = "check",
    .arguments = "RECIPE|SUITE|RESULTS.jsonl... [-m MACHINE] [OPTIONS]",
    .summary = "says, rate by rate and with evidence, whether the code does what its recipe says",
    .details =
        "A verdict has two sides: what the code does on the described machine (inspected, simulated), and\n"
        "what the silicon of this machine does with it (measured, otherwise inferred). A rate fails if\n"
        "either side fails and passes if both pass; pass (code) means that nothing observes the silicon.\n"
        "Machines other than this one are judged by code alone.\n\n"
        "The exit code is 5 when a rate missed, 4 when nothing was observed, else 0; under --strict it is 4\n"
        "when a rate is unobserved, inconclusive or pass (code).\n"
        "\n--calibrate tunes the plans first (trauma run --help); a machine of -m that is not this host is\n"
        "calibrated by simulation.\n\n-j N: one process times, the others simulate and inspect ahead of it; "
        "-j 1: all in turn.\n",
    .options = accepted,
    .run = run,
};
