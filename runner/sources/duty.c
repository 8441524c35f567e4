/* Source "duty": what a throttle{} does on the present machine. The throttled loop and the same one without
 * its idle instructions are run in turn; throttle.duty is the one's rate over the other's. */
#include "base/json.h"
#include "base/stats.h"
#include "runner/sources/reference.h"
#include "runner/sources/source.h"

static const char METRIC[] = "throttle.duty";
static const double REP_S = 0.0005; /* well inside a slice of the scheduler */
enum { THROTTLED, FULL, ROUNDS = 21 };

static enum status usable(struct error *why_not)
{
#if defined(__x86_64__)
    (void)why_not;
    return STATUS_OK;
#else
    return error_set(why_not, STATUS_UNAVAILABLE, "this processor does not run x86-64 programs");
#endif
}

static bool concerns(const struct subject *subject)
{
    return json_object_get(json_object_get(subject->manifest, "targets"), METRIC) != NULL;
}

static double duty_of(const size_t *chosen, size_t count, const void *context)
{
    return race_quiet_pass(context, FULL, chosen, count) / race_quiet_pass(context, THROTTLED, chosen, count);
}

static enum status observe(const struct subject *subject, struct observations *list, struct error *error)
{
    struct race race = {.rep_s = REP_S};
    struct workshop workshop;
    if (subject_is_on_device(subject))
        return error_set(error, STATUS_UNAVAILABLE,
                         "a GPU's idle instructions are counted out by the machine's gpu.bandwidth, and no "
                         "source sees what duty comes of them");
    if (!subject->machine->present)
        return error_set(error, STATUS_UNAVAILABLE, "%s is not the machine that this runs on",
                         subject->machine->name);
    if (subject_check_runs(subject, error) != STATUS_OK || subject_check_walk(subject, error) != STATUS_OK)
        return STATUS_UNAVAILABLE;
    race_add(&race, subject);
    enum status status = workshop_open(subject->machine->isa, &workshop, error);
    if (status == STATUS_OK)
        status = race_add_unthrottled(&race, subject, &workshop, error);
    workshop_close(&workshop);
    status = source_cannot_see(status, error);
    if (status == STATUS_OK)
        status = race_run(&race, ROUNDS, error);
    if (status == STATUS_OK) {
        struct interval duty = stats_bootstrap_rounds(race.rounds, duty_of, &race);
        observations_add(list, METRIC, counter_duty.name, counter_duty.kind, duty.value, duty.low, duty.high,
                         (double)duty.n);
    }
    race_free(&race);
    return status;
}

static const char *const metrics[] = {METRIC, NULL};

const struct counter_source counter_duty = {.name = "duty",
                                            .kind = "inferred",
                                            .targets = "x86_64,ptx,gcn",
                                            .usable = usable,
                                            .concerns = concerns,
                                            .observe = observe,
                                            .alone = true,
                                            .metrics = metrics};
