/* Source "duty": the effect of a throttle{} on the present machine. The throttled loop and the same loop
 * without idle instructions run in turn; throttle.duty is the ratio of their rates. On a GPU, the times come
 * from the blocks' record. */
#include "base/error.h"
#include "base/stats.h"
#include "generator/suite/program.h"
#include "isa/isa.h"
#include "runner/devices/launcher.h"
#include "runner/launch/test_program.h"
#include "runner/sources/source.h"
#include "runner/sources/timing/reference.h"

#include <jansson.h>
#include <math.h>

/* ---- on a device ---- */

enum { THROTTLED, FULL, PARTS, DEVICE_ROUNDS = 9, FEW_PASSES = 100, SEED = 1 };
static const double TIMEOUT_S = 60;

/* Length of a run: long in comparison with the start and the end of its blocks. */
static const double RUN_S = 0.01;
static const double MOST_PASSES = 1e7;

static json_t *units_json(const struct manifest_units *units)
{
    if (units->word != NULL)
        return json_string(units->word);
    json_t *numbers = json_array();
    for (size_t i = 0; i < units->count; i++)
        json_array_append_new(numbers, json_integer(units->numbers[i]));
    return numbers;
}

/* The point of the same loop with each throttle{} at duty 1, as recipes make one. New reference. */
static json_t *unthrottled(const struct manifest *manifest)
{
    json_t *kernel = json_deep_copy(manifest->kernel), *place = json_object(), *item;
    size_t i;
    json_array_foreach(json_object_get(kernel, "unit"), i, item)
    {
        if (json_object_get(item, "duty") != NULL)
            json_object_set_new(item, "duty", json_real(1));
    }
    json_object_set_new(kernel, "loop", json_pack("{s:I}", "units", (json_int_t)manifest->units));
    for (i = 0; i < manifest->place.count; i++)
        json_object_set_new(place, manifest->place.items[i].kind, units_json(&manifest->place.items[i]));
    return json_pack("{s:s, s:s, s:{}, s:s, s:o, s:o, s:{s:I, s:I, s:I}}", "benchmark", "reference", "point",
                     "unthrottled", "parameters", "target", manifest_text_or(manifest->target, ""), "kernel",
                     kernel, "place", place, "grid", "blocks", (json_int_t)manifest->blocks, "threads",
                     (json_int_t)manifest->block_threads, "cluster", (json_int_t)manifest->cluster);
}

/* Makes the full loop, for the device of the throttled one. */
static enum status make_full(const struct test_program *throttled, struct program *program,
                             struct test_program *full, struct error *error)
{
    const char *target = manifest_text_or(throttled->manifest->target, "");
    struct code_generator code_generator;
    json_t *document = unthrottled(throttled->manifest);
    struct manifest *point = point_from_json(document);
    enum status status = code_generator_open(target, &code_generator, error);
    if (status == STATUS_OK)
        status = program_make(&code_generator, point, test_program_reference_machine(throttled), SEED,
                              program, error);
    code_generator_close(&code_generator);
    manifest_free(point);
    json_decref(document);
    if (status != STATUS_OK)
        return status;
    *full = *throttled;
    full->launch = NULL;
    full->manifest = program->manifest;
    full->executable = full->object = program->object.data;
    full->executable_size = full->object_size = program->object.size;
    if (program->object.size == 0) { /* PTX */
        full->executable = program->source.data;
        full->executable_size = program->source.size;
    }
    full->source = program->opencl.data;
    full->source_size = program->opencl.size;
    return STATUS_OK;
}

/* *ticks: of a pass; *seconds: of the loop, NAN where the device has no timer. */
static enum status run_part(const struct test_program *part, uint64_t passes, double *ticks, double *seconds,
                            struct error *error)
{
    const struct test_program_call call = {.iterations = passes, .timeout_s = TIMEOUT_S};
    struct test_program_time time = {0};
    enum status status = launch_run(part, &call, &time, error);
    *ticks = (double)time.ticks / (double)passes;
    *seconds = time.to_s - time.from_s;
    result_record_free(time.record);
    if (status == STATUS_OK && time.ticks == 0)
        return error_set(error, STATUS_UNAVAILABLE, "the device did not report the time of the loop");
    return status;
}

typedef double ticks_of_round[PARTS];

static double duty_on_device(const size_t *chosen, size_t count, const void *context)
{
    const ticks_of_round *ticks = context;
    double full[DEVICE_ROUNDS] = {0}, throttled[DEVICE_ROUNDS] = {0};
    for (size_t i = 0; i < count; i++) {
        full[i] = ticks[chosen[i]][FULL];
        throttled[i] = ticks[chosen[i]][THROTTLED];
    }
    return stats_median(full, count) / stats_median(throttled, count);
}

static enum status race_on_device(const struct test_program parts[PARTS], struct interval *duty,
                                  struct error *error)
{
    ticks_of_round ticks[DEVICE_ROUNDS] = {{0}};
    double first, seconds;
    enum status status = run_part(&parts[THROTTLED], FEW_PASSES, &first, &seconds, error);
    double passes = seconds > 0 ? fmin(FEW_PASSES * RUN_S / seconds, MOST_PASSES) : FEW_PASSES;
    for (size_t i = 0; i < (size_t)DEVICE_ROUNDS * PARTS && status == STATUS_OK; i++)
        status = run_part(&parts[i % PARTS], (uint64_t)fmax(passes, FEW_PASSES), &ticks[i / PARTS][i % PARTS],
                          &seconds, error);
    if (status == STATUS_OK)
        *duty = stats_bootstrap_rounds(DEVICE_ROUNDS, duty_on_device, ticks);
    return status;
}

/* The ratio of their rates. STATUS_UNAVAILABLE when the device is not here, or no such loop can be made. */
static enum status duty_device_measure(const struct test_program *test_program, struct interval *duty,
                                       struct error *error)
{
    struct test_program parts[PARTS] = {*test_program};
    struct program program = {0};
    if (test_program->launch == NULL && !test_program->machine->present)
        return error_set(error, STATUS_UNAVAILABLE, "its program is for another machine");
    enum status status = launch_open(&parts[THROTTLED], error);
    if (status == STATUS_OK) {
        status = make_full(test_program, &program, &parts[FULL], error);
        if (status == STATUS_OK)
            status = launch_open(&parts[FULL], error);
        status = source_unavailable(status == STATUS_RECIPE ? STATUS_FAILED : status, error);
    }
    if (status == STATUS_OK)
        status = race_on_device((const struct test_program *)parts, duty, error);
    launch_close(&parts[FULL]);
    if (test_program->launch == NULL)
        launch_close(&parts[THROTTLED]);
    program_free(&program);
    return status;
}

/* ---- on this machine's processor ---- */

static const char METRIC[] = "throttle.duty";
static const double REP_S = 0.0005; /* well within a scheduler slice */
enum { ROUNDS = 21 };

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
    observations_add_copy(list, 0, METRIC, counter_duty.name, counter_duty.kind, duty);
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
    status = source_unavailable(status, error);
    if (status == STATUS_OK)
        status = race_run(&race, ROUNDS, error);
    if (status == STATUS_OK)
        add(list, stats_bootstrap_rounds(race.rounds, duty_of, &race));
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
