/* Operations compute all lanes, also inactive ones: none may trap. Results are those of the PTX ISA; where it
 * allows an error (.approx), the result is the nearest number. */
#include "sim/ptx/ptx_code.h"

#include "sim/ptx/ptx_small.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;
typedef float f32;
typedef double f64;

/* A function that computes d of type R from a, b, c of types A, B, C in all lanes. */
#define LANES(NAME, R, A, B, C, EXPRESSION)                                                                  \
    static void NAME(void *restrict out, const void *const in[PTX_SOURCES + 1])                              \
    {                                                                                                        \
        R *restrict d = out;                                                                                 \
        const A *pa = in[0];                                                                                 \
        const B *pb = in[1];                                                                                 \
        const C *pc = in[2];                                                                                 \
        for (unsigned i = 0; i < PTX_LANES; i++) {                                                           \
            const A a = pa[i];                                                                               \
            const B b = pb[i];                                                                               \
            const C c = pc[i];                                                                               \
            (void)b;                                                                                         \
            (void)c;                                                                                         \
            d[i] = (R)(EXPRESSION);                                                                          \
        }                                                                                                    \
    }

#define LANES1(NAME, R, A, EXPRESSION)                                                                       \
    static void NAME(void *restrict out, const void *const in[PTX_SOURCES + 1])                              \
    {                                                                                                        \
        R *restrict d = out;                                                                                 \
        const A *pa = in[0];                                                                                 \
        for (unsigned i = 0; i < PTX_LANES; i++) {                                                           \
            const A a = pa[i];                                                                               \
            d[i] = (R)(EXPRESSION);                                                                          \
        }                                                                                                    \
    }

#define LANES2(NAME, R, A, B, EXPRESSION)                                                                    \
    static void NAME(void *restrict out, const void *const in[PTX_SOURCES + 1])                              \
    {                                                                                                        \
        R *restrict d = out;                                                                                 \
        const A *pa = in[0];                                                                                 \
        const B *pb = in[1];                                                                                 \
        for (unsigned i = 0; i < PTX_LANES; i++) {                                                           \
            const A a = pa[i];                                                                               \
            const B b = pb[i];                                                                               \
            d[i] = (R)(EXPRESSION);                                                                          \
        }                                                                                                    \
    }

#define LANES4(NAME, R, A, B, C, E, EXPRESSION)                                                              \
    static void NAME(void *restrict out, const void *const in[PTX_SOURCES + 1])                              \
    {                                                                                                        \
        R *restrict d = out;                                                                                 \
        const A *pa = in[0];                                                                                 \
        const B *pb = in[1];                                                                                 \
        const C *pc = in[2];                                                                                 \
        const E *pe = in[3];                                                                                 \
        for (unsigned i = 0; i < PTX_LANES; i++) {                                                           \
            const A a = pa[i];                                                                               \
            const B b = pb[i];                                                                               \
            const C c = pc[i];                                                                               \
            const E e = pe[i];                                                                               \
            d[i] = (R)(EXPRESSION);                                                                          \
        }                                                                                                    \
    }

/* A predicate of two values. */
#define COMPARE(NAME, T, EXPRESSION)                                                                         \
    static void NAME(void *restrict out, const void *const in[PTX_SOURCES + 1])                              \
    {                                                                                                        \
        const T *pa = in[0];                                                                                 \
        const T *pb = in[1];                                                                                 \
        u32 mask = 0;                                                                                        \
        for (unsigned i = 0; i < PTX_LANES; i++) {                                                           \
            const T a = pa[i];                                                                               \
            const T b = pb[i];                                                                               \
            mask |= (u32)((EXPRESSION) ? 1 : 0) << i;                                                        \
        }                                                                                                    \
        *(u32 *)out = mask;                                                                                  \
    }

#define MASKS(NAME, EXPRESSION)                                                                              \
    static void NAME(void *restrict out, const void *const in[PTX_SOURCES + 1])                              \
    {                                                                                                        \
        const u32 a = *(const u32 *)in[0];                                                                   \
        const u32 b = *(const u32 *)in[1];                                                                   \
        (void)b;                                                                                             \
        *(u32 *)out = (EXPRESSION);                                                                          \
    }

/* ---- helpers of one lane ---- */

/* An arithmetic right shift. */
static u64 shifted(u64 a, u32 by, unsigned width)
{
    u64 sign = a >> (width - 1) & 1 ? ~(u64)0 : 0;
    return by >= width ? sign : a >> by | (by == 0 ? 0 : sign << (width - by));
}

static u64 high_u64(u64 a, u64 b)
{
    return (u64)((unsigned __int128)a * b >> 64);
}

static s64 high_s64(s64 a, s64 b)
{
    return (s64)((__int128)a * b >> 64);
}

/* In an active lane the executor refuses a division by 0 before. */
static s32 quotient_s32(s32 a, s32 b)
{
    return b == 0 ? -1 : b == -1 ? (s32)(0 - (u32)a) : a / b;
}

static s64 quotient_s64(s64 a, s64 b)
{
    return b == 0 ? -1 : b == -1 ? (s64)(0 - (u64)a) : a / b;
}

static s32 rest_s32(s32 a, s32 b)
{
    return b == 0 ? a : b == -1 ? 0 : a % b;
}

static s64 rest_s64(s64 a, s64 b)
{
    return b == 0 ? a : b == -1 ? 0 : a % b;
}

static u32 reversed_32(u32 a)
{
    u32 result = 0;
    for (unsigned i = 0; i < 32; i++)
        result |= (a >> i & 1) << (31 - i);
    return result;
}

static u64 reversed_64(u64 a)
{
    return (u64)reversed_32((u32)a) << 32 | reversed_32((u32)(a >> 32));
}

/* The bits [at, at + length) of a. is_signed: the field's last bit within a extends it. */
static u64 field(u64 a, u32 at, u32 length, unsigned width, bool is_signed)
{
    unsigned from = at & 0xff;
    unsigned bits = length & 0xff;
    u64 sign = 0;
    u64 result = 0;
    if (is_signed && bits > 0)
        sign = a >> (from + bits - 1 < width - 1 ? from + bits - 1 : width - 1) & 1;
    for (unsigned i = 0; i < width; i++) {
        u64 bit = i < bits && from + i < width ? a >> (from + i) & 1 : sign;
        result |= bit << i;
    }
    return result;
}

static u64 inserted(u64 a, u64 b, u32 at, u32 length, unsigned width)
{
    unsigned from = at & 0xff;
    unsigned bits = length & 0xff;
    for (unsigned i = 0; i < bits && from + i < width; i++)
        b = (b & ~((u64)1 << (from + i))) | (a >> i & 1) << (from + i);
    return b;
}

static u32 looked_up(u32 a, u32 b, u32 c, u32 table)
{
    u32 result = 0;
    for (unsigned i = 0; i < 8; i++)
        if ((table >> i & 1) != 0)
            result |= ((i & 4) != 0 ? a : ~a) & ((i & 2) != 0 ? b : ~b) & ((i & 1) != 0 ? c : ~c);
    return result;
}

static u32 permuted(u32 a, u32 b, u32 selector)
{
    u64 bytes = (u64)b << 32 | a;
    u32 result = 0;
    for (unsigned i = 0; i < 4; i++) {
        unsigned control = selector >> (4 * i) & 0xf;
        u32 byte = (u32)(bytes >> (8 * (control & 7)) & 0xff);
        if ((control & 8) != 0)
            byte = (byte & 0x80) != 0 ? 0xff : 0;
        result |= byte << (8 * i);
    }
    return result;
}

static u32 funnel_left(u32 low, u32 high, u32 by)
{
    return by == 0 ? high : by >= 32 ? low : high << by | low >> (32 - by);
}

static u32 funnel_right(u32 low, u32 high, u32 by)
{
    return by == 0 ? low : by >= 32 ? high : high << (32 - by) | low >> by;
}

static u32 dot_u32(u32 a, u32 b, u32 c)
{
    for (unsigned i = 0; i < 4; i++)
        c += (a >> (8 * i) & 0xff) * (b >> (8 * i) & 0xff);
    return c;
}

static u32 dot_s32(u32 a, u32 b, u32 c)
{
    for (unsigned i = 0; i < 4; i++)
        c += (u32)((s32)(int8_t)(a >> (8 * i)) * (s32)(int8_t)(b >> (8 * i)));
    return c;
}

static f32 flushed(f32 a)
{
    return fpclassify(a) == FP_SUBNORMAL ? copysignf(0, a) : a;
}

static f32 limited(f32 a)
{
    return a > 0 ? (a < 1 ? a : 1) : 0; /* not a number: 0 */
}

/* Minimum and maximum: of a number and a NaN, the number. */
static f32 least_f32(f32 a, f32 b)
{
    return a == 0 && b == 0 && signbit(a) ? a : fminf(a, b);
}

static f32 most_f32(f32 a, f32 b)
{
    return a == 0 && b == 0 && !signbit(a) ? a : fmaxf(a, b);
}

static f64 least_f64(f64 a, f64 b)
{
    return a == 0 && b == 0 && signbit(a) ? a : fmin(a, b);
}

static f64 most_f64(f64 a, f64 b)
{
    return a == 0 && b == 0 && !signbit(a) ? a : fmax(a, b);
}

/* ---- integers ---- */

#define INTEGER(W)                                                                                           \
    LANES2(add_##W, u##W, u##W, u##W, a + b)                                                                 \
    LANES2(sub_##W, u##W, u##W, u##W, a - b)                                                                 \
    LANES2(mul_##W, u##W, u##W, u##W, (u64)a *b)                                                             \
    LANES(mad_##W, u##W, u##W, u##W, u##W, (u64)a *b + c)                                                    \
    LANES2(div_u##W, u##W, u##W, u##W, b == 0 ? (u##W) - 1 : a / b)                                          \
    LANES2(rem_u##W, u##W, u##W, u##W, b == 0 ? a : a % b)                                                   \
    LANES2(min_u##W, u##W, u##W, u##W, a < b ? a : b)                                                        \
    LANES2(max_u##W, u##W, u##W, u##W, a > b ? a : b)                                                        \
    LANES2(min_s##W, s##W, s##W, s##W, a < b ? a : b)                                                        \
    LANES2(max_s##W, s##W, s##W, s##W, a > b ? a : b)                                                        \
    LANES1(neg_##W, u##W, u##W, 0 - (u64)a)                                                                  \
    LANES1(abs_##W, u##W, s##W, a < 0 ? 0 - (u64)a : (u64)a)                                                 \
    LANES2(and_##W, u##W, u##W, u##W, a &b)                                                                  \
    LANES2(or_##W, u##W, u##W, u##W, a | b)                                                                  \
    LANES2(xor_##W, u##W, u##W, u##W, a ^ b)                                                                 \
    LANES1(not_##W, u##W, u##W, ~a)                                                                          \
    LANES1(cnot_##W, u##W, u##W, a == 0)                                                                     \
    LANES1(mov_##W, u##W, u##W, a)                                                                           \
    LANES2(shl_##W, u##W, u##W, u32, b >= W ? 0 : (u64)a << b)                                               \
    LANES2(shr_u##W, u##W, u##W, u32, b >= W ? 0 : a >> b)                                                   \
    LANES2(shr_s##W, u##W, u##W, u32, shifted(a, b, W))                                                      \
    LANES(slct_##W, u##W, u##W, u##W, s32, c >= 0 ? a : b)                                                   \
    LANES(slct_f_##W, u##W, u##W, u##W, f32, c >= 0 ? a : b)                                                 \
    COMPARE(eq_##W, u##W, a == b)                                                                            \
    COMPARE(ne_##W, u##W, a != b)                                                                            \
    COMPARE(lt_u##W, u##W, a < b)                                                                            \
    COMPARE(le_u##W, u##W, a <= b)                                                                           \
    COMPARE(gt_u##W, u##W, a > b)                                                                            \
    COMPARE(ge_u##W, u##W, a >= b)                                                                           \
    COMPARE(lt_s##W, s##W, a < b)                                                                            \
    COMPARE(le_s##W, s##W, a <= b)                                                                           \
    COMPARE(gt_s##W, s##W, a > b)                                                                            \
    COMPARE(ge_s##W, s##W, a >= b)                                                                           \
    static void selp_##W(void *restrict out, const void *const in[PTX_SOURCES + 1])                          \
    {                                                                                                        \
        u##W *restrict d = out;                                                                              \
        const u##W *a = in[0], *b = in[1];                                                                   \
        const u32 mask = *(const u32 *)in[2];                                                                \
        for (unsigned i = 0; i < PTX_LANES; i++)                                                             \
            d[i] = (mask >> i & 1) != 0 ? a[i] : b[i];                                                       \
    }

INTEGER(16)
INTEGER(32)
INTEGER(64)

LANES2(div_s16, s16, s16, s16, quotient_s32(a, b))
LANES2(rem_s16, s16, s16, s16, rest_s32(a, b))
LANES2(div_s32, s32, s32, s32, quotient_s32(a, b))
LANES2(rem_s32, s32, s32, s32, rest_s32(a, b))
LANES2(div_s64, s64, s64, s64, quotient_s64(a, b))
LANES2(rem_s64, s64, s64, s64, rest_s64(a, b))
LANES2(mul_hi_u32, u32, u32, u32, (u64)a *b >> 32)
LANES2(mul_hi_s32, s32, s32, s32, (s64)a *b >> 32)
LANES2(mul_hi_u64, u64, u64, u64, high_u64(a, b))
LANES2(mul_hi_s64, s64, s64, s64, high_s64(a, b))
LANES2(mul_wide_u16, u32, u16, u16, (u32)a *b)
LANES2(mul_wide_s16, s32, s16, s16, (s32)a *b)
LANES2(mul_wide_u32, u64, u32, u32, (u64)a *b)
LANES2(mul_wide_s32, s64, s32, s32, (s64)a *b)
LANES(mad_wide_u16, u32, u16, u16, u32, (u32)a *b + c)
LANES(mad_wide_s16, u32, s16, s16, u32, (u32)((s32)a *b) + c)
LANES(mad_wide_u32, u64, u32, u32, u64, (u64)a *b + c)
LANES(mad_wide_s32, u64, s32, s32, u64, (u64)((s64)a *b) + c)
LANES(mad_hi_u32, u32, u32, u32, u32, (u32)((u64)a *b >> 32) + c)
LANES(mad_hi_s32, u32, s32, s32, u32, (u32)((s64)a *b >> 32) + c)
LANES2(mul24_lo_u32, u32, u32, u32, (u64)(a & 0xffffff) * (b & 0xffffff))
LANES(mad24_lo_u32, u32, u32, u32, u32, (u32)((u64)(a & 0xffffff) * (b & 0xffffff)) + c)
LANES(sad_u32, u32, u32, u32, u32, c + (a > b ? a - b : b - a))
LANES(sad_s32, u32, s32, s32, u32, c + (a > b ? (u32)a - (u32)b : (u32)b - (u32)a))
LANES1(popc_32, u32, u32, __builtin_popcount(a))
LANES1(popc_64, u32, u64, __builtin_popcountll(a))
LANES1(clz_32, u32, u32, a == 0 ? 32 : __builtin_clz(a))
LANES1(clz_64, u32, u64, a == 0 ? 64 : __builtin_clzll(a))
LANES1(brev_32, u32, u32, reversed_32(a))
LANES1(brev_64, u64, u64, reversed_64(a))
LANES1(bfind_u32, u32, u32, a == 0 ? -1 : 31 - __builtin_clz(a))
LANES1(bfind_u64, u32, u64, a == 0 ? -1 : 63 - __builtin_clzll(a))
LANES(bfe_u32, u32, u32, u32, u32, field(a, b, c, 32, false))
LANES(bfe_s32, u32, u32, u32, u32, field(a, b, c, 32, true))
LANES(bfe_u64, u64, u64, u32, u32, field(a, b, c, 64, false))
LANES(bfe_s64, u64, u64, u32, u32, field(a, b, c, 64, true))
LANES4(bfi_32, u32, u32, u32, u32, u32, inserted(a, b, c, e, 32))
LANES4(bfi_64, u64, u64, u64, u32, u32, inserted(a, b, c, e, 64))
LANES4(lop3_32, u32, u32, u32, u32, u32, looked_up(a, b, c, e))
LANES(prmt_32, u32, u32, u32, u32, permuted(a, b, c))
LANES(shf_l_wrap, u32, u32, u32, u32, funnel_left(a, b, c & 31))
LANES(shf_l_clamp, u32, u32, u32, u32, funnel_left(a, b, c))
LANES(shf_r_wrap, u32, u32, u32, u32, funnel_right(a, b, c & 31))
LANES(shf_r_clamp, u32, u32, u32, u32, funnel_right(a, b, c))
LANES(dp4a_u32, u32, u32, u32, u32, dot_u32(a, b, c))
LANES(dp4a_s32, u32, u32, u32, u32, dot_s32(a, b, c))

/* ---- floating point ---- */

#define FLOATING(W, S)                                                                                       \
    LANES2(add_f##W, f##W, f##W, f##W, a + b)                                                                \
    LANES2(sub_f##W, f##W, f##W, f##W, a - b)                                                                \
    LANES2(mul_f##W, f##W, f##W, f##W, a *b)                                                                 \
    LANES2(div_f##W, f##W, f##W, f##W, a / b)                                                                \
    LANES(fma_f##W, f##W, f##W, f##W, f##W, fma##S(a, b, c))                                                 \
    LANES1(sqrt_f##W, f##W, f##W, sqrt##S(a))                                                                \
    LANES1(rcp_f##W, f##W, f##W, 1 / a)                                                                      \
    LANES1(rsqrt_f##W, f##W, f##W, 1 / sqrt##S(a))                                                           \
    LANES1(neg_f##W, f##W, f##W, -a)                                                                         \
    LANES1(abs_f##W, f##W, f##W, fabs##S(a))                                                                 \
    LANES2(min_f##W, f##W, f##W, f##W, least_f##W(a, b))                                                     \
    LANES2(max_f##W, f##W, f##W, f##W, most_f##W(a, b))                                                      \
    LANES2(copysign_f##W, f##W, f##W, f##W, copysign##S(b, a))                                               \
    COMPARE(eq_f##W, f##W, a == b)                                                                           \
    COMPARE(ne_f##W, f##W, a<b || a> b)                                                                      \
    COMPARE(lt_f##W, f##W, a < b)                                                                            \
    COMPARE(le_f##W, f##W, a <= b)                                                                           \
    COMPARE(gt_f##W, f##W, a > b)                                                                            \
    COMPARE(ge_f##W, f##W, a >= b)                                                                           \
    COMPARE(equ_f##W, f##W, !(a < b || a > b))                                                               \
    COMPARE(neu_f##W, f##W, a != b)                                                                          \
    COMPARE(ltu_f##W, f##W, !(a >= b))                                                                       \
    COMPARE(leu_f##W, f##W, !(a > b))                                                                        \
    COMPARE(gtu_f##W, f##W, !(a <= b))                                                                       \
    COMPARE(geu_f##W, f##W, !(a < b))                                                                        \
    COMPARE(num_f##W, f##W, !isnan(a) && !isnan(b))                                                          \
    COMPARE(nan_f##W, f##W, isnan(a) || isnan(b))

FLOATING(32, f)
FLOATING(64, )

LANES2(add_ftz, f32, f32, f32, flushed(flushed(a) + flushed(b)))
LANES2(sub_ftz, f32, f32, f32, flushed(flushed(a) - flushed(b)))
LANES2(mul_ftz, f32, f32, f32, flushed(flushed(a) * flushed(b)))
LANES(fma_ftz, f32, f32, f32, f32, flushed(fmaf(flushed(a), flushed(b), flushed(c))))
LANES2(add_sat, f32, f32, f32, limited(a + b))
LANES2(sub_sat, f32, f32, f32, limited(a - b))
LANES2(mul_sat, f32, f32, f32, limited(a *b))
LANES(fma_sat, f32, f32, f32, f32, limited(fmaf(a, b, c)))
LANES1(ex2_f32, f32, f32, exp2f(a))
LANES1(lg2_f32, f32, f32, log2f(a))
LANES1(sin_f32, f32, f32, sinf(a))
LANES1(cos_f32, f32, f32, cosf(a))
LANES1(tanh_f32, f32, f32, tanhf(a))

/* Two numbers of 16 bits in a register. */
#define PAIRS(FORMAT)                                                                                        \
    static u32 pair_##FORMAT(u32 a, u32 b, u32 c)                                                            \
    {                                                                                                        \
        u32 result = 0;                                                                                      \
        for (unsigned at = 0; at < 32; at += 16) {                                                           \
            f64 x = ptx_small_number(&ptx_##FORMAT, a >> at & 0xffff);                                       \
            f64 y = ptx_small_number(&ptx_##FORMAT, b >> at & 0xffff);                                       \
            f64 z = ptx_small_number(&ptx_##FORMAT, c >> at & 0xffff);                                       \
            result |= ptx_small_nearest(&ptx_##FORMAT, ptx_small_fma(x, y, z)) << at;                        \
        }                                                                                                    \
        return result;                                                                                       \
    }                                                                                                        \
    LANES(fma_##FORMAT, u32, u32, u32, u32, pair_##FORMAT(a, b, c))                                          \
    LANES2(add_##FORMAT, u32, u32, u32, pair_##FORMAT(a, ONES_##FORMAT, b))                                  \
    LANES2(sub_##FORMAT, u32, u32, u32, pair_##FORMAT(b, ONES_##FORMAT ^ SIGNS, a))                          \
    LANES2(mul_##FORMAT, u32, u32, u32, pair_##FORMAT(a, b, ((a ^ b) & SIGNS)))

#define SIGNS 0x80008000U
#define ONES_half 0x3c003c00U
#define ONES_brain 0x3f803f80U

PAIRS(half)
PAIRS(brain)

/* ---- predicates ---- */

MASKS(and_pred, a &b)
MASKS(or_pred, a | b)
MASKS(xor_pred, a ^ b)
MASKS(not_pred, ~a)
MASKS(mov_pred, a)

/* ---- all lanes of a warp together ---- */

static u32 lanes_of(const void *const in[PTX_SOURCES + 1])
{
    return *(const u32 *)in[PTX_SOURCES];
}

static void same(void *out, u32 value)
{
    for (unsigned i = 0; i < PTX_LANES; i++)
        ((u32 *)out)[i] = value;
}

static void activemask(void *restrict out, const void *const in[PTX_SOURCES + 1])
{
    same(out, lanes_of(in));
}

static void vote_any(void *restrict out, const void *const in[PTX_SOURCES + 1])
{
    *(u32 *)out = (*(const u32 *)in[0] & lanes_of(in)) != 0 ? ~0U : 0;
}

static void vote_all(void *restrict out, const void *const in[PTX_SOURCES + 1])
{
    *(u32 *)out = (~*(const u32 *)in[0] & lanes_of(in)) == 0 ? ~0U : 0;
}

static void vote_uni(void *restrict out, const void *const in[PTX_SOURCES + 1])
{
    u32 mask = lanes_of(in), a = *(const u32 *)in[0] & mask;
    *(u32 *)out = a == 0 || a == mask ? ~0U : 0;
}

static void vote_ballot(void *restrict out, const void *const in[PTX_SOURCES + 1])
{
    same(out, *(const u32 *)in[0] & lanes_of(in));
}

/* Each lane gets the value of lane `from` if it lies in its own segment of the warp, else keeps its own
 * value. c: the segment's last lane in bits 4:0, the segment mask in bits 12:8. */
#define SHUFFLE(NAME, FROM, WITHIN)                                                                          \
    static void NAME(void *restrict out, const void *const in[PTX_SOURCES + 1])                              \
    {                                                                                                        \
        u32 *restrict d = out;                                                                               \
        const u32 *a = in[0], *pb = in[1], *pc = in[2];                                                      \
        for (unsigned lane = 0; lane < PTX_LANES; lane++) {                                                  \
            const unsigned b = pb[lane] & 31, parts = pc[lane] >> 8 & 31, clamp = pc[lane] & 31;             \
            const unsigned most = (lane & parts) | (clamp & ~parts & 31), least = lane & parts;              \
            const unsigned from = (FROM);                                                                    \
            (void)most;                                                                                      \
            (void)least;                                                                                     \
            d[lane] = a[(WITHIN) ? from & 31 : lane];                                                        \
        }                                                                                                    \
    }

SHUFFLE(shfl_up, lane - b, (int)lane - (int)b >= (int)most)
SHUFFLE(shfl_down, lane + b, from <= most)
SHUFFLE(shfl_bfly, lane ^ b, from <= most)
SHUFFLE(shfl_idx, least | (b & ~parts), from <= most)

static void match_any(void *restrict out, const void *const in[PTX_SOURCES + 1])
{
    const u32 *a = in[0], mask = lanes_of(in);
    for (unsigned i = 0; i < PTX_LANES; i++) {
        u32 equal = 0;
        for (unsigned j = 0; j < PTX_LANES; j++)
            equal |= (u32)(a[i] == a[j]) << j;
        ((u32 *)out)[i] = equal & mask;
    }
}

#define REDUCE(NAME, T, START, EXPRESSION)                                                                   \
    static void NAME(void *restrict out, const void *const in[PTX_SOURCES + 1])                              \
    {                                                                                                        \
        const T *values = in[0];                                                                             \
        T a = (START);                                                                                       \
        for (unsigned i = 0; i < PTX_LANES; i++) {                                                           \
            const T b = values[i];                                                                           \
            if ((lanes_of(in) >> i & 1) != 0)                                                                \
                a = (EXPRESSION);                                                                            \
        }                                                                                                    \
        same(out, (u32)a);                                                                                   \
    }

REDUCE(redux_add, u32, 0, a + b)
REDUCE(redux_and, u32, ~0U, a &b)
REDUCE(redux_or, u32, 0, a | b)
REDUCE(redux_xor, u32, 0, a ^ b)
REDUCE(redux_min_u32, u32, ~0U, a < b ? a : b)
REDUCE(redux_max_u32, u32, 0, a > b ? a : b)
REDUCE(redux_min_s32, s32, INT32_MAX, a < b ? a : b)
REDUCE(redux_max_s32, s32, INT32_MIN, a > b ? a : b)

/* ---- the table ---- */

#define ROWS(W, B)                                                                                           \
    {"add.u" #W, B ":" B B, add_##W, false}, {"add.s" #W, B ":" B B, add_##W, false},                        \
        {"sub.u" #W, B ":" B B, sub_##W, false}, {"sub.s" #W, B ":" B B, sub_##W, false},                    \
        {"mul.lo.u" #W, B ":" B B, mul_##W, false}, {"mul.lo.s" #W, B ":" B B, mul_##W, false},              \
        {"mad.lo.u" #W, B ":" B B B, mad_##W, false}, {"mad.lo.s" #W, B ":" B B B, mad_##W, false},          \
        {"div.u" #W, B ":" B B, div_u##W, true}, {"div.s" #W, B ":" B B, div_s##W, true},                    \
        {"rem.u" #W, B ":" B B, rem_u##W, true}, {"rem.s" #W, B ":" B B, rem_s##W, true},                    \
        {"min.u" #W, B ":" B B, min_u##W, false}, {"min.s" #W, B ":" B B, min_s##W, false},                  \
        {"max.u" #W, B ":" B B, max_u##W, false}, {"max.s" #W, B ":" B B, max_s##W, false},                  \
        {"neg.s" #W, B ":" B, neg_##W, false}, {"abs.s" #W, B ":" B, abs_##W, false},                        \
        {"and.b" #W, B ":" B B, and_##W, false}, {"or.b" #W, B ":" B B, or_##W, false},                      \
        {"xor.b" #W, B ":" B B, xor_##W, false}, {"not.b" #W, B ":" B, not_##W, false},                      \
        {"cnot.b" #W, B ":" B, cnot_##W, false}, {"mov.b" #W, B ":" B, mov_##W, false},                      \
        {"mov.u" #W, B ":" B, mov_##W, false}, {"mov.s" #W, B ":" B, mov_##W, false},                        \
        {"shl.b" #W, B ":" B "4", shl_##W, false}, {"shr.b" #W, B ":" B "4", shr_u##W, false},               \
        {"shr.u" #W, B ":" B "4", shr_u##W, false}, {"shr.s" #W, B ":" B "4", shr_s##W, false},              \
        {"selp.b" #W, B ":" B B "p", selp_##W, false}, {"selp.u" #W, B ":" B B "p", selp_##W, false},        \
        {"selp.s" #W, B ":" B B "p", selp_##W, false}, {"slct.b" #W ".s32", B ":" B B "4", slct_##W, false}, \
        {"slct.u" #W ".s32", B ":" B B "4", slct_##W, false},                                                \
        {"slct.s" #W ".s32", B ":" B B "4", slct_##W, false},                                                \
        {"slct.b" #W ".f32", B ":" B B "4", slct_f_##W, false}, {"setp.eq.b" #W, "p:" B B, eq_##W, false},   \
        {"setp.ne.b" #W, "p:" B B, ne_##W, false}, {"setp.eq.u" #W, "p:" B B, eq_##W, false},                \
        {"setp.ne.u" #W, "p:" B B, ne_##W, false}, {"setp.eq.s" #W, "p:" B B, eq_##W, false},                \
        {"setp.ne.s" #W, "p:" B B, ne_##W, false}, {"setp.lt.u" #W, "p:" B B, lt_u##W, false},               \
        {"setp.le.u" #W, "p:" B B, le_u##W, false}, {"setp.gt.u" #W, "p:" B B, gt_u##W, false},              \
        {"setp.ge.u" #W, "p:" B B, ge_u##W, false}, {"setp.lo.u" #W, "p:" B B, lt_u##W, false},              \
        {"setp.ls.u" #W, "p:" B B, le_u##W, false}, {"setp.hi.u" #W, "p:" B B, gt_u##W, false},              \
        {"setp.hs.u" #W, "p:" B B, ge_u##W, false}, {"setp.lt.s" #W, "p:" B B, lt_s##W, false},              \
        {"setp.le.s" #W, "p:" B B, le_s##W, false}, {"setp.gt.s" #W, "p:" B B, gt_s##W, false},              \
    {                                                                                                        \
        "setp.ge.s" #W, "p:" B B, ge_s##W, false                                                             \
    }

#define FLOAT_ROWS(W, B, MOVE)                                                                               \
    {"add.f" #W, B ":" B B, add_f##W, false}, {"add.rn.f" #W, B ":" B B, add_f##W, false},                   \
        {"sub.f" #W, B ":" B B, sub_f##W, false}, {"sub.rn.f" #W, B ":" B B, sub_f##W, false},               \
        {"mul.f" #W, B ":" B B, mul_f##W, false}, {"mul.rn.f" #W, B ":" B B, mul_f##W, false},               \
        {"div.rn.f" #W, B ":" B B, div_f##W, false}, {"fma.rn.f" #W, B ":" B B B, fma_f##W, false},          \
        {"mad.rn.f" #W, B ":" B B B, fma_f##W, false}, {"sqrt.rn.f" #W, B ":" B, sqrt_f##W, false},          \
        {"rcp.rn.f" #W, B ":" B, rcp_f##W, false}, {"rsqrt.approx.f" #W, B ":" B, rsqrt_f##W, false},        \
        {"neg.f" #W, B ":" B, neg_f##W, false}, {"abs.f" #W, B ":" B, abs_f##W, false},                      \
        {"min.f" #W, B ":" B B, min_f##W, false}, {"max.f" #W, B ":" B B, max_f##W, false},                  \
        {"copysign.f" #W, B ":" B B, copysign_f##W, false}, {"mov.f" #W, B ":" B, MOVE, false},              \
        {"selp.f" #W, B ":" B B "p", selp_##W, false}, {"slct.f" #W ".s32", B ":" B B "4", slct_##W, false}, \
        {"slct.f" #W ".f32", B ":" B B "4", slct_f_##W, false}, {"setp.eq.f" #W, "p:" B B, eq_f##W, false},  \
        {"setp.ne.f" #W, "p:" B B, ne_f##W, false}, {"setp.lt.f" #W, "p:" B B, lt_f##W, false},              \
        {"setp.le.f" #W, "p:" B B, le_f##W, false}, {"setp.gt.f" #W, "p:" B B, gt_f##W, false},              \
        {"setp.ge.f" #W, "p:" B B, ge_f##W, false}, {"setp.equ.f" #W, "p:" B B, equ_f##W, false},            \
        {"setp.neu.f" #W, "p:" B B, neu_f##W, false}, {"setp.ltu.f" #W, "p:" B B, ltu_f##W, false},          \
        {"setp.leu.f" #W, "p:" B B, leu_f##W, false}, {"setp.gtu.f" #W, "p:" B B, gtu_f##W, false},          \
        {"setp.geu.f" #W, "p:" B B, geu_f##W, false}, {"setp.num.f" #W, "p:" B B, num_f##W, false},          \
    {                                                                                                        \
        "setp.nan.f" #W, "p:" B B, nan_f##W, false                                                           \
    }

static const struct ptx_operation_row rows[] = {
    ROWS(16, "2"),
    ROWS(32, "4"),
    ROWS(64, "8"),
    FLOAT_ROWS(32, "4", mov_32),
    FLOAT_ROWS(64, "8", mov_64),
    {"mul.hi.u32", "4:44", mul_hi_u32, false},
    {"mul.hi.s32", "4:44", mul_hi_s32, false},
    {"mul.hi.u64", "8:88", mul_hi_u64, false},
    {"mul.hi.s64", "8:88", mul_hi_s64, false},
    {"mul.wide.u16", "4:22", mul_wide_u16, false},
    {"mul.wide.s16", "4:22", mul_wide_s16, false},
    {"mul.wide.u32", "8:44", mul_wide_u32, false},
    {"mul.wide.s32", "8:44", mul_wide_s32, false},
    {"mad.wide.u16", "4:224", mad_wide_u16, false},
    {"mad.wide.s16", "4:224", mad_wide_s16, false},
    {"mad.wide.u32", "8:448", mad_wide_u32, false},
    {"mad.wide.s32", "8:448", mad_wide_s32, false},
    {"mad.hi.u32", "4:444", mad_hi_u32, false},
    {"mad.hi.s32", "4:444", mad_hi_s32, false},
    {"mul24.lo.u32", "4:44", mul24_lo_u32, false},
    {"mad24.lo.u32", "4:444", mad24_lo_u32, false},
    {"sad.u32", "4:444", sad_u32, false},
    {"sad.s32", "4:444", sad_s32, false},
    {"popc.b32", "4:4", popc_32, false},
    {"popc.b64", "4:8", popc_64, false},
    {"clz.b32", "4:4", clz_32, false},
    {"clz.b64", "4:8", clz_64, false},
    {"brev.b32", "4:4", brev_32, false},
    {"brev.b64", "8:8", brev_64, false},
    {"bfind.u32", "4:4", bfind_u32, false},
    {"bfind.u64", "4:8", bfind_u64, false},
    {"bfe.u32", "4:444", bfe_u32, false},
    {"bfe.s32", "4:444", bfe_s32, false},
    {"bfe.u64", "8:844", bfe_u64, false},
    {"bfe.s64", "8:844", bfe_s64, false},
    {"bfi.b32", "4:4444", bfi_32, false},
    {"bfi.b64", "8:8844", bfi_64, false},
    {"lop3.b32", "4:4444", lop3_32, false},
    {"prmt.b32", "4:444", prmt_32, false},
    {"shf.l.wrap.b32", "4:444", shf_l_wrap, false},
    {"shf.l.clamp.b32", "4:444", shf_l_clamp, false},
    {"shf.r.wrap.b32", "4:444", shf_r_wrap, false},
    {"shf.r.clamp.b32", "4:444", shf_r_clamp, false},
    {"fma.rn.f16x2", "4:444", fma_half, false},
    {"add.f16x2", "4:44", add_half, false},
    {"add.rn.f16x2", "4:44", add_half, false},
    {"sub.f16x2", "4:44", sub_half, false},
    {"sub.rn.f16x2", "4:44", sub_half, false},
    {"mul.f16x2", "4:44", mul_half, false},
    {"mul.rn.f16x2", "4:44", mul_half, false},
    {"fma.rn.bf16x2", "4:444", fma_brain, false},
    {"add.bf16x2", "4:44", add_brain, false},
    {"add.rn.bf16x2", "4:44", add_brain, false},
    {"sub.bf16x2", "4:44", sub_brain, false},
    {"sub.rn.bf16x2", "4:44", sub_brain, false},
    {"mul.bf16x2", "4:44", mul_brain, false},
    {"mul.rn.bf16x2", "4:44", mul_brain, false},
    {"dp4a.u32.u32", "4:444", dp4a_u32, false},
    {"dp4a.s32.s32", "4:444", dp4a_s32, false},
    {"add.ftz.f32", "4:44", add_ftz, false},
    {"add.rn.ftz.f32", "4:44", add_ftz, false},
    {"sub.ftz.f32", "4:44", sub_ftz, false},
    {"sub.rn.ftz.f32", "4:44", sub_ftz, false},
    {"mul.ftz.f32", "4:44", mul_ftz, false},
    {"mul.rn.ftz.f32", "4:44", mul_ftz, false},
    {"fma.rn.ftz.f32", "4:444", fma_ftz, false},
    {"add.sat.f32", "4:44", add_sat, false},
    {"add.rn.sat.f32", "4:44", add_sat, false},
    {"sub.sat.f32", "4:44", sub_sat, false},
    {"mul.sat.f32", "4:44", mul_sat, false},
    {"mul.rn.sat.f32", "4:44", mul_sat, false},
    {"fma.rn.sat.f32", "4:444", fma_sat, false},
    {"div.approx.f32", "4:44", div_f32, false},
    {"div.full.f32", "4:44", div_f32, false},
    {"rcp.approx.f32", "4:4", rcp_f32, false},
    {"sqrt.approx.f32", "4:4", sqrt_f32, false},
    {"ex2.approx.f32", "4:4", ex2_f32, false},
    {"lg2.approx.f32", "4:4", lg2_f32, false},
    {"sin.approx.f32", "4:4", sin_f32, false},
    {"cos.approx.f32", "4:4", cos_f32, false},
    {"tanh.approx.f32", "4:4", tanh_f32, false},
    {"and.pred", "p:pp", and_pred, false},
    {"or.pred", "p:pp", or_pred, false},
    {"xor.pred", "p:pp", xor_pred, false},
    {"not.pred", "p:p", not_pred, false},
    {"mov.pred", "p:p", mov_pred, false},
    {"cvta.to.global.u64", "8:8", mov_64, false},
    {"cvta.global.u64", "8:8", mov_64, false},
    {"activemask.b32", "4:", activemask, false},
    {"vote.sync.any.pred", "p:p4", vote_any, false},
    {"vote.sync.all.pred", "p:p4", vote_all, false},
    {"vote.sync.uni.pred", "p:p4", vote_uni, false},
    {"vote.sync.ballot.b32", "4:p4", vote_ballot, false},
    {"shfl.sync.up.b32", "4:4444", shfl_up, false},
    {"shfl.sync.down.b32", "4:4444", shfl_down, false},
    {"shfl.sync.bfly.b32", "4:4444", shfl_bfly, false},
    {"shfl.sync.idx.b32", "4:4444", shfl_idx, false},
    {"match.any.sync.b32", "4:44", match_any, false},
    {"redux.sync.add.u32", "4:44", redux_add, false},
    {"redux.sync.add.s32", "4:44", redux_add, false},
    {"redux.sync.and.b32", "4:44", redux_and, false},
    {"redux.sync.or.b32", "4:44", redux_or, false},
    {"redux.sync.xor.b32", "4:44", redux_xor, false},
    {"redux.sync.min.u32", "4:44", redux_min_u32, false},
    {"redux.sync.max.u32", "4:44", redux_max_u32, false},
    {"redux.sync.min.s32", "4:44", redux_min_s32, false},
    {"redux.sync.max.s32", "4:44", redux_max_s32, false},
};

const struct ptx_operation_row *ptx_operation_find(const char *name)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    return NULL;
}
