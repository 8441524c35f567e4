/* Manifests as types: what is read of both schemas, and that a field of another type is named. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/given_manifest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PROMISE                                                                                              \
    "\"benchmark\":\"b\",\"point\":\"p\",\"target\":\"x86_64\",\"targets\":{\"l1d.miss_rate\":0.5},"         \
    "\"expected\":{\"l1d.miss_rate\":0.5,\"body.share\":1.0},\"hashes\":{}"
#define KERNEL "\"kernel\":{\"unit\":[{\"op\":\"load\",\"served\":{\"L1\":0.5,\"L2\":0.5},\"count\":1}]}"

static struct manifest *read_text(const char *text)
{
    struct error error;
    struct manifest *manifest;
    if (manifest_read(text, strlen(text), "m.json", &manifest, &error) != STATUS_OK)
        fail_msg("%s", error.message);
    return manifest;
}

static void a_manifest_is_read(void **state)
{
    (void)state;
    struct manifest *manifest = read_text(
        "{\"schema\":2," PROMISE "," KERNEL
        ",\"expect\":{\"ipc\":{\"min\":2}},\"tolerance\":{\"*\":0.1,\"ipc\":"
        "0.2},\"threads\":3,\"place\":{\"cores\":[4,5],\"side\":\"near\"},\"loads\":266,\"warmup\":10,"
        "\"calibration\":{\"tuning\":{\"depth\":3},\"source\":\"perf\",\"kind\":\"measured\"},"
        "\"data\":{\"bytes\":4096,\"eviction_sets\":[{\"l1d_set\":1,\"lines\":17,\"rounds\":2}],"
        "\"bases\":[{\"level\":\"L3\",\"by\":\"capacity\",\"turns\":5,\"lines\":9},{\"walk\":true}]},"
        "\"accesses\":[64,0,70592],\"new in a later version\":7}");
    assert_string_equal(manifest->target, "x86_64");
    assert_true(manifest_has_target(manifest, "l1d.miss_rate") && !manifest_has_target(manifest, "ipc"));
    assert_int_equal(manifest->expected.count, 2);
    assert_true(manifest_bounds(manifest, "ipc")->min == 2 && isinf(manifest_bounds(manifest, "ipc")->max));
    assert_null(manifest_bounds(manifest, "dpc"));
    assert_float_equal(tolerances_get(&manifest->tolerance, "ipc"), 0.2, 0);
    assert_float_equal(tolerances_get(&manifest->tolerance, "dpc"), 0.1, 0);
    assert_true(manifest->threads == 3 && manifest->period == 1 && manifest->warmup == 10);
    assert_int_equal(manifest_units(manifest, "cores")->count, 2);
    assert_int_equal(manifest_units(manifest, "cores")->numbers[1], 5);
    assert_string_equal(manifest_units(manifest, "side")->word, "near");
    assert_true(manifest->states_loads && manifest->loads == 266);
    assert_true(!manifest->states_stores && manifest->stores == 0);
    assert_true(manifest->calibration.tuned && manifest->calibration.tuning.depth == 3);
    assert_int_equal(manifest->data.eviction_set_count, 1);
    assert_true(manifest->data.eviction_sets[0].lines == 17);
    assert_true(manifest->data.bases[0].by_capacity && manifest->data.bases[1].walk);
    assert_int_equal(manifest_base_level(&manifest->data.bases[0]), LEVEL_L3);
    assert_int_equal(manifest_base_level(&manifest->data.bases[1]), LEVEL_MEM);
    assert_int_equal(manifest->access_count, 3);
    assert_int_equal(manifest->accesses[2], 70592);
    assert_int_equal(manifest->unit_count, 1);
    assert_true(manifest->unit[0].served[LEVEL_L2] == 0.5 && isnan(manifest->unit[0].width));
    assert_true(manifest_width(&manifest->unit[0]) == 8 && manifest->unit[0].address == NULL);
    manifest_free(manifest);
}

/* Schema 1 has no number of its own, and other names. */
static void schema_1_is_read(void **state)
{
    (void)state;
    struct manifest *manifest =
        read_text("{" PROMISE "," KERNEL ",\"data\":{\"conflict_groups\":[{\"l1d_set\":3,\"lines\":9}]},"
                  "\"accesses\":{\"L2\":4096},\"transfers\":{\"L2\":512}}");
    assert_int_equal(manifest->data.eviction_set_count, 1);
    assert_true(manifest->data.eviction_sets[0].l1d_set == 3);
    assert_int_equal(manifest->access_count, 0);
    assert_float_equal(rates_get(&manifest->loads_by_level, "L2", 0), 4096, 0);
    assert_float_equal(rates_get(&manifest->transfers, "L2", 0), 512, 0);
    manifest_free(manifest);
}

/* What the sources that execute a GPU's program compare with it. */
static void streams_of_a_grid_are_read(void **state)
{
    (void)state;
    struct manifest *manifest =
        read_text("{\"schema\":2," PROMISE "," KERNEL
                  ",\"grid\":{\"blocks\":8,\"threads\":64},\"place\":{\"sm\":[2,5]},"
                  "\"streams\":[{\"op\":\"load\",\"level\":\"L2\",\"cache\":\"cg\",\"side\":\"far\","
                  "\"width\":16,\"hop\":7,"
                  "\"links\":3},{\"op\":\"store\",\"chase\":false}],\"accesses\":{\"L2\":32768}}");
    assert_true(manifest->blocks == 8 && manifest->block_threads == 64);
    assert_int_equal(manifest_units(manifest, "sm")->count, 2);
    assert_int_equal(manifest->stream_count, 2);
    assert_string_equal(manifest->streams[0].side, "far");
    assert_true(manifest->streams[0].hop == 7 && manifest->streams[0].links == 3);
    assert_true(manifest->streams[1].links == 0 && manifest->streams[1].side == NULL);
    assert_true(rates_get(&manifest->loads_by_level, "L2", 0) == 32768);
    manifest_free(manifest);
}

/* One table reads and writes: what is read is written as it was, but for what a later version adds. */
static void what_is_read_is_written(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "{\"schema\":2,\"kind\":\"program\"," PROMISE ",\"machine\":\"zen5\",\"seed\":1,\"threads\":3,"
        "\"expect\":{\"ipc\":{\"min\":2}},\"period\":5,\"units\":7,\"instructions\":30,\"loads\":0,"
        "\"branches\":{\"total\":3,\"random\":1,\"taken\":0,\"not_taken\":2},\"warmup\":10,\"indexed\":false,"
        "\"code\":{\"loop_bytes\":100},\"data\":{\"bytes\":64,\"align\":64,\"pages\":1,\"huge_pages_from\":"
        "64,"
        "\"regions\":[{\"name\":\"lines\",\"offset\":0,\"bytes\":64,\"runs\":[{\"offset\":0,\"step\":8,"
        "\"count\":2,\"word\":\"0x01\"}]}],\"eviction_sets\":[],\"bases\":[{\"walk\":true,\"by\":"
        "\"conflict\","
        "\"start\":0,\"step\":64,\"positions\":3,\"jump\":1,\"turns\":3,\"lines\":9,\"passes\":[1,4]}]},"
        "\"features\":[],\"operands\":[{\"behaviour\":1,\"op\":\"add\",\"bits\":32,\"registers\":[\"rax\"]}]"
        "," KERNEL ",\"symbols\":\"s\",\"accesses\":[0,8],\"access_kinds\":\"s\"}",
        "{\"schema\":2,\"kind\":\"program\"," PROMISE
        ",\"arch\":\"sm_90\",\"entry\":\"trauma_kernel\",\"seed\":1,"
        "\"grid\":{\"blocks\":8,\"threads\":64},\"shared_bytes\":0,\"period\":1,\"units\":2,\"idle\":0,"
        "\"warmup\":2,\"streams\":[{\"op\":\"load\",\"level\":\"L2\",\"predicted\":\"L2\",\"cache\":\"\","
        "\"chase\":false,\"width\":4,\"per_pass\":1,\"bus\":32,\"bytes\":64,\"step\":0,\"lane\":4,\"block\":"
        "0,"
        "\"advance\":0,\"source\":\"async\",\"ring\":0,\"stages\":2,\"copies\":1,\"pending\":0,\"read\":true,"
        "\"groups\":1,\"side\":\"far\",\"hop\":0,\"links\":0}],\"accesses\":{\"L2\":0},\"transfers\":{\"L2\":"
        "0},"
        "\"data\":{\"bytes\":64,\"align\":64,\"regions\":[{\"stream\":0,\"level\":\"L2\",\"offset\":0,"
        "\"bytes\":64,\"fill\":{\"kind\":\"zeros\"}}]}," KERNEL "}"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        json_t *stated = json_loads(texts[i], 0, NULL);
        struct manifest *manifest = read_text(texts[i]);
        json_t *written = written_manifest(manifest);
        char *found = json_dumps(written, JSON_COMPACT);
        json_object_set_new(json_object_get(stated, "expected"), "body.share", json_integer(1));
        if (!json_equal(stated, written))
            fail_msg("%s\nis written as\n%s", texts[i], found);
        free(found);
        json_decref(stated);
        json_decref(written);
        manifest_free(manifest);
    }
}

static void another_type_is_refused_by_name(void **state)
{
    (void)state;
    static const struct {
        const char *field, *message;
    } rows[] = {
        {"\"loads\":\"many\"", "expected a number as \"loads\", found \"many\""},
        {"\"indexed\":1", "expected true or false as \"indexed\", found 1"},
        {"\"threads\":[]", "expected a number as \"threads\", found a list"},
        {"\"arch\":{}", "expected text as \"arch\", found an object"},
        {"\"expect\":{\"ipc\":2}", "expected an object as \"expect.ipc\", found 2"},
        {"\"expect\":{\"ipc\":{\"min\":\"2\"}}", "expected a number as \"expect.ipc.min\", found \"2\""},
        {"\"tolerance\":\"small\"", "as \"tolerance\", found \"small\""},
        {"\"place\":{\"cores\":[1,\"x\"]}", "a whole number as \"place.cores[1]\", found \"x\""},
        {"\"place\":{\"cores\":7}", "as \"place.cores\", found 7"},
        {"\"together\":[3]", "text as \"together[0]\", found 3"},
        {"\"accesses\":[0,0.5]", "a whole number as \"accesses[1]\", found 0.5"},
        {"\"streams\":[{},{\"step\":true}]", "a number as \"streams[1].step\", found true or false"},
        {"\"data\":{\"bases\":[{\"turns\":\"5\"}]}", "a number as \"data.bases[0].turns\", found \"5\""},
        {"\"data\":{\"eviction_sets\":[4]}", "an object as \"data.eviction_sets[0]\", found 4"},
        {"\"grid\":{\"blocks\":\"8\"}", "a number as \"grid.blocks\", found \"8\""},
        {"\"features\":[7]", "expected text as \"features[0]\", found 7"},
        {"\"features\":\"avx2\"", "a list as \"features\", found \"avx2\""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[512];
        struct error error;
        struct manifest *manifest;
        snprintf(text, sizeof text, "{" PROMISE "," KERNEL ",%s}", rows[i].field);
        assert_int_equal(manifest_read(text, strlen(text), "m.json", &manifest, &error), STATUS_FAILED);
        assert_null(manifest);
        if (strncmp(error.message, "m.json is not a manifest: ", 26) != 0 ||
            strstr(error.message, rows[i].message) == NULL)
            fail_msg("\"%s\" has no \"%s\"", error.message, rows[i].message);
    }
}

static void what_promises_nothing_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"[]", "expected an object"},
        {"{}", "expected text as \"benchmark\", found nothing"},
        {"{" PROMISE "}", "expected an object as \"kernel\", found nothing"},
        {"{" PROMISE ",\"kernel\":[]}", "expected an object as \"kernel\", found a list"},
        {"{\"schema\":3," PROMISE "," KERNEL "}", "m.json has schema 3, and this version reads 1 to 2"},
        {"{", "not JSON"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct error error;
        struct manifest *manifest;
        assert_int_not_equal(manifest_read(rows[i].text, strlen(rows[i].text), "m.json", &manifest, &error),
                             STATUS_OK);
        if (strstr(error.message, rows[i].message) == NULL)
            fail_msg("\"%s\" has no \"%s\"", error.message, rows[i].message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_manifest_is_read),
        cmocka_unit_test(schema_1_is_read),
        cmocka_unit_test(streams_of_a_grid_are_read),
        cmocka_unit_test(what_is_read_is_written),
        cmocka_unit_test(another_type_is_refused_by_name),
        cmocka_unit_test(what_promises_nothing_is_refused),
    };
    return cmocka_run_group_tests_name("generator/manifest_read", tests, NULL, NULL);
}
