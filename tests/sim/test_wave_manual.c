/* Details stated in AMD's manuals that code seldom needs: results at the ends of ranges, carries, masks in
 * the last registers, buffers' ends, and what is left to the described rounding. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/wave_fixture.h"
#include "tests/wave_object.h"

enum { DATA_BYTES = 64 << 10 };

/* A kernel of 64 lanes, of which the body may use all; s[4:5] and v[30:31] have the data's address. */
static void build(struct fixture *fixture, const char *target, const char *body)
{
    const struct object_kernel kernel = {target, 64, 4096, 64};
    struct buffer text = {0};
    fixture_open(fixture, 1, 64, DATA_BYTES);
    buffer_printf(&text,
                  "s_load_dwordx2 s[4:5], s[0:1], %s\ns_waitcnt lgkmcnt(0)\ns_mov_b32 m0, -1\n"
                  "v_mov_b32 v30, s4\nv_mov_b32 v31, s5\n%s\ns_endpgm\n",
                  gcn_target_named(target)->generation < 8 ? "0x4" : "0x10", body);
    object_assemble(&kernel, text.data, &fixture->object);
    buffer_free(&text);
}

static uint32_t word(const struct fixture *fixture, size_t at)
{
    uint32_t value;
    memcpy(&value, fixture->data + 4 * at, sizeof value);
    return value;
}

/* Runs the body, whose results v20 to v22 become the data's first words. */
static void run(struct fixture *fixture, const char *target, const char *body)
{
    struct buffer text = {0};
    buffer_printf(&text,
                  "s_mov_b64 exec, 1\nv_mov_b32 v20, 0\nv_mov_b32 v21, 0\nv_mov_b32 v22, 0\n%s\n"
                  "flat_store_dwordx3 v[30:31], v[20:22]\n",
                  body);
    build(fixture, target, text.data);
    buffer_free(&text);
    fixture_run(fixture, 0, 0);
}

static void test_scalar(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t a, b, d;
    } rows[] = {
        {"s_absdiff_i32 s20, s10, s11", 2, 5, 3},
        {"s_absdiff_i32 s20, s10, s11", 0xffffffff, 0, 1},
        {"s_absdiff_i32 s20, s10, s11", 0x80000000, 0, 0x80000000},
        {"s_absdiff_i32 s20, s10, s11", 0x80000000, 1, 0x7fffffff},
        {"s_absdiff_i32 s20, s10, s11", 0x80000000, 0xffffffff, 0x7fffffff},
        {"s_absdiff_i32 s20, s10, s11", 0x80000000, 0xfffffffe, 0x7ffffffe},
        {"s_absdiff_i32 s20, s10, s11", 45, 0x80000001, 0x7fffffd4},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture fixture;
        char body[256];
        snprintf(body, sizeof body, "s_mov_b32 s10, 0x%x\ns_mov_b32 s11, 0x%x\n%s\nv_mov_b32 v20, s20",
                 rows[i].a, rows[i].b, rows[i].text);
        run(&fixture, "gfx906", body);
        if (word(&fixture, 0) != rows[i].d)
            fail_msg("%s of 0x%x and 0x%x: 0x%x", rows[i].text, rows[i].a, rows[i].b, word(&fixture, 0));
        fixture_close(&fixture);
    }
}

/* The mask is bit 64 of the sum in 65 bits. */
static void test_long_multiplication(void **state)
{
    (void)state;
    static const struct {
        uint32_t a, b;
        uint64_t c, d;
        unsigned carry;
    } rows[] = {
        {2, 3, 0, 6, 0},
        {0xfffffffe, 3, 0, UINT64_MAX - 5, 1},
        {0xfffffffe, 3, 7, 1, 0},
        {1, 1, INT64_MAX, UINT64_C(1) << 63, 0},
        {0xffffffff, 1, UINT64_C(1) << 63, INT64_MAX, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture fixture;
        char body[512];
        snprintf(body, sizeof body,
                 "v_mov_b32 v2, 0x%x\nv_mov_b32 v3, 0x%x\nv_mov_b32 v4, 0x%x\nv_mov_b32 v5, 0x%x\n"
                 "v_mad_i64_i32 v[20:21], vcc, v2, v3, v[4:5]\nv_mov_b32 v22, vcc_lo",
                 rows[i].a, rows[i].b, (unsigned)rows[i].c, (unsigned)(rows[i].c >> 32));
        run(&fixture, "gfx906", body);
        assert_int_equal(word(&fixture, 0), (uint32_t)rows[i].d);
        assert_int_equal(word(&fixture, 1), rows[i].d >> 32);
        assert_int_equal(word(&fixture, 2), rows[i].carry);
        fixture_close(&fixture);
    }
}

static void test_fractions(void **state)
{
    (void)state;
    static const struct {
        uint32_t a, d;
    } rows[] = {
        {0x3fa00000, 0x3e800000}, /* 1.25: 0.25 */
        {0xbe800000, 0x3f400000}, /* -0.25: 0.75 */
        {0x8da24260, 0x3f7fffff}, /* -1e-30: the largest below 1 */
        {0x40000000, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture fixture;
        char body[128];
        snprintf(body, sizeof body, "v_mov_b32 v2, 0x%x\nv_fract_f32 v20, v2", rows[i].a);
        run(&fixture, "gfx906", body);
        assert_int_equal(word(&fixture, 0), rows[i].d);
        fixture_close(&fixture);
    }
}

/* Offsets with a sign, and without one where a generation has none. */
static void test_offsets(void **state)
{
    (void)state;
    static const struct {
        const char *target, *text; /* s[6:7] and v[32:33]: the address of word 64 */
        uint32_t d;                /* a word's number */
    } rows[] = {
        {"gfx906", "s_load_dword s20, s[6:7], -4", 63},
        {"gfx1030", "s_load_dword s20, s[6:7], -8", 62},
        {"gfx1100", "s_load_b32 s20, s[6:7], -8", 62},
        {"gfx906", "s_load_dword s20, s[6:7], 0x20", 72},
        {"gfx803", "s_load_dword s20, s[6:7], 0x20", 72},
        {"gfx701", "s_load_dword s20, s[6:7], 0x8", 72},
        {"gfx701", "s_mov_b32 s9, 36\ns_load_dword s20, s[6:7], s9", 73},
        {"gfx803", "s_mov_b32 s9, 36\ns_load_dword s20, s[6:7], s9", 73},
        {"gfx1030", "s_mov_b32 s9, 36\ns_load_dword s20, s[6:7], s9", 73},
        {"gfx906", "global_load_dword v20, v[32:33], off offset:-8", 62},
        {"gfx906", "global_load_dword v20, v[32:33], off offset:4088", 64 + 1022},
        {"gfx906", "flat_load_dword v20, v[32:33] offset:4092", 64 + 1023},
        {"gfx1030", "global_load_dword v20, v[32:33], off offset:-8", 62},
        {"gfx1100", "global_load_b32 v20, v[32:33], off offset:-256", 0},
        {"gfx906", "v_mov_b32 v5, 12\nglobal_load_dword v20, v5, s[6:7] offset:-4", 66},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture fixture;
        struct buffer text = {0};
        bool scalar = strstr(rows[i].text, "s20") != NULL;
        buffer_printf(&text,
                      "s_mov_b64 exec, 1\nv_mov_b32 v20, 0\n"
                      "s_add_u32 s6, s4, 0x100\ns_addc_u32 s7, s5, 0\n"
                      "v_mov_b32 v32, s6\nv_mov_b32 v33, s7\n%s\ns_waitcnt vmcnt(0) lgkmcnt(0)\n%s"
                      "flat_store_dword v[30:31], v20\n",
                      rows[i].text, scalar ? "v_mov_b32 v20, s20\n" : "");
        build(&fixture, rows[i].target, text.data);
        for (uint32_t j = 0; j < DATA_BYTES / 4; j++)
            memcpy(fixture.data + (size_t)4 * j, &j, sizeof j);
        fixture_run(&fixture, 0, 0);
        if (word(&fixture, 0) != rows[i].d)
            fail_msg("%s: %s: word %u instead of %u", rows[i].target, rows[i].text, word(&fixture, 0),
                     rows[i].d);
        buffer_free(&text);
        fixture_close(&fixture);
    }
}

/* A lane's number is taken modulo the wave's lanes. */
static void test_lanes(void **state)
{
    (void)state;
    for (unsigned lanes = 32; lanes <= 64; lanes += 32) {
        const struct object_kernel kernel = {"gfx1030", 64, 0, lanes};
        struct fixture fixture;
        fixture_open(&fixture, 1, 64, DATA_BYTES);
        object_assemble(&kernel,
                        "s_load_dwordx2 s[4:5], s[0:1], 0x10\ns_movk_i32 s10, 73\n"
                        "v_readlane_b32 s12, v0, s10\nv_mov_b32 v20, 0\nv_writelane_b32 v20, s12, s10\n"
                        "v_lshlrev_b32 v1, 2, v0\ns_waitcnt lgkmcnt(0)\nglobal_store_dword v1, v20, s[4:5]\n"
                        "s_endpgm\n",
                        &fixture.object);
        fixture_run(&fixture, 0, 0);
        for (unsigned i = 0; i < 64; i++)
            assert_int_equal(word(&fixture, i), i % lanes == 9 ? i : 0);
        fixture_close(&fixture);
    }
}

/* Each body ends with the reason, or well where there is none. */
static void check_ends(const char *target, const char *body, const char *reason)
{
    struct fixture fixture;
    build(&fixture, target, body);
    enum status status = fixture_try(&fixture, 0, 0);
    if (reason == NULL && status != STATUS_OK)
        fail_msg("%s: %s: %s", target, body, fixture.error.message);
    if (reason != NULL && (status != STATUS_FAILED || strstr(fixture.error.message, reason) == NULL))
        fail_msg("%s: %s: %s", target, body, status == STATUS_OK ? "went well" : fixture.error.message);
    fixture_close(&fixture);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *target, *body, *reason;
    } rows[] = {
        {"gfx906", "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 5", "rounding mode other than"},
        {"gfx906", "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 2, 2), 1", "rounding mode other than"},
        {"gfx906", "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 15", NULL},
        {"gfx906", "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 4", NULL}, /* bits that are not set */
        {"gfx906", "s_mov_b32 s10, 0\ns_setreg_b32 hwreg(HW_REG_MODE, 0, 4), s10", NULL},
        {"gfx906", "s_mov_b32 s10, 3\ns_setreg_b32 hwreg(HW_REG_MODE, 0, 4), s10",
         "rounding mode other than"},
        {"gfx90a", "v_pk_add_f32 v[20:21], v[10:11], v[12:13]", NULL},
        {"gfx803", "s_mov_b32 m0, 0\nv_mov_b32 v1, 0\nds_read_b32 v2, v1", "according to M0"},
        {"gfx906", "s_mov_b32 m0, 0\nv_mov_b32 v1, 0\nds_read_b32 v2, v1", NULL},
        {"gfx90a", "v_pk_add_f32 v[20:21], v[10:11], v[12:13] clamp", "packed operation with modifiers"},
        {"gfx90a", "v_pk_add_f32 v[20:21], v[10:11], 1.0", "upper half of a constant"},
        {"gfx1030", "v_cmp_eq_u32_e64 exec_hi, v0, v1", "extend"},
        {"gfx1030", "v_add_co_u32 v2, exec_hi, v0, v1", "extend"},
        {"gfx1030", "v_cndmask_b32_e64 v2, v0, v1, exec_hi", "extend"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_ends(rows[i].target, rows[i].body, rows[i].reason);
}

/* A buffer's end: by target, stride, records and the description's last word, an access of lane 0 with an
 * offset or an index of it. */
static void test_ends_of_buffers(void **state)
{
    (void)state;
    static const char BEYOND[] = "beyond its end";
    static const struct {
        const char *target;
        unsigned stride, records, last;
        const char *access; /* v1: the operand */
        unsigned operand;
        const char *reason;
    } rows[] = {
        {"gfx701", 0, 8, 0, "buffer_load_dword v2, v1, s[8:11], 0 offen", 4, NULL},
        {"gfx701", 0, 8, 0, "buffer_load_dword v2, v1, s[8:11], 0 offen", 5, BEYOND},
        {"gfx701", 16, 2, 0, "buffer_load_dword v2, v1, s[8:11], 0 idxen", 1, NULL},
        {"gfx701", 16, 2, 0, "buffer_load_dword v2, v1, s[8:11], 0 idxen", 2, BEYOND},
        {"gfx701", 16, 2, 0, "buffer_load_dword v2, v1, s[8:11], 0 idxen offset:12", 0, NULL},
        {"gfx701", 16, 2, 0, "buffer_load_dword v2, v1, s[8:11], 0 idxen offset:16", 0, BEYOND},
        {"gfx701", 0x2000, 2, 0, "buffer_load_dword v2, v1, s[8:11], 0 idxen", 1, NULL},
        {"gfx803", 16, 2, 0, "buffer_load_dword v2, v1, s[8:11], 0 idxen", 1, BEYOND}, /* bytes */
        {"gfx803", 16, 20, 0, "buffer_load_dword v2, v1, s[8:11], 0 idxen", 1, NULL},
        {"gfx803", 16, 19, 0, "buffer_load_dword v2, v1, s[8:11], 0 idxen", 1, BEYOND},
        {"gfx906", 16, 2, 0, "buffer_load_dword v2, v1, s[8:11], 0 idxen", 1, NULL},
        {"gfx906", 16, 2, 0, "buffer_load_dword v2, v1, s[8:11], 0 offen", 0, BEYOND}, /* bytes */
        {"gfx906", 16, 8, 0, "buffer_load_dword v2, v1, s[8:11], 0 offen", 4, NULL},
        {"gfx1030", 0, 8, 0x30000000, "buffer_load_dword v2, v1, s[8:11], 0 offen", 4, NULL},
        {"gfx1030", 0, 8, 0x30000000, "buffer_load_dword v2, v1, s[8:11], 0 offen", 5, BEYOND},
        {"gfx1030", 16, 2, 0x30000000, "buffer_load_dword v2, v1, s[8:11], 0 idxen", 1, BEYOND},
        {"gfx1030", 16, 2, 0, "buffer_load_dword v2, v1, s[8:11], 0 idxen offset:16", 1, BEYOND},
        {"gfx1030", 16, 2, 0x10000000, "buffer_load_dword v2, v1, s[8:11], 0 idxen offset:16", 1, NULL},
        {"gfx1030", 16, 2, 0x10000000, "buffer_load_dword v2, v1, s[8:11], 0 idxen", 2, BEYOND},
        {"gfx1030", 16, 1, 0x20000000, "buffer_load_dword v2, v1, s[8:11], 0 idxen", 2, NULL},
        {"gfx1030", 16, 0, 0x20000000, "buffer_load_dword v2, v1, s[8:11], 0 idxen", 0, BEYOND},
        {"gfx906", 0, 8, 1 << 23, "buffer_load_dword v2, v1, s[8:11], 0 offen", 0, "indexed by thread"},
        {"gfx906", 0x8000, 8, 0, "buffer_load_dword v2, v1, s[8:11], 0 offen", 0, "swizzled"},
        {"gfx906", 0x4000, 8, 0, "buffer_load_dword v2, v1, s[8:11], 0 offen", 0, NULL},
        {"gfx1100", 0x4000, 8, 0, "buffer_load_b32 v2, v1, s[8:11], 0 offen", 0, "swizzled"},
        {"gfx906", 0, 8, 0, "s_buffer_load_dwordx2 s[12:13], s[8:11], 0x0", 0, NULL},
        {"gfx906", 0, 8, 0, "s_buffer_load_dwordx2 s[12:13], s[8:11], 0x4", 0, BEYOND},
        {"gfx906", 16, 2, 0, "s_buffer_load_dwordx2 s[12:13], s[8:11], 0x18", 0, NULL},
        {"gfx906", 16, 2, 0, "s_buffer_load_dwordx2 s[12:13], s[8:11], 0x20", 0, BEYOND},
        {"gfx701", 0, 8, 0, "s_buffer_load_dword s12, s[8:11], 0x1", 0, NULL},
        {"gfx701", 0, 8, 0, "s_buffer_load_dword s12, s[8:11], 0x2", 0, BEYOND},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char body[512];
        snprintf(body, sizeof body,
                 "s_mov_b64 exec, 1\ns_mov_b32 s8, s4\ns_or_b32 s9, s5, 0x%x\ns_mov_b32 s10, %u\n"
                 "s_mov_b32 s11, 0x%x\nv_mov_b32 v1, %u\n%s",
                 rows[i].stride << 16, rows[i].records, rows[i].last | 0xf000, rows[i].operand,
                 rows[i].access);
        check_ends(rows[i].target, body, rows[i].reason);
    }
}

/* An access that begins in one word of a narrow bus and ends in the next but one takes all three. */
static void test_bus_of_lds(void **state)
{
    (void)state;
    static const struct {
        unsigned address, transfers;
    } rows[] = {{0, 2}, {4, 3}, {8, 2}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture fixture;
        char body[256];
        snprintf(body, sizeof body,
                 "s_mov_b64 exec, 1\nv_mov_b32 v1, %u\ns_memtime s[8:9]\nds_read_b128 v[4:7], v1\n"
                 "s_memtime s[8:9]",
                 rows[i].address);
        build(&fixture, "gfx906", body);
        fixture.launch.bus_bytes = 8;
        fixture_run(&fixture, 0, 0);
        assert_int_equal(fixture.result.bus[BUS_PROGRAM].transfers, rows[i].transfers);
        fixture_close(&fixture);
    }
}

/* Stores to LDS are stores, of two elements two, and who made them has worked: also where two runs' counts
 * are subtracted. */
static void test_stores_to_lds(void **state)
{
    (void)state;
    struct fixture fixture;
    struct wave_result fewer = {0};
    build(&fixture, "gfx906",
          "v_lshlrev_b32 v1, 3, v0\ns_load_dword s6, s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\n"
          "again: ds_write2_b32 v1, v0, v0 offset1:1\nds_add_u32 v1, v0\ns_sub_u32 s6, s6, 1\n"
          "s_cmp_lg_u32 s6, 0\ns_cbranch_scc1 again");
    fixture.launch.all = true;
    fixture_run(&fixture, 1, 0);
    fewer = fixture.result;
    fixture.result = (struct wave_result){0};
    fixture_run(&fixture, 3, 0);
    wave_result_subtract(&fixture.result, &fewer);
    assert_int_equal(fixture.result.stores, 2 * 2 * 64);
    assert_int_equal(fixture.result.atomics, 2 * 64);
    assert_int_equal(fixture.result.se_accesses[0], 2 * 3 * 64);
    assert_true(fixture.result.waves[0].worked);
    assert_int_equal(fixture.result.waves[0].stores, 2 * 2 * 64);
    wave_result_free(&fewer);
    fixture_close(&fixture);
}

int main(void)
{
#ifndef TRAUMA_LLVM_AMDGPU
    print_message("LLVM has no AMDGPU here\n");
    return 77;
#endif
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scalar),          cmocka_unit_test(test_long_multiplication),
        cmocka_unit_test(test_fractions),       cmocka_unit_test(test_refused),
        cmocka_unit_test(test_ends_of_buffers), cmocka_unit_test(test_bus_of_lds),
        cmocka_unit_test(test_stores_to_lds),   cmocka_unit_test(test_offsets),
        cmocka_unit_test(test_lanes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
