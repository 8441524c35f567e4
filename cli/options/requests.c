#include "cli/options/requests.h"

#include "cli/command.h"

#include <stddef.h>
#include <stdint.h>

const char *const requests_of_programs[] = {"machine", "set", "tune", "index", NULL};

static void print_event(void *context, enum session_level level, const char *text)
{
    const struct shown_events *shown = context;
    if (level == SESSION_REFUSAL)
        command_note("trauma: %s", text);
    else if (level == SESSION_WARNING)
        command_warn(shown->options, "%s", text);
    else if (!shown->options->quiet && (level == SESSION_NOTE || shown->options->verbose))
        command_note("%s", text);
}

static void show_progress(void *context, const char *what, size_t done, size_t total)
{
    struct shown_events *shown = context;
    if (what == NULL) {
        progress_end(&shown->progress);
        shown->in_progress = false;
        return;
    }
    if (!shown->in_progress)
        shown->progress = progress_start(shown->options, what, total);
    shown->in_progress = true;
    shown->progress.what = what;
    shown->progress.total = total;
    progress_step(&shown->progress, done);
}

void shown_events_start(const struct options *options, struct shown_events *shown)
{
    *shown = (struct shown_events){.options = options};
    shown->events = (struct session_events){print_event, show_progress, shown, &shown->notes};
}

const char *requests_root(const struct options *options)
{
    return options->sysfs_root == NULL ? "" : options->sysfs_root;
}

void requests_fill(const struct options *options, enum work_gpu gpu, struct requests *requests)
{
    shown_events_start(options, &requests->shown);
    requests->target = (struct target_request){.events = &requests->shown.events,
                                               .machine = options->machine,
                                               .index = options->index,
                                               .map = options->map,
                                               .markers = options->markers,
                                               .prefix = options->prefix,
                                               .root = requests_root(options),
                                               .tuning = options->tuning,
                                               .device = (unsigned)options->device,
                                               .probe = options->probe,
                                               .here = options->here,
                                               .calibrate = options->calibrate,
                                               .no_calibration = options->no_calibration};
    requests->selection = (struct selection){.inputs = options->inputs,
                                             .input_count = options->input_count,
                                             .overrides = {options->overrides, options->override_count},
                                             .failed_in = options->failed_in,
                                             .filter = options->filter,
                                             .point = options->point,
                                             .target = options->target,
                                             .shard = options->shard,
                                             .seed = (uint64_t)options->seed,
                                             .gpu = gpu};
    requests->evidence = (struct evidence_request){options->counters, options->import, options->columns};
}

enum status requests_refuse_for_suites(const struct options *options, const char *const *names,
                                       struct error *error)
{
    for (size_t i = 0; i < options->input_count; i++) {
        enum input_kind kind;
        enum status status = work_classify(options->inputs[i], &kind, error);
        if (status != STATUS_OK || kind != INPUT_SUITE)
            return status;
    }
    if (options->input_count == 0)
        return STATUS_OK;
    return options_refuse(options, names, "a suite",
                          "its programs are fixed; generate others from its recipe", error);
}
