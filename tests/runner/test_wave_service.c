/* What counts are of: the ends of LDS, branches that part, lines over the buses, and rows of a channel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/wave_fixture.h"
#include "tests/wave_object.h"

enum { DATA_BYTES = 64 << 10, LDS_BYTES = 4096 };

/* One wave of GFX9; s[4:5] has the data's address, and the body stands between two clocks. */
static void run(struct fixture *fixture, const char *before, const char *body)
{
    const struct object_kernel kernel = {"gfx906", 64, LDS_BYTES, 64};
    struct buffer text = {0};
    buffer_printf(&text,
                  "s_load_dwordx2 s[4:5], s[0:1], 0x10\ns_waitcnt lgkmcnt(0)\ns_mov_b32 m0, -1\n%s\n"
                  "s_memtime s[8:9]\n%s\ns_memtime s[8:9]\ns_endpgm\n",
                  before, body);
    object_assemble(&kernel, text.data, &fixture->object);
    buffer_free(&text);
    fixture_run(fixture, 0, 0);
}

static void test_branches(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_open(&fixture, 1, 64, DATA_BYTES);
    run(&fixture, "s_and_saveexec_b64 s[10:11], 1\ns_mov_b64 exec, -1", /* before the loop: not counted */
        "s_and_saveexec_b64 s[10:11], -1\n"                             /* all go */
        "s_and_saveexec_b64 s[10:11], 15\ns_mov_b64 exec, s[10:11]\n"   /* some */
        "s_and_saveexec_b64 s[10:11], 0\n"                              /* none */
        "s_and_saveexec_b64 s[12:13], -1\ns_mov_b64 exec, s[10:11]\n"   /* of none: no branch */
        "s_or_saveexec_b64 s[10:11], 0");
    assert_int_equal(fixture.result.branches, 3);
    assert_int_equal(fixture.result.parted, 1);
    fixture_close(&fixture);
}

/* Two lines from memory, one of them again from L1: all go from L1, two from L2. */
static void test_buses(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_open(&fixture, 1, 64, DATA_BYTES);
    memset(fixture.data, 0xff, 64);
    run(&fixture, "v_lshlrev_b32 v1, 1, v0\ns_mov_b64 exec, -1",
        "global_load_ushort v2, v1, s[4:5]\ns_mov_b32 exec_hi, 0\nglobal_load_ushort v2, v1, s[4:5]");
    assert_int_equal(fixture.result.lines[WAVE_MEM], 2);
    assert_int_equal(fixture.result.lines[WAVE_L1], 1);
    assert_int_equal(fixture.result.l1_bus.transfers, 3);
    assert_int_equal(fixture.result.l2_bus.transfers, 2);
    assert_int_equal(fixture.result.l2_bus.ones, 512);
    assert_int_equal(fixture.result.l1_bus.ones, 1024);
    assert_int_equal(fixture.result.l1_bus.compared, 1024);
    assert_int_equal(fixture.result.l1_bus.toggles, 1024); /* there and back */
    fixture_close(&fixture);
}

/* Lines a turn of all channels apart are rows of one channel, each of its own. */
static void test_rows_of_channels(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_open(&fixture, 1, 64, DATA_BYTES);
    run(&fixture, "s_mov_b64 exec, 0xffff\nv_lshlrev_b32 v1, 12, v0",
        "global_load_dword v2, v1, s[4:5] glc\nglobal_load_dword v2, v1, s[4:5] glc");
    assert_int_equal(fixture.result.channels[0], 32);
    assert_int_equal(fixture.result.loads[WAVE_MEM], 16);
    assert_int_equal(fixture.result.loads[WAVE_L2], 16);
    fixture_close(&fixture);
}

static void test_ends_of_lds(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_open(&fixture, 1, 64, DATA_BYTES);
    run(&fixture, "s_mov_b64 exec, 1\nv_mov_b32 v1, 4092", "ds_write_b32 v1, v0\nds_read_b32 v2, v1");
    assert_int_equal(fixture.result.loads[WAVE_SHARED], 1);
    assert_int_equal(fixture.result.stores, 1);
    fixture_close(&fixture);
}

/* More work-groups than there is room for at once: all come to their turn, and no more of them are on a
 * compute unit together than its registers and LDS have room for. */
static void test_room(void **state)
{
    (void)state;
    static const struct {
        unsigned vgprs, lds, together; /* work-groups of one wave on a unit */
    } rows[] = {{256, 0, 4}, {128, 0, 8}, {64, 64 << 10, 1}, {64, 32 << 10, 2}, {64, 16 << 10, 4}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        enum { BLOCKS = 900 };
        const struct object_kernel kernel = {"gfx906", rows[i].vgprs, rows[i].lds, 64};
        struct fixture fixture;
        unsigned most = 0;
        fixture_open(&fixture, BLOCKS, 64, DATA_BYTES);
        object_assemble(&kernel,
                        "s_load_dwordx2 s[4:5], s[0:1], 0x10\ns_mov_b64 exec, 1\nv_mov_b32 v1, s2\n"
                        "v_lshlrev_b32 v2, 2, v1\nv_add_u32 v3, 7, v1\ns_waitcnt lgkmcnt(0)\n"
                        "global_load_dword v4, v2, s[4:5]\nglobal_store_dword v2, v3, s[4:5]\ns_endpgm\n",
                        &fixture.object);
        fixture_run(&fixture, 0, 0);
        for (uint32_t block = 0; block < BLOCKS; block++) {
            const struct wave_place *place = &fixture.result.waves[block].place;
            uint32_t got;
            memcpy(&got, fixture.data + (size_t)4 * block, sizeof got);
            assert_int_equal(got, block + 7);
            most = place->slot * 4 + place->simd + 1 > most ? place->slot * 4 + place->simd + 1 : most;
        }
        assert_int_equal(most, rows[i].together);
        fixture_close(&fixture);
    }
}

int main(void)
{
#ifndef TRAUMA_LLVM_AMDGPU
    print_message("LLVM has no AMDGPU here\n");
    return 77;
#endif
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_branches),
        cmocka_unit_test(test_buses),
        cmocka_unit_test(test_rows_of_channels),
        cmocka_unit_test(test_ends_of_lds),
        cmocka_unit_test(test_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
