/* AMD GPU programs as OpenCL C on PoCL, which runs them on the processor: their loads are checked word by
 * word, with patterns, strides and addresses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runner/process/worker.h"
#include "tests/runner/opencl_made.h"
#include "tests/skip.h"

#include <math.h>
#include <stdlib.h>

static struct error error;

/* Each thread adds every stride-th word of its block's part from its own on; a pass is the whole part. */
static const char reads_text[] =
    "__kernel __attribute__((reqd_work_group_size(64, 1, 1)))\n"
    "void trauma_kernel(ulong iterations, ulong warmup, __global uchar *data, __global ulong *record)\n"
    "{\n"
    "    const size_t block = get_group_id(0), thread = get_local_id(0);\n"
    "    __global const volatile uint *words = (__global const volatile uint *)(data + block * 4096);\n"
    "    ulong sum = 0;\n"
    "    for (ulong left = warmup; left != 0; left--)\n"
    "        sum += words[thread] & 0;\n"
    "    for (ulong left = iterations; left != 0; left--)\n"
    "        for (size_t i = thread; i < 1024; i += STRIDE)\n"
    "            sum += words[i];\n"
    "    if (thread == 0) {\n"
    "        __global ulong *entry = record + 8 * block;\n"
    "        entry[0] = entry[1] = entry[2] = entry[3] = entry[6] = entry[7] = 0;\n"
    "        entry[4] = (ulong)1 << 32;\n"
    "        entry[5] = sum;\n"
    "    }\n"
    "}\n";

/* Follows addresses: four steps a pass. */
static const char chase_text[] =
    "__kernel __attribute__((reqd_work_group_size(64, 1, 1)))\n"
    "void trauma_kernel(ulong iterations, ulong warmup, __global uchar *data, __global ulong *record)\n"
    "{\n"
    "    ulong at = (ulong)data;\n"
    "    for (ulong left = 4 * iterations; left != 0; left--)\n"
    "        at = *(__global const ulong *)at;\n"
    "    if (get_local_id(0) == 0) {\n"
    "        __global ulong *entry = record + 8 * get_group_id(0);\n"
    "        entry[0] = entry[1] = entry[2] = entry[3] = entry[6] = entry[7] = 0;\n"
    "        entry[4] = (ulong)1 << 32;\n"
    "        entry[5] = at - (ulong)data;\n"
    "    }\n"
    "}\n";

static int on_processor(void **state)
{
    struct error why_not;
    (void)state;
    unsetenv("TRAUMA_OPENCL");
    struct device *devices;
    size_t count;
    enum status status = launch_devices(&opencl_driver, &devices, &count, &why_not);
    if (status != STATUS_OK)
        print_message("skipped: no OpenCL device here: %s\n", why_not.message);
    free(devices);
    return status == STATUS_OK ? 0 : -1;
}

static bool processor_runs(void)
{
    return on_processor(NULL) == 0;
}

/* The sums of all blocks, or a refusal: a record's summary has them not. */
static enum status answer_sums(void *context, const struct worker_bytes *request, struct buffer *answer,
                               struct error *why_not)
{
    const struct test_program *test_program = context;
    struct device_run ran = {0};
    struct device_facts facts = device_facts_none();
    void *handle = NULL;
    enum status status = opencl_driver.open(test_program, &handle, &facts, why_not);
    if (status == STATUS_OK)
        status = opencl_driver.run(handle, *(const uint64_t *)request->bytes, &ran, why_not);
    for (size_t i = 0; status == STATUS_OK && i < ran.blocks; i++)
        buffer_append(answer, &ran.entries[i].sum, sizeof ran.entries[i].sum);
    device_facts_free(&facts);
    return status;
}

/* In a process of its own, as the runner has it. */
static void sums_of(struct made *made, uint64_t iterations, long long sums[BLOCKS])
{
    const struct worker_job job = {.answer = answer_sums, .context = &made->test_program};
    struct worker worker;
    struct buffer answer = {0};
    assert_int_equal(worker_start(&job, &worker, &error), STATUS_OK);
    if (worker_ask(&worker, &(struct worker_bytes){&iterations, sizeof iterations}, 60, "the sums", &answer,
                   &error) != STATUS_OK)
        fail_msg("%s", error.message);
    assert_int_equal(answer.size, BLOCKS * sizeof *sums);
    memcpy(sums, answer.data, answer.size);
    buffer_free(&answer);
    worker_end(&worker);
}

static void reads_are_of_the_data_as_it_was_described(void **state)
{
    /* Block 0: words 1, 2, 3, 4 over and over; block 1: zeros; block 2: all ones; block 3: words 7. */
    static const char regions[] =
        "[{\"offset\":0,\"bytes\":4096,\"fill\":{\"kind\":\"words\",\"width\":4,"
        "\"words\":[\"0x00000001\",\"0x00000002\",\"0x00000003\",\"0x00000004\"]}},"
        "{\"offset\":8192,\"bytes\":4096,\"fill\":{\"kind\":\"words\",\"width\":4,\"words\":[\"0xffffffff\"]}"
        "},"
        "{\"offset\":12288,\"bytes\":4096,\"fill\":{\"kind\":\"words\",\"width\":4,\"words\":[\"0x00000007\"]"
        "}}]";
    static const struct {
        int stride;
        long long of_pass[BLOCKS]; /* of thread 0 */
    } rows[] = {{64, {16, 0, 16LL * 0xffffffff, 112}},
                {1, {2560, 0, 1024LL * 0xffffffff, 7168}},
                {6, {2 * 171 - 1, 0, 171LL * 0xffffffff, 7 * 171}}}; /* words 1 and 3 in turn */
    (void)state;
    if (!processor_runs())
        skip_because("no OpenCL of this processor here: apt-get install pocl-opencl-icd");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[sizeof reads_text + 64];
        struct made made;
        long long sums[BLOCKS];
        snprintf(text, sizeof text, "#define STRIDE %d\n%s", rows[i].stride, reads_text);
        make(&made, text, regions);
        sums_of(&made, 3, sums);
        for (size_t block = 0; block < BLOCKS; block++)
            assert_int_equal(sums[block], 3 * rows[i].of_pass[block]);
        unmake(&made);
    }
}

static void a_chase_knows_where_its_data_lies(void **state)
{
    static const char regions[] = "[{\"offset\":0,\"bytes\":4096,\"fill\":{\"kind\":\"chase\",\"step\":8,"
                                  "\"count\":512,\"multiplier\":\"0x5\",\"increment\":\"0x3\"}}]";
    struct made made;
    long long sums[BLOCKS];
    unsigned at = 0;
    (void)state;
    if (!processor_runs())
        skip_because("no OpenCL of this processor here: apt-get install pocl-opencl-icd");
    make(&made, chase_text, regions);
    sums_of(&made, 25, sums);
    for (int i = 0; i < 100; i++)
        at = (5 * at + 3) % 512;
    assert_true(at != 0);
    for (size_t block = 0; block < BLOCKS; block++)
        assert_int_equal(sums[block], 8 * at);
    unmake(&made);
}

static void time_is_of_the_measured_passes(void **state)
{
    struct made made;
    struct test_program_time time;
    (void)state;
    if (!processor_runs())
        skip_because("no OpenCL of this processor here: apt-get install pocl-opencl-icd");
    char text[sizeof reads_text + 64];
    snprintf(text, sizeof text, "#define STRIDE 1\n%s", reads_text);
    make(&made, text, "[]");
    assert_int_equal(launch_open(&made.test_program, &error), STATUS_OK);
    assert_string_equal(launch_facts(&made.test_program)->module.from, "program.cl");
    assert_int_equal(run(&made, 0, 20, &time, &error), STATUS_OK);
    assert_int_equal(time.ticks, 0);
    assert_true(isnan(time.from_s));
    result_record_free(time.record);
    /* 256 threads read 1024 words in each of 200 passes: more than a millisecond on anything. */
    if (run(&made, 200, 60, &time, &error) != STATUS_OK)
        fail_msg("%s", error.message);
    double seconds = time.record->seconds;
    assert_true(seconds > 1e-3 && seconds < 60);
    assert_float_equal((double)time.ticks, seconds * 1e9, 1);
    assert_true(fabs(time.to_s - time.from_s - seconds) < 1e-6);
    assert_true(time.record->by_events);
    assert_true(time.record->kernel_s >= seconds);
    assert_int_equal(time.record->places.count, 0);
    result_record_free(time.record);
    unmake(&made);
}

static void what_goes_wrong_ends_one_point_with_a_sentence(void **state)
{
    static const struct {
        const char *from, *to; /* in the text */
        enum status status;
        const char *message;
        int line;
    } rows[] = {
        {"ulong sum = 0;", "ulong sum = undeclared;", STATUS_FAILED, "undeclared", 7},
        {"ulong sum = 0;", "#error placed elsewhere\n", STATUS_FAILED, "placed elsewhere", 7},
        {"sum += words[i]", "words = 0, sum += words[i]", STATUS_FAILED, "signal 11", 0},
        {"left != 0; left--)\n        for", "left != 0;)\n        for", STATUS_FAILED,
         "still running after 2 s", 0},
        {"trauma_kernel", "another_kernel", STATUS_FAILED, "no such kernel", 0},
        {"(64, 1, 1)", "(32, 1, 1)", STATUS_UNAVAILABLE, "blocks of that many threads", 0},
        {"sum += words[i]", "(void)0", STATUS_FAILED, "compiler removed the program's loop", 0},
    };
    (void)state;
    if (!processor_runs())
        skip_because("no OpenCL of this processor here: apt-get install pocl-opencl-icd");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct made made;
        struct test_program_time time;
        char text[sizeof reads_text + 256];
        const char *at = strstr(reads_text, rows[i].from);
        assert_non_null(at);
        snprintf(text, sizeof text, "#define STRIDE 1\n%.*s%s%s", (int)(at - reads_text), reads_text,
                 rows[i].to, at + strlen(rows[i].from));
        make(&made, text, "[]");
        uint64_t passes = strcmp(rows[i].to, "(void)0") == 0 ? UINT64_C(1) << 50 : 100;
        assert_int_equal(run(&made, passes, strstr(rows[i].message, "still") != NULL ? 2 : 60, &time, &error),
                         rows[i].status);
        if (strstr(error.message, rows[i].message) == NULL)
            fail_msg("%s: %s", rows[i].to, error.message);
        assert_int_equal(error.line, rows[i].line);
        if (rows[i].line > 0)
            assert_string_equal(error.file, "program.cl");
        unmake(&made);
    }
}

static void a_processor_is_no_place_for_placement(void **state)
{
    struct made made;
    struct test_program_time time;
    char text[sizeof reads_text + 64];
    (void)state;
    if (!processor_runs())
        skip_because("no OpenCL of this processor here: apt-get install pocl-opencl-icd");
    snprintf(text, sizeof text, "#define STRIDE 1\n%s", reads_text);
    make(&made, text, "[]");
    json_object_set_new(made.manifest, "place", json_pack("{s:[i]}", "se", 0));
    assert_int_equal(run(&made, 1, 20, &time, &error), STATUS_UNAVAILABLE);
    assert_non_null(strstr(error.message, "a wave cannot learn where it runs"));
    assert_non_null(strstr(error.hint, "trauma sensors"));
    json_object_set_new(made.manifest, "place", json_pack("{s:[i]}", "l2_channels", 0));
    assert_int_equal(run(&made, 1, 20, &time, &error), STATUS_OK); /* chosen by addresses: nothing is asked */
    result_record_free(time.record);
    unmake(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_are_of_the_data_as_it_was_described),
        cmocka_unit_test(a_chase_knows_where_its_data_lies),
        cmocka_unit_test(time_is_of_the_measured_passes),
        cmocka_unit_test(what_goes_wrong_ends_one_point_with_a_sentence),
        cmocka_unit_test(a_processor_is_no_place_for_placement),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
