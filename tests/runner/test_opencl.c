/* AMD GPU programs through OpenCL on a mock GPU, which shows what PoCL cannot: code objects loaded directly,
 * compiled binaries that are patched, and where blocks ran. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/file.h"
#include "runner/sources/source.h"
#include "tests/gcn_files.h"
#include "tests/runner/opencl_made.h"
#include "tests/skip.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static const char library[] = TRAUMA_BUILD_DIR "/tests/libfake_opencl.so";
static struct error error;

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
    made->test_program.manifest = given_manifest(made->manifest);
}

static void devices_say_what_they_are(void **state)
{
    (void)state;
    struct machine machine;
    struct device *device;
    size_t count;
    assert_int_equal(launch_devices(&opencl_driver, &device, &count, &error), STATUS_OK);
    assert_int_equal(count, 1);
    assert_string_equal(device->name, "Fake FirePro W9100");
    assert_string_equal(device->arch, "gfx701");
    assert_string_equal(device->pci, "0000:03:00.0");
    assert_int_equal(device->units, 44);
    assert_int_equal(device->clock_hz, 930000000);
    assert_false(device->code_objects);
    if (opencl_driver.machine(device, &machine, &error) != STATUS_OK)
        fail_msg("%s", error.message);
    assert_string_equal(machine.name, "fake-firepro-w9100");
    assert_int_equal(machine.gpu.se, 4);
    assert_int_equal(machine.gpu.cu_per_sh, 11);
    assert_int_equal(machine.gpu.l2_channels, 16);
    assert_true(opencl_driver.is_machine(device, &machine));
    machine_free(&machine);
    free(device);
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
        struct device *devices;
        size_t count;
        assert_int_not_equal(launch_devices(&opencl_driver, &devices, &count, &error), STATUS_OK);
        assert_null(devices);
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
            skip_because("this LLVM does not know %s", rows[i].target);
        write_binary(rows[i].target);
        setenv("FAKE_OPENCL", rows[i].device, 1);
        make_placed(&made, rows[i].target);
        made.test_program.executable = "\x7f"
                                       "ELF";
        made.test_program.executable_size = 5;
        if (launch_open(&made.test_program, &error) != STATUS_OK)
            fail_msg("%s", error.message);
        const struct device_module *module = &launch_facts(&made.test_program)->module;
        assert_string_equal(module->from, "program.cl");
        assert_int_equal(module->why[0] != '\0', i == 1);
        assert_string_equal(module->read, "cu,sh,se");
        assert_int_equal(module->patched, 1);
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
        skip_because("this LLVM does not know gfx906");
    write_binary("gfx906");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct made made;
        struct test_program_time time;
        struct observations seen = {0};
        setenv("FAKE_OPENCL", rows[i].device, 1);
        make_placed(&made, "gfx906");
        made.test_program.executable = "\x7f"
                                       "ELF";
        made.test_program.executable_size = 5;
        assert_int_equal(launch_open(&made.test_program, &error), STATUS_OK);
        const struct device_module *module = &launch_facts(&made.test_program)->module;
        assert_string_equal(module->from, rows[i].from);
        if (run(&made, 1000, 20, &time, &error) != STATUS_OK)
            fail_msg("%s", error.message);
        /* 4 blocks: shader engines 0, 1, 0, 1 and compute units 0, 0, 1, 1 */
        assert_int_equal(time.record->places.count, 4);
        assert_float_equal(result_value(&time.record->places, "se1.sh0.cu1").value, 1, 0);
        double seconds = time.record->seconds;
        assert_true(fabs(seconds - 1e-3) < 1e-8); /* the made-up events' own: a microsecond a pass */
        result_record_free(time.record);
        assert_int_equal(counter_record.observe(&made.test_program, &seen, &error), STATUS_OK);
        const struct observation *there = observations_find(&seen, "place.se0.share", "record");
        assert_non_null(there);
        assert_float_equal(there->value, 0.5, 0);
        observations_free(&seen);
        unmake(&made);
    }
}

/* Its text may speak of the macro; there is nothing to patch, and nothing that tells places. */
static void a_program_without_a_place_is_not_patched(void **state)
{
    struct made made;
    struct test_program_time time;
    (void)state;
    make_placed(&made, "gfx701");
    json_object_del(made.manifest, "place");
    if (run(&made, 100, 20, &time, &error) != STATUS_OK)
        fail_msg("%s", error.message);
    assert_int_equal(time.record->places.count, 0);
    result_record_free(time.record);
    unmake(&made);
}

static void a_program_that_cannot_be_placed_does_not_run(void **state)
{
    static const struct {
        const char *device, *target, *text, *message;
    } rows[] = {
        {"Hawaii,anew", "gfx701", NULL, "recompiled the program"},
        {"Hawaii", "gfx701", "no macro", "nothing under TRAUMA_PLACEMENT"},
        {"Hawaii", NULL, NULL, "returns no binary"},
        {"gfx1030", "gfx1030", NULL, "no field 'cu'"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct made made;
        struct test_program_time time;
        on_made_up(NULL);
        if (rows[i].target != NULL && !made_known(rows[i].target))
            continue;
        if (rows[i].target != NULL)
            write_binary(rows[i].target);
        setenv("FAKE_OPENCL", rows[i].device, 1);
        make_placed(&made, "gfx701");
        if (rows[i].text != NULL)
            made.test_program.source_size = strlen(rows[i].text);
        if (rows[i].text != NULL)
            made.test_program.source = rows[i].text;
        assert_int_not_equal(run(&made, 1, 20, &time, &error), STATUS_OK);
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
        cmocka_unit_test_setup(a_program_without_a_place_is_not_patched, on_made_up),
        cmocka_unit_test_setup(a_program_that_cannot_be_placed_does_not_run, on_made_up),
    };
    if (mkdtemp(folder) == NULL)
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    on_made_up(NULL); /* takes the files away */
    (void)rmdir(folder);
    return failed;
}
