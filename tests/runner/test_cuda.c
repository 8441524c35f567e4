/* PTX programs on a mock GPU: the results of a run, and that any failure on the GPU is an error message that
 * ends only one point. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/json.h"
#include "runner/devices/data_pieces.h"
#include "runner/devices/launcher.h"
#include "runner/measure/measure.h"
#include "runner/sources/source.h"
#include "tests/given_manifest.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char library[] = TRAUMA_BUILD_DIR "/tests/libfake_cuda.so";
static struct error error;

/* A program with that in its text, of 8 blocks, whose data is a cycle of 512 words behind 64 bytes of ones.
 */
struct made {
    char text[512];
    json_t *manifest;
    struct machine machine;
    struct test_program test_program;
};

static void make(struct made *made, const char *line)
{
    static const char data[] =
        "{\"bytes\":%s,\"align\":4096,\"regions\":["
        "{\"offset\":0,\"bytes\":4096,\"fill\":{\"kind\":\"chase\",\"step\":8,\"count\":512,"
        "\"multiplier\":\"0x5\",\"increment\":\"0x3\"}},"
        "{\"offset\":4096,\"bytes\":64,\"fill\":{\"kind\":\"words\",\"width\":4,\"words\":[\"0xffffffff\"]}}]"
        "}";
    char text[1024];
    snprintf(made->text, sizeof made->text,
             ".version 7.8\n.target sm_90\n%s\n.visible .entry trauma_kernel(.param .u64 p) { ret; }\n",
             line);
    snprintf(text, sizeof text, data, strstr(line, "//BYTES") != NULL ? "2147483648" : "4160");
    made->manifest =
        json_pack("{s:s, s:s, s:s, s:i, s:{s:i, s:i}, s:o, s:{s:f}, s:{}, s:{}}", "target", "ptx", "arch",
                  "sm_90", "entry", "trauma_kernel", "warmup", 2, "grid", "blocks", 8, "threads", 128, "data",
                  json_loads(text, 0, NULL), "targets", "place.sm2.share", 1.0, "expected", "kernel");
    assert_non_null(made->manifest);
    made->machine = (struct machine){.present = true};
    made->test_program = (struct test_program){.benchmark = "made",
                                               .point = "up",
                                               .manifest = given_manifest(made->manifest),
                                               .executable = made->text,
                                               .executable_size = strlen(made->text),
                                               .machine = &made->machine,
                                               .cpu = -1};
}

static void unmake(struct made *made)
{
    launch_close(&made->test_program);
    json_decref(made->manifest);
}

static int set_up(void **state)
{
    (void)state;
    setenv("TRAUMA_CUDA", library, 1);
    unsetenv("FAKE_CUDA");
    return 0;
}

static enum status run(struct made *made, uint64_t iterations, double timeout_s,
                       struct test_program_time *time)
{
    const struct test_program_call call = {.iterations = iterations, .timeout_s = timeout_s};
    *time = (struct test_program_time){0};
    return launcher_run(&made->test_program, &call, time, &error);
}

static void devices_say_what_they_are(void **state)
{
    (void)state;
    struct device *device;
    size_t count;
    assert_int_equal(launch_devices(&cuda_driver, &device, &count, &error), STATUS_OK);
    assert_int_equal(count, 1);
    assert_string_equal(device->name, "Fake GH70");
    assert_string_equal(device->arch, "sm_90");
    assert_string_equal(device->pci, "0000:0f:00.0");
    assert_string_equal(device->driver, "13.0");
    assert_int_equal(device->units, 4);
    assert_int_equal(device->l2, 4194304);
    assert_int_equal(device->clock_hz, 1980000000);
    assert_int_equal(device->memory, 1073741824);
    free(device);
}

static void what_the_machine_lacks_is_a_sentence(void **state)
{
    (void)state;
    static const struct {
        const char *library, *trouble, *message, *hint;
    } rows[] = {
        {"/nonexistent/libcuda.so.1", "", "cannot be opened", "trauma check"},
        {library, "init=100", "no CUDA-capable device", "nvidia-smi -L"},
        {library, "init=800", "not permitted", "/dev/nvidia"},
        {library, "alone", "no CUDA-capable device", "nvidia-smi -L"},
        {TRAUMA_BUILD_DIR "/tests/libfake_nvml.so", "", "has no cuInit", "driver"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        setenv("TRAUMA_CUDA", rows[i].library, 1);
        setenv("FAKE_CUDA", rows[i].trouble, 1);
        struct device *devices;
        size_t count;
        assert_int_not_equal(launch_devices(&cuda_driver, &devices, &count, &error), STATUS_OK);
        assert_null(devices);
        assert_int_equal(error.code, STATUS_UNAVAILABLE);
        assert_non_null(strstr(error.message, rows[i].message));
        assert_non_null(strstr(error.hint, rows[i].hint));
    }
}

static void a_loaded_program_runs_as_often_as_wanted(void **state)
{
    (void)state;
    struct made made;
    struct test_program_time time;
    make(&made, "");
    assert_int_equal(launch_open(&made.test_program, &error), STATUS_OK);
    const struct device_facts *facts = launch_facts(&made.test_program);
    assert_string_equal(facts->device.arch, "sm_90");
    assert_float_equal(facts->module.registers, 12, 0);
    static const uint64_t passes[] = {0, 100, 20000};
    for (size_t i = 0; i < sizeof passes / sizeof passes[0]; i++) {
        double before = clock_now_s();
        if (run(&made, passes[i], 20, &time) != STATUS_OK)
            fail_msg("%s", error.message);
        assert_int_equal(time.ticks, 8 + passes[i] * 1755);
        assert_true(time.on_device && time.from_s >= before && time.to_s <= clock_now_s());
        double seconds = time.to_s - time.from_s;
        assert_true(fabs(seconds - ((double)passes[i] * 1e-6 + 5e-9)) < 1e-9);
        assert_float_equal(time.record->worked, 8, 0);
        assert_true(time.record->kernel_s >= (double)passes[i] * 1e-6);
        result_record_free(time.record);
    }
    /* Without being loaded before: for that run alone. */
    launch_close(&made.test_program);
    assert_int_equal(run(&made, 100, 20, &time), STATUS_OK);
    assert_null(made.test_program.launch);
    result_record_free(time.record);
    unmake(&made);
}

static void what_goes_wrong_ends_one_point_with_a_sentence(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        enum status status;
        const char *message;
    } rows[] = {
        {"//FAKE fault", STATUS_FAILED, "an illegal memory access was encountered"},
        {"//FAKE crash", STATUS_FAILED, "ended by signal 6"},
        {"//FAKE hang", STATUS_FAILED, "the kernel was still running after 0.5 s"},
        {"//FAKE silent", STATUS_FAILED, "block 0 wrote no record"},
        {"//FAKE sm 9", STATUS_UNAVAILABLE, "none of the 8 blocks"},
        {"//FAKE sass", STATUS_UNAVAILABLE, "compiling program.ptx"},
        {"//BYTES", STATUS_UNAVAILABLE, "the program's data needs 2147487744 bytes"},
        {"syntax", STATUS_FAILED, "rejects the program: Unknown symbol 'syntax'"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct made made;
        struct test_program_time time;
        make(&made, rows[i].line);
        assert_int_equal(run(&made, 1000, 0.5, &time), rows[i].status);
        if (strstr(error.message, rows[i].message) == NULL)
            fail_msg("%s: %s", rows[i].line, error.message);
        assert_null(time.record);
        if (rows[i].line[0] == 's') {
            assert_string_equal(error.file, "program.ptx");
            assert_int_equal(error.line, 3);
        }
        unmake(&made);
    }
}

static void after_a_fault_the_next_point_runs(void **state)
{
    (void)state;
    struct made bad;
    struct made good;
    struct test_program_time time;
    make(&bad, "//FAKE fault");
    make(&good, "");
    assert_int_equal(launch_open(&bad.test_program, &error), STATUS_OK);
    assert_int_equal(run(&bad, 0, 20, &time), STATUS_OK);
    result_record_free(time.record);
    assert_int_equal(run(&bad, 1, 20, &time), STATUS_FAILED);
    assert_int_equal(run(&bad, 0, 20, &time), STATUS_FAILED); /* its state is broken for good */
    assert_int_equal(run(&good, 1, 20, &time), STATUS_OK);
    result_record_free(time.record);
    unmake(&bad);
    unmake(&good);
}

static void data_knows_where_it_lies(void **state)
{
    (void)state;
    struct made made;
    struct test_program_time time;
    make(&made, "//FAKE chase");
    if (run(&made, 1, 20, &time) != STATUS_OK)
        fail_msg("%s", error.message);
    result_record_free(time.record);
    json_t *fill = json_object_get(
        json_array_get(json_object_get(json_object_get(made.manifest, "data"), "regions"), 0), "fill");
    json_object_set_new(fill, "relative", json_true()); /* addresses from 0 on: no device's own */
    made.test_program.manifest = given_manifest(made.manifest);
    assert_int_equal(run(&made, 1, 20, &time), STATUS_FAILED);
    unmake(&made);
}

/* Takes pieces and puts them together. */
struct whole {
    unsigned char *bytes;
    size_t pieces;
};

static enum status take_piece(void *context, uint64_t offset, const void *bytes, size_t size,
                              struct error *why)
{
    struct whole *whole = context;
    (void)why;
    memcpy(whole->bytes + offset, bytes, size);
    whole->pieces++;
    return STATUS_OK;
}

enum { ADDRESS = 0x7f000000 };

static enum status take_memory(void *context, const struct gpu_image *image, uint64_t *address,
                               struct error *why)
{
    (void)context, (void)image, (void)why;
    *address = ADDRESS;
    return STATUS_OK;
}

static void much_data_comes_in_pieces(void **state)
{
    (void)state;
    enum { BYTES = 40 << 20 };
    static const char text[] =
        "{\"bytes\":41943040,\"align\":256,\"regions\":["
        "{\"offset\":24,\"bytes\":33554432,\"fill\":{\"kind\":\"chase\",\"step\":32,\"count\":1048576,"
        "\"multiplier\":\"0x5\",\"increment\":\"0x3\"}},"
        "{\"offset\":33554464,\"bytes\":40,\"fill\":{\"kind\":\"words\",\"width\":4,\"words\":["
        "\"0x12345678\"]}},"
        "{\"offset\":33554504,\"bytes\":4096,\"fill\":{\"kind\":\"zeros\"}}]}";
    struct arena arena = {0};
    struct gpu_image image;
    json_t *data = json_loads(text, 0, NULL);
    unsigned char *wanted = calloc(1, BYTES);
    struct whole whole = {.bytes = calloc(1, BYTES)};
    assert_non_null(wanted);
    assert_non_null(whole.bytes);
    assert_int_equal(gpu_regions_read(&(struct manifest_data){.document = data}, &arena, &image, &error),
                     STATUS_OK);
    gpu_image_fill(&image, ADDRESS, 0, BYTES, wanted);
    const struct data_pieces_memory memory = {.take = take_memory, .write = take_piece, .context = &whole};
    assert_int_equal(data_pieces_load(&(struct manifest_data){.document = data}, &memory, &error), STATUS_OK);
    assert_memory_equal(whole.bytes, wanted, BYTES);
    assert_true(whole.pieces > 2 && whole.pieces < 6);
    free(whole.bytes);
    free(wanted);
    json_decref(data);
    arena_free(&arena);
}

static void a_hostile_manifest_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *part, *key;
        double value;
    } rows[] = {
        {"grid", "blocks", 0}, {"grid", "blocks", 1e300}, {"grid", "threads", -1}, {"grid", "threads", 4096},
        {"data", "align", 0},  {"data", "align", 48},     {"data", "bytes", -5},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct made made;
        struct test_program_time time;
        make(&made, "");
        json_t *value =
            fabs(rows[i].value) < 1e15 ? json_integer((json_int_t)rows[i].value) : json_real(rows[i].value);
        json_object_set_new(json_object_get(made.manifest, rows[i].part), rows[i].key, value);
        made.test_program.manifest = given_manifest(made.manifest);
        assert_int_equal(run(&made, 1, 20, &time), STATUS_FAILED);
        unmake(&made);
    }
}

/* ---- what the made-up GPU makes of a launch ---- */

struct launch_shape {
    unsigned blocks, rows, threads, shared;
    uint64_t data, record; /* from where they are */
};

enum { BLOCKS = 8, THREADS = 64 };

/* Each thread reads a word of the data in each pass. */
static const char reading[] =
    ".version 7.8\n.target sm_90\n.address_size 64\n"
    ".visible .entry trauma_kernel(.param .u64 iterations, .param .u64 warmup, .param .u64 data,\n"
    "    .param .u64 record)\n.maxntid 64, 1, 1\n{\n"
    "    .reg .pred %more;\n    .reg .b64 %n<7>;\n    .reg .b32 %r<4>;\n"
    "    ld.param.u64 %n0, [iterations];\n    ld.param.u64 %n1, [warmup];\n"
    "    ld.param.u64 %n2, [data];\n    ld.param.u64 %n3, [record];\n"
    "    add.u64 %n0, %n0, %n1;\n    mov.u32 %r0, %tid.x;\n    mov.u32 %r1, %ctaid.x;\n"
    "    mov.u32 %r2, %smid;\n    mul.wide.u32 %n4, %r0, 8;\n    add.u64 %n4, %n4, %n2;\n"
    "TRAUMA_LOOP:\n    ld.global.u64 %n5, [%n4];\n    sub.u64 %n0, %n0, 1;\n"
    "    setp.ne.u64 %more, %n0, 0;\n    @%more bra TRAUMA_LOOP;\n"
    "    mul.wide.u32 %n6, %r1, 64;\n    add.u64 %n6, %n6, %n3;\n    mov.u32 %r3, 1;\n"
    "    st.global.u32 [%n6+32], %r2;\n    st.global.u32 [%n6+36], %r3;\n    ret;\n}\n";

/* Each thread adds 1 in each pass to a word that all threads of the grid have in common, and to one of its
 * block's shared memory, whose sum the block's first thread leaves in the data. */
static const char adding[] =
    ".version 7.8\n.target sm_90\n.address_size 64\n"
    ".visible .entry trauma_kernel(.param .u64 iterations, .param .u64 warmup, .param .u64 data,\n"
    "    .param .u64 record)\n.maxntid 64, 1, 1\n{\n"
    "    .reg .pred %more;\n    .reg .b64 %n<7>;\n    .reg .b32 %r<6>;\n    .shared .align 16 .b8 own[16];\n"
    "    ld.param.u64 %n0, [iterations];\n    ld.param.u64 %n1, [warmup];\n"
    "    ld.param.u64 %n2, [data];\n    ld.param.u64 %n3, [record];\n"
    "    add.u64 %n0, %n0, %n1;\n    mov.u32 %r0, %tid.x;\n    mov.u32 %r1, %ctaid.x;\n"
    "    mov.u32 %r2, %smid;\n    mov.u64 %n4, own;\n    mov.u32 %r4, 1;\n    mov.u32 %r5, 0;\n"
    "    setp.ne.u32 %more, %r0, 0;\n    @!%more st.shared.u32 [%n4], %r5;\n    bar.sync 0;\n"
    "TRAUMA_LOOP:\n    atom.global.gpu.add.u32 %r3, [%n2], %r4;\n    atom.shared.cta.add.u32 %r5, [%n4], "
    "%r4;\n"
    "    sub.u64 %n0, %n0, 1;\n    setp.ne.u64 %more, %n0, 0;\n    @%more bra TRAUMA_LOOP;\n"
    "    bar.sync 0;\n    mul.wide.u32 %n6, %r1, 64;\n    add.u64 %n6, %n6, %n3;\n    mov.u32 %r3, 1;\n"
    "    st.global.u32 [%n6+32], %r2;\n    st.global.u32 [%n6+36], %r3;\n"
    "    ld.shared.u32 %r5, [%n4];\n    mul.wide.u32 %n5, %r1, 8;\n    add.u64 %n5, %n5, %n2;\n"
    "    st.global.u32 [%n5+448], %r5;\n    ret;\n}\n";

static void *symbol(void *handle, const char *name)
{
    void *found = dlsym(handle, name);
    assert_non_null(found);
    return found;
}

/* What all threads together have added in each block and pass, of which the made-up GPU makes two. */
static bool adds_up(uint64_t data, uint64_t passes)
{
    const uint32_t *words = (const uint32_t *)(uintptr_t)data;
    bool good = words[0] == BLOCKS * THREADS * passes;
    for (unsigned i = 0; i < BLOCKS; i++)
        good = good && words[112 + 2 * i] == THREADS * passes;
    return good;
}

/* The driver's answer; its state is broken after the first fault, so that each launch has a process. */
static int launch_once(const char *text, const struct launch_shape *shape)
{
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(handle);
    int (*load)(void **, const char *, unsigned, const int *, void **);
    int (*find)(void **, void *, const char *);
    int (*take)(uint64_t *, size_t);
    int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,
                  void **, void **);
    int (*create)(int **, unsigned);
    int (*wait_for)(const int *);
    *(void **)&load = symbol(handle, "cuModuleLoadDataEx");
    *(void **)&find = symbol(handle, "cuModuleGetFunction");
    *(void **)&take = symbol(handle, "cuMemAlloc_v2");
    *(void **)&launch = symbol(handle, "cuLaunchKernel");
    *(void **)&create = symbol(handle, "cuEventCreate");
    *(void **)&wait_for = symbol(handle, "cuEventSynchronize");
    void *module, *function;
    int *event;
    uint64_t data, record, iterations = 3, warmup = 1;
    int result = load(&module, text, 0, NULL, NULL);
    result = result == 0 ? find(&function, module, "trauma_kernel") : result;
    result = result == 0 ? take(&data, THREADS * 8) : result;
    result = result == 0 ? take(&record, BLOCKS * 64) : result;
    result = result == 0 ? create(&event, 0) : result;
    assert_int_equal(result, 0);
    memset((void *)(uintptr_t)data, 0, THREADS * 8);
    data += shape->data;
    record += shape->record;
    void *parameters[] = {&iterations, &warmup, &data, &record};
    result = launch(function, shape->blocks, shape->rows, 1, shape->threads, 1, 1, shape->shared, NULL,
                    parameters, NULL);
    result = result == 0 ? wait_for(event) : result;
    return result == 0 && text == adding && !adds_up(data, 2 + warmup) ? -1 : result;
}

static void a_wrong_launch_faults(void **state)
{
    (void)state;
    static const struct launch_shape shapes[] = {
        {BLOCKS, 1, THREADS, 0, 0, 0},     {BLOCKS, 1, THREADS / 2, 0, 0, 0},
        {BLOCKS, 1, THREADS * 2, 0, 0, 0}, {BLOCKS / 2, 1, THREADS, 0, 0, 0},
        {BLOCKS * 2, 1, THREADS, 0, 0, 0}, {BLOCKS, 2, THREADS, 0, 0, 0},
        {BLOCKS, 1, THREADS, 16, 0, 0},    {BLOCKS, 1, THREADS, 0, 8, 0},
        {BLOCKS, 1, THREADS, 0, 0, 64},
    };
    enum { SHAPES = sizeof shapes / sizeof shapes[0] };
    for (size_t i = 0; i < 2 * SHAPES; i++) {
        int status = 0;
        pid_t child = fork();
        if (child == 0)
            _exit(launch_once(i < SHAPES ? reading : adding, &shapes[i % SHAPES]) == 0 ? 0 : 1);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), i % SHAPES > 0);
    }
}

static void blocks_tell_where_they_worked(void **state)
{
    (void)state;
    struct made made;
    struct observations seen = {0};
    make(&made, "//FAKE sm 2");
    json_object_set_new(json_object_get(made.manifest, "targets"), "place.sm1.share", json_real(0));
    json_object_set_new(json_object_get(made.manifest, "targets"), "place.smx.share", json_real(0));
    made.test_program.manifest = given_manifest(made.manifest);
    if (counter_record.observe(&made.test_program, &seen, &error) != STATUS_OK)
        fail_msg("%s", error.message);
    assert_int_equal(seen.count, 2);
    const struct observation *there = observations_find(&seen, "place.sm2.share", "record");
    const struct observation *elsewhere = observations_find(&seen, "place.sm1.share", "record");
    assert_non_null(there);
    assert_non_null(elsewhere);
    assert_float_equal(there->value, 1, 0);
    assert_float_equal(there->n, 2, 0); /* of the 8 blocks */
    assert_float_equal(elsewhere->value, 0, 0);
    assert_int_equal(there->kind, EVIDENCE_MEASURED);
    observations_free(&seen);
    unmake(&made);
}

/* At 2 GHz; blocks that end or begin outside count in part, one that did not work not at all. */
static void what_ran_beside_counts_in_part(void **state)
{
    (void)state;
    const struct block_record_entry entries[] = {
        {.start_ns = 1000, .stop_ns = 2000, .worked = 1},
        {.start_ns = 1100, .stop_ns = 2100, .worked = 1},
        {.start_ns = 9000, .stop_ns = 9900, .worked = 0},
    };
    const struct block_record_span any = block_record_any(entries, 3), all = block_record_all(entries, 3);
    assert_true(any.from_ns == 1000 && any.to_ns == 2100 && all.from_ns == 1100 && all.to_ns == 2000);
    assert_true(block_record_pass_ns(entries, 3, 100) == 10 && block_record_pass_ns(entries, 3, 0) == 0);
    static const struct {
        struct block_record_span span;
        long long start, ticks, iterations;
        double bytes;
    } rows[] = {
        {{1500, 2500}, 0, 1000, 55, 7040},
        {{500, 2500}, 1200, 1800, 100, 12800},
        {{1200, 1300}, 0, 200, 10, 1280},
        {{2050, 2500}, 0, 0, 0, 0}, /* not all of them ran there */
        {{0, 0}, 0, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct result_copy copy = block_record_within(entries, 3, rows[i].span, 2e9, 100, 64);
        assert_true(copy.blocks == 2 && copy.cpu == -1);
        assert_int_equal(copy.start, rows[i].start);
        assert_int_equal(copy.ticks, rows[i].ticks);
        assert_int_equal(copy.iterations, rows[i].iterations);
        assert_true(copy.bytes > rows[i].bytes - 1e-6 && copy.bytes < rows[i].bytes + 1e-6);
    }
    const struct block_record_entry apart[] = {{.start_ns = 10, .stop_ns = 20, .worked = 1},
                                               {.start_ns = 30, .stop_ns = 40, .worked = 1}};
    assert_true(block_record_all(apart, 2).to_ns == 0 && block_record_any(apart, 2).to_ns == 40);
}

static void records_that_no_run_writes_are_refused(void **state)
{
    (void)state;
    struct block_record_entry entries[2] = {
        {.start_ticks = 10, .stop_ticks = 1010, .start_ns = 5, .stop_ns = 505, .place = 131, .worked = 1},
        {.start_ticks = 20, .stop_ticks = 2020, .start_ns = 15, .stop_ns = 1015, .place = 7, .worked = 1}};
    static const struct block_record_unit sms[] = {{"sm", 0, 32}};
    struct result_record *summary = block_record_summarize(entries, 2, sms, 1, &error);
    assert_float_equal(result_value(&summary->places, "sm131").value, 1, 0);
    assert_float_equal(summary->ticks, 1500, 0);
    assert_float_equal(summary->ticks_low, 1000, 0);
    assert_float_equal(summary->ticks_high, 2000, 0);
    assert_float_equal(summary->seconds, 1010e-9, 1e-15);
    assert_float_equal(summary->clock_hz, 2e9, 1);
    result_record_free(summary);
    entries[1].stop_ticks = UINT64_C(1) << 62; /* in a microsecond */
    assert_null(block_record_summarize(entries, 2, sms, 1, &error));
    assert_int_equal(error.code, STATUS_FAILED);
    assert_non_null(strstr(error.message, "4611686018427387884 ticks in 1000 ns: no clock ticks as often"));
    entries[1].stop_ticks = 2020;
    entries[1].start_ns = entries[1].stop_ns = entries[0].start_ns = entries[0].stop_ns = 0;
    summary = block_record_summarize(entries, 2, sms, 1, &error);
    assert_true(isnan(summary->seconds));
    result_record_free(summary);
    entries[1].stop_ticks = 19;
    assert_null(block_record_summarize(entries, 2, sms, 1, &error));
    entries[1].stop_ticks = 21;
    entries[1].worked = 2;
    assert_null(block_record_summarize(entries, 2, sms, 1, &error));
    assert_int_equal(error.code, STATUS_FAILED);
}

static void a_point_is_measured_as_any_other(void **state)
{
    (void)state;
    struct made made;
    struct sensor_list none = {0};
    struct measure_options options = {
        .protocol = {.time_s = 0.02, .reps = 3, .idle_s = 0.01, .temperature_below = NAN, .longest_s = 0.02}};
    struct result_point point = result_point_none;
    make(&made, "");
    assert_int_equal(recorder_open(&none, &options.recorder, &error), STATUS_OK);
    assert_int_equal(launch_open(&made.test_program, &error), STATUS_OK);
    struct measurement *measurement;
    if (measure_point(&made.test_program, &options, &measurement, &point, &error) != STATUS_OK)
        fail_msg("%s", error.message);
    assert_int_equal(point.rep_count, 3);
    assert_true(point.on_device);
    assert_float_equal(point.ticks_per_pass.value, 1755, 1);
    double passes = point.reps[0].iterations;
    assert_true(passes > 3000 && passes < 40000); /* a microsecond each, and a busy machine */
    assert_float_equal(point.reps[0].seconds, passes * 1e-6 + 5e-9, 1e-8);
    assert_float_equal(point.reps[0].record->clock_hz, 1.755e9, 1e6);
    result_point_free(&point);
    measurement_close(measurement);
    recorder_close(options.recorder);
    unmake(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(devices_say_what_they_are, set_up),
        cmocka_unit_test_setup(what_the_machine_lacks_is_a_sentence, set_up),
        cmocka_unit_test_setup(a_loaded_program_runs_as_often_as_wanted, set_up),
        cmocka_unit_test_setup(what_goes_wrong_ends_one_point_with_a_sentence, set_up),
        cmocka_unit_test_setup(after_a_fault_the_next_point_runs, set_up),
        cmocka_unit_test_setup(data_knows_where_it_lies, set_up),
        cmocka_unit_test(much_data_comes_in_pieces),
        cmocka_unit_test_setup(a_hostile_manifest_is_refused, set_up),
        cmocka_unit_test_setup(a_wrong_launch_faults, set_up),
        cmocka_unit_test_setup(blocks_tell_where_they_worked, set_up),
        cmocka_unit_test_setup(records_that_no_run_writes_are_refused, set_up),
        cmocka_unit_test(what_ran_beside_counts_in_part),
        cmocka_unit_test_setup(a_point_is_measured_as_any_other, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
