/* The decoder of GCN machine code against LLVM MC: words of every operation with random operands are decoded
 * and printed; LLVM's disassembler must print the same (GFX8, GFX9), and its assembler must make the same
 * words of the text (all four generations). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "base/random.h"
#include "isa/gcn/decode.h"
#include "isa/mc.h"
#include "isa/object.h"

#include <ctype.h>
#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIES = 24, PROCESSORS = 5, MOST_TEXTS = 8000 };

#ifdef TRAUMA_LLVM_AMDGPU
static void prepare(void)
{
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmParser();
    LLVMInitializeAMDGPUAsmPrinter();
    LLVMInitializeAMDGPUDisassembler();
}
#else
static void prepare(void)
{
}
#endif

/* A generation and its processors, the plainest first: some operations are only of later ones. */
static const struct generation {
    unsigned number;
    const char *processors[PROCESSORS];
} generations[] = {
    {6, {"gfx600"}},
    {7, {"gfx700"}},
    {8, {"gfx803"}},
    {9, {"gfx900", "gfx906", "gfx908", "gfx90a", "gfx940"}},
};

/* Where an encoding has its opcode and what its first word begins with, by GFX6 and GFX7 or later. */
static const struct shape {
    enum gcn_format format;
    uint32_t old, new;
    unsigned old_low, new_low;
} shapes[] = {
    {GCN_SOP2, 0x80000000, 0x80000000, 23, 23}, {GCN_SOPK, 0xb0000000, 0xb0000000, 23, 23},
    {GCN_SOP1, 0xbe800000, 0xbe800000, 8, 8},   {GCN_SOPC, 0xbf000000, 0xbf000000, 16, 16},
    {GCN_SOPP, 0xbf800000, 0xbf800000, 16, 16}, {GCN_SMEM, 0xc0000000, 0xc0000000, 22, 18},
    {GCN_VOP2, 0x00000000, 0x00000000, 25, 25}, {GCN_VOP1, 0x7e000000, 0x7e000000, 9, 9},
    {GCN_VOPC, 0x7c000000, 0x7c000000, 17, 17}, {GCN_VOP3, 0xd0000000, 0xd0000000, 17, 16},
    {GCN_DS, 0xd8000000, 0xd8000000, 18, 17},   {GCN_FLAT, 0xdc000000, 0xdc000000, 18, 18},
    {GCN_GLOBAL, 0, 0xdc008000, 18, 18},        {GCN_MUBUF, 0xe0000000, 0xe0000000, 18, 18},
};

static const struct shape *shape_of(enum gcn_format format)
{
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        if (shapes[i].format == format)
            return &shapes[i];
    fail();
    return NULL;
}

/* What is being made. */
struct maker {
    unsigned generation;
    struct random random;
    const struct gcn_row *row;
    uint32_t word[2];
};

static uint32_t below(struct maker *maker, uint32_t bound)
{
    return random_below(&maker->random, bound);
}

/* A scalar register that holds so many dwords, as LLVM aligns them. */
static uint32_t scalar(struct maker *maker, unsigned dwords)
{
    unsigned step = dwords >= 4 ? 4 : dwords == 0 ? 1 : dwords;
    uint32_t any = below(maker, 8);
    if (any == 0 && dwords <= 2)
        return GCN_VCC;
    return below(maker, (96 - dwords) / step) * step;
}

/* A vector register; even: what some processors demand of those of more dwords. */
static uint32_t vector(struct maker *maker, unsigned dwords)
{
    return below(maker, 240) & (dwords > 1 ? 0xfe : 0xff);
}

static uint32_t constant(struct maker *maker)
{
    uint32_t any = below(maker, 89);
    return any < 81 ? GCN_ZERO + any : GCN_FLOATS + any - 81;
}

/* A source of up to 9 bits: a vector or scalar register or a constant. */
static uint32_t any_source(struct maker *maker, char letter, bool vectors)
{
    unsigned dwords = gcn_letter_dwords(letter);
    uint32_t any = below(maker, 4);
    if (any == 0)
        return constant(maker);
    if (letter == 'm' || letter == 's' || !vectors || any == 1)
        return scalar(maker, dwords);
    return GCN_VECTOR + vector(maker, dwords);
}

static uint32_t only_vector(struct maker *maker, char letter)
{
    return vector(maker, gcn_letter_dwords(letter)) + GCN_VECTOR;
}

static uint32_t literal_or(struct maker *maker, uint32_t code, bool allowed)
{
    if (!allowed || below(maker, 4) != 0)
        return code;
    maker->word[1] = random_next(&maker->random) | 0x10000;
    maker->word[1] &= 0x7fffffff;
    return GCN_LITERAL;
}

static void make_scalar(struct maker *maker)
{
    const struct gcn_row *row = maker->row;
    char first = gcn_letter_in(row, 0);
    char second = gcn_letter_in(row, 1);
    uint32_t out = scalar(maker, gcn_letter_dwords(gcn_letter_out(row, 0)));
    if (row->format == GCN_SOPP) {
        maker->word[0] |= first == 'w' ? 0x0f71 : first == '\0' ? 0 : below(maker, 8);
        return;
    }
    if (row->format == GCN_SOPK) {
        bool hardware = strchr(row->operands, 'h') != NULL;
        bool numbered = strchr(row->operands, 'L') != NULL;
        uint32_t number = hardware ? (below(maker, 4) + 1) | below(maker, 16) << 6 | below(maker, 16) << 11
                                   : below(maker, 0x7fff);
        maker->word[0] |= number | (numbered ? 0 : scalar(maker, 1 + (first == 'b')) << 16);
        maker->word[1] = numbered ? 0x12345 : 0;
        return;
    }
    if (strstr(row->name, "pc_b64") != NULL)
        maker->word[0] |= first == '\0' ? 0 : scalar(maker, 2); /* a place to go to is no constant */
    else if (first != '\0')
        maker->word[0] |= literal_or(maker, any_source(maker, first, false), gcn_letter_dwords(first) == 1);
    if (row->format != GCN_SOP1)
        maker->word[0] |= any_source(maker, second, false) << 8;
    if (row->format != GCN_SOPC && gcn_letter_out(row, 0) != '\0')
        maker->word[0] |= out << 16;
}

static void make_smem(struct maker *maker)
{
    const struct gcn_row *row = maker->row;
    bool old = maker->generation < 8;
    uint32_t data = scalar(maker, gcn_letter_dwords(gcn_letter_out(row, 0)));
    char base = gcn_letter_in(row, 0);
    if (gcn_letter_out(row, 0) == '\0')
        return;
    if (gcn_letter_dwords(gcn_letter_out(row, 0)) > 2)
        data = below(maker, 5) * 16;
    maker->word[0] |= data << (old ? 15 : 6);
    if (base == '\0')
        return;
    maker->word[0] |= (below(maker, 20) * 2) << (old ? 9 + 1 - 1 : 0);
    if (old)
        maker->word[0] |= below(maker, 2) == 0 ? below(maker, 96) : 0x100 | below(maker, 256);
    else if (below(maker, 2) == 0)
        maker->word[1] |= below(maker, 96);
    else
        maker->word[0] |= 1 << 17, maker->word[1] |= below(maker, 0x100000);
}

static void make_short(struct maker *maker)
{
    const struct gcn_row *row = maker->row;
    char first = gcn_letter_in(row, 0);
    char second = gcn_letter_in(row, 1);
    char out = gcn_letter_out(row, 0);
    bool lane = out == 's';
    unsigned at = row->format == GCN_VOPC ? 0 : 17;
    bool numbered = strchr(row->operands, 'L') != NULL;
    if (first != '\0') {
        uint32_t code = lane                           ? only_vector(maker, first)
                        : first == 's'                 ? scalar(maker, 1)
                        : gcn_letter_in(row, 2) == 'm' ? only_vector(maker, first)
                                                       : any_source(maker, first, true);
        bool may = !numbered && !lane && gcn_letter_dwords(first) == 1 && gcn_letter_in(row, 2) != 'm';
        maker->word[0] |= literal_or(maker, numbered ? only_vector(maker, first) : code, may);
    }
    if (row->format != GCN_VOP1)
        maker->word[0] |= (second == 's' && first == 's' ? GCN_ZERO + below(maker, 65)
                           : second == 's'               ? below(maker, 90)
                                                         : vector(maker, gcn_letter_dwords(second)))
                          << 9;
    if (numbered)
        maker->word[1] = 0x12345678;
    if (at != 0 && out != '\0')
        maker->word[0] |= (lane ? below(maker, 90) : vector(maker, gcn_letter_dwords(out))) << at;
}

static void make_long(struct maker *maker)
{
    const struct gcn_row *row = maker->row;
    char out = gcn_letter_out(row, 0);
    bool floats = out == 'f' || out == 'F';
    maker->word[0] |= out == 's' || out == 'm' ? scalar(maker, gcn_letter_dwords(out))
                                               : vector(maker, gcn_letter_dwords(out));
    if (strncmp(row->name, "v_pk_", 5) == 0)
        maker->word[0] |= 0x4000 | below(maker, 4) << 11, maker->word[1] |= 0x18000000;
    else if (gcn_letter_out(row, 1) == 'm')
        maker->word[0] |= scalar(maker, 2) << 8;
    else if (floats && gcn_letter_in(row, 0) == out && gcn_letter_in(row, 1) == out && below(maker, 2) == 0)
        maker->word[0] |= below(maker, 4) << 8, maker->word[1] |= below(maker, 4) << 29;
    for (unsigned i = 0; gcn_letter_in(row, i) != '\0'; i++) {
        char letter = gcn_letter_in(row, i);
        uint32_t code = letter == 'm'   ? scalar(maker, 2)
                        : letter == 's' ? below(maker, 90)
                        : i == 0 && gcn_letter_in(row, 2) != 'm' && out != 's'
                            ? any_source(maker, letter, true)
                            : only_vector(maker, letter);
        maker->word[1] |= code << (9 * i);
    }
    if (row->name[2] == 'w' && strcmp(row->name, "v_writelane_b32") == 0)
        maker->word[1] = scalar(maker, 1) | (GCN_ZERO + 3) << 9;
}

static void make_ds(struct maker *maker)
{
    const struct gcn_row *row = maker->row;
    unsigned out = gcn_letter_dwords(gcn_letter_out(row, 0));
    unsigned in[] = {gcn_letter_dwords(gcn_letter_in(row, 0)), gcn_letter_dwords(gcn_letter_in(row, 1))};
    maker->word[0] |= below(maker, 0x10000);
    maker->word[1] |= vector(maker, 1) | (in[0] > 0 ? vector(maker, in[0]) << 8 : 0) |
                      (in[1] > 0 ? vector(maker, in[1]) << 16 : 0) | (out > 0 ? vector(maker, out) << 24 : 0);
}

static void make_flat(struct maker *maker)
{
    const struct gcn_row *row = maker->row;
    unsigned out = gcn_letter_dwords(gcn_letter_out(row, 0));
    unsigned in = gcn_letter_dwords(gcn_letter_in(row, 0));
    bool returns = in == 0 || (out > 0 && below(maker, 2) == 0);
    bool based = row->format == GCN_GLOBAL && below(maker, 2) == 0;
    maker->word[0] |= (out > 0 && in > 0 && returns ? 1u << 16 : 0) | below(maker, 2) << 17;
    if (maker->generation == 9)
        maker->word[0] |= below(maker, row->format == GCN_GLOBAL ? 0x2000 : 0x1000);
    maker->word[1] |= vector(maker, 2) | (in > 0 ? vector(maker, in) << 8 : 0) |
                      (out > 0 && returns ? vector(maker, out) << 24 : 0);
    if (row->format == GCN_GLOBAL)
        maker->word[1] |= (based ? scalar(maker, 2) : 0x7f) << 16;
}

static void make_mubuf(struct maker *maker)
{
    const struct gcn_row *row = maker->row;
    unsigned out = gcn_letter_dwords(gcn_letter_out(row, 0));
    unsigned in = gcn_letter_dwords(gcn_letter_in(row, 0));
    bool old = maker->generation < 8;
    if (out + in == 0)
        return;
    unsigned kind = below(maker, old ? 5 : 4);
    uint32_t address = kind == 0 ? 0 : vector(maker, 2);
    maker->word[0] |= below(maker, 0x1000) | (kind == 4 ? 1u << 15 : kind << 12) | below(maker, 2) << 14;
    maker->word[1] |= address | vector(maker, 4) << 8 | below(maker, 20) << 16 | scalar(maker, 1) << 24;
    if (old)
        maker->word[1] |= below(maker, 2) << 22;
    else
        maker->word[0] |= below(maker, 2) << 17;
}

static void make(struct maker *maker, bool wide)
{
    static void (*const makers[GCN_FORMATS])(struct maker *) = {
        make_scalar, make_scalar, make_scalar, make_scalar, make_scalar, make_smem, make_short,
        make_short,  make_short,  make_long,   make_ds,     make_flat,   make_flat, make_mubuf,
    };
    bool old = maker->generation < 8;
    const struct gcn_row *row = maker->row;
    unsigned opcode = (unsigned)row->opcode[maker->generation - GCN_ROW_FIRST_GENERATION];
    const struct shape *shape = shape_of(wide ? GCN_VOP3 : row->format);
    if (wide)
        opcode += row->format == GCN_VOPC ? 0 : row->format == GCN_VOP2 ? 0x100 : old ? 0x180 : 0x140;
    maker->word[0] = (old ? shape->old : shape->new) | opcode << (old ? shape->old_low : shape->new_low);
    maker->word[1] = 0;
    if (wide)
        make_long(maker);
    else
        makers[row->format](maker);
}

/* Text with single blanks, numbers in one form, and without what is said differently. */
static void normalise(const char *text, char out[2 * GCN_PRINT_BYTES])
{
    size_t used = 0;
    text += strspn(text, " \t");
    bool word = false;
    while (*text != '\0' && *text != ';' && used < 2 * GCN_PRINT_BYTES - 40) {
        bool number = isdigit((unsigned char)*text) || (*text == '-' && isdigit((unsigned char)text[1]));
        char *end;
        if (number && !word) {
            long long value = strtoll(text, &end, 0);
            if (*end != '.') {
                used += (size_t)sprintf(out + used, "%u", (unsigned)value);
                text = end;
                word = true;
                continue;
            }
        }
        word = isalnum((unsigned char)*text) || *text == '_' || *text == '.' || (*text == '-' && number);
        if (!(isspace((unsigned char)*text) && (used == 0 || out[used - 1] == ' ')))
            out[used++] = isspace((unsigned char)*text) ? ' ' : *text;
        text++;
    }
    while (used > 0 && out[used - 1] == ' ')
        used--;
    out[used] = '\0';
}

/* The mnemonic up to the first blank, without the suffix of its encoding, and the rest. */
static bool same(const char *mine, const char *theirs)
{
    char a[2 * GCN_PRINT_BYTES];
    char b[2 * GCN_PRINT_BYTES];
    normalise(mine, a);
    normalise(theirs, b);
    if (strncmp(a, "s_waitcnt ", 10) == 0)
        return strncmp(b, "s_waitcnt ", 10) == 0;
    return strcmp(a, b) == 0;
}

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
        if (length == got->length && same(mine, text))
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
        if (gcn_decode(maker->generation, (const unsigned char *)maker->word, 8, 0, &got, &error) !=
            STATUS_OK)
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
           strchr(row->operands, 's') == NULL && strcmp(row->name, "v_nop") != 0;
}

static void test_disassembles(void **state)
{
    (void)state;
    for (size_t g = 2; g < 4; g++) {
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

/* GFX6 and GFX7, which LLVM assembles only: the text's words are the words. */
static void test_assembles(void **state)
{
    (void)state;
    for (size_t g = 0; g < 2; g++) {
        struct isa isa = {
            .name = "gcn", .triple = "amdgcn--", .cpu = generations[g].processors[0], .prepare = prepare};
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
                fail_msg("GFX%u: word %zu is not what LLVM makes of its text", maker.generation, i / 4);
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
        uint32_t word[2] = {random_next(&random), random_next(&random)};
        size_t left = 4 + 4 * (size_t)random_below(&random, 2);
        unsigned char *bytes = malloc(left); /* so that a byte too far is seen */
        struct gcn_instruction got;
        struct error error = {0};
        char text[GCN_PRINT_BYTES];
        assert_non_null(bytes);
        memcpy(bytes, word, left);
        if (gcn_decode(6 + i % 4, bytes, left, i, &got, &error) == STATUS_OK) {
            assert_true(got.length <= left);
            assert_true(strlen(gcn_print(6 + i % 4, &got, text)) > 0);
            known++;
        } else {
            assert_true(strlen(error.message) > 0);
            refused++;
        }
        free(bytes);
    }
    assert_true(known > 20000 && refused > 20000);
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
    refused(7, 0xb8803204, 0, "no instruction that is known"); /* GFX8's s_getreg_b32 */
    refused(9, 0x020002f9, 0x00000000, "SDWA");
    refused(9, 0x020002fa, 0x00000000, "DPP");
    refused(9, 0xdc504000, 0x007f0000, "scratch");
    refused(6, 0xdc300000, 0, "no instruction that is known"); /* FLAT came with GFX7 */
    refused(9, 0xd3800000, 0, "no instruction that is known"); /* VOP3P */
}

int main(void)
{
#ifndef TRAUMA_LLVM_AMDGPU
    print_message("LLVM has no AMDGPU here\n");
    return 77;
#endif
    prepare();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_disassembles),
        cmocka_unit_test(test_assembles),
        cmocka_unit_test(test_random_words),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
