#include "isa/gcn/decode/rows.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const struct gcn_row *const tables[] = {gcn_rows_scalar, gcn_rows_vector, gcn_rows_compare,
                                               gcn_rows_memory, gcn_rows_half,   gcn_rows_matrix};
enum { TABLES = sizeof tables / sizeof tables[0] };

const struct gcn_row *gcn_row_at(unsigned number)
{
    for (size_t i = 0; i < TABLES; i++)
        for (const struct gcn_row *row = tables[i]; row->name != NULL; row++)
            if (number-- == 0)
                return row;
    return NULL;
}

const struct gcn_row *gcn_row_find(enum gcn_format format, unsigned generation, unsigned opcode)
{
    unsigned column = generation - GCN_ROW_FIRST_GENERATION;
    if (column >= GCN_ROW_GENERATIONS)
        return NULL;
    for (size_t i = 0; i < TABLES; i++)
        for (const struct gcn_row *row = tables[i]; row->name != NULL; row++)
            if (row->format == format && row->opcode[column] == (int)opcode)
                return row;
    return NULL;
}

/* Operations that have other names from GFX10, GFX11 or GFX12 on; the rows keep the first name. Source:
 * AMD's ISA manuals of RDNA to RDNA4. For FLAT, GLOBAL and MUBUF: the part after "flat_" and so on. */
static const struct rename {
    const char *name;
    const char *later;
    unsigned first; /* generation */
} renames[] = {
    /* clang-format off: one operation a line. */
    {"s_andn2_b32", "s_and_not1_b32", 11},
    {"s_orn2_b32", "s_or_not1_b32", 11},
    {"s_andn2_b64", "s_and_not1_b64", 11},
    {"s_orn2_b64", "s_or_not1_b64", 11},
    {"s_ff1_i32_b32", "s_ctz_i32_b32", 11},
    {"s_flbit_i32_b32", "s_clz_i32_u32", 11},
    {"s_flbit_i32", "s_cls_i32", 11},
    {"s_ff1_i32_b64", "s_ctz_i32_b64", 11},
    {"s_flbit_i32_b64", "s_clz_i32_u64", 11},
    {"s_flbit_i32_i64", "s_cls_i32_i64", 11},
    {"s_andn2_saveexec_b64", "s_and_not1_saveexec_b64", 11},
    {"s_orn2_saveexec_b64", "s_or_not1_saveexec_b64", 11},
    {"s_andn1_saveexec_b64", "s_and_not0_saveexec_b64", 11},
    {"s_orn1_saveexec_b64", "s_or_not0_saveexec_b64", 11},
    {"s_andn1_wrexec_b64", "s_and_not0_wrexec_b64", 11},
    {"s_andn2_wrexec_b64", "s_and_not1_wrexec_b64", 11},
    {"s_load_dword", "s_load_b32", 11},
    {"s_buffer_load_dword", "s_buffer_load_b32", 11},
    {"s_load_dwordx2", "s_load_b64", 11},
    {"s_buffer_load_dwordx2", "s_buffer_load_b64", 11},
    {"s_load_dwordx4", "s_load_b128", 11},
    {"s_buffer_load_dwordx4", "s_buffer_load_b128", 11},
    {"s_load_dwordx8", "s_load_b256", 11},
    {"s_buffer_load_dwordx8", "s_buffer_load_b256", 11},
    {"s_load_dwordx16", "s_load_b512", 11},
    {"s_buffer_load_dwordx16", "s_buffer_load_b512", 11},
    {"s_andn2_saveexec_b32", "s_and_not1_saveexec_b32", 11},
    {"s_orn2_saveexec_b32", "s_or_not1_saveexec_b32", 11},
    {"s_andn1_saveexec_b32", "s_and_not0_saveexec_b32", 11},
    {"s_orn1_saveexec_b32", "s_or_not0_saveexec_b32", 11},
    {"s_andn1_wrexec_b32", "s_and_not0_wrexec_b32", 11},
    {"s_andn2_wrexec_b32", "s_and_not1_wrexec_b32", 11},
    {"s_inst_prefetch", "s_set_inst_prefetch_distance", 11},
    {"v_add_u32", "v_add_nc_u32", 10},
    {"v_sub_u32", "v_sub_nc_u32", 10},
    {"v_subrev_u32", "v_subrev_nc_u32", 10},
    {"v_addc_co_u32", "v_add_co_ci_u32", 10},
    {"v_subb_co_u32", "v_sub_co_ci_u32", 10},
    {"v_subbrev_co_u32", "v_subrev_co_ci_u32", 10},
    {"v_ffbh_u32", "v_clz_i32_u32", 11},
    {"v_ffbl_b32", "v_ctz_i32_b32", 11},
    {"v_ffbh_i32", "v_cls_i32", 11},
    {"v_cvt_rpi_i32_f32", "v_cvt_nearest_i32_f32", 11},
    {"v_cvt_flr_i32_f32", "v_cvt_floor_i32_f32", 11},
    {"v_add_i16", "v_add_nc_i16", 10},
    {"v_sub_i16", "v_sub_nc_i16", 10},
    {"v_add_u16", "v_add_nc_u16", 10},
    {"v_sub_u16", "v_sub_nc_u16", 10},
    {"v_add_i32", "v_add_nc_i32", 10},
    {"v_sub_i32", "v_sub_nc_i32", 10},
    {"v_cmp_tru_f32", "v_cmp_t_f32", 11},
    {"v_cmp_tru_f64", "v_cmp_t_f64", 11},
    {"v_cmpx_tru_f32", "v_cmpx_t_f32", 11},
    {"v_cmpx_tru_f64", "v_cmpx_t_f64", 11},
    {"ds_read_b32", "ds_load_b32", 11},
    {"ds_read_u8", "ds_load_u8", 11},
    {"ds_read_i8", "ds_load_i8", 11},
    {"ds_read_u16", "ds_load_u16", 11},
    {"ds_read_i16", "ds_load_i16", 11},
    {"ds_read_b64", "ds_load_b64", 11},
    {"ds_read_b96", "ds_load_b96", 11},
    {"ds_read_b128", "ds_load_b128", 11},
    {"ds_read2_b32", "ds_load_2addr_b32", 11},
    {"ds_read2st64_b32", "ds_load_2addr_stride64_b32", 11},
    {"ds_read2_b64", "ds_load_2addr_b64", 11},
    {"ds_read2st64_b64", "ds_load_2addr_stride64_b64", 11},
    {"ds_write_b32", "ds_store_b32", 11},
    {"ds_write_b8", "ds_store_b8", 11},
    {"ds_write_b16", "ds_store_b16", 11},
    {"ds_write_b64", "ds_store_b64", 11},
    {"ds_write_b96", "ds_store_b96", 11},
    {"ds_write_b128", "ds_store_b128", 11},
    {"ds_write2_b32", "ds_store_2addr_b32", 11},
    {"ds_write2st64_b32", "ds_store_2addr_stride64_b32", 11},
    {"ds_write2_b64", "ds_store_2addr_b64", 11},
    {"ds_write2st64_b64", "ds_store_2addr_stride64_b64", 11},
    {"ds_wrxchg_rtn_b32", "ds_storexchg_rtn_b32", 11},
    {"ds_wrxchg_rtn_b64", "ds_storexchg_rtn_b64", 11},
    {"atomic_add", "atomic_add_u32", 11},
    {"atomic_add_x2", "atomic_add_u64", 11},
    {"atomic_and", "atomic_and_b32", 11},
    {"atomic_and_x2", "atomic_and_b64", 11},
    {"atomic_cmpswap", "atomic_cmpswap_b32", 11},
    {"atomic_cmpswap_x2", "atomic_cmpswap_b64", 11},
    {"atomic_dec", "atomic_dec_u32", 11},
    {"atomic_dec_x2", "atomic_dec_u64", 11},
    {"atomic_inc", "atomic_inc_u32", 11},
    {"atomic_inc_x2", "atomic_inc_u64", 11},
    {"atomic_or", "atomic_or_b32", 11},
    {"atomic_or_x2", "atomic_or_b64", 11},
    {"atomic_smax", "atomic_max_i32", 11},
    {"atomic_smax_x2", "atomic_max_i64", 11},
    {"atomic_smin", "atomic_min_i32", 11},
    {"atomic_smin_x2", "atomic_min_i64", 11},
    {"atomic_sub", "atomic_sub_u32", 11},
    {"atomic_sub_x2", "atomic_sub_u64", 11},
    {"atomic_swap", "atomic_swap_b32", 11},
    {"atomic_swap_x2", "atomic_swap_b64", 11},
    {"atomic_umax", "atomic_max_u32", 11},
    {"atomic_umax_x2", "atomic_max_u64", 11},
    {"atomic_umin", "atomic_min_u32", 11},
    {"atomic_umin_x2", "atomic_min_u64", 11},
    {"atomic_xor", "atomic_xor_b32", 11},
    {"atomic_xor_x2", "atomic_xor_b64", 11},
    {"load_dword", "load_b32", 11},
    {"load_dwordx2", "load_b64", 11},
    {"load_dwordx3", "load_b96", 11},
    {"load_dwordx4", "load_b128", 11},
    {"load_sbyte", "load_i8", 11},
    {"load_sshort", "load_i16", 11},
    {"load_ubyte", "load_u8", 11},
    {"load_ushort", "load_u16", 11},
    {"store_byte", "store_b8", 11},
    {"store_dword", "store_b32", 11},
    {"store_dwordx2", "store_b64", 11},
    {"store_dwordx3", "store_b96", 11},
    {"store_dwordx4", "store_b128", 11},
    {"store_short", "store_b16", 11},
    {"s_add_u32", "s_add_co_u32", 12},
    {"s_sub_u32", "s_sub_co_u32", 12},
    {"s_add_i32", "s_add_co_i32", 12},
    {"s_sub_i32", "s_sub_co_i32", 12},
    {"s_addc_u32", "s_add_co_ci_u32", 12},
    {"s_subb_u32", "s_sub_co_ci_u32", 12},
    {"s_addk_i32", "s_addk_co_i32", 12},
    {"s_waitcnt_depctr", "s_wait_alu", 12},
    {"v_min_f32", "v_min_num_f32", 12},
    {"v_max_f32", "v_max_num_f32", 12},
    {"v_min3_f32", "v_min3_num_f32", 12},
    {"v_max3_f32", "v_max3_num_f32", 12},
    {"v_med3_f32", "v_med3_num_f32", 12},
    {"v_mad_u64_u32", "v_mad_co_u64_u32", 12},
    {"v_mad_i64_i32", "v_mad_co_i64_i32", 12},
    {"v_pk_min_f16", "v_pk_min_num_f16", 12},
    {"v_pk_max_f16", "v_pk_max_num_f16", 12},
    {"v_maxmin_f32", "v_maxmin_num_f32", 12},
    {"v_minmax_f32", "v_minmax_num_f32", 12},
    {"v_min_f64", "v_min_num_f64", 12},
    {"v_max_f64", "v_max_num_f64", 12},
    {"s_load_dwordx3", "s_load_b96", 12},
    {"s_buffer_load_dwordx3", "s_buffer_load_b96", 12},
    /* clang-format on */
};

char *gcn_row_name(const struct gcn_row *row, unsigned generation, char name[GCN_NAME_BYTES])
{
    bool vector_memory = row->format == GCN_FLAT || row->format == GCN_GLOBAL || row->format == GCN_MUBUF;
    const char *tail = vector_memory ? strchr(row->name, '_') + 1 : row->name;
    const char *later = tail;
    for (size_t i = 0; i < sizeof renames / sizeof renames[0]; i++)
        if (generation >= renames[i].first && strcmp(renames[i].name, tail) == 0)
            later = renames[i].later;
    snprintf(name, GCN_NAME_BYTES, "%.*s%s", (int)(tail - row->name), row->name, later);
    return name;
}
