/* Random numbers and statistics: the same on every host, with the stated distributions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "base/stats.h"

#include <string.h>

enum { DRAWS = 60000, SIDES = 6 };

static void a_seed_gives_the_same_numbers(void **state)
{
    (void)state;
    struct random a = random_start(1, "dcache/hit=0.5");
    struct random b = random_start(1, "dcache/hit=0.5");
    for (int i = 0; i < 1000; i++)
        assert_int_equal(random_next(&a), random_next(&b));
}

/* These numbers are in every suite that was ever generated: they may not change. */
static void the_numbers_are_these(void **state)
{
    (void)state;
    struct random random = random_start(1, "label");
    uint32_t found[4];
    for (int i = 0; i < 4; i++)
        found[i] = random_next(&random);
    const uint32_t wanted[4] = {0x95ec7884, 0xb2964f5a, 0x7f24cdf2, 0xb1e40d95};
    assert_memory_equal(found, wanted, sizeof wanted);
}

static unsigned equal_draws(struct random a, struct random b)
{
    unsigned equal = 0;
    for (int i = 0; i < 1000; i++)
        equal += random_next(&a) == random_next(&b);
    return equal;
}

static void seeds_and_labels_are_apart(void **state)
{
    (void)state;
    assert_true(equal_draws(random_start(1, "a"), random_start(2, "a")) < 5);
    assert_true(equal_draws(random_start(1, "a"), random_start(1, "b")) < 5);
    assert_true(equal_draws(random_start(1, ""), random_start(1, "a")) < 5);
}

static void draws_are_even(void **state)
{
    (void)state;
    struct random random = random_start(1, "dice");
    unsigned counts[SIDES] = {0};
    for (int i = 0; i < DRAWS; i++) {
        uint32_t side = random_below(&random, SIDES);
        assert_true(side < SIDES);
        counts[side]++;
    }
    for (int i = 0; i < SIDES; i++) /* five standard deviations */
        assert_in_range(counts[i], DRAWS / SIDES - 460, DRAWS / SIDES + 460);
    assert_int_equal(random_below(&random, 1), 0);
}

static void a_shuffle_keeps_what_it_moves(void **state)
{
    (void)state;
    struct random random = random_start(1, "cards");
    unsigned char items[256];
    unsigned char seen[256] = {0};
    unsigned moved = 0;
    for (int i = 0; i < 256; i++)
        items[i] = (unsigned char)i;
    random_shuffle(&random, items, sizeof items);
    for (int i = 0; i < 256; i++) {
        moved += items[i] != i;
        assert_int_equal(seen[items[i]]++, 0);
    }
    assert_true(moved > 200);
    random_shuffle(&random, items, 0);
    random_shuffle(&random, items, 1);
}

static void medians(void **state)
{
    (void)state;
    const double samples[] = {9, 1, 5, 3};
    assert_true(stats_median(samples, 4) == 4);
    assert_true(stats_median(samples, 3) == 5);
    assert_true(stats_median(samples, 1) == 9);
    assert_true(stats_median(samples, 0) == 0);
    assert_true(samples[0] == 9 && samples[3] == 3);
}

static void a_bootstrap_interval_holds_its_median(void **state)
{
    (void)state;
    struct random random = random_start(1, "samples");
    double samples[50];
    for (int i = 0; i < 50; i++)
        samples[i] = 100 + random_below(&random, 1000) / 1000.0;
    struct interval interval = stats_bootstrap(samples, 50);
    assert_true(interval.low <= interval.value && interval.value <= interval.high);
    assert_true(interval.low > 100.2 && interval.high < 100.8 && interval.low < interval.high);
    assert_int_equal(interval.n, 50);
    struct interval again = stats_bootstrap(samples, 50);
    assert_true(interval.low == again.low && interval.high == again.high);
    struct interval one = stats_bootstrap(samples, 1);
    assert_true(one.low == samples[0] && one.high == samples[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_seed_gives_the_same_numbers),
        cmocka_unit_test(the_numbers_are_these),
        cmocka_unit_test(seeds_and_labels_are_apart),
        cmocka_unit_test(draws_are_even),
        cmocka_unit_test(a_shuffle_keeps_what_it_moves),
        cmocka_unit_test(medians),
        cmocka_unit_test(a_bootstrap_interval_holds_its_median),
    };
    return cmocka_run_group_tests_name("base/random", tests, NULL, NULL);
}
