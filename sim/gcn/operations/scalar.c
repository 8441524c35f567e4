/* Scalar arithmetic (SOP1, SOP2, SOPC, SOPK). Source: AMD's "Vega" and "Southern Islands" ISA manuals,
 * chapter of scalar operations. */
#include "sim/gcn/service.h"
#include "sim/number_bits.h"

#include <stddef.h>

static uint64_t destination(const struct wave *wave, const struct wave_instruction *it, char letter)
{
    if (it->in.dst >= GCN_SCALARS)
        return 0;
    return gcn_letter_dwords(letter) == 2 ? wave_pair(wave, it->in.dst) : wave->s[it->in.dst];
}

static uint64_t operand(const struct wave *wave, const struct wave_instruction *it, unsigned number)
{
    char letter = gcn_letter_in(it->in.row, number);
    unsigned dwords = gcn_letter_dwords(letter);
    if (dwords == 0)
        return 0;
    return dwords == 2 ? wave_read_pair(wave, &it->in, it->in.src[number], letter)
                       : wave_read(wave, &it->in, it->in.src[number]);
}

bool wave_do_scalar(struct wave_core *core, struct wave *wave, const struct wave_instruction *it)
{
    char out = gcn_letter_out(it->in.row, 0);
    struct wave_scalar x = {.a = operand(wave, it, 0),
                            .b = operand(wave, it, 1),
                            .old = destination(wave, it, out),
                            .number = it->in.number,
                            .exec = wave_exec(wave),
                            .pc = wave->pc,
                            .scc = wave->scc};
    if (it->in.row->format == GCN_SOPK)
        x.b = (uint32_t)it->in.number;
    it->scalar(&x);
    if (it->branches)
        wave_service_branch(core, wave, wave_exec(wave), x.exec);
    wave->scc = x.scc;
    wave->pc = x.pc;
    wave_set_mask(wave, GCN_EXEC, x.exec);
    if (out == '\0' || x.keep)
        return true;
    if (gcn_letter_dwords(out) == 2)
        wave_set_pair(wave, it->in.dst, x.d);
    else
        wave->s[it->in.dst] = (uint32_t)x.d;
    return true;
}

#define A ((uint32_t)x->a)
#define B ((uint32_t)x->b)
#define SA ((int32_t)(uint32_t)x->a)
#define SB ((int32_t)(uint32_t)x->b)
#define OPERATION(name, statements)                                                                          \
    static void name(struct wave_scalar *x)                                                                  \
    {                                                                                                        \
        statements;                                                                                          \
    }
/* The result; SCC is set if it is not 0. */
#define LOGIC32(name, value) OPERATION(name, x->d = (uint32_t)(value); x->scc = x->d != 0)
#define LOGIC64(name, value) OPERATION(name, x->d = (value); x->scc = x->d != 0)
#define PLAIN(name, value) OPERATION(name, x->d = (uint64_t)(value))
#define COMPARE(name, value) OPERATION(name, x->scc = (value))
#define SAVE_EXEC(name, value) OPERATION(name, x->d = x->exec; x->exec = (value); x->scc = x->exec != 0)
#define WRITE_EXEC(name, value) OPERATION(name, x->exec = (value); x->d = x->exec; x->scc = x->exec != 0)

static uint32_t low_mask(unsigned bits)
{
    return bits >= 32 ? UINT32_MAX : (UINT32_C(1) << bits) - 1;
}

static uint64_t low_mask64(unsigned bits)
{
    return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

static int overflows(int64_t value)
{
    return value < INT32_MIN || value > INT32_MAX;
}

OPERATION(s_add_u32, x->d = (uint64_t)A + B; x->scc = x->d >> 32 != 0)
OPERATION(s_sub_u32, x->d = A - B; x->scc = B > A)
OPERATION(s_add_i32, x->d = A + B; x->scc = overflows((int64_t)SA + SB))
OPERATION(s_sub_i32, x->d = A - B; x->scc = overflows((int64_t)SA - SB))
OPERATION(s_addc_u32, x->d = (uint64_t)A + B + x->scc; x->scc = x->d >> 32 != 0)
OPERATION(s_subb_u32, uint64_t take = (uint64_t)B + x->scc; x->d = A - take; x->scc = take > A)
OPERATION(s_min_i32, x->scc = SA < SB; x->d = x->scc ? A : B)
OPERATION(s_min_u32, x->scc = A < B; x->d = x->scc ? A : B)
OPERATION(s_max_i32, x->scc = SA > SB; x->d = x->scc ? A : B)
OPERATION(s_max_u32, x->scc = A > B; x->d = x->scc ? A : B)
OPERATION(s_cselect, x->d = x->scc ? x->a : x->b)
LOGIC64(s_and, x->a & x->b)
LOGIC64(s_or, x->a | x->b)
LOGIC64(s_xor, x->a ^ x->b)
LOGIC32(s_andn2_b32, A & ~B)
LOGIC32(s_orn2_b32, A | ~B)
LOGIC32(s_nand_b32, ~(A &B))
LOGIC32(s_nor_b32, ~(A | B))
LOGIC32(s_xnor_b32, ~(A ^ B))
LOGIC64(s_andn2_b64, x->a & ~x->b)
LOGIC64(s_orn2_b64, x->a | ~x->b)
LOGIC64(s_nand_b64, ~(x->a & x->b))
LOGIC64(s_nor_b64, ~(x->a | x->b))
LOGIC64(s_xnor_b64, ~(x->a ^ x->b))
LOGIC32(s_lshl_b32, A << (B & 31))
LOGIC64(s_lshl_b64, x->a << (B & 63))
LOGIC32(s_lshr_b32, A >> (B & 31))
LOGIC64(s_lshr_b64, x->a >> (B & 63))
LOGIC32(s_ashr_i32, SA >> (B & 31))
LOGIC64(s_ashr_i64, (uint64_t)((int64_t)x->a >> (B & 63)))
PLAIN(s_bfm_b32, low_mask(A & 31) << (B & 31))
PLAIN(s_bfm_b64, low_mask64(A & 63) << (B & 63))
PLAIN(s_mul_i32, (uint32_t)(A *B))
PLAIN(s_mul_hi_u32, (uint64_t)A *B >> 32)
PLAIN(s_add_f32, bits_of_float(float_of(A) + float_of(B)))
PLAIN(s_sub_f32, bits_of_float(float_of(A) - float_of(B)))
PLAIN(s_mul_f32, bits_of_float(float_of(A) * float_of(B)))
PLAIN(s_cvt_f32_i32, bits_of_float((float)SA))
PLAIN(s_cvt_f32_u32, bits_of_float((float)A))
PLAIN(s_add_nc_u64, x->a + x->b)
PLAIN(s_sub_nc_u64, x->a - x->b)
PLAIN(s_mul_u64, x->a * x->b)
PLAIN(s_mul_hi_i32, (uint64_t)((int64_t)SA *SB) >> 32)
LOGIC32(s_bfe_u32, A >> (B & 31) & low_mask(B >> 16 & 127))
LOGIC64(s_bfe_u64, x->a >> (B & 63) & low_mask64(B >> 16 & 127))
/* The difference wraps before its sign is tested: 0x80000000 - 1 is 0x7fffffff. */
LOGIC32(s_absdiff_i32, (int32_t)(A - B) < 0 ? B - A : A - B)
#define SHIFT_ADD(name, by) OPERATION(name, x->d = ((uint64_t)A << (by)) + B; x->scc = x->d >> 32 != 0)
SHIFT_ADD(s_lshl1_add_u32, 1)
SHIFT_ADD(s_lshl2_add_u32, 2)
SHIFT_ADD(s_lshl3_add_u32, 3)
SHIFT_ADD(s_lshl4_add_u32, 4)
PLAIN(s_pack_ll_b32_b16, (A & 0xffff) | B << 16)
PLAIN(s_pack_lh_b32_b16, (A & 0xffff) | (B & 0xffff0000))
PLAIN(s_pack_hh_b32_b16, A >> 16 | (B & 0xffff0000))
PLAIN(s_pack_hl_b32_b16, A >> 16 | B << 16)

static uint64_t field(uint64_t value, unsigned low, unsigned size, unsigned width)
{
    if (size == 0 || low >= width)
        return 0;
    size = size > width - low ? width - low : size;
    uint64_t bits = value >> low & low_mask64(size);
    uint64_t sign = UINT64_C(1) << (size - 1);
    return (bits ^ sign) - sign;
}

LOGIC32(s_bfe_i32, field(A, B & 31, B >> 16 & 127, 32))
LOGIC64(s_bfe_i64, field(x->a, B & 63, B >> 16 & 127, 64))

static uint64_t reversed(uint64_t value, unsigned width)
{
    uint64_t to = 0;
    for (unsigned i = 0; i < width; i++)
        to |= (value >> i & 1) << (width - 1 - i);
    return to;
}

static uint32_t lowest(uint64_t value)
{
    return value == 0 ? UINT32_MAX : (uint32_t)__builtin_ctzll(value);
}

/* The number of zeros above the highest one. */
static uint32_t leading(uint64_t value, unsigned width)
{
    return value == 0 ? UINT32_MAX : (uint32_t)__builtin_clzll(value) - (64 - width);
}

/* The number of bits below the sign that equal it. */
static uint32_t signs(int64_t value, unsigned width)
{
    return value == 0 || value == -1 ? UINT32_MAX : leading((uint64_t)(value < 0 ? ~value : value), width);
}

PLAIN(s_mov, x->a)
OPERATION(s_cmov, x->d = x->a; x->keep = !x->scc)
LOGIC32(s_not_b32, ~A)
LOGIC64(s_not_b64, ~x->a)
PLAIN(s_brev_b32, reversed(A, 32))
PLAIN(s_brev_b64, reversed(x->a, 64))
LOGIC32(s_bcnt0_i32_b32, 32 - __builtin_popcount(A))
LOGIC32(s_bcnt1_i32_b32, __builtin_popcount(A))
LOGIC32(s_bcnt0_i32_b64, 64 - __builtin_popcountll(x->a))
LOGIC32(s_bcnt1_i32_b64, __builtin_popcountll(x->a))
PLAIN(s_ff0_i32_b32, lowest((uint32_t)~A))
PLAIN(s_ff0_i32_b64, lowest(~x->a))
PLAIN(s_ff1_i32_b32, lowest(A))
PLAIN(s_ff1_i32_b64, lowest(x->a))
PLAIN(s_flbit_i32_b32, leading(A, 32))
PLAIN(s_flbit_i32_b64, leading(x->a, 64))
PLAIN(s_flbit_i32, signs(SA, 32))
PLAIN(s_flbit_i32_i64, signs((int64_t)x->a, 64))
PLAIN(s_sext_i32_i8, (uint32_t)(int8_t)A)
PLAIN(s_sext_i32_i16, (uint32_t)(int16_t)A)
LOGIC32(s_abs_i32, SA < 0 ? 0 - A : A)
PLAIN(s_bitset0_b32, x->old & ~(UINT64_C(1) << (A & 31)))
PLAIN(s_bitset1_b32, x->old | UINT64_C(1) << (A & 31))
PLAIN(s_bitset0_b64, x->old & ~(UINT64_C(1) << (A & 63)))
PLAIN(s_bitset1_b64, x->old | UINT64_C(1) << (A & 63))
SAVE_EXEC(s_and_saveexec, x->a & x->exec)
SAVE_EXEC(s_or_saveexec, x->a | x->exec)
SAVE_EXEC(s_xor_saveexec, x->a ^ x->exec)
SAVE_EXEC(s_andn2_saveexec, x->a & ~x->exec)
SAVE_EXEC(s_orn2_saveexec, x->a | ~x->exec)
SAVE_EXEC(s_nand_saveexec, ~(x->a & x->exec))
SAVE_EXEC(s_nor_saveexec, ~(x->a | x->exec))
SAVE_EXEC(s_xnor_saveexec, ~(x->a ^ x->exec))
SAVE_EXEC(s_andn1_saveexec, ~x->a & x->exec)
SAVE_EXEC(s_orn1_saveexec, ~x->a | x->exec)
WRITE_EXEC(s_andn1_wrexec, ~x->a & x->exec)
WRITE_EXEC(s_andn2_wrexec, x->a & ~x->exec)

/* Operations that change EXEC, on its lower half only, for waves of 32 lanes. */
#define NARROW(name)                                                                                         \
    static void name##_b32(struct wave_scalar *x)                                                            \
    {                                                                                                        \
        uint64_t exec = x->exec;                                                                             \
        x->exec = (uint32_t)exec;                                                                            \
        name(x);                                                                                             \
        x->scc = (uint32_t)x->exec != 0;                                                                     \
        x->exec = (exec & ~(uint64_t)UINT32_MAX) | (uint32_t)x->exec;                                        \
    }
NARROW(s_and_saveexec)
NARROW(s_or_saveexec)
NARROW(s_xor_saveexec)
NARROW(s_andn2_saveexec)
NARROW(s_orn2_saveexec)
NARROW(s_nand_saveexec)
NARROW(s_nor_saveexec)
NARROW(s_xnor_saveexec)
NARROW(s_andn1_saveexec)
NARROW(s_orn1_saveexec)
NARROW(s_andn1_wrexec)
NARROW(s_andn2_wrexec)
OPERATION(s_getpc, x->d = x->pc)
OPERATION(s_setpc, x->pc = x->a)
OPERATION(s_swappc, x->d = x->pc; x->pc = x->a)
OPERATION(s_call, x->d = x->pc; x->pc += (uint64_t)((int64_t)x->number * 4))

COMPARE(s_cmp_eq, A == B)
COMPARE(s_cmp_lg, A != B)
COMPARE(s_cmp_gt_i32, SA > SB)
COMPARE(s_cmp_ge_i32, SA >= SB)
COMPARE(s_cmp_lt_i32, SA < SB)
COMPARE(s_cmp_le_i32, SA <= SB)
COMPARE(s_cmp_gt_u32, A > B)
COMPARE(s_cmp_ge_u32, A >= B)
COMPARE(s_cmp_lt_u32, A < B)
COMPARE(s_cmp_le_u32, A <= B)
COMPARE(s_cmp_eq_u64, x->a == x->b)
COMPARE(s_cmp_lg_u64, x->a != x->b)
COMPARE(s_bitcmp0_b32, (A >> (B & 31) & 1) == 0)
COMPARE(s_bitcmp1_b32, (A >> (B & 31) & 1) != 0)
COMPARE(s_bitcmp0_b64, (x->a >> (B & 63) & 1) == 0)
COMPARE(s_bitcmp1_b64, (x->a >> (B & 63) & 1) != 0)
/* Comparisons with simm16, which is zero-extended for u32. */
#define K ((uint32_t)x->number & 0xffff)
COMPARE(s_cmpk_eq_u32, A == K)
COMPARE(s_cmpk_lg_u32, A != K)
COMPARE(s_cmpk_gt_u32, A > K)
COMPARE(s_cmpk_ge_u32, A >= K)
COMPARE(s_cmpk_lt_u32, A < K)
COMPARE(s_cmpk_le_u32, A <= K)
PLAIN(s_movk_i32, (uint32_t)x->number)
OPERATION(s_cmovk_i32, x->d = (uint32_t)x->number; x->keep = !x->scc)
OPERATION(s_addk_i32, int32_t old = (int32_t)(uint32_t)x->old; x->d = (uint32_t)x->old + (uint32_t)x->number;
          x->scc = overflows((int64_t)old + x->number))
PLAIN(s_mulk_i32, (uint32_t)((uint32_t)x->old *(uint32_t)x->number))

#define ROW(name)                                                                                            \
    {                                                                                                        \
#name, name                                                                                          \
    }
#define BOTH(name)                                                                                           \
    {#name "_b32", name},                                                                                    \
    {                                                                                                        \
#name "_b64", name                                                                                   \
    }
#define WIDE(name)                                                                                           \
    {                                                                                                        \
#name "_b64", name                                                                                   \
    }
const struct wave_scalar_row wave_branch_rows[] = {
    WIDE(s_and_saveexec), ROW(s_and_saveexec_b32), {NULL, NULL}};
const struct wave_scalar_row wave_scalar_rows[] = {
    ROW(s_add_u32),
    ROW(s_sub_u32),
    ROW(s_add_i32),
    ROW(s_sub_i32),
    ROW(s_addc_u32),
    ROW(s_subb_u32),
    ROW(s_min_i32),
    ROW(s_min_u32),
    ROW(s_max_i32),
    ROW(s_max_u32),
    BOTH(s_cselect),
    BOTH(s_and),
    BOTH(s_or),
    BOTH(s_xor),
    ROW(s_andn2_b32),
    ROW(s_orn2_b32),
    ROW(s_nand_b32),
    ROW(s_nor_b32),
    ROW(s_xnor_b32),
    ROW(s_andn2_b64),
    ROW(s_orn2_b64),
    ROW(s_nand_b64),
    ROW(s_nor_b64),
    ROW(s_xnor_b64),
    ROW(s_lshl_b32),
    ROW(s_lshl_b64),
    ROW(s_lshr_b32),
    ROW(s_lshr_b64),
    ROW(s_ashr_i32),
    ROW(s_ashr_i64),
    ROW(s_bfm_b32),
    ROW(s_bfm_b64),
    ROW(s_mul_i32),
    ROW(s_mul_hi_u32),
    ROW(s_add_f32),
    ROW(s_sub_f32),
    ROW(s_mul_f32),
    ROW(s_cvt_f32_i32),
    ROW(s_cvt_f32_u32),
    ROW(s_add_nc_u64),
    ROW(s_sub_nc_u64),
    ROW(s_mul_u64),
    ROW(s_mul_hi_i32),
    ROW(s_bfe_u32),
    ROW(s_bfe_u64),
    ROW(s_bfe_i32),
    ROW(s_bfe_i64),
    ROW(s_absdiff_i32),
    ROW(s_lshl1_add_u32),
    ROW(s_lshl2_add_u32),
    ROW(s_lshl3_add_u32),
    ROW(s_lshl4_add_u32),
    ROW(s_pack_ll_b32_b16),
    ROW(s_pack_lh_b32_b16),
    ROW(s_pack_hh_b32_b16),
    ROW(s_pack_hl_b32_b16),
    BOTH(s_mov),
    BOTH(s_cmov),
    ROW(s_not_b32),
    ROW(s_not_b64),
    ROW(s_brev_b32),
    ROW(s_brev_b64),
    ROW(s_bcnt0_i32_b32),
    ROW(s_bcnt1_i32_b32),
    ROW(s_bcnt0_i32_b64),
    ROW(s_bcnt1_i32_b64),
    ROW(s_ff0_i32_b32),
    ROW(s_ff0_i32_b64),
    ROW(s_ff1_i32_b32),
    ROW(s_ff1_i32_b64),
    ROW(s_flbit_i32_b32),
    ROW(s_flbit_i32_b64),
    ROW(s_flbit_i32),
    ROW(s_flbit_i32_i64),
    ROW(s_sext_i32_i8),
    ROW(s_sext_i32_i16),
    ROW(s_abs_i32),
    ROW(s_bitset0_b32),
    ROW(s_bitset1_b32),
    ROW(s_bitset0_b64),
    ROW(s_bitset1_b64),
    WIDE(s_or_saveexec),
    WIDE(s_xor_saveexec),
    WIDE(s_andn2_saveexec),
    WIDE(s_orn2_saveexec),
    WIDE(s_nand_saveexec),
    WIDE(s_nor_saveexec),
    WIDE(s_xnor_saveexec),
    WIDE(s_andn1_saveexec),
    WIDE(s_orn1_saveexec),
    WIDE(s_andn1_wrexec),
    WIDE(s_andn2_wrexec),
    ROW(s_or_saveexec_b32),
    ROW(s_xor_saveexec_b32),
    ROW(s_andn2_saveexec_b32),
    ROW(s_orn2_saveexec_b32),
    ROW(s_nand_saveexec_b32),
    ROW(s_nor_saveexec_b32),
    ROW(s_xnor_saveexec_b32),
    ROW(s_andn1_saveexec_b32),
    ROW(s_orn1_saveexec_b32),
    ROW(s_andn1_wrexec_b32),
    ROW(s_andn2_wrexec_b32),
    WIDE(s_getpc),
    WIDE(s_setpc),
    WIDE(s_swappc),
    WIDE(s_call),
    {"s_cmp_eq_i32", s_cmp_eq},
    {"s_cmp_eq_u32", s_cmp_eq},
    {"s_cmp_lg_i32", s_cmp_lg},
    {"s_cmp_lg_u32", s_cmp_lg},
    ROW(s_cmp_gt_i32),
    ROW(s_cmp_ge_i32),
    ROW(s_cmp_lt_i32),
    ROW(s_cmp_le_i32),
    ROW(s_cmp_gt_u32),
    ROW(s_cmp_ge_u32),
    ROW(s_cmp_lt_u32),
    ROW(s_cmp_le_u32),
    ROW(s_cmp_eq_u64),
    ROW(s_cmp_lg_u64),
    ROW(s_bitcmp0_b32),
    ROW(s_bitcmp1_b32),
    ROW(s_bitcmp0_b64),
    ROW(s_bitcmp1_b64),
    {"s_cmpk_eq_i32", s_cmp_eq},
    {"s_cmpk_lg_i32", s_cmp_lg},
    {"s_cmpk_gt_i32", s_cmp_gt_i32},
    {"s_cmpk_ge_i32", s_cmp_ge_i32},
    {"s_cmpk_lt_i32", s_cmp_lt_i32},
    {"s_cmpk_le_i32", s_cmp_le_i32},
    ROW(s_cmpk_eq_u32),
    ROW(s_cmpk_lg_u32),
    ROW(s_cmpk_gt_u32),
    ROW(s_cmpk_ge_u32),
    ROW(s_cmpk_lt_u32),
    ROW(s_cmpk_le_u32),
    ROW(s_movk_i32),
    ROW(s_cmovk_i32),
    ROW(s_addk_i32),
    ROW(s_mulk_i32),
    {NULL, NULL},
};
