/* Source "duty": the effect of a throttle{} on the present machine. The throttled loop and the same loop
 * without its idle instructions are run in turn; throttle.duty is the ratio of their rates. On a GPU the
 * blocks' record has their times. */
#include "base/stats.h"
#include "isa/isa.h"
#include "runner/sources/source.h"
#include "runner/sources/timing/duty_device.h"
#include "runner/sources/timing/reference.h"

static const char METRIC[] = "throttle.duty";
static const double REP_S = 0.0005; /* well within a scheduler slice */
enum { THROTTLED, FULL, ROUNDS = 21 };

static bool concerns(const struct test_program *test_program)
{
    return manifest_has_target(test_program->manifest, METRIC);
}

static double duty_of(const size_t *chosen, size_t count, const void *context)
{
    return race_quiet_pass(context, FULL, chosen, count) / race_quiet_pass(context, THROTTLED, chosen, count);
}

static void add(struct observations *list, struct interval duty)
{
    observations_add(list, METRIC, counter_duty.name, counter_duty.kind, duty.value, duty.low, duty.high,
                     (double)duty.n);
}

static enum status observe(const struct test_program *test_program, struct observations *list,
                           struct error *error)
{
    struct race race = {.rep_s = REP_S};
    struct code_generator code_generator;
    if (test_program_is_on_device(test_program)) {
        struct interval duty;
        enum status seen = duty_device_measure(test_program, &duty, error);
        if (seen == STATUS_OK)
            add(list, duty);
        return seen;
    }
    if (!test_program->machine->present)
        return error_set(error, STATUS_UNAVAILABLE, "%s is not the machine that this runs on",
                         test_program->machine->name);
    if (test_program_check_runs(test_program, error) != STATUS_OK ||
        test_program_check_walk(test_program, error) != STATUS_OK)
        return STATUS_UNAVAILABLE;
    race_add(&race, test_program);
    enum status status = code_generator_open(test_program->machine->isa, &code_generator, error);
    if (status == STATUS_OK)
        status = race_add_unthrottled(&race, test_program, &code_generator, error);
    code_generator_close(&code_generator);
    status = source_cannot_see(status, error);
    if (status == STATUS_OK)
        status = race_run(&race, ROUNDS, error);
    if (status == STATUS_OK) {
        add(list, stats_bootstrap_rounds(race.rounds, duty_of, &race));
    }
    race_free(&race);
    return status;
}

const struct counter_source counter_duty = {.name = "duty",
                                            .kind = EVIDENCE_INFERRED,
                                            .targets = ISA_PROCESSOR ",ptx,gcn",
                                            .usable = race_usable,
                                            .concerns = concerns,
                                            .observe = observe,
                                            .alone = true,
                                            .in_rounds = true};
