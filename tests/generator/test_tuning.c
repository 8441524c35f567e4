/* Calibration: a tuned plan realises its aims and promises what its recipe requests; the calibration store is
 * found again for the same kernel on the same machine, and for no other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/json.h"
#include "generator/suite/calibration.h"
#include "generator/suite/manifest_read.h"
#include "generator/suite/program.h"
#include "tests/given_manifest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char MACHINE[] = "{\"name\":\"tuned\",\"isa\":\"x86_64\",\"caches\":{"
                              "\"L1I\":{\"size\":32768,\"ways\":8,\"line\":64,\"policy\":\"lru\"},"
                              "\"L1D\":{\"size\":32768,\"ways\":8,\"line\":64,\"policy\":\"lru\"},"
                              "\"L2\":{\"size\":1048576,\"ways\":16,\"line\":64,\"policy\":\"lru\"},"
                              "\"L3\":{\"size\":16777216,\"ways\":16,\"line\":64,\"policy\":\"lru\"}}}";

static const char NEAR[] = "[{\"op\":\"load\",\"count\":1,\"served\":{\"L1\":0.6,\"L2\":0.4}}]";
static const char FAR[] = "[{\"op\":\"load\",\"count\":1,\"served\":{\"L1\":0.5,\"L2\":0.3,\"L3\":0.2}}]";
static const char BRANCHES[] =
    "[{\"op\":\"branch\",\"count\":1,\"accuracy\":0.8},{\"op\":\"add\",\"count\":4}]";

struct scene {
    struct machine machine;
    struct code_generator code_generator;
    struct program program;
    struct error error;
};

static void open_scene(struct scene *scene)
{
    memset(scene, 0, sizeof *scene);
    json_t *description = json_loads(MACHINE, 0, NULL);
    assert_int_equal(machine_from_json(description, "tuned", &scene->machine, &scene->error), STATUS_OK);
    assert_int_equal(code_generator_open("x86_64", &scene->code_generator, &scene->error), STATUS_OK);
    json_decref(description);
}

static void close_scene(struct scene *scene)
{
    program_free(&scene->program);
    code_generator_close(&scene->code_generator);
    machine_free(&scene->machine);
}

/* Makes the program of a unit with a tuning, in JSON; NULL: none. */
static enum status make(struct scene *scene, const char *unit, const char *tuning)
{
    json_t *point =
        json_pack("{s:s, s:s, s:{}, s:s, s:{s:o, s:{}}}", "benchmark", "b", "point", "p", "parameters",
                  "target", "x86_64", "kernel", "unit", json_loads(unit, 0, NULL), "loop");
    assert_non_null(point);
    if (tuning != NULL)
        json_object_set_new(point, "calibration", json_pack("{s:o}", "tuning", json_loads(tuning, 0, NULL)));
    program_free(&scene->program);
    enum status status = program_make(&scene->code_generator, given_point(point), &scene->machine, 1,
                                      &scene->program, &scene->error);
    json_decref(point);
    return status;
}

static double rate(const struct scene *scene, const char *set, const char *metric)
{
    const struct manifest *manifest = scene->program.manifest;
    return rates_get(strcmp(set, "targets") == 0 ? &manifest->targets : &manifest->expected, metric, -1);
}

static void an_aim_moves_what_is_made_and_not_what_is_promised(void **state)
{
    (void)state;
    struct scene scene;
    open_scene(&scene);
    assert_int_equal(make(&scene, NEAR, "{\"aim\":{\"l1d.miss_rate\":0.45}}"), STATUS_OK);
    assert_float_equal(rate(&scene, "targets", "l1d.miss_rate"), 0.4, 1e-9);
    assert_float_equal(rate(&scene, "targets", "served.L1"), 0.6, 1e-9);
    assert_float_equal(rate(&scene, "expected", "l1d.miss_rate"), 0.45, 2e-3);
    assert_float_equal(scene.program.manifest->unit[0].served[LEVEL_L2], 0.4, 1e-12); /* the recipe's word */

    /* A level's rate moves alone: the others are of what comes to them. */
    assert_int_equal(make(&scene, FAR, "{\"aim\":{\"l2.miss_rate\":0.5}}"), STATUS_OK);
    assert_float_equal(rate(&scene, "expected", "l1d.miss_rate"), 0.5, 1e-3);
    assert_float_equal(rate(&scene, "expected", "l2.miss_rate"), 0.5, 4e-3);
    assert_float_equal(rate(&scene, "targets", "l2.miss_rate"), 0.4, 1e-9);

    assert_int_equal(make(&scene, BRANCHES, "{\"aim\":{\"branch.miss_rate\":0.3}}"), STATUS_OK);
    assert_float_equal(rate(&scene, "targets", "branch.miss_rate"), 0.2, 1e-9);
    assert_float_equal(rate(&scene, "expected", "branch.miss_rate"), 0.3, 0.015);
    close_scene(&scene);
}

static double number(const struct scene *scene, const char *key)
{
    json_t *document = written_manifest(scene->program.manifest);
    double found = json_number_or(document, key, 0);
    json_decref(document);
    return found;
}

/* A loop of another shape would answer in another way, and a search by aims would jump. */
static void an_aim_keeps_the_loops_size(void **state)
{
    (void)state;
    static const char *const units[] = {NEAR, FAR};
    struct scene scene;
    open_scene(&scene);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        assert_int_equal(make(&scene, units[i], NULL), STATUS_OK);
        double size = number(&scene, "units");
        double period = number(&scene, "period");
        double before = 0;
        for (int aim = 30; aim < 70; aim++) {
            char tuning[64];
            snprintf(tuning, sizeof tuning, "{\"aim\":{\"l1d.miss_rate\":%.4f}}", aim / 100.0 + 0.0037);
            assert_int_equal(make(&scene, units[i], tuning), STATUS_OK);
            assert_float_equal(number(&scene, "units"), size, 0);
            assert_true(number(&scene, "period") <= period);
            assert_float_equal(rate(&scene, "expected", "l1d.miss_rate"), aim / 100.0 + 0.0037, 2e-3);
            assert_true(rate(&scene, "expected", "l1d.miss_rate") > before);
            before = rate(&scene, "expected", "l1d.miss_rate");
        }
    }
    close_scene(&scene);
}

/* The fewest lines of an eviction set. */
static unsigned fewest_lines(const struct scene *scene)
{
    const struct manifest_data *data = &scene->program.manifest->data;
    unsigned fewest = 1000;
    for (size_t i = 0; i < data->eviction_set_count; i++) {
        double lines = data->eviction_sets[i].lines;
        fewest = lines < fewest ? (unsigned)lines : fewest;
    }
    return fewest;
}

static void a_depth_is_taken_as_it_is(void **state)
{
    (void)state;
    struct scene scene;
    open_scene(&scene);
    static const struct {
        const char *tuning;
        unsigned lines;
    } rows[] = {{"{\"depth\":1}", 8}, {"{\"depth\":0.5}", 4}, {"{\"depth\":3}", 24}, {"{\"depth\":6}", 48}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(make(&scene, NEAR, rows[i].tuning), STATUS_OK);
        assert_in_range(fewest_lines(&scene), rows[i].lines, rows[i].lines + rows[i].lines / 2);
        assert_float_equal(rate(&scene, "targets", "l1d.miss_rate"), 0.4, 1e-9);
    }
    /* Half the ways never miss, and the plan says so instead of refusing: the machine is asked. */
    assert_int_equal(make(&scene, NEAR, "{\"depth\":0.5}"), STATUS_OK);
    assert_float_equal(rate(&scene, "expected", "l1d.miss_rate"), 0, 1e-9);
    assert_int_equal(make(&scene, FAR, "{\"depth\":0.5}"), STATUS_OK);
    assert_true(rate(&scene, "expected", "l2.miss_rate") < 0.1);
    assert_int_equal(make(&scene, FAR, "{\"depth\":3}"), STATUS_OK);
    assert_float_equal(rate(&scene, "expected", "l2.miss_rate"), 0.4, 1e-3);
    /* More lines than L2 has room for in a set of L1D. */
    assert_int_equal(make(&scene, NEAR, "{\"depth\":64}"), STATUS_RECIPE);
    close_scene(&scene);
}

static void no_tuning_changes_nothing(void **state)
{
    (void)state;
    struct scene scene;
    struct buffer object = {0};
    open_scene(&scene);
    assert_int_equal(make(&scene, NEAR, NULL), STATUS_OK);
    buffer_append(&object, scene.program.object.data, scene.program.object.size);
    assert_false(scene.program.manifest->calibration.given);
    assert_int_equal(make(&scene, NEAR, "{}"), STATUS_OK);
    assert_int_equal(scene.program.object.size, object.size);
    assert_memory_equal(scene.program.object.data, object.data, object.size);
    buffer_free(&object);
    close_scene(&scene);
}

/* A file as a person writes it. */
static void write_store(const char *path, const char *tuning)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fprintf(file, "{\"schema\":1,\"kind\":\"calibration\",\"tuning\":%s}", tuning) > 0);
    assert_int_equal(fclose(file), 0);
}

static void what_a_tuning_may_be(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {"[]", "an object"},
        {"{\"deep\":1}", "found 'deep'"},
        {"{\"depth\":0}", "depth is 0"},
        {"{\"depth\":65}", "at most 64"},
        {"{\"depth\":\"3\"}", "is not a number"},
        {"{\"aim\":3}", "found 'aim'"},
        {"{\"aim\":{\"l1d.mis_rate\":0.3}}", "'l1d.mis_rate' cannot be tuned"},
        {"{\"aim\":{\"l1d.miss_rate\":1.1}}", "expected 0 to 1"},
        {"{\"aim\":{\"branch.miss_rate\":0.6}}", "expected 0 to 0.5"},
        {"{\"aim\":{\"depth\":3}}", "belongs beside aim"},
    };
    char path[] = "/tmp/trauma-calibration-XXXXXX", shown[100];
    struct scene scene;
    struct calibration known;
    open_scene(&scene);
    close(mkstemp(path));
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        write_store(path, wrong[i].text);
        assert_int_equal(calibration_read(path, &scene.machine, &known, &scene.error), STATUS_USAGE);
        assert_non_null(strstr(scene.error.message, wrong[i].message));
        assert_string_equal(scene.error.file, path);
        calibration_free(&known);
    }
    const char right[] = "{\"depth\":2.5,\"aim\":{\"l3.miss_rate\":0.25}}";
    write_store(path, right);
    assert_int_equal(calibration_read(path, &scene.machine, &known, &scene.error), STATUS_OK);
    assert_string_equal(tuning_describe(&known.of_all, shown, sizeof shown),
                        "depth 2.5, l3.miss_rate aimed at 0.25");
    calibration_free(&known);
    assert_int_equal(make(&scene, NEAR, right), STATUS_OK);
    json_t *written = written_manifest(scene.program.manifest), *document = json_loads(right, 0, NULL);
    assert_true(json_equal(json_object_get(json_object_get(written, "calibration"), "tuning"), document));
    json_decref(written);
    json_decref(document);
    assert_int_equal(unlink(path), 0);
    close_scene(&scene);
}

/* A point with that unit, which it takes. */
static const struct manifest *point_of(json_t *unit)
{
    json_t *document = json_pack("{s:{s:o}}", "kernel", "unit", unit);
    const struct manifest *point = given_point(document);
    json_decref(document);
    return point;
}

static struct calibration_outcome outcome_of_depth(double depth)
{
    return (struct calibration_outcome){
        .benchmark = "b",
        .point = "p",
        .best = {.source = "timing", .kind = "inferred", .tuning = {.depth = depth}}};
}

static void what_was_learnt_is_for_its_kernel_and_machine(void **state)
{
    (void)state;
    char path[] = "/tmp/trauma-calibration-XXXXXX";
    struct scene scene;
    struct calibration known;
    open_scene(&scene);
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(unlink(path), 0);
    const struct manifest *near = point_of(json_loads(NEAR, 0, NULL)),
                          *far = point_of(json_loads(FAR, 0, NULL));
    const struct calibration_outcome outcome = outcome_of_depth(3);

    assert_int_equal(calibration_read(path, &scene.machine, &known, &scene.error), STATUS_OK);
    assert_false(calibration_find(&known, near->kernel).given); /* no file is no mistake */
    assert_int_equal(calibration_learn(path, &scene.machine, "cpu-1", near->kernel, &outcome, &scene.error),
                     STATUS_OK);
    assert_int_equal(calibration_read(path, &scene.machine, &known, &scene.error), STATUS_OK);
    assert_string_equal(known.host, "cpu-1");
    struct plan_calibration found = calibration_find(&known, near->kernel);
    assert_true(found.given && tuning_same(&found.tuning, &outcome.best.tuning));
    assert_string_equal(found.source, "timing");
    assert_string_equal(found.kind, "inferred");
    assert_false(calibration_find(&known, far->kernel).given);
    assert_float_equal(known.depth, 3, 0);
    calibration_free(&known);

    /* What a person writes for all kernels is there for those without an entry too. */
    json_t *file = json_read(path, &scene.error);
    json_object_set_new(file, "tuning", json_pack("{s:i}", "depth", 1));
    assert_int_equal(json_dump_file(file, path, 0), 0);
    assert_int_equal(calibration_read(path, &scene.machine, &known, &scene.error), STATUS_OK);
    assert_float_equal(calibration_find(&known, far->kernel).tuning.depth, 1, 0);
    assert_float_equal(calibration_find(&known, near->kernel).tuning.depth, 3, 0);
    calibration_free(&known);

    /* The same name with other caches is another machine; learning for it begins anew. */
    json_object_set_new(scene.machine.document, "issue_width", json_integer(4));
    assert_int_equal(calibration_read(path, &scene.machine, &known, &scene.error), STATUS_OK);
    assert_true(known.foreign);
    assert_false(calibration_find(&known, near->kernel).given);
    calibration_free(&known);

    /* A wrong file is said to be wrong. */
    json_object_set_new(file, "tuning", json_pack("{s:i}", "deep", 1));
    assert_int_equal(json_dump_file(file, path, 0), 0);
    assert_int_equal(calibration_read(path, &scene.machine, &known, &scene.error), STATUS_USAGE);
    assert_string_equal(scene.error.file, path);
    calibration_free(&known);
    json_object_set_new(file, "schema", json_integer(7));
    assert_int_equal(json_dump_file(file, path, 0), 0);
    assert_int_equal(calibration_read(path, &scene.machine, &known, &scene.error), STATUS_USAGE);
    assert_non_null(strstr(scene.error.message, "not a calibration of schema 1"));
    assert_int_equal(unlink(path), 0);
    calibration_free(&known);
    json_decref(file);
    close_scene(&scene);
}

/* Each begins at once and adds kernels of its own. */
static void several_who_learn_at_a_time_lose_nothing(void **state)
{
    (void)state;
    enum { LEARNERS = 6, KERNELS = 8 };
    char path[] = "/tmp/trauma-calibration-XXXXXX";
    struct scene scene;
    struct calibration known;
    pid_t learners[LEARNERS];
    int gate[2];
    char byte;
    open_scene(&scene);
    int fd = mkstemp(path);
    assert_true(fd >= 0 && close(fd) == 0 && unlink(path) == 0 && pipe(gate) == 0);
    const struct calibration_outcome outcome = outcome_of_depth(3);
    for (int i = 0; i < LEARNERS; i++) {
        learners[i] = fork();
        if (learners[i] != 0)
            continue;
        close(gate[1]);
        int failures = read(gate[0], &byte, 1) == 0 ? 0 : 1;
        for (int j = 0; j < KERNELS; j++) {
            const struct manifest *point = point_of(json_pack("[{s:i}]", "number", i * KERNELS + j));
            failures += calibration_learn(path, &scene.machine, "", point->kernel, &outcome, &scene.error) !=
                        STATUS_OK;
        }
        _exit(failures);
    }
    close(gate[0]);
    close(gate[1]);
    for (int i = 0; i < LEARNERS; i++) {
        int status;
        assert_int_equal(waitpid(learners[i], &status, 0), learners[i]);
        assert_int_equal(status, 0);
    }
    assert_int_equal(calibration_read(path, &scene.machine, &known, &scene.error), STATUS_OK);
    assert_int_equal(known.count, LEARNERS * KERNELS);
    assert_int_equal(unlink(path), 0);
    calibration_free(&known);
    close_scene(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_aim_moves_what_is_made_and_not_what_is_promised),
        cmocka_unit_test(an_aim_keeps_the_loops_size),
        cmocka_unit_test(a_depth_is_taken_as_it_is),
        cmocka_unit_test(no_tuning_changes_nothing),
        cmocka_unit_test(what_a_tuning_may_be),
        cmocka_unit_test(what_was_learnt_is_for_its_kernel_and_machine),
        cmocka_unit_test(several_who_learn_at_a_time_lose_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
