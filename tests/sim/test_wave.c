/* The wave executor on compiled OpenCL C: placement, service, channels, toggles, and what it must refuse. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "sim/gcn/hardware.h"
#include "tests/wave_fixture.h"

enum { BLOCKS = 176, THREADS = 256, BLOCK_BYTES = 4096, LOADS = 4 * THREADS };

static const char *const chips[] = {"gfx600", "gfx701", "gfx803", "gfx906", "gfx90a", "gfx1030", "gfx1100"};
enum { CHIPS = sizeof chips / sizeof chips[0] };

static void open_chip(struct fixture *fixture, const char *kind, const char *chip, unsigned blocks)
{
    char path[256];
    fixture_open(fixture, blocks, THREADS, (size_t)blocks * BLOCK_BYTES);
    snprintf(path, sizeof path, "tests/golden/wave/%s.%s.hex", kind, chip);
    fixture_hex(path, &fixture->object);
    for (size_t i = 0; i < fixture->data_bytes / 4; i++)
        memcpy(fixture->data + 4 * i, &(uint32_t){(uint32_t)i}, 4);
}

/* What thread 0 of the block adds up in so many passes. */
static uint64_t sum_of(unsigned block, uint64_t passes)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < 4; i++)
        sum += (uint64_t)block * 1024 + i * 256;
    return sum * passes;
}

/* Waves of a work-group. */
static size_t waves_of(const struct fixture *fixture)
{
    return fixture->result.wave_count / fixture->launch.blocks;
}

static void check_record(const struct fixture *fixture, uint64_t passes)
{
    bool rdna = fixture->result.target_generation >= 10; /* where the fields cu or wgp, and se are */
    assert_int_equal(fixture->result.lanes, rdna ? 32 : 64);
    assert_int_equal(waves_of(fixture), THREADS / fixture->result.lanes);
    for (unsigned block = 0; block < fixture->launch.blocks; block++) {
        const uint64_t *mine = fixture->record + (size_t)block * 8;
        const struct wave_report *wave = &fixture->result.waves[block * waves_of(fixture)];
        bool worked = wave->place.se == 0;
        assert_int_equal(wave->worked, worked);
        assert_int_equal(mine[4] >> 32, worked);
        assert_int_equal((uint32_t)mine[4], wave->hw_id);
        assert_int_equal((uint32_t)mine[4] >> (rdna ? 10 : 8) & 0xf, wave->place.cu);
        assert_int_equal((uint32_t)mine[4] >> (rdna ? 18 : 13) & 3, wave->place.se);
        assert_int_equal(mine[5], worked ? sum_of(block, passes) : 0);
        assert_true(worked ? mine[1] > mine[0] : mine[0] == 0 && mine[1] == 0);
    }
}

static void test_placement(void **state)
{
    (void)state;
    for (size_t i = 0; i < CHIPS; i++) {
        struct fixture fixture;
        open_chip(&fixture, "read", chips[i], BLOCKS);
        fixture_run(&fixture, 3, 2);
        check_record(&fixture, 5);
        /* A quarter of the work-groups are on SE 0, and they alone read, past L1, from a warm L2. */
        assert_int_equal(fixture.result.loads[GPU_L1], 0);
        assert_int_equal(fixture.result.loads[GPU_MEM], 0);
        assert_int_equal(fixture.result.loads[GPU_L2], BLOCKS / 4 * LOADS * 3);
        assert_int_equal(fixture.result.lines[GPU_L2], BLOCKS / 4 * LOADS * 3 / 16);
        assert_int_equal(fixture.result.se_accesses[0], fixture.result.loads[GPU_L2]);
        for (unsigned se = 1; se < 4; se++)
            assert_int_equal(fixture.result.se_accesses[se], 0);
        for (unsigned unit = 0; unit < 44; unit++)
            assert_int_equal(fixture.result.unit_accesses[unit], unit < 11 ? 4 * LOADS * 3 : 0);
        fixture_close(&fixture);
    }
}

/* A CU's L1 takes four work-groups' data, which fill its sets evenly; with a fifth nothing stays. */
static void test_l1(void **state)
{
    (void)state;
    for (size_t i = 0; i < CHIPS; i++)
        for (unsigned blocks = BLOCKS; blocks <= BLOCKS + 44; blocks += 44) {
            struct fixture fixture;
            open_chip(&fixture, "cached", chips[i], blocks);
            fixture_run(&fixture, 3, 2);
            uint64_t all = (uint64_t)blocks / 4 * LOADS * 3;
            assert_int_equal(fixture.result.loads[GPU_L1], blocks == BLOCKS ? all : 0);
            assert_int_equal(fixture.result.loads[GPU_L2], blocks == BLOCKS ? 0 : all);
            assert_int_equal(fixture.result.loads[GPU_MEM], 0);
            assert_int_equal(fixture.result.bus[BUS_CHANNEL].transfers, blocks == BLOCKS ? 0 : all / 16);
            fixture_close(&fixture);
        }
}

static void test_memory(void **state)
{
    (void)state;
    struct fixture fixture;
    open_chip(&fixture, "read", "gfx701", BLOCKS);
    fixture.machine.l2.size = 64 << 10; /* of 176 KiB that are read */
    fixture_run(&fixture, 2, 1);
    assert_int_equal(fixture.result.loads[GPU_MEM], BLOCKS / 4 * LOADS * 2);
    /* Without a warm-up the first of two passes is from memory, the second is not. */
    fixture.machine.l2.size = 1 << 20;
    fixture_run(&fixture, 2, 0);
    assert_int_equal(fixture.result.loads[GPU_MEM], BLOCKS / 4 * LOADS);
    assert_int_equal(fixture.result.loads[GPU_L2], BLOCKS / 4 * LOADS);
    fixture_close(&fixture);
}

static void test_channels(void **state)
{
    (void)state;
    struct fixture fixture;
    open_chip(&fixture, "read", "gfx701", BLOCKS);
    fixture_run(&fixture, 1, 1);
    for (unsigned i = 0; i < 16; i++)
        assert_int_equal(fixture.result.channels[i], BLOCKS / 4 * 4);
    assert_int_equal(fixture.result.far, 3 * fixture.result.near);
    /* With a work-group's 4 KiB in one channel, SE 0's every fourth work-group, from the third on, reaches
     * every fourth one. */
    fixture.machine.interleave = BLOCK_BYTES;
    fixture_run(&fixture, 1, 1);
    for (unsigned i = 0; i < 16; i++)
        assert_int_equal(fixture.result.channels[i], i % 4 == 2 ? BLOCKS / 16 * 64 : 0);
    assert_int_equal(fixture.result.near, BLOCKS / 16 * 64);
    assert_int_equal(fixture.result.far, 3 * BLOCKS / 16 * 64);
    fixture_close(&fixture);
}

/* Lines of bytes: even and odd ones. */
static void fill_lines(struct fixture *fixture, unsigned char even, unsigned char odd)
{
    for (size_t i = 0; i < fixture->data_bytes; i++)
        fixture->data[i] = i / 64 % 2 == 0 ? even : odd;
}

static void test_toggles(void **state)
{
    (void)state;
    static const struct {
        unsigned char even, odd;
        double toggles, ones;
    } rows[] = {
        {0, 0, 0, 0}, {0xff, 0xff, 0, 1}, {0xaa, 0xaa, 0, 0.5}, {0xaa, 0x55, 1, 0.5}, {0, 0x03, 0.25, 0.125}};
    struct fixture fixture;
    open_chip(&fixture, "read", "gfx701", BLOCKS);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fill_lines(&fixture, rows[i].even, rows[i].odd);
        fixture_run(&fixture, 2, 1);
        const struct bus_count *bus = &fixture.result.bus[BUS_CHANNEL];
        assert_int_equal(bus->transfers, BLOCKS / 4 * LOADS * 2 / 16);
        assert_true((double)bus->toggles == rows[i].toggles * (double)bus->compared);
        assert_true((double)bus->ones == rows[i].ones * (double)bus->bits);
        assert_int_equal(bus->compared, bus->bits - 16 * 512); /* each channel's first has none before it */
    }
    struct random random = random_start(1, "toggles");
    for (size_t i = 0; i < fixture.data_bytes; i++)
        fixture.data[i] = (unsigned char)random_next(&random);
    fixture_run(&fixture, 2, 1);
    double rate =
        (double)fixture.result.bus[BUS_CHANNEL].toggles / (double)fixture.result.bus[BUS_CHANNEL].compared;
    assert_true(rate > 0.495 && rate < 0.505);
    fixture_close(&fixture);
}

/* Replaces the one instruction of that word. */
static void patch(struct fixture *fixture, uint32_t from, uint32_t mask, uint32_t to)
{
    size_t found = 0;
    for (size_t i = 0; i + 4 <= fixture->object.size; i += 4) {
        uint32_t word;
        memcpy(&word, fixture->object.data + i, sizeof word);
        if ((word & mask) != from)
            continue;
        to = (to & mask) | (word & ~mask);
        memcpy(fixture->object.data + i, &to, sizeof to);
        found++;
    }
    assert_int_equal(found, 1);
}

enum { ANY_REGISTER = 0x7f0000 };

static void test_wrong_generation(void **state)
{
    (void)state;
    static const struct {
        const char *chip, *reason;
        uint32_t right, wrong;
    } rows[] = {{"gfx701", "0xb88", 0xb9003204, 0xb8803204},
                {"gfx803", "writes hardware register 4, HW_ID", 0xb8803204, 0xb9003204},
                {"gfx906", "writes hardware register 4, HW_ID", 0xb8803204, 0xb9003204},
                {"gfx1030", "0xb88", 0xb9000c97, 0xb8800c97},
                {"gfx1030", "reads hardware register 4,", 0xb9000c97, 0xb9000c84},
                {"gfx1100", "writes hardware register 23", 0xb8801497, 0xb9001497},
                {"gfx1100", "reads hardware register 4,", 0xb8801497, 0xb8801484}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture fixture;
        open_chip(&fixture, "read", rows[i].chip, 4);
        patch(&fixture, rows[i].right, ~(uint32_t)ANY_REGISTER, rows[i].wrong);
        assert_int_equal(fixture_try(&fixture, 1, 1), STATUS_FAILED);
        assert_non_null(strstr(fixture.error.message, rows[i].reason));
        fixture_close(&fixture);
    }
}

static unsigned workers(const struct fixture *fixture, unsigned se)
{
    unsigned count = 0;
    for (size_t i = 0; i < fixture->result.wave_count; i++)
        count += fixture->result.waves[i].worked && fixture->result.waves[i].place.se == se;
    return count;
}

/* A bit too many, one too few, and a field one bit off; of HW_ID1 the program reads the engine alone. */
static void test_wrong_field(void **state)
{
    (void)state;
    static const struct {
        const char *chip;
        uint32_t right;
        unsigned low, size;
        unsigned engines[4]; /* work-groups that work, four of each as many */
    } rows[] = {
        {"gfx701", 0xb9003204, 8, 7, {1, 0, 0, 0}},   {"gfx701", 0xb9003204, 8, 8, {0, 0, 0, 0}},
        {"gfx701", 0xb9003204, 8, 6, {1, 0, 1, 0}},   {"gfx701", 0xb9003204, 9, 7, {0, 0, 0, 0}},
        {"gfx701", 0xb9003204, 7, 7, {1, 0, 1, 0}},   {"gfx701", 0xb9003204, 0, 7, {0}},
        {"gfx1030", 0xb9000c97, 18, 2, {1, 0, 0, 0}}, {"gfx1030", 0xb9000c97, 18, 3, {0, 0, 0, 0}},
        {"gfx1030", 0xb9000c97, 18, 1, {1, 0, 1, 0}}, {"gfx1030", 0xb9000c97, 17, 2, {0, 0, 0, 0}},
        {"gfx1030", 0xb9000c97, 19, 2, {0, 0, 0, 0}}, {"gfx1030", 0xb9000c97, 16, 1, {1, 1, 1, 1}},
        {"gfx1030", 0xb9000c97, 0, 2, {0}},           {"gfx1100", 0xb8801497, 18, 3, {1, 0, 0, 0}},
        {"gfx1100", 0xb8801497, 18, 4, {0, 0, 0, 0}}, {"gfx1100", 0xb8801497, 18, 1, {1, 0, 1, 0}},
        {"gfx1100", 0xb8801497, 19, 2, {1, 1, 0, 0}}, {"gfx1100", 0xb8801497, 17, 3, {0, 0, 0, 0}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture fixture;
        open_chip(&fixture, "read", rows[i].chip, BLOCKS);
        patch(&fixture, rows[i].right, ~(uint32_t)ANY_REGISTER,
              (rows[i].right & 0xff80003f) | rows[i].low << 6 | (rows[i].size - 1) << 11);
        fixture_run(&fixture, 1, 1);
        unsigned each = (unsigned)(BLOCKS / 4 * waves_of(&fixture));
        for (unsigned se = 0; se < 4 && rows[i].low != 0; se++)
            assert_int_equal(workers(&fixture, se), rows[i].engines[se] * each);
        /* SIMD and slot, not place: a share of every engine's waves passes. */
        for (unsigned se = 0; se < 4 && rows[i].low == 0; se++)
            assert_true(workers(&fixture, se) > 0);
        fixture_close(&fixture);
    }
}

static void test_hw_id(void **state)
{
    (void)state;
    static const struct {
        const char *target;
        struct wave_place place;
        uint32_t word;
    } rows[] = {
        {"gfx701",
         {0, 0, 2, 0, 10, 3, 9},
         9 | 3 << 4 | 10 << 8 | 2 << 13 | 1 << 15 | 5 << 16 | 8 << 20 | 1 << 30},
        {"gfx900",
         {0, 0, 3, 1, 15, 2, 0},
         2 << 4 | 15 << 8 | 1 << 12 | 3 << 13 | 1 << 15 | 5 << 16 | 8 << 20 | 1 << 30},
        {"gfx90a", {0, 0, 6, 0, 12, 1, 7}, 7 | 1 << 4 | 12 << 8 | 6 << 13 | 5 << 16 | 8 << 20 | 1 << 30},
        {"gfx942",
         {0, 5, 2, 0, 9, 3, 9},
         9 | 3 << 4 | 9 << 8 | 2 << 13 | 1 << 15 | 5 << 16 | 8 << 20 | 1 << 30},
        /* HW_ID1; bits 5 to 7, 14, 15, 17 and those above the engine are reserved. */
        {"gfx1030",
         {0, 0, 2, 1, 4, 3, 13},
         13 | 0xe0 | 3 << 8 | 4 << 10 | 0x2c000 | 1 << 16 | 2 << 18 | 0xfff00000},
        {"gfx1100", {0, 0, 5, 0, 7, 1, 0}, 0xe0 | 1 << 8 | 7 << 10 | 0x2c000 | 5 << 18 | 0xffe00000},
        {"gfx1201",
         {0, 0, 3, 1, 3, 2, 4},
         4 | 0xe0 | 2 << 8 | 3 << 10 | 0x2c000 | 1 << 16 | 3 << 18 | 0xffe00000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(wave_hw_id(gcn_target_named(rows[i].target), &rows[i].place, 5), rows[i].word);
    struct wave_chip machine = fixture_hawaii();
    struct error error;
    machine.se = 8;
    assert_int_equal(wave_check_hw_id(gcn_target_named("gfx900"), &machine, &error), STATUS_USAGE);
    assert_int_equal(wave_check_hw_id(gcn_target_named("gfx908"), &machine, &error), STATUS_OK);
    assert_int_equal(wave_check_hw_id(gcn_target_named("gfx1030"), &machine, &error), STATUS_USAGE);
    assert_non_null(strstr(error.message, "field se in HW_ID1 of gfx1030"));
    assert_int_equal(wave_check_hw_id(gcn_target_named("gfx1100"), &machine, &error), STATUS_OK);
    assert_int_equal(wave_check_hw_id(gcn_target_named("gfx1200"), &machine, &error), STATUS_OK);
    machine.cu_per_sh = 17;
    assert_int_equal(wave_check_hw_id(gcn_target_named("gfx1100"), &machine, &error), STATUS_USAGE);
    assert_non_null(strstr(error.message, "field wgp in"));
    assert_int_equal(wave_check_hw_id(gcn_target_named("gfx1200"), &machine, &error), STATUS_USAGE);
    assert_non_null(strstr(error.message, "field wgp in HW_ID1 of gfx1200"));
    assert_int_equal(wave_check_hw_id(gcn_target_named("gfx908"), &machine, &error), STATUS_USAGE);
}

static void test_bounds(void **state)
{
    (void)state;
    struct fixture fixture;
    open_chip(&fixture, "read", "gfx906", 8);
    fixture.ranges[0].size = 4096; /* the data of block 3, the first on SE 0, is not there */
    assert_int_equal(fixture_try(&fixture, 1, 1), STATUS_FAILED);
    assert_non_null(strstr(fixture.error.message, "work-group 3, wave 0 at offset 0x"));
    assert_non_null(strstr(fixture.error.message, "reads 4 bytes at address 0x1000003000"));
    fixture.ranges[0].size = fixture.data_bytes;
    fixture.ranges[1].writable = false;
    assert_int_equal(fixture_try(&fixture, 1, 1), STATUS_FAILED);
    assert_non_null(strstr(fixture.error.message, "in record"));
    fixture.ranges[1].writable = true;
    fixture.launch.most_instructions = 1000;
    assert_int_equal(fixture_try(&fixture, UINT64_MAX, 0), STATUS_FAILED);
    assert_non_null(strstr(fixture.error.message, "still running after 1000 instructions"));
    fixture.launch.kernel = "other";
    assert_int_equal(fixture_try(&fixture, 1, 1), STATUS_FAILED);
    assert_non_null(strstr(fixture.error.message, "no kernel 'other'"));
    fixture_close(&fixture);
}

/* All that a program of more passes counts, less what one of fewer does, is what its clocks tell. */
static void test_difference(void **state)
{
    (void)state;
    struct fixture few;
    struct fixture many;
    struct fixture timed;
    open_chip(&few, "cached", "gfx701", BLOCKS + 44);
    open_chip(&many, "cached", "gfx701", BLOCKS + 44);
    open_chip(&timed, "cached", "gfx701", BLOCKS + 44);
    few.launch.all = many.launch.all = true;
    fixture_run(&few, 2, 1);
    fixture_run(&many, 5, 1);
    fixture_run(&timed, 3, 3);
    assert_true(timed.result.clocked);
    assert_int_equal(few.result.loads[GPU_MEM] + few.result.loads[GPU_L2], (BLOCKS + 44) / 4 * LOADS * 3);
    wave_result_subtract(&many.result, &few.result);
    assert_memory_equal(many.result.loads, timed.result.loads, sizeof timed.result.loads);
    assert_memory_equal(many.result.channels, timed.result.channels, sizeof timed.result.channels);
    assert_int_equal(many.result.near, timed.result.near);
    assert_int_equal(many.result.bus[BUS_CHANNEL].transfers, timed.result.bus[BUS_CHANNEL].transfers);
    for (size_t i = 0; i < timed.result.wave_count; i++) {
        assert_int_equal(many.result.waves[i].worked, timed.result.waves[i].worked);
        assert_memory_equal(many.result.waves[i].loads, timed.result.waves[i].loads,
                            sizeof timed.result.waves[i].loads);
    }
    fixture_close(&few);
    fixture_close(&many);
    fixture_close(&timed);
}

struct seen {
    uint64_t accesses, timed, on_se0;
    uint64_t lowest, highest;
};

static bool see(const struct lane_access *access, void *context, struct error *error)
{
    struct seen *seen = context;
    (void)error;
    if (access->kind == LANE_STORE && access->addresses[0] >= FIXTURE_RECORD)
        return true; /* which is not counted */
    seen->accesses += access->count;
    seen->timed += access->timed ? access->count : 0;
    seen->on_se0 += access->unit < 11 ? access->count : 0;
    assert_int_equal(access->kind, LANE_LOAD);
    assert_string_equal(access->cache, "l2");
    assert_true(access->pass == (access->timed ? LANE_SOME_PASS : 0));
    for (unsigned i = 0; i < access->count; i++) {
        /* The block and the thread make the address: 4 loads, 1 KiB apart. */
        unsigned thread = access->warp * WAVE_LANES + access->lanes[i];
        uint64_t within = access->addresses[i] - FIXTURE_DATA - (uint64_t)access->block * BLOCK_BYTES;
        assert_int_equal(within % 1024, thread * 4);
        seen->lowest = access->addresses[i] < seen->lowest ? access->addresses[i] : seen->lowest;
        seen->highest = access->addresses[i] > seen->highest ? access->addresses[i] : seen->highest;
    }
    return true;
}

/* A visitor ends the launch at the access that it does not accept. */
static bool refuse(const struct lane_access *access, void *context, struct error *error)
{
    unsigned *left = context;
    if ((*left)-- > 0)
        return true;
    error_set(error, STATUS_FAILED, "access at 0x%llx", (unsigned long long)access->offset);
    return false;
}

static void test_addresses(void **state)
{
    (void)state;
    struct fixture fixture;
    struct seen seen = {.lowest = UINT64_MAX};
    open_chip(&fixture, "read", "gfx701", 8);
    fixture.launch.visit = see;
    fixture.launch.context = &seen;
    fixture_run(&fixture, 2, 1);
    assert_int_equal(seen.accesses, 2 * LOADS * 3);
    assert_int_equal(seen.timed, 2 * LOADS * 2);
    assert_int_equal(seen.on_se0, seen.accesses);
    assert_int_equal(seen.lowest, FIXTURE_DATA + 3 * BLOCK_BYTES); /* blocks 3 and 7 */
    assert_int_equal(seen.highest, FIXTURE_DATA + 8 * BLOCK_BYTES - 4);
    fixture_close(&fixture);
}

static void test_refused(void **state)
{
    (void)state;
    struct fixture fixture;
    unsigned left = 3;
    open_chip(&fixture, "read", "gfx701", 8);
    fixture.launch.visit = refuse;
    fixture.launch.context = &left;
    assert_int_equal(fixture_try(&fixture, 2, 1), STATUS_FAILED);
    assert_memory_equal(fixture.error.message, "access at 0x", 12);
    fixture_close(&fixture);
}

/* Only the chosen work-groups run, where they would in the whole. */
static void test_chosen(void **state)
{
    (void)state;
    static const unsigned char chosen[8] = {0, 0, 0, 1, 1, 0, 0, 0};
    struct fixture whole, part;
    open_chip(&whole, "read", "gfx701", 8);
    fixture_run(&whole, 2, 1);
    open_chip(&part, "read", "gfx701", 8);
    part.launch.chosen = chosen;
    fixture_run(&part, 2, 1);
    unsigned ran = 0;
    for (size_t i = 0; i < part.result.wave_count; i++) {
        const struct wave_report *wave = &part.result.waves[i];
        assert_int_equal(wave->hw_id, whole.result.waves[i].hw_id);
        assert_int_equal(wave->worked, whole.result.waves[i].worked && chosen[wave->block] != 0);
        ran += wave->worked;
    }
    assert_int_equal(ran, part.result.wave_count / 8); /* block 3 is on another shader engine */
    fixture_close(&whole);
    fixture_close(&part);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_placement),   cmocka_unit_test(test_l1),
        cmocka_unit_test(test_memory),      cmocka_unit_test(test_channels),
        cmocka_unit_test(test_toggles),     cmocka_unit_test(test_wrong_generation),
        cmocka_unit_test(test_wrong_field), cmocka_unit_test(test_hw_id),
        cmocka_unit_test(test_bounds),      cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_difference),  cmocka_unit_test(test_refused),
        cmocka_unit_test(test_chosen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
