/* The two programs of Adhinarayanan et al. 2016 in assembly, for each generation: the same reads of one
 * quadrant of L2, from the near shader engine and from another one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "tests/wave_fixture.h"
#include "tests/wave_object.h"

/* Of each 4 KiB, that all channels have, a work-group reads the first KiB: four times what L1 takes. One
 * work-group a CU: what two read at the same time the second would find in L1. */
enum { BLOCKS = 44, THREADS = 256, PAGES = 64, PAGE = 4096, READ = 1024, PASSES = 3 };

static const char MEMTIME[] = "s_memtime s[2:3]\n";
static const char SENDMSG[] =
    "s_sendmsg_rtn_b64 s[2:3], sendmsg(MSG_RTN_GET_REALTIME)\ns_waitcnt lgkmcnt(0)\n";

/* How a generation says what differs. */
static const struct dialect {
    const char *target;
    unsigned lanes;
    const char *engine; /* of the register that tells it: name, low bit, bits */
    const char *vcc, *add, *addc, *load, *clock;
} dialects[] = {
    /* clang-format off */
    {"gfx600", 64, "HW_ID, 13, 2", "vcc", "v_add_i32", "v_addc_u32", "buffer_load_dword v4, v[2:3], s[20:23], 0 addr64", MEMTIME},
    {"gfx701", 64, "HW_ID, 13, 2", "vcc", "v_add_i32", "v_addc_u32", "flat_load_dword v4, v[2:3]", MEMTIME},
    {"gfx803", 64, "HW_ID, 13, 2", "vcc", "v_add_u32", "v_addc_u32", "flat_load_dword v4, v[2:3]", MEMTIME},
    {"gfx900", 64, "HW_ID, 13, 2", "vcc", "v_add_co_u32", "v_addc_co_u32", "global_load_dword v4, v[2:3], off", MEMTIME},
    {"gfx90a", 64, "HW_ID, 13, 3", "vcc", "v_add_co_u32", "v_addc_co_u32", "global_load_dword v4, v[2:3], off", MEMTIME},
    {"gfx942", 64, "HW_ID, 13, 2", "vcc", "v_add_co_u32", "v_addc_co_u32", "global_load_dword v4, v[2:3], off", MEMTIME},
    {"gfx1030", 32, "HW_ID1, 18, 2", "vcc_lo", "v_add_co_u32", "v_add_co_ci_u32", "global_load_dword v4, v[2:3], off", MEMTIME},
    {"gfx1010", 32, "HW_ID1, 18, 2", "vcc_lo", "v_add_co_u32", "v_add_co_ci_u32", "flat_load_dword v4, v[2:3]", MEMTIME},
    {"gfx1100", 32, "HW_ID1, 18, 3", "vcc_lo", "v_add_co_u32", "v_add_co_ci_u32", "global_load_b32 v4, v[2:3], off", SENDMSG},
    {"gfx1151", 32, "HW_ID1, 18, 3", "vcc_lo", "v_add_co_u32", "v_add_co_ci_u32", "flat_load_b32 v4, v[2:3]", SENDMSG},
    /* clang-format on */
};
enum { DIALECTS = sizeof dialects / sizeof dialects[0] };

/* Passes over the pages, as often as the scalar register says. */
static void add_loop(struct buffer *text, const struct dialect *dialect, const char *name, unsigned count)
{
    buffer_printf(text,
                  "%s: s_cmp_eq_u32 s%u, 0\ns_cbranch_scc1 %s_end\ns_movk_i32 s16, %d\n"
                  "v_mov_b32 v2, v10\nv_mov_b32 v3, v11\n%s_page: %s\n"
                  "%s v2, %s, s17, v2\n%s v3, %s, 0, v3, %s\ns_sub_u32 s16, s16, 1\ns_cmp_lg_u32 s16, 0\n"
                  "s_cbranch_scc1 %s_page\ns_waitcnt vmcnt(0)\ns_sub_u32 s%u, s%u, 1\ns_branch %s\n%s_end:\n",
                  name, count, name, PAGES, name, dialect->load, dialect->add, dialect->vcc, dialect->addc,
                  dialect->vcc, dialect->vcc, name, count, count, name, name);
}

/* The program that works on one shader engine. */
static void open_path(struct fixture *fixture, const struct dialect *dialect, unsigned se)
{
    struct buffer text = {0};
    struct object_kernel kernel = {dialect->target, 16, 0, dialect->lanes};
    fixture_open(fixture, BLOCKS, THREADS, PAGES * PAGE);
    buffer_printf(
        &text,
        "s_load_dwordx8 s[8:15], s[0:1], 0\ns_getreg_b32 s6, hwreg(HW_REG_%s)\n"
        "s_cmp_lg_u32 s6, %u\ns_cbranch_scc1 leave\ns_waitcnt lgkmcnt(0)\ns_mov_b32 s17, %d\n"
        "s_mov_b32 s20, 0\ns_mov_b32 s21, 0\ns_mov_b32 s22, 0\ns_mov_b32 s23, 0xf000\n"
        "v_lshlrev_b32 v1, 2, v0\nv_mov_b32 v11, s13\n%s v10, %s, s12, v1\n%s v11, %s, 0, v11, %s\n",
        dialect->engine, se, PAGE, dialect->add, dialect->vcc, dialect->addc, dialect->vcc, dialect->vcc);
    add_loop(&text, dialect, "warm", 10);
    buffer_text(&text, dialect->clock);
    add_loop(&text, dialect, "run", 8);
    buffer_printf(&text, "%sleave: s_endpgm\n", dialect->clock);
    object_assemble(&kernel, text.data, &fixture->object);
    buffer_free(&text);
}

static void test_paths(void **state)
{
    (void)state;
    for (size_t i = 0; i < DIALECTS; i++)
        for (unsigned se = 0; se < 4; se++) {
            struct fixture fixture;
            open_path(&fixture, &dialects[i], se);
            fixture_run(&fixture, PASSES, 1);
            const struct wave_result *seen = &fixture.result;
            uint64_t loads = (uint64_t)BLOCKS / 4 * THREADS * PAGES * PASSES;
            for (unsigned other = 0; other < 4; other++)
                assert_int_equal(seen->se_accesses[other], other == se ? loads : 0);
            assert_int_equal(seen->loads[GPU_L1], 0);
            assert_int_equal(seen->loads[GPU_L2], loads);
            assert_int_equal(seen->near, se == 0 ? loads / 16 : 0);
            assert_int_equal(seen->far, se == 0 ? 0 : loads / 16);
            for (unsigned channel = 0; channel < 16; channel++)
                assert_int_equal(seen->channels[channel], channel < 4 ? loads / 64 : 0);
            fixture_close(&fixture);
        }
}

/* The paper's data: zeros, ones, As, half random and random. */
static void fill(struct fixture *fixture, const char *pattern)
{
    struct random random = random_start(1, pattern);
    for (size_t i = 0; i < fixture->data_bytes; i++) {
        unsigned char any = (unsigned char)random_next(&random);
        fixture->data[i] = strcmp(pattern, "zeros") == 0    ? 0
                           : strcmp(pattern, "ones") == 0   ? 0xff
                           : strcmp(pattern, "as") == 0     ? 0xaa
                           : strcmp(pattern, "random") == 0 ? any
                                                            : any & 0x0f;
    }
}

static void test_patterns(void **state)
{
    (void)state;
    static const struct {
        const char *pattern;
        double toggles, ones, within;
    } rows[] = {
        {"zeros", 0, 0, 0},          {"ones", 0, 1, 0},           {"as", 0, 0.5, 0},
        {"half", 0.25, 0.25, 0.005}, {"random", 0.5, 0.5, 0.005},
    };
    struct fixture fixture;
    open_path(&fixture, &dialects[1], 0);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fill(&fixture, rows[i].pattern);
        fixture_run(&fixture, PASSES, 1);
        const struct bus_count *bus = &fixture.result.bus[BUS_CHANNEL];
        double toggles = (double)bus->toggles / (double)bus->compared;
        double ones = (double)bus->ones / (double)bus->bits;
        assert_true(toggles >= rows[i].toggles - rows[i].within &&
                    toggles <= rows[i].toggles + rows[i].within);
        assert_true(ones >= rows[i].ones - rows[i].within && ones <= rows[i].ones + rows[i].within);
    }
    fixture_close(&fixture);
}

/* Without a warm-up the first touch of each line is memory's, and it alone. */
static void test_first_touch(void **state)
{
    (void)state;
    struct fixture fixture;
    open_path(&fixture, &dialects[1], 0);
    fixture_run(&fixture, 1, 0);
    assert_int_equal(fixture.result.lines[GPU_MEM], PAGES * READ / 64);
    assert_int_equal(fixture.result.lines[GPU_L2], (BLOCKS / 4 - 1) * PAGES * READ / 64);
    fixture_close(&fixture);
}

int main(void)
{
#ifndef TRAUMA_LLVM_AMDGPU
    print_message("LLVM has no AMDGPU here\n");
    return 77;
#endif
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_first_touch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
