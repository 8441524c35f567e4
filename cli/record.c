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
    if (options->command == NULL) {
        error_set(error, STATUS_USAGE, "trauma record needs a command to run, behind --");
        error_hint(error, "trauma record%s%s -- %s", options->output == NULL ? "" : " -o ",
                   options->output == NULL ? "" : options->output,
                   options->input_count > 0 ? options->inputs[0] : "COMMAND ARGS");
        return STATUS_USAGE;
    }
    if (options->input_count > 0) {
        error_set(error, STATUS_USAGE, "'%s' stands before --: the command and its arguments stand behind it",
                  options->inputs[0]);
        return STATUS_USAGE;
    }
    return output_kind_check(options->output, ".jsonl", error);
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

        "COMMAND runs as it is: its input, output, terminal, signals and exit code pass through (128 and the "
        "number of the signal that ended it). Where a sensor measures power, idle intervals of a second "
        "surround it. Its threads and children are counted, too, user space alone, on each logical processor "
        "apart. What was found is told on stderr and appended to FILE (record.jsonl) as one line of kind "
        "application, which report, plot, export, diff and predict read; --interval adds a line of kind "
        "interval "
        "as each interval ends, with its counters by core, energy, temperature and clock, which `trauma "
        "predict "
        "--follow` reads as they come.\n"
        "\n"
        "--counters lists names of counts (`trauma sensors --events`), of libpfm4's events, or r and a raw "
        "code; "
        "perf or no list counts all that the processor's events file has, none nothing. Counts that the "
        "processor "
        "cannot make at once take turns and are scaled, with the error that this brings; --reps N runs the "
        "command "
        "N times, each time with the counts of the next turn. --resume adds an application to a file of the "
        "same "
        "machine.\n",
    .examples = "  trauma record -o sort.jsonl -- sort -n numbers.txt\n"
                "  trauma record --interval 200ms --counters perf -- ./server\n"
                "  trauma predict model.json sort.jsonl\n",
    .options = accepted,
    .takes_command = true,
    .run = run,
};
