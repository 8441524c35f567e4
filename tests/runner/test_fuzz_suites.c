/* Damaged suites and results: indices, manifests, objects and result lines end with a status and a sentence,
 * and what is still read is judged without harm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/json.h"
#include "generator/suite.h"
#include "runner/evidence.h"
#include "runner/results.h"
#include "tests/mutate.h"

#include <stdio.h>
#include <unistd.h>

static const char MACHINE[] =
    "{\"name\":\"toy\",\"isa\":\"x86_64\",\"caches\":{\"L1I\":{\"size\":8192,\"ways\":4,\"line\":64},\"L1D\":"
    "{"
    "\"size\":4096,\"ways\":2,\"line\":64,\"policy\":\"lru\"},\"L2\":{\"size\":65536,\"ways\":8,\"line\":64,"
    "\"policy\":\"lru\"}}}";

static const char POINT[] = "{\"benchmark\":\"b\",\"point\":\"default\",\"parameters\":{},\"target\":\"x86_"
                            "64\",\"kernel\":{\"unit\":[{\"op\":"
                            "\"load\",\"served\":{\"L1\":0.5,\"L2\":0.5},\"order\":\"even\",\"address\":"
                            "\"independent\",\"width\":8,\"count\":"
                            "1,\"data\":{\"toggle\":0.25}},{\"op\":\"asm\",\"count\":1,\"text\":\"nop\","
                            "\"registers\":0},{\"op\":\"branch\","
                            "\"count\":1,\"accuracy\":0.9,\"kind\":\"indirect\"}],\"loop\":{\"units\":20}},"
                            "\"expect\":{\"ipc\":{\"min\":0.1}},"
                            "\"tolerance\":{\"*\":0.1}}";

static const char RESULTS[] = "{\"schema\":1,\"kind\":\"context\",\"seed\":1,\"host\":\"here\"}\n"
                              "{\"kind\":\"point\",\"benchmark\":\"b\",\"name\":\"default\",\"program_hash\":"
                              "\"abc\",\"reps\":[1,2],\"rates\":{"
                              "\"mix.load\":{\"target\":0.5,\"verdict\":\"pass\",\"observations\":[{"
                              "\"source\":\"bytes\",\"kind\":\"inspected\","
                              "\"value\":0.5,\"low\":0.5,\"high\":0.5,\"n\":3}]}}}\n";

struct scene {
    char root[64];
    char folder[FILE_PATH_BYTES]; /* the suite */
    unsigned good, bad;
};

static enum status write_suite(struct scene *scene, struct error *error)
{
    struct workshop workshop;
    struct machine machine;
    struct program program = {0};
    struct suite_writer writer;
    json_t *description = json_parse(MACHINE, strlen(MACHINE), "machine", error);
    json_t *point = json_parse(POINT, strlen(POINT), "point", error);
    json_t *benchmarks = json_array();
    struct buffer entry = {0};
    enum status status = machine_from_json(description, "machine", &machine, error);
    if (status == STATUS_OK)
        status = workshop_open("x86_64", &workshop, error);
    if (status == STATUS_OK)
        status = program_make(&workshop, point, &machine, 1, &program, error);
    if (status == STATUS_OK)
        status = suite_begin(scene->folder, false, &writer, error);
    if (status == STATUS_OK)
        suite_begin_index(&writer, &machine, 1, benchmarks);
    if (status == STATUS_OK)
        status = suite_add(&writer, "b.lua", point, &program, &entry, error);
    if (status == STATUS_OK)
        status = suite_add_entry(&writer, entry.data, entry.size, error);
    if (status == STATUS_OK)
        status = suite_finish(&writer, error);
    buffer_free(&entry);
    program_free(&program);
    workshop_close(&workshop);
    machine_free(&machine);
    json_decref(description);
    json_decref(point);
    json_decref(benchmarks);
    return status;
}

static int set_up(void **state)
{
    struct error error;
    struct scene *scene = calloc(1, sizeof *scene);
    *state = scene;
    snprintf(scene->root, sizeof scene->root, "/tmp/trauma-fuzz-XXXXXX");
    if (mkdtemp(scene->root) == NULL)
        return 1;
    file_join(scene->folder, scene->root, "suite");
    if (write_suite(scene, &error) == STATUS_OK)
        return 0;
    print_error("%s\n", error.message);
    return 1;
}

static int tear_down(void **state)
{
    struct scene *scene = *state;
    file_remove_tree(scene->root, NULL);
    free(scene);
    return 0;
}

static void count(struct scene *scene, enum status status, const struct error *error)
{
    assert_true(status == STATUS_OK || error->message[0] != '\0');
    scene->good += status == STATUS_OK;
    scene->bad += status != STATUS_OK;
}

/* Judges what the suite holds, by sources that run nothing. */
static void judge(struct scene *scene, const json_t *entry, const struct machine *machine)
{
    struct program program;
    struct error error = {0};
    bool changed;
    enum status status = suite_load(scene->folder, entry, &program, &changed, &error);
    count(scene, status, &error);
    if (status == STATUS_OK) {
        struct evidence evidence;
        const struct subject subject = {.benchmark = "b",
                                        .point = "default",
                                        .manifest = program.manifest,
                                        .executable = program.executable.data,
                                        .executable_size = program.executable.size,
                                        .object = program.object.data,
                                        .object_size = program.object.size,
                                        .machine = machine,
                                        .cpu = -1};
        status = evidence_gather(&subject, "bytes,plan", &evidence, &error);
        assert_int_equal(status, STATUS_OK);
        json_decref(evidence_judge(&subject, &evidence));
        evidence_free(&evidence);
    }
    program_free(&program);
}

static void try_suite(struct scene *scene)
{
    struct machine machine;
    struct error error = {0};
    json_t *index = suite_read(scene->folder, &machine, &error);
    if (index == NULL)
        count(scene, STATUS_FAILED, &error);
    size_t i;
    json_t *entry;
    json_array_foreach(json_object_get(index, "programs"), i, entry)
    {
        judge(scene, entry, &machine);
    }
    json_decref(index);
    machine_free(&machine);
}

static void try_results(struct scene *scene)
{
    char path[FILE_PATH_BYTES];
    struct error error = {0};
    struct results results;
    enum status status = results_read(file_join(path, scene->root, "results.jsonl"), &results, &error);
    count(scene, status, &error);
    results_free(&results);
    struct results_file file;
    json_t *context = json_pack("{s:i}", "seed", 1);
    error.message[0] = '\0';
    status = results_resume(&file, path, context, &error);
    count(scene, status, &error);
    if (status == STATUS_OK)
        results_close(&file);
    json_decref(context);
}

static void damage(struct scene *scene, const char *path, unsigned least_refused,
                   void (*try_one)(struct scene *))
{
    struct buffer whole = {0};
    struct random random = mutate_start(file_base_name(path));
    assert_int_equal(file_read(path, &whole, NULL), STATUS_OK);
    scene->good = scene->bad = 0;
    try_one(scene);
    assert_int_equal(scene->bad, 0);
    assert_true(scene->good > 0);
    for (struct mutate_span span = mutate_begin(mutate_seconds() / 2); mutate_more(&span);) {
        struct buffer damaged = mutate(&random, &whole);
        assert_int_equal(file_write(path, damaged.data, damaged.size, false, NULL), STATUS_OK);
        try_one(scene);
        buffer_free(&damaged);
    }
    assert_true(scene->good + scene->bad > 20 && scene->bad >= least_refused);
    assert_int_equal(file_write(path, whole.data, whole.size, false, NULL), STATUS_OK);
    buffer_free(&whole);
    print_message("%s: %u read, %u refused\n", file_base_name(path), scene->good, scene->bad);
}

static void damaged_suites_are_told(void **state)
{
    struct scene *scene = *state;
    static const struct {
        const char *name;
        unsigned least_refused;
    } files[] = {
        {"suite.json", 10},
        {"b/default/manifest.json", 10},
        {"b/default/program.o", 0}, /* read, and what it holds is looked at when it is judged */
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[FILE_PATH_BYTES];
        damage(scene, file_join(path, scene->folder, files[i].name), files[i].least_refused, try_suite);
    }
}

static void damaged_results_are_told(void **state)
{
    struct scene *scene = *state;
    char path[FILE_PATH_BYTES];
    file_join(path, scene->root, "results.jsonl");
    assert_int_equal(file_write(path, RESULTS, strlen(RESULTS), false, NULL), STATUS_OK);
    damage(scene, path, 10, try_results);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(damaged_suites_are_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(damaged_results_are_told, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("runner/fuzz_suites", tests, NULL, NULL);
}
