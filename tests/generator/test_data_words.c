/* Words that change from access to access: their toggle rate over counts, widths and shares, including the
 * wrap. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "generator/plan/data/data_words.h"

#include <math.h>

enum { MOST = 700 };

/* Counted here, bit by bit. */
static unsigned long count_toggles(const uint64_t *values, size_t count)
{
    unsigned long toggles = 0;
    for (size_t i = 0; i < count; i++)
        for (unsigned bit = 0; bit < 64; bit++)
            toggles += ((values[i] >> bit) & 1) != ((values[(i + 1) % count] >> bit) & 1);
    return toggles;
}

static void toggles_are_exact(void **state)
{
    (void)state;
    struct random random = random_start(1, "toggles");
    for (int i = 0; i < 3000; i++) {
        uint64_t values[MOST];
        size_t count = 2 + random_below(&random, MOST - 2);
        double share = random_below(&random, 1001) / 1000.0;
        struct behaviour load = {
            .kind = BEHAVIOUR_LOAD, .width = random_below(&random, 2) == 0 ? 4 : 8, .toggle = share};
        unsigned bits = 8 * load.width;
        data_words_fill(&load, &random, values, count);
        double wanted = share * bits * (double)count;
        double most = (double)(count - count % 2) * bits; /* with an odd count one step cannot flip */
        unsigned long toggles = count_toggles(values, count);
        assert_true(fabs((double)toggles - fmin(wanted, most)) <= 1.0 + 1e-6);
        assert_true(fabs(data_words_toggle_rate(values, NULL, count, bits) -
                         toggles / ((double)count * bits)) < 1e-12);
        for (size_t j = 0; bits == 32 && j < count; j++)
            assert_int_equal(values[j] >> 32, 0);
    }
}

static void ones_are_balanced(void **state)
{
    (void)state;
    struct random random = random_start(2, "ones");
    struct behaviour load = {.kind = BEHAVIOUR_LOAD, .width = 8, .toggle = 0.5};
    uint64_t values[400];
    data_words_fill(&load, &random, values, 400);
    assert_true(fabs(data_words_ones_rate(values, NULL, 400, 64) - 0.5) < 0.05);
}

static void given_words_come_in_turn(void **state)
{
    (void)state;
    static const uint64_t words[] = {0, UINT64_MAX, 0xff};
    struct random random = random_start(3, "words");
    struct behaviour load = {.kind = BEHAVIOUR_LOAD, .width = 8, .words = words, .word_count = 3};
    uint64_t values[6];
    data_words_fill(&load, &random, values, 6);
    assert_int_equal(values[4], UINT64_MAX);
    assert_int_equal(values[5], 0xff);
    assert_true(fabs(data_words_toggle_rate(values, NULL, 6, 64) - (64 + 56 + 8) / 192.0) < 1e-12);
}

/* A bus of 128 bits that carries the first word twice and the second once, with zeros beside it. */
static void a_narrower_word_has_zeros_beside_it(void **state)
{
    (void)state;
    static const uint64_t values[] = {0xff, 0x0f};
    static const unsigned lanes[] = {2, 1};
    assert_true(fabs(data_words_ones_rate(values, lanes, 2, 128) - 20 / 256.0) < 1e-12);
    assert_true(fabs(data_words_toggle_rate(values, lanes, 2, 128) - 2 * (4 + 8) / 256.0) < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(toggles_are_exact),
        cmocka_unit_test(ones_are_balanced),
        cmocka_unit_test(given_words_come_in_turn),
        cmocka_unit_test(a_narrower_word_has_zeros_beside_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
