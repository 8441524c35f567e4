/* Random kernels for random AMD GPUs: each is refused with a reason, or executing its machine code shows all
 * its rates. TRAUMA_CASES sets the number of cases, TRAUMA_SEED varies them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/json.h"
#include "generator/suite/program.h"
#include "runner/sources/source.h"
#include "tests/given_manifest.h"
#include "tests/gpu_random.h"
#include "tests/mutate.h"

#include <math.h>

enum { USUAL_CASES = 60 };

struct tally {
    unsigned refused, unseen, passed, failed, metrics;
};

static void tell(const char *what, const json_t *machine, const json_t *point)
{
    char *chip = json_dumps(machine, JSON_COMPACT);
    char *kernel = json_dumps(point, JSON_COMPACT);
    print_message("%s\n  on %s\n  of %s\n", what, chip, kernel);
    free(chip);
    free(kernel);
}

/* What was promised and is not so, or was not seen. */
static bool holds(const struct rates *targets, const struct observations *seen, char what[256],
                  struct tally *tally)
{
    for (size_t i = 0; i < targets->count; i++) {
        const char *metric = targets->items[i].metric;
        double wanted = targets->items[i].value;
        const struct observation *found = observations_find(seen, metric, "wave");
        if (strcmp(metric, "throttle.duty") == 0)
            continue; /* waves are executed without a clock */
        tally->metrics++;
        double off = strcmp(metric, "data.toggle_rate.dealt") == 0 ? 0.02 : 0.002; /* as the contract says */
        if (found != NULL && fabs(found->value - wanted) <= off)
            continue;
        snprintf(what, 256, "%s is %.9g and was to be %.9g", metric, found == NULL ? NAN : found->value,
                 wanted);
        return false;
    }
    return true;
}

static void execute(const struct machine *machine, const json_t *point, const struct program *program,
                    struct tally *tally)
{
    const struct test_program test_program = {.manifest = program->manifest,
                                              .object = program->object.data,
                                              .object_size = program->object.size,
                                              .machine = machine,
                                              .cpu = -1};
    struct observations seen = {0};
    struct error error = {0};
    char what[256];
    enum status status = counter_wave.observe(&test_program, &seen, &error);
    if (status == STATUS_UNAVAILABLE)
        tally->unseen++;
    else if (status != STATUS_OK) {
        tally->failed++;
        tell(error.message, machine->document, point);
    } else if (!holds(&program->manifest->targets, &seen, what, tally)) {
        tally->failed++;
        tell(what, machine->document, point);
    } else
        tally->passed++;
    if (status == STATUS_UNAVAILABLE && getenv("TRAUMA_CASES") != NULL)
        print_message("unseen: %s\n", error.message);
    observations_free(&seen);
}

static bool same(const struct buffer *one, const struct buffer *other)
{
    return one->size == other->size && memcmp(one->data, other->data, one->size) == 0;
}

static void make(const struct code_generator *code_generator, const struct machine *machine,
                 const json_t *point, struct tally *tally)
{
    struct program program, again;
    struct error error = {0};
    enum status status = program_make(code_generator, given_point(point), machine, 1, &program, &error);
    if (status == STATUS_RECIPE && error.message[0] != '\0')
        tally->refused++;
    else if (status != STATUS_OK) {
        tally->failed++;
        tell(error.message, machine->document, point);
    } else {
        execute(machine, point, &program, tally);
        assert_int_equal(program_make(code_generator, given_point(point), machine, 1, &again, &error),
                         STATUS_OK);
        assert_true(same(&program.object, &again.object) && same(&program.source, &again.source));
        struct buffer texts[2] = {{0}, {0}};
        manifest_write(program.manifest, &texts[0]);
        manifest_write(again.manifest, &texts[1]);
        assert_true(same(&program.opencl, &again.opencl) && same(&texts[0], &texts[1]));
        buffer_free(&texts[0]);
        buffer_free(&texts[1]);
        program_free(&again);
    }
    if (status == STATUS_RECIPE && getenv("TRAUMA_CASES") != NULL)
        print_message("refused: %s\n", error.message);
    program_free(&program);
}

static void one_case(const struct code_generator *code_generator, struct random *random, struct tally *tally)
{
    static const char *const loads[] = {"l1", "l2", "stream", NULL};
    static const char *const stores[] = {"wb", "stream", NULL};
    struct machine machine;
    struct error error = {0};
    json_t *document = random_gcn(random);
    if (machine_from_json(document, "random", &machine, &error) != STATUS_OK)
        fail_msg("%s", error.message);
    unsigned threads = PICK(random, 64, 64, 128, 256, 192, 96);
    json_t *unit = random_unit(random, loads, stores);
    json_t *place = random_place(random, json_object_get(document, "gpu"));
    json_t *point = random_point(random, "gcn", unit, place, machine.gpu.sm, threads);
    assert_non_null(point);
    make(code_generator, &machine, point, tally);
    json_decref(point);
    json_decref(document);
    machine_free(&machine);
}

static void promises_are_kept(void **state)
{
    (void)state;
    struct code_generator code_generator;
    struct error error = {0};
    struct tally tally = {0};
    const char *wished = getenv("TRAUMA_CASES");
    unsigned cases = wished == NULL ? USUAL_CASES : (unsigned)atoi(wished);
    struct random random = mutate_start("gcn property");
    if (code_generator_open("gcn", &code_generator, &error) != STATUS_OK)
        fail_msg("%s", error.message);
    for (unsigned i = 0; i < cases; i++)
        one_case(&code_generator, &random, &tally);
    code_generator_close(&code_generator);
    print_message("%u passed with %u metrics, %u refused, %u too large to execute, %u failed\n", tally.passed,
                  tally.metrics, tally.refused, tally.unseen, tally.failed);
    assert_int_equal(tally.failed, 0);
    assert_true(tally.passed > cases / 4 && tally.metrics > tally.passed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(promises_are_kept)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
