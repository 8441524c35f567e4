/* trauma record: runs an application as it is, and records its time, counters and power. */
#include "cli/command.h"
#include "cli/options/output_kind.h"
#include "cli/options/requests.h"
#include "session/record/record_application.h"

#include <string.h>

static const char *const accepted[] = {"output",  "interval",   "counters", "power",   "reps", "resume",
                                       "machine", "sysfs-root", "quiet",    "verbose", NULL};

static enum status check(const struct options *options, struct error *error)
{
    enum status status = options_check_command(options, "record", error);
    return status == STATUS_OK ? output_kind_check(options->output, ".jsonl", error) : status;
}

static int run(const struct options *options)
{
    struct shown_events shown;
    struct record_outcome outcome = {0};
    struct error error;
    shown_events_start(options, &shown);
    const struct record_request request = {.command = options->command,
                                           .path = options->output == NULL ? "record.jsonl" : options->output,
                                           .machine = options->machine,
                                           .counters = options->counters,
                                           .power = options->power,
                                           .root = requests_root(options),
                                           .interval_s = options->interval,
                                           .reps = (size_t)options->reps,
                                           .resume = options->resume,
                                           .events = &shown.events};
    enum status status = check(options, &error);
    if (status == STATUS_OK)
        status = record_application(&request, &outcome, &error);
    return status == STATUS_OK ? outcome.exit_code : command_fail(&error);
}

const struct command command_record = {
    .name = "record",
    .arguments = "[-o FILE.jsonl] [--interval T] [OPTIONS] -- COMMAND ARGS...",
    .summary = "records an application's time, counters and power",
    .details =

        "COMMAND runs unchanged: its input, output, terminal, signals and exit code pass through (128 and "
        "the number of the signal that ended it). If a sensor measures power, an idle interval of one "
        "second precedes and follows the run. Threads and children are counted too, in user space only, "
        "separately for each logical processor. The findings are printed on standard error and appended "
        "to FILE (record.jsonl) as one line of kind application, which report, plot, export, diff and "
        "predict read. --interval appends a line of kind interval at the end of each interval, with its "
        "counters by core, energy, temperature and clock; `trauma predict --follow` reads these lines as "
        "they appear.\n"
        "\n"
        "--counters lists counts (`trauma sensors --events` prints their names), events of libpfm4, or r "
        "and a raw code. perf, or no --counters, counts all that the processor's events file has; none "
        "counts nothing. If the processor cannot count all of them at once, they take turns and are "
        "scaled, with the resulting error. --reps N runs the command N times, each time with the next "
        "group of counts. --resume adds an application to a file of the same machine.\n",
    .examples = "  trauma record -o sort.jsonl -- sort -n numbers.txt\n"
                "  trauma record --interval 200ms --counters perf -- ./server\n"
                "  trauma predict model.json sort.jsonl\n",
    .options = accepted,
    .takes_command = true,
    .run = run,
};
