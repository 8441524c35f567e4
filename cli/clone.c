/* trauma clone: writes a recipe whose program behaves as an application does. */
#include "cli/command.h"
#include "cli/options/output_kind.h"
#include "cli/options/requests.h"
#include "session/clone/clone_application.h"

#include <math.h>

static const char *const accepted[] = {"output", "machine", "phases", "sysfs-root", "quiet", "verbose", NULL};

static enum status check(const struct options *options, struct error *error)
{
    if (options->command == NULL) {
        error_set(error, STATUS_USAGE, "trauma clone needs a command to run, behind --");
        error_hint(error, "trauma clone%s%s -- %s", options->output == NULL ? "" : " -o ",
                   options->output == NULL ? "" : options->output,
                   options->input_count > 0 ? options->inputs[0] : "COMMAND ARGS");
        return STATUS_USAGE;
    }
    if (options->input_count > 0)
        return error_set(error, STATUS_USAGE,
                         "'%s' stands before --: the command and its arguments stand behind it",
                         options->inputs[0]);
    return output_kind_check(options->output, ".lua", error);
}

/* On stderr, as the command's own output is on stdout. */
static void show(const struct clone_outcome *outcome, size_t phase, size_t machine)
{
    static const double LEAST = 5e-7;
    struct arena arena = {0};
    struct clone_rate rate;
    if (phase > 0 && phase <= CLONE_PHASES)
        command_tell("phase %zu: %.4f of the instructions", phase, outcome->phases[phase].share);
    command_tell("%-32s %12s %12s %9s", outcome->machines[machine].name, "application", "clone", "error");
    for (size_t i = 0; clone_rate(outcome, phase, machine, i, &arena, &rate); i++) {
        if (isnan(rate.application) || (rate.application < LEAST && !(rate.clone >= LEAST)))
            continue;
        if (isnan(rate.clone))
            command_tell("%-32s %12.6f %12s", rate.name, rate.application, "-");
        else
            command_tell("%-32s %12.6f %12.6f %9.6f", rate.name, rate.application, rate.clone,
                         rate.clone - rate.application);
    }
    arena_free(&arena);
}

static int run(const struct options *options)
{
    struct shown_events shown;
    struct clone_outcome outcome = {0};
    struct error error;
    shown_events_start(options, &shown);
    const struct clone_request request = {.command = options->command,
                                          .machines = options->machine,
                                          .path = options->output == NULL ? "clone.lua" : options->output,
                                          .phases = (size_t)options->phases,
                                          .root = requests_root(options),
                                          .events = &shown.events};
    enum status status = check(options, &error);
    if (status == STATUS_OK)
        status = clone_application(&request, &outcome, &error);
    for (size_t i = 0; status == STATUS_OK && !options->quiet && i < outcome.phase_count; i++)
        for (size_t j = 0; j < outcome.machine_count; j++)
            show(&outcome, i, j);
    if (status == STATUS_OK && !options->quiet)
        command_tell("wrote %s", request.path);
    int code = status == STATUS_OK ? outcome.exit_code : command_fail(&error);
    clone_outcome_free(&outcome);
    return code;
}

const struct command command_clone = {
    .name = "clone",
    .arguments = "[-m MACHINE,...] [-o RECIPE.lua] [OPTIONS] -- COMMAND ARGS...",
    .summary = "writes a recipe whose program behaves as an application does",
    .details =

        "COMMAND runs once in qemu-user, with its own input and output, and its exit code is passed on. A "
        "plugin "
        "counts its instructions by class and width, its branches, and what its accesses and its code do in "
        "the "
        "caches and data TLBs of all the machines. RECIPE (clone.lua) then has a benchmark for the whole "
        "and, where its behaviour changes, one for each phase: a unit with the same shares "
        "and "
        "rates, a table of the levels that serve its accesses by machine, and as comments what was counted "
        "and what "
        "a recipe cannot say. Each rate that the plan of a machine cannot reach is replaced by the nearest "
        "one "
        "that it can, which is told. The table shows the application beside its clone, both counted alike.\n"
        "\n"
        "Threads share one core's caches; children that run other programs are not counted. Executables of "
        "another "
        "processor need qemu-user for it and, if they are dynamic, QEMU_LD_PREFIX.\n",
    .examples = "  trauma clone -m skylake-sp -o sort.lua -- sort -n numbers.txt\n"
                "  trauma clone -m skylake-sp,zen5 -- gzip -9 -c file >file.gz\n",
    .options = accepted,
    .takes_command = true,
    .run = run,
};
