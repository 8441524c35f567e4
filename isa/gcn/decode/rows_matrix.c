#include "isa/gcn/decode/rows.h"

#include <stddef.h>

/* clang-format off: one operation a line. */
const struct gcn_row gcn_rows_matrix[] = {
    {"v_accvgpr_mov_b32", GCN_VOP1, {-1, -1, -1, 0x52, -1, -1, -1}, "1=1"},
    {"v_accvgpr_read_b32", GCN_MATRIX, {-1, -1, -1, 0x58, -1, -1, -1}, "1=1"},
    {"v_accvgpr_write_b32", GCN_MATRIX, {-1, -1, -1, 0x59, -1, -1, -1}, "1=1"},
    {"v_mfma_f32_32x32x1f32", GCN_MATRIX, {-1, -1, -1, 0x40, -1, -1, -1}, "W=11W"},
    {"v_mfma_f32_16x16x1f32", GCN_MATRIX, {-1, -1, -1, 0x41, -1, -1, -1}, "G=11G"},
    {"v_mfma_f32_4x4x1f32", GCN_MATRIX, {-1, -1, -1, 0x42, -1, -1, -1}, "4=114"},
    {"v_mfma_f32_32x32x2f32", GCN_MATRIX, {-1, -1, -1, 0x44, -1, -1, -1}, "G=11G"},
    {"v_mfma_f32_16x16x4f32", GCN_MATRIX, {-1, -1, -1, 0x45, -1, -1, -1}, "4=114"},
    {"v_mfma_f32_32x32x4f16", GCN_MATRIX, {-1, -1, -1, 0x48, -1, -1, -1}, "W=22W"},
    {"v_mfma_f32_16x16x4f16", GCN_MATRIX, {-1, -1, -1, 0x49, -1, -1, -1}, "G=22G"},
    {"v_mfma_f32_4x4x4f16", GCN_MATRIX, {-1, -1, -1, 0x4a, -1, -1, -1}, "4=224"},
    {"v_mfma_f32_32x32x8f16", GCN_MATRIX, {-1, -1, -1, 0x4c, -1, -1, -1}, "G=22G"},
    {"v_mfma_f32_16x16x16f16", GCN_MATRIX, {-1, -1, -1, 0x4d, -1, -1, -1}, "4=224"},
    {"v_mfma_i32_32x32x4i8", GCN_MATRIX, {-1, -1, -1, 0x50, -1, -1, -1}, "W=11W"},
    {"v_mfma_i32_16x16x4i8", GCN_MATRIX, {-1, -1, -1, 0x51, -1, -1, -1}, "G=11G"},
    {"v_mfma_i32_4x4x4i8", GCN_MATRIX, {-1, -1, -1, 0x52, -1, -1, -1}, "4=114"},
    {"v_mfma_i32_32x32x8i8", GCN_MATRIX, {-1, -1, -1, 0x54, -1, -1, -1}, "G=11G"},
    {"v_mfma_i32_16x16x16i8", GCN_MATRIX, {-1, -1, -1, 0x55, -1, -1, -1}, "4=114"},
    {"v_mfma_f32_32x32x2bf16", GCN_MATRIX, {-1, -1, -1, 0x68, -1, -1, -1}, "W=11W"},
    {"v_mfma_f32_16x16x2bf16", GCN_MATRIX, {-1, -1, -1, 0x69, -1, -1, -1}, "G=11G"},
    {"v_mfma_f32_4x4x2bf16", GCN_MATRIX, {-1, -1, -1, 0x6b, -1, -1, -1}, "4=114"},
    {"v_mfma_f32_32x32x4bf16", GCN_MATRIX, {-1, -1, -1, 0x6c, -1, -1, -1}, "G=11G"},
    {"v_mfma_f32_16x16x8bf16", GCN_MATRIX, {-1, -1, -1, 0x6d, -1, -1, -1}, "4=114"},
    {"v_mfma_f32_32x32x4bf16_1k", GCN_MATRIX, {-1, -1, -1, 0x63, -1, -1, -1}, "W=22W"},
    {"v_mfma_f32_16x16x4bf16_1k", GCN_MATRIX, {-1, -1, -1, 0x64, -1, -1, -1}, "G=22G"},
    {"v_mfma_f32_4x4x4bf16_1k", GCN_MATRIX, {-1, -1, -1, 0x65, -1, -1, -1}, "4=224"},
    {"v_mfma_f32_32x32x8bf16_1k", GCN_MATRIX, {-1, -1, -1, 0x66, -1, -1, -1}, "G=22G"},
    {"v_mfma_f32_16x16x16bf16_1k", GCN_MATRIX, {-1, -1, -1, 0x67, -1, -1, -1}, "4=224"},
    {"v_mfma_f64_16x16x4f64", GCN_MATRIX, {-1, -1, -1, 0x6e, -1, -1, -1}, "8=228"},
    {"v_mfma_f64_4x4x4f64", GCN_MATRIX, {-1, -1, -1, 0x6f, -1, -1, -1}, "2=222"},
    {NULL, GCN_SOP2, {-1, -1, -1, -1, -1, -1, -1}, ""},
};
/* clang-format on */
