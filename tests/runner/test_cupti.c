/* The source "cupti" with a mock CUPTI and a mock GPU: the metrics from counters, and a message for every
 * obstacle to counting. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/json.h"
#include "runner/sources/source.h"
#include "tests/given_manifest.h"

#include <stdlib.h>
#include <string.h>

static const char text[] =
    ".version 7.8\n.target sm_90\n.visible .entry trauma_kernel(.param .u64 p) { ret; }\n";

static const char whole[] =
    "{\"target\":\"ptx\",\"arch\":\"sm_90\",\"entry\":\"trauma_kernel\",\"warmup\":5,\"period\":2,"
    "\"grid\":{\"blocks\":8,\"threads\":128},\"data\":{\"bytes\":4096,\"align\":4096,\"regions\":[]},"
    "\"accesses\":{\"SHARED\":100000,\"L1\":300000},\"transfers\":{\"L1\":75000}}";

static struct error error;

static int set_up(void **state)
{
    (void)state;
    setenv("TRAUMA_CUDA", TRAUMA_BUILD_DIR "/tests/libfake_cuda.so", 1);
    setenv("TRAUMA_CUPTI", TRAUMA_BUILD_DIR "/tests/libfake_cupti.so", 1);
    unsetenv("FAKE_CUDA");
    unsetenv("FAKE_CUPTI");
    return 0;
}

static enum status observe(const char *program, const char *manifest_text, struct observations *list)
{
    const struct machine machine = {.isa = "ptx", .present = true};
    json_t *manifest = json_loads(manifest_text, 0, NULL);
    assert_non_null(manifest);
    const struct test_program test_program = {.benchmark = "made",
                                              .point = "up",
                                              .manifest = given_manifest(manifest),
                                              .executable = program,
                                              .executable_size = strlen(program),
                                              .machine = &machine,
                                              .cpu = -1};
    memset(list, 0, sizeof *list);
    error = (struct error){.code = STATUS_OK};
    enum status status = counter_cupti.observe(&test_program, list, &error);
    json_decref(manifest);
    return status;
}

static double value_of(const struct observations *list, const char *metric)
{
    const struct observation *found = observations_find(list, metric, "cupti");
    if (found == NULL)
        return -1;
    assert_int_equal(found->kind, EVIDENCE_MEASURED);
    assert_true(found->low <= found->value && found->value <= found->high);
    return found->value;
}

/* A quarter of the load instructions are of shared memory; of 10000 sectors L1 has 6000, L2 2000 and, behind
 * the fabric, 1000, memory the rest. Four loads a sector everywhere. */
static void counts_come_to_shares(void **state)
{
    (void)state;
    struct observations list;
    if (observe(text, whole, &list) != STATUS_OK)
        fail_msg("%s", error.message);
    assert_float_equal(value_of(&list, "served.SHARED"), 0.25, 1e-9);
    assert_float_equal(value_of(&list, "served.L1"), 0.75 * 0.6, 1e-9);
    assert_float_equal(value_of(&list, "served.L2"), 0.75 * 0.3, 1e-9);
    assert_float_equal(value_of(&list, "served.MEM"), 0.75 * 0.1, 1e-9);
    assert_float_equal(value_of(&list, "l2.far_share"), 1500.0 / 4000, 1e-9);
    assert_float_equal(value_of(&list, "ipc"), 0.5, 1e-9);
    /* Of one pass: the warm-up and what a launch adds are not in it. */
    assert_float_equal(observations_counted(&list, "l1_hits")->interval.value, 6000, 1e-9);
    assert_int_equal(list.warnings.count, 0);
    observations_free(&list);
}

/* Where a sector is one load at one level and four at another, sectors are no loads. */
static void loads_are_weighed_by_the_manifest(void **state)
{
    (void)state;
    static const char mixed[] =
        "{\"target\":\"ptx\",\"arch\":\"sm_90\",\"entry\":\"trauma_kernel\",\"warmup\":5,\"period\":2,"
        "\"grid\":{\"blocks\":8,\"threads\":128},\"data\":{\"bytes\":4096,\"align\":4096,\"regions\":[]},"
        "\"accesses\":{\"L1\":400000,\"L2\":100000,\"MEM\":100000},"
        "\"transfers\":{\"L1\":100000,\"L2\":100000,\"MEM\":100000}}";
    struct observations list;
    setenv("FAKE_CUPTI", "smsp__sass_inst_executed_op_shared_ld.sum=0", 1);
    assert_int_equal(observe(text, mixed, &list), STATUS_OK);
    assert_float_equal(value_of(&list, "served.SHARED"), 0, 1e-9);
    assert_float_equal(value_of(&list, "served.L1"), 24000.0 / 28000, 1e-9);
    assert_float_equal(value_of(&list, "served.MEM"), 1000.0 / 28000, 1e-9);
    observations_free(&list);
}

static void nothing_to_divide_by_is_no_observation(void **state)
{
    (void)state;
    struct observations list;
    setenv("FAKE_CUPTI",
           "smsp__sass_inst_executed_op_shared_ld.sum=0 smsp__sass_inst_executed_op_global_ld.sum=0 "
           "lts__t_sectors_srcunit_tex_op_read.sum=0 "
           "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum=0",
           1);
    assert_int_equal(observe(text, whole, &list), STATUS_OK);
    assert_float_equal(value_of(&list, "served.L1"), -1, 0);
    assert_float_equal(value_of(&list, "served.SHARED"), -1, 0);
    assert_float_equal(value_of(&list, "l2.far_share"), -1, 0);
    observations_free(&list);
}

static void another_clock_is_said(void **state)
{
    (void)state;
    struct observations list;
    setenv("FAKE_CUPTI", "slow", 1);
    assert_int_equal(observe(text, whole, &list), STATUS_OK);
    assert_int_equal(list.warnings.count, 1);
    const char *what = list.warnings.items[0].what;
    if (strstr(what, "ran at 1.17 GHz, without it at 1.755") == NULL)
        fail_msg("\"%s\"", what);
    observations_free(&list);
}

/* Nobody promises that a profiler can be set up twice: it counts all the same. */
static void a_profiler_that_is_set_up_once_is_enabled_anew(void **state)
{
    (void)state;
    struct observations list;
    setenv("FAKE_CUPTI", "once", 1);
    if (observe(text, whole, &list) != STATUS_OK)
        fail_msg("%s", error.message);
    assert_float_equal(value_of(&list, "ipc"), 0.5, 1e-9);
    observations_free(&list);
}

static void expect(const char *trouble, const char *program, enum status status, const char *part)
{
    struct observations list;
    setenv("FAKE_CUPTI", trouble, 1);
    enum status found = observe(program, whole, &list);
    if (found != status || strstr(error.message, part) == NULL)
        fail_msg("%s: %d \"%s\": expected %d and \"%s\"", trouble, found, error.message, status, part);
    assert_int_equal(list.count, 0);
    observations_free(&list);
}

static void what_stands_against_it_is_said(void **state)
{
    (void)state;
    expect("enable=35", text, STATUS_UNAVAILABLE, "this user may not read the GPU's counters");
    assert_non_null(strstr(error.hint, "NVreg_RestrictProfilingToAdminUsers=0"));
    expect("enable=26", text, STATUS_UNAVAILABLE, "another program uses the counters");
    expect("enable=43", text, STATUS_UNAVAILABLE, "MIG");
    expect("enable=36", text, STATUS_UNAVAILABLE, "an older profiling interface");
    expect("enable=39", text, STATUS_UNAVAILABLE, "another NVIDIA tool");
    expect("start=35", text, STATUS_UNAVAILABLE, "this user may not read the GPU's counters");
    expect("initialize=2", text, STATUS_UNAVAILABLE, "CUPTI_ERROR_WRONG_STATE (2)");
    expect("old", text, STATUS_UNAVAILABLE, "the profiler: CUPTI reports");
    expect("lacks=smsp__inst_executed.sum", text, STATUS_UNAVAILABLE,
           "GH100 has no counter smsp__inst_executed.sum");
    expect("drop", text, STATUS_UNAVAILABLE, "dropped 1");
    expect("endless", text, STATUS_UNAVAILABLE, "after 64 of the 2 passes");
    expect("crash", text, STATUS_UNAVAILABLE, "with CUPTI's profiler");
    expect("nan", text, STATUS_UNAVAILABLE, "has the value nan");
}

static void a_program_that_fails_is_said(void **state)
{
    (void)state;
    char program[sizeof text + 32];
    snprintf(program, sizeof program, "//FAKE fault\n%s", text);
    expect("", program, STATUS_FAILED, "illegal memory access");
    snprintf(program, sizeof program, "//FAKE crash\n%s", text);
    expect("", program, STATUS_FAILED, "signal 6");
}

static void usable_wants_library_and_device(void **state)
{
    (void)state;
    assert_int_equal(counter_cupti.usable(&error), STATUS_OK);
    setenv("FAKE_CUDA", "alone", 1);
    assert_int_equal(counter_cupti.usable(&error), STATUS_UNAVAILABLE);
    setenv("TRAUMA_CUPTI", "/nowhere.so", 1);
    assert_int_equal(counter_cupti.usable(&error), STATUS_UNAVAILABLE);
    assert_non_null(strstr(error.message, "/nowhere.so"));
}

static void other_machines_are_not_counted(void **state)
{
    (void)state;
    const struct machine machine = {.isa = "ptx"};
    const struct test_program test_program = {.manifest = &manifest_none, .machine = &machine};
    struct observations list = {0};
    assert_int_equal(counter_cupti.observe(&test_program, &list, &error), STATUS_UNAVAILABLE);
    assert_non_null(strstr(error.message, "another machine"));
}

#define TEST(name) cmocka_unit_test_setup(name, set_up)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(counts_come_to_shares),
        TEST(loads_are_weighed_by_the_manifest),
        TEST(nothing_to_divide_by_is_no_observation),
        TEST(another_clock_is_said),
        TEST(a_profiler_that_is_set_up_once_is_enabled_anew),
        TEST(what_stands_against_it_is_said),
        TEST(a_program_that_fails_is_said),
        TEST(usable_wants_library_and_device),
        TEST(other_machines_are_not_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
