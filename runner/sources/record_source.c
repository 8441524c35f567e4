/* Source "record": where each block of a device's program ran, as the blocks recorded it. */
#include "runner/devices/launcher.h"
#include "runner/sources/source.h"

enum { PASSES = 100 };
static const double TIMEOUT_S = 60;

static enum status usable(struct error *why_not)
{
    return launcher_any_device(NULL, why_not);
}

static bool concerns(const struct test_program *test_program)
{
    const struct launcher *launcher = launcher_of(test_program->manifest);
    return launcher != NULL && launcher->driver != NULL &&
           block_record_is_requested(test_program->manifest, launcher->driver->units);
}

static enum status observe(const struct test_program *test_program, struct observations *list,
                           struct error *error)
{
    const struct launcher *launcher = launcher_of(test_program->manifest);
    const struct test_program_call call = {.iterations = PASSES, .timeout_s = TIMEOUT_S};
    struct test_program_time time = {0};
    if (test_program->launch == NULL && !test_program->machine->present)
        return error_set(error, STATUS_UNAVAILABLE, "its program is for another machine");
    enum status status = launch_run(test_program, &call, &time, error);
    if (status == STATUS_OK)
        block_record_observe(time.record, test_program->manifest, launcher->driver->units, list);
    result_record_free(time.record);
    return status;
}

const struct counter_source counter_record = {.name = "record",
                                              .kind = EVIDENCE_MEASURED,
                                              .targets = "ptx,gcn",
                                              .concerns = concerns,
                                              .usable = usable,
                                              .observe = observe,
                                              .alone = true};
