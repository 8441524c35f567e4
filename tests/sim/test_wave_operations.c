/* Each operation's result, against numbers derived independently of the executor; and lanes, LDS, barriers,
 * atomics and buffers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/gcn/wave_state.h"
#include "tests/wave_fixture.h"
#include "tests/wave_object.h"
#include "tests/wave_scalar.h"
#include "tests/wave_vector.h"

enum { DATA_BYTES = 64 << 10, RESULT_WORDS = 4 };

/* A kernel of a processor with that body; s[4:5] and v[30:31] have the data's address. */
static void build_for(struct fixture *fixture, const char *target, unsigned threads, const char *body)
{
    struct object_kernel kernel = {target, 64, 4096, 0};
    struct buffer text = {0};
    fixture_open(fixture, 1, threads, DATA_BYTES);
    buffer_printf(&text,
                  "s_load_dwordx2 s[4:5], s[0:1], %s\ns_waitcnt lgkmcnt(0)\ns_mov_b32 m0, -1\n"
                  "v_mov_b32 v30, s4\nv_mov_b32 v31, s5\n%s\ns_endpgm\n",
                  gcn_target_named(target)->generation == 7 ? "0x4" : "0x10", body);
    object_assemble(&kernel, text.data, &fixture->object);
    buffer_free(&text);
}

static void build(struct fixture *fixture, unsigned generation, unsigned threads, const char *body)
{
    build_for(fixture, generation == 7 ? "gfx700" : "gfx906", threads, body);
}

static void advance(struct buffer *text)
{
    buffer_text(text, "flat_store_dwordx4 v[30:31], v[20:23]\ns_add_u32 s4, s4, 16\ns_addc_u32 s5, s5, 0\n"
                      "v_mov_b32 v30, s4\nv_mov_b32 v31, s5\n");
}

static void put_pair(struct buffer *text, const char *move, char file, unsigned number, uint64_t value)
{
    buffer_printf(text, "%s %c%u, 0x%x\n%s %c%u, 0x%x\n", move, file, number, (unsigned)value, move, file,
                  number + 1, (unsigned)(value >> 32));
}

#define START UINT64_C(0x2222222211111111)

static void add_vector(struct buffer *text, size_t i)
{
    const uint64_t inputs[] = {vector_rows[i].a, vector_rows[i].b, vector_rows[i].c};
    for (unsigned j = 0; j < 3; j++)
        put_pair(text, "v_mov_b32", 'v', 10 + 2 * j, inputs[j]);
    put_pair(text, "v_mov_b32", 'v', 20, START);
    buffer_printf(text, "s_mov_b64 vcc, %u\n%s\nv_mov_b32 v22, vcc_lo\nv_mov_b32 v23, vcc_hi\n",
                  vector_rows[i].before, vector_rows[i].text);
    advance(text);
}

static void add_scalar(struct buffer *text, size_t i)
{
    put_pair(text, "s_mov_b32", 's', 10, scalar_rows[i].a);
    put_pair(text, "s_mov_b32", 's', 12, scalar_rows[i].b);
    put_pair(text, "s_mov_b32", 's', 20, START);
    buffer_printf(text,
                  "s_cmp_eq_u32 %u, 1\n%s\ns_cselect_b32 s22, 1, 0\nv_mov_b32 v20, s20\nv_mov_b32 v21, s21\n"
                  "v_mov_b32 v22, s22\nv_mov_b32 v23, 0\n",
                  scalar_rows[i].before, scalar_rows[i].text);
    advance(text);
}

static void compare(const struct fixture *fixture, size_t at, const char *text, uint64_t d, unsigned after,
                    uint64_t a)
{
    uint32_t got[RESULT_WORDS];
    memcpy(got, fixture->data + at * sizeof got, sizeof got);
    uint64_t value = got[0] | (uint64_t)got[1] << 32;
    if (value != d || got[2] != after || got[3] != 0)
        fail_msg("%s with 0x%" PRIx64 "...: 0x%" PRIx64 " and %u, expected 0x%" PRIx64 " and %u", text, a,
                 value, got[2], d, after);
}

static void test_vector(void **state)
{
    (void)state;
    size_t count = sizeof vector_rows / sizeof vector_rows[0];
    size_t checked = 0;
    for (unsigned generation = 7; generation <= 9; generation += 2) {
        struct fixture fixture;
        struct buffer text = {0};
        buffer_text(&text, "s_mov_b64 exec, 1\n");
        for (size_t i = 0; i < count; i++)
            if (vector_rows[i].generation == generation)
                add_vector(&text, i);
        build(&fixture, generation, 64, text.data);
        fixture_run(&fixture, 0, 0);
        size_t at = 0;
        for (size_t i = 0; i < count; i++)
            if (vector_rows[i].generation == generation) {
                compare(&fixture, at++, vector_rows[i].text, vector_rows[i].d, vector_rows[i].after,
                        vector_rows[i].a);
                checked++;
            }
        buffer_free(&text);
        fixture_close(&fixture);
    }
    assert_int_equal(checked, count);
}

static void test_scalar(void **state)
{
    (void)state;
    struct fixture fixture;
    struct buffer text = {0};
    size_t count = sizeof scalar_rows / sizeof scalar_rows[0];
    for (size_t i = 0; i < count; i++)
        add_scalar(&text, i);
    build(&fixture, 9, 64, text.data);
    fixture_run(&fixture, 0, 0);
    for (size_t i = 0; i < count; i++)
        compare(&fixture, i, scalar_rows[i].text, scalar_rows[i].d, scalar_rows[i].after, scalar_rows[i].a);
    buffer_free(&text);
    fixture_close(&fixture);
}

/* Runs the body with that many threads; each of them leaves v20 in its own word of the data. */
static void run_lanes(struct fixture *fixture, unsigned generation, unsigned threads, const char *body)
{
    struct buffer text = {0};
    buffer_printf(&text,
                  "v_lshlrev_b32 v1, 2, v0\n%s v30, vcc, v30, v1\n%s v31, vcc, 0, v31, vcc\n%s\n"
                  "flat_store_dword v[30:31], v20\n",
                  generation == 7 ? "v_add_i32" : "v_add_co_u32",
                  generation == 7 ? "v_addc_u32" : "v_addc_co_u32", body);
    build(fixture, generation, threads, text.data);
    buffer_free(&text);
    fixture_run(fixture, 0, 0);
}

static uint32_t word(const struct fixture *fixture, size_t at)
{
    uint32_t value;
    memcpy(&value, fixture->data + 4 * at, sizeof value);
    return value;
}

static void test_exec(void **state)
{
    (void)state;
    struct fixture fixture;
    run_lanes(&fixture, 9, 100,
              "v_mov_b32 v20, 7\nv_cmp_gt_u32 vcc, 70, v0\ns_and_saveexec_b64 s[10:11], vcc\n"
              "v_add_u32 v20, v20, v0\ns_cbranch_execz over\nv_mbcnt_lo_u32_b32 v20, -1, v20\n"
              "v_mbcnt_hi_u32_b32 v20, -1, v20\nover:\ns_mov_b64 exec, s[10:11]");
    for (unsigned i = 0; i < 100; i++)
        assert_int_equal(word(&fixture, i), i < 70 ? 7 + i + i % 64 : 7);
    assert_int_equal(word(&fixture, 100), 0); /* a work-item that is not there stores nothing */
    fixture_close(&fixture);
    run_lanes(&fixture, 9, 64,
              "s_mov_b64 exec, 0xf0\nv_readfirstlane_b32 s12, v0\nv_readlane_b32 s13, v0, 9\n"
              "s_mov_b64 exec, -1\nv_mov_b32 v20, s12\nv_writelane_b32 v20, s13, 3");
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(word(&fixture, i), i == 3 ? 9 : 4);
    fixture_close(&fixture);
}

static void test_lds(void **state)
{
    (void)state;
    for (unsigned generation = 7; generation <= 9; generation += 2) {
        struct fixture fixture;
        /* Four waves write, meet, and read what another wave wrote, backwards. */
        run_lanes(&fixture, generation, 256,
                  "v_lshlrev_b32 v2, 1, v0\nds_write_b32 v1, v2\ns_waitcnt lgkmcnt(0)\ns_barrier\n"
                  "v_xor_b32 v3, 0x3fc, v1\nds_read_b32 v20, v3\ns_waitcnt lgkmcnt(0)");
        for (unsigned i = 0; i < 256; i++)
            assert_int_equal(word(&fixture, i), 2 * (255 - i));
        fixture_close(&fixture);
        run_lanes(&fixture, generation, 64,
                  "v_lshlrev_b32 v2, 3, v0\nv_mov_b32 v4, 0x80\nds_write2_b32 v2, v0, v4 offset1:1\n"
                  "ds_read_i8 v5, v2 offset:4\nds_add_u32 v2, v0\nds_add_rtn_u32 v6, v2, v0\n"
                  "ds_read_b64 v[8:9], v2\ns_waitcnt lgkmcnt(0)\nv_mul_lo_u32 v20, v8, v6\n"
                  "v_mul_lo_u32 v20, v20, v5\n");
        for (unsigned i = 0; i < 64; i++)
            assert_int_equal((int32_t)word(&fixture, i), -128 * (int32_t)(3 * i * 2 * i));
        fixture_close(&fixture);
    }
    struct fixture fixture;
    run_lanes(&fixture, 9, 64, "v_xor_b32 v2, 4, v1\nds_bpermute_b32 v20, v2, v0\ns_waitcnt lgkmcnt(0)");
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(word(&fixture, i), i ^ 1);
    fixture_close(&fixture);
}

/* Waves that come late to a barrier, one that ends before it, and offsets counted in 64 elements. */
static void test_barrier(void **state)
{
    (void)state;
    struct fixture fixture;
    run_lanes(&fixture, 9, 256,
              "v_readfirstlane_b32 s10, v0\ns_lshl_b32 s10, s10, 3\nlate: s_sub_u32 s10, s10, 1\n"
              "s_cbranch_scc0 late\nv_add_u32 v2, v0, 5\nds_write_b32 v1, v2\ns_waitcnt lgkmcnt(0)\n"
              "s_barrier\nv_xor_b32 v3, 0x300, v1\nds_read_b32 v20, v3\ns_waitcnt lgkmcnt(0)\n"
              "v_readfirstlane_b32 s10, v0\ns_cmp_lt_u32 s10, 64\ns_cbranch_scc0 more\n"
              "flat_store_dword v[30:31], v20\ns_endpgm\nmore: s_barrier");
    for (unsigned i = 0; i < 256; i++)
        assert_int_equal(word(&fixture, i), (i ^ 0xc0) + 5);
    fixture_close(&fixture);
    run_lanes(&fixture, 9, 64,
              "ds_write2st64_b32 v1, v0, v1 offset0:1 offset1:2\nds_read_b32 v2, v1 offset:256\n"
              "ds_read_b32 v3, v1 offset:512\ns_waitcnt lgkmcnt(0)\nv_add_u32 v20, v2, v3");
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(word(&fixture, i), 5 * i);
    fixture_close(&fixture);
}

/* What goes past L1: a line that is there is loaded 64 times over. */
static void test_cache_bits(void **state)
{
    (void)state;
    static const struct {
        const char *target, *load;
        enum gpu_level level;
    } rows[] = {
        {"gfx700", "flat_load_dword v2, v[30:31]", GPU_L1},
        {"gfx700", "flat_load_dword v2, v[30:31] glc", GPU_L2},
        {"gfx906", "global_load_dword v2, v[30:31], off slc", GPU_L1},
        {"gfx906", "global_load_dword v2, v[30:31], off glc slc", GPU_L2},
        {"gfx906", "flat_load_dword v2, v[30:31] glc", GPU_L2},
        {"gfx942", "global_load_dword v2, v[30:31], off nt", GPU_L1},
        {"gfx942", "global_load_dword v2, v[30:31], off sc0", GPU_L1},
        {"gfx942", "global_load_dword v2, v[30:31], off sc1", GPU_L2},
        {"gfx906", "ds_read_b32 v2, v0", GPU_SHARED},
        {"gfx906", "ds_read2_b32 v[2:3], v0 offset1:1", GPU_SHARED},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture fixture;
        char body[256];
        snprintf(body, sizeof body,
                 "flat_load_dword v2, v[30:31]\ns_memtime s[8:9]\n%s\n%s\ns_memtime s[8:9]\n%s", rows[i].load,
                 rows[i].load, rows[i].load);
        build_for(&fixture, rows[i].target, 64, body);
        unsigned wanted = strstr(rows[i].load, "read2") != NULL ? 256 : 128;
        fixture_run(&fixture, 0, 0);
        for (int level = 0; level < GPU_LEVELS; level++)
            assert_int_equal(fixture.result.loads[level], level == (int)rows[i].level ? wanted : 0);
        fixture_close(&fixture);
    }
}

/* gfx90a's operations on pairs. */
static void test_packed(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        float low, high;
    } rows[] = {
        {"v_pk_fma_f32 v[20:21], v[10:11], v[12:13], v[14:15]", 3.5F, 9},
        {"v_pk_mul_f32 v[20:21], v[10:11], v[12:13] op_sel:[1,0]", 4, 8},
        {"v_pk_add_f32 v[20:21], v[10:11], v[12:13]", 3.5F, 6},
        {"v_pk_mov_b32 v[20:21], v[10:11], v[12:13] op_sel:[0,1]", 1.5F, 4},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture fixture;
        char body[512];
        float got[2];
        snprintf(body, sizeof body,
                 "v_mov_b32 v10, 0x3fc00000\nv_mov_b32 v11, 2.0\nv_mov_b32 v12, 2.0\nv_mov_b32 v13, 4.0\n"
                 "v_mov_b32 v14, 0.5\nv_mov_b32 v15, 1.0\n%s\nflat_store_dwordx2 v[30:31], v[20:21]",
                 rows[i].text);
        build_for(&fixture, "gfx90a", 64, body);
        fixture_run(&fixture, 0, 0);
        memcpy(got, fixture.data, sizeof got);
        if (got[0] != rows[i].low || got[1] != rows[i].high)
            fail_msg("%s: %g and %g", rows[i].text, (double)got[0], (double)got[1]);
        fixture_close(&fixture);
    }
}

static void test_lds_limits(void **state)
{
    (void)state;
    struct fixture fixture;
    build(&fixture, 9, 64, "v_mov_b32 v1, 0x1000\nds_read_b32 v2, v1");
    assert_int_equal(fixture_try(&fixture, 0, 0), STATUS_FAILED);
    assert_non_null(strstr(fixture.error.message, "at 0x1000 of LDS, which has 4096"));
    fixture_close(&fixture);
    build(&fixture, 7, 64, "s_mov_b32 m0, 0\nv_mov_b32 v1, 0\nds_read_b32 v2, v1");
    assert_int_equal(fixture_try(&fixture, 0, 0), STATUS_FAILED);
    assert_non_null(strstr(fixture.error.message, "according to M0"));
    fixture_close(&fixture);
}

static void test_atomics(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t last; /* the word in the end */
    } rows[] = {
        {"flat_atomic_add v20, v[10:11], v0 glc", 2016},
        {"global_atomic_add v20, v[10:11], v0, off glc", 2016},
        {"flat_atomic_smax v20, v[10:11], v0 glc", 63},
        {"flat_atomic_inc v20, v[10:11], v2 glc", 64 % 5}, /* 0 to 4 over and over */
        {"flat_atomic_swap v20, v[10:11], v0 glc", 63},
        {"flat_atomic_or v20, v[10:11], v0 glc", 63},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture fixture;
        char body[256];
        snprintf(body, sizeof body,
                 "s_add_u32 s6, s4, 0x1000\ns_addc_u32 s7, s5, 0\nv_mov_b32 v10, s6\nv_mov_b32 v11, s7\n"
                 "v_mov_b32 v2, 4\n%s\ns_waitcnt vmcnt(0)",
                 rows[i].text);
        run_lanes(&fixture, 9, 64, body);
        uint32_t sum = 0;
        for (unsigned j = 0; j < 64; j++)
            sum += word(&fixture, j);
        assert_int_equal(word(&fixture, 0x400), rows[i].last);
        uint32_t wanted = 0; /* what came back, lane after lane */
        for (uint32_t j = 0, now = 0; j < 64; j++) {
            wanted += now;
            now = i < 2 ? now + j : i == 3 ? (now >= 4 ? 0 : now + 1) : i == 5 ? now | j : j;
        }
        assert_int_equal(sum, wanted);
        fixture_close(&fixture);
    }
}

/* GFX7's buffers: a 64-bit address, an offset in a register, and the end that the description tells. */
static void test_buffers(void **state)
{
    (void)state;
    struct fixture fixture;
    static const char BUFFER[] =
        "s_mov_b32 s8, s4\ns_mov_b32 s9, s5\ns_mov_b32 s10, 0x100\ns_mov_b32 s11, 0xf000\n"
        "v_mov_b32 v2, 3\nbuffer_store_dword v2, v1, s[8:11], 0 offen\n"
        "s_mov_b32 s12, 0\ns_mov_b32 s13, 0\ns_mov_b32 s14, 0\ns_mov_b32 s15, 0xf000\n"
        "buffer_load_dword v20, v[30:31], s[12:15], 0 addr64\n"
        "buffer_load_ubyte v3, v1, s[8:11], 4 offen offset:1\ns_waitcnt vmcnt(0)\n";
    char body[1024];
    snprintf(body, sizeof body, "%s", BUFFER);
    char *limit = strstr(body, "0x100");
    run_lanes(&fixture, 7, 60, body);
    for (unsigned i = 0; i < 60; i++)
        assert_int_equal(word(&fixture, i), 3);
    fixture_close(&fixture);
    memcpy(limit, "0x0ec", 5);
    build(&fixture, 7, 60, "");
    fixture_close(&fixture);
    struct buffer text = {0};
    buffer_printf(&text, "v_lshlrev_b32 v1, 2, v0\n%s", body);
    build(&fixture, 7, 60, text.data);
    assert_int_equal(fixture_try(&fixture, 0, 0), STATUS_FAILED);
    assert_non_null(strstr(fixture.error.message, "a buffer of 236 bytes"));
    buffer_free(&text);
    fixture_close(&fixture);
}

static void test_ends(void **state)
{
    (void)state;
    static const struct {
        const char *body, *reason;
    } rows[] = {
        {"loop: s_branch loop", "still running after 5000 instructions"},
        {"s_sethalt 1", "stops for good by s_sethalt"},
        {"s_trap 2", "stops for good by s_trap"},
        {"s_mov_b64 s[10:11], 0\ns_setpc_b64 s[10:11]", "is not in the code"},
        {"v_mov_b32 v100, 0", "uses v100; the kernel's descriptor has v0 to v63"},
        {"s_getreg_b32 s10, hwreg(HW_REG_LDS_ALLOC)", "reads hardware register 6"},
        {"flat_load_dword v2, v[30:31] offset:0\ns_waitcnt vmcnt(0)\nv_mov_b32 v2, 0\nv_mov_b32 v3, "
         "0\nflat_load_dword v4, "
         "v[2:3]",
         "reads 4 bytes at address 0x0"},
        {"v_add_f16 v2, v3, v4\nv_cos_f16 v2, v3", "not a known instruction"},
        {"s_branch 0x1000", "is not in the code"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture fixture;
        build(&fixture, 9, 64, rows[i].body);
        fixture.launch.most_instructions = 5000;
        assert_int_equal(fixture_try(&fixture, 0, 0), STATUS_FAILED);
        if (strstr(fixture.error.message, rows[i].reason) == NULL)
            fail_msg("%s: %s", rows[i].reason, fixture.error.message);
        fixture_close(&fixture);
    }
}

/* A compiler without optimization keeps what work-items have of their own in memory that is not there. */
static void test_scratch(void **state)
{
    (void)state;
    struct fixture fixture;
    build(&fixture, 9, 64, "");
    object_put((unsigned char *)fixture.object.data, OBJECT_KD + 4, 528, 4);
    assert_int_equal(fixture_try(&fixture, 0, 0), STATUS_FAILED);
    assert_non_null(strstr(fixture.error.message, "528 bytes of scratch memory"));
    assert_non_null(strstr(fixture.error.hint, "-O1"));
    fixture_close(&fixture);
}

/* What the decoder knows is executed. */
static void test_all_rows(void **state)
{
    (void)state;
    const struct wave_core core = {
        .kernel = {.vgprs = 512, .plain = 256, .registers = 512, .target = gcn_target_named("gfx90a")}};
    const struct gcn_row *row;
    for (unsigned i = 0; (row = gcn_row_at(i)) != NULL; i++) {
        struct wave_instruction it = {.in = {.row = row, .dst = GCN_VECTOR, .dst2 = GCN_NO_OPERAND}};
        struct error error;
        enum status status = wave_bind(&core, &it, 0, &error);
        if (status != STATUS_OK)
            fail_msg("%s", error.message);
        assert_true(it.run != NULL);
    }
}

int main(void)
{
#ifndef TRAUMA_LLVM_AMDGPU
    print_message("LLVM has no AMDGPU here\n");
    return 77;
#endif
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vector),  cmocka_unit_test(test_scalar),   cmocka_unit_test(test_exec),
        cmocka_unit_test(test_lds),     cmocka_unit_test(test_barrier),  cmocka_unit_test(test_cache_bits),
        cmocka_unit_test(test_atomics), cmocka_unit_test(test_buffers),  cmocka_unit_test(test_lds_limits),
        cmocka_unit_test(test_ends),    cmocka_unit_test(test_all_rows), cmocka_unit_test(test_packed),
        cmocka_unit_test(test_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
