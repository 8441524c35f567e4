/* A load's result may be used once s_waitcnt has waited for it, and not before: counters, their order and
 * their encodings, by generation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/gcn/wave_state.h"
#include "tests/wave_fixture.h"
#include "tests/wave_object.h"

enum { DATA_BYTES = 4096 };

/* What differs in a generation's texts. */
static const struct dialect {
    const char *target, *load, *store, *add;
    unsigned lanes;
} dialects[] = {
    {"gfx701", "buffer_load_dword", "buffer_store_dword", "v_or_b32", 64},
    {"gfx803", "buffer_load_dword", "buffer_store_dword", "v_or_b32", 64},
    {"gfx906", "buffer_load_dword", "buffer_store_dword", "v_or_b32", 64},
    {"gfx1030", "buffer_load_dword", "buffer_store_dword", "v_or_b32", 32},
    {"gfx1100", "buffer_load_b32", "buffer_store_b32", "v_or_b32", 32},
    {"gfx1201", "buffer_load_b32", "buffer_store_b32", "v_or_b32", 32},
};
enum { DIALECTS = sizeof dialects / sizeof dialects[0] };

/* Runs the body; s[4:5] and v[30:31] have the data's address and s[8:11] describe it. Ends with the reason,
 * or well where there is none. */
static void check(const struct dialect *dialect, const char *body, const char *reason)
{
    const struct object_kernel kernel = {dialect->target, 64, 4096, dialect->lanes};
    struct fixture fixture;
    struct buffer text = {0};
    fixture_open(&fixture, 1, dialect->lanes, DATA_BYTES);
    buffer_printf(&text,
                  "s_load_dwordx2 s[4:5], s[0:1], %s\ns_waitcnt lgkmcnt(0)\ns_mov_b32 m0, -1\n"
                  "v_mov_b32 v30, s4\nv_mov_b32 v31, s5\ns_mov_b32 s8, s4\ns_mov_b32 s9, s5\n"
                  "s_mov_b32 s10, 0x1000\ns_mov_b32 s11, 0xf000\nv_mov_b32 v1, 0\n%s\ns_endpgm\n",
                  gcn_target_named(dialect->target)->generation < 8 ? "0x4" : "0x10", body);
    object_assemble(&kernel, text.data, &fixture.object);
    enum status status = fixture_try(&fixture, 0, 0);
    if (reason == NULL && status != STATUS_OK)
        fail_msg("%s: %s: %.900s", dialect->target, fixture.error.message, body);
    if (reason != NULL && (status != STATUS_FAILED || strstr(fixture.error.message, reason) == NULL))
        fail_msg("%s: %s: %.900s", dialect->target, status == STATUS_OK ? "went well" : fixture.error.message,
                 body);
    buffer_free(&text);
    fixture_close(&fixture);
}

/* Loads L and stores S by their names. */
static void check_each(const char *body, const char *reason, const char *reason_rdna)
{
    for (size_t i = 0; i < DIALECTS; i++) {
        struct buffer text = {0};
        for (const char *at = body; *at != '\0'; at++)
            if (*at == 'L')
                buffer_text(&text, dialects[i].load);
            else if (*at == 'S')
                buffer_text(&text, dialects[i].store);
            else
                buffer_append(&text, at, 1);
        buffer_append(&text, "", 1);
        check(&dialects[i], text.data, i < 3 ? reason : reason_rdna);
        buffer_free(&text);
    }
}

#define LOAD_2 "L v2, v1, s[8:11], 0 offen\n"
#define LOAD_3 "L v3, v1, s[8:11], 0 offen\n"
#define STORE "S v1, v1, s[8:11], 0 offen\n"

static void test_memory(void **state)
{
    (void)state;
    static const char V2[] = "uses v2 while a load", V3[] = "uses v3 while a load";
    static const struct {
        const char *body, *reason, *reason_rdna;
    } rows[] = {
        {LOAD_2 "v_or_b32 v5, v2, v1", V2, V2},
        {LOAD_2 "v_or_b32 v2, v1, v1", V2, V2}, /* the load would come later */
        {LOAD_2 "s_waitcnt lgkmcnt(0)\nv_or_b32 v5, v2, v1", V2, V2},
        {LOAD_2 "s_waitcnt vmcnt(1)\nv_or_b32 v5, v2, v1", V2, V2},
        {LOAD_2 "s_waitcnt vmcnt(0)\nv_or_b32 v5, v2, v1", NULL, NULL},
        {LOAD_2 "s_waitcnt vmcnt(0) lgkmcnt(0)\nv_or_b32 v2, v2, v1", NULL, NULL},
        {LOAD_2 LOAD_3 "s_waitcnt vmcnt(1)\nv_or_b32 v5, v2, v1", NULL, NULL},
        {LOAD_2 LOAD_3 "s_waitcnt vmcnt(1)\nv_or_b32 v5, v3, v1", V3, V3},
        {LOAD_2 LOAD_3 "v_or_b32 v5, v1, v1", NULL, NULL}, /* none of theirs */
        {LOAD_2 LOAD_2 "s_waitcnt vmcnt(0)", NULL, NULL},
        {LOAD_2 STORE "s_waitcnt vmcnt(1)\nv_or_b32 v5, v2, v1", NULL,
         V2}, /* stores count apart from GFX10 on */
        {LOAD_2 "L v3, v2, s[8:11], 0 offen", V2, V2},
        {LOAD_2 "S v2, v1, s[8:11], 0 offen", V2, V2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_each(rows[i].body, rows[i].reason, rows[i].reason_rdna);
}

static void test_scalar_and_lds(void **state)
{
    (void)state;
    static const char S12[] = "uses s12 while a load", V2[] = "uses v2 while a load";
    static const struct {
        unsigned dialect; /* 2: GFX9, 3: GFX10, 4: GFX11, 5: GFX12 */
        const char *body, *reason;
    } rows[] = {
        {2, "s_load_dword s12, s[4:5], 0x0\ns_add_u32 s6, s12, 1", S12},
        {2, "s_load_dword s12, s[4:5], 0x0\ns_mov_b32 s12, 1", S12},
        {2, "s_load_dword s12, s[4:5], 0x0\nv_mov_b32 v2, s12", S12},
        {2, "s_load_dwordx2 s[12:13], s[4:5], 0x0\ns_mov_b32 s6, s13", "uses s13 while a load"},
        {2, "s_load_dword s12, s[4:5], 0x0\ns_waitcnt vmcnt(0)\ns_add_u32 s6, s12, 1", S12},
        {2, "s_load_dword s12, s[4:5], 0x0\ns_waitcnt lgkmcnt(0)\ns_add_u32 s6, s12, 1", NULL},
        {2, "s_load_dword s12, s[4:5], 0x0\nds_write_b32 v1, v1\ns_waitcnt lgkmcnt(1)\ns_mov_b32 s6, s12",
         S12},
        {2, "s_memtime s[12:13]\ns_mov_b32 s6, s12", S12},
        {2, "s_load_dword s12, s[4:5], 0x0\nbuffer_load_dword v2, v1, s[8:11], s12 offen", S12},
        {2, "s_load_dword s8, s[4:5], 0x0\nbuffer_load_dword v2, v1, s[8:11], 0 offen", "uses s8 while"},
        {2,
         "buffer_load_dword v7, v1, s[8:11], 0 offen\nbuffer_load_dword v2, v[6:7], s[8:11], 0 idxen offen",
         "uses v7 while"},
        {2, "ds_read_b32 v2, v1\nv_mov_b32 v3, v2", V2},
        {2, "ds_read_b32 v2, v1\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v3, v2", NULL},
        {2, "ds_read_b32 v2, v1\nds_write_b32 v1, v1\ns_waitcnt lgkmcnt(1)\nv_mov_b32 v3, v2", NULL},
        {2, "ds_read_b64 v[2:3], v1\nv_mov_b32 v4, v3", "uses v3 while"},
        {2, "ds_read_b32 v2, v1\nds_write_b32 v1, v2", V2},
        {2, "ds_add_rtn_u32 v2, v1, v1\nv_mov_b32 v3, v2", V2},
        {2, "flat_load_dword v2, v[30:31]\nv_mov_b32 v3, v2", V2},
        {2, "flat_load_dword v2, v[30:31]\ns_waitcnt vmcnt(0) lgkmcnt(0)\nv_mov_b32 v3, v2", NULL},
        {2, "flat_load_dwordx2 v[30:31], v[30:31]\nflat_load_dword v2, v[30:31]", "uses v30 while"},
        {2, "global_load_dword v2, v1, s[4:5]\nv_mov_b32 v3, v2", V2},
        {2, "s_load_dwordx2 s[4:5], s[0:1], 0x10\nglobal_load_dword v2, v1, s[4:5]", "uses s4 while"},
        {2, "global_atomic_add v2, v[30:31], v1, off glc\nv_mov_b32 v3, v2", V2},
        {2, "global_atomic_add v[30:31], v1, off\nv_mov_b32 v3, v1", NULL},
        {3, "s_load_dword s12, s[4:5], 0x0\ns_waitcnt_lgkmcnt null, 0x0\ns_mov_b32 s6, s12", NULL},
        {3, "global_load_dword v2, v1, s[4:5]\ns_waitcnt_vmcnt null, 0x0\nv_mov_b32 v3, v2", NULL},
        {3, "global_load_dword v2, v1, s[4:5]\ns_waitcnt_vmcnt null, 0x1\nv_mov_b32 v3, v2", V2},
        {3, "global_load_dword v2, v1, s[4:5]\ns_waitcnt_vscnt null, 0x0\nv_mov_b32 v3, v2", V2},
        {4, "s_sendmsg_rtn_b64 s[12:13], sendmsg(MSG_RTN_GET_REALTIME)\ns_mov_b32 s6, s12", S12},
        {4, "global_load_b32 v2, v1, s[4:5]\nv_dual_mov_b32 v4, v1 :: v_dual_mov_b32 v5, v2", V2},
        {4, "global_load_b32 v2, v1, s[4:5]\ns_wait_idle\nv_mov_b32 v5, v2", NULL},
        {5, "s_load_b32 s12, s[4:5], 0x0\ns_wait_dscnt 0x0\ns_mov_b32 s6, s12", S12},
        {5, "s_load_b32 s12, s[4:5], 0x0\ns_wait_kmcnt 0x1\ns_mov_b32 s6, s12", S12},
        {5, "s_load_b32 s12, s[4:5], 0x0\ns_wait_kmcnt 0x0\ns_mov_b32 s6, s12", NULL},
        {5, "s_sendmsg_rtn_b64 s[12:13], sendmsg(MSG_RTN_GET_REALTIME)\ns_wait_dscnt 0x0\ns_mov_b32 s6, s12",
         S12},
        {5, "ds_load_b32 v2, v1\ns_wait_kmcnt 0x0\ns_wait_loadcnt 0x0\nv_mov_b32 v3, v2", V2},
        {5, "ds_load_b32 v2, v1\ns_wait_dscnt 0x0\nv_mov_b32 v3, v2", NULL},
        {5, "ds_load_b32 v2, v1\nds_load_b32 v3, v1\ns_wait_dscnt 0x1\nv_mov_b32 v4, v2", NULL},
        {5, "ds_load_b32 v2, v1\nds_load_b32 v3, v1\ns_wait_dscnt 0x1\nv_mov_b32 v4, v3", "uses v3 while"},
        {5, "ds_load_b32 v2, v1\ns_wait_storecnt_dscnt 0x3f00\nv_mov_b32 v3, v2", NULL},
        {5, "global_load_b32 v2, v1, s[4:5]\ns_wait_dscnt 0x0\nv_mov_b32 v3, v2", V2},
        {5, "global_load_b32 v2, v1, s[4:5]\ns_wait_storecnt 0x0\nv_mov_b32 v3, v2", V2},
        {5, "global_load_b32 v2, v1, s[4:5]\ns_wait_samplecnt 0x0\nv_mov_b32 v3, v2", V2},
        {5, "global_load_b32 v2, v1, s[4:5]\ns_wait_storecnt_dscnt 0x0\nv_mov_b32 v3, v2", V2},
        {5, "global_load_b32 v2, v1, s[4:5]\ns_wait_loadcnt_dscnt 0x13f\nv_mov_b32 v3, v2", V2},
        {5, "global_load_b32 v2, v1, s[4:5]\ns_wait_loadcnt_dscnt 0x3f\nv_mov_b32 v3, v2", NULL},
        {5, "flat_load_b32 v2, v[30:31]\ns_wait_loadcnt 0x0\nv_mov_b32 v3, v2", NULL},
        {5, "global_atomic_add_u32 v2, v[30:31], v1, off th:TH_ATOMIC_RETURN\nv_mov_b32 v3, v2", V2},
        {5,
         "global_atomic_add_u32 v2, v[30:31], v1, off th:TH_ATOMIC_RETURN\ns_wait_loadcnt 0x0\nv_mov_b32 v3, "
         "v2",
         NULL},
        {5, "global_atomic_add_u32 v[30:31], v1, off\nv_mov_b32 v3, v1", NULL},
        {5, "global_load_b32 v2, v1, s[4:5]\nglobal_wb scope:SCOPE_SE\ns_wait_loadcnt 0x1\nv_mov_b32 v3, v2",
         V2},
        {5, "global_load_b32 v2, v1, s[4:5]\nglobal_inv scope:SCOPE_SE\ns_wait_loadcnt 0x1\nv_mov_b32 v3, v2",
         NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check(&dialects[rows[i].dialect], rows[i].body, rows[i].reason);
}

/* More than the counters go to: the oldest have come by then. */
static void test_many(void **state)
{
    (void)state;
    struct buffer text = {0};
    for (unsigned i = 0; i < 70; i++)
        buffer_printf(&text, "global_load_dword v%u, v1, s[4:5]\n", i < 2 ? 2 + i : 10 + i % 10);
    check(&dialects[2], text.data, NULL);
    buffer_text(&text, "v_mov_b32 v40, v2\nv_mov_b32 v40, v19\n");
    check(&dialects[2], text.data, "uses v19 while");
    buffer_free(&text);
}

/* As LLVM's "Syntax of AMDGPU Instruction Operands" has the bits of waitcnt. */
static void test_encodings(void **state)
{
    (void)state;
    static const struct {
        unsigned generation;
        int32_t number;
        unsigned vm, lgkm;
    } rows[] = {
        {7, 0x0f70, 0, 15}, {7, 0x007f, 15, 0},           {9, 0x0f70, 0, 15},
        {9, 0xc07f, 63, 0}, {9, (int16_t)0xcf7e, 62, 15}, {10, 0x3f70, 0, 63},
        {10, 0x0171, 1, 1}, {10, (int16_t)0xc07f, 63, 0}, {11, 0x03f7, 0, 63},
        {11, 0x0417, 1, 1}, {11, (int16_t)0xfc07, 63, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(wave_vmcnt(rows[i].generation, rows[i].number), rows[i].vm);
        assert_int_equal(wave_lgkmcnt(rows[i].generation, rows[i].number), rows[i].lgkm);
    }
}

int main(void)
{
#ifndef TRAUMA_LLVM_AMDGPU
    print_message("LLVM has no AMDGPU here\n");
    return 77;
#endif
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_scalar_and_lds),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_encodings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
