/* Vector comparisons: a mask of the lanes in which they hold. */
#include "sim/gcn/wave_state.h"
#include "sim/number_bits.h"

#include <math.h>
#include <stddef.h>

#define COMPARE(name, type, first, second, holds)                                                            \
    static void name(struct wave_vector *x)                                                                  \
    {                                                                                                        \
        for (unsigned i = 0; i < WAVE_LANES; i++) {                                                          \
            type a = (first);                                                                                \
            type b = (second);                                                                               \
            x->out |= (uint64_t)(holds) << i;                                                                \
        }                                                                                                    \
    }
#define INTEGERS(suffix, type, first, second)                                                                \
    COMPARE(lt_##suffix, type, first, second, a < b)                                                         \
    COMPARE(eq_##suffix, type, first, second, a == b)                                                        \
    COMPARE(le_##suffix, type, first, second, a <= b)                                                        \
    COMPARE(gt_##suffix, type, first, second, a > b)                                                         \
    COMPARE(ne_##suffix, type, first, second, a != b)                                                        \
    COMPARE(ge_##suffix, type, first, second, a >= b)
#define FLOATS(suffix, type, first, second)                                                                  \
    COMPARE(lt_##suffix, type, first, second, a < b)                                                         \
    COMPARE(eq_##suffix, type, first, second, a == b)                                                        \
    COMPARE(le_##suffix, type, first, second, a <= b)                                                        \
    COMPARE(gt_##suffix, type, first, second, a > b)                                                         \
    COMPARE(lg_##suffix, type, first, second, a<b || a> b)                                                   \
    COMPARE(ge_##suffix, type, first, second, a >= b)                                                        \
    COMPARE(o_##suffix, type, first, second, !isunordered(a, b))                                             \
    COMPARE(u_##suffix, type, first, second, isunordered(a, b))                                              \
    COMPARE(nge_##suffix, type, first, second, !(a >= b))                                                    \
    COMPARE(nlg_##suffix, type, first, second, !(a < b || a > b))                                            \
    COMPARE(ngt_##suffix, type, first, second, !(a > b))                                                     \
    COMPARE(nle_##suffix, type, first, second, !(a <= b))                                                    \
    COMPARE(neq_##suffix, type, first, second, !(a == b))                                                    \
    COMPARE(nlt_##suffix, type, first, second, !(a < b))

INTEGERS(i32, int32_t, (int32_t)x->a[i], (int32_t)x->b[i])
INTEGERS(u32, uint32_t, x->a[i], x->b[i])
INTEGERS(i64, int64_t, (int64_t)x->A[i], (int64_t)x->B[i])
INTEGERS(u64, uint64_t, x->A[i], x->B[i])
INTEGERS(i16, int16_t, (int16_t)x->a[i], (int16_t)x->b[i])
INTEGERS(u16, uint16_t, (uint16_t)x->a[i], (uint16_t)x->b[i])
FLOATS(f16, double, of_half(x->a[i]), of_half(x->b[i]))
FLOATS(f32, float, float_of(x->a[i]), float_of(x->b[i]))
FLOATS(f64, double, double_of(x->A[i]), double_of(x->B[i]))

static void always(struct wave_vector *x)
{
    x->out = UINT64_MAX;
}

static void never(struct wave_vector *x)
{
    x->out = 0;
}

#define ROW(prefix, condition, suffix, run)                                                                  \
    {                                                                                                        \
        prefix #condition "_" #suffix, NULL, run                                                             \
    }
#define PLAIN(prefix, condition, suffix) ROW(prefix, condition, suffix, condition##_##suffix)
#define INTEGER_ROWS(prefix, suffix)                                                                         \
    ROW(prefix, f, suffix, never), PLAIN(prefix, lt, suffix), PLAIN(prefix, eq, suffix),                     \
        PLAIN(prefix, le, suffix), PLAIN(prefix, gt, suffix), PLAIN(prefix, ne, suffix),                     \
        PLAIN(prefix, ge, suffix), ROW(prefix, t, suffix, always)
#define FLOAT_ROWS(prefix, suffix)                                                                           \
    ROW(prefix, f, suffix, never), PLAIN(prefix, lt, suffix), PLAIN(prefix, eq, suffix),                     \
        PLAIN(prefix, le, suffix), PLAIN(prefix, gt, suffix), PLAIN(prefix, lg, suffix),                     \
        PLAIN(prefix, ge, suffix), PLAIN(prefix, o, suffix), PLAIN(prefix, u, suffix),                       \
        PLAIN(prefix, nge, suffix), PLAIN(prefix, nlg, suffix), PLAIN(prefix, ngt, suffix),                  \
        PLAIN(prefix, nle, suffix), PLAIN(prefix, neq, suffix), PLAIN(prefix, nlt, suffix),                  \
        ROW(prefix, tru, suffix, always)
#define ALL_ROWS(prefix)                                                                                     \
    INTEGER_ROWS(prefix, i32), INTEGER_ROWS(prefix, u32), INTEGER_ROWS(prefix, i64),                         \
        INTEGER_ROWS(prefix, u64), INTEGER_ROWS(prefix, i16), INTEGER_ROWS(prefix, u16),                     \
        FLOAT_ROWS(prefix, f16), FLOAT_ROWS(prefix, f32), FLOAT_ROWS(prefix, f64),                           \
    {                                                                                                        \
        NULL, NULL, NULL                                                                                     \
    }

const struct wave_vector_row wave_compare_rows[] = {ALL_ROWS("v_cmp_")};
const struct wave_vector_row wave_compare_exec_rows[] = {ALL_ROWS("v_cmpx_")};
