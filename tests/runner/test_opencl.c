/* Programs for AMD's GPUs through OpenCL. PoCL runs OpenCL C on the processor, for real: what it loads is
 * checked word by word, patterns and strides and addresses. A made-up AMD GPU shows what PoCL cannot: code
 * objects that are taken as they are, and compiled binaries that are patched. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/json.h"
#include "isa/gcn/prove.h"
#include "runner/counters/source.h"
#include "runner/launch/launcher.h"
#include "runner/launch/worker.h"
#include "tests/gcn_files.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum { THREADS = 64, BLOCKS = 4, SPAN = 4096 };
static const char library[] = TRAUMA_BUILD_DIR "/tests/libfake_opencl.so";
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

struct made {
    char text[2048];
    json_t *manifest;
    struct machine machine;
    struct subject subject;
};

static void make(struct made *made, const char *text, const char *regions)
{
    char data[1024];
    snprintf(data, sizeof data, "{\"bytes\":%d,\"align\":65536,\"regions\":%s}", BLOCKS * SPAN, regions);
    snprintf(made->text, sizeof made->text, "%s", text);
    made->manifest = json_pack("{s:s, s:s, s:s, s:i, s:{s:i, s:i}, s:o, s:{}, s:{}}", "target", "gcn", "arch",
                               "gfx701", "entry", "trauma_kernel", "warmup", 2, "grid", "blocks", BLOCKS,
                               "threads", THREADS, "data", json_loads(data, 0, NULL), "targets", "expected");
    assert_non_null(made->manifest);
    made->machine = (struct machine){.present = true};
    made->subject = (struct subject){.benchmark = "made",
                                     .point = "up",
                                     .manifest = made->manifest,
                                     .source = made->text,
                                     .source_size = strlen(made->text),
                                     .machine = &made->machine,
                                     .cpu = -1};
}

static void unmake(struct made *made)
{
    launch_close(&made->subject);
    json_decref(made->manifest);
}

static enum status run(struct made *made, uint64_t iterations, double timeout_s, struct subject_time *time)
{
    const struct subject_call call = {.iterations = iterations, .timeout_s = timeout_s};
    *time = (struct subject_time){0};
    return subject_run_one(&made->subject, &call, time, &error);
}

/* ---- on the processor ---- */

static int on_processor(void **state)
{
    struct error why_not;
    (void)state;
    unsetenv("TRAUMA_OPENCL");
    json_t *list = launch_devices(&opencl_driver, &why_not);
    if (list == NULL)
        print_message("skipped: no OpenCL device here: %s\n", why_not.message);
    bool there = list != NULL;
    json_decref(list);
    return there ? 0 : -1;
}

static bool processor_runs(void)
{
    return on_processor(NULL) == 0;
}

/* The sums of all blocks, or a refusal: a record's summary has them not. */
static json_t *answer_sums(void *context, const json_t *request)
{
    const struct subject *subject = context;
    struct device_run ran = {0};
    void *handle = NULL;
    json_t *facts = json_object();
    json_t *sums = json_array();
    enum status status = opencl_driver.open(subject, &handle, facts, &error);
    if (status == STATUS_OK)
        status = opencl_driver.run(handle, (uint64_t)json_integer_value(json_object_get(request, "run")),
                                   &ran, &error);
    for (size_t i = 0; status == STATUS_OK && i < ran.blocks; i++)
        json_array_append_new(sums, json_integer((json_int_t)ran.entries[i].sum));
    json_decref(facts);
    return status == STATUS_OK ? sums : worker_refusal(&error);
}

/* In a process of its own, as the runner has it. */
static void sums_of(struct made *made, int iterations, long long sums[BLOCKS])
{
    const struct worker_job job = {.answer = answer_sums, .context = &made->subject};
    struct worker worker;
    json_t *request = json_pack("{s:i}", "run", iterations);
    json_t *answer = NULL;
    assert_int_equal(worker_start(&job, &worker, &error), STATUS_OK);
    if (worker_ask(&worker, request, 60, "the sums", &answer, &error) != STATUS_OK)
        fail_msg("%s", error.message);
    assert_int_equal(json_array_size(answer), BLOCKS);
    for (size_t i = 0; i < BLOCKS; i++)
        sums[i] = json_integer_value(json_array_get(answer, i));
    json_decref(answer);
    json_decref(request);
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
        skip();
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
        skip();
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
    struct subject_time time;
    (void)state;
    if (!processor_runs())
        skip();
    char text[sizeof reads_text + 64];
    snprintf(text, sizeof text, "#define STRIDE 1\n%s", reads_text);
    make(&made, text, "[]");
    assert_int_equal(launch_open(&made.subject, &error), STATUS_OK);
    assert_string_equal(json_string_or(json_object_get(launch_facts(&made.subject), "module"), "from", ""),
                        "program.cl");
    assert_int_equal(run(&made, 0, 20, &time), STATUS_OK);
    assert_int_equal(time.ticks, 0);
    assert_true(isnan(time.from_s));
    json_decref(time.record);
    /* 256 threads read 1024 words in each of 200 passes: more than a millisecond on anything. */
    if (run(&made, 200, 60, &time) != STATUS_OK)
        fail_msg("%s", error.message);
    double seconds = json_number_or(time.record, "seconds", 0);
    assert_true(seconds > 1e-3 && seconds < 60);
    assert_float_equal((double)time.ticks, seconds * 1e9, 1);
    assert_true(fabs(time.to_s - time.from_s - seconds) < 1e-6);
    assert_string_equal(json_string_or(time.record, "timed_by", ""), "event");
    assert_true(json_number_or(time.record, "kernel_s", 0) >= seconds);
    assert_int_equal(json_object_size(json_object_get(time.record, "places")), 0);
    json_decref(time.record);
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
        skip();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct made made;
        struct subject_time time;
        char text[sizeof reads_text + 256];
        const char *at = strstr(reads_text, rows[i].from);
        assert_non_null(at);
        snprintf(text, sizeof text, "#define STRIDE 1\n%.*s%s%s", (int)(at - reads_text), reads_text,
                 rows[i].to, at + strlen(rows[i].from));
        make(&made, text, "[]");
        uint64_t passes = strcmp(rows[i].to, "(void)0") == 0 ? UINT64_C(1) << 50 : 100;
        assert_int_equal(run(&made, passes, strstr(rows[i].message, "still") != NULL ? 2 : 60, &time),
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
    struct subject_time time;
    char text[sizeof reads_text + 64];
    (void)state;
    if (!processor_runs())
        skip();
    snprintf(text, sizeof text, "#define STRIDE 1\n%s", reads_text);
    make(&made, text, "[]");
    json_object_set_new(made.manifest, "place", json_pack("{s:[i]}", "se", 0));
    assert_int_equal(run(&made, 1, 20, &time), STATUS_UNAVAILABLE);
    assert_non_null(strstr(error.message, "tells no wave where it runs"));
    assert_non_null(strstr(error.hint, "trauma sensors"));
    json_object_set_new(made.manifest, "place", json_pack("{s:[i]}", "l2_channels", 0));
    assert_int_equal(run(&made, 1, 20, &time), STATUS_OK); /* chosen by addresses: nothing is asked */
    json_decref(time.record);
    unmake(&made);
}

/* ---- on a made-up GPU ---- */

static char folder[] = "/tmp/test_opencl.XXXXXX";
static char binary_path[64], loaded_path[64];

/* What its compiler makes: kernels "first" and "second" with the placeholder, behind which the same word is a
 * literal. */
static void write_binary(const char *target)
{
    struct buffer code = {0};
    struct buffer file = {0};
    assert_true(made_code(target, "s_movk_i32 s5, 0x7a5a\ns_mov_b32 s4, 0x7a5a1234\ns_endpgm", &code));
    made_rocm(&file, target, &code);
    assert_int_equal(file_write(binary_path, file.data, file.size, false, &error), STATUS_OK);
    buffer_free(&file);
    buffer_free(&code);
}

static int on_made_up(void **state)
{
    (void)state;
    snprintf(binary_path, sizeof binary_path, "%s/binary", folder);
    snprintf(loaded_path, sizeof loaded_path, "%s/loaded", folder);
    setenv("TRAUMA_OPENCL", library, 1);
    setenv("FAKE_OPENCL", "Hawaii", 1);
    setenv("FAKE_OPENCL_BINARY", binary_path, 1);
    setenv("FAKE_OPENCL_LOADED", loaded_path, 1);
    (void)remove(binary_path);
    (void)remove(loaded_path);
    return 0;
}

static void make_placed(struct made *made, const char *arch)
{
    make(made, "#ifdef TRAUMA_PLACEMENT\n#endif\n", "[]");
    json_object_set_new(made->manifest, "entry", json_string("first"));
    json_object_set_new(made->manifest, "arch", json_string(arch));
    json_object_set_new(made->manifest, "place", json_pack("{s:[i]}", "se", 0));
    json_object_set_new(json_object_get(made->manifest, "targets"), "place.se0.share", json_real(1));
}

static void devices_say_what_they_are(void **state)
{
    (void)state;
    struct machine machine;
    json_t *list = launch_devices(&opencl_driver, &error);
    assert_int_equal(json_array_size(list), 1);
    const json_t *device = json_array_get(list, 0);
    assert_string_equal(json_string_or(device, "name", ""), "Fake FirePro W9100");
    assert_string_equal(json_string_or(device, "arch", ""), "gfx701");
    assert_string_equal(json_string_or(device, "pci", ""), "0000:03:00.0");
    assert_float_equal(json_number_or(device, "compute_units", 0), 44, 0);
    assert_float_equal(json_number_or(device, "clock_hz", 0), 930e6, 1);
    assert_true(json_is_false(json_object_get(device, "code_objects")));
    if (opencl_driver.machine(device, &machine, &error) != STATUS_OK)
        fail_msg("%s", error.message);
    assert_string_equal(machine.name, "fake-firepro-w9100");
    assert_int_equal(machine.gpu.se, 4);
    assert_int_equal(machine.gpu.cu_per_sh, 11);
    assert_int_equal(machine.gpu.l2_channels, 16);
    assert_true(opencl_driver.is_machine(device, &machine));
    machine_free(&machine);
    json_decref(list);
}

static void what_the_machine_lacks_is_a_sentence(void **state)
{
    (void)state;
    static const struct {
        const char *library, *trouble, *message, *hint;
    } rows[] = {
        {"/nonexistent/libOpenCL.so.1", "", "cannot be opened", "ocl-icd-libopencl1"},
        {library, "Hawaii,none", "no OpenCL platform is installed", "pocl-opencl-icd"},
        {library, "Hawaii,alone", "no OpenCL device is found", "/dev/kfd"},
        {TRAUMA_BUILD_DIR "/tests/libfake_nvml.so", "", "has no clGetPlatformIDs", "libOpenCL.so.1"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        setenv("TRAUMA_OPENCL", rows[i].library, 1);
        setenv("FAKE_OPENCL", rows[i].trouble, 1);
        assert_null(launch_devices(&opencl_driver, &error));
        assert_int_equal(error.code, STATUS_UNAVAILABLE);
        if (strstr(error.message, rows[i].message) == NULL || strstr(error.hint, rows[i].hint) == NULL)
            fail_msg("%s; %s", error.message, error.hint);
    }
}

/* The binary that is loaded differs from the compiled one in the one word of "first": s_getreg_b32 s5,
 * hwreg(HW_REG_HW_ID, 8, 7). */
static void a_compiled_binary_is_patched_and_loaded_again(void **state)
{
    static const struct {
        const char *device, *target;
        uint32_t word;
    } rows[] = {{"Hawaii", "gfx701", 0xb9053204}, {"gfx906:sramecc-,refuse", "gfx906", 0xb8853204}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct made made;
        struct buffer before = {0};
        struct buffer after = {0};
        if (!made_known(rows[i].target))
            skip();
        write_binary(rows[i].target);
        setenv("FAKE_OPENCL", rows[i].device, 1);
        make_placed(&made, rows[i].target);
        made.subject.executable = "\x7f"
                                  "ELF";
        made.subject.executable_size = 5;
        if (launch_open(&made.subject, &error) != STATUS_OK)
            fail_msg("%s", error.message);
        const json_t *module = json_object_get(launch_facts(&made.subject), "module");
        assert_string_equal(json_string_or(module, "from", ""), "program.cl");
        assert_int_equal(json_object_get(module, "why") != NULL, i == 1);
        const json_t *placement = json_object_get(module, "placement");
        assert_string_equal(json_string_or(placement, "read", ""), "cu,sh,se");
        assert_float_equal(json_number_or(placement, "instructions", 0), 1, 0);
        assert_int_equal(file_read(binary_path, &before, &error), STATUS_OK);
        assert_int_equal(file_read(loaded_path, &after, &error), STATUS_OK);
        assert_int_equal(before.size, after.size);
        size_t at = 0;
        while (before.data[at] == after.data[at])
            at++;
        uint32_t word;
        at = at / 4 * 4;
        memcpy(&word, after.data + at, sizeof word);
        assert_int_equal(word, rows[i].word);
        assert_memory_equal(before.data + at + 4, after.data + at + 4, before.size - at - 4);
        buffer_free(&before);
        buffer_free(&after);
        unmake(&made);
    }
}

static void records_tell_where_blocks_ran(void **state)
{
    static const struct {
        const char *device, *from;
    } rows[] = {{"gfx906:sramecc-", "program.co"}, {"Hawaii", "program.cl"}};
    (void)state;
    if (!made_known("gfx906"))
        skip();
    write_binary("gfx906");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct made made;
        struct subject_time time;
        struct observations seen = {0};
        setenv("FAKE_OPENCL", rows[i].device, 1);
        make_placed(&made, "gfx906");
        made.subject.executable = "\x7f"
                                  "ELF";
        made.subject.executable_size = 5;
        assert_int_equal(launch_open(&made.subject, &error), STATUS_OK);
        const json_t *module = json_object_get(launch_facts(&made.subject), "module");
        assert_string_equal(json_string_or(module, "from", ""), rows[i].from);
        if (run(&made, 1000, 20, &time) != STATUS_OK)
            fail_msg("%s", error.message);
        /* 4 blocks: shader engines 0, 1, 0, 1 and compute units 0, 0, 1, 1 */
        json_t *places = json_object_get(time.record, "places");
        assert_int_equal(json_object_size(places), 4);
        assert_float_equal(json_number_or(places, "se1.sh0.cu1", 0), 1, 0);
        double seconds = json_number_or(time.record, "seconds", 0);
        assert_true(fabs(seconds - 1e-3) < 1e-8); /* the made-up events' own: a microsecond a pass */
        json_decref(time.record);
        assert_int_equal(counter_record.observe(&made.subject, &seen, &error), STATUS_OK);
        const struct observation *there = observations_find(&seen, "place.se0.share", "record");
        assert_non_null(there);
        assert_float_equal(there->value, 0.5, 0);
        observations_free(&seen);
        unmake(&made);
    }
}

static void a_program_that_cannot_be_placed_does_not_run(void **state)
{
    static const struct {
        const char *device, *target, *text, *message;
    } rows[] = {
        {"Hawaii,anew", "gfx701", NULL, "compiled the program anew"},
        {"Hawaii", "gfx701", "no macro", "nothing under TRAUMA_PLACEMENT"},
        {"Hawaii", NULL, NULL, "gives no binary"},
        {"gfx1030", "gfx1030", NULL, "no field 'cu'"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct made made;
        struct subject_time time;
        on_made_up(NULL);
        if (rows[i].target != NULL && !made_known(rows[i].target))
            continue;
        if (rows[i].target != NULL)
            write_binary(rows[i].target);
        setenv("FAKE_OPENCL", rows[i].device, 1);
        make_placed(&made, "gfx701");
        if (rows[i].text != NULL)
            made.subject.source_size = strlen(rows[i].text);
        if (rows[i].text != NULL)
            made.subject.source = rows[i].text;
        assert_int_not_equal(run(&made, 1, 20, &time), STATUS_OK);
        if (strstr(error.message, rows[i].message) == NULL)
            fail_msg("%s: %s", rows[i].device, error.message);
        unmake(&made);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(devices_say_what_they_are, on_made_up),
        cmocka_unit_test_setup(what_the_machine_lacks_is_a_sentence, on_made_up),
        cmocka_unit_test_setup(a_compiled_binary_is_patched_and_loaded_again, on_made_up),
        cmocka_unit_test_setup(records_tell_where_blocks_ran, on_made_up),
        cmocka_unit_test_setup(a_program_that_cannot_be_placed_does_not_run, on_made_up),
        cmocka_unit_test(reads_are_of_the_data_as_it_was_described),
        cmocka_unit_test(a_chase_knows_where_its_data_lies),
        cmocka_unit_test(time_is_of_the_measured_passes),
        cmocka_unit_test(what_goes_wrong_ends_one_point_with_a_sentence),
        cmocka_unit_test(a_processor_is_no_place_for_placement),
    };
    if (mkdtemp(folder) == NULL)
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    on_made_up(NULL); /* takes the files away */
    (void)rmdir(folder);
    return failed;
}
