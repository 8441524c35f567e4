/* Processors of three ISAs from their numbers and files: any of them, on any host. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "generator/machine/cpuinfo.h"
#include "generator/machine/detect.h"
#include "generator/machine/processor_arm.h"
#include "generator/machine/processor_riscv.h"
#include "tests/tree.h"

#include <stdio.h>
#include <string.h>

static bool has(const struct text_set *list, const char *word)
{
    return text_set_find(list, word) < list->count;
}

/* ---- numbers ---- */

static void names_arm_cores(void **state)
{
    (void)state;
    static const struct {
        uint64_t midr;
        const char *vendor, *product, *cpu;
    } rows[] = {
        {0x413fd0c1, "Arm", "Neoverse-N1", "0x41-0xd0c-r3p1"},
        {0x410fd493, "Arm", "Neoverse-N2", "0x41-0xd49-r0p3"},
        {0x410fd4f0, "Arm", "Neoverse-V2", "0x41-0xd4f-r0p0"},
        {0x410fd034, "Arm", "Cortex-A53", "0x41-0xd03-r0p4"},
        {0x411fd081, "Arm", "Cortex-A72", "0x41-0xd08-r1p1"},
        {0x611f0231, "Apple", "Apple M1", "0x61-0x023-r1p1"},
        {0xc00fac30, "Ampere", "Ampere Ampere-1", "0xc0-0xac3-r0p0"},
        {0x410fdfff, "Arm", "Arm 0xdff", "0x41-0xdff-r0pf"},
        {0x990f1230, "implementer 0x99", "implementer 0x99 0x123", "0x99-0x123-r0p0"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct processor processor = {.is_virtual = false};
        arm_identify(rows[i].midr, &processor);
        assert_string_equal(processor.vendor, rows[i].vendor);
        assert_string_equal(processor.product, rows[i].product);
        if (i != 7) /* its revision is above nine */
            assert_string_equal(processor.cpu, rows[i].cpu);
    }
}

static void decodes_arm_words(void **state)
{
    (void)state;
    const struct arm_numbers numbers = {.midr = 0x413fd0c1,
                                        .hwcap = 1u << 0 | 1u << 1 | 1u << 8 | 1u << 22,
                                        .hwcap2 = 1u << 1 | UINT64_C(1) << 36,
                                        .ctr = 0x8444c004,
                                        .ticks_per_second = 25000000,
                                        .vector_bytes = 32};
    struct processor processor = {.is_virtual = false};
    arm_decode(&numbers, &processor);
    static const char *const wanted[] = {"fp", "asimd", "atomics", "sve", "sve2", "sve2p1", "sve256"};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        assert_true(has(&processor.features, wanted[i]));
    assert_int_equal(processor.features.count, 7);
    assert_int_equal(processor.caches[PROCESSOR_L1I].line, 64);
    assert_int_equal(processor.caches[PROCESSOR_L1D].line, 64);
    assert_float_equal(processor.tick_ghz, 0.025, 1e-12);
    processor_free(&processor);
    /* Lines of 32 bytes of code, and of 128 of data. */
    processor = (struct processor){.is_virtual = false};
    arm_decode(&(const struct arm_numbers){.ctr = 0x00050003}, &processor);
    assert_int_equal(processor.caches[PROCESSOR_L1I].line, 32);
    assert_int_equal(processor.caches[PROCESSOR_L1D].line, 128);
    assert_string_equal(processor.product, "");
    processor_free(&processor);
}

static void decodes_riscv_answers(void **state)
{
    (void)state;
    struct riscv_probe answers[RISCV_PROBES];
    riscv_probe_keys(answers);
    for (size_t i = 0; i < RISCV_PROBES; i++)
        assert_true(answers[i].key >= 0 && (i == 0 || answers[i].key > answers[i - 1].key));
    answers[RISCV_VENDOR].value = 0x5b7;
    answers[RISCV_ARCH].value = UINT64_C(0x8000000009140d00);
    answers[RISCV_IMPLEMENTATION].key = -1;
    answers[RISCV_EXTENSIONS].value = 1u << 0 | 1u << 1 | 1u << 2 | 1u << 4;
    answers[RISCV_TICKS].value = 50000000;
    struct processor processor = {.is_virtual = false};
    riscv_decode(answers, &processor);
    assert_string_equal(processor.vendor, "T-Head");
    assert_string_equal(processor.product, "T-Head 0x8000000009140d00");
    assert_string_equal(processor.cpu, "0x5b7-0x8000000009140d00-0x0");
    static const char *const wanted[] = {"f", "d", "c", "v", "zbb"};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        assert_true(has(&processor.features, wanted[i]));
    assert_int_equal(processor.features.count, 5);
    assert_float_equal(processor.tick_ghz, 0.05, 1e-12);
    processor_free(&processor);
    riscv_probe_keys(answers);
    answers[RISCV_VENDOR].value = 0x489;
    answers[RISCV_ARCH].value = UINT64_C(0x8000000000000007);
    answers[RISCV_IMPLEMENTATION].value = 0x4210427;
    processor = (struct processor){.is_virtual = false};
    riscv_decode(answers, &processor);
    assert_string_equal(processor.vendor, "SiFive");
    assert_string_equal(processor.cpu, "0x489-0x8000000000000007-0x4210427");
    processor_free(&processor);
}

/* Vectors of 256 bits are as wide as all shorter ones too. */
static void names_vector_lengths(void **state)
{
    (void)state;
    struct text_set features = {0};
    riscv_add_vectors(32, &features);
    assert_true(has(&features, "zvl128b") && has(&features, "zvl256b"));
    assert_int_equal(features.count, 2);
    riscv_add_vectors(0, &features);
    assert_int_equal(features.count, 2);
    text_set_free(&features);
}

static void reads_texts_of_extensions(void **state)
{
    (void)state;
    static const struct {
        const char *text, *wanted[9];
    } rows[] = {
        {"rv64imafdc", {"i", "m", "a", "f", "d", "c"}},
        {"rv64gc", {"i", "m", "a", "f", "d", "c"}},
        {"rv64imafdcv_zicsr_zba_zbb", {"i", "m", "a", "f", "d", "c", "v", "zicsr", "zba"}},
        {"rv64", {NULL}},
        {"rv64im_", {"i", "m"}},
        {"rv64i__zba", {"i", "zba"}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct text_set features = {0};
        size_t count = 0;
        riscv_add_extensions(rows[i].text, strlen(rows[i].text), &features);
        for (; count < 9 && rows[i].wanted[count] != NULL; count++)
            assert_true(has(&features, rows[i].wanted[count]));
        assert_int_equal(features.count, i == 2 ? 10 : count);
        text_set_free(&features);
    }
}

static void reads_cpuinfo_by_processor(void **state)
{
    (void)state;
    static const char text[] = "processor\t: 0\nCPU part\t: 0xd03\nFeatures\t: fp asimd\n\n"
                               "processor\t: 4\nCPU part\t: 0xd08\nFeatures\t: fp  asimd crc32\n\n"
                               "Hardware\t: board\n";
    uint64_t number = 0;
    size_t length = 0;
    assert_true(cpuinfo_number(text, 0, "CPU part", &number));
    assert_int_equal(number, 0xd03);
    assert_true(cpuinfo_number(text, 4, "CPU part", &number));
    assert_int_equal(number, 0xd08);
    assert_true(cpuinfo_number(text, 9, "CPU part", &number)); /* no paragraph: the first one */
    assert_int_equal(number, 0xd03);
    assert_non_null(cpuinfo_value(text, 4, "Hardware", &length));
    assert_int_equal(length, 5);
    const char *words = cpuinfo_value(text, 4, "Features", &length);
    assert_true(cpuinfo_has_word(words, length, "fp") && cpuinfo_has_word(words, length, "crc32"));
    assert_false(cpuinfo_has_word(words, length, "crc"));
    words = cpuinfo_value(text, 0, "Features", &length);
    assert_false(cpuinfo_has_word(words, length, "crc32"));
    assert_null(cpuinfo_value(text, 0, "nothing", &length));
    assert_null(cpuinfo_value("", 0, "processor", &length));
}

/* ---- machines from files ---- */

static void put(const struct tree *tree, const char *below, const char *text)
{
    char path[FILE_PATH_BYTES], folder[FILE_PATH_BYTES];
    tree_path(tree, below, path);
    assert_int_equal(file_make_folders(file_folder_of(folder, path), NULL), STATUS_OK);
    assert_int_equal(file_write(path, text, strlen(text), false, NULL), STATUS_OK);
}

/* One cache of the first processor; texts that are NULL have no file. */
static void put_cache(const struct tree *tree, unsigned index, const char *level, const char *type,
                      const char *const texts[5])
{
    static const char *const names[] = {"size", "ways_of_associativity", "coherency_line_size",
                                        "number_of_sets", "shared_cpu_list"};
    char below[128];
    for (size_t i = 0; i < 7; i++) {
        const char *text = i < 5 ? texts[i] : i == 5 ? level : type;
        snprintf(below, sizeof below, "sys/devices/system/cpu/cpu0/cache/index%u/%s", index,
                 i < 5    ? names[i]
                 : i == 5 ? "level"
                          : "type");
        if (text != NULL)
            put(tree, below, text);
    }
}

#define CACHE(size, ways, line, sets, users) ((const char *const[5]){size, ways, line, sets, users})

static void put_caches(const struct tree *tree)
{
    put_cache(tree, 0, "1\n", "Data\n", CACHE("64K\n", "4\n", "64\n", "256\n", "0\n"));
    put_cache(tree, 1, "1\n", "Instruction\n", CACHE("64K\n", NULL, "64\n", "256\n", "0\n"));
    put_cache(tree, 2, "2\n", "Unified\n", CACHE("1024K\n", "8\n", "64\n", "2048\n", "0\n"));
    put_cache(tree, 3, "3\n", "Unified\n", CACHE("32M\n", "16\n", "64\n", NULL, "0-3,8,10-11\n"));
}

static void expect_machine(const struct tree *tree, struct machine *machine)
{
    struct error error = {0};
    if (detect_machine_in(tree->root, DETECT_FIRST, machine, &error) != STATUS_OK)
        fail_msg("%s", error.message);
    assert_false(machine->present);
}

static void describes_an_arm_server(void **state)
{
    const struct tree *tree = *state;
    struct machine machine;
    put_caches(tree);
    put(tree, "sys/devices/system/cpu/cpu0/regs/identification/midr_el1", "0x00000000413fd0c1\n");
    put(tree, "sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_min_freq", "1000000\n");
    put(tree, "sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "3000000\n");
    put(tree, "proc/cpuinfo", "processor\t: 0\nFeatures\t: fp asimd aes atomics\nCPU implementer\t: 0x41\n");
    expect_machine(tree, &machine);
    assert_string_equal(machine.name, "neoverse-n1");
    assert_string_equal(machine.isa, "aarch64");
    assert_string_equal(machine.vendor, "Arm");
    assert_string_equal(json_string_value(json_object_get(machine.document, "cpu")), "0x41-0xd0c-r3p1");
    assert_int_equal(machine.l1i.ways, 4); /* of size, sets and lines */
    assert_int_equal(machine.l1d.size, 64 << 10);
    assert_int_equal(machine.l2.size, 1 << 20);
    assert_int_equal(machine.l3.size, 32 << 20);
    assert_int_equal(machine.l3.shared_by, 7);
    assert_int_equal(machine.l2.shared_by, 0);
    assert_float_equal(machine.clock_ghz, 3.0, 1e-9);
    assert_true(machine_has(&machine, "atomics") && !machine_has(&machine, "sve"));
    assert_false(machine.is_virtual);
    machine_free(&machine);
}

static void a_board_without_the_register(void **state)
{
    const struct tree *tree = *state;
    struct machine machine;
    put_caches(tree);
    put(tree, "proc/cpuinfo",
        "processor\t: 0\nFeatures\t: fp asimd crc32\nCPU implementer\t: 0x41\nCPU architecture: 8\n"
        "CPU variant\t: 0x1\nCPU part\t: 0xd08\nCPU revision\t: 2\n");
    put(tree, "sys/class/dmi/id/sys_vendor", "QEMU\n");
    expect_machine(tree, &machine);
    assert_string_equal(machine.name, "cortex-a72");
    assert_string_equal(json_string_value(json_object_get(machine.document, "cpu")), "0x41-0xd08-r1p2");
    assert_true(machine.is_virtual);
    machine_free(&machine);
}

static void describes_a_riscv_board(void **state)
{
    const struct tree *tree = *state;
    struct machine machine;
    put_cache(tree, 0, "1\n", "Data\n", CACHE("32K\n", NULL, "64\n", "64\n", "0\n"));
    put_cache(tree, 1, "1\n", "Instruction\n", CACHE("32K\n", NULL, "64\n", "128\n", "0\n"));
    put_cache(tree, 2, "2\n", "Unified\n", CACHE("2048K\n", NULL, "64\n", "2048\n", "0-3\n"));
    put(tree, "proc/cpuinfo",
        "processor\t: 0\nhart\t\t: 1\nisa\t\t: rv64imafdc\nmmu\t\t: sv39\nuarch\t\t: sifive,u74-mc\n"
        "mvendorid\t: 0x489\nmarchid\t\t: 0x8000000000000007\nmimpid\t\t: 0x4210427\n");
    expect_machine(tree, &machine);
    assert_string_equal(machine.name, "sifive-u74-mc");
    assert_string_equal(machine.vendor, "SiFive");
    assert_string_equal(json_string_value(json_object_get(machine.document, "cpu")),
                        "0x489-0x8000000000000007-0x4210427");
    assert_int_equal(machine.l1d.ways, 8);
    assert_int_equal(machine.l1i.ways, 4);
    assert_int_equal(machine.l2.ways, 16);
    assert_int_equal(machine.l2.shared_by, 4);
    assert_true(machine_has(&machine, "d") && !machine_has(&machine, "v"));
    machine_free(&machine);
}

static void describes_an_x86_machine(void **state)
{
    const struct tree *tree = *state;
    struct machine machine;
    put_caches(tree);
    put(tree, "proc/cpuinfo",
        "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\n"
        "model name\t: Intel(R) Xeon(R) Gold 6148 CPU @ 2.40GHz\nstepping\t: 4\n"
        "flags\t\t: fpu sse2 pni avx2 hypervisor lm\n");
    expect_machine(tree, &machine);
    assert_string_equal(machine.name, "intel-xeon-gold-6148-cpu");
    assert_string_equal(machine.vendor, "Intel");
    assert_string_equal(json_string_value(json_object_get(machine.document, "cpu")), "GenuineIntel-6-85-4");
    assert_true(machine.is_virtual);
    assert_true(machine_has(&machine, "sse3") && machine_has(&machine, "avx2"));
    assert_int_equal(json_array_size(json_object_get(machine.document, "features")), 3);
    machine_free(&machine);
}

static void says_what_is_missing(void **state)
{
    const struct tree *tree = *state;
    struct machine machine;
    struct error error = {0};
    assert_int_equal(detect_machine_in(tree->root, DETECT_FIRST, &machine, &error), STATUS_UNAVAILABLE);
    assert_non_null(strstr(error.message, "/proc/cpuinfo"));
    put(tree, "proc/cpuinfo", "processor\t: 0\nCPU implementer\t: 0x61\nCPU part\t: 0x023\n");
    put_cache(tree, 0, "1\n", "Data\n", CACHE("128K\n", NULL, NULL, NULL, NULL));
    put_cache(tree, 1, "1\n", "Instruction\n", CACHE("192K\n", NULL, NULL, NULL, NULL));
    assert_int_equal(detect_machine_in(tree->root, DETECT_FIRST, &machine, &error), STATUS_UNAVAILABLE);
    assert_string_equal(error.message, "neither the operating system nor CTR_EL0 reports the L1I ways");
    assert_non_null(strstr(error.hint, "-m apple-m1 --here")); /* recipes/machines has it */
}

#define WITH_TREE(test) cmocka_unit_test_setup_teardown(test, tree_make, tree_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_arm_cores),
        cmocka_unit_test(decodes_arm_words),
        cmocka_unit_test(decodes_riscv_answers),
        cmocka_unit_test(names_vector_lengths),
        cmocka_unit_test(reads_texts_of_extensions),
        cmocka_unit_test(reads_cpuinfo_by_processor),
        WITH_TREE(describes_an_arm_server),
        WITH_TREE(a_board_without_the_register),
        WITH_TREE(describes_a_riscv_board),
        WITH_TREE(describes_an_x86_machine),
        WITH_TREE(says_what_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
