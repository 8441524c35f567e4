/* A GPU recipe's own statements may only operate on their own registers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "generator/emit/gpu_asm.h"
#include "tests/skip.h"

#include <stdio.h>
#include <string.h>

/* ---- PTX ---- */

#define IN(declarations, statements) "{ .reg " declarations "; " statements " }"

static const char *const ptx_taken[] = {
    "add.u32 {r0}, {r0}, 1;",
    "mad.lo.u32 {r0}, {r0}, 3, {r1}; { .reg .b64 t; mov.u64 t, {r1:64}; xor.b64 {r0:64}, {r0:64}, t; }",
    IN(".pred p", "setp.lt.u32 p, {r0}, 5; @p add.u32 {r0}, {r0}, 1; @!p sub.u32 {r0}, {r0}, 1;"),
    IN(".pred p, q", "setp.lt.and.u32 p|q, {r0}, 5, !p; selp.u32 {r0}, 1, 2, q;"),
    IN(".f32 x<4>", "fma.rn.f32 x0, x1, x2, x3; mov.b32 {r0}, x0;"),
    IN(".f32 x, y", "mov.f32 x, 0f3F800000; ex2.approx.f32 y, x; cvt.rzi.u32.f32 {r0}, y;"),
    IN(".f64 d", "mov.f64 d, 1.5; sqrt.rn.f64 d, d; mov.b64 {r0:64}, d;"),
    IN(".b16 h", "mov.b32 {h, h}, {r0}; add.f16x2 {r0}, {r0}, {r1}; cvt.u16.u32 h, {r1};"),
    "mov.b64 {r0:64}, {{r0}, {r1}};",
    "mov.u32 {r0}, %tid.x; mov.u32 {r1}, %laneid; mov.u64 {r0:64}, %clock64;",
    "lop3.b32 {r0}, {r0}, {r1}, -1, 0x96; prmt.b32 {r0}, {r0}, {r1}, 0x1234;",
    "shf.l.wrap.b32 {r0}, {r0}, {r1}, 3; bfe.u32 {r0}, {r0}, 3, 4; popc.b32 {r0}, {r1}; dp4a.u32.u32 {r0}, "
    "{r0}, {r1}, {r1};",
    "add.cc.u32 {r0}, {r0}, {r1}; addc.u32 {r1}, {r1}, 0;",
    "shfl.sync.bfly.b32 {r0}, {r0}, 1, 31, 0xffffffff;",
    IN(".b32 a<4>, b<2>; .reg .f32 c<4>", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {c0,c1,c2,c3}, "
                                          "{a0,a1,a2,a3}, {b0,b1}, {c0,c1,c2,c3};"),
    "{ .reg .b32 %t; mov.u32 %t, 1; { .reg .b32 u; mov.u32 u, %t; } add.u32 {r0}, {r0}, %t; }",
    "nanosleep.u32 20;",
};

static const struct {
    const char *text, *part;
} ptx_refused[] = {
    {"", "has no statement"},
    {" ; ", "has no statement"},
    {"bra TRAUMA_LOOP;", "asm's 'bra TRAUMA_LOOP' leaves the text"},
    {"here: add.u32 {r0}, {r0}, 1;", "is a label"},
    {"call f;", "leaves the text"},
    {"ret;", "leaves the text"},
    {"exit;", "leaves the text"},
    {IN(".pred p", "setp.eq.u32 p, {r0}, 1; @p exit;"), "asm's '@p exit' leaves the text"},
    {"brx.idx {r0}, t;", "leaves the text"},
    {"trap;", "ends the program"},
    {"bar.sync 0;", "waits for other threads"},
    {"barrier.cta.sync 0;", "waits for other threads"},
    {"membar.gl;", "waits for other threads"},
    {"fence.acq_rel.gpu;", "waits for other threads"},
    {"ld.global.u32 {r0}, [{r0:64}];", "is for memory or its addresses"},
    {"st.global.u32 [{r0:64}], {r0};", "is for memory or its addresses"},
    {"st.global.u64 [%data], {r0:64};", "is for memory or its addresses"},
    {"atom.global.add.u32 {r0}, [{r0:64}], 1;", "is for memory or its addresses"},
    {"red.global.add.u32 [{r0:64}], 1;", "is for memory or its addresses"},
    {"prefetch.global.L2 [{r0:64}];", "is for memory or its addresses"},
    {"cp.async.ca.shared.global [{r0}], [{r0:64}], 16;", "is for memory or its addresses"},
    {"tex.1d.v4.s32.s32 {r0}, [t, {r1}];", "is for memory or its addresses"},
    {"wmma.load.a.sync.aligned.row.m16n16k16.f16 {r0}, [{r0:64}];", "is for memory or its addresses"},
    {"mov.u32 {r0}, [{r1}];", "has an address"},
    {"mov.u64 %left, 0;", "uses %left, which is not its own: expected {r0}"},
    {"mov.u64 {r0:64}, %data;", "uses %data"},
    {"mov.u64 {r0:64}, trauma_places;", "uses trauma_places"},
    {"mov.u32 %u5, 0;", "uses %u5"},
    {"add.u64 %s0, %s0, 64;", "uses %s0"},
    {"@%more add.u32 {r0}, {r0}, 1;", "has a predicate that is not its own"},
    {IN(".b32 x", "mov.u32 x, 1;") " mov.u32 x, 2;", "uses x, which is not its own"},
    {IN(".b32 x<4>", "mov.u32 x4, 1;"), "uses x4"},
    {"setmaxnreg.inc.sync.aligned.u32 40;", "changes how the warp runs"},
    {"elect.sync {r0}|p, 0xffffffff;", "changes how the warp runs"},
    {IN(".pred p", "@p shfl.sync.bfly.b32 {r0}, {r0}, 1, 31, 0xffffffff;"), "needs all threads of its warp"},
    {"frobnicate.u32 {r0};", "is not among the operations on registers alone"},
    {"griddepcontrol.wait;", "waits for other threads"},
    {".include \"/etc/hostname\";", "has a directive"},
    {"add.u32 {r0}, {r0}, \"x\";", "has a \": expected registers and numbers"},
    {".reg .f32 x;", "outside of a scope"},
    {"} .entry other() {", "unmatched }"},
    {"{ add.u32 {r0}, {r0}, 1;", "unmatched {"},
    {"{ add.u32 {r0}, {r0}, 1 } ;", "unmatched braces"},
    {"add.u32 {r0}, {r0}, 1", "expected ; after it"},
    {"add.u32 {r0}, {r0}, 1; // x", "a comment"},
    {"/* add.u32 {r0}, {r0}, 1;", "a comment"},
};

static void ptx_is_registers_alone(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof ptx_taken / sizeof ptx_taken[0]; i++) {
        struct behaviour item = {.text = ptx_taken[i], .registers = 2, .file = "r.lua", .line = 3};
        struct error error = {0};
        if (gpu_asm_ptx_check(&item, &error) != STATUS_OK)
            fail_msg("%s: %s", ptx_taken[i], error.message);
    }
    for (size_t i = 0; i < sizeof ptx_refused / sizeof ptx_refused[0]; i++) {
        struct behaviour item = {.text = ptx_refused[i].text, .registers = 2, .file = "r.lua", .line = 3};
        struct error error = {0};
        if (gpu_asm_ptx_check(&item, &error) != STATUS_RECIPE ||
            strstr(error.message, ptx_refused[i].part) == NULL)
            fail_msg("%s\ngave \"%s\"\nexpected \"%s\"", ptx_refused[i].text, error.message,
                     ptx_refused[i].part);
        assert_int_equal(error.line, 3);
        assert_string_equal(error.file, "r.lua");
    }
}

/* ---- GCN ---- */

static const struct {
    const char *arch, *text;
} gcn_taken[] = {
    {"gfx906", "v_mov_b32 v1, 0; v_add_u32 v5, v6, v7; v_fma_f32 v1, v2, v3, v5"},
    {"gfx906", "v_add_f64 v[6:7], v[6:7], v[2:3]; v_cmp_lt_u32 vcc, v1, v2; v_cndmask_b32 v1, v2, v3, vcc"},
    {"gfx906", "v_add_co_u32 v5, vcc, v6, v7; v_addc_co_u32 v5, vcc, v6, v7, vcc"},
    {"gfx906", "s_mov_b32 s27, 5; s_add_u32 s27, s27, s27; s_and_b64 vcc, vcc, vcc; s_cmp_eq_u32 s27, 0"},
    {"gfx906", "s_nop 3; s_waitcnt vmcnt(0) lgkmcnt(0); s_sleep 1; s_getreg_b32 s27, hwreg(HW_REG_HW_ID)"},
    {"gfx906", "v_mov_b32_dpp v5, v6 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf"},
    {"gfx906",
     "v_add_u32_sdwa v5, v6, v7 dst_sel:BYTE_0 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD"},
    {"gfx906",
     "v_add_co_u32_sdwa v5, vcc, v6, v7 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD"},
    {"gfx906", "v_cmp_eq_u32_sdwa vcc, v6, v7 src0_sel:BYTE_0 src1_sel:DWORD"},
    {"gfx906", "v_dot4_i32_i8 v5, v6, v7, v5; v_pk_fma_f16 v5, v6, v7, v5; v_rcp_f64 v[6:7], v[2:3]"},
    {"gfx906", "v_readlane_b32 s27, v5, 3; v_readfirstlane_b32 s27, v1; v_writelane_b32 v5, s27, 3"},
    {"gfx1100", "v_dual_mov_b32 v1, v2 :: v_dual_mov_b32 v6, v7"},
    {"gfx1100", "s_delay_alu instid0(VALU_DEP_1); v_add_nc_u32 v5, v6, v7"},
};

static const struct {
    const char *arch, *text, *part;
} gcn_refused[] = {
    {"gfx906", "", "has no instruction"},
    {"gfx906", "s_branch 4", "jumps"},
    {"gfx906", "s_cbranch_scc0 4", "jumps"},
    {"gfx906", "s_setpc_b64 vcc", "jumps"},
    {"gfx906", "s_swappc_b64 vcc, vcc", "jumps"},
    {"gfx906", "s_endpgm", "ends the program"},
    {"gfx906", "s_trap 2", "ends the program"},
    {"gfx906", "s_setreg_b32 hwreg(HW_REG_MODE), s27", "changes how the wave runs"},
    {"gfx906", "s_setprio 3", "changes how the wave runs"},
    {"gfx906", "s_icache_inv", "changes how the wave runs"},
    {"gfx906", "s_ttracedata", "changes how the wave runs"},
    {"gfx906", "s_incperflevel 1", "changes how the wave runs"},
    {"gfx1030", "s_round_mode 3", "changes how the wave runs"},
    {"gfx1030", "s_denorm_mode 3", "changes how the wave runs"},
    {"gfx1030", "s_inst_prefetch 3", "changes how the wave runs"},
    {"gfx1030", "s_clause 3", "binds what follows it"},
    {"gfx906", "s_barrier", "waits for other waves"},
    {"gfx906", "s_sendmsg sendmsg(MSG_INTERRUPT)", "sends messages"},
    {"gfx906", "s_memtime vcc", "reaches memory"},
    {"gfx906", "s_load_dword s27, s[4:5], 0", "writes what the loop needs"},
    {"gfx906", "s_dcache_wb", "writes what the loop needs"},
    {"gfx906", "global_load_dword v5, v[6:7], off", "reaches memory"},
    {"gfx906", "flat_store_dword v[6:7], v5", "reaches memory"},
    {"gfx906", "ds_read_b32 v5, v6", "reaches memory"},
    {"gfx906", "buffer_load_dword v5, v6, s[4:7], 0 offen", "reaches memory"},
    {"gfx906", "v_mov_b32 v5, src_lds_direct", "reaches memory"},
    {"gfx906", "s_mov_b64 exec, 0", "writes what the loop needs"},
    {"gfx906", "s_mov_b32 exec_lo, 0", "writes what the loop needs"},
    {"gfx906", "s_mov_b32 m0, 0", "writes what the loop needs"},
    {"gfx906", "s_and_saveexec_b64 vcc, vcc", "which threads take part"},
    {"gfx906", "v_cmpx_eq_u32 vcc, v1, v2", "which threads take part"},
    {"gfx906", "v_cmpx_eq_u16 vcc, v1, v2", "which threads take part"},
    {"gfx906", "v_cmp_lt_u32 s[4:5], v1, v2", "writes what the loop needs"},
    {"gfx906", "v_cmp_class_f16 s[4:5], v1, v2", "writes are known"},
    {"gfx906", "v_cmp_eq_u32_sdwa s[4:5], v6, v7 src0_sel:BYTE_0 src1_sel:DWORD",
     "writes what the loop needs"},
    {"gfx906", "v_mov_b32 v4, 0", "writes what the loop needs"},
    {"gfx906", "v_mov_b32 v0, 0", "writes what the loop needs"},
    {"gfx906", "v_add_f64 v[7:8], v[6:7], v[6:7]", "writes what the loop needs"},
    {"gfx906", "v_mov_b32_dpp v8, v6 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf",
     "writes what the loop needs"},
    {"gfx906", "v_div_scale_f32 v5, vcc, v5, v6, v7", "writes are known"},
    {"gfx906", "v_movreld_b32 v5, v6", "is not an instruction of gfx906"},
    {"gfx803", "v_movreld_b32 v5, v6", "writes are known"},
    {"gfx803", "v_interp_mov_f32 v5, p10, attr0.x", "writes are known"},
    {"gfx906", "v_swap_b32 v5, v8", "writes are known"},
    {"gfx1030", "v_movrelsd_2_b32 v5, v6", "writes are known"},
    {"gfx803", "s_movreld_b32 s27, s27", "writes are known"},
    {"gfx1100", "v_add_co_u32_e64_dpp v5, s4, v6, v7 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf",
     "writes what the loop needs"},
    {"gfx1100", "v_dual_mov_b32 v1, v2 :: v_dual_mov_b32 v8, v7", "writes what the loop needs"},
    {"gfx906", "x: s_nop 0", "is not a single self-contained instruction"},
    {"gfx906", ".byte 0", "is not a single self-contained instruction"},
};

static void gcn_is_registers_alone(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof gcn_taken / sizeof gcn_taken[0]; i++) {
        struct behaviour item = {.text = gcn_taken[i].text, .file = "r.lua", .line = 3};
        struct error error = {0};
        enum status status = gpu_asm_gcn_check(gcn_taken[i].arch, &item, &error);
        if (status == STATUS_UNAVAILABLE)
            skip_because("%s", error.message);
        if (status != STATUS_OK)
            fail_msg("%s: %s: %s", gcn_taken[i].arch, gcn_taken[i].text, error.message);
    }
    for (size_t i = 0; i < sizeof gcn_refused / sizeof gcn_refused[0]; i++) {
        struct behaviour item = {.text = gcn_refused[i].text, .file = "r.lua", .line = 3};
        struct error error = {0};
        if (gpu_asm_gcn_check(gcn_refused[i].arch, &item, &error) != STATUS_RECIPE ||
            strstr(error.message, gcn_refused[i].part) == NULL)
            fail_msg("%s: %s\ngave \"%s\"\nexpected \"%s\"", gcn_refused[i].arch, gcn_refused[i].text,
                     error.message, gcn_refused[i].part);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ptx_is_registers_alone),
        cmocka_unit_test(gcn_is_registers_alone),
    };
    return cmocka_run_group_tests_name("generator/gpu_asm", tests, NULL, NULL);
}
