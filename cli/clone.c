/* trauma clone: writes a recipe whose program behaves as an application does. */
#include "cli/command.h"
#include "cli/options/output_kind.h"
#include "cli/options/requests.h"
#include "report/figure/model_figure.h"
#include "session/clone/clone_application.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const accepted[] = {"output",     "machine", "phases",  "figure",
                                       "sysfs-root", "quiet",   "verbose", NULL};

static enum status check(const struct options *options, struct error *error)
{
    enum status status = options_check_command(options, "clone", error);
    if (status == STATUS_OK)
        status = output_kind_check(options->output, ".lua", error);
    return status == STATUS_OK && options->figure != NULL ? model_figure_check(options->figure, error)
                                                          : status;
}

/* Prints the table of rates on stderr, as COMMAND's output is on stdout. */
static void show(const struct clone_outcome *outcome, size_t phase, size_t machine)
{
    static const double LEAST = 5e-7;
    struct arena arena = {0};
    struct clone_rate rate;
    if (phase > 0 && phase <= CLONE_PHASES)
        command_note("phase %zu: %.4f of the instructions", phase, outcome->phases[phase].share);
    command_note("%-32s %12s %12s %9s", outcome->machines[machine].name, "application", "clone", "error");
    for (size_t i = 0; clone_rate(outcome, phase, machine, i, &arena, &rate); i++) {
        if (isnan(rate.application) || (rate.application < LEAST && !(rate.clone >= LEAST)))
            continue;
        if (isnan(rate.clone))
            command_note("%-32s %12.6f %12s", rate.name, rate.application, "-");
        else
            command_note("%-32s %12.6f %12.6f %9.6f", rate.name, rate.application, rate.clone,
                         rate.clone - rate.application);
    }
    arena_free(&arena);
}

/* The rate's name below its bars, where there is little room; NULL: the rate is a distance, and not drawn. */
static const char *short_name(const char *name)
{
    static const char *const names[][2] = {{"loads that wait for loads", "waiting loads"},
                                           {"of them, for ones that wait", "for waiting ones"},
                                           {"instructions to them", NULL},
                                           {"loads to them", NULL},
                                           {"ones of bits loaded", "ones loaded"},
                                           {"flips of bits loaded", "flips loaded"},
                                           {"ones of bits stored", "ones stored"},
                                           {"flips of bits stored", "flips stored"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i][0]) == 0)
            return names[i][1];
    return name;
}

/* --figure: the whole run on the first machine, with one chart of the instruction mix and one of the rates of
 * branches, caches and TLB. */
static enum status draw(const struct options *options, const struct clone_outcome *outcome,
                        struct error *error)
{
    static const char share[] = "share of ", width[] = " of ", per[] = " per ";
    static const double LEAST = 2e-4;
    struct arena arena = {0};
    struct charts charts = {0};
    struct clone_rate rate;
    char title[200], name[64], rest[64];
    snprintf(title, sizeof title, "%.60s and its clone, on %.80s", outcome->name, outcome->machines[0].name);
    struct chart *mix =
        chart_add(&charts, &arena, CHART_BARS, title, "counted in qemu-user", "", "Share of instructions");
    struct chart *rates = chart_add(&charts, &arena, CHART_BARS, "Branches, caches and TLB",
                                    "counted in qemu-user", "", "Per branch, access or bit");
    for (size_t i = 0; clone_rate(outcome, 0, 0, i, &arena, &rate); i++) {
        bool shares = strncmp(rate.name, share, strlen(share)) == 0;
        const char *shown = short_name(rate.name + (shares ? strlen(share) : 0));
        if (!(rate.application >= LEAST || rate.clone >= LEAST) || shown == NULL ||
            (!shares && strstr(rate.name, "per instruction") != NULL))
            continue;
        snprintf(name, sizeof name, "%s", shown);
        char *long_form = strstr(name, shares ? width : per); /* "add of 4 bytes", "L1D misses per load" */
        if (long_form != NULL) {
            snprintf(rest, sizeof rest, "%s", long_form + strlen(shares ? width : per));
            snprintf(long_form, sizeof name - (size_t)(long_form - name), shares ? " %.*s B" : "/%.*s",
                     (int)strcspn(rest, shares ? " " : ""), rest);
        }
        const struct interval both[] = {{rate.application, rate.application, rate.application, 1},
                                        {rate.clone, rate.clone, rate.clone, 1}};
        chart_bar(shares ? mix : rates, outcome->name, name, both[0]);
        chart_bar(shares ? mix : rates, "its clone", name, both[1]);
    }
    enum status status = model_figure_draw(&charts, NULL, options->figure, error);
    arena_free(&arena);
    return status;
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
        command_note("wrote %s", request.path);
    if (status == STATUS_OK && options->figure != NULL && outcome.wrote)
        status = draw(options, &outcome, &error);
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
        "plugin counts its instructions by class and width, its branches, the loads that wait for other "
        "loads, and what its accesses and its code do in the caches and data TLBs of all the machines. "
        "RECIPE (clone.lua) then has a benchmark for the whole run and, if the behaviour changes, one for "
        "each phase. Each benchmark has a unit with the same shares and rates, and a table of the levels "
        "that serve its accesses on each machine; comments list the counts, and what a recipe cannot "
        "express. If the plan for a machine cannot reach a rate, the command takes the nearest one and "
        "reports it.\n"
        "\n"
        "The table shows the application beside its clone, both counted in the same way. --figure draws "
        "it for the whole run and the first machine.\n"
        "\n"
        "Threads share one core's caches. Children that run other programs are not counted. An executable "
        "of another processor needs qemu-user for it and, if it is dynamic, QEMU_LD_PREFIX.\n",
    .examples = "  trauma clone -m skylake-sp -o sort.lua -- sort -n numbers.txt\n"
                "  trauma clone -m skylake-sp,zen5 -- gzip -9 -c file >file.gz\n",
    .options = accepted,
    .takes_command = true,
    .run = run,
};
