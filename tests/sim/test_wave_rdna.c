/* The wave executor on GFX10 to GFX12: the operations' table, where these have the operation, and what is
 * specific to them: waves of 32, masks in one register, NULL, dual issue, compares that change EXEC. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/wave_fixture.h"
#include "tests/wave_object.h"
#include "tests/wave_scalar.h"
#include "tests/wave_vector.h"

enum { DATA_BYTES = 128 << 10, RESULT_WORDS = 4 };

static const struct processor {
    const char *target;
    unsigned lanes;
} processors[] = {{"gfx1010", 32}, {"gfx1030", 32}, {"gfx1030", 64}, {"gfx1100", 32},
                  {"gfx1100", 64}, {"gfx1201", 32}, {"gfx1201", 64}};
enum { PROCESSORS = sizeof processors / sizeof processors[0] };

/* s[4:5] and v[30:31] have the data's address. */
static void build(struct fixture *fixture, const struct processor *processor, unsigned threads,
                  const char *body)
{
    struct object_kernel kernel = {processor->target, 64, 4096, processor->lanes};
    struct buffer text = {0};
    fixture_open(fixture, 1, threads, DATA_BYTES);
    buffer_printf(&text,
                  "s_load_dwordx2 s[4:5], s[0:1], 0x10\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v30, s4\n"
                  "v_mov_b32 v31, s5\n%s\ns_endpgm\n",
                  body);
    object_assemble(&kernel, text.data, &fixture->object);
    buffer_free(&text);
}

/* Each thread leaves v20 in its own word of the data. */
static void run_lanes(struct fixture *fixture, const struct processor *processor, unsigned threads,
                      const char *body)
{
    struct buffer text = {0};
    buffer_printf(&text,
                  "v_lshlrev_b32 v1, 2, v0\nv_add_nc_u32 v30, v30, v1\n%s\nflat_store_dword v[30:31], v20",
                  body);
    build(fixture, processor, threads, text.data);
    buffer_free(&text);
    fixture_run(fixture, 0, 0);
}

static uint32_t word(const struct fixture *fixture, size_t at)
{
    uint32_t value;
    memcpy(&value, fixture->data + 4 * at, sizeof value);
    return value;
}

static bool assembles(const struct processor *processor, const char *text)
{
    struct isa isa = {
        .name = "gcn", .triple = "amdgcn--", .cpu = processor->target, .prepare = object_prepare};
    struct buffer object = {0};
    struct error error;
    bool good = mc_assemble(&isa, text, "text", &object, &error) == STATUS_OK;
    buffer_free(&object);
    return good;
}

/* GFX9's text as it is now: other names, and VCC of one register. */
static void translate(const char *text, char line[256])
{
    static const char *const names[][2] = {
        {"v_add_u32 ", "v_add_nc_u32 "},        {"v_sub_u32 ", "v_sub_nc_u32 "},
        {"v_subrev_u32 ", "v_subrev_nc_u32 "},  {"v_addc_co_u32 ", "v_add_co_ci_u32 "},
        {"v_subb_co_u32 ", "v_sub_co_ci_u32 "}, {"v_subbrev_co_u32 ", "v_subrev_co_ci_u32 "},
        {"v_add_i32 ", "v_add_nc_i32 "},        {"v_sub_i32 ", "v_sub_nc_i32 "},
    };
    size_t used = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strncmp(text, names[i][0], strlen(names[i][0])) == 0) {
            used = (size_t)snprintf(line, 256, "%s", names[i][1]);
            text += strlen(names[i][0]);
        }
    while (*text != '\0' && used < 240) {
        bool vcc = strncmp(text, "vcc", 3) == 0 && text[3] != '_';
        used += (size_t)snprintf(line + used, 256 - used, "%.*s", vcc ? 6 : 1, vcc ? "vcc_lo" : text);
        text += vcc ? 3 : 1;
    }
    line[used] = '\0';
}

static void put_pair(struct buffer *text, const char *move, char file, unsigned number, uint64_t value)
{
    buffer_printf(text, "%s %c%u, 0x%x\n%s %c%u, 0x%x\n", move, file, number, (unsigned)value, move, file,
                  number + 1, (unsigned)(value >> 32));
}

#define START UINT64_C(0x2222222211111111)

static void advance(struct buffer *text)
{
    buffer_text(text, "flat_store_dwordx4 v[30:31], v[20:23]\ns_add_u32 s4, s4, 16\nv_mov_b32 v30, s4\n");
}

static void add_vector(struct buffer *text, size_t i, const char *line)
{
    const uint64_t inputs[] = {vector_rows[i].a, vector_rows[i].b, vector_rows[i].c};
    for (unsigned j = 0; j < 3; j++)
        put_pair(text, "v_mov_b32", 'v', 10 + 2 * j, inputs[j]);
    put_pair(text, "v_mov_b32", 'v', 20, START);
    buffer_printf(text, "s_mov_b32 vcc_lo, %u\n%s\nv_mov_b32 v22, vcc_lo\nv_mov_b32 v23, 0\n",
                  vector_rows[i].before, line);
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

static void compare(const struct fixture *fixture, size_t at, const char *text, uint64_t d, unsigned after)
{
    uint32_t got[RESULT_WORDS];
    memcpy(got, fixture->data + at * sizeof got, sizeof got);
    uint64_t value = got[0] | (uint64_t)got[1] << 32;
    if (value != d || got[2] != after || got[3] != 0)
        fail_msg("%s: 0x%" PRIx64 " and %u, expected 0x%" PRIx64 " and %u", text, value, got[2], d, after);
}

/* The rows that the processor has, in waves of 32. */
static void check_vector(const struct processor *processor)
{
    enum { COUNT = sizeof vector_rows / sizeof vector_rows[0] };
    struct fixture fixture;
    struct buffer text = {0};
    size_t rows[COUNT] = {0};
    size_t count = 0;
    buffer_text(&text, "s_mov_b32 exec_lo, 1\n");
    for (size_t i = 0; i < COUNT; i++) {
        char line[256];
        translate(vector_rows[i].text, line);
        bool again = count > 0 && i > 0 && rows[count - 1] == i - 1 &&
                     strcmp(vector_rows[i].text, vector_rows[i - 1].text) == 0;
        if (vector_rows[i].generation != 9 || (!again && !assembles(processor, line)))
            continue;
        rows[count++] = i;
        add_vector(&text, i, line);
    }
    assert_true(count > 300);
    build(&fixture, processor, 32, text.data);
    fixture_run(&fixture, 0, 0);
    for (size_t i = 0; i < count; i++)
        compare(&fixture, i, vector_rows[rows[i]].text, vector_rows[rows[i]].d, vector_rows[rows[i]].after);
    buffer_free(&text);
    fixture_close(&fixture);
}

static void test_vector(void **state)
{
    (void)state;
    check_vector(&processors[1]);
    check_vector(&processors[3]);
    check_vector(&processors[5]);
}

/* Changes of EXEC in pairs of registers are for waves of 64, which test_exec64 has. */
static void check_scalar(const struct processor *processor)
{
    enum { COUNT = sizeof scalar_rows / sizeof scalar_rows[0] };
    struct fixture fixture;
    struct buffer text = {0};
    size_t rows[COUNT] = {0};
    size_t count = 0;
    for (size_t i = 0; i < COUNT; i++) {
        bool again = count > 0 && i > 0 && rows[count - 1] == i - 1 &&
                     strcmp(scalar_rows[i].text, scalar_rows[i - 1].text) == 0;
        if (strstr(scalar_rows[i].text, "exec") != NULL ||
            (!again && !assembles(processor, scalar_rows[i].text)))
            continue;
        rows[count++] = i;
        add_scalar(&text, i);
    }
    assert_true(count > 250);
    build(&fixture, processor, 32, text.data);
    fixture_run(&fixture, 0, 0);
    for (size_t i = 0; i < count; i++)
        compare(&fixture, i, scalar_rows[rows[i]].text, scalar_rows[rows[i]].d, scalar_rows[rows[i]].after);
    buffer_free(&text);
    fixture_close(&fixture);
}

static void test_scalar(void **state)
{
    (void)state;
    check_scalar(&processors[1]);
    check_scalar(&processors[3]);
    check_scalar(&processors[5]);
}

static void test_waves(void **state)
{
    (void)state;
    for (size_t i = 0; i < PROCESSORS; i++) {
        struct fixture fixture;
        run_lanes(&fixture, &processors[i], 100,
                  "v_mbcnt_lo_u32_b32 v20, -1, 0\nv_mbcnt_hi_u32_b32 v20, -1, v20");
        assert_int_equal(fixture.result.lanes, processors[i].lanes);
        assert_int_equal(fixture.result.wave_count, processors[i].lanes == 32 ? 4 : 2);
        for (unsigned j = 0; j < 100; j++)
            assert_int_equal(word(&fixture, j), j % processors[i].lanes);
        assert_int_equal(word(&fixture, 100), 0);
        fixture_close(&fixture);
    }
}

/* A body and what it leaves in each thread's word: a + b * thread, for the threads below `some` c instead. */
static const struct lanes_case {
    const char
        *first; /* of the processors: "gfx1100" for those from there on, "32" and "64" for such waves */
    const char *body;
    uint32_t a, b;
    unsigned some;
    uint32_t c;
} lanes_cases[] = {
    {"32",
     "v_mov_b32 v20, 7\nv_cmp_gt_u32 vcc_lo, 5, v0\ns_and_saveexec_b32 s10, vcc_lo\nv_mov_b32 v20, "
     "9\ns_mov_b32 exec_lo, s10",
     7, 0, 5, 9},
    {"32",
     "v_mov_b32 v20, 7\ns_mov_b32 s11, exec_lo\nv_cmpx_gt_u32 5, v0\nv_mov_b32 v20, 9\ns_mov_b32 exec_lo, "
     "s11",
     7, 0, 5, 9},
    {"32",
     "v_mov_b32 v20, 7\ns_mov_b32 s11, exec_lo\nv_cmpx_gt_u32_e64 5, v0\nv_mov_b32 v20, 9\ns_mov_b32 "
     "exec_lo, s11",
     7, 0, 5, 9},
    {"32", "v_mov_b32 v20, 3\nv_cmp_gt_u32 s10, 5, v0\nv_cndmask_b32 v20, v20, 4, s10", 3, 0, 5, 4},
    /* The saved mask is EXEC's, and a mask that is not of these lanes is not changed. */
    {"32", "s_mov_b32 s11, 0x1234\nv_cmp_gt_u32 s10, 5, v0\nv_mov_b32 v20, s11", 0x1234, 0, 0, 0},
    {"32", "s_mov_b32 s10, 31\ns_andn2_saveexec_b32 s11, s10\ns_mov_b32 exec_lo, s11\nv_mov_b32 v20, s11",
     0xffffffff, 0, 0, 0},
    {"32", "s_mov_b32 s10, 31\ns_andn2_wrexec_b32 s11, s10\ns_mov_b32 exec_lo, -1\nv_mov_b32 v20, s11", 0, 0,
     0, 0},
    {"32", "s_mov_b32 s10, 0\ns_or_saveexec_b32 s11, s10\ns_cselect_b32 s12, 5, 6\nv_mov_b32 v20, s12", 5, 0,
     0, 0},
    {"32",
     "s_mov_b32 s10, 0\ns_and_saveexec_b32 s11, s10\ns_cselect_b32 s12, 5, 6\ns_mov_b32 exec_lo, "
     "-1\nv_mov_b32 v20, s12",
     6, 0, 0, 0},
    {"32",
     "s_mov_b32 vcc_lo, 0\ns_mov_b32 vcc_hi, 1\nv_mov_b32 v20, 1\ns_cbranch_vccnz over\nv_mov_b32 v20, "
     "2\nover:",
     2, 0, 0, 0},
    /* LLVM's assembler takes waves of 32 for granted, and VCC for one register. */
    {"64",
     "v_mov_b32 v20, 7\ns_mov_b64 s[10:11], 31\ns_and_saveexec_b64 s[10:11], s[10:11]\nv_mov_b32 v20, 9\n"
     "s_mov_b64 exec, s[10:11]",
     7, 0, 5, 9},
    {"64",
     "s_mov_b32 vcc_lo, 0\ns_mov_b32 vcc_hi, 1\nv_mov_b32 v20, 1\ns_cbranch_vccnz over\nv_mov_b32 v20, "
     "2\nover:",
     1, 0, 0, 0},
    {"64",
     "v_mov_b32 v20, 7\ns_mov_b64 s[10:11], exec\nv_cmpx_gt_u32 5, v0\nv_mov_b32 v20, 9\ns_mov_b64 exec, "
     "s[10:11]",
     7, 0, 5, 9},
    {"", "s_mov_b32 s10, 5\ns_add_u32 null, s10, s10\ns_add_u32 s11, s10, null\nv_mov_b32 v20, s11", 5, 0, 0,
     0},
    {"", "v_mov_b32 v2, 3\nv_mov_b32 v4, 1\nv_mov_b32 v5, 0\nv_mad_u64_u32 v[20:21], null, v0, v2, v[4:5]", 1,
     3, 0, 0},
    {"", "v_xor3_b32 v20, v0, v0, 5", 5, 0, 0, 0},
    {"", "v_add_nc_u32_e64 v20, v0, 0x12345", 0x12345, 1, 0, 0},
    {"", "v_mov_b32 v2, 2.0\nv_fmamk_f32 v20, v2, 0x40400000, v2", 0x41000000, 0, 0, 0},
    {"", "v_mov_b32 v2, 2.0\nv_fmaak_f32 v20, v2, v2, 0x40400000", 0x40e00000, 0, 0, 0},
    {"",
     "s_pack_ll_b32_b16 s10, 1, 2\nv_mov_b32 v20, s10\ns_waitcnt_vscnt null, 0x0\ns_clause "
     "0x1\ns_inst_prefetch 0x1",
     0x20001, 0, 0, 0},
    {"gfx1100",
     "v_mov_b32 v2, 1\nv_mov_b32 v3, 2\nv_dual_mov_b32 v2, v3 :: v_dual_mov_b32 v3, v2\nv_lshl_add_u32 v20, "
     "v2, 4, v3",
     0x21, 0, 0, 0},
    {"gfx1100",
     "v_mov_b32 v3, v0\nv_mov_b32 v4, 1.0\nv_dual_add_f32 v6, 1.0, v4 :: v_dual_add_nc_u32 v3, 5, "
     "v3\nv_mov_b32 v20, v3",
     5, 1, 0, 0},
    {"gfx1100",
     "v_mov_b32 v2, 2.0\nv_mov_b32 v3, 1.0\nv_dual_fmac_f32 v3, v2, v2 :: v_dual_mul_f32 v2, "
     "0x40400000, v3\nv_add_f32 v20, v2, v3",
     0x41000000, 0, 0, 0},
    {"gfx1100", "v_maxmin_u32 v20, v0, 100, 3", 3, 0, 0, 0},
    {"gfx1100", "s_pack_hl_b32_b16 s10, 0x50000, 2\nv_mov_b32 v20, s10\ns_delay_alu instid0(VALU_DEP_1)",
     0x20005, 0, 0, 0},
    {"gfx1100",
     "v_mov_b32 v2, 0\nv_mov_b32 v3, 8\nv_mov_b32 v4, 0\nds_store_b32 v1, v2\nds_cmpstore_b32 v1, v3, "
     "v4\nds_load_b32 v20, v1\ns_waitcnt lgkmcnt(0)",
     8, 0, 0, 0},
    {"gfx1201",
     "s_mov_b32 s10, -1\ns_mov_b32 s11, 1\ns_add_nc_u64 s[10:11], s[10:11], 7\ns_sub_nc_u64 s[12:13], "
     "s[10:11], 9\n"
     "s_mul_u64 s[12:13], s[12:13], 3\ns_add_u32 s12, s12, s13\ns_add_u32 s12, s12, s10\nv_mov_b32 v20, s12",
     (0xfffffffd * 3ull + 5 + 6) & 0xffffffff, 0, 0, 0},
    {"gfx1201",
     "s_cvt_f32_u32 s10, 7\ns_cvt_f32_i32 s11, -3\ns_add_f32 s10, s10, s11\ns_mul_f32 s10, s10, "
     "4.0\ns_sub_f32 s10, "
     "s10, 1.0\nv_cvt_u32_f32 v20, s10",
     15, 0, 0, 0},
    {"gfx1201",
     "s_load_b96 s[12:14], s[0:1], 0x8\ns_waitcnt lgkmcnt(0)\ns_load_b32 s15, s[0:1], 0x10\n"
     "s_waitcnt lgkmcnt(0)\ns_sub_u32 s14, s14, s15\nv_mov_b32 v20, s14",
     0, 0, 0, 0},
    {"gfx1201",
     "v_mov_b32 v2, 1.0\nv_mov_b32 v3, 4.0\nv_min_num_f32 v4, v2, v3\nv_max_num_f32 v5, v2, v3\nv_sub_f32 "
     "v20, v5, "
     "v4\nv_cvt_u32_f32 v20, v20",
     3, 0, 0, 0},
    {"gfx1201",
     "v_cvt_f64_u32 v[2:3], v0\nv_add_f64 v[4:5], v[2:3], 1.0\nv_mul_f64 v[4:5], v[4:5], 2.0\nv_max_num_f64 "
     "v[4:5], "
     "v[4:5], v[2:3]\nv_min_num_f64 v[4:5], 0x44000000, v[4:5]\nv_cvt_u32_f64 v6, v[4:5]\nv_mov_b32 v7, "
     "0\nv_lshlrev_b64 v[20:21], 1, v[6:7]",
     4, 4, 0, 0},
    {"gfx10",
     "v_mov_b32 v2, 0\nv_mov_b32 v3, 8\nv_mov_b32 v4, 0\nds_write_b32 v1, v2\nds_cmpst_b32 v1, v4, "
     "v3\nds_read_b32 v20, v1\ns_waitcnt lgkmcnt(0)",
     8, 0, 0, 0},
    {"", "v_xor_b32 v2, 4, v1\nds_bpermute_b32 v3, v2, v0\ns_waitcnt lgkmcnt(0)\nv_xor_b32 v20, v3, v0", 1, 0,
     0, 0},
};

static bool is_for(const struct lanes_case *test, const struct processor *processor)
{
    if (strcmp(test->first, "32") == 0 || strcmp(test->first, "64") == 0)
        return processor->lanes == (unsigned)atoi(test->first);
    if (strcmp(test->first, "gfx10") == 0)
        return strcmp(processor->target, "gfx1100") < 0;
    return strcmp(test->first, processor->target) <= 0;
}

static void test_lanes(void **state)
{
    (void)state;
    size_t checked = 0;
    for (size_t i = 0; i < sizeof lanes_cases / sizeof lanes_cases[0]; i++)
        for (size_t j = 0; j < PROCESSORS; j++) {
            const struct lanes_case *test = &lanes_cases[i];
            struct fixture fixture;
            if (!is_for(test, &processors[j]))
                continue;
            run_lanes(&fixture, &processors[j], 32, test->body);
            for (unsigned k = 0; k < 32; k++)
                if (word(&fixture, k) != (k < test->some ? test->c : test->a + test->b * k))
                    fail_msg("%s, %u lanes: %s: thread %u has 0x%x", processors[j].target,
                             processors[j].lanes, test->body, k, word(&fixture, k));
            fixture_close(&fixture);
            checked++;
        }
    assert_true(checked > 60);
}

/* What goes past L0: GLC, from GFX12 on a scope beyond the compute unit's, and nothing else. */
static void test_cache_bits(void **state)
{
    (void)state;
    static const struct {
        const char *target, *load;
        enum gpu_level level;
    } rows[] = {
        {"gfx1030", "flat_load_dword v2, v[30:31]", GPU_L1},
        {"gfx1030", "flat_load_dword v2, v[30:31] slc", GPU_L1},
        {"gfx1030", "global_load_dword v2, v[30:31], off glc dlc", GPU_L2},
        {"gfx1030", "global_load_dword v2, v[30:31], off dlc", GPU_L1},
        {"gfx1030", "buffer_gl0_inv\nglobal_load_dword v2, v[30:31], off", GPU_L2},
        {"gfx1030", "buffer_gl1_inv\nglobal_load_dword v2, v[30:31], off", GPU_L1},
        {"gfx1030", "ds_read_b32 v2, v0", GPU_SHARED},
        {"gfx1100", "global_load_b32 v2, v[30:31], off", GPU_L1},
        {"gfx1100", "global_load_b32 v2, v[30:31], off slc dlc", GPU_L1},
        {"gfx1100", "global_load_b32 v2, v[30:31], off glc", GPU_L2},
        {"gfx1100", "flat_load_b32 v2, v[30:31] glc", GPU_L2},
        {"gfx1100", "ds_load_b32 v2, v0", GPU_SHARED},
        {"gfx1201", "global_load_b32 v2, v[30:31], off", GPU_L1},
        {"gfx1201", "global_load_b32 v2, v[30:31], off th:TH_LOAD_NT", GPU_L1},
        {"gfx1201", "global_load_b32 v2, v[30:31], off scope:SCOPE_SE", GPU_L2},
        {"gfx1201", "flat_load_b32 v2, v[30:31] scope:SCOPE_DEV", GPU_L2},
        {"gfx1201", "global_load_b32 v2, v[30:31], off th:TH_LOAD_BYPASS scope:SCOPE_SYS", GPU_L2},
        {"gfx1201", "global_inv scope:SCOPE_SE\nglobal_load_b32 v2, v[30:31], off", GPU_L2},
        {"gfx1201", "global_inv\nglobal_load_b32 v2, v[30:31], off", GPU_L1},
        {"gfx1201", "global_wb scope:SCOPE_SYS\nglobal_load_b32 v2, v[30:31], off", GPU_L1},
        {"gfx1201", "ds_load_b32 v2, v0", GPU_SHARED},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture fixture;
        char body[512];
        const struct processor processor = {rows[i].target, 32};
        const char *clock = strcmp(rows[i].target, "gfx1100") >= 0
                                ? "s_sendmsg_rtn_b64 s[8:9], sendmsg(MSG_RTN_GET_REALTIME)"
                                : "s_memtime s[8:9]";
        snprintf(body, sizeof body, "flat_load_dword v2, v[30:31]\n%s\n%s\n%s\n%s\n%s", clock, rows[i].load,
                 rows[i].load, clock, rows[i].load);
        build(&fixture, &processor, 32, body);
        fixture_run(&fixture, 0, 0);
        for (int level = 0; level < GPU_LEVELS; level++)
            assert_int_equal(fixture.result.loads[level], level == (int)rows[i].level ? 64 : 0);
        fixture_close(&fixture);
    }
}

static void test_ends(void **state)
{
    (void)state;
    static const struct {
        const char *target, *body, *reason;
    } rows[] = {
        {"gfx1030", "s_sendmsg sendmsg(MSG_INTERRUPT)", "sends message 1"},
        {"gfx1100", "s_sendmsg_rtn_b64 s[10:11], sendmsg(MSG_RTN_GET_TMA)", "sends message 130"},
        {"gfx1030", "s_code_end", "stops for good by s_code_end"},
        {"gfx1030", "s_round_mode 0x1", "rounding mode other than"},
        {"gfx1030", "s_getreg_b32 s10, hwreg(4)", "reads hardware register 4,"},
        {"gfx1100", "s_getreg_b32 s10, hwreg(29)", "reads hardware register 29,"},
        {"gfx1030", "v_mov_b32 v64, 0", "uses v64; the kernel's descriptor has v0 to v63"},
        {"gfx1100", "v_dual_mov_b32 v2, 0 :: v_dual_mov_b32 v65, 0", "uses v65"},
        {"gfx1100", "v_add_f16 v2, v3, v4", "not a known instruction"},
        {"gfx1100", "v_pk_add_f16 v2, v3, v4 clamp", "modifiers that are not supported"},
        {"gfx1201", "s_waitcnt vmcnt(3)", "waits by s_waitcnt"},
        {"gfx1201", "s_getreg_b32 s10, hwreg(4)", "reads hardware register 4,"},
        {"gfx1201", "s_sendmsg_rtn_b64 s[10:11], sendmsg(MSG_RTN_GET_TBA)", "sends message 133"},
        {"gfx1201", "s_barrier_wait -1", "has not arrived: expected s_barrier_signal"},
        {"gfx1201", "s_barrier_signal -1\ns_barrier_signal -1", "arrives twice"},
        {"gfx1201", "s_barrier_signal 2", "other than the work-group's"},
        {"gfx1201", "s_barrier_signal -1\ns_barrier_wait 2", "other than the work-group's"},
        {"gfx1201", "s_barrier_signal -1\nds_load_b32 v2, v0\ns_barrier_wait -1",
         "between s_barrier_signal and"},
        {"gfx1100", "v_mov_b32_e64_dpp v2, v3 quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf", "DPP"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture fixture;
        const struct processor processor = {rows[i].target, 32};
        build(&fixture, &processor, 32, rows[i].body);
        assert_int_equal(fixture_try(&fixture, 0, 0), STATUS_FAILED);
        if (strstr(fixture.error.message, rows[i].reason) == NULL)
            fail_msg("%s: %s", rows[i].reason, fixture.error.message);
        fixture_close(&fixture);
    }
}

/* Waves of a work-group fill a work-group processor: 32 of 32 lanes are no more than it takes. */
static void test_largest(void **state)
{
    (void)state;
    struct fixture fixture;
    for (unsigned i = 1; i < PROCESSORS; i += 4) {
        run_lanes(&fixture, &processors[i], 1024, "v_mov_b32 v20, v0\ns_barrier\n");
        for (unsigned j = 0; j < 1024; j++)
            assert_int_equal(word(&fixture, j), j);
        assert_int_equal(fixture.result.wave_count, 32);
        fixture_close(&fixture);
    }
    build(&fixture, &processors[5], 32, "s_nop 0");
    fixture.object.data[48] = (char)0xff; /* a processor that is not known */
    assert_int_equal(fixture_try(&fixture, 0, 0), STATUS_UNAVAILABLE);
    assert_non_null(strstr(fixture.error.message,
                           "code for an unknown processor cannot be executed here: only "
                           "GFX6 to GFX12 are supported"));
    fixture_close(&fixture);
}

/* From GFX12 on the work-group's number is in ttmp9, and no scalar register has it. */
static void test_group(void **state)
{
    (void)state;
    struct fixture fixture;
    struct object_kernel kernel = {"gfx1201", 64, 0, 32};
    fixture_open(&fixture, 8, 32, DATA_BYTES);
    object_assemble(&kernel,
                    "s_load_dwordx2 s[4:5], s[0:1], 0x10\ns_waitcnt lgkmcnt(0)\ns_lshl_b32 s6, ttmp9, 2\n"
                    "s_add_u32 s4, s4, s6\nv_mov_b32 v30, s4\nv_mov_b32 v31, s5\ns_add_u32 s2, s2, ttmp7\n"
                    "s_lshl_b32 s3, ttmp9, 8\ns_add_u32 s2, s2, s3\nv_mov_b32 v20, s2\n"
                    "flat_store_dword v[30:31], v20\ns_endpgm\n",
                    &fixture.object);
    fixture_run(&fixture, 0, 0);
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(word(&fixture, i), i << 8);
    fixture_close(&fixture);
}

int main(void)
{
#ifndef TRAUMA_LLVM_AMDGPU
    print_message("LLVM has no AMDGPU here\n");
    return 77;
#endif
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vector),  cmocka_unit_test(test_scalar),     cmocka_unit_test(test_waves),
        cmocka_unit_test(test_lanes),   cmocka_unit_test(test_cache_bits), cmocka_unit_test(test_ends),
        cmocka_unit_test(test_largest), cmocka_unit_test(test_group),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
