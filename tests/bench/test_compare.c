/* Comparisons of sides with known rates: the direction of a failure, and when the result is untold. */
#include "base/json.h"
#include "bench/bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { ROUNDS = 9 };

/* A side whose rates are given; the last ones again and again. */
struct played {
    const double *rates;
    unsigned count, next;
    unsigned calls;
};

static enum status play(void *context, double *rate, struct error *error)
{
    (void)error;
    struct played *played = context;
    *rate = played->rates[played->next];
    played->next = (played->next + 1) % played->count;
    played->calls++;
    return STATUS_OK;
}

/* What the bench writes, and what a test read in it last. */
static struct buffer written;
static json_t *seen;

static struct bench start(void)
{
    struct bench bench = {.json = true, .rounds = ROUNDS, .results.buffer = &written};
    json_text_open(&bench.results, NULL, '[');
    return bench;
}

static const char *last_text(const struct bench *bench, const char *key)
{
    struct error error;
    struct buffer whole = {0};
    buffer_append(&whole, written.data, written.size);
    buffer_text(&whole, "]");
    json_decref(seen);
    seen = json_parse(whole.data, whole.size, "rows", &error);
    buffer_free(&whole);
    assert_int_equal(json_array_size(seen), bench->result_count);
    return json_string_value(json_object_get(json_array_get(seen, bench->result_count - 1), key));
}

static int end(void **state)
{
    (void)state;
    json_decref(seen);
    seen = NULL;
    buffer_free(&written);
    return 0;
}

/* Compares times of 10 ns each with those that the rates give. */
static enum bench_verdict compare(struct bench *bench, struct played *ours)
{
    static const double ten_ns[] = {1e8};
    struct played theirs = {.rates = ten_ns, .count = 1};
    struct bench_ratio ratio;
    const struct bench_pair pair = {.part = "kernels",
                                    .name = "latency L3",
                                    .unit = "load",
                                    .ours = {"trauma", play, ours},
                                    .theirs = {"a plain chase", play, &theirs},
                                    .least = 0.85,
                                    .most = 1.15,
                                    .times = true,
                                    .below = "too near",
                                    .above = "too far"};
    assert_int_equal(bench_compare(bench, &pair, &ratio, NULL), STATUS_OK);
    return ratio.verdict;
}

static void test_a_latency_has_two_sides(void **state)
{
    (void)state;
    static const double same[] = {1e8, 1.02e8, 0.98e8};
    static const double twice_as_fast[] = {2e8, 2.1e8, 1.9e8};
    static const double half_as_fast[] = {0.5e8, 0.52e8, 0.48e8};
    struct bench bench = start();
    struct played fine = {.rates = same, .count = 3};
    struct played near = {.rates = twice_as_fast, .count = 3};
    struct played far = {.rates = half_as_fast, .count = 3};
    assert_int_equal(compare(&bench, &fine), BENCH_HOLDS);
    assert_string_equal(last_text(&bench, "verdict"), "holds");
    assert_int_equal(bench.failed, 0);
    assert_int_equal(compare(&bench, &near), BENCH_BELOW);
    assert_string_equal(last_text(&bench, "verdict"), "FAILS");
    assert_string_equal(last_text(&bench, "advice"), "too near");
    assert_int_equal(compare(&bench, &far), BENCH_ABOVE);
    assert_string_equal(last_text(&bench, "advice"), "too far");
    assert_int_equal(bench.failed, 2);
    assert_int_equal(bench.undecided, 0);
}

static void test_noise_is_no_verdict(void **state)
{
    (void)state;
    static const double noise[] = {2e8, 0.5e8, 1e8, 3e8, 0.3e8, 1.1e8, 0.9e8};
    struct bench bench = start();
    struct played ours = {.rates = noise, .count = 7};
    assert_int_equal(compare(&bench, &ours), BENCH_UNDECIDED);
    assert_int_equal(bench.failed, 0);
    assert_int_equal(bench.undecided, 1);
    assert_string_equal(last_text(&bench, "verdict"), "untold");
    /* It was tried again: each try has all rounds and one beforehand. */
    assert_int_equal(ours.calls, 3 * (ROUNDS + 1));
}

static void test_a_noisy_try_is_followed_by_another(void **state)
{
    (void)state;
    static const double settles[] = {2e8, 0.5e8, 1e8, 3e8, 0.3e8, 1.1e8, 0.9e8, 2e8, 0.4e8, 1e8,
                                     1e8, 1e8,   1e8, 1e8, 1e8,   1e8,   1e8,   1e8, 1e8,   1e8};
    struct bench bench = start();
    struct played ours = {.rates = settles, .count = 20};
    assert_int_equal(compare(&bench, &ours), BENCH_HOLDS);
    assert_int_equal(ours.calls, 2 * (ROUNDS + 1));
    assert_int_equal(bench.undecided, 0);
}

static void test_intervals_are_judged_by_limits(void **state)
{
    (void)state;
    static const struct {
        struct interval ratio;
        double least, most;
        enum bench_verdict verdict;
    } rows[] = {
        {{1.0, 0.97, 1.04, 9}, 0.85, 1.15, BENCH_HOLDS},
        {{1.0, 0.80, 1.30, 9}, 0.85, 1.15, BENCH_UNDECIDED}, /* reaches over both */
        {{1.1, 1.00, 1.18, 9}, 0.85, 1.15, BENCH_HOLDS},     /* narrow, and most of it within */
        {{1.2, 1.10, 1.25, 9}, 0.85, 1.15, BENCH_UNDECIDED}, /* narrow, and most of it outside */
        {{1.2, 1.16, 1.25, 9}, 0.85, 1.15, BENCH_ABOVE},
        {{0.5, 0.48, 0.53, 9}, 0.85, 1.15, BENCH_BELOW},
        {{150, 120, 190, 9}, 100, 0, BENCH_HOLDS}, /* however wide */
        {{40, 20, 90, 9}, 100, 0, BENCH_BELOW},
        {{99, 95, 104, 9}, 100, 0, BENCH_UNDECIDED},
        {{3, 1, 9, 9}, 0, 0, BENCH_HOLDS}, /* nothing is wanted of it */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct bench_pair pair = {.least = rows[i].least, .most = rows[i].most};
        assert_int_equal(bench_judge(&pair, &rows[i].ratio), rows[i].verdict);
    }
}

static void test_numbers_fail_on_their_side(void **state)
{
    (void)state;
    struct bench bench = start();
    struct bench_number number = {.part = "kernels",
                                  .name = "body",
                                  .value = 0.9,
                                  .unit = "",
                                  .limit = 0.99,
                                  .at_least = true,
                                  .advice = "fill"};
    bench_value(&bench, &number);
    assert_int_equal(bench.failed, 1);
    assert_string_equal(last_text(&bench, "advice"), "fill");
    number.at_least = false;
    bench_value(&bench, &number);
    assert_int_equal(bench.failed, 1);
    assert_string_equal(last_text(&bench, "verdict"), "holds");
    bench_undecided(&bench, "kernels", "latency L3", "busy");
    assert_int_equal(bench.undecided, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_a_latency_has_two_sides, end),
        cmocka_unit_test_teardown(test_noise_is_no_verdict, end),
        cmocka_unit_test_teardown(test_a_noisy_try_is_followed_by_another, end),
        cmocka_unit_test_teardown(test_intervals_are_judged_by_limits, end),
        cmocka_unit_test_teardown(test_numbers_fail_on_their_side, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
