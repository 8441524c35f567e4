/* The place of code in ROCm's and Catalyst's binaries, and its processor. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "isa/gcn/binary/binary_code.h"
#include "tests/gcn_files.h"

/* s_nop 3, s_endpgm: the same on all generations but GFX11 and GFX12. */
static const unsigned char CODE[] = {3, 0, 0x80, 0xbf, 0, 0, 0x81, 0xbf};

static struct buffer sample(void)
{
    struct buffer code = {0};
    buffer_append(&code, CODE, sizeof CODE);
    return code;
}

static void expect_piece(const struct buffer *file, const struct gcn_piece *piece, const char *kernel,
                         const char *target)
{
    assert_int_equal(piece->kernel_length, strlen(kernel));
    assert_memory_equal(piece->kernel, kernel, strlen(kernel));
    assert_string_equal(piece->target->name, target);
    assert_int_equal(piece->size, sizeof CODE);
    assert_true(piece->offset + piece->size <= file->size);
    assert_memory_equal(file->data + piece->offset, CODE, sizeof CODE);
}

static void expect_pieces(struct buffer *file, size_t count, const char *const *kernels, const char *target)
{
    struct gcn_code code;
    struct error error = {0};
    if (gcn_code_find(file->data, file->size, &code, &error) != STATUS_OK)
        fail_msg("%s", error.message);
    assert_int_equal(code.count, count);
    for (size_t i = 0; i < count; i++)
        expect_piece(file, &code.pieces[i], kernels[i], target);
    gcn_code_free(&code);
    buffer_free(file);
}

static void expect_refusal(struct buffer *file, const char *words)
{
    struct gcn_code code;
    struct error error = {0};
    assert_int_equal(gcn_code_find(file->data, file->size, &code, &error), STATUS_FAILED);
    if (strstr(error.message, words) == NULL)
        fail_msg("'%s' is not in: %s", words, error.message);
    assert_null(code.pieces);
    buffer_free(file);
}

static const char *const TWO[] = {"first", "second"};

static void rocm(void **state)
{
    (void)state;
    static const char *const targets[] = {"gfx600", "gfx701", "gfx803", "gfx906",
                                          "gfx90a", "gfx942", "gfx1030"};
    struct buffer code = sample();
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        struct buffer file = {0};
        made_rocm(&file, targets[i], &code);
        expect_pieces(&file, 2, TWO, targets[i]);
    }
    buffer_free(&code);
}

static void catalyst_1_2(void **state)
{
    (void)state;
    struct buffer code = sample();
    for (unsigned is_64 = 0; is_64 < 2; is_64++) {
        struct buffer file = {0};
        made_catalyst(&file, is_64, 0x408, 0x27, &code);
        struct gcn_code found;
        struct error error;
        assert_int_equal(gcn_code_find(file.data, file.size, &found, &error), STATUS_OK);
        assert_string_equal(found.source, ".llvmir");
        assert_true(found.pieces[0].offset % 4 != 0 || found.pieces[1].offset % 4 != 0);
        gcn_code_free(&found);
        expect_pieces(&file, 2, TWO, "gfx701");
        made_catalyst(&file, is_64, 0x3fe, 0x1b, &code);
        expect_pieces(&file, 2, TWO, "gfx601");
        made_catalyst(&file, is_64, 0x409, 0x29, &code);
        expect_pieces(&file, 2, TWO, "gfx802");
        /* An encoding that is not known leaves it to the outer file; one of another generation is not taken.
         */
        made_catalyst(&file, is_64, 0x408, 0x777, &code);
        expect_pieces(&file, 2, TWO, "gfx701");
        made_catalyst(&file, is_64, 0x408, 0x29, &code);
        expect_refusal(&file, "the inner file is for gfx802 and the outer file for gfx701");
        made_catalyst(&file, is_64, 0x777, 0x27, &code);
        expect_refusal(&file, "not a binary for a known AMD processor");
    }
    buffer_free(&code);
}

static void catalyst_2_0(void **state)
{
    (void)state;
    static const unsigned hawaii[] = {7, 0, 1};
    static const unsigned vega[] = {9, 0, 0};
    static const unsigned odd[] = {77, 0, 0};
    struct buffer code = sample();
    struct buffer file = {0};
    for (unsigned is_64 = 0; is_64 < 2; is_64++) {
        for (unsigned later = 0; later < 2; later++) {
            made_catalyst2(&file, is_64, later, 7, hawaii, &code);
            expect_pieces(&file, 1, TWO, "gfx701");
            made_catalyst2(&file, is_64, later, 9, odd, &code);
            expect_pieces(&file, 1, TWO, "gfx802");
            made_catalyst2(&file, is_64, later, 99, odd, &code);
            expect_refusal(&file, "does not name its processor");
        }
        /* 17 was Fiji, Stoney, Ellesmere or Vega 10, by the driver: the inner file's note tells. */
        made_catalyst2(&file, is_64, true, 17, vega, &code);
        expect_pieces(&file, 1, TWO, "gfx900");
        made_catalyst2(&file, is_64, false, 16, odd, &code);
        expect_pieces(&file, 1, TWO, "gfx803");
        made_catalyst2(&file, is_64, false, 17, vega, &code);
        expect_refusal(&file, "does not name its processor");
    }
    buffer_free(&code);
}

/* ROCm's first code objects: no processor in the flags but in a note, or in the kernel's header. */
static void rocm_of_old(void **state)
{
    (void)state;
    static const unsigned fiji[] = {8, 0, 3};
    struct buffer code = sample();
    for (unsigned kind = 0; kind < 4; kind++) {
        bool note = kind & 1;
        bool header = kind & 2;
        struct buffer text = {0};
        struct buffer notes = {0};
        struct buffer file = {0};
        made_with_header(&text, header ? 8 : 0, 0, header ? 3 : 0, &code);
        made_note(&notes, fiji);
        const struct made_section sections[] = {
            {".text", SHT_PROGBITS, SHF_EXECINSTR, 0x1000, text.data, text.size},
            {".note", SHT_NOTE, 0, 0, notes.data, note ? notes.size : 20}};
        const struct made_symbol symbols[] = {{"first", 0x1000, text.size, 10, 1}};
        made_write(&file, &(struct made_file){.is_64 = true,
                                              .type = ET_DYN,
                                              .machine = 0xe0,
                                              .sections = sections,
                                              .section_count = 2,
                                              .symbols = symbols,
                                              .symbol_count = 1});
        if (note || header)
            expect_pieces(&file, 1, TWO, "gfx803");
        else
            expect_refusal(&file, "does not name its processor");
        buffer_free(&text);
        buffer_free(&notes);
    }
    buffer_free(&code);
}

/* What the tests below make: one ROCm file with these symbols in .text, section 1. */
static struct buffer with_symbols(const struct made_symbol *symbols, size_t count, unsigned table,
                                  unsigned flags)
{
    struct buffer file = {0};
    unsigned char twice[2 * sizeof CODE];
    memcpy(twice, CODE, sizeof CODE);
    memcpy(twice + sizeof CODE, CODE, sizeof CODE);
    const struct made_section sections[] = {
        {".text", SHT_PROGBITS, SHF_EXECINSTR, 0x40, twice, sizeof twice}};
    made_write(&file, &(struct made_file){.is_64 = true,
                                          .type = ET_DYN,
                                          .machine = 0xe0,
                                          .flags = flags,
                                          .sections = sections,
                                          .section_count = 1,
                                          .symbols = symbols,
                                          .symbol_count = count,
                                          .table = table});
    return file;
}

static void symbols_of_all_kinds(void **state)
{
    (void)state;
    /* Without sizes each reaches to the next; a label that is no function is none. */
    const struct made_symbol unsized[] = {
        {"second", 0x48, 0, STT_FUNC, 1}, {"loop", 0x44, 0, STT_NOTYPE, 1}, {"first", 0x40, 0, STT_FUNC, 1}};
    struct buffer file = with_symbols(unsized, 3, SHT_SYMTAB, 0x23);
    expect_pieces(&file, 2, TWO, "gfx701");
    file = with_symbols(unsized, 3, SHT_DYNSYM, 0x23);
    expect_pieces(&file, 2, TWO, "gfx701");
    /* Two names of one function are two pieces at one place. */
    const struct made_symbol alias[] = {{"first", 0x48, 8, STT_FUNC, 1}, {"second", 0x48, 0, STT_FUNC, 1}};
    struct gcn_code code;
    struct error error;
    file = with_symbols(alias, 2, SHT_SYMTAB, 0x23);
    assert_int_equal(gcn_code_find(file.data, file.size, &code, &error), STATUS_OK);
    assert_int_equal(code.count, 2);
    assert_int_equal(code.pieces[0].offset, code.pieces[1].offset);
    assert_int_equal(code.pieces[0].size, 8);
    gcn_code_free(&code);
    buffer_free(&file);
    /* Without any the section is the one piece. */
    file = with_symbols(NULL, 0, SHT_SYMTAB, 0x23);
    assert_int_equal(gcn_code_find(file.data, file.size, &code, &error), STATUS_OK);
    assert_int_equal(code.count, 1);
    assert_int_equal(code.pieces[0].size, 2 * sizeof CODE);
    assert_int_equal(code.pieces[0].kernel_length, 0);
    gcn_code_free(&code);
    buffer_free(&file);
}

static void damage_is_told(void **state)
{
    (void)state;
    struct buffer code = sample();
    struct buffer file = {0};
    const struct made_symbol beyond[] = {{"first", 0x40, 17, STT_FUNC, 1}};
    const struct made_symbol before[] = {{"first", 0x3f, 1, STT_FUNC, 1}};
    const struct made_symbol across[] = {{"first", 0x40, 12, STT_FUNC, 1}, {"second", 0x48, 8, STT_FUNC, 1}};
    file = with_symbols(beyond, 1, SHT_SYMTAB, 0x23);
    expect_refusal(&file, "does not lie within section '.text'");
    file = with_symbols(before, 1, SHT_SYMTAB, 0x23);
    expect_refusal(&file, "does not lie within section '.text'");
    file = with_symbols(across, 2, SHT_SYMTAB, 0x23);
    expect_refusal(&file, "'first' and 'second' overlap");
    file = with_symbols(NULL, 0, SHT_SYMTAB, 0xfe);
    expect_refusal(&file, "does not name its processor");
    buffer_text(&file, "#!/bin/sh");
    expect_refusal(&file, "not an ELF file");
    expect_refusal(&file, "not an ELF file");
    made_rocm(&file, "gfx906", &code);
    made_set(&file, 40, file.size - 63, 8);
    expect_refusal(&file, "table of 6 sections");
    made_rocm(&file, "gfx906", &code);
    made_set(&file, 18, EM_X86_64, 2);
    expect_refusal(&file, "not a binary for a known AMD processor");
    made_rocm(&file, "gfx906", &code);
    made_set(&file, 5, ELFDATA2MSB, 1);
    expect_refusal(&file, "little-endian");
    buffer_free(&code);
}

/* Files around files that are always the same. */
static void write_with(struct buffer *file, const struct made_symbol *symbols, size_t count, const void *text,
                       size_t size)
{
    const struct made_section sections[] = {{".text", SHT_PROGBITS, SHF_EXECINSTR, 0, text, size}};
    made_write(file, &(struct made_file){.is_64 = true,
                                         .type = ET_DYN,
                                         .machine = 0xe0,
                                         .flags = 0x23,
                                         .sections = sections,
                                         .section_count = 1,
                                         .symbols = symbols,
                                         .symbol_count = count});
}

static void loops_end(void **state)
{
    (void)state;
    enum { MANY = 20000, FEW = 300 };
    struct buffer file = {0};
    struct buffer inner = {0};
    struct made_symbol *many = calloc(MANY, sizeof *many);
    assert_non_null(many);
    for (size_t i = 0; i < MANY; i++)
        many[i] = (struct made_symbol){"f", 0, 0, i < FEW || i > FEW * 2 ? STT_FUNC : STT_OBJECT, 1};

    /* The section is the file itself. */
    write_with(&file, many, 1, CODE, sizeof CODE);
    size_t headers = file.size - 5 * sizeof(Elf64_Shdr);
    made_set(&file, headers + sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_offset), 0, 8);
    made_set(&file, headers + sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_size), file.size, 8);
    expect_refusal(&file, "nested files");

    /* Many functions are one file with many symbols. */
    write_with(&inner, many + FEW, FEW, CODE, sizeof CODE);
    write_with(&file, many + FEW * 3, MANY - FEW * 3, inner.data, inner.size);
    expect_refusal(&file, "too often");
    buffer_free(&inner);
    free(many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rocm),
        cmocka_unit_test(catalyst_1_2),
        cmocka_unit_test(catalyst_2_0),
        cmocka_unit_test(rocm_of_old),
        cmocka_unit_test(symbols_of_all_kinds),
        cmocka_unit_test(damage_is_told),
        cmocka_unit_test(loops_end),
    };
    return cmocka_run_group_tests_name("isa/gcn_code", tests, NULL, NULL);
}
