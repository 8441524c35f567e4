/* What is counted: the ends of LDS, divergent branches, lines over the buses, and rows of a channel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/device_memory.h"
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
    assert_int_equal(fixture.result.diverged, 1);
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
    assert_int_equal(fixture.result.lines[GPU_MEM], 2);
    assert_int_equal(fixture.result.lines[GPU_L1], 1);
    assert_int_equal(fixture.result.bus[BUS_PROGRAM].transfers, 3);
    assert_int_equal(fixture.result.bus[BUS_CHANNEL].transfers, 2);
    assert_int_equal(fixture.result.bus[BUS_CHANNEL].ones, 512);
    assert_int_equal(fixture.result.bus[BUS_PROGRAM].ones, 1024);
    assert_int_equal(fixture.result.bus[BUS_PROGRAM].compared, 1024);
    assert_int_equal(fixture.result.bus[BUS_PROGRAM].toggles, 1024); /* there and back */
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
    assert_int_equal(fixture.result.loads[GPU_MEM], 16);
    assert_int_equal(fixture.result.loads[GPU_L2], 16);
    fixture_close(&fixture);
}

static void test_ends_of_lds(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_open(&fixture, 1, 64, DATA_BYTES);
    run(&fixture, "s_mov_b64 exec, 1\nv_mov_b32 v1, 4092", "ds_write_b32 v1, v0\nds_read_b32 v2, v1");
    assert_int_equal(fixture.result.loads[GPU_SHARED], 1);
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

/* A work-group that waits for another one: on one compute unit that goes well if both find room there. */
static void test_waiting_for_room(void **state)
{
    (void)state;
    for (unsigned lds = 20 << 10; lds <= 40 << 10; lds += 20 << 10) {
        const struct object_kernel kernel = {"gfx906", 64, lds, 64};
        struct fixture fixture;
        fixture_open(&fixture, 2, 64, DATA_BYTES);
        fixture.machine.se = fixture.machine.cu_per_sh = 1;
        fixture.launch.most_instructions = 5000;
        object_assemble(&kernel,
                        "s_load_dwordx2 s[4:5], s[0:1], 0x10\ns_mov_b64 exec, 1\nv_mov_b32 v2, 0\n"
                        "v_mov_b32 v3, 1\ns_waitcnt lgkmcnt(0)\ns_cmp_eq_u32 s2, 0\ns_cbranch_scc1 spin\n"
                        "global_store_dword v2, v3, s[4:5]\ns_endpgm\n"
                        "spin: global_load_dword v4, v2, s[4:5] glc\ns_waitcnt vmcnt(0)\n"
                        "v_readfirstlane_b32 s6, v4\ns_cmp_eq_u32 s6, 0\ns_cbranch_scc1 spin\ns_endpgm\n",
                        &fixture.object);
        assert_int_equal(fixture_try(&fixture, 0, 0), lds == 20 << 10 ? STATUS_OK : STATUS_FAILED);
        if (lds > 20 << 10)
            assert_non_null(strstr(fixture.error.message, "still running after 5000 instructions"));
        fixture_close(&fixture);
    }
}

/* Work-groups go in turn over all units, and the waves of one, the last of a single work-item too, share its
 * own. */
static void test_units(void **state)
{
    (void)state;
    enum { SE = 2, SH = 2, CU = 3, UNITS = SE * SH * CU };
    const struct object_kernel kernel = {"gfx906", 64, LDS_BYTES, 64};
    struct fixture fixture;
    unsigned blocks[UNITS] = {0};
    fixture_open(&fixture, UNITS, 65, DATA_BYTES);
    fixture.machine.se = SE;
    fixture.machine.sh_per_se = SH;
    fixture.machine.cu_per_sh = CU;
    object_assemble(&kernel, "s_endpgm\n", &fixture.object);
    fixture_run(&fixture, 0, 0);
    assert_int_equal(fixture.result.wave_count, 2 * UNITS);
    for (size_t i = 0; i < 2 * UNITS; i++) {
        const struct wave_place *place = &fixture.result.waves[i].place;
        assert_int_equal(place->unit, (place->se * SH + place->sh) * CU + place->cu);
        assert_true(place->se < SE && place->sh < SH && place->cu < CU);
        assert_int_equal(place->unit, fixture.result.waves[i / 2 * 2].place.unit);
        assert_int_equal(place->simd, i % 2);
        blocks[place->unit] += i % 2;
    }
    for (size_t i = 0; i < UNITS; i++)
        assert_int_equal(blocks[i], 1);
    fixture_close(&fixture);
}

/* Work-groups go in turn over the dies, which have an L2 each: the first load of a word on each die comes
 * from memory. The last compute unit of each is off. */
static void test_dies(void **state)
{
    (void)state;
    enum { DIES = 4, SE = 2, CU = 3, ON = SE * CU - 1, UNITS = DIES * ON, BLOCKS = 2 * UNITS };
    const struct object_kernel kernel = {"gfx942", 16, 0, 64};
    struct fixture fixture;
    unsigned blocks[DIES][SE][CU] = {0};
    fixture_open(&fixture, BLOCKS, 64, DATA_BYTES);
    fixture.machine.xcc = DIES;
    fixture.machine.se = SE;
    fixture.machine.cu_per_sh = CU;
    fixture.machine.off = 1;
    fixture.machine.l2_channels = 1;
    fixture.machine.near_engines = 0;
    fixture.launch.all = true;
    object_assemble(&kernel,
                    "s_load_dwordx2 s[4:5], s[0:1], 0x10\ns_getreg_b32 s6, hwreg(20, 0, 4)\n"
                    "s_mov_b64 exec, 1\nv_mov_b32 v1, 0\nv_mov_b32 v2, s2\nv_lshlrev_b32 v2, 2, v2\n"
                    "v_mov_b32 v3, s6\ns_waitcnt lgkmcnt(0)\nglobal_load_dword v4, v1, s[4:5] offset:2048\n"
                    "s_waitcnt vmcnt(0)\nglobal_store_dword v2, v3, s[4:5]\ns_endpgm\n",
                    &fixture.object);
    fixture_run(&fixture, 0, 0);
    for (size_t i = 0; i < BLOCKS; i++) {
        const struct wave_place *place = &fixture.result.waves[i].place;
        uint32_t got;
        memcpy(&got, fixture.data + 4 * i, sizeof got);
        assert_int_equal(got, place->xcc);
        blocks[place->xcc][place->se][place->cu]++;
    }
    for (size_t die = 0; die < DIES; die++)
        for (size_t i = 0; i < SE * CU; i++)
            assert_int_equal(blocks[die][i % SE][i / SE], i < ON ? 2 : 0);
    assert_int_equal(fixture.result.loads[GPU_MEM], DIES);
    assert_int_equal(fixture.result.loads[GPU_L2], UNITS - DIES);
    assert_int_equal(fixture.result.loads[GPU_L1], BLOCKS - UNITS);
    fixture_close(&fixture);
}

/* Ranges of memory may touch, and share no byte. */
static void test_ranges(void **state)
{
    (void)state;
    static const struct {
        uint64_t address, size;
        enum status status;
    } rows[] = {{0x1000, 0x100, STATUS_OK},    {0x1100, 0x10, STATUS_OK},   {0xff0, 0x10, STATUS_OK},
                {0x110f, 1, STATUS_USAGE},     {0xf00, 0xf1, STATUS_USAGE}, {0xf00, 0x1000, STATUS_USAGE},
                {0x1080, 0x10, STATUS_USAGE},  {0x1110, 0x10, STATUS_OK},   {0x2000, 0, STATUS_OK},
                {UINT64_MAX, 2, STATUS_USAGE}, {0x1120, 0x1000, STATUS_OK}};
    struct device_memory memory = {.count = 0};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct device_range range = {.name = "it", .address = rows[i].address, .size = rows[i].size};
        struct error error;
        assert_int_equal(device_memory_add(&memory, &range, &error), rows[i].status);
    }
    assert_null(device_memory_find(&memory, 0x10ff, 2)); /* not across two */
    assert_int_equal(device_memory_find(&memory, 0x10ff, 1)->address, 0x1000);
    assert_int_equal(device_memory_find(&memory, 0x1100, 16)->address, 0x1100);
    assert_null(device_memory_find(&memory, 0xfef, 1));
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
        cmocka_unit_test(test_waiting_for_room),
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_dies),
        cmocka_unit_test(test_ranges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
