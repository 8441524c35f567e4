#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/demand_memory.h"

enum { GRAINS = 200, BYTES = GRAINS * DEMAND_GRAIN };

static unsigned filled; /* bytes */
static struct demand_memory memory;

static unsigned char byte_of(uint64_t at)
{
    return (unsigned char)(at / DEMAND_GRAIN * 7 + at % DEMAND_GRAIN);
}

static void fill(const void *context, uint64_t from, size_t size, unsigned char *bytes)
{
    (void)context;
    for (size_t i = 0; i < size; i++)
        bytes[i] = byte_of(from + i);
    filled += (unsigned)size;
}

static int set_up(void **state)
{
    struct error error;
    (void)state;
    filled = 0;
    return demand_memory_open(BYTES, fill, NULL, &memory, &error) == STATUS_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    demand_memory_free(&memory);
    return 0;
}

static void what_is_read_once_is_shown_and_not_kept(void **state)
{
    unsigned char grains[3 * DEMAND_GRAIN];
    (void)state;
    assert_true(demand_memory_show(&memory, 5 * DEMAND_GRAIN + 100, 2 * DEMAND_GRAIN, grains));
    for (unsigned i = 0; i < sizeof grains; i++)
        assert_int_equal(grains[i], byte_of(5 * DEMAND_GRAIN + i));
    assert_int_equal(memory.bytes[6 * DEMAND_GRAIN + 1], 0);
    assert_int_equal(filled, sizeof grains);
}

static void what_is_read_again_is_made(void **state)
{
    unsigned char grains[2 * DEMAND_GRAIN] = {0};
    (void)state;
    assert_true(demand_memory_show(&memory, 70 * DEMAND_GRAIN, 1, grains));
    assert_false(demand_memory_show(&memory, 70 * DEMAND_GRAIN + 8, 8, grains));
    assert_false(demand_memory_show(&memory, 69 * DEMAND_GRAIN + 120, 16, grains));
    demand_memory_need(&memory, 70 * DEMAND_GRAIN + 8, 8);
    assert_int_equal(memory.bytes[70 * DEMAND_GRAIN + 8], byte_of(70 * DEMAND_GRAIN + 8));
    assert_true(demand_memory_show(&memory, 69 * DEMAND_GRAIN, 8, grains));
}

/* What a store has changed is not shown as it was. */
static void what_was_made_is_not_shown(void **state)
{
    unsigned char grains[2 * DEMAND_GRAIN];
    (void)state;
    demand_memory_need(&memory, 3 * DEMAND_GRAIN, 4);
    memory.bytes[3 * DEMAND_GRAIN] = 99;
    assert_false(demand_memory_show(&memory, 3 * DEMAND_GRAIN, 4, grains));
    assert_false(demand_memory_show(&memory, 4 * DEMAND_GRAIN - 4, 8, grains));
    demand_memory_need(&memory, 3 * DEMAND_GRAIN, 4);
    assert_int_equal(memory.bytes[3 * DEMAND_GRAIN], 99);
}

static void zeros_are_there_already(void **state)
{
    struct demand_memory zeros;
    struct error error;
    unsigned char grains[DEMAND_GRAIN];
    (void)state;
    assert_int_equal(demand_memory_open(BYTES, NULL, NULL, &zeros, &error), STATUS_OK);
    assert_false(demand_memory_show(&zeros, 0, 4, grains));
    demand_memory_free(&zeros);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_read_once_is_shown_and_not_kept, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_read_again_is_made, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_was_made_is_not_shown, set_up, tear_down),
        cmocka_unit_test(zeros_are_there_already),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
