/* Source "record": what the blocks of a device's program wrote of where they ran. */
#include "runner/launch/launcher.h"
#include "runner/sources/source.h"

enum { PASSES = 100 };
static const double TIMEOUT_S = 60;

static enum status usable(struct error *why_not)
{
    return launcher_any_device(NULL, why_not);
}

static bool concerns(const struct subject *subject)
{
    const struct launcher *launcher = launcher_of(subject->manifest);
    return launcher != NULL && launcher->driver != NULL &&
           record_is_asked(subject->manifest, launcher->driver->units);
}

static enum status observe(const struct subject *subject, struct observations *list, struct error *error)
{
    const struct launcher *launcher = launcher_of(subject->manifest);
    const struct subject_call call = {.iterations = PASSES, .timeout_s = TIMEOUT_S};
    struct subject_time time = {0};
    if (subject->launch == NULL && !subject->machine->present)
        return error_set(error, STATUS_UNAVAILABLE, "its program is for another machine than this one");
    enum status status = launch_run(subject, &call, &time, error);
    if (status == STATUS_OK)
        record_observe(time.record, subject->manifest, launcher->driver->units, list);
    json_decref(time.record);
    return status;
}

static const char *const metrics[] = {"place.sm*.share", "place.se*.share", "place.sh*.share",
                                      "place.cu*.share", NULL};

const struct counter_source counter_record = {.name = "record",
                                              .kind = "measured",
                                              .targets = "ptx,gcn",
                                              .concerns = concerns,
                                              .usable = usable,
                                              .observe = observe,
                                              .alone = true,
                                              .metrics = metrics};
