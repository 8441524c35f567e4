/* The source "wave" on a program with a manifest: what it observes, and that it fails a program that differs
 * from its manifest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runner/sources/source.h"
#include "tests/given_manifest.h"
#include "tests/wave_fixture.h"

enum { BLOCKS = 88 };

static const char MACHINE[] =
    "{\"name\":\"hawaii\",\"isa\":\"gcn\",\"caches\":{\"L1\":{\"size\":16384,\"ways\":4,\"line\":64,"
    "\"policy\":\"lru\"},\"L2\":{\"size\":1048576,\"ways\":16,\"line\":64,\"policy\":\"lru\"}},"
    "\"gpu\":{\"arch\":\"gfx701\",\"se\":4,\"sh_per_se\":1,\"cu_per_sh\":11,\"wave\":64,\"l2_channels\":16,"
    "\"interleave\":256,\"quadrants\":[[0,1,2,3],[4,5,6,7],[8,9,10,11],[12,13,14,15]]}}";

/* Even lines 0, odd ones all ones. */
static const char MANIFEST[] =
    "{\"target\":\"gcn\",\"entry\":\"trauma_kernel\",\"grid\":{\"blocks\":88,\"threads\":256},\"period\":1,"
    "\"warmup\":2,\"streams\":[{\"op\":\"load\",\"level\":\"L2\",\"cache\":\"l2\",\"width\":4,"
    "\"per_pass\":4,\"bus\":64,\"bytes\":360448,\"step\":1024,\"lane\":4,\"block\":4096,\"advance\":0}],"
    "\"data\":{\"bytes\":360448,\"align\":4096,\"regions\":[{\"stream\":0,\"offset\":0,\"bytes\":360448,"
    "\"fill\":"
    "{\"kind\":\"words\",\"width\":32,\"words\":["
    "\"0x0000000000000000000000000000000000000000000000000000000000000000\","
    "\"0x0000000000000000000000000000000000000000000000000000000000000000\","
    "\"0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\","
    "\"0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\"]}}]}}";

struct source_case {
    struct machine machine;
    struct buffer object;
    json_t *manifest;
    struct observations list;
    struct error error;
};

static void open_case(struct source_case *test, const char *path)
{
    json_t *document = json_loads(MACHINE, 0, NULL);
    *test = (struct source_case){.manifest = json_loads(MANIFEST, 0, NULL)};
    assert_non_null(document);
    assert_non_null(test->manifest);
    if (machine_from_json(document, "hawaii", &test->machine, &test->error) != STATUS_OK)
        fail_msg("%s", test->error.message);
    json_decref(document);
    fixture_hex(path, &test->object);
}

static enum status look(struct source_case *test)
{
    const struct test_program test_program = {.manifest = given_manifest(test->manifest),
                                              .object = test->object.data,
                                              .object_size = test->object.size,
                                              .machine = &test->machine,
                                              .cpu = -1};
    return counter_wave.observe(&test_program, &test->list, &test->error);
}

static void close_case(struct source_case *test)
{
    observations_free(&test->list);
    buffer_free(&test->object);
    machine_free(&test->machine);
    json_decref(test->manifest);
}

static double value_of(const struct source_case *test, const char *metric)
{
    const struct observation *seen = observations_find(&test->list, metric, "wave");
    if (seen == NULL)
        fail_msg("%s was not observed", metric);
    assert_int_equal(seen->kind, EVIDENCE_SIMULATED);
    assert_true(seen->n > 0 && seen->low == seen->value && seen->high == seen->value);
    return seen->value;
}

static void test_observes(void **state)
{
    (void)state;
    struct source_case test;
    open_case(&test, "tests/golden/wave/read.gfx701.hex");
    if (look(&test) != STATUS_OK)
        fail_msg("%s", test.error.message);
    assert_true(value_of(&test, "served.L1") == 0);
    assert_true(value_of(&test, "served.L2") == 1);
    assert_true(value_of(&test, "served.MEM") == 0);
    assert_true(value_of(&test, "served.SHARED") == 0);
    assert_true(value_of(&test, "l2.miss_rate") == 0);
    assert_true(value_of(&test, "place.se0.share") == 1);
    assert_true(value_of(&test, "place.se3.share") == 0);
    for (unsigned cu = 0; cu < 11; cu++) {
        char metric[METRIC_BYTES];
        snprintf(metric, sizeof metric, "place.cu%u.share", cu);
        assert_true(value_of(&test, metric) == 1.0 / 11);
    }
    assert_true(value_of(&test, "l2.channel0.share") == 1.0 / 16);
    assert_true(value_of(&test, "l2.channel15.share") == 1.0 / 16);
    assert_true(value_of(&test, "l2.far_share") == 0.75);
    assert_true(value_of(&test, "data.toggle_rate") == 1);
    assert_true(value_of(&test, "data.ones_rate") == 0.5);
    assert_true(observations_find(&test.list, "served.L2", "wave")->n == BLOCKS / 4 * 256 * 4 * 4);
    close_case(&test);
}

static void fails(struct source_case *test, enum status status, const char *reason)
{
    assert_int_equal(look(test), status);
    if (strstr(test->error.message, reason) == NULL)
        fail_msg("\"%s\" is not in: %s", reason, test->error.message);
    assert_int_equal(test->list.count, 0);
    close_case(test);
}

static void put_word(struct source_case *test, uint32_t from, uint32_t to)
{
    size_t found = 0;
    for (size_t i = 0; i + 4 <= test->object.size; i += 4)
        if (memcmp(test->object.data + i, &from, 4) == 0) {
            memcpy(test->object.data + i, &to, 4);
            found++;
        }
    assert_int_equal(found, 1);
}

/* The word that reads cu, sh and se of HW_ID, in the object. */
static uint32_t getreg_of(const struct source_case *test)
{
    for (size_t i = 0; i + 4 <= test->object.size; i += 4) {
        uint32_t word;
        memcpy(&word, test->object.data + i, 4);
        if ((word & 0xff80ffff) == 0xb9003204)
            return word;
    }
    fail();
    return 0;
}

static void test_fails(void **state)
{
    (void)state;
    struct source_case test;
    static const char READ[] = "tests/golden/wave/read.gfx701.hex";
    open_case(&test, READ);
    put_word(&test, getreg_of(&test), (getreg_of(&test) & 0x7f0000) | 0xb8803204);
    fails(&test, STATUS_FAILED, "is not a known instruction");
    open_case(&test, READ); /* size for size - 1 */
    put_word(&test, getreg_of(&test), getreg_of(&test) + (1 << 11));
    fails(&test, STATUS_FAILED, "none of 352 waves on the 4 x 1 x 11 compute units worked");
    open_case(&test, READ);
    json_object_set_new(json_array_get(json_object_get(test.manifest, "streams"), 0), "per_pass",
                        json_integer(5));
    fails(&test, STATUS_FAILED, "by the manifest it would be 0x1000003000 (load of 4 bytes, l2)");
    open_case(&test, READ);
    json_object_set_new(json_object_get(test.manifest, "grid"), "blocks", json_integer(96));
    fails(&test, STATUS_FAILED, "where there is no memory");
    open_case(&test, READ);
    json_object_set_new(json_object_get(test.manifest, "grid"), "blocks", json_real(1e300));
    fails(&test, STATUS_FAILED, "the manifest's grid or warmup is wrong");
    open_case(&test, READ);
    json_object_set_new(test.manifest, "period", json_integer(-1));
    fails(&test, STATUS_FAILED, "the manifest's period is wrong");
    open_case(&test, READ);
    json_object_set_new(test.manifest, "target", json_string("x86_64"));
    fails(&test, STATUS_UNAVAILABLE, "only programs of the target gcn");
    open_case(&test, READ); /* L2 as a whole */
    test.machine.gpu.l2_channels = 0;
    assert_int_equal(look(&test), STATUS_OK);
    assert_true(test.list.count > 0);
    close_case(&test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_observes),
        cmocka_unit_test(test_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
