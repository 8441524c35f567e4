/* trauma gen: writes a suite. No hardware is needed. */
#include "base/json.h"
#include "base/plural.h"
#include "cli/command.h"
#include "cli/gen_workers.h"
#include "cli/progress.h"
#include "cli/work.h"
#include "generator/suite/suite.h"
#include "session/stop_signals.h"

#include <stdio.h>

static const char *const accepted[] = {"machine", "index",   "target",         "output",  "filter",  "set",
                                       "seed",    "shard",   "jobs",           "markers", "dry-run", "json",
                                       "quiet",   "verbose", "no-calibration", "tune",    "force",   NULL};

/* A typical program's files, to say beforehand what disk a suite takes. */
static const double PROGRAM_MB = 0.06;

static void print_summary(const struct options *options, const struct work *work, const char *folder)
{
    if (options->json) {
        json_t *summary =
            json_pack("{s:s, s:I, s:s}", "suite", folder, "programs", (json_int_t)work->item_count, "machine",
                      work->sources[0].target_context->machine.name);
        command_print_json(summary, 0);
        json_decref(summary);
    } else {
        command_print("%zu program%s for %s in %s\n", work->item_count, plural_s(work->item_count),
                      work->sources[0].target_context->machine.name, folder);
    }
}

static enum status write_suite(const struct options *options, const struct work *work, const char *folder,
                               struct error *error)
{
    struct suite_writer writer;
    const struct target_context *target_context = work->sources[0].target_context;
    if (calibration_store_tunes(&target_context->calibration_store) && !options->quiet)
        command_tell("programs are tuned by %s",
                     tuning_is_set(&options->tuning) ? "--tune" : target_context->calibration_store.path);
    stop_signals_catch(); /* a suite that is not finished is removed */
    enum status status = suite_begin(folder, options->force, &writer, error);
    if (status != STATUS_OK)
        return status;
    writer.markers = target_context->code_generator.markers;
    struct progress progress = progress_start(options, "programs made", work->item_count);
    json_t *benchmarks = work_benchmarks(work);
    suite_begin_index(&writer, &target_context->machine, (uint64_t)options->seed, benchmarks);
    json_decref(benchmarks);
    status = gen_programs(work, &writer, options, &progress, error);
    progress_end(&progress);
    if (status == STATUS_OK)
        status = suite_finish(&writer, error);
    if (status != STATUS_OK)
        suite_abandon(&writer);
    return status;
}

static int run(const struct options *options)
{
    const char *folder = options->output == NULL ? "suite" : options->output;
    struct work work;
    struct error error;
    enum status status = work_open(options, WORK_GPU_NEEDED, &work, &error);
    for (size_t i = 0; status == STATUS_OK && i < work.source_count; i++)
        if (work.sources[i].kind == INPUT_SUITE)
            status = error_set(&error, STATUS_USAGE, "%s is a suite already; gen takes recipes",
                               work.sources[i].path);
        else if (work.sources[i].target_context != work.sources[0].target_context)
            status = error_set(&error, STATUS_USAGE,
                               "%s is for %s and %s for %s: a suite is for one machine; expected two suites",
                               work.sources[0].path, work.sources[0].target_context->machine.isa,
                               work.sources[i].path, work.sources[i].target_context->machine.isa);
    if (status == STATUS_OK && (options->dry_run || (options->verbose && !options->quiet)))
        command_tell("%zu program%s for %s, about %.1f MB, in %s", work.item_count, plural_s(work.item_count),
                     work.sources[0].target_context->machine.name, PROGRAM_MB * (double)work.item_count,
                     folder);
    if (status == STATUS_OK && !options->dry_run) {
        status = write_suite(options, &work, folder, &error);
        if (status == STATUS_OK)
            print_summary(options, &work, folder);
    }
    work_close(&work);
    if (status == STATUS_OK)
        return STATUS_OK;
    int code = command_fail(&error);
    stop_signals_obey();
    return code;
}

const struct command command_gen = {
    .name = "gen",
    .arguments = "RECIPE... [-m MACHINE] [-o DIR] [OPTIONS]",
    .summary = "writes a suite: source, object, executable and manifest of every point",
    .details =
        "DIR is 'suite' unless -o names another. A suite that is there is replaced whole, at once, when it "
        "holds\n"
        "nothing but what its index lists; any other folder with something in it is left alone. --force "
        "writes into\n"
        "such a folder too: what is in it stays, but for files that have the name of one of the suite's. "
        "The same\n"
        "recipe, machine and seed give the same bytes.\n"
        "\n--markers puts a simulator's region markers around the measured passes of the executables: "
        "gem5's\n"
        "work_begin and work_end, which no processor executes, or Simics' magic instructions 1 and 2, which\n"
        "are cpuid to a processor.\n",
    .options = accepted,
    .run = run,
};
