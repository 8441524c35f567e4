/* Containers from many years of drivers and compilers: whose code is found, and for which processor. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "isa/gcn/binary/binary_code.h"
#include "isa/gcn/binary/elf.h"
#include "isa/gcn/patch/patcher.h"
#include "tests/gcn_containers.h"

/* s_nop 3, s_endpgm; s_nop 4, s_endpgm. */
static const unsigned char CODE[] = {3, 0, 0x80, 0xbf, 0, 0, 0x81, 0xbf};
static const unsigned char OTHER[] = {4, 0, 0x80, 0xbf, 0, 0, 0x81, 0xbf};

static struct buffer holding(const void *bytes, size_t size)
{
    struct buffer buffer = {0};
    buffer_append(&buffer, bytes, size);
    return buffer;
}

/* One piece with those eight bytes, named "first"; the file is freed. */
static void expect_first(struct buffer *file, const char *target, const unsigned char *bytes)
{
    struct gcn_code code;
    struct error error = {0};
    if (gcn_code_find(file->data, file->size, &code, &error) != STATUS_OK)
        fail_msg("%s; %s", error.message, error.hint);
    assert_string_equal(code.pieces[0].target->name, target);
    assert_int_equal(code.pieces[0].size, sizeof CODE);
    assert_memory_equal(file->data + code.pieces[0].offset, bytes, sizeof CODE);
    assert_int_equal(code.pieces[0].kernel_length, 5);
    assert_memory_equal(code.pieces[0].kernel, "first", 5);
    gcn_code_free(&code);
    buffer_free(file);
}

static void expect_refusal(struct buffer *file, const char *words)
{
    struct gcn_code code;
    struct error error = {0};
    char all[1600];
    assert_int_equal(gcn_code_find(file->data, file->size, &code, &error), STATUS_FAILED);
    snprintf(all, sizeof all, "%s; %s", error.message, error.hint);
    if (strstr(all, words) == NULL)
        fail_msg("'%s' is not in: %s", words, all);
    assert_null(code.pieces);
    buffer_free(file);
}

static const struct device {
    unsigned machine, dictionary;
    const char *target;
} devices[] = {
    {0x3fd, 0x1a, "gfx600"}, {0x3fe, 0x1b, "gfx601"}, {0x3ff, 0x1c, "gfx601"}, {0x402, 0x20, "gfx602"},
    {0x403, 0x21, "gfx704"}, {0x404, 0x22, "gfx700"}, {0x405, 0x23, "gfx700"}, {0x406, 0x24, "gfx703"},
    {0x407, 0x25, "gfx602"}, {0x408, 0x27, "gfx701"}, {0x409, 0x29, "gfx802"}, {0x40a, 0x2a, "gfx802"},
    {0x40b, 0x2b, "gfx703"}, {0x40c, 0x2d, "gfx803"}, {0x40d, 0x2e, "gfx801"}, {0x40e, 0x2f, "gfx803"},
    {0x40f, 0x2c, "gfx803"}, {0x411, 0x31, "gfx810"}, {0x412, 0x32, "gfx803"}};
enum { DEVICE_COUNT = sizeof devices / sizeof devices[0], CYPRESS = 8 };

/* Each device takes the code that is its own, also among that for another one of the same processor, and
 * never an older GPU's. */
static void a_device_takes_its_own(void **state)
{
    (void)state;
    struct buffer code = holding(CODE, sizeof CODE);
    struct buffer other = holding(OTHER, sizeof OTHER);
    for (size_t i = 0; i < DEVICE_COUNT * 4; i++) {
        const struct device *device = &devices[i / 4];
        bool is_64 = i & 1;
        unsigned stranger = device->dictionary == 0x1b ? 0x1c : device->dictionary == 0x2c ? 0x2d : 0x1b;
        struct made_encoding two[] = {{device->dictionary, &code}, {stranger, &other}};
        struct made_encoding swapped[] = {two[1], two[0]};
        struct made_encoding old[] = {two[0], {CYPRESS, &other}};
        struct buffer file = {0};
        made_two_devices(&file, is_64, device->machine, i & 2 ? two : swapped);
        expect_first(&file, device->target, CODE);
        made_two_devices(&file, is_64, device->machine, old);
        expect_first(&file, device->target, CODE);
        made_two_devices(&file, is_64, is_64 ? 0x4155 : 0x4154, old); /* by the compiler library */
        expect_first(&file, device->target, CODE);
    }
    buffer_free(&code);
    buffer_free(&other);
}

/* What no inner file is known of is told by the outer one. */
static void devices_of_the_end(void **state)
{
    (void)state;
    static const struct device last[] = {{0x410, 0, "gfx900"}, {0x413, 0, "gfx902"}, {0x414, 0, "gfx909"},
                                         {0x415, 0, "gfx90c"}, {0x416, 0, "gfx803"}, {0x417, 0, "gfx904"},
                                         {0x418, 0, "gfx906"}};
    struct buffer code = holding(CODE, sizeof CODE);
    for (size_t i = 0; i < sizeof last / sizeof last[0]; i++) {
        struct made_encoding two[] = {{0, &code}, {0x77, &code}};
        struct buffer file = {0};
        made_two_devices(&file, true, last[i].machine, two);
        expect_first(&file, last[i].target, CODE);
    }
    buffer_free(&code);
}

/* Catalyst's OpenCL 2.0: e_flags mean another device with each driver, and the note has versions that LLVM
 * knows under other names. */
static void versions_of_old(void **state)
{
    (void)state;
    static const struct {
        unsigned flags, version[3];
        const char *target;
    } rows[] = {
        {14, {8, 0, 4}, "gfx803"}, {17, {8, 0, 4}, "gfx803"}, {13, {8, 0, 4}, "gfx803"},
        {16, {8, 0, 4}, "gfx803"}, {9, {8, 0, 0}, "gfx802"},  {99, {8, 0, 0}, "gfx802"},
        {15, {8, 0, 1}, "gfx801"}, {15, {8, 1, 0}, "gfx810"}, {5, {7, 0, 0}, "gfx704"},
        {6, {7, 0, 0}, "gfx704"},  {7, {7, 0, 1}, "gfx701"},  {17, {9, 0, 0}, "gfx900"},
        {21, {9, 0, 1}, "gfx900"}, {24, {9, 0, 2}, "gfx902"}, {25, {9, 0, 3}, "gfx902"},
        {26, {9, 0, 4}, "gfx904"}, {27, {9, 0, 5}, "gfx904"}, {28, {9, 0, 6}, "gfx906"},
        {29, {9, 0, 7}, "gfx906"},
    };
    struct buffer code = holding(CODE, sizeof CODE);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] * 2; i++) {
        struct buffer file = {0};
        made_catalyst2(&file, i & 1, true, rows[i / 2].flags, rows[i / 2].version, &code);
        expect_first(&file, rows[i / 2].target, CODE);
    }
    buffer_free(&code);
}

static struct buffer outer_file(const struct made_section *sections, size_t section_count,
                                const struct made_symbol *symbols, size_t symbol_count, unsigned machine)
{
    struct buffer file = {0};
    made_write(&file, &(struct made_file){.is_64 = true,
                                          .type = machine == 0xe0 ? ET_DYN : ET_EXEC,
                                          .machine = machine,
                                          .flags = machine == 0xe0 ? 0x23 : 7,
                                          .sections = sections,
                                          .section_count = section_count,
                                          .symbols = symbols,
                                          .symbol_count = symbol_count});
    return file;
}

/* Symbols and sections that hold nothing say nothing of the code. */
static void what_is_empty(void **state)
{
    (void)state;
    struct buffer blob = {0};
    struct buffer code = holding(CODE, sizeof CODE);
    made_number(&blob, 8, 4);
    made_number(&blob, 0, 4);
    made_with_header(&blob, 0, 0, 0, &code);
    const struct made_section raw[] = {
        {".rodata", SHT_PROGBITS, SHF_ALLOC, 0, "0123456", 7},
        {".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0, blob.data, blob.size}};
    const struct made_symbol metadata[] = {{"__ISA_&__OpenCL_first_kernel_binary", 0, blob.size, STT_FUNC, 2},
                                           {"__ISA_&__OpenCL_first_kernel_metadata", 7, 0, STT_OBJECT, 1},
                                           {"__ISA_&__OpenCL_none_kernel_metadata", 9, 3, STT_OBJECT, 1}};
    struct buffer file = outer_file(raw, 2, metadata, 3, 0xaf5b);
    expect_first(&file, "gfx701", CODE);

    const struct made_section rocm[] = {
        {".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, code.data, code.size},
        {".empty", SHT_PROGBITS, 0, 0, "", 0}};
    const struct made_symbol last[] = {{"first", 0x1000, sizeof CODE, STT_FUNC, 1},
                                       {"unreachable", 0x1000 + sizeof CODE, 0, STT_FUNC, 1}};
    file = outer_file(rocm, 2, last, 2, 0xe0);
    size_t headers = file.size - 6 * sizeof(Elf64_Shdr);
    made_set(&file, headers + 2 * sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_offset), UINT64_MAX, 8);
    expect_first(&file, "gfx701", CODE);
    buffer_free(&blob);
    buffer_free(&code);
}

/* Two code objects of two functions each, for gfx906 and gfx1030. */
static void bundle_of_two(struct buffer *bundle)
{
    static const char *const targets[] = {"gfx906", "gfx1030"};
    struct buffer objects[2] = {{0}, {0}};
    for (size_t i = 0; i < 2; i++) {
        struct buffer code = {0};
        assert_true(
            made_code(targets[i], "s_mov_b32 s1, 0xb0077a5a\ns_movk_i32 s7, 0x7a5a\ns_endpgm\n", &code));
        made_rocm(&objects[i], targets[i], &code);
        buffer_free(&code);
    }
    made_bundle(bundle, targets, objects, 2);
    buffer_free(&objects[0]);
    buffer_free(&objects[1]);
}

static void expect_patched(const struct buffer *file, const char *target, size_t count, uint32_t word)
{
    const struct gcn_patch_request request = {.field = "simd", .occurrence = GCN_ALL, .target = target};
    struct buffer result = {0};
    struct gcn_patch patch;
    struct error error = {0};
    if (gcn_patch(file->data, file->size, &request, &result, &patch, &error) != STATUS_OK)
        fail_msg("%s; %s", error.message, error.hint);
    assert_int_equal(patch.count, count);
    assert_string_equal(patch.target->name, target);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(gcn_read32((unsigned char *)result.data + patch.changes[i].offset), word);
        memcpy(result.data + patch.changes[i].offset, patch.changes[i].before, 4);
    }
    assert_memory_equal(result.data, file->data, file->size);
    gcn_patch_free(&patch);
    buffer_free(&result);
}

static void expect_usage(const struct buffer *file, const char *target, const char *words)
{
    const struct gcn_patch_request request = {.field = "simd", .occurrence = GCN_ALL, .target = target};
    struct buffer result = {0};
    struct gcn_patch patch;
    struct error error = {0};
    char all[1600];
    assert_int_equal(gcn_patch(file->data, file->size, &request, &result, &patch, &error), STATUS_USAGE);
    snprintf(all, sizeof all, "%s; %s", error.message, error.hint);
    if (strstr(all, words) == NULL)
        fail_msg("'%s' is not in: %s", words, all);
    buffer_free(&result);
}

static void expect_both(const struct buffer *file)
{
    expect_patched(file, "gfx906", 2, 0xb8870904);  /* hwreg(HW_REG_HW_ID, 4, 2) */
    expect_patched(file, "gfx1030", 2, 0xb9070a17); /* hwreg(HW_REG_HW_ID1, 8, 2) */
    expect_usage(file, NULL, "several processors: gfx906, gfx1030; -t gfx906");
    expect_usage(file, "gfx908", "no code for 'gfx908'; did you mean 'gfx906'?");
    expect_usage(file, "navi", "it has code for: gfx906, gfx1030");
}

static void bundles(void **state)
{
    (void)state;
    struct buffer bundle = {0};
    struct buffer host = {0};
    bundle_of_two(&bundle);
    expect_both(&bundle);
    made_host(&host, ".hip_fatbin", &bundle);
    expect_both(&host);
    buffer_free(&host);
    /* Two source files' bundles, one behind the other. */
    buffer_append(&bundle, "\0\0\0\0\0", 5);
    bundle_of_two(&bundle);
    made_host(&host, ".hip_fatbin", &bundle);
    expect_patched(&host, "gfx906", 4, 0xb8870904);
    buffer_free(&host);
    made_host(&host, ".rodata", &bundle);
    expect_refusal(&host, "host programs with a section .hip_fatbin");
    buffer_free(&bundle);
}

/* What lies compressed beside a bundle is named, before, between and after plain ones; text that only looks
 * like its mark is not. */
static void what_is_not_read_is_named(void **state)
{
    (void)state;
    static const char compressed[] = "CCOB\2\0\1\0 compressed", mark[] = "CCOB of a text";
    struct buffer file = {0}, host = {0};
    struct gcn_code code;
    struct error error;
    bundle_of_two(&file);
    buffer_append(&file, mark, sizeof mark);
    size_t first = file.size;
    buffer_append(&file, compressed, sizeof compressed);
    bundle_of_two(&file);
    size_t second = file.size;
    buffer_append(&file, compressed, sizeof compressed);
    assert_int_equal(gcn_code_find(file.data, file.size, &code, &error), STATUS_OK);
    assert_int_equal(code.unread_count, 2);
    assert_int_equal(code.unread[0].offset, first);
    assert_int_equal(code.unread[1].offset, second);
    assert_string_equal(code.unread[0].what, "a compressed offload bundle");
    gcn_code_free(&code);
    expect_patched(&file, "gfx906", 4, 0xb8870904);
    made_host(&host, ".hip_fatbin", &file);
    expect_patched(&host, "gfx906", 4, 0xb8870904);
    assert_int_equal(gcn_code_find(host.data, host.size, &code, &error), STATUS_OK);
    assert_int_equal(code.unread_count, 2);
    gcn_code_free(&code);
    expect_usage(&host, "gfx908", "a compressed offload bundle at 0x");
    buffer_free(&host);
    buffer_free(&file);
}

/* A section that its header says is none has no bytes, whatever else the header says. */
static void sections_that_are_none(void **state)
{
    (void)state;
    struct buffer bundle = {0};
    struct buffer host = {0};
    bundle_of_two(&bundle);
    made_host(&host, ".hip_fatbin", &bundle);
    uint64_t headers = 0;
    memcpy(&headers, host.data + offsetof(Elf64_Ehdr, e_shoff), sizeof headers);
    size_t fatbin = (size_t)headers + 2 * sizeof(Elf64_Shdr);
    made_set(&host, fatbin + offsetof(Elf64_Shdr, sh_type), SHT_NULL, 4);
    made_set(&host, fatbin + offsetof(Elf64_Shdr, sh_offset), UINT64_C(1) << 46, 8);
    expect_refusal(&host, "not a binary for a known AMD processor");
    buffer_free(&bundle);
}

/* A processor that came later does not stand in the way of the others. */
static void processors_to_come(void **state)
{
    (void)state;
    enum { OBJECTS = MADE_BUNDLE_HEADER + 3 * MADE_BUNDLE_ENTRY + 25 + 31 + 32, NONE = 0xfd };
    struct buffer file = {0};
    bundle_of_two(&file);
    size_t size = (file.size - OBJECTS) / 2; /* of each of the two, as their code differs in no length */
    made_set(&file, OBJECTS + size + offsetof(Elf64_Ehdr, e_flags), NONE, 4);
    expect_patched(&file, "gfx906", 2, 0xb8870904);
    struct gcn_code code;
    struct error error;
    assert_int_equal(gcn_code_find(file.data, file.size, &code, &error), STATUS_OK);
    assert_int_equal(code.unread_count, 1);
    assert_int_equal(code.unread[0].offset, OBJECTS + size);
    assert_string_equal(code.unread[0].what, "code for an unknown processor");
    assert_memory_equal(code.unread[0].name, "hipv4-amdgcn-amd-amdhsa--gfx1030", code.unread[0].name_length);
    gcn_code_free(&code);
    made_set(&file, OBJECTS + offsetof(Elf64_Ehdr, e_flags), NONE, 4);
    expect_refusal(&file,
                   "no code for a known processor; its last entry is 'hipv4-amdgcn-amd-amdhsa--gfx1030'");
}

static void damaged_bundles(void **state)
{
    (void)state;
    enum { FIRST = MADE_BUNDLE_HEADER + MADE_BUNDLE_ENTRY + 25 }; /* behind the host's entry */
    struct buffer file = {0};
    bundle_of_two(&file);
    made_set(&file, 24, 4, 8);
    expect_refusal(&file, "damaged offload bundle: it ends within its list of 4");
    bundle_of_two(&file);
    made_set(&file, FIRST, file.size, 8);
    expect_refusal(&file, "does not lie within its");
    bundle_of_two(&file);
    made_set(&file, FIRST + 16, UINT64_MAX, 8);
    expect_refusal(&file, "ends within its list");
    bundle_of_two(&file);
    file.size = 30;
    expect_refusal(&file, "ends within its header");
    bundle_of_two(&file);
    size_t object = MADE_BUNDLE_HEADER + 3 * MADE_BUNDLE_ENTRY + 25 + 31 + 32;
    memcpy(file.data + object, "BC\xc0\xde", 4);
    expect_refusal(&file, "'hipv4-amdgcn-amd-amdhsa--gfx906' of the bundle at 0x0: LLVM bitcode");
}

static void what_is_to_be_unpacked(void **state)
{
    (void)state;
    struct buffer packed = holding("CCOB\1\0", 6);
    struct buffer host = {0};
    made_host(&host, ".hip_fatbin", &packed);
    expect_refusal(&host, "a compressed offload bundle");
    expect_refusal(&packed, "clang-offload-bundler -unbundle");
    packed = holding("BC\xc0\xde", 4);
    expect_refusal(&packed, "LLVM bitcode");
    packed = holding("!<arch>\n", 8);
    expect_refusal(&packed, "ar x");
    const struct made_section text[] = {{".text", SHT_PROGBITS, SHF_EXECINSTR, 0, CODE, sizeof CODE}};
    packed = outer_file(text, 1, NULL, 0, 0x7d4);
    expect_refusal(&packed, "for the CPU");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_device_takes_its_own),
        cmocka_unit_test(devices_of_the_end),
        cmocka_unit_test(versions_of_old),
        cmocka_unit_test(what_is_empty),
        cmocka_unit_test(bundles),
        cmocka_unit_test(sections_that_are_none),
        cmocka_unit_test(processors_to_come),
        cmocka_unit_test(damaged_bundles),
        cmocka_unit_test(what_is_not_read_is_named),
        cmocka_unit_test(what_is_to_be_unpacked),
    };
    return cmocka_run_group_tests_name("isa/gcn_containers", tests, NULL, NULL);
}
