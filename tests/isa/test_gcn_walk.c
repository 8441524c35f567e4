/* Lengths of instructions: the table for GFX6 and GFX7 agrees with what LLVM MC assembles, later processors
 * with LLVM's own lengths. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "isa/gcn/target.h"
#include "isa/gcn/walk/flow.h"
#include "isa/gcn/walk/walk.h"
#include "tests/gcn_files.h"

#include <stdio.h>
#include <string.h>

/* Of every format, with and without what may follow; first is the generation that it came with. */
static const struct sample {
    unsigned first, last;
    const char *text;
} samples[] = {
    {6, 12, "s_mov_b32 s0, s1"},
    {6, 12, "s_mov_b32 s0, 0x81000210"},
    {6, 12, "s_mov_b64 s[0:1], 0x12345"},
    {6, 12, "s_not_b32 s0, 64"},
    {6, 12, "s_setpc_b64 s[4:5]"},
    {6, 12, "s_cmp_eq_i32 s0, s1"},
    {6, 12, "s_cmp_eq_i32 s0, 0x10000"},
    {6, 12, "s_cmp_eq_i32 0x10000, s0"},
    {6, 12, "s_nop 7"},
    {6, 12, "s_endpgm"},
    {6, 12, "s_branch 5"},
    {6, 11, "s_waitcnt 0"},
    {6, 12, "s_movk_i32 s7, 0x7a5a"},
    {6, 11, "s_cmpk_eq_i32 s0, 17"},
    {6, 11, "s_addk_i32 s0, 17"},
    {6, 12, "s_getreg_b32 s0, hwreg(HW_REG_MODE)"},
    {6, 12, "s_setreg_b32 hwreg(HW_REG_MODE), s0"},
    {6, 12, "s_setreg_imm32_b32 hwreg(HW_REG_MODE), 0xb9003204"},
    {6, 12, "s_add_i32 s0, s16, s2"},
    {6, 12, "s_add_i32 s0, 0x81000210, s2"},
    {6, 12, "s_and_b64 s[0:1], s[2:3], 0x12345"},
    {6, 12, "s_bfe_u32 s0, s1, 0x40010"},
    {6, 12, "s_load_dwordx4 s[8:11], s[2:3], 0x10"},
    {6, 12, "s_load_dword s0, s[2:3], s5"},
    {7, 7, "s_load_dword s0, s[2:3], 0x12345"},
    {6, 10, "s_buffer_load_dword s0, s[4:7], 0x4"},
    {6, 12, "v_mov_b32 v0, v1"},
    {6, 12, "v_mov_b32 v0, 0x81000210"},
    {6, 12, "v_cvt_f32_i32 v3, s1"},
    {6, 12, "v_readfirstlane_b32 s0, v1"},
    {6, 9, "v_cmp_eq_u32 vcc, s0, v1"},
    {6, 9, "v_cmp_eq_u32 vcc, 0x12345, v1"},
    {6, 9, "v_cmp_eq_u32 s[0:1], v0, v1"},
    {6, 9, "v_add_f32 v0, v1, v2"},
    {6, 12, "v_mul_f32 v0, 0x40490fdb, v2"},
    {6, 12, "v_and_b32 v0, 0xff, v2"},
    {6, 9, "v_madmk_f32 v0, v1, 0x81000210, v2"},
    {6, 9, "v_madak_f32 v0, v1, v2, 0x81000210"},
    {10, 11, "v_fmaak_f32 v0, 0x81000210, v1, 0x81000210"},
    {8, 9, "v_add_f32_sdwa v0, v1, v2 dst_sel:DWORD src0_sel:BYTE_1 src1_sel:WORD_1"},
    {8, 9, "v_mov_b32_dpp v0, v1 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf"},
    {6, 12, "v_fma_f32 v0, v1, v2, v3"},
    {10, 12, "v_fma_f32 v0, v1, v2, 0x81000210"},
    {6, 9, "v_mad_u32_u24 v0, v1, v2, v3"},
    {6, 9, "v_mul_lo_u32 v0, v1, v2"},
    {6, 9, "v_interp_p1_f32 v0, v1, attr0.x"},
    {6, 11, "ds_write_b32 v0, v1"},
    {6, 11, "ds_read2_b64 v[0:3], v4 offset0:1 offset1:2"},
    {7, 9, "flat_load_dword v0, v[2:3]"},
    {7, 9, "flat_store_dwordx4 v[0:1], v[4:7]"},
    {9, 12, "global_load_dword v0, v[2:3], off"},
    {6, 9, "buffer_load_dword v0, off, s[4:7], 0 offset:4 glc"},
    {6, 7, "buffer_load_dword v0, v[2:3], s[4:7], 0 addr64"},
    {6, 9, "buffer_store_dwordx4 v[0:3], v5, s[4:7], s1 idxen"},
    {6, 7, "tbuffer_load_format_x v0, off, s[4:7], dfmt:1, nfmt:2, 0"},
    {6, 9, "image_load v[0:3], v[4:7], s[8:15] dmask:0xf unorm"},
    {6, 7, "image_sample v[0:3], v[4:7], s[8:15], s[16:19] dmask:0xf"},
    {6, 9, "exp mrt0 v0, v1, v2, v3 done vm"},
};

static const char *const targets[] = {"gfx600", "gfx601", "gfx700",  "gfx701",  "gfx803", "gfx900",
                                      "gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1200"};

static void lengths(void **state)
{
    (void)state;
    unsigned compared = 0;
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        const struct gcn_target *target = gcn_target_named(targets[i]);
        struct error error = {0};
        if (!made_known(targets[i]))
            continue;
        struct gcn_walker *walker = gcn_walker_open(target, &error);
        assert_non_null(walker);
        for (size_t k = 0; k < sizeof samples / sizeof samples[0]; k++) {
            unsigned char bytes[GCN_INSTRUCTION_BYTES + 8] = {0};
            char text[GCN_TEXT_BYTES];
            size_t length;
            if (target->generation < samples[k].first || target->generation > samples[k].last)
                continue;
            enum status status = gcn_assemble(target, samples[k].text, bytes, &length, &error);
            if (status != STATUS_OK && target->traits != 0)
                continue; /* the accelerators lack some of their generation's */
            if (status != STATUS_OK)
                fail_msg("%s", error.message);
            size_t step = gcn_walker_step(walker, bytes, sizeof bytes, text);
            if (step != length)
                fail_msg("%s: '%s' has %zu bytes, a step %zu", targets[i], samples[k].text, length, step);
            assert_int_equal(text[0] == '\0',
                             target->generation < 8 || strstr(samples[k].text, "sdwa") != NULL);
            assert_int_equal(gcn_walker_step(walker, bytes, length, text), length);
            assert_int_equal(gcn_walker_step(walker, bytes, length - 4, text) == length, false);
            compared++;
        }
        gcn_walker_close(walker);
    }
    print_message("%u lengths compared\n", compared);
    assert_true(compared > 250);
}

/* Random words, of which many are no instruction: the child's lengths are those of step after step. */
static void a_child_tells_the_same(void **state)
{
    (void)state;
    enum { WORDS = 4096 };
    static const char *const names[] = {"gfx701", "gfx906", "gfx1030"};
    static unsigned char code[4 * WORDS], lengths[WORDS];
    struct random random = random_start(7, "lengths");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct error error = {0};
        unsigned known = 0;
        if (!made_known(names[i]))
            continue;
        struct gcn_walker *walker = gcn_walker_open(gcn_target_named(names[i]), &error);
        assert_non_null(walker);
        for (size_t byte = 0; byte < sizeof code; byte++)
            code[byte] = (unsigned char)random_below(&random, 256);
        memset(lengths, 0, sizeof lengths);
        assert_int_equal(gcn_lengths(walker, code, sizeof code, 0, lengths, &error), STATUS_OK);
        for (size_t at = 0; at + 4 <= sizeof code;) {
            char text[GCN_TEXT_BYTES];
            size_t length = gcn_walker_step(walker, code + at, sizeof code - at, text);
            assert_int_equal(lengths[at / 4], length == 0 ? GCN_NO_INSTRUCTION : length);
            known += length > 0;
            at += length == 0 ? 4 : length;
        }
        assert_true(known > WORDS / 8);
        gcn_walker_close(walker);
    }
}

static void texts_that_are_none(void **state)
{
    (void)state;
    static const char *const texts[] = {"",
                                        "  ",
                                        "s_nop 0\ns_nop 1",
                                        "s_nop 0; s_nop 1",
                                        ".long 1",
                                        ".include \"x\"",
                                        "here: s_nop 0",
                                        "here:",
                                        "s_branch elsewhere",
                                        "s_nope",
                                        "s_mov_b32 s0, elsewhere",
                                        "// s_nop 0",
                                        "mov eax, ebx"};
    unsigned char bytes[GCN_INSTRUCTION_BYTES];
    size_t length;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct error error = {0};
        if (gcn_assemble(gcn_target_named("gfx701"), texts[i], bytes, &length, &error) != STATUS_USAGE)
            fail_msg("'%s' is taken", texts[i]);
        assert_true(error.message[0] != '\0');
    }
}

/* Each name is LLVM's own, or one that this LLVM says it lacks; none is taken for another processor. */
static void targets_are_known(void **state)
{
    (void)state;
    static const unsigned machs[] = {0x20, 0x23, 0x2a, 0x2f, 0x30, 0x3f, 0x40, 0x4c, 0x36, 0x41, 0x48};
    for (size_t i = 0; i < sizeof machs / sizeof machs[0]; i++) {
        const struct gcn_target *target = gcn_target_of(GCN_CODE_MACH, machs[i] | 0x300);
        struct error error = {0};
        assert_non_null(target);
        struct gcn_walker *walker = gcn_walker_open(target, &error);
        assert_true(walker != NULL || error.code == STATUS_UNAVAILABLE);
        gcn_walker_close(walker);
    }
    assert_string_equal(gcn_target_version(9, 0, 10)->name, "gfx90a");
    assert_null(gcn_target_version(9, 0, 77));
    assert_null(gcn_target_of(GCN_CODE_MACH, 0));
    assert_null(gcn_target_of(GCN_CODE_CATALYST2, 17));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lengths),
        cmocka_unit_test(a_child_tells_the_same),
        cmocka_unit_test(texts_that_are_none),
        cmocka_unit_test(targets_are_known),
    };
    return cmocka_run_group_tests_name("isa/gcn_walk", tests, NULL, NULL);
}
