/* Damaged results end in a sentence that names the file, or are exported, compared and merged without harm.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/file.h"
#include "cli/diff.h"
#include "cli/point_values.h"
#include "runner/results.h"
#include "runner/results_merge.h"
#include "tests/mutate.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

static const char RESULTS[] =
    "{\"schema\":1,\"kind\":\"context\",\"seed\":1,\"host\":\"a\",\"machine\":{\"name\":\"m\"},"
    "\"shard\":{\"index\":1,\"count\":2},\"benchmarks\":[{\"name\":\"b\"}],\"contexts\":[{\"host\":\"c\"}]}\n"
    "{\"kind\":\"point\",\"benchmark\":\"b\",\"name\":\"p\",\"point\":{\"hit\":0.5},\"program_hash\":\"aa\","
    "\"context\":1,\"trace\":\"r.traces/b/p.csv\",\"time\":{\"ticks_per_pass\":{\"value\":3,\"low\":2,"
    "\"high\":4,\"n\":5}},\"rates\":{\"mix.load\":{\"target\":0.5,\"expect\":{\"min\":0.1},\"verdict\":"
    "\"pass\",\"observations\":[{\"source\":\"bytes\",\"kind\":\"inspected\",\"value\":0.5,\"low\":0.5,"
    "\"high\":0.5,\"n\":3},{\"source\":\"perf\",\"kind\":\"measured\",\"value\":0.4,\"low\":0.3,\"high\":0.5,"
    "\"n\":3}]}},\"power\":{\"from\":[\"s\"],\"power.static_w\":{\"value\":1,\"low\":1,\"high\":1,\"n\":2},"
    "\"sensors\":{\"s\":{\"label\":\"l\",\"power.static_w\":{\"value\":1,\"low\":1,\"high\":1,\"n\":2}}}},"
    "\"threads\":[{\"cpu\":1,\"time\":{\"ticks_per_pass\":{\"value\":3,\"low\":3,\"high\":3,\"n\":1}},"
    "\"rates\":{\"ipc\":{\"source\":\"perf\",\"kind\":\"measured\",\"value\":1,\"low\":1,\"high\":1,\"n\":1}}"
    "}],\"together\":{\"overlap\":0.9}}\n"
    "{\"kind\":\"point\",\"benchmark\":\"b\",\"name\":\"q\",\"program_hash\":\"bb\",\"error\":\"it faulted\"}"
    "\n";

struct scene {
    char root[64];
    char whole[FILE_PATH_BYTES];
    char damaged[FILE_PATH_BYTES];
    unsigned good, bad, values;
};

static void look(const struct point_value *value, void *context)
{
    struct scene *scene = context;
    scene->values++;
    assert_non_null(value->metric);
    assert_non_null(value->source);
    assert_non_null(value->unit);
    assert_true(!value->seen || !isnan(value->value));
}

static void compare(const struct scene *scene)
{
    const struct options options = {.quiet = true, .verbose = true};
    struct error error = {0};
    struct diff diff = {.options = &options, .rows = json_array()};
    enum status status = diff_results(&diff, scene->whole, scene->damaged, &error);
    assert_true(status == STATUS_OK || error.message[0] != '\0');
    json_decref(diff.rows);
}

static enum status add(struct results_merge *merge, const char *path, struct error *error)
{
    struct results_reader reader;
    enum status status = results_open(path, &reader, error);
    if (status == STATUS_OK)
        status = results_merge_add(merge, &reader, error);
    results_reader_close(&reader);
    return status;
}

static void merge(const struct scene *scene, const struct results *whole)
{
    char path[FILE_PATH_BYTES];
    struct error error = {0};
    struct results_merge merge;
    results_merge_begin(&merge);
    enum status status = add(&merge, scene->whole, &error);
    assert_int_equal(status, STATUS_OK);
    status = add(&merge, scene->damaged, &error);
    if (status == STATUS_OK)
        status = results_merge_write(&merge, file_join(path, scene->root, "merged.jsonl"), &error);
    if (status == STATUS_OK) {
        /* What was written is read again, and nothing of the whole is lost. */
        struct results merged;
        assert_int_equal(results_read(path, &merged, &error), STATUS_OK);
        assert_true(json_array_size(merged.points) >= json_array_size(whole->points));
        assert_int_equal(json_array_size(merged.points), merge.count);
        results_free(&merged);
        file_remove_tree(path, NULL);
    } else {
        assert_true(error.message[0] != '\0');
    }
    results_merge_free(&merge);
}

static void try_damaged(struct scene *scene, const struct results *whole)
{
    struct results results;
    struct error error = {0};
    if (results_read(scene->damaged, &results, &error) != STATUS_OK) {
        assert_int_equal(error.code, STATUS_USAGE);
        assert_true(strstr(error.file, "damaged") != NULL || strstr(error.message, "damaged") != NULL);
        scene->bad++;
    } else {
        scene->good++;
        for (size_t i = 0; i < json_array_size(results.points); i++) {
            point_values(json_array_get(results.points, i), i % 2 == 0, look, scene);
            assert_non_null(results_context(results.context, json_array_get(results.points, i)));
        }
        compare(scene);
        merge(scene, whole);
    }
    results_free(&results);
}

static void damage_does_no_harm(void **state)
{
    struct scene *scene = *state;
    struct buffer text = {0};
    struct results whole;
    struct error error;
    struct random random = mutate_start("results");
    buffer_text(&text, RESULTS);
    assert_int_equal(file_write(scene->whole, RESULTS, sizeof RESULTS - 1, false, &error), STATUS_OK);
    assert_int_equal(results_read(scene->whole, &whole, &error), STATUS_OK);
    for (struct mutate_span span = mutate_begin(mutate_seconds()); mutate_more(&span);) {
        struct buffer damaged = mutate(&random, &text);
        assert_int_equal(file_write(scene->damaged, damaged.data, damaged.size, false, &error), STATUS_OK);
        buffer_free(&damaged);
        try_damaged(scene, &whole);
    }
    assert_true(scene->good > 0 && scene->bad > 0 && scene->values > 0);
    results_free(&whole);
    buffer_free(&text);
}

static int set_up(void **state)
{
    struct scene *scene = calloc(1, sizeof *scene);
    strcpy(scene->root, "/tmp/trauma-results-XXXXXX");
    if (mkdtemp(scene->root) == NULL) {
        free(scene);
        return 1;
    }
    file_join(scene->whole, scene->root, "whole.jsonl");
    file_join(scene->damaged, scene->root, "damaged.jsonl");
    *state = scene;
    return 0;
}

static int tear_down(void **state)
{
    struct scene *scene = *state;
    file_remove_tree(scene->root, NULL);
    free(scene);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(damage_does_no_harm, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
