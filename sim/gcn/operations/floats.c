/* Vector arithmetic on floating-point numbers, rounded to nearest even; reciprocals and roots are exact where
 * the hardware's may be off by a unit in the last place. Source: AMD's "Vega" ISA manual. */
#include "sim/gcn/wave_state.h"
#include "sim/number_bits.h"

#include <math.h>
#include <stddef.h>

/* Conversions to integers saturate; NaN becomes 0. */
static uint32_t to_unsigned(double value)
{
    return !(value > 0) ? 0 : value >= 4294967295.0 ? UINT32_MAX : (uint32_t)value;
}

static uint32_t to_signed(double value)
{
    if (isnan(value))
        return 0;
    return (uint32_t)(value >= INT32_MAX ? INT32_MAX : value <= INT32_MIN ? INT32_MIN : (int32_t)value);
}

static float middle(float a, float b, float c)
{
    return fmaxf(fminf(a, b), fminf(fmaxf(a, b), c));
}

/* The fraction is always below 1: for values just below 0 it is the largest float below 1. */
static float fraction(float value)
{
    float part = value - floorf(value);
    return part >= 1 ? nextafterf(1, 0) : part;
}

#define P float_of(x->a[i])
#define Q float_of(x->b[i])
#define R float_of(x->c[i])
#define EACH(name, value)                                                                                    \
    static void name(struct wave_vector *x)                                                                  \
    {                                                                                                        \
        for (unsigned i = 0; i < WAVE_LANES; i++)                                                            \
            x->d[i] = (value);                                                                               \
    }
#define EACH64(name, value)                                                                                  \
    static void name(struct wave_vector *x)                                                                  \
    {                                                                                                        \
        for (unsigned i = 0; i < WAVE_LANES; i++)                                                            \
            x->D[i] = (value);                                                                               \
    }

EACH(v_add_f32, bits_of_float(P + Q))
EACH(v_sub_f32, bits_of_float(P - Q))
EACH(v_subrev_f32, bits_of_float(Q - P))
EACH(v_mul_f32, bits_of_float(P *Q))
EACH(v_min_f32, bits_of_float(fminf(P, Q)))
EACH(v_max_f32, bits_of_float(fmaxf(P, Q)))
EACH(v_mac_f32, bits_of_float(P *Q + R))
EACH(v_fmac_f32, bits_of_float(fmaf(P, Q, R)))
EACH(v_mad_f32, bits_of_float(P *Q + R))
EACH(v_fma_f32, bits_of_float(fmaf(P, Q, R)))
EACH(v_fmamk_f32, bits_of_float(fmaf(P, Q, R)))
EACH(v_maxmin_f32, bits_of_float(fminf(fmaxf(P, Q), R)))
EACH(v_minmax_f32, bits_of_float(fmaxf(fminf(P, Q), R)))
EACH(v_madmk_f32, bits_of_float(P *Q + R)) /* the literal is the second source */
EACH(v_min3_f32, bits_of_float(fminf(fminf(P, Q), R)))
EACH(v_max3_f32, bits_of_float(fmaxf(fmaxf(P, Q), R)))
EACH(v_med3_f32, bits_of_float(middle(P, Q, R)))
EACH(v_ldexp_f32, bits_of_float(ldexpf(P, (int32_t)x->b[i])))
EACH(v_cvt_f32_i32, bits_of_float((float)(int32_t)x->a[i]))
EACH(v_cvt_f32_u32, bits_of_float((float)x->a[i]))
EACH(v_cvt_f32_ubyte0, bits_of_float((float)(x->a[i] & 0xff)))
EACH(v_cvt_f32_ubyte1, bits_of_float((float)(x->a[i] >> 8 & 0xff)))
EACH(v_cvt_f32_ubyte2, bits_of_float((float)(x->a[i] >> 16 & 0xff)))
EACH(v_cvt_f32_ubyte3, bits_of_float((float)(x->a[i] >> 24)))
EACH(v_cvt_u32_f32, to_unsigned(P))
EACH(v_cvt_i32_f32, to_signed(P))
EACH(v_cvt_rpi_i32_f32, to_signed(floorf(P + 0.5F)))
EACH(v_cvt_flr_i32_f32, to_signed(floorf(P)))
EACH(v_fract_f32, bits_of_float(fraction(P)))
EACH(v_trunc_f32, bits_of_float(truncf(P)))
EACH(v_ceil_f32, bits_of_float(ceilf(P)))
EACH(v_rndne_f32, bits_of_float(nearbyintf(P)))
EACH(v_floor_f32, bits_of_float(floorf(P)))
EACH(v_exp_f32, bits_of_float(exp2f(P)))
EACH(v_log_f32, bits_of_float(log2f(P)))
EACH(v_rcp_f32, bits_of_float(1 / P))
EACH(v_rsq_f32, bits_of_float(1 / sqrtf(P)))
EACH(v_sqrt_f32, bits_of_float(sqrtf(P)))
EACH(v_cvt_i32_f64, to_signed(double_of(x->A[i])))
EACH(v_cvt_u32_f64, to_unsigned(double_of(x->A[i])))
EACH(v_cvt_f32_f64, bits_of_float((float)double_of(x->A[i])))
EACH64(v_cvt_f64_i32, bits_of_double((int32_t)x->a[i]))
EACH64(v_cvt_f64_u32, bits_of_double(x->a[i]))
EACH64(v_cvt_f64_f32, bits_of_double((double)P))
EACH64(v_add_f64, bits_of_double(double_of(x->A[i]) + double_of(x->B[i])))
EACH64(v_mul_f64, bits_of_double(double_of(x->A[i]) * double_of(x->B[i])))
EACH64(v_min_f64, bits_of_double(fmin(double_of(x->A[i]), double_of(x->B[i]))))
EACH64(v_max_f64, bits_of_double(fmax(double_of(x->A[i]), double_of(x->B[i]))))
EACH64(v_ldexp_f64, bits_of_double(ldexp(double_of(x->A[i]), (int32_t)x->b[i])))
EACH64(v_fma_f64, bits_of_double(fma(double_of(x->A[i]), double_of(x->B[i]), double_of(x->C[i]))))

/* The number of a source pair that OP_SEL or OP_SEL_HI selects, with the sign modifiers applied. */
static float half_of_pair(uint64_t pair, unsigned number, unsigned select, unsigned minus)
{
    float value = float_of((uint32_t)(pair >> ((select >> number & 1) != 0 ? 32 : 0)));
    return (minus >> number & 1) != 0 ? -value : value;
}

#define EACH_PAIR(name, value)                                                                               \
    static void name(struct wave_vector *x)                                                                  \
    {                                                                                                        \
        for (unsigned i = 0; i < WAVE_LANES; i++) {                                                          \
            uint64_t pair = 0;                                                                               \
            for (unsigned half = 0; half < 2; half++) {                                                      \
                unsigned select = half != 0 ? x->select_high : x->select;                                    \
                unsigned minus = half != 0 ? x->neg_high : x->neg;                                           \
                float a = half_of_pair(x->A[i], 0, select, minus);                                           \
                float b = half_of_pair(x->B[i], 1, select, minus);                                           \
                pair |= (uint64_t)bits_of_float(value) << (32 * half);                                       \
            }                                                                                                \
            x->D[i] = pair;                                                                                  \
        }                                                                                                    \
    }
EACH_PAIR(v_pk_fma_f32, fmaf(a, b, half_of_pair(x->C[i], 2, select, minus)))
EACH_PAIR(v_pk_mul_f32, a *b)
EACH_PAIR(v_pk_add_f32, a + b)

#define ROW(name)                                                                                            \
    {                                                                                                        \
#name, NULL, name                                                                                    \
    }
const struct wave_vector_row wave_float_rows[] = {
    ROW(v_pk_fma_f32),
    ROW(v_pk_mul_f32),
    ROW(v_pk_add_f32),
    ROW(v_add_f32),
    ROW(v_sub_f32),
    ROW(v_subrev_f32),
    ROW(v_mul_f32),
    ROW(v_min_f32),
    ROW(v_max_f32),
    ROW(v_mac_f32),
    ROW(v_fmac_f32),
    ROW(v_mad_f32),
    ROW(v_fma_f32),
    {"v_fma_mix_f32", NULL, v_fma_f32}, /* its sources have been converted to floats */
    ROW(v_madmk_f32),
    {"v_madak_f32", NULL, v_mad_f32},
    ROW(v_fmamk_f32),
    {"v_fmaak_f32", NULL, v_fmamk_f32},
    ROW(v_maxmin_f32),
    ROW(v_minmax_f32),
    ROW(v_min3_f32),
    ROW(v_max3_f32),
    ROW(v_med3_f32),
    ROW(v_ldexp_f32),
    ROW(v_cvt_f32_i32),
    ROW(v_cvt_f32_u32),
    ROW(v_cvt_f32_ubyte0),
    ROW(v_cvt_f32_ubyte1),
    ROW(v_cvt_f32_ubyte2),
    ROW(v_cvt_f32_ubyte3),
    ROW(v_cvt_u32_f32),
    ROW(v_cvt_i32_f32),
    ROW(v_cvt_rpi_i32_f32),
    ROW(v_cvt_flr_i32_f32),
    ROW(v_fract_f32),
    ROW(v_trunc_f32),
    ROW(v_ceil_f32),
    ROW(v_rndne_f32),
    ROW(v_floor_f32),
    ROW(v_exp_f32),
    ROW(v_log_f32),
    ROW(v_rcp_f32),
    {"v_rcp_iflag_f32", NULL, v_rcp_f32},
    ROW(v_rsq_f32),
    ROW(v_sqrt_f32),
    ROW(v_cvt_i32_f64),
    ROW(v_cvt_u32_f64),
    ROW(v_cvt_f32_f64),
    ROW(v_cvt_f64_i32),
    ROW(v_cvt_f64_u32),
    ROW(v_cvt_f64_f32),
    ROW(v_add_f64),
    ROW(v_mul_f64),
    ROW(v_min_f64),
    ROW(v_max_f64),
    ROW(v_ldexp_f64),
    ROW(v_fma_f64),
    {NULL, NULL, NULL},
};
