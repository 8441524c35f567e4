/* Whether power supports a conclusion: each reason on its own, and thousands of cases of synthetic noise. */
#include "base/random.h"
#include "runner/power/energy.h"
#include "runner/power/measurement_quality.h"
#include "runner/power/quality_facts.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { REPS = 5, IDLE = 20, BEFORE = 10, READINGS = 200 };

/* A measurement that nothing speaks against, to be spoilt. */
struct measured {
    double watts[REPS], seconds[REPS], idle_w[IDLE], readings[READINGS];
    struct power_quality_case of;
};

static double noise(struct random *random)
{
    double sum = -6; /* of twelve uniform ones: normal enough, and bounded */
    for (int i = 0; i < 12; i++)
        sum += random_below(random, 1u << 24) / (double)(1u << 24);
    return sum;
}

static void find_dynamic(struct measured *made)
{
    const struct energy_samples samples = {.watts = made->watts,
                                           .seconds = made->seconds,
                                           .count = made->of.count,
                                           .idle_w = made->idle_w,
                                           .idle_count = made->of.idle_count,
                                           .idle_before = made->of.idle_before};
    struct power_parts parts;
    bool idle;
    assert_true(energy_parts(&samples, &parts, &idle));
    made->of.dynamic_w = parts.dynamic_w;
}

/* static 20 W, with so much noise on each sample. */
static void make(struct measured *made, double dynamic_w, double sigma, struct random *random)
{
    for (size_t i = 0; i < REPS; i++) {
        made->watts[i] = 20 + dynamic_w + sigma * noise(random);
        made->seconds[i] = 1;
    }
    for (size_t i = 0; i < IDLE; i++)
        made->idle_w[i] = 20 + sigma * noise(random);
    made->of = (struct power_quality_case){.watts = made->watts,
                                           .count = REPS,
                                           .idle_w = made->idle_w,
                                           .idle_count = IDLE,
                                           .idle_before = BEFORE,
                                           .seconds = 1,
                                           .update_s = 0.001,
                                           .step_j = 0.0001,
                                           .step_w = NAN,
                                           .first_c = NAN,
                                           .last_c = NAN};
    find_dynamic(made);
}

static struct measured make_good(void)
{
    struct random random = random_start(1, "good");
    struct measured made;
    make(&made, 10, 0.05, &random);
    made.of.watts = NULL;
    return made;
}

/* The pointers are the copy's own. */
static void expect(struct measured *made, bool trustworthy, const char *why)
{
    made->of.watts = made->watts;
    made->of.idle_w = made->idle_w;
    made->of.readings = made->readings;
    const struct power_quality_verdict verdict = power_quality(&made->of);
    if (verdict.trustworthy != trustworthy || strstr(verdict.reason, why) == NULL)
        fail_msg("'%s' is not in '%s'", why, verdict.reason);
}

static void test_good(void **state)
{
    (void)state;
    struct measured made = make_good();
    expect(&made, true, "5 repetitions agree on");
    made.of.first_c = 60;
    made.of.last_c = 63;
    expect(&made, true, "");
}

static void test_what_is_missing(void **state)
{
    (void)state;
    struct measured made = make_good();
    made.of.idle_count = 0;
    expect(&made, false, "no idle interval");
    made = make_good();
    made.of.count = 1;
    expect(&made, false, "1 repetition shows no spread: at least 3 are needed");
    made = make_good();
    made.watts[3] = NAN;
    expect(&made, false, "repetition 4");
    made = make_good();
    made.idle_w[2] = NAN;
    expect(&made, false, "idle interval");
}

static void test_sensor(void **state)
{
    (void)state;
    struct measured made = make_good();
    made.of.update_s = 0.5;
    expect(&made, false, "too short for a sensor that changes every 0.5 s: 5 s would suffice");
    made.of.update_s = 0.1;
    expect(&made, true, "");
    made = make_good();
    made.of.step_j = 2;
    expect(&made, false, "steps of 2 J are too coarse");
    made = make_good();
    made.of.step_j = NAN;
    made.of.step_w = 1.5;
    expect(&made, false,
           "all readings are multiples of 1.5 W, as far as they show: too coarse for a dynamic power of 10");
    made.of.step_w = 0.5;
    expect(&made, true, "");
    made = make_good();
    for (size_t i = 0; i < IDLE; i++)
        made.idle_w[i] = 0;
    for (size_t i = 0; i < REPS; i++)
        made.watts[i] = 0;
    expect(&made, false, "the sensor always read 0 W: it is stuck");
}

/* What the time that is said does: that time, and no less. */
static void test_time_that_would_do(void **state)
{
    (void)state;
    struct measured made = make_good();
    made.of.step_j = 3;
    made.of.seconds = 3.001; /* 10 W in steps of a tenth take 3 s */
    expect(&made, true, "");
    made.of.seconds = 2.9;
    expect(&made, false, " s would suffice");
}

static void test_drift(void **state)
{
    (void)state;
    struct measured made = make_good();
    made.of.first_c = 50;
    made.of.last_c = 57.5;
    expect(&made, false, "+7.5 C");
    made.of.last_c = 42;
    expect(&made, false, "-8.0 C");
    made = make_good();
    for (size_t i = BEFORE; i < IDLE; i++)
        made.idle_w[i] += 4;
    find_dynamic(&made);
    expect(&made, false, "static power changed from ");
    made = make_good();
    for (size_t i = BEFORE; i < IDLE; i++)
        made.idle_w[i] += 1;
    find_dynamic(&made);
    expect(&made, true, "");
}

/* A meter with steps of 0.1 W and a noise of 0.8 W: cut at 30 W it is found out, below it is not, and neither
 * is one whose steps hide its noise. */
static void test_saturated(void **state)
{
    (void)state;
    struct random random = random_start(3, "saturated");
    for (int turn = 0; turn < 500; turn++) {
        struct measured made = make_good();
        made.of.step_w = 0.1;
        made.of.reading_count = READINGS;
        for (size_t i = 0; i < READINGS; i++)
            made.readings[i] = round(10 * (30 + 0.8 * noise(&random))) / 10;
        expect(&made, true, "");
        struct measured coarse = made;
        coarse.of.step_w = 1;
        for (size_t i = 0; i < READINGS; i++)
            coarse.readings[i] = round(30 + 0.3 * noise(&random));
        expect(&coarse, true, "");
        for (size_t i = 0; i < READINGS; i++)
            made.readings[i] = fmin(made.readings[i], 30);
        expect(&made, false, "are 30 W, its highest");
    }
}

static void shift(struct measured *made, double by, double times)
{
    for (size_t i = 0; i < REPS; i++)
        made->watts[i] = by + times * made->watts[i];
    for (size_t i = 0; i < IDLE; i++)
        made->idle_w[i] = by + times * made->idle_w[i];
    find_dynamic(made);
}

static void test_signs_and_sizes(void **state)
{
    (void)state;
    struct measured made = make_good();
    shift(&made, 0, -1);
    expect(&made, false, "below 0 (-19.97 W idle");
    made = make_good();
    shift(&made, 50, -1); /* 30 W idle, 20 W at work */
    expect(&made, false, "the power was lower while programs ran, by 10");
    made = make_good();
    shift(&made, 0, 1000);
    expect(&made, true, ""); /* nothing is known of what it is of */
    made.of.most_w = 300;
    expect(&made, false, "more than these programs can draw (300 W at most)");
    made = make_good();
    made.of.most_w = 300;
    expect(&made, true, "");
    made.of.of_all = true;
    shift(&made, 0, 0.001);
    expect(&made, false, "no machine draws only 0.03");
    made = make_good();
    made.of.of_all = made.of.idles = true;
    shift(&made, 0, 1000);
    expect(&made, false, "at rest");
    made = make_good();
    made.of.wrong = 50;
    made.of.wrong_of = 400;
    made.of.wrong_w = 3500;
    expect(&made, false, "50 of 400 readings are far from those before and after them, such as 3500 W");
}

static void test_slow_meter(void **state)
{
    (void)state;
    struct measured made = make_good();
    made.of.settled_s = 0.7;
    made.of.idle_s = 1;
    expect(&made, true, "");
    made.of.settled_s = 2;
    expect(&made, false,
           "repetitions of 1 s are too short for a meter whose readings take 2 s to follow a change: 2.94 s");
    made.of.seconds = 2.8;
    expect(&made, true, "");
    made.of.idle_count = 0;
    expect(
        &made, false,
        "idle intervals of 1 s are too short for a meter whose readings take 2 s to follow a change: 2.94 s");
    made.of.seconds = 1;
    expect(&made, false,
           "idle intervals of 1 s and repetitions of 1 s are too short for a meter whose readings");
    made = make_good();
    made.of.whole_runs = true;
    made.of.settled_s = 0.1;
    expect(
        &made, false,
        "repetitions of 1 s are too short for a meter whose readings take 0.1 s to follow a change: 2.1 s");
}

/* What rises by a tenth of the dynamic power, 1 W, from repetition to repetition or within them. */
static void test_trends(void **state)
{
    (void)state;
    struct measured made = make_good();
    for (size_t i = 0; i < REPS; i++)
        made.watts[i] = 30 + 0.3 * (double)i + (i % 2 == 0 ? 0.02 : -0.02);
    find_dynamic(&made);
    expect(&made, false, "from repetition to repetition, by +1.2 W");
    for (size_t i = 0; i < REPS; i++)
        made.watts[i] = 30 + 0.2 * (double)i;
    find_dynamic(&made);
    expect(&made, true, "");
    made.of.loop_drift_w = 0.9;
    expect(&made, true, "");
    made.of.loop_drift_w = -1.1;
    expect(&made, false, "within every repetition, by -1.1 W");
    made = make_good();
    for (size_t i = 0; i < BEFORE; i++)
        made.idle_w[i] += 0.3 * (double)(BEFORE - i);
    find_dynamic(&made);
    expect(&made, false, "within an idle interval, by -2.");
}

/* Its interval may extend by a quarter to one side. */
static void test_width(void **state)
{
    (void)state;
    struct measured made = make_good();
    made.of.dynamic_w = (struct interval){15, 14.98, 137.2, REPS};
    expect(&made, false, "the noise is too large: dynamic power lies between 15 and 137 W");
    made.of.dynamic_w = (struct interval){10, 7.4, 10.5, REPS};
    expect(&made, false, "between 7.4 and 10.5 W");
    made.of.dynamic_w = (struct interval){10, 7.6, 12.4, REPS};
    expect(&made, true, "");
}

/* An interval of no width is one of half a percent; the meter's steps and the levels before and after widen
 * it. */
static void test_interval(void **state)
{
    (void)state;
    static const double watts[] = {30, 30, 30}, seconds[] = {2, 2, 2}, idle_w[] = {20, 20, 20, 22, 22, 22};
    struct energy_samples samples = {
        .watts = watts, .seconds = seconds, .count = 3, .idle_w = idle_w, .idle_count = 3, .idle_before = 3};
    struct power_parts parts;
    bool idle;
    assert_true(energy_parts(&samples, &parts, &idle));
    assert_float_equal(parts.dynamic_w.low, 9.95, 1e-9);
    assert_float_equal(parts.dynamic_j.high, 20.1, 1e-9);
    samples.level_error_w = 0.5;
    assert_true(energy_parts(&samples, &parts, &idle));
    assert_float_equal(parts.dynamic_w.high, 10 + hypot(0.5, 0.5), 1e-9);
    assert_float_equal(parts.total_w.low, 29.5, 1e-9);
    samples.level_error_w = 0;
    samples.idle_count = 6;
    assert_true(energy_parts(&samples, &parts, &idle));
    assert_true(parts.static_w.low <= 20 && parts.static_w.high >= 22);
    samples.count = 1;
    assert_true(energy_parts(&samples, &parts, &idle) && isnan(parts.dynamic_w.low)); /* none from one */
}

static void test_doubt(void **state)
{
    (void)state;
    struct result_channel channels[] = {{.name = "a", .verdict = "untrustworthy", .reason = "bad"},
                                        {.name = "b", .label = "x"}};
    struct result_power power = {
        .verdict = "trustworthy", .reason = "good", .channels = channels, .channel_count = 2};
    struct result_power none = {.given = false};
    struct arena arena = {0};
    power_quality_doubt(&power, "the clock moved", &arena);
    assert_string_equal(power.verdict, "untrustworthy");
    assert_string_equal(power.reason, "the clock moved");
    assert_string_equal(channels[0].reason, "the clock moved; bad");
    assert_null(channels[1].verdict);
    power_quality_doubt(&none, "nothing to doubt", &arena);
    assert_null(none.verdict);
    arena_free(&arena);
}

/* An idle point: 0 W is what was to be found, if the noise is small beside the static power. */
static void test_idle_point(void **state)
{
    (void)state;
    struct random random = random_start(4, "idle");
    struct measured made;
    make(&made, 0, 0.1, &random);
    made.of.idles = true;
    expect(&made, true, "");
    make(&made, 0, 8, &random);
    made.of.idles = true;
    expect(&made, false, "the noise is too large");
}

/* How often a statement is allowed. */
static int trusted_of(int rounds, double dynamic_w, double sigma, struct random *random)
{
    int trusted = 0;
    for (int turn = 0; turn < rounds; turn++) {
        struct measured made;
        make(&made, dynamic_w, sigma, random);
        trusted += power_quality(&made.of).trustworthy;
    }
    return trusted;
}

/* Nothing but noise is nearly never trusted, what is far above the noise nearly always, and the more the
 * farther above. */
static void test_noise(void **state)
{
    (void)state;
    struct random random = random_start(5, "noise");
    int nothing = trusted_of(400, 0, 1, &random);
    int little = trusted_of(400, 6, 1, &random);
    int much = trusted_of(400, 20, 1, &random);
    assert_in_range(nothing, 0, 8);
    assert_in_range(little, nothing + 1, 360);
    assert_in_range(much, 390, 400);
}

/* A counter in steps of 0.25 J that is read when it has made two to five of them; a power in steps of 0.5 W.
 */
static void test_step(void **state)
{
    (void)state;
    struct random random = random_start(6, "steps");
    struct series energy = {0};
    struct series fine = {0};
    struct series power = {0};
    struct series still = {0};
    double joules = 99;
    for (int i = 0; i < 200; i++) {
        joules += 0.25 * (2 + random_below(&random, 4));
        series_add(&energy, i, fmod(joules, 100)); /* which wraps */
        series_add(&fine, i, 10.0 * i + 1e-5 * random_below(&random, 1000));
        series_add(&power, i, 0.5 * (40 + random_below(&random, 20)));
        series_add(&still, i, 7);
    }
    assert_float_equal(quality_step(&energy, true), 0.25, 1e-9);
    assert_true(quality_step(&fine, true) < 2e-5);
    assert_float_equal(quality_step(&power, false), 0.5, 1e-9);
    assert_true(isnan(quality_step(&still, true)) && isnan(quality_step(&still, false)));
    struct series *all[] = {&energy, &fine, &power, &still};
    for (size_t i = 0; i < 4; i++)
        series_free(all[i]);
    assert_true(isnan(quality_step(&still, true)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),
        cmocka_unit_test(test_what_is_missing),
        cmocka_unit_test(test_sensor),
        cmocka_unit_test(test_time_that_would_do),
        cmocka_unit_test(test_drift),
        cmocka_unit_test(test_saturated),
        cmocka_unit_test(test_signs_and_sizes),
        cmocka_unit_test(test_slow_meter),
        cmocka_unit_test(test_trends),
        cmocka_unit_test(test_width),
        cmocka_unit_test(test_interval),
        cmocka_unit_test(test_doubt),
        cmocka_unit_test(test_idle_point),
        cmocka_unit_test(test_noise),
        cmocka_unit_test(test_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
