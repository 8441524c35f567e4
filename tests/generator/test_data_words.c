/* Words that loads read: lists in turn, and what a sequence is asked for. Sequences have tests of their own
 * (test_word_sequence.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "generator/plan/data/plan_data.h"
#include "generator/plan/data/word_tally.h"

static void given_words_come_in_turn(void **state)
{
    (void)state;
    static const uint64_t words[] = {0, UINT64_MAX, 0xff};
    struct random random = random_start(3, "words");
    struct behaviour load = {.kind = BEHAVIOUR_LOAD,
                             .width = 8,
                             .has_data = true,
                             .changes = true,
                             .words = words,
                             .word_count = 3};
    uint64_t values[6];
    struct word_tally tally = {0};
    data_words_fill(&load, NULL, &random, values, 6);
    assert_int_equal(values[4], UINT64_MAX);
    assert_int_equal(values[5], 0xff);
    word_tally_add(&tally, values, 64, 6, NULL, false, 1);
    assert_true(tally.flips[DEALT_IN_PROGRAM_ORDER] == 2 * (64 + 56 + 8));
}

/* Of a width of 4 bytes the upper half stays zero; of half random data, bits 2 and 3 of every four. */
static void words_have_their_own_bits(void **state)
{
    (void)state;
    struct random random = random_start(4, "own");
    struct behaviour load = {
        .kind = BEHAVIOUR_LOAD, .width = 4, .has_data = true, .changes = true, .toggle = 0.25, .zeros = 2};
    uint64_t values[100], some = 0;
    struct word_tally tally = {0};
    data_words_fill(&load, NULL, &random, values, 100);
    for (int i = 0; i < 100; i++)
        some |= values[i];
    word_tally_add(&tally, values, 32, 100, NULL, false, 1);
    assert_int_equal(some, 0x33333333);
    assert_true(tally.flips[DEALT_IN_PROGRAM_ORDER] == 0.25 * 32 * 100);
}

static void program_order_may_alternate(void **state)
{
    (void)state;
    struct random random = random_start(5, "program");
    struct behaviour load = {.kind = BEHAVIOUR_LOAD,
                             .width = 8,
                             .has_data = true,
                             .changes = true,
                             .toggle = 0.9,
                             .program_order = true};
    uint64_t values[40];
    struct word_tally tally = {0};
    data_words_fill(&load, NULL, &random, values, 40);
    word_tally_add(&tally, values, 64, 40, NULL, false, 1);
    assert_true(tally.flips[DEALT_IN_PROGRAM_ORDER] == 0.9 * 64 * 40);
    assert_true(word_tally_rate(&tally, DEALT_TO_TWO) < 0.3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_words_come_in_turn),
        cmocka_unit_test(words_have_their_own_bits),
        cmocka_unit_test(program_order_may_alternate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
