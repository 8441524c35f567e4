/* Arithmetic on 16 bits, packed arithmetic on two halves, and dot products. Floating-point results are
 * rounded to nearest even. Source: AMD's "GCN3", "Vega" 7nm and MI100 ISA manuals. */
#include "sim/gcn/wave_state.h"
#include "sim/number_bits.h"

#include <math.h>
#include <stddef.h>

/* The half of a source that a modifier selects, negated if a modifier requires it. */
static uint32_t half_of(uint32_t word, unsigned number, unsigned select, unsigned minus)
{
    return (word >> ((select >> number & 1) != 0 ? 16 : 0) & 0xffff) ^ (minus >> number & 1) << 15;
}

#define A(type) ((type)half_of(x->a[i], 0, select, minus))
#define B(type) ((type)half_of(x->b[i], 1, select, minus))
#define C(type) ((type)half_of(x->c[i], 2, select, minus))
#define EACH_HALF(name, value)                                                                               \
    static void name(struct wave_vector *x)                                                                  \
    {                                                                                                        \
        for (unsigned i = 0; i < WAVE_LANES; i++) {                                                          \
            uint32_t both = 0;                                                                               \
            for (unsigned high = 0; high < 2; high++) {                                                      \
                unsigned select = high != 0 ? x->select_high : x->select;                                    \
                unsigned minus = high != 0 ? x->neg_high : x->neg;                                           \
                both |= ((uint32_t)(value)&0xffff) << 16 * high;                                             \
            }                                                                                                \
            x->d[i] = both;                                                                                  \
        }                                                                                                    \
    }
#define FLOAT_HALF(letter) of_half(letter(uint32_t))

EACH_HALF(v_pk_mad_i16, A(uint32_t) * B(uint32_t) + C(uint32_t))
EACH_HALF(v_pk_mul_lo_u16, A(uint32_t) * B(uint32_t))
EACH_HALF(v_pk_add_u16, A(uint32_t) + B(uint32_t))
EACH_HALF(v_pk_sub_u16, A(uint32_t) - B(uint32_t))
EACH_HALF(v_pk_lshlrev_b16, B(uint32_t) << (A(uint32_t) & 15))
EACH_HALF(v_pk_lshrrev_b16, B(uint32_t) >> (A(uint32_t) & 15))
EACH_HALF(v_pk_ashrrev_i16, B(int16_t) >> (A(uint32_t) & 15))
EACH_HALF(v_pk_max_i16, A(int16_t) > B(int16_t) ? A(int16_t) : B(int16_t))
EACH_HALF(v_pk_min_i16, A(int16_t) < B(int16_t) ? A(int16_t) : B(int16_t))
EACH_HALF(v_pk_max_u16, A(uint16_t) > B(uint16_t) ? A(uint16_t) : B(uint16_t))
EACH_HALF(v_pk_min_u16, A(uint16_t) < B(uint16_t) ? A(uint16_t) : B(uint16_t))
EACH_HALF(v_pk_fma_f16, to_half(FLOAT_HALF(A) * FLOAT_HALF(B) + FLOAT_HALF(C)))
EACH_HALF(v_pk_add_f16, to_half(FLOAT_HALF(A) + FLOAT_HALF(B)))
EACH_HALF(v_pk_mul_f16, to_half(FLOAT_HALF(A) * FLOAT_HALF(B)))
EACH_HALF(v_pk_min_f16, to_half(fmin(FLOAT_HALF(A), FLOAT_HALF(B))))
EACH_HALF(v_pk_max_f16, to_half(fmax(FLOAT_HALF(A), FLOAT_HALF(B))))

/* The element with that many bits. */
static uint32_t unsigned_part(uint32_t word, unsigned number, unsigned bits)
{
    return word >> (number * bits) & (bits == 16 ? 0xffff : bits == 8 ? 0xff : 0xf);
}

static uint32_t signed_part(uint32_t word, unsigned number, unsigned bits)
{
    uint32_t sign = UINT32_C(1) << (bits - 1);
    return (unsigned_part(word, number, bits) ^ sign) - sign;
}

#define DOT(name, part, bits)                                                                                \
    static void name(struct wave_vector *x)                                                                  \
    {                                                                                                        \
        for (unsigned i = 0; i < WAVE_LANES; i++) {                                                          \
            uint32_t sum = x->c[i];                                                                          \
            for (unsigned k = 0; k < 32 / (bits); k++)                                                       \
                sum += part(x->a[i], k, bits) * part(x->b[i], k, bits);                                      \
            x->d[i] = sum;                                                                                   \
        }                                                                                                    \
    }
DOT(v_dot2_i32_i16, signed_part, 16)
DOT(v_dot2_u32_u16, unsigned_part, 16)
DOT(v_dot4_i32_i8, signed_part, 8)
DOT(v_dot4_u32_u8, unsigned_part, 8)
DOT(v_dot8_i32_i4, signed_part, 4)
DOT(v_dot8_u32_u4, unsigned_part, 4)

#undef A
#undef B
#undef C
/* Operations on one 16-bit number per register, which is in the lower half. */
#define A of_half(x->a[i])
#define B of_half(x->b[i])
#define C of_half(x->c[i])
#define UA (x->a[i] & 0xffff)
#define UB (x->b[i] & 0xffff)
#define UC (x->c[i] & 0xffff)
#define SA ((int16_t)x->a[i])
#define SB ((int16_t)x->b[i])
#define SC ((int16_t)x->c[i])
#define EACH(name, value)                                                                                    \
    static void name(struct wave_vector *x)                                                                  \
    {                                                                                                        \
        for (unsigned i = 0; i < WAVE_LANES; i++)                                                            \
            x->d[i] = (uint32_t)(value);                                                                     \
    }

static double middle(double a, double b, double c)
{
    return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

static int32_t middle_whole(int32_t a, int32_t b, int32_t c)
{
    int32_t most = a > b ? a : b;
    int32_t least = a > b ? b : a;
    return c > most ? most : c < least ? least : c;
}

/* Truncates; saturates; NaN becomes 0. */
static int32_t whole_of(double value, int32_t least, int32_t most)
{
    return isnan(value) ? 0 : value <= least ? least : value >= most ? most : (int32_t)value;
}

static int32_t between(int64_t value, int32_t least, int32_t most)
{
    return (int32_t)(value < least ? least : value > most ? most : value);
}

/* Rounded toward zero. */
static uint32_t cut_half(double value)
{
    uint32_t nearest = to_half(value);
    return fabs(of_half(nearest)) > fabs(value) ? nearest - 1 : nearest;
}

static uint32_t differences(uint32_t a, uint32_t b, unsigned bits)
{
    uint32_t sum = 0;
    for (unsigned k = 0; k < 32 / bits; k++) {
        uint32_t one = unsigned_part(a, k, bits), other = unsigned_part(b, k, bits);
        sum += one > other ? one - other : other - one;
    }
    return sum;
}

EACH(v_add_f16, to_half(A + B))
EACH(v_sub_f16, to_half(A - B))
EACH(v_subrev_f16, to_half(B - A))
EACH(v_mul_f16, to_half(A *B))
EACH(v_min_f16, to_half(fmin(A, B)))
EACH(v_max_f16, to_half(fmax(A, B)))
EACH(v_mad_f16, to_half(of_half(to_half(A *B)) + C)) /* the product is rounded, too */
EACH(v_fma_f16, to_half(A *B + C))
EACH(v_ldexp_f16, to_half(ldexp(A, SB)))
EACH(v_min3_f16, to_half(fmin(fmin(A, B), C)))
EACH(v_max3_f16, to_half(fmax(fmax(A, B), C)))
EACH(v_med3_f16, to_half(middle(A, B, C)))
EACH(v_rcp_f16, to_half(1 / A))
EACH(v_sqrt_f16, to_half(sqrt(A)))
EACH(v_rsq_f16, to_half(1 / sqrt(A)))
EACH(v_log_f16, to_half(log2(A)))
EACH(v_exp_f16, to_half(exp2(A)))
EACH(v_floor_f16, to_half(floor(A)))
EACH(v_ceil_f16, to_half(ceil(A)))
EACH(v_trunc_f16, to_half(trunc(A)))
EACH(v_rndne_f16, to_half(nearbyint(A)))
EACH(v_fract_f16, cut_half(A - floor(A)))
EACH(v_cvt_f16_f32, to_half((double)float_of(x->a[i])))
EACH(v_cvt_f32_f16, bits_of_float((float)A))
EACH(v_cvt_f16_u16, to_half(UA))
EACH(v_cvt_f16_i16, to_half(SA))
EACH(v_cvt_u16_f16, whole_of(A, 0, UINT16_MAX))
EACH(v_cvt_i16_f16, whole_of(A, INT16_MIN, INT16_MAX))
EACH(v_cvt_pkrtz_f16_f32, cut_half((double)float_of(x->a[i])) | cut_half((double)float_of(x->b[i])) << 16)
EACH(v_cvt_pk_u16_u32,
     (x->a[i] > UINT16_MAX ? UINT16_MAX : x->a[i]) | (x->b[i] > UINT16_MAX ? UINT16_MAX : x->b[i]) << 16)
EACH(v_cvt_pk_i16_i32, (uint16_t)between((int32_t)x->a[i], INT16_MIN, INT16_MAX) |
                           (uint32_t)between((int32_t)x->b[i], INT16_MIN, INT16_MAX) << 16)
EACH(v_pack_b32_f16, UA | UB << 16)
EACH(v_add_u16, UA + UB)
EACH(v_sub_u16, UA - UB)
EACH(v_subrev_u16, UB - UA)
EACH(v_mul_lo_u16, UA *UB)
EACH(v_lshlrev_b16, UB << (UA & 15))
EACH(v_lshrrev_b16, UB >> (UA & 15))
EACH(v_ashrrev_i16, SB >> (UA & 15))
EACH(v_max_u16, UA > UB ? UA : UB)
EACH(v_max_i16, SA > SB ? SA : SB)
EACH(v_min_u16, UA < UB ? UA : UB)
EACH(v_min_i16, SA < SB ? SA : SB)
EACH(v_mad_u16, UA *UB + UC)
EACH(v_min3_i16, between(SA < SB ? SA : SB, INT16_MIN, SC))
EACH(v_max3_i16, between(SA > SB ? SA : SB, SC, INT16_MAX))
EACH(v_min3_u16, between(UA < UB ? UA : UB, 0, (int32_t)UC))
EACH(v_max3_u16, between(UA > UB ? UA : UB, (int32_t)UC, UINT16_MAX))
EACH(v_med3_i16, middle_whole(SA, SB, SC))
EACH(v_med3_u16, middle_whole((int32_t)UA, (int32_t)UB, (int32_t)UC))
EACH(v_mad_u32_u16, UA *UB + x->c[i])
EACH(v_mad_i32_i16, (uint32_t)(SA *SB) + x->c[i])
EACH(v_sad_u8, differences(x->a[i], x->b[i], 8) + x->c[i])
EACH(v_sad_u16, differences(x->a[i], x->b[i], 16) + x->c[i])

#define ROW(name)                                                                                            \
    {                                                                                                        \
#name, NULL, name                                                                                    \
    }
const struct wave_vector_row wave_half_rows[] = {
    ROW(v_pk_mad_i16),
    {"v_pk_mad_u16", NULL, v_pk_mad_i16},
    ROW(v_pk_mul_lo_u16),
    ROW(v_pk_add_u16),
    {"v_pk_add_i16", NULL, v_pk_add_u16},
    ROW(v_pk_sub_u16),
    {"v_pk_sub_i16", NULL, v_pk_sub_u16},
    ROW(v_pk_lshlrev_b16),
    ROW(v_pk_lshrrev_b16),
    ROW(v_pk_ashrrev_i16),
    ROW(v_pk_max_i16),
    ROW(v_pk_min_i16),
    ROW(v_pk_max_u16),
    ROW(v_pk_min_u16),
    ROW(v_pk_fma_f16),
    ROW(v_pk_add_f16),
    ROW(v_pk_mul_f16),
    ROW(v_pk_min_f16),
    ROW(v_pk_max_f16),
    ROW(v_dot2_i32_i16),
    ROW(v_dot2_u32_u16),
    ROW(v_dot4_i32_i8),
    ROW(v_dot4_u32_u8),
    ROW(v_dot8_i32_i4),
    ROW(v_dot8_u32_u4),
    ROW(v_add_f16),
    ROW(v_sub_f16),
    ROW(v_subrev_f16),
    ROW(v_mul_f16),
    ROW(v_min_f16),
    ROW(v_max_f16),
    ROW(v_mad_f16),
    ROW(v_fma_f16),
    ROW(v_ldexp_f16),
    ROW(v_min3_f16),
    ROW(v_max3_f16),
    ROW(v_med3_f16),
    ROW(v_rcp_f16),
    ROW(v_sqrt_f16),
    ROW(v_rsq_f16),
    ROW(v_log_f16),
    ROW(v_exp_f16),
    ROW(v_floor_f16),
    ROW(v_ceil_f16),
    ROW(v_trunc_f16),
    ROW(v_rndne_f16),
    ROW(v_fract_f16),
    ROW(v_cvt_f16_f32),
    ROW(v_cvt_f32_f16),
    ROW(v_cvt_f16_u16),
    ROW(v_cvt_f16_i16),
    ROW(v_cvt_u16_f16),
    ROW(v_cvt_i16_f16),
    ROW(v_cvt_pkrtz_f16_f32),
    ROW(v_cvt_pk_u16_u32),
    ROW(v_cvt_pk_i16_i32),
    ROW(v_pack_b32_f16),
    ROW(v_add_u16),
    ROW(v_sub_u16),
    ROW(v_subrev_u16),
    ROW(v_mul_lo_u16),
    ROW(v_lshlrev_b16),
    ROW(v_lshrrev_b16),
    ROW(v_ashrrev_i16),
    ROW(v_max_u16),
    ROW(v_max_i16),
    ROW(v_min_u16),
    ROW(v_min_i16),
    ROW(v_mad_u16),
    ROW(v_min3_i16),
    ROW(v_max3_i16),
    ROW(v_min3_u16),
    ROW(v_max3_u16),
    ROW(v_med3_i16),
    ROW(v_med3_u16),
    ROW(v_mad_u32_u16),
    ROW(v_mad_i32_i16),
    ROW(v_sad_u8),
    ROW(v_sad_u16),
    {"v_mac_f16", NULL, v_mad_f16},
    {"v_fmac_f16", NULL, v_fma_f16},
    {"v_madak_f16", NULL, v_mad_f16},
    {"v_fmamk_f16", NULL, v_fma_f16},
    {"v_madmk_f16", NULL, v_mad_f16},
    {"v_fmaak_f16", NULL, v_fma_f16},
    {"v_mad_legacy_f16", NULL, v_mad_f16},
    {"v_fma_legacy_f16", NULL, v_fma_f16},
    {"v_mad_legacy_u16", NULL, v_mad_u16},
    {"v_mad_legacy_i16", NULL, v_mad_u16},
    {"v_mad_i16", NULL, v_mad_u16},
    {"v_add_i16", NULL, v_add_u16},
    {"v_sub_i16", NULL, v_sub_u16},
    {NULL, NULL, NULL},
};
