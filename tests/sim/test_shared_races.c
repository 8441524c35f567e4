/* Races in shared memory: what barriers order and what they do not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "sim/shared_races.h"

enum { BYTES = 256, GROUP = 32 };

static struct shared_races *races;

static int set_up(void **state)
{
    (void)state;
    races = shared_races_new(BYTES, GROUP);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    shared_races_free(races);
    return 0;
}

static bool writes(unsigned thread, uint64_t address)
{
    return shared_races_note(races, thread, LANE_STORE, false, address, 4);
}

static bool reads(unsigned thread, uint64_t address)
{
    return shared_races_note(races, thread, LANE_LOAD, false, address, 4);
}

static bool changes(unsigned thread, uint64_t address)
{
    return shared_races_note(races, thread, LANE_ATOMIC, false, address, 4);
}

static void a_write_is_read_by_its_thread_alone_until_all_have_met(void **state)
{
    (void)state;
    assert_true(writes(3, 16));
    assert_true(reads(3, 16));
    assert_true(reads(4, 20)); /* another word */
    assert_false(reads(4, 16));
    shared_races_barrier(races);
    assert_true(reads(4, 16));
    assert_true(reads(1023, 16));
}

static void what_others_read_is_not_overwritten_before_they_meet(void **state)
{
    (void)state;
    assert_true(reads(1, 0));
    assert_true(writes(1, 0)); /* its own */
    shared_races_barrier(races);
    assert_true(reads(1, 0) && reads(2, 0) && reads(1, 0));
    assert_false(writes(1, 0)); /* another has read it too */
    assert_false(writes(2, 0));
    shared_races_barrier(races);
    assert_true(writes(2, 0));
    assert_false(writes(3, 0));
}

static void wide_accesses_are_of_all_their_words(void **state)
{
    (void)state;
    assert_true(shared_races_note(races, 0, LANE_STORE, false, 32, 16));
    assert_false(reads(1, 44));
    assert_true(reads(1, 48));
    assert_true(shared_races_note(races, 5, LANE_STORE, false, BYTES - 16, 16)); /* the last ones */
}

static void a_group_orders_its_own_threads(void **state)
{
    (void)state;
    assert_true(writes(33, 8));
    shared_races_group_barrier(races, 0);
    assert_false(reads(34, 8));
    shared_races_group_barrier(races, 1);
    assert_true(reads(34, 8));
    assert_false(reads(0, 8)); /* of another group */
    shared_races_barrier(races);
    assert_true(reads(0, 8));
}

static void atomics_race_with_others_alone(void **state)
{
    (void)state;
    assert_true(changes(0, 4) && changes(1, 4) && changes(70, 4));
    assert_false(reads(1, 4));
    shared_races_barrier(races);
    assert_true(reads(1, 4));
    assert_false(changes(2, 4));
}

/* Rows race where their threads' accesses one by one do. */
static void rows_are_what_their_accesses_are(void **state)
{
    (void)state;
    struct random random = random_start(11, "rows");
    unsigned raced = 0, repeated = 0;
    for (unsigned run = 0; run < 400; run++) {
        struct shared_races *alone = shared_races_new(2 * BYTES, GROUP);
        struct shared_races *rows = shared_races_new(2 * BYTES, GROUP);
        bool good = true;
        for (unsigned step = 0; step < 60 && good; step++) {
            unsigned what = random_below(&random, 60), first = 4 * random_below(&random, 3);
            enum lane_kind kind = what < 54 ? LANE_LOAD : what < 59 ? LANE_STORE : LANE_ATOMIC;
            uint64_t address = 16 * first + (random_below(&random, 60) == 0 ? 64 : 0);
            unsigned bytes = 4U << random_below(&random, 8) / 6 << random_below(&random, 8) / 6;
            int64_t stride = random_below(&random, 8) == 0 ? 0 : bytes;
            if (random_below(&random, 4) == 0) {
                shared_races_barrier(alone);
                shared_races_barrier(rows);
            } else if (random_below(&random, 10) == 0) {
                shared_races_group_barrier(alone, 0);
                shared_races_group_barrier(rows, 0);
            }
            unsigned in_order = 0;
            while (in_order < 4 && shared_races_note(alone, first + in_order, kind, false,
                                                     address + (uint64_t)stride * in_order, bytes))
                in_order++;
            assert_int_equal(shared_races_note_even(rows, first, 4, kind, address, stride, bytes), in_order);
            good = in_order == 4;
            repeated += good;
        }
        raced += !good;
        shared_races_free(alone);
        shared_races_free(rows);
    }
    assert_true(raced > 100 && raced < 400 && repeated > 4000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_write_is_read_by_its_thread_alone_until_all_have_met, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(what_others_read_is_not_overwritten_before_they_meet, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(wide_accesses_are_of_all_their_words, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_group_orders_its_own_threads, set_up, tear_down),
        cmocka_unit_test_setup_teardown(atomics_race_with_others_alone, set_up, tear_down),
        cmocka_unit_test(rows_are_what_their_accesses_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
