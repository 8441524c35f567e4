/* Words whose toggle rate holds however they are dealt: counted here bit by bit, over counts, widths, shares
 * and orders. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "generator/plan/data/word_sequence.h"
#include "generator/plan/data/word_tally.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool bit_at(const uint64_t *words, unsigned bits, size_t word, unsigned bit)
{
    return words[word * ((bits + 63) / 64) + bit / 64] >> bit % 64 & 1;
}

/* The share of bits that change over words first, first + step, ... in an order, without the return. */
static double dealt(const uint64_t *words, unsigned bits, size_t count, const uint32_t *order, size_t first,
                    size_t step)
{
    double changes = 0, pairs = 0;
    for (size_t i = first; i + step < count; i += step) {
        size_t a = order == NULL ? i : order[i], b = order == NULL ? i + step : order[i + step];
        pairs++;
        for (unsigned bit = 0; bit < bits; bit++)
            changes += bit_at(words, bits, a, bit) != bit_at(words, bits, b, bit);
    }
    return changes / (pairs * bits);
}

static double round_trip(const uint64_t *words, unsigned bits, size_t count)
{
    double changes = 0;
    for (size_t i = 0; i < count; i++)
        for (unsigned bit = 0; bit < bits; bit++)
            changes += bit_at(words, bits, i, bit) != bit_at(words, bits, (i + 1) % count, bit);
    return changes;
}

/* The farthest rate of the other orders. */
static double dealt_rate(const struct word_sequence *request, const uint64_t *words)
{
    struct word_tally tally = {0};
    word_tally_add(&tally, words, request->bits, request->count, NULL, false, 1);
    return word_tally_dealt(&tally, request->toggle);
}

/* Three words, of which the first lies behind the last two: by hand. */
static void a_tally_counts_each_order(void **state)
{
    (void)state;
    static const uint64_t words[] = {0, 0xf, 0xff, 0xf}, addresses[] = {16, 0, 8, 0};
    struct word_tally tally = {0};
    word_tally_add(&tally, words, 64, 4, addresses, false, 2);
    assert_true(tally.words == 8 && tally.bits == 512 && tally.ones == 32);
    assert_true(tally.flips[DEALT_IN_PROGRAM_ORDER] == 2 * (4 + 4 + 4 + 4));
    assert_true(tally.flips[DEALT_TO_TWO] == 2 * (8 + 0 + 8 + 0));
    assert_true(tally.flips[DEALT_TO_THREE] == 2 * (4 + 4 + 4 + 4));
    assert_true(tally.flips[DEALT_TO_FOUR] == 0);
    assert_true(fabs(tally.flips[DEALT_BY_ADDRESS] - 2 * (4 + 8 + 4) / 3.0 * 4) < 1e-9);
    assert_true(word_tally_dealt(&tally, 0.06) == 0);
    struct word_tally stores = {0};
    word_tally_add(&stores, words, 64, 4, addresses, true, 1);
    assert_true(stores.flips[DEALT_BY_ADDRESS] == 0 + 4 + 8 + 4);
}

static void program_order_is_exact(void **state)
{
    (void)state;
    struct random random = random_start(1, "exact");
    static const unsigned widths[] = {1, 32, 64, 128, 512};
    for (int round_number = 0; round_number < 200; round_number++) {
        unsigned bits = widths[random_below(&random, 5)];
        size_t count = 1 + random_below(&random, bits > 64 ? 40 : 150);
        struct word_sequence request = {.bits = bits, .count = count};
        request.toggle = random_below(&random, 1001) / 1000.0;
        request.program_order = request.toggle > 0.5 || random_below(&random, 2) == 0;
        uint64_t *words = calloc(count * word_sequence_room(bits), sizeof *words);
        word_sequence_make(&request, &random, words);
        double wanted = 2 * round(request.toggle * bits * (double)count / 2);
        wanted = fmin(wanted, (double)(count - count % 2) * bits);
        double changes = round_trip(words, bits, count);
        if (changes != wanted)
            fail_msg("%zu words of %u bits change %g times, wanted %g", count, bits, changes, wanted);
        struct word_tally tally = {0};
        word_tally_add(&tally, words, bits, count, NULL, false, 1);
        assert_true(fabs(word_tally_rate(&tally, DEALT_IN_PROGRAM_ORDER) - changes / ((double)count * bits)) <
                    1e-12);
        free(words);
    }
}

static void every_port_sees_the_rate(void **state)
{
    (void)state;
    struct random random = random_start(2, "ports");
    for (int round_number = 0; round_number < 100; round_number++) {
        unsigned bits = 64u << random_below(&random, 4);
        size_t count = 20 + random_below(&random, 100);
        struct word_sequence request = {.bits = bits, .count = count};
        request.toggle = random_below(&random, 501) / 1000.0;
        uint32_t *order = calloc(count, sizeof *order);
        for (size_t i = 0; i < count; i++)
            order[i] = (uint32_t)i;
        random_shuffle_numbers(&random, order, count);
        uint32_t *after = calloc(count, sizeof *after);
        word_sequence_ring(order, count, after);
        struct word_order orders[] = {{after}};
        request.orders = orders;
        request.order_count = 1;
        uint64_t *words = calloc(count * word_sequence_room(bits), sizeof *words);
        word_sequence_make(&request, &random, words);
        for (size_t ports = 1; ports <= 4; ports++)
            for (size_t port = 0; port < ports; port++) {
                double rate = dealt(words, bits, count, NULL, port, ports);
                if (fabs(rate - request.toggle) > 0.02)
                    fail_msg("%zu words of %u bits: port %zu of %zu sees %g, wanted %g", count, bits, port,
                             ports, rate, request.toggle);
            }
        double rate = dealt(words, bits, count, order, 0, 1);
        if (fabs(rate - request.toggle) > 0.02)
            fail_msg("%zu words of %u bits: %g in the other order, wanted %g", count, bits, rate,
                     request.toggle);
        assert_true(fabs(dealt_rate(&request, words) - request.toggle) <= 0.012);
        double ones = 0;
        for (size_t i = 0; i < count; i++)
            for (unsigned bit = 0; bit < bits; bit++)
                ones += bit_at(words, bits, i, bit);
        assert_true(fabs(ones / ((double)count * bits) - 0.5) < 0.02);
        free(words);
        free(after);
        free(order);
    }
}

/* As few as there can be: each word differs from each other in nearly the same number of bits. */
static void few_words_are_equidistant(void **state)
{
    (void)state;
    struct random random = random_start(3, "few");
    for (size_t count = WORD_SEQUENCE_LEAST; count < 20; count++)
        for (int share = 0; share <= 20; share++) {
            struct word_sequence request = {.bits = 64, .count = count, .toggle = share / 40.0};
            uint64_t words[20];
            word_sequence_make(&request, &random, words);
            double rate = dealt_rate(&request, words);
            if (fabs(rate - request.toggle) > 0.02)
                fail_msg("%zu words: %g, wanted %g", count, rate, request.toggle);
        }
}

/* Two registers in turn: one bit. */
static void one_wire_has_half_at_every_distance(void **state)
{
    (void)state;
    struct random random = random_start(4, "turns");
    for (size_t count = 12; count < 200; count += 7) {
        struct word_sequence request = {.bits = 1, .count = count, .toggle = 0.5};
        uint64_t words[200];
        word_sequence_make(&request, &random, words);
        double rate = dealt_rate(&request, words);
        if (fabs(rate - 0.5) > fmax(0.02, 2.001 / (double)count))
            fail_msg("%zu turns: %g", count, rate);
    }
}

static void zero_groups_never_toggle(void **state)
{
    (void)state;
    struct random random = random_start(5, "own");
    static const uint64_t own[2] = {UINT64_C(0xff00ff00ff00ff00), UINT64_C(0xff00ff00ff00ff00)};
    struct word_sequence request = {.bits = 128, .count = 40, .toggle = 0.25, .own = own};
    uint64_t words[80], some = 0;
    word_sequence_make(&request, &random, words);
    for (size_t i = 0; i < 80; i++)
        some |= words[i];
    assert_true(some == own[0]);
    assert_true(round_trip(words, 128, 40) == 0.25 * 128 * 40);
    assert_true(fabs(dealt_rate(&request, words) - 0.25) <= 0.01);
}

static void every_wire_toggles(void **state)
{
    (void)state;
    struct random random = random_start(6, "wires");
    struct word_sequence request = {.bits = 64, .count = 100, .toggle = 0.25};
    uint64_t words[100], seen = 0;
    word_sequence_make(&request, &random, words);
    for (size_t i = 1; i < 100; i++)
        seen |= words[i] ^ words[0];
    assert_true(seen == UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tally_counts_each_order),
        cmocka_unit_test(program_order_is_exact),
        cmocka_unit_test(every_port_sees_the_rate),
        cmocka_unit_test(few_words_are_equidistant),
        cmocka_unit_test(one_wire_has_half_at_every_distance),
        cmocka_unit_test(zero_groups_never_toggle),
        cmocka_unit_test(every_wire_toggles),
    };
    return cmocka_run_group_tests_name("generator/word_sequence", tests, NULL, NULL);
}
