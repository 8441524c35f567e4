/* Vector comparisons: a mask of the lanes in which they hold. */
#include "sim/gcn/number_bits.h"
#include "sim/gcn/wave_state.h"

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

#define TWO(condition, suffix, run)                                                                          \
    {"v_cmp_" #condition "_" #suffix, NULL, run},                                                            \
    {                                                                                                        \
        "v_cmpx_" #condition "_" #suffix, NULL, run                                                          \
    }
#define PLAIN(condition, suffix) TWO(condition, suffix, condition##_##suffix)
#define INTEGER_ROWS(suffix)                                                                                 \
    TWO(f, suffix, never), PLAIN(lt, suffix), PLAIN(eq, suffix), PLAIN(le, suffix), PLAIN(gt, suffix),       \
        PLAIN(ne, suffix), PLAIN(ge, suffix), TWO(t, suffix, always)
#define FLOAT_ROWS(suffix)                                                                                   \
    TWO(f, suffix, never), PLAIN(lt, suffix), PLAIN(eq, suffix), PLAIN(le, suffix), PLAIN(gt, suffix),       \
        PLAIN(lg, suffix), PLAIN(ge, suffix), PLAIN(o, suffix), PLAIN(u, suffix), PLAIN(nge, suffix),        \
        PLAIN(nlg, suffix), PLAIN(ngt, suffix), PLAIN(nle, suffix), PLAIN(neq, suffix), PLAIN(nlt, suffix),  \
        TWO(tru, suffix, always)
const struct wave_vector_row wave_compare_rows[] = {
    INTEGER_ROWS(i32), INTEGER_ROWS(u32), INTEGER_ROWS(i64),  INTEGER_ROWS(u64),
    FLOAT_ROWS(f32),   FLOAT_ROWS(f64),   {NULL, NULL, NULL},
};
