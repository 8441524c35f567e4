/* DPP, SDWA, operations on 16 bits and matrix operations, as compilers emit them: random inputs, and results
 * that the tests compute in their own way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "tests/wave_fixture.h"
#include "tests/wave_object.h"

enum { LANES = 64, DATA_BYTES = 64 << 10, WORDS = 40 };

/* Each lane has a row of words of the data: inputs in v10 to v13, results from v20 on are stored over it.
 * later: GFX10, waves of 64. */
static void run(struct fixture *fixture, const char *target, const char *body, unsigned results,
                const uint32_t *inputs)
{
    struct object_kernel kernel = {target, 128, 4096, 0};
    struct buffer text = {0};
    unsigned generation = gcn_target_named(target)->generation;
    /* The data's address has zeros in its lower half: there is no carry. */
    const char *add = generation == 8   ? "v_add_u32 v30, vcc"
                      : generation == 9 ? "v_add_u32 v30"
                                        : "v_add_nc_u32 v30";
    fixture_open(fixture, 1, LANES, DATA_BYTES);
    memcpy(fixture->data, inputs, (size_t)LANES * WORDS * sizeof *inputs);
    buffer_printf(&text,
                  "s_load_dwordx2 s[4:5], s[0:1], 0x10\nv_mul_u32_u24 v1, 0x%x, v0\ns_waitcnt lgkmcnt(0)\n"
                  "v_mov_b32 v31, s5\n%s, s4, v1\n"
                  "flat_load_dwordx4 v[10:13], v[30:31]\ns_waitcnt vmcnt(0) lgkmcnt(0)\n%s\n",
                  WORDS * 4, add, body);
    for (unsigned i = 0; i < results; i++)
        buffer_printf(&text, "flat_store_dword v[30:31], v%u\n%s, 4, v30\n", 32 + i, add);
    buffer_text(&text, "s_endpgm\n");
    object_assemble(&kernel, text.data, &fixture->object);
    buffer_free(&text);
    fixture_run(fixture, 0, 0);
}

static uint32_t result(const struct fixture *fixture, unsigned lane, unsigned number)
{
    uint32_t value;
    memcpy(&value, fixture->data + ((size_t)lane * WORDS + number) * 4, 4);
    return value;
}

static void fill(uint32_t inputs[LANES * WORDS], const char *name)
{
    struct random random = random_start(11, name);
    for (unsigned i = 0; i < LANES * WORDS; i++)
        inputs[i] = random_next(&random);
}

/* By DPP's text: the lane's source, or -1. */
static int other_mirror(int lane)
{
    return lane ^ 15;
}
static int other_half(int lane)
{
    return lane ^ 7;
}
static int other_quad(int lane)
{
    static const int order[] = {1, 0, 3, 2};
    return lane / 4 * 4 + order[lane % 4];
}
static int other_shr3(int lane)
{
    return lane % 16 < 3 ? -1 : lane - 3;
}
static int other_shl5(int lane)
{
    return lane % 16 > 10 ? -1 : lane + 5;
}
static int other_ror4(int lane)
{
    return lane % 16 < 4 ? lane + 12 : lane - 4;
}
static int other_wave_shr(int lane)
{
    return lane - 1;
}
static int other_wave_rol(int lane)
{
    return lane == 63 ? 0 : lane + 1;
}
static int other_bcast15(int lane)
{
    return lane < 16 ? -1 : lane / 16 * 16 - 1;
}
static int other_bcast31(int lane)
{
    return lane < 32 ? -1 : 31;
}
static int other_share(int lane)
{
    return lane / 16 * 16 + 6;
}
static int other_xmask(int lane)
{
    return lane ^ 5;
}
static int other_eight(int lane)
{
    return lane / 8 * 8 + 7 - lane % 8;
}

static const struct dpp_case {
    const char *target, *text;
    int (*source)(int lane);
    unsigned rows, banks;
    bool zero;
} dpp_cases[] = {
    {"gfx803", "row_mirror row_mask:0xf bank_mask:0xf", other_mirror, 15, 15, false},
    {"gfx803", "row_half_mirror row_mask:0x5 bank_mask:0xf", other_half, 5, 15, false},
    {"gfx906", "quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0x6", other_quad, 15, 6, false},
    {"gfx906", "row_shr:3 row_mask:0xf bank_mask:0xf", other_shr3, 15, 15, false},
    {"gfx906", "row_shl:5 row_mask:0xf bank_mask:0xf bound_ctrl:0", other_shl5, 15, 15, true},
    {"gfx906", "row_ror:4 row_mask:0xf bank_mask:0xf", other_ror4, 15, 15, false},
    {"gfx803", "wave_shr:1 row_mask:0xf bank_mask:0xf", other_wave_shr, 15, 15, false},
    {"gfx803", "wave_rol:1 row_mask:0xf bank_mask:0xf", other_wave_rol, 15, 15, false},
    {"gfx906", "row_bcast:15 row_mask:0xa bank_mask:0xf", other_bcast15, 10, 15, false},
    {"gfx906", "row_bcast:31 row_mask:0xc bank_mask:0xf", other_bcast31, 12, 15, false},
    {"gfx1030", "row_share:6 row_mask:0xf bank_mask:0xf", other_share, 15, 15, false},
    {"gfx1030", "row_xmask:5 row_mask:0xf bank_mask:0xf", other_xmask, 15, 15, false},
    {"gfx1030", "dpp8:[7,6,5,4,3,2,1,0]", other_eight, 15, 15, true},
};

static void test_dpp(void **state)
{
    (void)state;
    uint32_t inputs[LANES * WORDS];
    fill(inputs, "dpp");
    for (size_t i = 0; i < sizeof dpp_cases / sizeof dpp_cases[0]; i++) {
        const struct dpp_case *row = &dpp_cases[i];
        /* Once with all lanes, then with every third inactive: an inactive source is none. */
        for (unsigned partly = 0; partly < 2; partly++) {
            uint64_t exec = partly != 0 ? UINT64_C(0x6db6db6db6db6db6) : UINT64_MAX;
            struct fixture fixture;
            char body[400];
            snprintf(
                body, sizeof body,
                "v_mov_b32 v32, 77\nv_mov_b32 v33, 78\ns_mov_b32 exec_lo, 0x%x\ns_mov_b32 exec_hi, 0x%x\n"
                "s_nop 4\nv_mov_b32_dpp v32, v10 %s\nv_sub%s_f32_dpp v33, v10, v11 %s\ns_mov_b64 exec, -1\n",
                (unsigned)exec, (unsigned)(exec >> 32), row->text, "", row->text);
            run(&fixture, row->target, body, 2, inputs);
            for (int lane = 0; lane < LANES; lane++) {
                int from = row->source(lane);
                bool there = from >= 0 && (exec >> from & 1) != 0;
                bool written = (exec >> lane & 1) != 0 && (row->rows >> lane / 16 & 1) != 0 &&
                               (row->banks >> lane % 16 / 4 & 1) != 0 && (there || row->zero);
                uint32_t value = there ? inputs[from * WORDS] : 0;
                float a, b;
                memcpy(&a, &value, 4);
                memcpy(&b, &inputs[lane * WORDS + 1], 4);
                float difference = a - b;
                uint32_t bits;
                memcpy(&bits, &difference, 4);
                if (result(&fixture, (unsigned)lane, 0) != (written ? value : 77))
                    fail_msg("%s, lane %d: 0x%x", row->text, lane, result(&fixture, (unsigned)lane, 0));
                if (difference == difference)
                    assert_int_equal(result(&fixture, (unsigned)lane, 1), written ? bits : 78);
            }
            fixture_close(&fixture);
        }
    }
}

static const struct {
    const char *name;
    unsigned low, bits;
} parts[] = {{"BYTE_0", 0, 8},  {"BYTE_1", 8, 8},   {"BYTE_2", 16, 8}, {"BYTE_3", 24, 8},
             {"WORD_0", 0, 16}, {"WORD_1", 16, 16}, {"DWORD", 0, 32}};

static uint32_t part_of(uint32_t word, unsigned part, bool sign)
{
    uint64_t value = (uint64_t)word >> parts[part].low & ((UINT64_C(1) << parts[part].bits) - 1);
    if (sign && value >> (parts[part].bits - 1) != 0)
        value |= UINT64_MAX << parts[part].bits;
    return (uint32_t)value;
}

static void test_sdwa(void **state)
{
    (void)state;
    static const char *const rests[] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"};
    static const char *const targets[] = {"gfx803", "gfx906", "gfx1030"};
    uint32_t inputs[LANES * WORDS];
    struct random random = random_start(12, "sdwa");
    fill(inputs, "sdwa");
    for (unsigned i = 0; i < 60; i++) {
        unsigned a = random_below(&random, 7), b = random_below(&random, 7), to = random_below(&random, 7);
        unsigned rest = random_below(&random, 3), signs = random_below(&random, 4);
        struct fixture fixture;
        char body[600], tail[200];
        snprintf(tail, sizeof tail, "dst_sel:%s dst_unused:%s src0_sel:%s src1_sel:%s", parts[to].name,
                 rests[rest], parts[a].name, parts[b].name);
        const char *mask_name = i % 3 == 2 ? "vcc_lo" : "vcc"; /* LLVM's name where waves have 32 lanes */
        const char *left_text = (signs & 1) != 0 ? "sext(v10)" : "v10";
        const char *right_text = (signs & 2) != 0 ? "sext(v11)" : "v11";
        snprintf(body, sizeof body,
                 "v_mov_b32 v32, v12\nv_xor_b32_sdwa v32, %s, %s %s\n"
                 "v_cmp_lt_i32_sdwa %s, %s, %s src0_sel:%s src1_sel:%s\nv_cndmask_b32 v33, 0, 1, %s\n",
                 left_text, right_text, tail, mask_name, left_text, right_text, parts[a].name, parts[b].name,
                 mask_name);
        run(&fixture, targets[i % 3], body, 2, inputs);
        for (unsigned lane = 0; lane < LANES; lane++) {
            const uint32_t *in = &inputs[lane * WORDS];
            uint32_t left = part_of(in[0], a, (signs & 1) != 0), right = part_of(in[1], b, (signs & 2) != 0);
            uint32_t value = part_of(left ^ right, to >= 4 ? (to == 6 ? 6 : 4) : 0, rest == 1);
            uint32_t mask = (uint32_t)(((UINT64_C(1) << parts[to].bits) - 1) << parts[to].low);
            uint32_t wanted =
                rest == 2 ? (value << parts[to].low & mask) | (in[2] & ~mask) : value << parts[to].low;
            if (result(&fixture, lane, 0) != wanted)
                fail_msg("%s: 0x%x, expected 0x%x", body, result(&fixture, lane, 0), wanted);
            assert_int_equal(result(&fixture, lane, 1), (int32_t)left < (int32_t)right);
        }
        fixture_close(&fixture);
    }
}

/* Numbers worked out by hand: 0x3c00 is 1, 0x4000 is 2, 0x4200 is 3, 0x4880 is 9, 0x5640 is 100. */
static const struct half_case {
    const char *target, *text;
    uint32_t a, b, c, before, d;
} half_cases[] = {
    {"gfx803", "v_add_f16 v32, v10, v11", 0xffff3c00, 0x12344000, 0, 0x77777777, 0x4200},
    {"gfx906", "v_add_f16 v32, v10, v11", 0xffff3c00, 0x12344000, 0, 0x77777777, 0x4200},
    {"gfx1030", "v_add_f16 v32, v10, v11", 0xffff3c00, 0x12344000, 0, 0x77777777, 0x77774200},
    {"gfx906", "v_sub_f16 v32, 1.0, v11", 0, 0x4000, 0, 0, 0xbc00},
    {"gfx906", "v_mul_f16_e64 v32, v10, -|v11|", 0x4200, 0xc200, 0, 0, 0xc880},
    {"gfx906", "v_mul_f16_e64 v32, v10, v11 mul:2", 0x4000, 0x4000, 0, 0, 0x4800},
    {"gfx906", "v_fma_f16 v32, v10, v11, v12", 0x4200, 0x4200, 0xc880, 0x55550000, 0x55550000},
    {"gfx906", "v_fma_f16 v32, v10, v11, v12 op_sel:[1,0,0,1]", 0x42000000, 0x4200, 0x3c00, 0x1234,
     0x49001234},
    {"gfx803", "v_fma_f16 v32, v10, v11, v12", 0x4200, 0x4200, 0x3c00, 0x55550000, 0x4900},
    {"gfx906", "v_mac_f16 v32, v10, v11", 0x4200, 0x4200, 0, 0x55553c00, 0x55554900},
    {"gfx1030", "v_fmac_f16 v32, v10, v11", 0x4200, 0x4200, 0, 0x55553c00, 0x55554900},
    /* 1.0009765625 squared rounds to 1.001953125; less that, fma keeps 2^-20 and mad does not. */
    {"gfx906", "v_mad_legacy_f16 v32, v10, v11, v12", 0x3c01, 0x3c01, 0xbc02, 9, 0},
    {"gfx906", "v_fma_legacy_f16 v32, v10, v11, v12", 0x3c01, 0x3c01, 0xbc02, 9, 0x0010},
    {"gfx906", "v_cvt_f16_f32 v32, v10", 0x42c80000, 0, 0, 0x77777777, 0x5640},
    {"gfx906", "v_cvt_f32_f16 v32, v10", 0xabcd5640, 0, 0, 0, 0x42c80000},
    {"gfx906", "v_cvt_i16_f16 v32, v10", 0xd640, 0, 0, 0, 0xff9c},
    {"gfx906", "v_cvt_u16_f16 v32, v10", 0xd640, 0, 0, 0, 0},
    {"gfx906", "v_cvt_f16_i16 v32, v10", 0x1234ff9c, 0, 0, 0, 0xd640},
    {"gfx906", "v_cvt_pkrtz_f16_f32 v32, v10, v11", 0x3f803fff, 0x477fff00, 0, 0, 0x7bff3c01},
    {"gfx906", "v_pack_b32_f16 v32, v10, v11 op_sel:[1,0,0]", 0x3c000000, 0x4000, 0, 0, 0x40003c00},
    {"gfx906", "v_med3_f16 v32, v10, v11, v12", 0x4200, 0x3c00, 0x4000, 0, 0x4000},
    {"gfx906", "v_add_u16 v32, v10, v11", 0x1ffff, 0x20002, 0, 0x77777777, 1},
    {"gfx803", "v_sub_u16 v32, v10, v11", 1, 2, 0, 0x77777777, 0xffff},
    {"gfx1030", "v_sub_nc_u16 v32, v10, v11", 1, 2, 0, 0x77770000, 0x7777ffff},
    {"gfx1030", "v_add_nc_u16 v32, v10, v11 op_sel:[1,0,1]", 0x30000, 2, 0, 0x7777, 0x57777},
    {"gfx906", "v_mul_lo_u16 v32, v10, v11", 0x10003, 0x8001, 0, 0, 0x8003},
    {"gfx906", "v_mad_legacy_u16 v32, v10, v11, v12", 300, 300, 7, 0, 0x5f97},
    {"gfx906", "v_lshlrev_b16 v32, v10, v11", 0x14, 0x8123, 0, 0, 0x1230},
    {"gfx906", "v_ashrrev_i16 v32, 4, v11", 0, 0x8123, 0, 0, 0xf812},
    {"gfx906", "v_min_i16 v32, v10, v11", 0x8000, 1, 0, 0, 0x8000},
    {"gfx906", "v_max_u16 v32, v10, v11", 0x8000, 1, 0, 0, 0x8000},
    {"gfx906", "v_max3_i16 v32, v10, v11, v12", 0xffff, 0xfffe, 3, 0, 3},
    {"gfx906", "v_min3_u16 v32, v10, v11, v12", 0xffff, 0xfffe, 3, 0, 3},
    {"gfx906", "v_mad_i32_i16 v32, v10, v11, v12", 0xffff, 5, 0x10000, 0, 0xfffb},
    {"gfx906", "v_sad_u8 v32, v10, v11, v12", 0x01ff0005, 0x02000205, 10, 0, 268},
    {"gfx906", "v_fma_mix_f32 v32, v10, v11, v12 op_sel:[1,0,0] op_sel_hi:[1,0,0]", 0x40000000, 0x40400000,
     0x3f800000, 0, 0x40e00000},
    {"gfx906", "v_pk_add_f16 v32, v10, 1.0 op_sel_hi:[1,0]", 0x40003c00, 0, 0, 0, 0x42004000},
    {"gfx906", "v_pk_fma_f16 v32, v10, v11, v12", 0x4200, 0x4200, 0xc880, 0, 0},
    {"gfx90a", "v_pk_mul_f32 v[32:33], v[10:11], 0.5 op_sel_hi:[1,0]", 0x40000000, 0, 0, 0, 0x3f800000},
    {"gfx90a", "v_pk_add_f32 v[32:33], v[10:11], v[12:13] neg_lo:[1,0]", 0x3f800000, 0, 0x40400000, 0,
     0x40000000},
    {"gfx90a", "v_pk_add_f32 v[32:33], v[10:11], v[12:13] op_sel:[1,0]", 9, 0x3f800000, 0x40400000, 0,
     0x40800000},
    {"gfx906", "v_pk_sub_i16 v32, 0, v11", 0, 0x00010002, 0, 0, 0xfffffffe},
    {"gfx906", "v_pk_add_u16 v32, v10, -1", 0x00050006, 0, 0, 0, 0x00040005},
};

static void test_halves(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof half_cases / sizeof half_cases[0]; i++) {
        const struct half_case *row = &half_cases[i];
        uint32_t inputs[LANES * WORDS] = {row->a, row->b, row->c, row->before};
        struct fixture fixture;
        char body[300];
        snprintf(body, sizeof body, "v_mov_b32 v32, v13\n%s\n", row->text);
        run(&fixture, row->target, body, 1, inputs);
        if (result(&fixture, 0, 0) != row->d)
            fail_msg("%s, %s: 0x%08x, expected 0x%08x", row->target, row->text, result(&fixture, 0, 0),
                     row->d);
        fixture_close(&fixture);
    }
}

/* Small whole numbers, so that no sum rounds. each: elements in a lane's operand; bits: of an element. */
static const struct matrix_case {
    const char *target, *text;
    unsigned side, depth, blocks, each, registers;
    char type; /* f: 32 bits, h: halves, b: bf16, i: bytes */
} matrix_cases[] = {
    {"gfx908", "v_mfma_f32_32x32x1f32 a[0:31], v10, v12, a[0:31]", 32, 1, 2, 1, 32, 'f'},
    {"gfx90a", "v_mfma_f32_16x16x1f32 a[0:15], v10, v12, a[0:15]", 16, 1, 4, 1, 16, 'f'},
    {"gfx908", "v_mfma_f32_4x4x1f32 a[0:3], v10, v12, a[0:3]", 4, 1, 16, 1, 4, 'f'},
    {"gfx90a", "v_mfma_f32_32x32x2f32 a[0:15], v10, v12, a[0:15]", 32, 2, 1, 1, 16, 'f'},
    {"gfx908", "v_mfma_f32_16x16x4f32 a[0:3], v10, v12, a[0:3]", 16, 4, 1, 1, 4, 'f'},
    {"gfx90a", "v_mfma_f32_32x32x8f16 a[0:15], v[10:11], v[12:13], a[0:15]", 32, 8, 1, 4, 16, 'h'},
    {"gfx908", "v_mfma_f32_16x16x16f16 a[0:3], v[10:11], v[12:13], a[0:3]", 16, 16, 1, 4, 4, 'h'},
    {"gfx908", "v_mfma_f32_16x16x8bf16 a[0:3], v10, v12, a[0:3]", 16, 8, 1, 2, 4, 'b'},
    {"gfx90a", "v_mfma_f32_16x16x16bf16_1k a[0:3], v[10:11], v[12:13], a[0:3]", 16, 16, 1, 4, 4, 'b'},
    {"gfx908", "v_mfma_i32_32x32x8i8 a[0:15], v10, v12, a[0:15]", 32, 8, 1, 4, 16, 'i'},
    {"gfx90a", "v_mfma_i32_4x4x4i8 a[0:3], v10, v12, a[0:3]", 4, 4, 16, 4, 4, 'i'},
};

static uint32_t encoded(char type, int value)
{
    static const uint16_t halves[] = {0, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700};
    float number = (float)value;
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    if (type == 'h')
        return halves[value < 0 ? -value : value] | (value < 0 ? 0x8000 : 0);
    return type == 'f' ? bits : type == 'b' ? bits >> 16 : (uint32_t)value & 0xff;
}

static void test_matrices(void **state)
{
    (void)state;
    struct random random = random_start(13, "matrices");
    for (size_t i = 0; i < sizeof matrix_cases / sizeof matrix_cases[0]; i++) {
        const struct matrix_case *row = &matrix_cases[i];
        static int a[16][32][16], b[16][32][16];
        uint32_t inputs[LANES * WORDS] = {0};
        unsigned bits = row->type == 'f' ? 32 : row->type == 'i' ? 8 : 16;
        struct buffer body = {0};
        struct fixture fixture;
        for (unsigned block = 0; block < row->blocks; block++)
            for (unsigned at = 0; at < row->side; at++)
                for (unsigned k = 0; k < row->depth; k++) {
                    a[block][at][k] = (int)random_below(&random, 15) - 7;
                    b[block][at][k] = (int)random_below(&random, 15) - 7;
                    unsigned lane =
                        row->blocks > 1 ? block * row->side + at : at + row->side * (k / row->each);
                    unsigned low = k % row->each * bits;
                    uint32_t *to = &inputs[lane * WORDS + low / 32];
                    to[0] |= encoded(row->type, a[block][at][k]) << low % 32;
                    to[2] |= encoded(row->type, b[block][at][k]) << low % 32;
                }
        for (unsigned r = 0; r < row->registers; r++) /* C is 100 */
            buffer_printf(&body, "v_mov_b32 v2, 0x%x\ns_nop 4\nv_accvgpr_write_b32 a%u, v2\n",
                          row->type == 'i' ? 100 : 0x42c80000, r);
        buffer_printf(&body, "s_nop 4\ns_mov_b64 exec, 1\n%s\ns_mov_b64 exec, -1\ns_nop 15\ns_nop 15\n",
                      row->text);
        for (unsigned r = 0; r < row->registers; r++)
            buffer_printf(&body, "v_accvgpr_read_b32 v%u, a%u\n", 32 + r, r);
        run(&fixture, row->target, body.data, row->registers, inputs);
        for (unsigned block = 0; block < row->blocks; block++)
            for (unsigned r = 0; r < row->side; r++)
                for (unsigned c = 0; c < row->side; c++) {
                    int sum = 100;
                    for (unsigned k = 0; k < row->depth; k++)
                        sum += a[block][r][k] * b[block][c][k];
                    unsigned lane = row->side == 4 ? block * 4 + c : r / 4 % (64 / row->side) * row->side + c;
                    unsigned group = row->side == 32 ? r / 8 * 4 : 0;
                    unsigned number =
                        r % 4 + group + (row->side == 4 ? 0 : block * (row->side == 32 ? 16 : 4));
                    uint32_t wanted = row->type == 'i' ? (uint32_t)sum : encoded('f', sum);
                    if (result(&fixture, lane, number) != wanted)
                        fail_msg("%s, block %u, row %u, column %u: 0x%x, expected 0x%x", row->text, block, r,
                                 c, result(&fixture, lane, number), wanted);
                }
        buffer_free(&body);
        fixture_close(&fixture);
    }
}

static void refused(const char *target, const char *text, const char *reason)
{
    struct object_kernel kernel = {target, 128, 4096, 0};
    struct fixture fixture;
    fixture_open(&fixture, 1, LANES, DATA_BYTES);
    object_assemble(&kernel, text, &fixture.object);
    assert_int_equal(fixture_try(&fixture, 0, 0), STATUS_FAILED);
    if (strstr(fixture.error.message, reason) == NULL)
        fail_msg("%s: %s", text, fixture.error.message);
    assert_non_null(strstr(fixture.error.message, "offset 0x"));
    fixture_close(&fixture);
}

static void test_refusals(void **state)
{
    (void)state;
    refused("gfx942", "v_mfma_f32_16x16x4_f32 a[0:3], v1, v2, a[0:3]\ns_endpgm\n", "not supported");
    refused("gfx900", "v_mad_mix_f32 v1, v2, v3, v4\ns_endpgm\n", "not supported");
    refused("gfx90a", "v_accvgpr_write_b32 a200, v1\ns_endpgm\n", "a200");
    refused("gfx90a", "v_mov_b32 v70, v1\ns_endpgm\n", "v70");
    refused("gfx908", "v_mfma_f32_4x4x1f32 a[0:3], v1, v2, a[0:3] cbsz:2 abid:1\ns_endpgm\n", "CBSZ");
}

int main(void)
{
#ifndef TRAUMA_LLVM_AMDGPU
    print_message("LLVM has no AMDGPU here\n");
    return 77;
#endif
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dpp),      cmocka_unit_test(test_sdwa),     cmocka_unit_test(test_halves),
        cmocka_unit_test(test_matrices), cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
