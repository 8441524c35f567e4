/* Vector arithmetic on integers. Source: AMD's "Vega" and "Southern Islands" ISA manuals, chapter of vector
 * operations. */
#include "sim/gcn/wave_state.h"

#include <stddef.h>

#define A x->a[i]
#define B x->b[i]
#define C x->c[i]
#define SA ((int32_t)x->a[i])
#define SB ((int32_t)x->b[i])
#define SC ((int32_t)x->c[i])
#define EACH(name, value)                                                                                    \
    static void name(struct wave_vector *x)                                                                  \
    {                                                                                                        \
        for (unsigned i = 0; i < WAVE_LANES; i++)                                                            \
            x->d[i] = (uint32_t)(value);                                                                     \
    }
#define IN (x->in >> i & 1)
/* A sum or difference, and the lanes with a carry. */
#define CARRY(name, value, carries)                                                                          \
    static void name(struct wave_vector *x)                                                                  \
    {                                                                                                        \
        for (unsigned i = 0; i < WAVE_LANES; i++) {                                                          \
            x->d[i] = (uint32_t)(value);                                                                     \
            x->out |= (uint64_t)(carries) << i;                                                              \
        }                                                                                                    \
    }

static uint32_t low_mask(unsigned bits)
{
    return bits >= 32 ? UINT32_MAX : (UINT32_C(1) << bits) - 1;
}

static int32_t low24(uint32_t value)
{
    return (int32_t)(value << 8) >> 8;
}

static uint32_t field(uint32_t value, unsigned low, unsigned size)
{
    if (size == 0)
        return 0;
    size = size > 32 - low ? 32 - low : size;
    uint32_t sign = UINT32_C(1) << (size - 1);
    return ((value >> low & low_mask(size)) ^ sign) - sign;
}

static uint32_t reversed(uint32_t value)
{
    uint32_t to = 0;
    for (unsigned i = 0; i < 32; i++)
        to |= (value >> i & 1) << (31 - i);
    return to;
}

static uint32_t leading(uint32_t value)
{
    return value == 0 ? UINT32_MAX : (uint32_t)__builtin_clz(value);
}

static uint32_t middle(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t most = a > b ? a : b;
    uint32_t least = a > b ? b : a;
    return c > most ? most : c < least ? least : c;
}

static int32_t middle_signed(int32_t a, int32_t b, int32_t c)
{
    int32_t most = a > b ? a : b;
    int32_t least = a > b ? b : a;
    return c > most ? most : c < least ? least : c;
}

/* One of eight bytes: the second source's four, then the first's. Selectors above 7 are signs and constants.
 */
static uint32_t permuted(uint32_t a, uint32_t b, uint32_t selectors)
{
    uint64_t bytes = b | (uint64_t)a << 32;
    uint32_t to = 0;
    for (unsigned i = 0; i < 4; i++) {
        unsigned selector = selectors >> (8 * i) & 0xff;
        uint64_t byte = selector < 8     ? bytes >> (8 * selector) & 0xff
                        : selector < 12  ? (bytes >> (16 * (selector - 8) + 15) & 1) * 0xff
                        : selector == 12 ? 0
                                         : 0xff;
        to |= (uint32_t)byte << (8 * i);
    }
    return to;
}

EACH(v_cndmask_b32, IN != 0 ? B : A)
EACH(v_mov_b32, A)
EACH(v_not_b32, ~A)
EACH(v_bfrev_b32, reversed(A))
EACH(v_ffbh_u32, leading(A))
EACH(v_ffbl_b32, A == 0 ? UINT32_MAX : (uint32_t)__builtin_ctz(A))
EACH(v_ffbh_i32, SA == 0 || SA == -1 ? UINT32_MAX : leading(SA < 0 ? ~A : A))
EACH(v_mul_i32_i24, low24(A) * (int64_t)low24(B))
EACH(v_mul_hi_i32_i24, low24(A) * (int64_t)low24(B) >> 32)
EACH(v_mul_u32_u24, (A & 0xffffff) * (uint64_t)(B & 0xffffff))
EACH(v_mul_hi_u32_u24, (A & 0xffffff) * (uint64_t)(B & 0xffffff) >> 32)
EACH(v_min_i32, SA < SB ? SA : SB)
EACH(v_max_i32, SA > SB ? SA : SB)
EACH(v_min_u32, A < B ? A : B)
EACH(v_max_u32, A > B ? A : B)
EACH(v_lshr_b32, A >> (B & 31))
EACH(v_lshrrev_b32, B >> (A & 31))
EACH(v_ashr_i32, SA >> (B & 31))
EACH(v_ashrrev_i32, SB >> (A & 31))
EACH(v_lshl_b32, A << (B & 31))
EACH(v_lshlrev_b32, B << (A & 31))
EACH(v_and_b32, A &B)
EACH(v_or_b32, A | B)
EACH(v_xor_b32, A ^ B)
EACH(v_xnor_b32, ~(A ^ B))
EACH(v_bfm_b32, low_mask(A & 31) << (B & 31))
EACH(v_bcnt_u32_b32, (uint32_t)__builtin_popcount(A) + B)
EACH(v_mbcnt_lo_u32_b32, (uint32_t)__builtin_popcount(A &low_mask(i)) + B)
EACH(v_mbcnt_hi_u32_b32, (uint32_t)__builtin_popcount(i <= 32 ? 0 : A & low_mask(i - 32)) + B)
EACH(add, A + B)
EACH(sub, A - B)
EACH(subrev, B - A)
CARRY(add_co, A + B, ((uint64_t)A + B) >> 32)
CARRY(sub_co, A - B, B > A)
CARRY(subrev_co, B - A, A > B)
CARRY(addc, A + B + IN, ((uint64_t)A + B + IN) >> 32)
CARRY(subb, A - B - IN, B + IN > A)
CARRY(subbrev, B - A - IN, A + IN > B)
EACH(v_mad_i32_i24, low24(A) * (int64_t)low24(B) + SC)
EACH(v_mad_u32_u24, (A & 0xffffff) * (uint64_t)(B & 0xffffff) + C)
EACH(v_bfe_u32, A >> (B & 31) & low_mask(C & 31))
EACH(v_bfe_i32, field(A, B & 31, C & 31))
EACH(v_bfi_b32, (A & B) | (~A & C))
EACH(v_alignbit_b32, (B | (uint64_t)A << 32) >> (C & 31))
EACH(v_alignbyte_b32, (B | (uint64_t)A << 32) >> 8 * (C & 3))
EACH(v_sad_u32, (A > B ? A - B : B - A) + C)
EACH(v_min3_i32, SA < SB ? (SA < SC ? SA : SC) : (SB < SC ? SB : SC))
EACH(v_max3_i32, SA > SB ? (SA > SC ? SA : SC) : (SB > SC ? SB : SC))
EACH(v_min3_u32, A < B ? (A < C ? A : C) : (B < C ? B : C))
EACH(v_max3_u32, A > B ? (A > C ? A : C) : (B > C ? B : C))
EACH(v_med3_i32, middle_signed(SA, SB, SC))
EACH(v_med3_u32, middle(A, B, C))
EACH(v_add3_u32, A + B + C)
EACH(v_lshl_add_u32, (A << (B & 31)) + C)
EACH(v_add_lshl_u32, (A + B) << (C & 31))
EACH(v_lshl_or_b32, A << (B & 31) | C)
EACH(v_and_or_b32, (A & B) | C)
EACH(v_or3_b32, A | B | C)
EACH(v_xor3_b32, A ^ B ^ C)
EACH(v_maxmin_i32, (SA > SB ? SA : SB) < SC ? (SA > SB ? SA : SB) : SC)
EACH(v_minmax_i32, (SA < SB ? SA : SB) > SC ? (SA < SB ? SA : SB) : SC)
EACH(v_maxmin_u32, (A > B ? A : B) < C ? (A > B ? A : B) : C)
EACH(v_minmax_u32, (A < B ? A : B) > C ? (A < B ? A : B) : C)
EACH(v_xad_u32, (A ^ B) + C)
EACH(v_perm_b32, permuted(A, B, C))
EACH(v_mul_lo, A *B)
EACH(v_mul_hi_u32, (uint64_t)A *B >> 32)
EACH(v_mul_hi_i32, (int64_t)SA *SB >> 32)

#define ROW(name)                                                                                            \
    {                                                                                                        \
#name, NULL, name                                                                                    \
    }
const struct wave_vector_row wave_integer_rows[] = {
    ROW(v_cndmask_b32),
    ROW(v_mov_b32),
    {"v_accvgpr_read_b32", NULL, v_mov_b32},
    {"v_accvgpr_write_b32", NULL, v_mov_b32},
    {"v_accvgpr_mov_b32", NULL, v_mov_b32},
    ROW(v_not_b32),
    ROW(v_bfrev_b32),
    ROW(v_ffbh_u32),
    ROW(v_ffbl_b32),
    ROW(v_ffbh_i32),
    ROW(v_mul_i32_i24),
    ROW(v_mul_hi_i32_i24),
    ROW(v_mul_u32_u24),
    ROW(v_mul_hi_u32_u24),
    ROW(v_min_i32),
    ROW(v_max_i32),
    ROW(v_min_u32),
    ROW(v_max_u32),
    ROW(v_lshr_b32),
    ROW(v_lshrrev_b32),
    ROW(v_ashr_i32),
    ROW(v_ashrrev_i32),
    ROW(v_lshl_b32),
    ROW(v_lshlrev_b32),
    ROW(v_and_b32),
    ROW(v_or_b32),
    ROW(v_xor_b32),
    ROW(v_xnor_b32),
    ROW(v_bfm_b32),
    ROW(v_bcnt_u32_b32),
    ROW(v_mbcnt_lo_u32_b32),
    ROW(v_mbcnt_hi_u32_b32),
    {"v_add_u32", "i=ii", add},
    {"v_sub_u32", "i=ii", sub},
    {"v_subrev_u32", "i=ii", subrev},
    {"v_add_u32", "im=ii", add_co},
    {"v_sub_u32", "im=ii", sub_co},
    {"v_subrev_u32", "im=ii", subrev_co},
    {"v_add_i32", "im=ii", add_co},
    {"v_sub_i32", "im=ii", sub_co},
    {"v_subrev_i32", "im=ii", subrev_co},
    {"v_add_i32", "i=ii", add},
    {"v_sub_i32", "i=ii", sub},
    {"v_add_co_u32", NULL, add_co},
    {"v_sub_co_u32", NULL, sub_co},
    {"v_subrev_co_u32", NULL, subrev_co},
    {"v_addc_u32", NULL, addc},
    {"v_subb_u32", NULL, subb},
    {"v_subbrev_u32", NULL, subbrev},
    {"v_addc_co_u32", NULL, addc},
    {"v_subb_co_u32", NULL, subb},
    {"v_subbrev_co_u32", NULL, subbrev},
    ROW(v_mad_i32_i24),
    ROW(v_mad_u32_u24),
    ROW(v_bfe_u32),
    ROW(v_bfe_i32),
    ROW(v_bfi_b32),
    ROW(v_alignbit_b32),
    ROW(v_alignbyte_b32),
    ROW(v_sad_u32),
    ROW(v_min3_i32),
    ROW(v_max3_i32),
    ROW(v_min3_u32),
    ROW(v_max3_u32),
    ROW(v_med3_i32),
    ROW(v_med3_u32),
    ROW(v_add3_u32),
    ROW(v_lshl_add_u32),
    ROW(v_add_lshl_u32),
    ROW(v_lshl_or_b32),
    ROW(v_and_or_b32),
    ROW(v_or3_b32),
    ROW(v_xor3_b32),
    ROW(v_maxmin_i32),
    ROW(v_minmax_i32),
    ROW(v_maxmin_u32),
    ROW(v_minmax_u32),
    ROW(v_xad_u32),
    ROW(v_perm_b32),
    {"v_mul_lo_u32", NULL, v_mul_lo},
    {"v_mul_lo_i32", NULL, v_mul_lo},
    ROW(v_mul_hi_u32),
    ROW(v_mul_hi_i32),
    {NULL, NULL, NULL},
};

#undef A
#undef B
#undef C
#define A x->A[i]
#define B x->B[i]
#define EACH64(name, value)                                                                                  \
    static void name(struct wave_vector *x)                                                                  \
    {                                                                                                        \
        for (unsigned i = 0; i < WAVE_LANES; i++)                                                            \
            x->D[i] = (uint64_t)(value);                                                                     \
    }
EACH64(v_mov_b64, A)
EACH64(v_lshl_b64, A << (x->b[i] & 63))
EACH64(v_lshr_b64, A >> (x->b[i] & 63))
EACH64(v_ashr_i64, (int64_t)A >> (x->b[i] & 63))
EACH64(v_lshlrev_b64, B << (x->a[i] & 63))
EACH64(v_lshrrev_b64, B >> (x->a[i] & 63))
EACH64(v_ashrrev_i64, (int64_t)B >> (x->a[i] & 63))
EACH64(v_lshl_add_u64, (A << (x->b[i] & 7)) + x->C[i])

/* One half of each source. */
static void v_pk_mov_b32(struct wave_vector *x)
{
    for (unsigned i = 0; i < WAVE_LANES; i++)
        x->D[i] = (uint32_t)(A >> 32 * (x->select & 1)) | (B >> 32 * (x->select >> 1)) << 32;
}

static void v_mad_u64_u32(struct wave_vector *x)
{
    for (unsigned i = 0; i < WAVE_LANES; i++) {
        uint64_t product = (uint64_t)x->a[i] * x->b[i];
        x->D[i] = product + x->C[i];
        x->out |= (uint64_t)(x->D[i] < product) << i;
    }
}

static void v_mad_i64_i32(struct wave_vector *x)
{
    for (unsigned i = 0; i < WAVE_LANES; i++) {
        int64_t product = (int64_t)(int32_t)x->a[i] * (int32_t)x->b[i];
        int64_t sum;
        bool overflows = __builtin_add_overflow(product, (int64_t)x->C[i], &sum);
        x->out |= (uint64_t)(overflows != (sum < 0)) << i; /* bit 64 of the sum in 65 bits: its sign */
        x->D[i] = (uint64_t)sum;
    }
}

const struct wave_vector_row wave_long_rows[] = {
    ROW(v_mov_b64),     ROW(v_pk_mov_b32),  ROW(v_lshl_b64),     ROW(v_lshr_b64),
    ROW(v_ashr_i64),    ROW(v_lshlrev_b64), ROW(v_lshrrev_b64),  ROW(v_ashrrev_i64),
    ROW(v_mad_u64_u32), ROW(v_mad_i64_i32), ROW(v_lshl_add_u64), {NULL, NULL, NULL},
};
