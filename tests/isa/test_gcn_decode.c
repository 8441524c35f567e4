/* The decoder of GCN machine code against LLVM MC: words of every operation with random operands are decoded
 * and printed; LLVM's disassembler must print the same (GFX8 to GFX12), and its assembler must produce the
 * same words from the text (GFX6 and GFX7, which it does not disassemble). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "isa/gcn/walk/walk.h"
#include "isa/mc.h"
#include "isa/object.h"
#include "tests/gcn_text.h"
#include "tests/gcn_words.h"

#include <llvm-c/Disassembler.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIES = 24, PROCESSORS = 5, MOST_TEXTS = 8000 };

/* A generation and its processors, the plainest first: some operations are only of later ones. */
static const struct generation {
    unsigned number;
    const char *processors[PROCESSORS];
} generations[] = {
    {6, {"gfx600"}},
    {7, {"gfx700"}},
    {8, {"gfx803"}},
    {9, {"gfx900", "gfx906", "gfx908", "gfx90a", "gfx940"}},
    {10, {"gfx1030", "gfx1010"}},
    {11, {"gfx1100", "gfx1150"}},
    {12, {"gfx1201"}},
};
enum { GENERATIONS = sizeof generations / sizeof generations[0] };

struct tally {
    size_t decoded, agreed, rows;
};

/* True when one of the generation's processors disassembles the words to the same text. */
static bool disassembles(LLVMDisasmContextRef *contexts, const struct maker *maker,
                         const struct gcn_instruction *got, const char *mine, char theirs[256])
{
    theirs[0] = '\0';
    for (size_t i = 0; i < PROCESSORS && contexts[i] != NULL; i++) {
        uint8_t bytes[20] = {0};
        char text[256];
        memcpy(bytes, maker->word, sizeof maker->word);
        size_t length = LLVMDisasmInstruction(contexts[i], bytes, sizeof bytes, 0, text, sizeof text);
        if (length == 0)
            continue;
        if (theirs[0] == '\0')
            snprintf(theirs, 256, "%s", text);
        if (length == got->length && text_same(mine, text))
            return true;
    }
    return false;
}

static void check_row(LLVMDisasmContextRef *contexts, struct maker *maker, bool wide, struct tally *tally)
{
    tally->rows++;
    for (unsigned i = 0; i < TRIES; i++) {
        struct gcn_instruction got;
        struct error error;
        char mine[GCN_PRINT_BYTES];
        char theirs[256];
        make(maker, wide);
        if (gcn_decode(maker->generation, (const unsigned char *)maker->word, sizeof maker->word, 0, &got,
                       &error) != STATUS_OK)
            fail_msg("%s: %08x %08x: %s", maker->row->name, maker->word[0], maker->word[1], error.message);
        assert_ptr_equal(got.row, maker->row);
        assert_true(got.wide == wide);
        gcn_print(maker->generation, &got, mine);
        tally->decoded++;
        if (disassembles(contexts, maker, &got, mine, theirs))
            tally->agreed++;
        else
            print_error("GFX%u %08x %08x: \"%s\", LLVM has \"%s\"\n", maker->generation, maker->word[0],
                        maker->word[1], mine, theirs);
    }
}

static bool can_be_wide(const struct gcn_row *row)
{
    return row->format >= GCN_VOP2 && row->format <= GCN_VOPC && strchr(row->operands, 'L') == NULL &&
           strchr(row->operands, 's') == NULL && strcmp(row->name, "v_nop") != 0 &&
           strchr(row->operands, '1') == NULL;
}

static void test_disassembles(void **state)
{
    (void)state;
    for (size_t g = 2; g < GENERATIONS; g++) {
        LLVMDisasmContextRef contexts[PROCESSORS + 1] = {NULL};
        struct maker maker = {.generation = generations[g].number, .random = random_start(1, "decode")};
        struct tally tally = {0, 0, 0};
        for (size_t i = 0; i < PROCESSORS && generations[g].processors[i] != NULL; i++) {
            contexts[i] = LLVMCreateDisasmCPU("amdgcn--", generations[g].processors[i], NULL, 0, NULL, NULL);
            assert_non_null(contexts[i]);
        }
        for (unsigned i = 0; (maker.row = gcn_row_at(i)) != NULL; i++) {
            if (maker.row->opcode[g] < 0)
                continue;
            check_row(contexts, &maker, false, &tally);
            if (can_be_wide(maker.row))
                check_row(contexts, &maker, true, &tally);
        }
        assert_true(tally.rows > 500);
        assert_int_equal(tally.decoded, TRIES * tally.rows);
        assert_int_equal(tally.agreed, tally.decoded);
        for (size_t i = 0; contexts[i] != NULL; i++)
            LLVMDisasmDispose(contexts[i]);
    }
}

/* SDWA, DPP and DPP8 of every operation that has a short encoding; LLVM knows none of some of them. */
static void test_extends(void **state)
{
    (void)state;
    for (size_t g = 2; g < GENERATIONS; g++) {
        LLVMDisasmContextRef contexts[PROCESSORS + 1] = {NULL};
        struct maker maker = {.generation = generations[g].number, .random = random_start(7, "extends")};
        size_t agreed = 0, unknown = 0;
        for (size_t i = 0; i < PROCESSORS && generations[g].processors[i] != NULL; i++)
            contexts[i] = LLVMCreateDisasmCPU("amdgcn--", generations[g].processors[i], NULL, 0, NULL, NULL);
        for (unsigned i = 0; (maker.row = gcn_row_at(i)) != NULL; i++)
            for (unsigned j = 0; maker.row->opcode[g] >= 0 && can_extend(maker.row) && j < TRIES; j++) {
                struct gcn_instruction got;
                struct error error;
                char mine[GCN_PRINT_BYTES];
                char theirs[256];
                unsigned kind = j % 3;
                if ((kind == 0 && maker.generation >= 11) || (kind == 2 && maker.generation < 10))
                    continue;
                make(&maker, false);
                if (kind == 0)
                    make_sdwa(&maker);
                else
                    make_dpp(&maker, kind == 2);
                if (gcn_decode(maker.generation, (const unsigned char *)maker.word, 8, 0, &got, &error) !=
                    STATUS_OK)
                    fail_msg("%s: %08x %08x: %s", maker.row->name, maker.word[0], maker.word[1],
                             error.message);
                gcn_print(maker.generation, &got, mine);
                bool same = disassembles(contexts, &maker, &got, mine, theirs);
                agreed += same;
                unknown += theirs[0] == '\0';
                if (!same && theirs[0] != '\0')
                    fail_msg("GFX%u %08x %08x: \"%s\", LLVM has \"%s\"", maker.generation, maker.word[0],
                             maker.word[1], mine, theirs);
            }
        print_message("GFX%u: %zu, and %zu that LLVM does not know\n", maker.generation, agreed, unknown);
        assert_true(agreed > 1500);
        for (size_t i = 0; contexts[i] != NULL; i++)
            LLVMDisasmDispose(contexts[i]);
    }
}

/* GFX11's two operations at once: all pairs that there are, with random operands. */
static void test_pairs(void **state)
{
    (void)state;
    static const unsigned char numbers[] = {0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 16, 17, 18};
    LLVMDisasmContextRef contexts[] = {LLVMCreateDisasmCPU("amdgcn--", "gfx1100", NULL, 0, NULL, NULL), NULL};
    struct maker maker = {.generation = 11, .random = random_start(5, "pairs")};
    assert_non_null(contexts[0]);
    size_t literals = 0;
    for (unsigned i = 0; i < 11 * sizeof numbers * TRIES; i++) {
        struct gcn_instruction got;
        struct error error;
        char mine[GCN_PRINT_BYTES];
        char theirs[256];
        unsigned first = numbers[i % 11];
        unsigned second = numbers[i / 11 % sizeof numbers];
        maker.word[0] = 0xc8000000 | first << 22 | second << 17 | vector(&maker, 1) << 9;
        maker.word[1] = vector(&maker, 1) << 24 | below(&maker, 128) << 17 | vector(&maker, 1) << 9;
        maker.word[2] = random_next(&maker.random) | 0x10000;
        maker.word[0] |= below(&maker, 8) == 0 ? GCN_LITERAL : any_source(&maker, 'i', true);
        maker.word[1] |= below(&maker, 8) == 0 ? GCN_LITERAL : any_source(&maker, 'i', true);
        if (first == 8 || second == 8) /* a move has one source: LLVM refuses another */
            maker.word[first == 8 ? 0 : 1] &= ~(0xffu << 9);
        if (first == 8 && second == 8)
            maker.word[1] &= ~(0xffu << 9);
        if (gcn_decode(11, (const unsigned char *)maker.word, sizeof maker.word, 0, &got, &error) !=
            STATUS_OK)
            fail_msg("%08x %08x: %s", maker.word[0], maker.word[1], error.message);
        gcn_print(11, &got, mine);
        literals += got.length == 12;
        if (!disassembles(contexts, &maker, &got, mine, theirs))
            fail_msg("%08x %08x: \"%s\", LLVM has \"%s\"", maker.word[0], maker.word[1], mine, theirs);
    }
    assert_true(literals > 500);
    LLVMDisasmDispose(contexts[0]);
}

static uint32_t word_at(const unsigned char *bytes, size_t at)
{
    uint32_t word;
    memcpy(&word, bytes + at, sizeof word);
    return word;
}

/* GFX6 and GFX7, which LLVM assembles only: the text's words are the words. */
static void test_assembles(void **state)
{
    (void)state;
    for (size_t g = 0; g < 2; g++) {
        struct isa isa = {.name = "gcn",
                          .triple = "amdgcn--",
                          .cpu = generations[g].processors[0],
                          .prepare = gcn_llvm_prepare};
        struct maker maker = {.generation = generations[g].number, .random = random_start(2, "decode")};
        struct buffer text = {0};
        struct buffer words = {0};
        struct buffer object = {0};
        struct object_part part;
        struct error error;
        for (unsigned i = 0; (maker.row = gcn_row_at(i)) != NULL; i++)
            for (unsigned j = 0; maker.row->opcode[g] >= 0 && j < TRIES; j++) {
                struct gcn_instruction got;
                char mine[GCN_PRINT_BYTES];
                if (strcmp(maker.row->operands, "f=e") ==
                    0) /* LLVM has literals for what are constants there */
                    break;
                make(&maker, j % 2 == 1 && can_be_wide(maker.row));
                assert_int_equal(
                    gcn_decode(maker.generation, (const unsigned char *)maker.word, 8, 0, &got, &error),
                    STATUS_OK);
                assert_ptr_equal(got.row, maker.row);
                buffer_printf(&text, "%s\n", gcn_print(maker.generation, &got, mine));
                buffer_append(&words, maker.word, got.length);
            }
        enum status status = mc_assemble(&isa, text.data, "text", &object, &error);
        if (status != STATUS_OK) {
            const char *line = text.data;
            for (int i = 1; i < error.line; i++)
                line = strchr(line, '\n') + 1;
            fail_msg("GFX%u: %.*s: %s", maker.generation, (int)strcspn(line, "\n"), line, error.message);
        }
        assert_int_equal(object_section(object.data, object.size, ".text", &part, &error), STATUS_OK);
        assert_true(part.size >= words.size);
        for (size_t i = 0; i < words.size; i += 4)
            if (memcmp(part.bytes + i, words.data + i, 4) != 0)
                fail_msg("GFX%u: word %zu is not what LLVM makes of its text: 0x%08x, not 0x%08x",
                         maker.generation, i / 4, word_at(part.bytes, i),
                         word_at((const unsigned char *)words.data, i));
        buffer_free(&text);
        buffer_free(&words);
        buffer_free(&object);
    }
}

/* Random words are decoded within their bytes or refused with a sentence; never more. */
static void test_random_words(void **state)
{
    (void)state;
    struct random random = random_start(3, "words");
    size_t known = 0;
    size_t refused = 0;
    for (unsigned i = 0; i < 400000; i++) {
        uint32_t word[3] = {random_next(&random), random_next(&random), random_next(&random)};
        size_t left = 4 + 4 * (size_t)random_below(&random, 3);
        unsigned char *bytes = malloc(left); /* so that a byte too far is seen */
        struct gcn_instruction got;
        struct error error = {0};
        char text[GCN_PRINT_BYTES];
        assert_non_null(bytes);
        memcpy(bytes, word, left);
        if (gcn_decode(6 + i % GENERATIONS, bytes, left, i, &got, &error) == STATUS_OK) {
            assert_true(got.length <= left);
            assert_true(strlen(gcn_print(6 + i % GENERATIONS, &got, text)) > 0);
            known++;
        } else {
            assert_true(strlen(error.message) > 0);
            refused++;
        }
        free(bytes);
    }
    assert_true(known > 20000 && refused > 20000);
}

/* Random words that both read are the same instruction to both, from GFX10 on: before, LLVM names more of the
 * scalar registers. */
static void test_random_agrees(void **state)
{
    (void)state;
    for (size_t g = 4; g < GENERATIONS; g++) {
        LLVMDisasmContextRef context =
            LLVMCreateDisasmCPU("amdgcn--", generations[g].processors[0], NULL, 0, NULL, NULL);
        struct random random = random_start(6, "agrees");
        size_t both = 0;
        assert_non_null(context);
        for (unsigned i = 0; i < 100000; i++) {
            uint8_t bytes[20] = {0};
            char mine[GCN_PRINT_BYTES];
            char theirs[256];
            struct gcn_instruction got;
            struct error error;
            uint32_t word[3] = {random_next(&random), random_next(&random), random_next(&random)};
            memcpy(bytes, word, sizeof word);
            if (gcn_decode(generations[g].number, bytes, sizeof word, 0, &got, &error) != STATUS_OK)
                continue;
            size_t length = LLVMDisasmInstruction(context, bytes, sizeof bytes, 0, theirs, sizeof theirs);
            if (length == 0)
                continue;
            both++;
            gcn_print(generations[g].number, &got, mine);
            /* LLVM says so of registers that the operand cannot have, knows more hardware registers,
             * and prints bits of s_endpgm that mean nothing. */
            static const char *const apart[] = {"Warning", "Invalid register", "hwreg", "null", "s_endpgm"};
            bool comparable = true;
            for (size_t j = 0; j < sizeof apart / sizeof apart[0]; j++)
                comparable = comparable && strstr(theirs, apart[j]) == NULL;
            if (length != got.length || (comparable && !text_same(mine, theirs)))
                fail_msg("GFX%u %08x %08x: \"%s\", LLVM has \"%s\"", generations[g].number, word[0], word[1],
                         mine, theirs);
        }
        assert_true(both > 10000);
        LLVMDisasmDispose(context);
    }
}

static void refused(unsigned generation, uint32_t first, uint32_t second, const char *reason)
{
    uint32_t words[] = {first, second};
    struct gcn_instruction got;
    struct error error;
    assert_int_equal(gcn_decode(generation, (const unsigned char *)words, 8, 0x40, &got, &error),
                     STATUS_FAILED);
    assert_non_null(strstr(error.message, reason));
    assert_non_null(strstr(error.message, "0x40"));
}

static void test_refusals(void **state)
{
    (void)state;
    refused(7, 0xb8803204, 0, "not a known instruction"); /* GFX8's s_getreg_b32 */
    refused(9, 0x020002f9, 0x00070000, "a part that does not exist");
    refused(9, 0x680002f9, 0x06062000, "CLAMP");
    refused(9, 0x020002f9, 0x060e0600, "sign-extends");
    refused(9, 0x7e0004f9, 0x00060600, "cannot have SDWA"); /* v_readfirstlane_b32 */
    refused(8, 0x020002f9, 0x86060600, "which GFX8 lacks");
    refused(9, 0x020002fa, 0xff014400, "do not exist");
    refused(10, 0x020002fa, 0xff013000, "do not exist");           /* wave_shl, which went with GFX10 */
    refused(9, 0x7e001efa, 0xff000000, "cannot have SDWA or DPP"); /* v_cvt_f32_f64 */
    refused(9, 0xd1010001, 0x000002fa, "DPP");
    refused(9, 0x4c0002f0, 0, "floating-point constant"); /* v_add_u16 v0, 0.5, v1 */
    refused(9, 0xd1262001, 0x00020301, "op_sel");         /* v_add_u16_e64 */
    refused(9, 0xd3c08100, 0x04020501, "CBSZ");
    refused(9, 0xd3c08000, 0x04020480, "not a vector register");
    refused(8, 0xd3c08000, 0x04020501, "not a known instruction");
    refused(9, 0xd3c080f0, 0x04020501, "extend"); /* 32 registers from a240 */
    refused(9, 0xdc504000, 0x007f0000, "scratch");
    refused(6, 0xdc300000, 0, "not a known instruction");  /* FLAT came with GFX7 */
    refused(9, 0xd3ff0000, 0, "not a known instruction");  /* VOP3P */
    refused(10, 0xcc7f0000, 0, "not a known instruction"); /* VOP3P */
    refused(9, 0xd38fc001, 0x18020702, "modifiers that are not supported");
    refused(11, 0x060002f9, 0x00000000, "operand that does not exist"); /* SDWA went with GFX11 */
    refused(11, 0xd5030001, 0x000002fa, "DPP");
    refused(11, 0xd5030001, 0x000002e9, "DPP");
    refused(10, 0xdc304000, 0x007d0000, "scratch");
    refused(11, 0xdc510000, 0x007c0000, "scratch");
    refused(10, 0xdc300800, 0x007d0000, "negative offset");
    refused(9, 0x7ffe0900, 0, "extend");                       /* v_cvt_f64_i32 v[255:256] */
    refused(9, 0xbeff0180, 0, "extend");                       /* s_mov_b64 s[127:128] */
    refused(9, 0x7e001e7f, 0, "extend");                       /* v_cvt_f32_f64 v0, s[127:128] */
    refused(11, 0xbe8000fb, 0, "operand that does not exist"); /* VCCZ, which went with GFX11 */
    refused(11, 0xbe8000fc, 0, "operand that does not exist");
    assert_non_null(gcn_row_find(GCN_SOPP, 11, 0));
    assert_non_null(gcn_row_find(GCN_SOPP, 12, 0));
    assert_null(gcn_row_find(GCN_SOPP, 13, 0));
    assert_null(gcn_row_find(GCN_SOPP, 5, 0));
    refused(13, 0xbf800000, 0, "not a known instruction"); /* s_nop of a generation that is not known */
    refused(12, 0xbfbd0000, 0, "not a known instruction"); /* s_barrier, which went with GFX12 */
    refused(12, 0xd8da0000, 0, "global data share");
    refused(12, 0xed05007c, 0, "scratch memory");
}

/* GFX7's literal counts dwords, and all of its bits are the offset. */
static void an_offset_of_32_bits(void **state)
{
    (void)state;
    static const uint32_t literals[] = {0xb0057a5a, 0xffffffff, 0x40000000, 8};
    for (size_t i = 0; i < sizeof literals / sizeof literals[0]; i++) {
        const uint32_t words[] = {0xc0020aff, literals[i]};
        struct gcn_instruction got;
        struct error error;
        char mine[GCN_PRINT_BYTES], expected[64];
        assert_int_equal(gcn_decode(7, (const unsigned char *)words, sizeof words, 0, &got, &error),
                         STATUS_OK);
        assert_int_equal(got.length, 8);
        gcn_print(7, &got, mine);
        snprintf(expected, sizeof expected, "s_load_dword s4, s[10:11], 0x%x", literals[i]);
        assert_string_equal(mine, expected);
    }
}

int main(void)
{
#ifndef TRAUMA_LLVM_AMDGPU
    print_message("LLVM has no AMDGPU here\n");
    return 77;
#endif
    gcn_llvm_prepare();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_disassembles),    cmocka_unit_test(test_extends),
        cmocka_unit_test(test_pairs),           cmocka_unit_test(test_assembles),
        cmocka_unit_test(test_random_words),    cmocka_unit_test(test_random_agrees),
        cmocka_unit_test(an_offset_of_32_bits), cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
