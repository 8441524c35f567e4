/* Linking: everything that ROCm's loader needs is present, and what cannot be linked is reported. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <elf.h>

#include "isa/gcn/binary/elf.h"
#include "isa/gcn/link/metadata.h"
#include "isa/gcn/patch/patcher.h"
#include "tests/gcn_files.h"
#include "tests/gcn_programs.h"
#include "tests/mutate.h"

static uint64_t read64(const char *at)
{
    return (uint64_t)gcn_read32((const unsigned char *)at + 4) << 32 | gcn_read32((const unsigned char *)at);
}

/* The symbol of the table of that type with that name. */
static bool find_symbol(const struct gcn_elf *elf, unsigned type, const char *name, struct gcn_symbol *symbol)
{
    for (unsigned i = 0; i < elf->section_count; i++) {
        struct gcn_section table;
        assert_int_equal(gcn_elf_section(elf, i, &table, NULL), STATUS_OK);
        for (size_t k = 0; table.type == type && k < gcn_elf_symbol_count(elf, &table); k++) {
            gcn_elf_symbol(elf, &table, k, symbol);
            if (strcmp(symbol->name, name) == 0)
                return true;
        }
    }
    return false;
}

/* The file's bytes at that address, through the segments as a loader goes. */
static const char *loaded(const struct buffer *file, uint64_t address)
{
    Elf64_Ehdr header;
    memcpy(&header, file->data, sizeof header);
    for (unsigned i = 0; i < header.e_phnum; i++) {
        Elf64_Phdr segment;
        memcpy(&segment, file->data + header.e_phoff + i * sizeof segment, sizeof segment);
        if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
            address - segment.p_vaddr < segment.p_filesz)
            return file->data + segment.p_offset + (address - segment.p_vaddr);
    }
    fail_msg("0x%llx is not loaded", (unsigned long long)address);
    return NULL;
}

/* A kernel is found by name in both tables, ROCm's loader reads either, and its descriptor leads to it. */
static void check_kernel(const struct buffer *file, const struct gcn_elf *elf, unsigned number,
                         const char *code, size_t size)
{
    char name[40];
    struct gcn_symbol kernel, descriptor, other;
    snprintf(name, sizeof name, "kernel%u", number);
    assert_true(find_symbol(elf, SHT_DYNSYM, name, &kernel));
    assert_true(find_symbol(elf, SHT_SYMTAB, name, &other));
    assert_int_equal(kernel.value, other.value);
    assert_int_equal(kernel.type, STT_FUNC);
    assert_int_equal(kernel.binding, STB_GLOBAL);
    assert_int_equal(kernel.visibility, STV_PROTECTED);
    assert_int_equal(kernel.value % 256, 0);
    assert_int_equal(kernel.size, size);
    assert_memory_equal(loaded(file, kernel.value), code, size);
    snprintf(name, sizeof name, "kernel%u.kd", number);
    assert_true(find_symbol(elf, SHT_DYNSYM, name, &descriptor));
    assert_true(find_symbol(elf, SHT_SYMTAB, name, &other));
    assert_int_equal(descriptor.type, STT_OBJECT);
    assert_int_equal(descriptor.size, 64);
    assert_int_equal(read64(loaded(file, descriptor.value) + 16), kernel.value - descriptor.value);
}

static enum status count_kernel(const char *symbol, int length, void *context, struct error *error)
{
    (void)error;
    assert_true(length > 3 && memcmp(symbol + length - 3, ".kd", 3) == 0);
    ++*(unsigned *)context;
    return STATUS_OK;
}

/* One note, the program's: LLVM's empty one is not there. */
static void check_note(const struct buffer *file, const struct gcn_elf *elf, unsigned kernels)
{
    unsigned notes = 0;
    for (unsigned i = 0; i < elf->segment_count; i++) {
        struct gcn_segment segment = gcn_elf_segment(elf, i);
        unsigned seen = 0;
        size_t count = 0;
        if (segment.type != PT_NOTE)
            continue;
        notes++;
        const char *note = file->data + segment.offset;
        uint32_t content = gcn_read32((const unsigned char *)note + 4);
        assert_int_equal(segment.size, 20 + (content + 3) / 4 * 4);
        assert_int_equal(gcn_metadata_kernels(note + 20, content, count_kernel, &seen, &count, NULL),
                         STATUS_OK);
        assert_int_equal(count, kernels);
        assert_int_equal(seen, kernels);
    }
    assert_int_equal(notes, 1);
}

static void kernels_are_found_by_name(void **state)
{
    (void)state;
    unsigned tried = 0;
    for (unsigned i = 0; i < PROGRAM_TARGETS; i++) {
        const char *gfx = program_targets[i];
        if (!made_known(gfx))
            continue;
        unsigned kernels = i % 3 == 2 ? 17 : 1 + i % 3;
        struct buffer file = program_linked(&(struct program){.gfx = gfx, .kernels = kernels});
        struct buffer code = {0};
        struct gcn_elf elf;
        assert_int_equal(gcn_elf_open((unsigned char *)file.data, file.size, &elf, NULL), STATUS_OK);
        assert_int_equal(elf.type, ET_DYN);
        assert_int_equal(elf.bytes[EI_OSABI], 64);
        assert_ptr_equal(gcn_target_of(GCN_CODE_MACH, elf.flags), gcn_target_named(gfx));
        assert_true(made_code(gfx, "s_nop 1\ns_endpgm\n", &code));
        for (unsigned k = 0; k < kernels; k++)
            check_kernel(&file, &elf, k, code.data, code.size);
        check_note(&file, &elf, kernels);
        buffer_free(&code);
        buffer_free(&file);
        tried++;
    }
    assert_true(tried >= 12);
}

static void relocations_lead_to_their_symbols(void **state)
{
    (void)state;
    struct buffer file = program_linked(
        &(struct program){.gfx = "gfx906", .kernels = 1, .code = PROGRAM_RELOCATED, .rest = PROGRAM_TABLE});
    struct gcn_elf elf;
    struct gcn_symbol kernel, table, other, number;
    assert_int_equal(gcn_elf_open((unsigned char *)file.data, file.size, &elf, NULL), STATUS_OK);
    assert_true(find_symbol(&elf, SHT_DYNSYM, "kernel0", &kernel));
    assert_true(find_symbol(&elf, SHT_DYNSYM, "table", &table));
    assert_true(find_symbol(&elf, SHT_DYNSYM, "number", &number));
    assert_false(find_symbol(&elf, SHT_DYNSYM, "other", &other));
    assert_true(find_symbol(&elf, SHT_SYMTAB, "other", &other));
    assert_int_equal(number.value, 0x12345678);
    const char *code = loaded(&file, kernel.value);
    uint64_t reached = gcn_read32((const unsigned char *)code + 8) |
                       (uint64_t)gcn_read32((const unsigned char *)code + 16) << 32;
    assert_int_equal(kernel.value + 4 + reached, table.value);
    assert_int_equal(gcn_read32((const unsigned char *)code + 24), 0x12345678);
    int16_t words;
    memcpy(&words, code + 28, sizeof words);
    assert_int_equal(kernel.value + 32 + (uint64_t)(words * 4), other.value);
    const char *bytes = loaded(&file, table.value);
    assert_int_equal(table.value + read64(bytes), other.value);
    assert_int_equal((uint32_t)table.value + 8 + gcn_read32((const unsigned char *)bytes + 8),
                     (uint32_t)kernel.value);
    buffer_free(&file);
}

static const char OTHER_NAME[] =
    "  - {.name: a, .symbol: a.kd, .kernarg_segment_size: 0, .group_segment_fixed_size: 0, "
    ".private_segment_fixed_size: 0, .kernarg_segment_align: 8, .wavefront_size: 64, .sgpr_count: 8, "
    ".vgpr_count: 8, .max_flat_workgroup_size: 256}\n";

static void what_cannot_be_linked_is_told(void **state)
{
    (void)state;
    static const struct {
        struct program program;
        const char *gfx; /* linked for */
        enum status status;
        const char *words;
    } rows[] = {
        {{.gfx = "gfx906", .kernels = 1}, "gfx900", STATUS_FAILED, "for gfx906, not for gfx900"},
        {{.gfx = "gfx906", .kernels = 1}, "gfx9zz", STATUS_USAGE, "no processor 'gfx9zz'"},
        {{.gfx = "gfx906"}, "gfx906", STATUS_FAILED, "lists no kernel"},
        {{.gfx = "gfx906", .kernels = 1, .metadata = OTHER_NAME}, "gfx906", STATUS_FAILED, "'a.kd'"},
        {{.gfx = "gfx906", .kernels = 2, .align = ".p2align 4"}, "gfx906", STATUS_FAILED, "multiple of 256"},
        {{.gfx = "gfx906", .kernels = 1, .code = "s_mov_b32 s0, kernel0@abs32@lo"},
         "gfx906",
         STATUS_FAILED,
         "'.text': R_AMDGPU_ABS32_LO of 'kernel0', which has no address before it is loaded"},
        {{.gfx = "gfx906", .kernels = 1, .code = "s_add_u32 s0, s0, nothing@rel32@lo"},
         "gfx906",
         STATUS_FAILED,
         "of 'nothing', which is defined nowhere"},
        {{.gfx = "gfx906", .kernels = 1, .code = "s_add_u32 s0, s0, kernel0@gotpcrel32@lo"},
         "gfx906",
         STATUS_FAILED,
         "relocation of type 8"},
        {{.gfx = "gfx906", .kernels = 1, .rest = ".data\n.long 3\n"}, "gfx906", STATUS_FAILED, "'.data'"},
        {{.gfx = "gfx906",
          .kernels = 1,
          .code = "s_branch far",
          .rest = ".section .text.far,\"ax\"\n"
                  ".fill 40000,4,0xbf800000\nfar:\n"
                  "s_endpgm\n"},
         "gfx906",
         STATUS_FAILED,
         "would span 400"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct buffer object = program_object(&rows[i].program);
        struct buffer linked = {0};
        struct error error = {0};
        enum status status = gcn_link(&object, rows[i].gfx, &linked, &error);
        if (status != rows[i].status || strstr(error.message, rows[i].words) == NULL)
            fail_msg("row %zu: status %d, '%s' is not in: %s", i, status, rows[i].words, error.message);
        assert_int_equal(linked.size, 0);
        buffer_free(&object);
    }
}

static void texts_with_errors_are_told_by_line(void **state)
{
    (void)state;
    static const struct {
        const char *gfx, *text;
        enum status status;
        int line;
        const char *words;
    } rows[] = {
        {"gfx906", ".text\ns_nop 1\ns_nope 2\n", STATUS_FAILED, 3, "invalid instruction"},
        {"gfx906", ".amdgcn_target \"amdgcn-amd-amdhsa--gfx900\"\n", STATUS_FAILED, 1, "does not match"},
        {"gfx906", ".text\nk: s_endpgm\n.amdhsa_kernel k\n.end_amdhsa_kernel\n", STATUS_FAILED, 4,
         "next_free_vgpr"},
        {"gfx906", "s_branch nowhere\n", STATUS_FAILED, 1, "nowhere"},
        {"tahiti", "s_nop 1\n", STATUS_USAGE, 0, "no processor 'tahiti'"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct buffer object = {0};
        struct error error = {0};
        enum status status = gcn_assemble_object(rows[i].gfx, rows[i].text, "p.s", &object, &error);
        if (status != rows[i].status || error.line != rows[i].line ||
            strstr(error.message, rows[i].words) == NULL)
            fail_msg("row %zu: status %d, line %d: %s", i, status, error.line, error.message);
        assert_true(error.line == 0 || strcmp(error.file, "p.s") == 0);
        assert_int_equal(object.size, 0);
    }
}

/* Several notes with kernels are not one program; those without are left out, others stay. */
static void one_metadata_stays(void **state)
{
    (void)state;
    static const char EMPTY[] = "\x07\0\0\0\x11\0\0\0\x20\0\0\0AMDGPU\0\0\x81\xae"
                                "amdhsa.kernels\x90\0\0\0";
    static const char ONE[] = "\x07\0\0\0\x12\0\0\0\x20\0\0\0AMDGPU\0\0\x81\xae"
                              "amdhsa.kernels\x91\x80\0\0";
    static const char OTHER[] = "\x04\0\0\0\x04\0\0\0\x01\0\0\0GNU\0abcd";
    enum { NOTE = sizeof EMPTY - 1, SHORT = sizeof OTHER - 1 };
    char notes[3 * NOTE + SHORT];
    size_t count, size = 2 * NOTE + SHORT;
    memcpy(notes, EMPTY, NOTE);
    memcpy(notes + NOTE, OTHER, SHORT);
    memcpy(notes + NOTE + SHORT, ONE, NOTE);
    assert_int_equal(gcn_metadata_keep(notes, &size, NULL, NULL, &count, NULL), STATUS_OK);
    assert_int_equal(count, 1);
    assert_int_equal(size, NOTE + SHORT);
    assert_memory_equal(notes, OTHER, SHORT);
    assert_memory_equal(notes + SHORT, ONE, NOTE);
    struct error error;
    memcpy(notes + size, ONE, NOTE);
    size += NOTE;
    assert_int_equal(gcn_metadata_keep(notes, &size, NULL, NULL, &count, &error), STATUS_FAILED);
    assert_non_null(strstr(error.message, "two notes"));
}

static void the_same_object_gives_the_same_bytes(void **state)
{
    (void)state;
    struct buffer one =
        program_linked(&(struct program){.gfx = "gfx90a", .kernels = 9, .rest = PROGRAM_TABLE});
    struct buffer two =
        program_linked(&(struct program){.gfx = "gfx90a", .kernels = 9, .rest = PROGRAM_TABLE});
    assert_int_equal(one.size, two.size);
    assert_memory_equal(one.data, two.data, one.size);
    buffer_free(&one);
    buffer_free(&two);
}

static void linked_objects_are_patched(void **state)
{
    (void)state;
    static const char *const targets[] = {"gfx701", "gfx906", "gfx1030", "gfx1100"};
    for (unsigned i = 0; i < 4; i++) {
        struct buffer file = program_linked(
            &(struct program){.gfx = targets[i], .kernels = 2, .code = "s_movk_i32 s7, 0x7a5a"});
        struct buffer result = {0};
        struct gcn_patch patch;
        struct error error = {0};
        const struct gcn_patch_request request = {.field = "simd", .kernel = "kernel1"};
        if (gcn_patch(file.data, file.size, &request, &result, &patch, &error) != STATUS_OK)
            fail_msg("%s: %s", targets[i], error.message);
        assert_int_equal(patch.count, 1);
        assert_int_equal(patch.changes[0].kernel_length, strlen("kernel1"));
        gcn_patch_free(&patch);
        buffer_free(&result);
        buffer_free(&file);
    }
}

/* A hostile number in a header, a table or a relocation. */
static void damage_number(struct random *random, struct buffer *file)
{
    static const uint64_t numbers[] = {
        0, 1, 2, 4, 8, 14, 0x40, 0xfff1, 0xffff, 0x7ff, 0x7fffffff, 0xffffffff, UINT64_MAX, UINT64_MAX - 63};
    enum { COUNT = sizeof numbers / sizeof numbers[0] };
    size_t width = (size_t)1 << random_below(random, 4);
    if (file->size < 9)
        return;
    size_t at = random_below(random, (uint32_t)(file->size - width));
    uint32_t choice = random_below(random, COUNT + 2);
    made_set(file, at, choice < COUNT ? numbers[choice] : random_below(random, (uint32_t)file->size), width);
}

/* A file of our own making, whatever its symbols say: damage to a symbol's size cannot be seen. */
static void check_whole(const struct buffer *file)
{
    struct gcn_elf elf;
    struct gcn_symbol symbol;
    struct gcn_section section;
    assert_int_equal(gcn_elf_open((unsigned char *)file->data, file->size, &elf, NULL), STATUS_OK);
    for (unsigned i = 0; i < elf.section_count; i++)
        assert_int_equal(gcn_elf_section(&elf, i, &section, NULL), STATUS_OK);
    assert_true(find_symbol(&elf, SHT_SYMTAB, "_DYNAMIC", &symbol));
    loaded(file, symbol.value);
}

static void damaged_objects_are_told(void **state)
{
    (void)state;
    struct random random = mutate_start("link");
    struct buffer object = program_object(
        &(struct program){.gfx = "gfx906", .kernels = 3, .code = PROGRAM_RELOCATED, .rest = PROGRAM_TABLE});
    unsigned linked = 0, refused = 0;
    for (struct mutate_span span = mutate_begin(mutate_seconds()); mutate_more(&span);) {
        struct buffer input = {0};
        struct buffer result = {0};
        struct error error = {0};
        if (random_below(&random, 3) == 0) {
            input = mutate(&random, &object);
        } else {
            buffer_append(&input, object.data, object.size);
            for (unsigned i = 1 + random_below(&random, 3); i > 0; i--)
                damage_number(&random, &input);
        }
        enum status status = gcn_link(&input, "gfx906", &result, &error);
        if (status == STATUS_OK) {
            check_whole(&result);
            linked++;
        } else {
            assert_true(status == STATUS_FAILED && error.message[0] != '\0' && error.code == status);
            assert_int_equal(result.size, 0);
            refused++;
        }
        buffer_free(&input);
        buffer_free(&result);
    }
    for (size_t size = 0; size < object.size; size += 7) {
        struct buffer input = {0};
        struct buffer result = {0};
        buffer_append(&input, object.data, size);
        assert_int_equal(gcn_link(&input, "gfx906", &result, NULL), STATUS_FAILED);
        assert_int_equal(result.size, 0);
        buffer_free(&input);
    }
    print_message("%u linked, %u refused\n", linked, refused);
    assert_true(refused > 20 && linked > 5);
    buffer_free(&object);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_are_found_by_name),
        cmocka_unit_test(relocations_lead_to_their_symbols),
        cmocka_unit_test(what_cannot_be_linked_is_told),
        cmocka_unit_test(texts_with_errors_are_told_by_line),
        cmocka_unit_test(one_metadata_stays),
        cmocka_unit_test(the_same_object_gives_the_same_bytes),
        cmocka_unit_test(linked_objects_are_patched),
        cmocka_unit_test(damaged_objects_are_told),
    };
#ifndef TRAUMA_LLVM_AMDGPU
    print_message("this LLVM has no AMD GPUs\n");
    return 77; /* skipped */
#endif
    return cmocka_run_group_tests_name("isa/gcn_link", tests, NULL, NULL);
}
