/* trauma run: executes points, records time, power and evidence. */
#include "base/buffer.h"
#include "base/memory.h"
#include "base/text/suggest.h"
#include "cli/command.h"
#include "cli/options/output_kind.h"
#include "cli/options/requests.h"
#include "report/point_table.h"
#include "runner/evidence/evidence.h"
#include "runner/results/results.h"
#include "session/execute/run_points.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const accepted[] = {"machine",        "target",   "output", "filter",     "set",
                                       "seed",           "shard",    "resume", "reps",       "time",
                                       "order",          "counters", "power",  "sysfs-root", "allow-state",
                                       "dry-run",        "json",     "quiet",  "verbose",    "calibrate",
                                       "no-calibration", "index",    "tune",   "here",       "import",
                                       "columns",        "device",   "probe",  "failed-in",  NULL};

static enum status read_order(const char *text, enum run_order *order, struct error *error)
{
    static const char *const names[] = {
        [RUN_ORDER_USUAL] = "", [RUN_ORDER_GIVEN] = "given", [RUN_ORDER_RANDOM] = "random"};
    *order = RUN_ORDER_USUAL;
    if (text == NULL)
        return STATUS_OK;
    for (*order = RUN_ORDER_GIVEN; *order <= RUN_ORDER_RANDOM; ++*order)
        if (strcmp(text, names[*order]) == 0)
            return STATUS_OK;
    error_set(error, STATUS_USAGE, "--order is given or random, found '%s'", text);
    suggest_hint(error, text, names + RUN_ORDER_GIVEN, 2, "leave it out for the usual one");
    return STATUS_USAGE;
}

/* A finished point and its verdicts. */
struct recorded_point {
    struct result_point point;
    struct check_finding *finding;
};

/* The finished points in the order in which they ran: a row for each, and those with a failure. */
struct recorded {
    bool as_json;
    struct point_table points;
    struct recorded_point *failed;
    size_t count;
};

static void free_recorded(struct recorded_point *recorded)
{
    check_finding_free(recorded->finding);
    result_point_free(&recorded->point);
}

/* Takes over the point. */
static void show_recorded(void *context, struct result_point *point)
{
    struct recorded *recorded = context;
    struct recorded_point one = {.point = *point};
    struct buffer line = {0};
    if (recorded->as_json) {
        result_point_print(point, &line);
        command_print_json_lines(&line);
        result_point_free(point);
        return;
    }
    one.finding = check_finding_recorded(&one.point);
    point_table_add(&recorded->points, one.finding);
    bool failed = one.finding->failure != NULL;
    for (size_t i = 0; i < one.finding->rates.count; i++)
        failed = failed || verdict_rank(one.finding->rates.items[i].verdict) == RANK_FAILED;
    if (!failed) {
        free_recorded(&one);
        return;
    }
    recorded->failed = memory_resized(recorded->failed, recorded->count + 1, sizeof *recorded->failed);
    recorded->failed[recorded->count++] = one;
}

/* The recipes' order. */
static int by_index(const void *a, const void *b)
{
    const struct recorded_point *one = a, *other = b;
    return (one->point.index > other->point.index) - (one->point.index < other->point.index);
}

/* The counts of verdicts, then the points, then the failures. */
static void print_points(const struct run_outcome *outcome, struct recorded *recorded)
{
    struct buffer summary = {0};
    struct verdict_list failed = verdict_list_new(RANK_FAILED, false);
    tally_summary(&outcome->tally, outcome->done, &summary);
    printf("%s\n", summary.data);
    point_table_sort(&recorded->points);
    point_table_print(&recorded->points, stdout);
    if (recorded->count > 1)
        qsort(recorded->failed, recorded->count, sizeof *recorded->failed, by_index);
    for (size_t i = 0; i < recorded->count; i++)
        verdict_list_add(&failed, recorded->failed[i].finding);
    verdict_list_print(&failed, stdout);
    buffer_free(&summary);
}

/* The message of Ctrl-C, formatted beforehand as a signal handler may not. */
static char left[1100];
static size_t left_bytes;

static void print_left(int number)
{
    ssize_t written = write(STDERR_FILENO, left, left_bytes);
    (void)written;
    raise(number); /* ends the program, as SA_RESETHAND has removed the handler */
}

static void watch_interrupt(const char *path)
{
    struct sigaction action = {.sa_handler = print_left, .sa_flags = (int)SA_RESETHAND};
    struct sigaction before;
    int bytes =
        snprintf(left, sizeof left,
                 "\ntrauma: interrupted: %.1000s has the points that were finished; the same command with "
                 "--resume takes the others\n",
                 path);
    left_bytes = bytes < 0 ? 0 : (size_t)bytes;
    if (sigaction(SIGINT, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
        sigaction(SIGINT, &action, NULL);
}

static enum status execute(const struct options *options, enum run_order order, const char *path,
                           struct run_outcome *outcome, struct error *error)
{
    struct requests requests;
    struct recorded recorded = {.as_json = options->json};
    requests_fill(options, WORK_GPU_NEEDED, &requests);
    /* Calibration is for this host, even if -m describes it differently. */
    requests.target.here = options->here || options->calibrate;
    const struct run_request request = {.evidence = requests.evidence,
                                        .path = path,
                                        .power = options->power,
                                        .time_s = options->time,
                                        .reps = options->reps,
                                        .order = order,
                                        .resume = options->resume,
                                        .allow_state = options->allow_state,
                                        .dry_run = options->dry_run,
                                        .recorded = show_recorded,
                                        .context = &recorded};
    if (!options->dry_run && !options->quiet)
        watch_interrupt(path);
    enum status status = run_points(&request, &requests.selection, &requests.target, outcome, error);
    if (!options->json && outcome->done > 0)
        print_points(outcome, &recorded);
    point_table_free(&recorded.points);
    for (size_t i = 0; i < recorded.count; i++)
        free_recorded(&recorded.failed[i]);
    free(recorded.failed);
    return status;
}

static int run(const struct options *options)
{
    const char *path = options->output == NULL ? "results.jsonl" : options->output;
    struct error error;
    struct run_outcome outcome = {0};
    enum run_order order;
    if (!evidence_check_names(options->counters, &error))
        return command_fail(&error);
    enum status status = read_order(options->order, &order, &error);
    if (status == STATUS_OK)
        status = output_kind_check(path, ".jsonl", &error);
    if (status == STATUS_OK)
        status = requests_refuse_for_suites(options, requests_of_programs, &error);
    if (status == STATUS_OK)
        status = execute(options, order, path, &outcome, &error);
    if (status != STATUS_OK)
        return command_fail(&error);
    enum status judged = tally_status(&outcome.tally, false);
    return judged == STATUS_OK && outcome.tally.skipped > 0 ? STATUS_UNAVAILABLE : (int)judged;
}

const struct command command_run = {
    .name = "run",
    .arguments = "RECIPE|SUITE... [-m MACHINE] [-o results.jsonl] [--resume] [OPTIONS]",
    .summary = "executes programs and records time, counters and power",
    .details =

        "Repetitions are taken in rounds: one repetition of every point, in a new random order, then the "
        "next round. Points whose repetitions disagree get more of them, up to twice as many. Points with "
        "power, long set-ups, states or idle times are measured one after the other. Each finished point "
        "is appended to the results as one line and flushed, so that a killed run loses at most the "
        "points whose rounds are in progress (half a minute's). --resume continues it.\n"
        "\n"
        "A program that faults or hangs is recorded with the reason, and the run continues. A point that "
        "needs processors or features that this machine lacks is recorded in the same way; the exit code "
        "is then 4. A refused point is recorded too, and the exit code is 3; --resume tries it again.\n"
        "\n"
        "The state that a recipe requests (state = {...}) is observed and recorded with each point. It is "
        "set only with --allow-state, by one run at a time, and is restored afterwards, even after a kill "
        "(if necessary by the next command). Conditions that disturb measurements now (`trauma sensors` "
        "lists them) are reported before the run and recorded.\n"
        "\n"
        "--calibrate first tunes each point's plan, in at most a dozen rounds, until its rates are met on "
        "this host, as observed by hardware counters, else by timing, else by simulation. The result is "
        "stored beside the machine file (for the present machine: under $XDG_CONFIG_HOME/traumagen); gen, "
        "run, check and explain use it from then on. If a rate cannot be reached, the nearest value is "
        "reported, and the exit code is 5. run --calibrate assumes that the machine of -m is this host.\n",
    .examples = "  trauma run my.lua -o results.jsonl\n"
                "  trauma run my.lua -o results.jsonl --resume  # after a kill\n"
                "  trauma run my.lua --failed-in results.jsonl -o again.jsonl\n"
                "  trauma run my.lua --set miss=0.05,0.2 --reps 15 -o more.jsonl\n",
    .options = accepted,
    .run = run,
};
