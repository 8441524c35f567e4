/* Matrix operations of gfx908 and gfx90a: D = A B + C for one or several blocks, whose elements are
 * distributed over all lanes; EXEC has no effect. Layout of the elements: AMD's MI100 and MI200 ISA manuals,
 * "matrix arithmetic", and, for 64-bit results too, AMD's Matrix Instruction Calculator. Sums of 32-bit and
 * 64-bit products are rounded after every product, in the order of k; sums of 16-bit products once. No manual
 * specifies intermediate rounding, so the last bits of hardware's results may differ. */
#include "sim/gcn/wave_state.h"
#include "sim/number_bits.h"

#include <math.h>
#include <string.h>

/* Elements of A and B. */
enum matrix_type { F32, F16, BF16, I8, F64 };

struct wave_matrix {
    const char *name;
    unsigned side, depth; /* A is side by depth, B depth by side */
    unsigned blocks;
    enum matrix_type type;
    unsigned each; /* elements of A, and of B, in a lane */
    bool only_gfx90a;
};

static const struct wave_matrix matrices[] = {
    {"v_mfma_f32_32x32x1f32", 32, 1, 2, F32, 1, false},
    {"v_mfma_f32_16x16x1f32", 16, 1, 4, F32, 1, false},
    {"v_mfma_f32_4x4x1f32", 4, 1, 16, F32, 1, false},
    {"v_mfma_f32_32x32x2f32", 32, 2, 1, F32, 1, false},
    {"v_mfma_f32_16x16x4f32", 16, 4, 1, F32, 1, false},
    {"v_mfma_f32_32x32x4f16", 32, 4, 2, F16, 4, false},
    {"v_mfma_f32_16x16x4f16", 16, 4, 4, F16, 4, false},
    {"v_mfma_f32_4x4x4f16", 4, 4, 16, F16, 4, false},
    {"v_mfma_f32_32x32x8f16", 32, 8, 1, F16, 4, false},
    {"v_mfma_f32_16x16x16f16", 16, 16, 1, F16, 4, false},
    {"v_mfma_i32_32x32x4i8", 32, 4, 2, I8, 4, false},
    {"v_mfma_i32_16x16x4i8", 16, 4, 4, I8, 4, false},
    {"v_mfma_i32_4x4x4i8", 4, 4, 16, I8, 4, false},
    {"v_mfma_i32_32x32x8i8", 32, 8, 1, I8, 4, false},
    {"v_mfma_i32_16x16x16i8", 16, 16, 1, I8, 4, false},
    {"v_mfma_f32_32x32x2bf16", 32, 2, 2, BF16, 2, false},
    {"v_mfma_f32_16x16x2bf16", 16, 2, 4, BF16, 2, false},
    {"v_mfma_f32_4x4x2bf16", 4, 2, 16, BF16, 2, false},
    {"v_mfma_f32_32x32x4bf16", 32, 4, 1, BF16, 2, false},
    {"v_mfma_f32_16x16x8bf16", 16, 8, 1, BF16, 2, false},
    {"v_mfma_f32_32x32x4bf16_1k", 32, 4, 2, BF16, 4, true},
    {"v_mfma_f32_16x16x4bf16_1k", 16, 4, 4, BF16, 4, true},
    {"v_mfma_f32_4x4x4bf16_1k", 4, 4, 16, BF16, 4, true},
    {"v_mfma_f32_32x32x8bf16_1k", 32, 8, 1, BF16, 4, true},
    {"v_mfma_f32_16x16x16bf16_1k", 16, 16, 1, BF16, 4, true},
    {"v_mfma_f64_16x16x4f64", 16, 4, 1, F64, 1, true},
    {"v_mfma_f64_4x4x4f64", 4, 4, 4, F64, 1, true},
};

const struct wave_matrix *wave_matrix_of(const struct gcn_row *row, const char *processor)
{
    bool late = strcmp(processor, "gfx90a") == 0;
    for (size_t i = 0; i < sizeof matrices / sizeof matrices[0]; i++)
        if (strcmp(matrices[i].name, row->name) == 0 &&
            (late || (strcmp(processor, "gfx908") == 0 && !matrices[i].only_gfx90a)))
            return &matrices[i];
    return NULL;
}

/* The element of row `at` of A, or of column `at` of B, in that block, at that depth; registers: the
 * source's. */
static double element(const struct wave_matrix *matrix, uint32_t (*registers)[WAVE_LANES], unsigned block,
                      unsigned at, unsigned depth)
{
    unsigned lane = at + matrix->side * (block + matrix->blocks * (depth / matrix->each));
    unsigned part = depth % matrix->each;
    uint32_t halves = registers[part / 2][lane] >> 16 * (part % 2) & 0xffff;
    switch (matrix->type) {
    case F32:
        return (double)float_of(registers[0][lane]);
    case F16:
        return of_half(halves);
    case BF16:
        return (double)float_of(halves << 16);
    case I8:
        return (int8_t)(registers[0][lane] >> 8 * part);
    default:
        return double_of(registers[0][lane] | (uint64_t)registers[1][lane] << 32);
    }
}

struct matrix_place {
    unsigned lane, number; /* number: of the element among the lane's */
};

static struct matrix_place place_of(const struct wave_matrix *matrix, unsigned block, unsigned row,
                                    unsigned column)
{
    if (matrix->type == F64)
        return matrix->side == 16 ? (struct matrix_place){column + 16 * (row % 4), row / 4}
                                  : (struct matrix_place){column + 4 * block + 16 * row, 0};
    if (matrix->side == 4)
        return (struct matrix_place){column + 4 * block, row};
    if (matrix->side == 16)
        return (struct matrix_place){column + 16 * (row / 4), row % 4 + 4 * block};
    return (struct matrix_place){column + 32 * (row / 4 % 2), row % 4 + 4 * (row / 8) + 16 * block};
}

/* The sum of products of a row and a column, and the third source's element. */
static uint64_t sum_of(const struct wave_matrix *matrix, uint32_t (*a)[WAVE_LANES], uint32_t (*b)[WAVE_LANES],
                       unsigned block, unsigned row, unsigned column, uint64_t third)
{
    float narrow = float_of((uint32_t)third);
    double wide = matrix->type == F64  ? double_of(third)
                  : matrix->type == I8 ? (double)(int32_t)third
                                       : (double)narrow;
    for (unsigned k = 0; k < matrix->depth; k++) {
        double left = element(matrix, a, block, row, k), right = element(matrix, b, block, column, k);
        if (matrix->type == F32)
            narrow = fmaf((float)left, (float)right, narrow);
        else
            wide = fma(left, right, wide);
    }
    return matrix->type == F64   ? bits_of_double(wide)
           : matrix->type == I8  ? (uint32_t)(int64_t)wide
           : matrix->type == F32 ? bits_of_float(narrow)
                                 : bits_of_float((float)wide);
}

bool wave_do_matrix(struct wave_core *core, struct wave *wave, const struct wave_instruction *it)
{
    enum { MOST_REGISTERS = 32 };
    const struct wave_matrix *matrix = it->matrix;
    const struct gcn_instruction *in = &it->in;
    unsigned dwords = gcn_letter_dwords(gcn_letter_out(in->row, 0)), per = matrix->type == F64 ? 2 : 1;
    uint32_t d[MOST_REGISTERS][WAVE_LANES];
    bool constant = in->src[2] < GCN_VECTOR;
    uint64_t number = !constant  ? 0
                      : per == 2 ? wave_read_pair(wave, in, in->src[2], 'F')
                                 : wave_read(wave, in, in->src[2]);
    uint32_t(*a)[WAVE_LANES] = &wave->v[in->src[0] - GCN_VECTOR];
    uint32_t(*b)[WAVE_LANES] = &wave->v[in->src[1] - GCN_VECTOR];
    (void)core;
    for (unsigned block = 0; block < matrix->blocks; block++)
        for (unsigned row = 0; row < matrix->side; row++)
            for (unsigned column = 0; column < matrix->side; column++) {
                struct matrix_place at = place_of(matrix, block, row, column);
                uint64_t third = number;
                if (!constant) {
                    uint32_t(*c)[WAVE_LANES] = &wave->v[in->src[2] - GCN_VECTOR + at.number * per];
                    third = c[0][at.lane] | (per == 2 ? (uint64_t)c[1][at.lane] << 32 : 0);
                }
                uint64_t sum = sum_of(matrix, a, b, block, row, column, third);
                d[at.number * per][at.lane] = (uint32_t)sum;
                if (per == 2)
                    d[at.number * per + 1][at.lane] = (uint32_t)(sum >> 32);
            }
    memcpy(wave->v[in->dst - GCN_VECTOR], d, dwords * sizeof d[0]);
    return true;
}
