#include "generator/emit/gpu_asm.h"

#include "isa/gcn/decode/decode.h"
#include "isa/gcn/decode/rows.h"
#include "isa/gcn/walk/walk.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 250 };

/* ---- instructions that a loop cannot have, by the start of their names ---- */

static const struct {
    const char *begins, *why;
} refused[] = {
    {"s_branch", "jumps"},
    {"s_cbranch", "jumps"},
    {"s_setpc", "jumps"},
    {"s_swappc", "jumps"},
    {"s_call", "jumps"},
    {"s_rfe", "jumps"},
    {"s_subvector", "jumps"},
    {"s_endpgm", "ends the program"},
    {"s_trap", "ends the program"},
    {"s_sethalt", "ends the program"},
    {"s_code_end", "ends the program"},
    {"s_setreg", "changes how the wave runs"},
    {"s_set_gpr", "changes how the wave runs"},
    {"s_setvskip", "changes how the wave runs"},
    {"s_sendmsg", "sends messages"},
    {"s_barrier", "waits for other waves, which may never arrive"},
    {"s_clause", "binds what follows it"},
    {"s_memtime",
     "reaches memory's path: expected s_getreg_b32 s27, hwreg(HW_REG_SHADER_CYCLES), where there is one"},
    {"v_cmpx", "changes which threads take part"},
    {"buffer_", "reaches memory, which is for load{} and store{}"},
    {"tbuffer_", "reaches memory, which is for load{} and store{}"},
    {"image_", "reaches memory, which is for load{} and store{}"},
    {"flat_", "reaches memory, which is for load{} and store{}"},
    {"global_", "reaches memory, which is for load{} and store{}"},
    {"scratch_", "reaches memory, which is for load{} and store{}"},
    {"ds_", "reaches memory, which is for load{} and store{}"},
    {"lds_", "reaches memory, which is for load{} and store{}"},
    {"exp", "exports, which a compute program cannot"},
};

/* Program control instructions that only wait. */
static const char waits[] =
    " s_nop s_sleep s_waitcnt s_waitcnt_depctr s_delay_alu s_wait_idle s_wait_loadcnt s_wait_storecnt "
    "s_wait_dscnt s_wait_kmcnt s_wait_loadcnt_dscnt s_wait_storecnt_dscnt ";

/* Vector operations that the decoder lacks, without "v_": by LLVM 19's tables each writes only its first
 * operand. */
static const char vectors[] =
    " add_f16 add_i16 add_nc_i16 add_nc_u16 add_u16 and_b16 ashrrev_i16 ceil_f16 ceil_f64 cndmask_b16 "
    "cos_f16 cos_f32 cubeid_f32 cubema_f32 cubesc_f32 cubetc_f32 cvt_f16_f32 cvt_f16_i16 cvt_f16_u16 "
    "cvt_f32_bf8 cvt_f32_f16 cvt_f32_fp8 cvt_i16_f16 cvt_i32_i16 cvt_norm_i16_f16 cvt_norm_u16_f16 "
    "cvt_off_f32_i4 cvt_pk_bf8_f32 cvt_pk_f32_bf8 cvt_pk_f32_fp8 cvt_pk_fp8_f32 cvt_pk_i16_f32 "
    "cvt_pk_i16_i32 cvt_pk_norm_i16_f16 cvt_pk_norm_i16_f32 cvt_pk_norm_u16_f16 cvt_pk_norm_u16_f32 "
    "cvt_pk_rtz_f16_f32 cvt_pk_u16_f32 cvt_pk_u16_u32 cvt_pk_u8_f32 cvt_pkaccum_u8_f32 cvt_pknorm_i16_f16 "
    "cvt_pknorm_i16_f32 cvt_pknorm_u16_f16 cvt_pknorm_u16_f32 cvt_pkrtz_f16_f32 cvt_sr_bf8_f32 "
    "cvt_sr_fp8_f32 cvt_u16_f16 cvt_u32_u16 div_fixup_f16 div_fixup_f32 div_fixup_f64 "
    "div_fixup_legacy_f16 div_fmas_f32 div_fmas_f64 dot2_bf16_bf16 dot2_f16_f16 dot2_f32_bf16 "
    "dot2_f32_f16 dot2_i32_i16 dot2_u32_u16 dot2acc_f32_f16 dot2c_f32_f16 dot2c_i32_i16 dot4_f32_bf8_bf8 "
    "dot4_f32_bf8_fp8 dot4_f32_fp8_bf8 dot4_f32_fp8_fp8 dot4_i32_i8 dot4_i32_iu8 dot4_u32_u8 dot4c_i32_i8 "
    "dot8_i32_i4 dot8_i32_iu4 dot8_u32_u4 dot8c_i32_i4 exp_f16 exp_legacy_f32 floor_f16 floor_f64 "
    "fma_dx9_zero_f32 fma_f16 fma_legacy_f16 fma_legacy_f32 fma_mix_f32 fma_mixhi_f16 fma_mixlo_f16 "
    "fmaak_f16 fmac_dx9_zero_f32 fmac_f16 fmac_f64 fmac_legacy_f32 fmamk_f16 fract_f16 fract_f64 "
    "frexp_exp_i16_f16 frexp_exp_i32_f32 frexp_exp_i32_f64 frexp_mant_f16 frexp_mant_f32 frexp_mant_f64 "
    "ldexp_f16 lerp_u8 log_clamp_f32 log_f16 log_legacy_f32 lshlrev_b16 lshrrev_b16 mac_f16 "
    "mac_legacy_f32 mad_f16 mad_i16 mad_i32_i16 mad_legacy_f16 mad_legacy_f32 mad_legacy_i16 "
    "mad_legacy_u16 mad_mix_f32 mad_mixhi_f16 mad_mixlo_f16 mad_u16 mad_u32_u16 madak_f16 madmk_f16 "
    "max3_f16 max3_i16 max3_num_f16 max3_num_f32 max3_u16 max_f16 max_i16 max_legacy_f32 max_num_f16 "
    "max_num_f32 max_num_f64 max_u16 maximum3_f16 maximum3_f32 maximum_f16 maximum_f32 maximum_f64 "
    "maximumminimum_f16 maximumminimum_f32 maxmin_f16 maxmin_num_f16 maxmin_num_f32 med3_f16 med3_i16 "
    "med3_num_f16 med3_num_f32 med3_u16 min3_f16 min3_i16 min3_num_f16 min3_num_f32 min3_u16 min_f16 "
    "min_i16 min_legacy_f32 min_num_f16 min_num_f32 min_num_f64 min_u16 minimum3_f16 minimum3_f32 "
    "minimum_f16 minimum_f32 minimum_f64 minimummaximum_f16 minimummaximum_f32 minmax_f16 minmax_num_f16 "
    "minmax_num_f32 mov_b16 mqsad_pk_u16_u8 msad_u8 mul_dx9_zero_f32 mul_f16 mul_legacy_f32 mul_lo_u16 "
    "mullit_f32 not_b16 or_b16 pack_b32_f16 permlane16_b32 permlane16_var_b32 permlane64_b32 "
    "permlanex16_b32 permlanex16_var_b32 pk_add_f16 pk_add_i16 pk_add_u16 pk_ashrrev_i16 pk_fma_f16 "
    "pk_fmac_f16 pk_lshlrev_b16 pk_lshrrev_b16 pk_mad_i16 pk_mad_u16 pk_max_f16 pk_max_i16 pk_max_num_f16 "
    "pk_max_u16 pk_maximum_f16 pk_min_f16 pk_min_i16 pk_min_num_f16 pk_min_u16 pk_minimum_f16 pk_mul_f16 "
    "pk_mul_lo_u16 pk_sub_i16 pk_sub_u16 qsad_pk_u16_u8 rcp_clamp_f32 rcp_clamp_f64 rcp_f16 rcp_f64 "
    "rcp_legacy_f32 rndne_f16 rndne_f64 rsq_clamp_f32 rsq_clamp_f64 rsq_f16 rsq_f64 rsq_legacy_f32 "
    "sad_hi_u8 sad_u16 sad_u8 sat_pk_u8_i16 sin_f16 sin_f32 sqrt_f16 sqrt_f64 sub_f16 sub_i16 sub_nc_i16 "
    "sub_nc_u16 sub_u16 subrev_f16 subrev_u16 trig_preop_f64 trunc_f16 trunc_f64 xor_b16 ";

static const char *refuse_name(const char *text)
{
    size_t length = strcspn(text, " \t");
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        if (strncmp(text, refused[i].begins, strlen(refused[i].begins)) == 0)
            return refused[i].why;
    for (const char *at = text; at + 4 <= text + length; at++)
        if (strncmp(at, "exec", 4) == 0)
            return "changes which threads take part";
    return NULL;
}

/* ---- writes ---- */

/* True if the text may write the `dwords` registers from that operand on. */
static bool may_write(unsigned first, unsigned dwords)
{
    static const struct {
        unsigned first, last;
    } free_ones[] = {{GCN_VECTOR + 1, GCN_VECTOR + 3},
                     {GCN_VECTOR + 5, GCN_VECTOR + 7},
                     {27, 27},
                     {GCN_VCC, GCN_VCC + 1},
                     {GCN_NO_OPERAND, GCN_NO_OPERAND + 1}};
    for (size_t i = 0; i < sizeof free_ones / sizeof free_ones[0]; i++)
        if (first >= free_ones[i].first && first + (dwords == 0 ? 1 : dwords) - 1 <= free_ones[i].last)
            return true;
    return false;
}

static bool decoded_may(unsigned generation, const struct gcn_instruction *code)
{
    static const bool reaches[GCN_FORMATS] = {
        [GCN_SMEM] = true, [GCN_DS] = true, [GCN_FLAT] = true, [GCN_GLOBAL] = true, [GCN_MUBUF] = true};
    const uint16_t written[] = {code->dst, code->dst2};
    if (reaches[code->row->format])
        return false;
    for (unsigned i = 0; i < 2; i++) {
        char letter = gcn_letter_out(code->row, i);
        unsigned dwords = letter == 'm' && generation >= 10 ? 1 : gcn_letter_dwords(letter);
        if (letter != '\0' && !may_write(written[i], dwords) && !(generation >= 10 && written[i] == GCN_NULL))
            return false;
    }
    struct gcn_instruction beside = {0};
    if (code->beside != NULL)
        beside = gcn_beside(code);
    return code->beside == NULL || decoded_may(generation, &beside);
}

/* "v5" or "v[5:7]" at text, as operands; false for anything else. */
static bool read_vector(const char *text, unsigned *first, unsigned *count)
{
    char *end = NULL;
    if (*text++ != 'v')
        return false;
    bool several = *text == '[';
    text += several;
    if (!isdigit((unsigned char)*text))
        return false;
    unsigned long low = strtoul(text, &end, 10), high = low;
    if (several && *end == ':')
        high = strtoul(end + 1, &end, 10);
    *first = GCN_VECTOR + (unsigned)low;
    *count = (unsigned)(high - low + 1);
    return low <= high && high < 256;
}

/* The length of the name without its encoding suffix. */
static size_t plain_length(const char *text)
{
    static const char *const codings[] = {"_e32", "_e64", "_sdwa", "_dpp", "_dpp8"};
    size_t length = strcspn(text, " \t");
    for (bool cut = true; cut;) {
        cut = false;
        for (size_t i = 0; i < sizeof codings / sizeof codings[0]; i++) {
            size_t coding = strlen(codings[i]);
            if (length > coding && strncmp(text + length - coding, codings[i], coding) == 0) {
                length -= coding;
                cut = true;
            }
        }
    }
    return length;
}

/* The generation's row of that name, for encodings that the decoder lacks: SDWA and DPP. */
static const struct gcn_row *row_named(unsigned generation, const char *text, size_t length)
{
    const struct gcn_row *row;
    for (unsigned i = 0; (row = gcn_row_at(i)) != NULL; i++) {
        char name[GCN_NAME_BYTES];
        gcn_row_name(row, generation, name);
        if (row->opcode[generation - GCN_ROW_FIRST_GENERATION] >= 0 && strlen(name) == length &&
            strncmp(name, text, length) == 0)
            return row;
    }
    return NULL;
}

/* True if the text may write the operand: one of its own vector registers, or vcc for a lane mask. */
static bool operand_may(const char *operand, char letter)
{
    unsigned first, count;
    operand += strspn(operand, " \t");
    if (letter == 'm')
        return strncmp(operand, "vcc", 3) == 0 && strchr(" \t,_", operand[3]) != NULL;
    return read_vector(operand, &first, &count) && may_write(first, count);
}

/* True for allowed operations that the decoder lacks: vector operations in other encodings, and operations
 * listed as writing only their first operand. */
static bool text_may(unsigned generation, const char *text)
{
    size_t length = plain_length(text);
    const char *operand = text + strcspn(text, " \t");
    const struct gcn_row *row = row_named(generation, text, length);
    if (strncmp(text, "v_", 2) != 0)
        return false;
    if (row == NULL)
        return gpu_asm_has_word(vectors, text + 2, length - 2) && operand_may(operand, 'i');
    for (unsigned i = 0; gcn_letter_out(row, i) != '\0'; i++) {
        if (operand == NULL || !operand_may(operand, gcn_letter_out(row, i)))
            return false;
        operand = strchr(operand, ',');
        operand += operand != NULL;
    }
    return gcn_letter_out(row, 0) != '\0';
}

/* ---- one instruction, and all ---- */

static enum status wrong(const struct behaviour *item, const char *text, const char *why, struct error *error)
{
    error_set(error, STATUS_RECIPE, "asm's '%.60s' %s", text, why);
    return behaviour_at_recipe(item, error);
}

static enum status check_one(const struct gcn_target *target, const struct behaviour *item, const char *text,
                             struct error *error)
{
    unsigned char code[GCN_INSTRUCTION_BYTES];
    struct gcn_instruction instruction;
    struct error complaint = {0};
    size_t size = 0;
    const char *why = refuse_name(text);
    if (why != NULL)
        return wrong(item, text, why, error);
    enum status status = gcn_assemble(target, text, code, &size, &complaint);
    if (status == STATUS_UNAVAILABLE) {
        *error = complaint;
        return status;
    }
    if (status != STATUS_OK) {
        error_set(error, STATUS_RECIPE, "asm: %s", complaint.message);
        return behaviour_at_recipe(item, error);
    }
    bool known = gcn_decode(target->generation, code, size, 0, &instruction, NULL) == STATUS_OK &&
                 instruction.length == size;
    if (known && instruction.row->format == GCN_SOPP &&
        !gpu_asm_has_word(waits, instruction.row->name, strlen(instruction.row->name)))
        return wrong(item, text, "changes how the wave runs", error);
    if (strstr(text, "lds_direct") != NULL)
        return wrong(item, text, "reaches memory, which is for load{} and store{}", error);
    if (!known && row_named(target->generation, text, plain_length(text)) == NULL &&
        !(strncmp(text, "v_", 2) == 0 && gpu_asm_has_word(vectors, text + 2, plain_length(text) - 2)))
        return wrong(item, text, "is not among the instructions whose writes are known", error);
    if (known ? !decoded_may(target->generation, &instruction) : !text_may(target->generation, text))
        return wrong(
            item, text,
            "writes what the loop needs: expected v1 to v3, v5 to v7, s27 or vcc, which it leaves to asm{}",
            error);
    return STATUS_OK;
}

enum status gpu_asm_gcn_check(const char *arch, const struct behaviour *item, struct error *error)
{
    static const char ends[] = ";\n\r";
    const struct gcn_target *target = gcn_target_named(arch);
    struct error unread = {0};
    unsigned count = 0;
    error = error == NULL ? &unread : error;
    if (target == NULL)
        return error_set(error, STATUS_RECIPE, "asm: the processor %s is unknown", arch);
    for (const char *at = item->text; *at != '\0';) {
        char text[LONGEST + 1];
        at += strspn(at, " \t;\n\r");
        size_t length = strcspn(at, ends);
        snprintf(text, sizeof text, "%.*s", (int)(length < LONGEST ? length : LONGEST), at);
        if (length > LONGEST)
            return wrong(item, text, "is an instruction of more than 250 characters", error);
        enum status status = length > 0 ? check_one(target, item, text, error) : STATUS_OK;
        if (status != STATUS_OK)
            return status;
        count += length > 0;
        at += length;
    }
    return count > 0 ? STATUS_OK : wrong(item, item->text, "has no instruction", error);
}
