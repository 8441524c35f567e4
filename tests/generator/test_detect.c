/* Detection: CPUID leaves of known processors decode as in their manuals, and this host can be described. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/file.h"
#include "generator/machine/detect.h"
#include "generator/machine/processor_x86.h"
#include "tests/skip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- processors from tables ---- */

struct row {
    uint32_t leaf, subleaf;
    struct cpuid_registers registers;
};

struct processor {
    const struct row *rows;
    size_t count;
};

static struct cpuid_registers read_row(const void *context, uint32_t leaf, uint32_t subleaf)
{
    const struct processor *processor = context;
    for (size_t i = 0; i < processor->count; i++)
        if (processor->rows[i].leaf == leaf && processor->rows[i].subleaf == subleaf)
            return processor->rows[i].registers;
    return (struct cpuid_registers){0};
}

/* A Xeon of the Skylake-SP generation; its leaf 2 sends the reader to leaves 4 and 18h, which it lacks. */
static const struct row skylake[] = {
    {0x0, 0, {0x16, 0x756e6547, 0x6c65746e, 0x49656e69}},
    {0x1, 0, {0x00050654, 0, 0x7ffefbff, 0xbfebfbff}},
    {0x2, 0, {0x76036301, 0x00f0b5ff, 0x00000000, 0x00c30000}},
    {0x4, 0, {0x3c004121, 0x01c0003f, 0x0000003f, 0}},
    {0x4, 1, {0x3c004122, 0x01c0003f, 0x0000003f, 0}},
    {0x4, 2, {0x3c004143, 0x03c0003f, 0x000003ff, 0}},
    {0x4, 3, {0x3c07c163, 0x0280003f, 0x00009fff, 4}},
    {0x7, 0, {0, 0xd39ffffb, 0, 0}},
    {0x16, 0, {2400, 3700, 100, 0}},
    {0x80000000, 0, {0x80000008, 0, 0, 0}},
    {0x80000001, 0, {0, 0, 0x121, 0x2c100800}},
};

/* A Zen 5: no leaves 4, 15h, 16h or 18h. */
static const struct row zen5[] = {
    {0x0, 0, {0x10, 0x68747541, 0x444d4163, 0x69746e65}},
    {0x1, 0, {0x00b40f40, 0, 0x7ef8320b, 0x178bfbff}},
    {0x80000000, 0, {0x80000028, 0, 0, 0}},
    {0x80000001, 0, {0, 0, 0x00400000, 0}},
    {0x80000005, 0, {0xff60ff40, 0xff60ff40, 0x300c0140, 0x20080140}},
    {0x8000001d, 0, {0x00004121, 0x02c0003f, 0x0000003f, 0}},
    {0x8000001d, 1, {0x00004122, 0x01c0003f, 0x0000003f, 0}},
    {0x8000001d, 2, {0x00004143, 0x03c0003f, 0x000003ff, 2}},
    {0x8000001d, 3, {0x0003c163, 0x03c0003f, 0x00007fff, 1}},
};

/* Only leaf 18h: a shared second level first, then 96 entries in 16 sets for loads. */
static const struct row translations[] = {
    {0x0, 0, {0x18, 0, 0, 0}},
    {0x18, 0, {3, 0, 0, 0}},
    {0x18, 1, {0, 0x00080001, 0x80, 0x43}},
    {0x18, 2, {0, 0x00040002, 0x8, 0x24}},
    {0x18, 3, {0, 0x00060001, 0x10, 0x24}},
};

/* A crystal of 24 MHz, 216 times in 2. */
static const struct row crystal[] = {
    {0x0, 0, {0x15, 0, 0, 0}},
    {0x15, 0, {2, 216, 24000000, 0}},
};

#define PROCESSOR(rows) (&(const struct processor){rows, sizeof rows / sizeof rows[0]})

static struct cpuid cpuid_from(const struct processor *processor, uint64_t xcr0)
{
    return (struct cpuid){read_row, processor, xcr0};
}

static void assert_cache(const struct cpuid *cpuid, unsigned level, enum cpuid_cache_type type, uint64_t size,
                         unsigned ways)
{
    struct cache cache;
    assert_true(cpuid_cache(cpuid, level, type, &cache));
    assert_int_equal(cache.size, size);
    assert_int_equal(cache.ways, ways);
    assert_int_equal(cache.line, 64);
}

static bool has(const struct text_set *list, const char *word)
{
    return text_set_find(list, word) < list->count;
}

static void decodes_intel(void **state)
{
    (void)state;
    struct cpuid cpuid = cpuid_from(PROCESSOR(skylake), 0xe7);
    struct cpuid_identity identity = cpuid_identity(&cpuid);
    assert_string_equal(identity.vendor, "GenuineIntel");
    assert_string_equal(identity.brand, "");
    assert_int_equal(identity.family, 6);
    assert_int_equal(identity.model, 85);
    assert_int_equal(identity.stepping, 4);
    assert_cache(&cpuid, 1, CPUID_CACHE_DATA, 32 << 10, 8);
    assert_cache(&cpuid, 1, CPUID_CACHE_INSTRUCTION, 32 << 10, 8);
    assert_cache(&cpuid, 2, CPUID_CACHE_UNIFIED, 1 << 20, 16);
    assert_cache(&cpuid, 3, CPUID_CACHE_UNIFIED, 28160 << 10, 11);
    struct cache none;
    assert_false(cpuid_cache(&cpuid, 4, CPUID_CACHE_UNIFIED, &none));
    struct tlb tlb;
    assert_true(cpuid_data_tlb(&cpuid, &tlb));
    assert_int_equal(tlb.entries, 64);
    assert_int_equal(tlb.ways, 4);
    assert_true(cpuid_huge_tlb(&cpuid, &tlb)); /* descriptor 63h */
    assert_int_equal(tlb.entries, 32);
    assert_int_equal(tlb.ways, 4);
    assert_true(cpuid_clock_ghz(&cpuid) == 2.4);
}

static void decodes_amd(void **state)
{
    (void)state;
    struct cpuid cpuid = cpuid_from(PROCESSOR(zen5), 0xe7);
    struct cpuid_identity identity = cpuid_identity(&cpuid);
    assert_string_equal(identity.vendor, "AuthenticAMD");
    assert_int_equal(identity.family, 26);
    assert_int_equal(identity.model, 68);
    assert_cache(&cpuid, 1, CPUID_CACHE_DATA, 48 << 10, 12);
    assert_cache(&cpuid, 3, CPUID_CACHE_UNIFIED, 32 << 20, 16);
    struct tlb tlb;
    assert_true(cpuid_data_tlb(&cpuid, &tlb));
    assert_int_equal(tlb.entries, 96);
    assert_int_equal(tlb.ways, 96);
    assert_int_equal(tlb.page, 4096);
    assert_false(cpuid_huge_tlb(&cpuid, &tlb));
    assert_true(cpuid_clock_ghz(&cpuid) == 0);
}

static void decodes_address_translation_and_crystal(void **state)
{
    (void)state;
    struct cpuid cpuid = cpuid_from(PROCESSOR(translations), 0);
    struct tlb tlb;
    assert_true(cpuid_data_tlb(&cpuid, &tlb));
    assert_int_equal(tlb.entries, 96);
    assert_int_equal(tlb.ways, 6);
    assert_true(cpuid_huge_tlb(&cpuid, &tlb));
    assert_int_equal(tlb.entries, 32);
    assert_int_equal(tlb.ways, 4);
    cpuid = cpuid_from(PROCESSOR(crystal), 0);
    assert_false(cpuid_data_tlb(&cpuid, &tlb));
    assert_true(cpuid_clock_ghz(&cpuid) == 2.592);
}

/* A feature that the system does not save the registers of would fault: it is no feature. */
static void a_hypervisor_says_so(void **state)
{
    (void)state;
    static const struct row virtual_zen5[] = {{0x0, 0, {0x10, 0, 0, 0}}, {0x1, 0, {0, 0, 0xfef8320b, 0}}};
    const struct processor bare = {zen5, sizeof zen5 / sizeof zen5[0]};
    const struct processor guest = {virtual_zen5, sizeof virtual_zen5 / sizeof virtual_zen5[0]};
    const struct cpuid on_bare = {.read = read_row, .context = &bare};
    const struct cpuid on_guest = {.read = read_row, .context = &guest};
    assert_false(cpuid_is_virtual(&on_bare));
    assert_true(cpuid_is_virtual(&on_guest));
}

static void features_need_the_operating_system(void **state)
{
    (void)state;
    static const struct {
        uint64_t xcr0;
        bool avx2, avx512f;
    } cases[] = {{0xe7, true, true}, {0x07, true, false}, {0x03, false, false}, {0, false, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct cpuid cpuid = cpuid_from(PROCESSOR(skylake), cases[i].xcr0);
        struct text_set list = {0};
        cpuid_features(&cpuid, &list);
        assert_true(has(&list, "sse2"));
        assert_false(has(&list, "fma4"));
        assert_int_equal(has(&list, "avx2"), cases[i].avx2);
        assert_int_equal(has(&list, "avx512f"), cases[i].avx512f);
        text_set_free(&list);
    }
}

/* Those that a text of asm{} may need, the last ones of a leaf within a leaf. */
static void features_of_instructions(void **state)
{
    (void)state;
    static const char *const there[] = {"pclmulqdq", "movbe", "rdrand",    "rdseed",
                                        "adx",       "clwb",  "clflushopt"};
    static const char *const missing[] = {"sha_ni", "gfni", "vaes", "avx512ifma", "avx512_vbmi2", "avx_vnni"};
    static const struct row later[] = {{0x0, 0, {0x10, 0, 0, 0}}, {0x7, 1, {0x00800030, 0, 0, 0}}};
    static const char *const within[] = {"avx_vnni", "avx_ifma", "avx512_bf16"};
    struct cpuid cpuid = cpuid_from(PROCESSOR(skylake), 0xe7);
    struct text_set list = {0};
    cpuid_features(&cpuid, &list);
    for (size_t i = 0; i < sizeof there / sizeof there[0]; i++)
        assert_true(has(&list, there[i]));
    for (size_t i = 0; i < sizeof missing / sizeof missing[0]; i++)
        assert_false(has(&list, missing[i]));
    text_set_free(&list);
    cpuid = cpuid_from(PROCESSOR(later), 0xe7);
    cpuid_features(&cpuid, &list);
    assert_int_equal(list.count, 3);
    for (size_t i = 0; i < sizeof within / sizeof within[0]; i++)
        assert_true(has(&list, within[i]));
    text_set_free(&list);
}

/* ---- this host ---- */

static void describes_this_host(void **state)
{
    (void)state;
    struct machine machine, again;
    struct error error = {0};
    enum status status = detect_machine(&machine, &error);
    if (status == STATUS_UNAVAILABLE) { /* no x86-64, or one that tells too little: then it says so */
        assert_true(error.message[0] != '\0' && error.hint[0] != '\0');
        skip_because("%s", error.message);
    }
    assert_int_equal(status, STATUS_OK);
    assert_true(machine.present);
    assert_true(machine.name[0] != '\0');
    assert_true(machine.l1d.size > 0 && machine.l1i.size > 0 && machine.l2.size >= machine.l1d.size);
    const char *common = strcmp(machine.isa, "aarch64") == 0   ? "asimd"
                         : strcmp(machine.isa, "riscv64") == 0 ? "d"
                                                               : "sse2";
    assert_true(machine_has(&machine, common));
    assert_int_equal(detect_machine(&again, &error), STATUS_OK);
    assert_true(detect_same(&machine, &again));
    again.l3.size += again.l3.line;
    assert_true(machine.l3.size == 0 || !detect_same(&machine, &again));
    /* Unless the description says that the size was measured. */
    assert_int_equal(json_object_set_new(again.document, "measured", json_pack("[s]", "L3")), 0);
    assert_true(detect_same(&machine, &again) && detect_same(&again, &machine));
    assert_int_equal(json_object_del(again.document, "measured"), 0);
    again.l3 = machine.l3;
    again.name[0] = '~';
    assert_false(detect_same(&machine, &again));
    struct cpuid cpuid;
    if (cpuid_of_host(&cpuid))
        assert_int_equal(machine.is_virtual, cpuid_is_virtual(&cpuid));
    assert_int_not_equal(machine.l3.shared_by, 1); /* what is the core's own is not said to be shared */
    assert_int_equal(machine.l3.effective, 0);     /* which nobody has measured */
    machine_free(&machine);
    machine_free(&again);
}

/* One tree of cpufreq and what it comes to. */
static const struct {
    const char *files[4][2];
    const char *clocks; /* JSON; NULL: none */
} clock_rows[] = {
    {{{NULL}}, NULL},
    {{{"cpufreq/scaling_available_frequencies", "3500000 2900000 1400000 2900000 \n"}}, "[1.4, 2.9, 3.5]"},
    {{{"cpufreq/scaling_available_frequencies", "<unknown>\n"}, {"cpufreq/cpuinfo_max_freq", "2000000\n"}},
     NULL},
    {{{"cpufreq/cpuinfo_min_freq", "800000\n"}, {"cpufreq/cpuinfo_max_freq", "2800000\n"}},
     "[0.8, 1.3, 1.8, 2.3, 2.8]"},
    {{{"cpufreq/cpuinfo_min_freq", "400000\n"},
      {"cpufreq/cpuinfo_max_freq", "5100000\n"},
      {"acpi_cppc/nominal_freq", "2450\n"}},
     "[0.4, 0.9, 1.4, 1.9, 2.4]"},
    {{{"cpufreq/cpuinfo_min_freq", "2000000\n"}, {"cpufreq/cpuinfo_max_freq", "2000000\n"}}, "[2]"},
    {{{"cpufreq/cpuinfo_min_freq", "3000000\n"}, {"cpufreq/cpuinfo_max_freq", "2000000\n"}}, NULL},
    {{{"cpufreq/scaling_available_frequencies", "-1 0 99999999999999999999 nan\n"}}, NULL},
};

static void put_clock_file(const char *root, const char *const file[2])
{
    char folder[FILE_PATH_BYTES];
    char path[FILE_PATH_BYTES + 64];
    snprintf(folder, sizeof folder, "%s/sys/devices/system/cpu/cpu0/%.*s", root, (int)strcspn(file[0], "/"),
             file[0]);
    assert_int_equal(file_make_folders(folder, NULL), STATUS_OK);
    snprintf(path, sizeof path, "%s/sys/devices/system/cpu/cpu0/%s", root, file[0]);
    assert_int_equal(file_write(path, file[1], strlen(file[1]), false, NULL), STATUS_OK);
}

static void finds_clocks(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof clock_rows / sizeof clock_rows[0]; i++) {
        char root[] = "/tmp/trauma-clocks-XXXXXX";
        assert_non_null(mkdtemp(root));
        for (size_t j = 0; j < 4 && clock_rows[i].files[j][0] != NULL; j++)
            put_clock_file(root, clock_rows[i].files[j]);
        double found[DETECT_CLOCKS];
        size_t count = detect_frequencies(root, 0, found);
        json_t *wanted = clock_rows[i].clocks == NULL ? NULL : json_loads(clock_rows[i].clocks, 0, NULL);
        assert_int_equal(count, json_array_size(wanted));
        for (size_t j = 0; j < json_array_size(wanted); j++)
            assert_float_equal(found[j], json_number_value(json_array_get(wanted, j)), 1e-9);
        json_decref(wanted);
        assert_int_equal(file_remove_tree(root, NULL), STATUS_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decodes_intel),
        cmocka_unit_test(decodes_amd),
        cmocka_unit_test(decodes_address_translation_and_crystal),
        cmocka_unit_test(a_hypervisor_says_so),
        cmocka_unit_test(features_need_the_operating_system),
        cmocka_unit_test(features_of_instructions),
        cmocka_unit_test(describes_this_host),
        cmocka_unit_test(finds_clocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
