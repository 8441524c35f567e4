/* Packed arithmetic on two halves of 16 bits, and dot products. Floating-point results are rounded to nearest
 * even. Source: AMD's "Vega" 7nm and MI100 ISA manuals, "packed math". */
#include "sim/gcn/number_bits.h"
#include "sim/gcn/wave_state.h"

#include <math.h>
#include <stddef.h>

/* Exact. */
static double of_half(uint32_t bits)
{
    int exponent = (int)(bits >> 10 & 31);
    double fraction = bits & 0x3ff;
    double size = exponent == 31  ? ((bits & 0x3ff) != 0 ? (double)NAN : (double)INFINITY)
                  : exponent == 0 ? ldexp(fraction, -24)
                                  : ldexp(1024 + fraction, exponent - 25);
    return (bits & 0x8000) != 0 ? -size : size;
}

/* The sum of a product and a half has no more bits than a double wherever the rest could change the rounding.
 */
static uint32_t to_half(double value)
{
    uint32_t sign = signbit(value) ? 0x8000 : 0;
    double size = fabs(value);
    int exponent;
    if (isnan(value))
        return 0x7e00;
    if (size >= 65520)
        return sign | 0x7c00;
    frexp(size, &exponent); /* size is below 2 to it */
    exponent = exponent < -13 ? -13 : exponent;
    double units = nearbyint(ldexp(size, 11 - exponent));
    return sign | (((uint32_t)(exponent + 13) << 10) + (uint32_t)units);
}

/* The half of a source that a modifier selects, with the other sign if it says so. */
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

/* The element of so many bits. */
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
    {NULL, NULL, NULL},
};
