/* Which repetitions count: those that a majority agrees with, never because of noise alone. */
#include "base/random.h"
#include "runner/power/summary.h"
#include "tests/runner/simulated_meter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 12 };

static void expect(const double *watts, const double *pass_s, size_t count, const char *kept, const char *why)
{
    bool out[MOST];
    char text[KEPT_REPS_TEXT], found[MOST + 1] = "";
    const struct kept_reps_facts facts = {watts, pass_s, NULL, count, 20};
    size_t stay = kept_reps_choose(&facts, out, text), marked = 0;
    for (size_t i = 0; i < count; i++) {
        found[i] = out[i] ? '-' : '+';
        marked += !out[i];
    }
    if (strcmp(found, kept) != 0 || strstr(text, why) == NULL || (why[0] == '\0') != (text[0] == '\0'))
        fail_msg("%s, not %s: '%s'", found, kept, text);
    assert_int_equal(stay, marked);
}

static void test_majorities(void **state)
{
    (void)state;
    expect((double[]){35, 35.1, 34.9, 26, 26.2}, NULL, 5, "+++--",
           "repetitions 4, 5 are left out: 26.1 W instead of the others' 35 W");
    expect((double[]){35, 20, 35.1, 34.9}, NULL, 4, "+-++", "repetition 2 is left out: 20 W");
    expect((double[]){35, 60, 35.1, 20, 34.9}, NULL, 5, "+-+-+", "repetitions 2, 4 are left out");
    /* Two of four, or three of five, are no majority; a single one of three has none against it. */
    expect((double[]){35, 35.1, 26, 26.2}, NULL, 4, "++++", "");
    expect((double[]){35, 35.1, 26, 26.1, 50}, NULL, 5, "+++++", "");
    expect((double[]){35, 35.1, 26}, NULL, 3, "+++", "");
    /* Near enough: a tenth of what is above the idle level. */
    expect((double[]){35, 35.1, 34.9, 33.6, 35}, NULL, 5, "+++++", "");
    expect((double[]){35, 35.1, 34.9, 33.2, 35}, NULL, 5, "+++-+", "repetition 4");
    /* No reading at all is not a deviation. */
    expect((double[]){35, 35.1, NAN, 34.9, 35}, NULL, 5, "+++++", "");
}

static void test_times(void **state)
{
    (void)state;
    expect((double[]){35, 35.1, 34.9, 26, 26.2}, (double[]){1, 1.001, 1, 1.5, 1.51}, 5, "+++--",
           "a pass took 1.5 times as long as in the others");
    expect((double[]){35, 35.1, 34.9, 26, 35}, (double[]){1, 1.001, 1, 1, 1.51}, 5, "+++--",
           "repetition 5 is left out: a pass took 1.51 times as long as in the others; repetition 4 is left "
           "out: "
           "26 W instead of the others' 35 W");
    expect((double[]){35, 35.1, 34.9, 35, 35}, (double[]){1, 1.001, 1, 1.03, 1}, 5, "+++++", "");
}

static void test_resets(void **state)
{
    (void)state;
    bool out[6];
    char text[KEPT_REPS_TEXT];
    const struct kept_reps_facts facts = {.watts = (double[]){NAN, NAN, NAN, NAN, NAN, NAN},
                                          .resets = (const char *[]){"a", "a", "a", "a", "a", NULL},
                                          .count = 6,
                                          .idle_w = NAN};
    assert_int_equal(kept_reps_choose(&facts, out, text), 1);
    assert_string_equal(text, "repetitions 1, 2, 3, 4 and more are left out: a was reset");
    assert_true(out[4] && !out[5]);
}

/* Of noise of a tenth of the power, whatever the number of repetitions. */
static void test_noise(void **state)
{
    (void)state;
    struct random random = random_start(1, "noise");
    int spoilt = 0, points = 0;
    for (size_t count = 3; count <= MOST; count++)
        for (int turn = 0; turn < 200; turn++, points++) {
            double watts[MOST];
            bool out[MOST];
            char text[KEPT_REPS_TEXT];
            for (size_t i = 0; i < count; i++)
                watts[i] = 35 + 1.5 * meter_noise(&random);
            spoilt +=
                kept_reps_choose(&(struct kept_reps_facts){watts, NULL, NULL, count, 20}, out, text) < count;
        }
    if (spoilt * 50 > points)
        fail_msg("%d of %d points lost repetitions", spoilt, points);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_majorities), cmocka_unit_test(test_times),
                                       cmocka_unit_test(test_resets), cmocka_unit_test(test_noise)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
