/* Times of turns from short rounds of which others disturb some. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "runner/sources/timing/timing_shared.h"

#include <math.h>

static const double TURN = 50;
enum { ROUNDS = 60 };

/* Of each hundred rounds so many are interrupted, for up to a hundred times as long as they take. */
static struct interval value_of(unsigned interrupted, uint64_t seed, bool *agree)
{
    double rounds[ROUNDS];
    struct random random = random_start(seed, "turns");
    for (size_t i = 0; i < ROUNDS; i++) {
        double noise = 1 + random_below(&random, 1000) / 25e3;
        bool hit = random_below(&random, 100) < interrupted;
        rounds[i] = TURN * noise * (hit ? 1.2 + random_below(&random, 100000) / 1e3 : 1);
    }
    return short_turns_value(rounds, ROUNDS, agree);
}

static void half_of_the_rounds_may_be_interrupted(void **state)
{
    (void)state;
    static const unsigned shares[] = {0, 20, 50};
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        for (uint64_t seed = 0; seed < 20; seed++) {
            bool agree;
            struct interval value = value_of(shares[i], seed, &agree);
            assert_true(agree);
            assert_true(value.value >= TURN && value.value < 1.05 * TURN);
            assert_true(value.low <= value.value && value.value <= value.high);
        }
}

/* However few rounds are left, what is wrong is in doubt. */
static void what_is_disturbed_throughout_is_in_doubt(void **state)
{
    (void)state;
    for (unsigned share = 60; share <= 100; share += 5)
        for (uint64_t seed = 0; seed < 20; seed++) {
            bool agree;
            struct interval value = value_of(share, seed, &agree);
            if (agree)
                assert_true(value.value < 1.1 * 1.04 * TURN || share == 100);
            else
                assert_true(isnan(value.low) && isnan(value.high));
        }
    bool agree;
    (void)value_of(97, 1, &agree);
    assert_false(agree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(half_of_the_rounds_may_be_interrupted),
        cmocka_unit_test(what_is_disturbed_throughout_is_in_doubt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
