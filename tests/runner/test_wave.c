/* The wave executor on compiled OpenCL C: placement, service, channels, toggles, and what it must refuse. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/wave_fixture.h"

enum { BLOCKS = 176, THREADS = 256, BLOCK_BYTES = 4096, LOADS = 4 * THREADS };

/* The golden objects, by the bits that their shader engine has. */
static const struct chip {
    const char *name;
    unsigned word; /* of s_getreg_b32, cu, sh, se, into s0 */
} chips[] = {
    {"gfx600", 0xb9003204}, {"gfx701", 0xb9003204}, {"gfx803", 0xb8803204},
    {"gfx906", 0xb8803204}, {"gfx90a", 0xb8803a04},
};
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

static void check_record(const struct fixture *fixture, uint64_t passes)
{
    for (unsigned block = 0; block < fixture->launch.blocks; block++) {
        const uint64_t *mine = fixture->record + (size_t)block * 8;
        const struct wave_report *wave = &fixture->result.waves[block * 4];
        bool worked = wave->place.se == 0;
        assert_int_equal(wave->worked, worked);
        assert_int_equal(mine[4] >> 32, worked);
        assert_int_equal((uint32_t)mine[4], wave->hw_id);
        assert_int_equal((uint32_t)mine[4] >> 8 & 0xf, wave->place.cu);
        assert_int_equal((uint32_t)mine[4] >> 13 & 3, wave->place.se);
        assert_int_equal(mine[5], worked ? sum_of(block, passes) : 0);
        assert_true(worked ? mine[1] > mine[0] : mine[0] == 0 && mine[1] == 0);
    }
}

static void test_placement(void **state)
{
    (void)state;
    for (size_t i = 0; i < CHIPS; i++) {
        struct fixture fixture;
        open_chip(&fixture, "read", chips[i].name, BLOCKS);
        fixture_run(&fixture, 3, 2);
        check_record(&fixture, 5);
        /* A quarter of the work-groups are on SE 0, and they alone read, past L1, from a warm L2. */
        assert_int_equal(fixture.result.loads[WAVE_L1], 0);
        assert_int_equal(fixture.result.loads[WAVE_MEM], 0);
        assert_int_equal(fixture.result.loads[WAVE_L2], BLOCKS / 4 * LOADS * 3);
        assert_int_equal(fixture.result.lines[WAVE_L2], BLOCKS / 4 * LOADS * 3 / 16);
        assert_int_equal(fixture.result.se_accesses[0], fixture.result.loads[WAVE_L2]);
        for (unsigned se = 1; se < 4; se++)
            assert_int_equal(fixture.result.se_accesses[se], 0);
        for (unsigned unit = 0; unit < 44; unit++)
            assert_int_equal(fixture.result.unit_accesses[unit], unit < 11 ? 4 * LOADS * 3 : 0);
        fixture_close(&fixture);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_placement),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
