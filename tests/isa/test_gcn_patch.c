/* Patches: the paper's, what is refused, and that no other byte changes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "isa/gcn/binary/elf.h"
#include "isa/gcn/patch/patcher.h"
#include "tests/gcn_containers.h"

/* The read stands among constants that look like its placeholders. */
static const char CODE[] = "s_mov_b32 s1, 0x81000210\n"
                           "s_buffer_load_dword s2, s[8:11], 0x4\n"
                           "s_add_i32 s0, s16, s2\n"
                           "v_and_b32 v0, 0xb0007a5a, v1\n"
                           "s_movk_i32 s7, 0x7a5a\n"
                           "s_endpgm\n";

static struct buffer rocm(const char *target, const char *text)
{
    struct buffer code = {0};
    struct buffer file = {0};
    assert_true(made_code(target, text, &code));
    made_rocm(&file, target, &code);
    buffer_free(&code);
    return file;
}

/* Patches and checks that exactly the words told differ; the file is freed. */
static void expect_patch(struct buffer *file, const struct gcn_patch_request *request, size_t count,
                         uint32_t word)
{
    struct buffer result = {0};
    struct gcn_patch patch;
    struct error error = {0};
    if (gcn_patch(file->data, file->size, request, &result, &patch, &error) != STATUS_OK)
        fail_msg("%s; %s", error.message, error.hint);
    assert_int_equal(patch.count, count);
    assert_int_equal(result.size, file->size);
    size_t changed = 0;
    for (size_t i = 0; i < count; i++) {
        struct gcn_change *change = &patch.changes[i];
        assert_int_equal(gcn_read32((unsigned char *)result.data + change->offset), word);
        assert_memory_equal(change->before, file->data + change->offset, change->size);
        for (size_t k = 0; k < change->size; k++)
            changed += file->data[change->offset + k] != result.data[change->offset + k];
        memcpy(result.data + change->offset, change->before, change->size);
    }
    assert_int_equal(changed, patch.bytes_changed);
    assert_memory_equal(result.data, file->data, file->size);
    gcn_patch_free(&patch);
    buffer_free(&result);
    buffer_free(file);
}

static void expect_refusal(struct buffer *file, const struct gcn_patch_request *request, enum status wanted,
                           const char *words)
{
    struct buffer result = {0};
    struct gcn_patch patch;
    struct error error = {0};
    char all[1600];
    enum status status = gcn_patch(file->data, file->size, request, &result, &patch, &error);
    snprintf(all, sizeof all, "%s; %s", error.message, error.hint);
    if (status != wanted || error.code != wanted || strstr(all, words) == NULL)
        fail_msg("status %d, '%s' is not in: %s", status, words, all);
    assert_null(patch.changes);
    buffer_free(&result);
    buffer_free(file);
}

#define READ .field = "cu,sh,se"

/* Adhinarayanan and others 2016, figure 3 (c): the compiler's s_add_i32 s0, s16, s2 is the placeholder. */
static const unsigned char FIGURE_3C[] = {
    0x00, 0xff, 0x80, 0x83, 0xff, 0xff, 0x00, 0x00, 0x10, 0x00, 0x00, 0x93, 0x00, 0x01, 0x00, 0x81,
    0x00, 0x00, 0x00, 0x4a, 0x10, 0x02, 0x00, 0x81, 0x00, 0xc1, 0x02, 0xbf, 0x04, 0x00, 0x84, 0xbf,
    0x00, 0xff, 0x04, 0xbf, 0x81, 0x00, 0x00, 0x00, 0xc1, 0x80, 0x01, 0x85, 0x01, 0x00, 0x82, 0xbf};

static const unsigned char FIGURE_3D[] = {
    0x00, 0xff, 0x80, 0x83, 0xff, 0xff, 0x00, 0x00, 0x10, 0x00, 0x00, 0x93, 0x00, 0x01, 0x00, 0x81,
    0x00, 0x00, 0x00, 0x4a, 0x04, 0x32, 0x00, 0xb9, 0x00, 0xc1, 0x02, 0xbf, 0x04, 0x00, 0x84, 0xbf,
    0x00, 0xff, 0x04, 0xbf, 0x81, 0x00, 0x00, 0x00, 0xc1, 0x80, 0x01, 0x85, 0x01, 0x00, 0x82, 0xbf};

/* The file with (c) becomes the one that was made with (d). */
static void expect_figure(struct buffer *file, struct buffer *wanted, const struct gcn_patch_request *request)
{
    struct buffer result = {0};
    struct gcn_patch patch;
    struct error error = {0};
    if (gcn_patch(file->data, file->size, request, &result, &patch, &error) != STATUS_OK)
        fail_msg("%s; %s", error.message, error.hint);
    assert_int_equal(result.size, wanted->size);
    assert_memory_equal(result.data, wanted->data, wanted->size);
    gcn_patch_free(&patch);
    buffer_free(&result);
    buffer_free(file);
    buffer_free(wanted);
}

static void figure_3(void **state)
{
    (void)state;
    static const struct gcn_patch_request requests[] = {{.replace = "81000210", READ, .occurrence = GCN_ALL},
                                                        {.replace = "s_add_i32 s0, s16, s2",
                                                         .with = "s_getreg_b32 s0, hwreg(HW_REG_HW_ID, 8, 7)",
                                                         .occurrence = GCN_ALL}};
    static const unsigned hawaii[] = {7, 0, 1};
    struct buffer c = {.data = (char *)FIGURE_3C, .size = sizeof FIGURE_3C};
    struct buffer d = {.data = (char *)FIGURE_3D, .size = sizeof FIGURE_3D};
    for (unsigned i = 0; i < 4; i++) {
        const struct gcn_patch_request *request = &requests[i / 2];
        struct buffer file = {0};
        struct buffer wanted = {0};
        made_catalyst(&file, i % 2, 0x408, 0x27, &c);
        made_catalyst(&wanted, i % 2, 0x408, 0x27, &d);
        expect_figure(&file, &wanted, request);
        for (unsigned later = 0; later < 2; later++) {
            made_catalyst2(&file, i % 2, later, 7, hawaii, &c);
            made_catalyst2(&wanted, i % 2, later, 7, hawaii, &d);
            expect_figure(&file, &wanted, request);
        }
        made_rocm(&file, "gfx701", &c);
        made_rocm(&wanted, "gfx701", &d);
        expect_figure(&file, &wanted, request);
    }
}

static void each_generation_has_its_own_word(void **state)
{
    (void)state;
    static const struct {
        const char *target, *field;
        uint32_t word;
    } cases[] = {{"gfx600", "cu,sh,se", 0xb9073204},  {"gfx803", "cu,sh,se", 0xb8873204},
                 {"gfx906", "cu,sh,se", 0xb8873204},  {"gfx90a", "cu,sh,se", 0xb8873a04},
                 {"gfx942", "xcc", 0xb8871814},       {"gfx1030", "simd,wgp", 0xb9072a17},
                 {"gfx1100", "simd,wgp", 0xb8872a17}, {"gfx1200", "simd,wgp", 0xb8872a17},
                 {"gfx1201", "se", 0xb8871497}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct gcn_patch_request request = {.field = cases[i].field, .occurrence = GCN_ALL};
        if (!made_known(cases[i].target))
            continue;
        struct buffer file = rocm(cases[i].target, "s_movk_i32 s7, 0x7a5a\n"
                                                   "v_mov_b32 v0, 0xb0007a5a\n"
                                                   "s_endpgm\n");
        expect_patch(&file, &request, 2, cases[i].word);
    }
}

static void several_are_told(void **state)
{
    (void)state;
    struct gcn_patch_request request = {READ};
    struct buffer file = rocm("gfx701", CODE);
    expect_refusal(&file, &request, STATUS_USAGE, "2 instructions are 's_movk_i32 sN, 0x7a5a'");
    file = rocm("gfx701", CODE);
    expect_refusal(&file, &request, STATUS_USAGE, " in first, 0x");
    request.occurrence = 3;
    file = rocm("gfx701", CODE);
    expect_refusal(&file, &request, STATUS_USAGE, "there is no occurrence 3: 2 instructions are");
    request.occurrence = 2;
    file = rocm("gfx701", CODE);
    expect_patch(&file, &request, 1, 0xb9073204);
    request.kernel = "first";
    file = rocm("gfx701", CODE);
    expect_refusal(&file, &request, STATUS_USAGE, "there is no occurrence 2: 1 instruction is");
    request.kernel = "fisrt";
    file = rocm("gfx701", CODE);
    expect_refusal(&file, &request, STATUS_USAGE, "did you mean 'first'?");
}

/* Words that are there, but not as instructions. */
static void literals_are_none(void **state)
{
    (void)state;
    static const char LITERALS[] = "s_mov_b32 s1, 0x81000210\nv_add_f32 v0, 0x81000210, v1\ns_endpgm\n";
    static const char *const targets[] = {"gfx701", "gfx906"};
    for (unsigned i = 0; i < 2; i++) {
        struct gcn_patch_request request = {.replace = "81000210", READ, .kernel = "first"};
        struct buffer file = rocm(targets[i], LITERALS);
        expect_refusal(&file, &request, STATUS_FAILED, "are a part of another instruction, as they are");
        request.replace = "10020081";
        file = rocm(targets[i], CODE);
        expect_refusal(&file, &request, STATUS_FAILED, "bytes reversed");
        request.replace = "33323130"; /* it begins .rodata */
        file = rocm(targets[i], CODE);
        expect_refusal(&file, &request, STATUS_FAILED, "the same bytes at 0x40 are outside all functions");
        request.replace = "s_nop 5";
        file = rocm(targets[i], CODE);
        expect_refusal(&file, &request, STATUS_FAILED, "no instruction is 's_nop 5' in the 1 function");
        /* An instruction whose first word is that of the placeholder is another one. */
        request.replace = i == 0 ? "be8103ff" : "be8100ff";
        file = rocm(targets[i], CODE);
        expect_refusal(&file, &request, STATUS_FAILED,
                       i == 0 ? "--replace \"be8103ff 81000210\" gives all its words"
                              : "--replace \"be8100ff 81000210\" gives all its words");
    }
}

/* Behind a word that is no instruction nobody knows where the next begins. */
static void unknown_words(void **state)
{
    (void)state;
    static const struct {
        const char *target, *word;
    } cases[] = {{"gfx701", ".long 0xcc000000\n"},
                 {"gfx906", ".long 0xfc000000\n"},
                 {"gfx1100", ".long 0xfc000000\n"}};
    for (unsigned i = 0; i < 3; i++) {
        const struct gcn_patch_request request = {.field = "simd", .kernel = "first"};
        char text[200];
        snprintf(text, sizeof text, "s_nop 0\n%ss_movk_i32 s7, 0x7a5a\ns_endpgm\n", cases[i].word);
        struct buffer file = rocm(cases[i].target, text);
        expect_refusal(&file, &request, STATUS_FAILED, "instruction boundaries are unclear");
        snprintf(text, sizeof text, "s_movk_i32 s7, 0x7a5a\ns_endpgm\n%s", cases[i].word);
        file = rocm(cases[i].target, text);
        expect_patch(&file, &request, 1, i == 0 ? 0xb9070904 : i == 1 ? 0xb8870904 : 0xb8870a17);
        /* Zeros fill the room between functions. */
        snprintf(text, sizeof text, "s_endpgm\n.long 0\n.long 0\ns_movk_i32 s7, 0x7a5a\ns_endpgm\n");
        file = rocm(cases[i].target, text);
        const struct gcn_patch_request all = {.field = "simd", .kernel = "first", .unreached = true};
        expect_patch(&file, &all, 1, i == 0 ? 0xb9070904 : i == 1 ? 0xb8870904 : 0xb8870a17);
        /* What a branch leads to is clear, whatever stands before it. */
        snprintf(text, sizeof text, "s_branch 1\n%ss_movk_i32 s7, 0x7a5a\ns_endpgm\n", cases[i].word);
        file = rocm(cases[i].target, text);
        expect_patch(&file, &request, 1, i == 0 ? 0xb9070904 : i == 1 ? 0xb8870904 : 0xb8870a17);
        /* Behind such a word that nothing reaches, nobody knows either. */
        snprintf(text, sizeof text, "s_endpgm\n%ss_movk_i32 s7, 0x7a5a\n", cases[i].word);
        file = rocm(cases[i].target, text);
        expect_refusal(&file, &all, STATUS_FAILED, "instruction boundaries are unclear");
    }
}

static void texts_that_do_not_fit(void **state)
{
    (void)state;
    static const struct {
        const char *target;
        struct gcn_patch_request request;
        const char *words;
    } cases[] = {
        {"gfx701", {.with = "s_mov_b32 s0, 0x12345", .kernel = "first"}, "a patch keeps sizes"},
        {"gfx701", {.with = "s_nope", .kernel = "first"}, "'s_nope' is not an instruction of gfx701"},
        {"gfx701", {.replace = "s_nope", READ}, "'s_nope' is not an instruction of gfx701"},
        {"gfx701",
         {.replace = "s_endpgm", READ, .kernel = "first"},
         "writes no scalar register that a read could take over: s_endpgm"},
        {"gfx1030", {.with = "s_getreg_b32 s0, hwreg(HW_REG_HW_ID)", .kernel = "first"}, "HW_REG_HW_ID1"},
        {"gfx1030", {READ}, "work-group processor"},
        {"gfx1200", {.field = "wgp,se"}, "are not adjacent"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (!made_known(cases[i].target))
            continue;
        struct buffer file = rocm(cases[i].target, "s_movk_i32 s7, 0x7a5a\ns_endpgm\n");
        expect_refusal(&file, &cases[i].request, STATUS_USAGE, cases[i].words);
    }
}

/* A longer instruction takes the place of one as long; behind a shorter one stands what does nothing. */
static void eight_bytes(void **state)
{
    (void)state;
    static const struct gcn_patch_request requests[] = {
        {.replace = "s_mov_b32 s1, 0x81000210", .with = "s_mov_b32 s1, 0xb9003204", .occurrence = GCN_ALL},
        {.replace = "be8100ff 81000210", .with = "s_mov_b32 s1, 0xb9003204", .occurrence = GCN_ALL},
        {.replace = "0xBE8100FF  0x81000210", .with = "s_mov_b32 s1, 0xb9003204", .occurrence = GCN_ALL}};
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        struct buffer file = rocm("gfx803", "s_mov_b32 s1, 0x81000210\ns_endpgm\n");
        expect_patch(&file, &requests[i], 2, 0xbe8100ff);
    }
    const struct gcn_patch_request reversed = {.replace = "ff0081be 10020081", READ, .occurrence = GCN_ALL};
    struct buffer file = rocm("gfx803", "s_mov_b32 s1, 0x81000210\ns_endpgm\n");
    expect_refusal(&file, &reversed, STATUS_FAILED, "bytes reversed");
}

static void what_is_shorter_is_filled(void **state)
{
    (void)state;
    static const struct {
        const char *target;
        struct gcn_patch_request request;
        uint32_t word;
    } cases[] = {
        {"gfx701", {.replace = "be8503ff 81000210", READ}, 0xb9053204},
        {"gfx701", {.replace = "s_mov_b32 s5, 0x81000210", READ}, 0xb9053204},
        {"gfx906", {.replace = "s_mov_b32 s5, 0x81000210", READ}, 0xb8853204},
        {"gfx1030", {.replace = "s_mov_b32 s5, 0x81000210", .field = "simd,wgp"}, 0xb9052a17},
        {"gfx1100", {.replace = "s_mov_b32 s5, 0x81000210", .with = "s_mov_b32 s5, s6"}, 0xbe850006},
        {"gfx1200", {.replace = "s_mov_b32 s5, 0x81000210", .field = "simd"}, 0xb8850a17},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct gcn_patch_request request = cases[i].request;
        struct gcn_patch patch;
        struct buffer result = {0};
        struct error error = {0};
        if (!made_known(cases[i].target))
            continue;
        struct buffer file = rocm(cases[i].target, "s_mov_b32 s5, 0x81000210\ns_nop 3\ns_endpgm\n");
        request.kernel = "first";
        if (gcn_patch(file.data, file.size, &request, &result, &patch, &error) != STATUS_OK)
            fail_msg("%s; %s", error.message, error.hint);
        const unsigned char *at = (unsigned char *)result.data + patch.changes[0].offset;
        assert_int_equal(patch.changes[0].size, 8);
        assert_int_equal(patch.changes[0].length, 4);
        assert_int_equal(gcn_read32(at), cases[i].word);
        assert_int_equal(gcn_read32(at + 4), 0xbf800000);
        assert_int_equal(gcn_read32(at + 8), 0xbf800003);
        gcn_patch_free(&patch);
        buffer_free(&result);
        buffer_free(&file);
    }
}

/* What stands behind the end, jumped over, or in nobody's way is data until somebody says otherwise. */
static void data_is_no_match(void **state)
{
    (void)state;
    static const char *const codes[] = {
        "s_nop 0\ns_endpgm\ns_movk_i32 s7, 0x7a5a\n",
        "s_branch 2\ns_movk_i32 s7, 0x7a5a\ns_nop 1\ns_endpgm\n",
        "s_setpc_b64 s[30:31]\ns_movk_i32 s7, 0x7a5a\ns_endpgm\n",
    };
    static const char *const targets[] = {"gfx600", "gfx701", "gfx803", "gfx906", "gfx1030", "gfx1100"};
    for (size_t i = 0; i < 3 * sizeof targets / sizeof targets[0]; i++) {
        struct gcn_patch_request request = {.field = "simd"};
        struct gcn_patch patch;
        struct buffer result = {0};
        struct error error = {0};
        const char *target = targets[i / 3];
        struct buffer file = rocm(target, codes[i % 3]);
        expect_refusal(
            &file, &request, STATUS_FAILED,
            "2 instructions that control flow does not reach from an entry were left out, the first "
            "at 0x");
        file = rocm(target, codes[i % 3]);
        expect_refusal(&file, &request, STATUS_FAILED, "--unreached includes them");
        request.unreached = true;
        request.kernel = "second";
        file = rocm(target, codes[i % 3]);
        if (gcn_patch(file.data, file.size, &request, &result, &patch, &error) != STATUS_OK)
            fail_msg("%s; %s", error.message, error.hint);
        assert_int_equal(patch.count, 1);
        gcn_patch_free(&patch);
        buffer_free(&result);
        buffer_free(&file);
    }
}

static struct buffer old_rocm(const char *target, const unsigned version[3], const char *text, bool symbols,
                              unsigned kernels)
{
    struct buffer code = {0};
    struct buffer file = {0};
    assert_true(made_code(target, text, &code));
    made_old_rocm(&file, target, version, &code, symbols, kernels);
    buffer_free(&code);
    return file;
}

static void headers_are_no_code(void **state)
{
    (void)state;
    static const struct {
        const char *target;
        unsigned version[3];
        uint32_t word;
    } cases[] = {{"gfx701", {7, 0, 1}, 0xb9073204},
                 {"gfx803", {8, 0, 3}, 0xb8873204},
                 {"gfx900", {9, 0, 0}, 0xb8873204}};
    for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
        bool symbols = i % 2 == 0;
        struct gcn_patch_request request = {READ, .occurrence = GCN_ALL, .unreached = true};
        const char *text = "s_movk_i32 s7, 0x7a5a\ns_endpgm\n";
        struct buffer file = old_rocm(cases[i / 2].target, cases[i / 2].version, text, symbols, 2);
        expect_patch(&file, &request, 2, cases[i / 2].word);
        request.replace = "81000210";
        file = old_rocm(cases[i / 2].target, cases[i / 2].version, text, symbols, 2);
        expect_refusal(&file, &request, STATUS_FAILED, "are outside all functions");
    }
    struct gcn_patch_request request = {READ, .occurrence = GCN_ALL};
    struct buffer file = old_rocm("gfx900", cases[1].version, "s_endpgm\n", true, 1);
    expect_refusal(&file, &request, STATUS_FAILED, "kernel 'first' is for gfx803");
}

/* What a symbol calls data is none, even where nobody else says so. */
static void objects_are_no_code(void **state)
{
    (void)state;
    const struct gcn_patch_request request = {READ, .occurrence = GCN_ALL, .unreached = true};
    struct buffer code = {0};
    struct buffer file = {0};
    assert_true(made_code("gfx906", "s_endpgm\ns_movk_i32 s7, 0x7a5a\ns_movk_i32 s7, 0x7a5a\n", &code));
    const struct made_section sections[] = {
        {".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, code.data, code.size}};
    const struct made_symbol marks[] = {{"first", 0x1000, 0, STT_FUNC, 1},
                                        {"table", 0x1004, 8, STT_OBJECT, 1}};
    made_write(&file, &(struct made_file){.is_64 = true,
                                          .type = ET_DYN,
                                          .machine = 0xe0,
                                          .flags = gcn_target_named("gfx906")->mach,
                                          .osabi = 64,
                                          .sections = sections,
                                          .section_count = 1,
                                          .symbols = marks,
                                          .symbol_count = 2});
    buffer_free(&code);
    expect_refusal(&file, &request, STATUS_FAILED, "are data");
}

/* The proof sees what a patch should not have done. */
static void the_proof_is_one(void **state)
{
    (void)state;
    struct gcn_change change = {
        .size = 4, .length = 4, .text_after = "s_getreg_b32 s7, hwreg(HW_REG_HW_ID, 8, 7)"};
    struct gcn_patch patch = {.target = gcn_target_named("gfx906"), .changes = &change, .count = 1};
    struct buffer file = rocm("gfx906", "s_mov_b32 s1, 0x81000210\ns_movk_i32 s7, 0x7a5a\ns_endpgm\n");
    struct buffer after = {0};
    struct error error;
    struct gcn_walker *walker = gcn_walker_open(patch.target, &error);
    const unsigned char marker[] = {0x5a, 0x7a, 0x07, 0xb0};
    const unsigned char good[] = {0x04, 0x32, 0x87, 0xb8};
    char *at = memmem(file.data, file.size, marker, 4);
    assert_non_null(at);
    change.offset = (size_t)(at - file.data);
    buffer_append(&after, file.data, file.size);
    memcpy(after.data + change.offset, good, 4);
    memcpy(change.after, good, 4);
    assert_int_equal(gcn_prove(file.data, after.data, file.size, walker, &patch, &error), STATUS_OK);
    assert_int_equal(patch.bytes_changed, 4);
    assert_true(patch.disassembled);

    after.data[file.size - 1] ^= 1; /* another byte */
    assert_int_equal(gcn_prove(file.data, after.data, file.size, walker, &patch, &error), STATUS_FAILED);
    assert_non_null(strstr(error.message, "changed too"));
    after.data[file.size - 1] ^= 1;

    change.after[3] = 0xb9; /* GFX7's opcode: s_setreg here */
    memcpy(after.data + change.offset, change.after, 4);
    assert_int_equal(gcn_prove(file.data, after.data, file.size, walker, &patch, &error), STATUS_FAILED);
    if (strstr(error.message, "verification failed") == NULL)
        fail_msg("%s", error.message);

    memcpy(after.data + change.offset, marker, 4); /* one word on: a literal */
    change.offset -= 4;
    memcpy(change.after, good, 4);
    memcpy(after.data + change.offset, good, 4);
    assert_int_equal(gcn_prove(file.data, after.data, file.size, walker, &patch, &error), STATUS_FAILED);
    assert_non_null(strstr(error.message, "no instruction of 4 bytes begins"));
    gcn_walker_close(walker);
    buffer_free(&file);
    buffer_free(&after);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure_3),
        cmocka_unit_test(each_generation_has_its_own_word),
        cmocka_unit_test(several_are_told),
        cmocka_unit_test(literals_are_none),
        cmocka_unit_test(unknown_words),
        cmocka_unit_test(texts_that_do_not_fit),
        cmocka_unit_test(eight_bytes),
        cmocka_unit_test(what_is_shorter_is_filled),
        cmocka_unit_test(data_is_no_match),
        cmocka_unit_test(headers_are_no_code),
        cmocka_unit_test(objects_are_no_code),
        cmocka_unit_test(the_proof_is_one),
    };
    return cmocka_run_group_tests_name("isa/gcn_patch", tests, NULL, NULL);
}
