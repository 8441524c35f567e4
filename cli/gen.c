/* trauma gen: writes a suite. No hardware is needed. */
#include "base/json/json_text.h"
#include "base/text/plural.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/options/requests.h"
#include "session/generate_suite.h"
#include "session/stop_signals.h"

#include <stdio.h>

static const char *const accepted[] = {"machine", "index",   "target", "output",  "filter",  "set",
                                       "seed",    "shard",   "jobs",   "markers", "trace",   "passes",
                                       "prefix",  "dry-run", "json",   "quiet",   "verbose", "no-calibration",
                                       "tune",    "force",   NULL};

/* The size of a typical program's files, to estimate a suite's disk use. */
static const double PROGRAM_BYTES = 60e3;

static void print_summary(const struct options *options, const struct work *work, size_t refused,
                          const char *folder)
{
    const char *machine = work->sources[0].target_context->machine.name;
    size_t made = work->item_count - refused;
    if (options->json) {
        struct buffer output = {0};
        struct json_text text = {.buffer = &output, .compact = true};
        json_text_open(&text, NULL, '{');
        json_text_string(&text, "suite", folder);
        json_text_integer(&text, "programs", (long long)made);
        json_text_integer(&text, "refused", (long long)refused);
        json_text_string(&text, "machine", machine);
        json_text_close(&text, '}');
        command_print_json_lines(&output);
    } else {
        command_print("%zu program%s for %s in %s", made, plural_s(made), machine, folder);
        if (refused > 0)
            command_print("; %zu point%s refused", refused, plural_s(refused));
        command_print("\n");
    }
}

static enum status generate(const struct options *options, const struct work *work, const char *folder,
                            size_t *refused, struct error *error)
{
    const struct generate_request request = {.folder = folder,
                                             .force = options->force,
                                             .jobs = (size_t)options->jobs,
                                             .trace = options->trace,
                                             .passes = (uint64_t)options->passes};
    const struct machine *machine = &work->sources[0].target_context->machine;
    char disk[40];
    if (options->dry_run || (options->verbose && !options->quiet))
        command_note("%zu program%s for %s, about %s, in %s", work->item_count, plural_s(work->item_count),
                     machine->name,
                     units_show_disk(PROGRAM_BYTES * (double)work->item_count, disk, sizeof disk), folder);
    if (options->dry_run)
        return STATUS_OK;
    enum status status = generate_suite(&request, work, refused, error);
    if (status == STATUS_OK && (*refused == 0 || *refused < work->item_count))
        print_summary(options, work, *refused, folder);
    return status;
}

static int run(const struct options *options)
{
    struct requests requests;
    struct work work = {0};
    struct error error;
    size_t refused = 0;
    requests_fill(options, WORK_GPU_NEEDED, &requests);
    enum status status = requests_refuse_for_suites(options, requests_of_programs, &error);
    if (status == STATUS_OK && options->trace == NULL && options->passes > 0)
        status = error_set(&error, STATUS_USAGE,
                           "--passes is the length of a trace: name its format with --trace");
    if (status == STATUS_OK)
        status = generate_open(&requests.selection, &requests.target, &work, &error);
    if (status == STATUS_OK)
        status =
            generate(options, &work, options->output == NULL ? "suite" : options->output, &refused, &error);
    work_close(&work);
    if (status == STATUS_OK)
        return refused > 0 ? STATUS_RECIPE : STATUS_OK;
    int code = command_fail(&error);
    stop_signals_obey();
    return code;
}

const struct command command_gen = {
    .name = "gen",
    .arguments = "RECIPE... [-m MACHINE] [-o DIR] [OPTIONS]",
    .summary = "writes a suite: source, object, executable and manifest of every point",
    .details =

        "DIR is 'suite' by default. An existing suite is replaced whole, in one step, if it contains only "
        "the files that its index lists and all of them are yours. Any other folder that contains files "
        "is refused. With --force, the command writes into such a folder: it replaces the files that have "
        "a name of the suite's and leaves the others. A refused point is listed in the index with the "
        "reason; the exit code is then 3. The same recipe, machine and seed give the same bytes.\n"
        "\n"
        "--markers puts a simulator's region markers around the measured passes of each executable. gem5 "
        "stands for gem5's instructions work_begin and work_end, which no processor executes; "
        "gem5-address for the same operations by address, as gem5 with KVM needs them (they read "
        "/dev/mem); cpuid for Simics' magic instructions 1 and 2, which a processor executes as cpuid.\n"
        "\n"
        "--trace executes each program under qemu and writes a trace beside it: of the warm-up, then of "
        "--passes more passes. The formats are ChampSim's records (champsim; compressed if xz is "
        "installed), DynamoRIO's memtrace (drmemtrace) and Dinero's din (dinero). program.trace.json "
        "describes the two parts, and contains the simulator's options that use the first part as warm-up "
        "and count the second.\n"
        "\n"
        "Each object for a processor exports its program under names made from benchmark and point, such "
        "as trauma_small__hit_0_5 (\"symbols\" in its manifest). The objects of a suite can therefore be "
        "linked into one program. Each object also exports trauma_kernel, trauma_layout and trauma_runs; "
        "of several objects, the linker takes the first one's. --prefix NAME replaces 'trauma' in all "
        "these names, so that objects of two suites can be linked.\n",
    .examples = "  trauma gen my.lua -o suite\n"
                "  trauma gen my.lua -m cortex-a72 -o arm  # for a machine that is not here\n"
                "  suite/my/dependents=0,miss=0.03/program 100000  # needs only a kernel\n",
    .options = accepted,
    .run = run,
};
