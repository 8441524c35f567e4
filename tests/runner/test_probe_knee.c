/* Knees of made-up curves: steps and slopes at known sizes, with noise and disturbances, are found where they
 * are; curves without one have none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "runner/probe/analysis.h"

#include <math.h>
#include <stdio.h>

enum { POINTS_MOST = 128, SHAPES = 6, TRIALS = 200, SIZES = 45 };

enum shape { STEP, SOFT_STEP, SLOPE, TWO_STEPS, FLAT, GENTLE };

static double uniform(struct random *random)
{
    return random_next(random) / 4294967296.0;
}

/* Normal enough: the sum of twelve. */
static double normal(struct random *random)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += uniform(random);
    return sum;
}

static double height(enum shape shape, double size, double knee)
{
    switch (shape) {
    case STEP:
        return size > knee ? 1.7 : 1;
    case SOFT_STEP:
        return 1 + 0.7 * fmax(0, fmin(1, (size - knee) / (0.08 * knee)));
    case SLOPE:
        return fmax(1, size / knee);
    case TWO_STEPS:
        return size > 6 * knee ? 9 : size > knee ? 4 : 1;
    case GENTLE:
        return 1 + 0.04 * log2(size);
    default:
        return 1;
    }
}

/* Coarse sizes in equal ratios; then, as the probe does, close ones around the knee that these show. */
static size_t make(enum shape shape, double knee, double noise, struct random *random,
                   struct probe_point *points)
{
    size_t count = 0;
    for (int i = 0; i < SIZES; i++) {
        double size = round(8 * pow(128, (double)i / (SIZES - 1)));
        if (count > 0 && points[count - 1].size == size)
            continue;
        double y = 20 * height(shape, size, knee) * (1 + noise * normal(random));
        if (random_below(random, 40) == 0 && i > 3 && i < SIZES - 3)
            y *= 1.5; /* a neighbour */
        points[count++] = (struct probe_point){.size = size, .cycles = {y, y, y, 1}};
    }
    return count;
}

static void knees_are_found_where_they_are(void **state)
{
    (void)state;
    static const char *const names[] = {"step", "soft step", "slope", "two steps", "flat", "gentle slope"};
    for (int shape = 0; shape < SHAPES; shape++) {
        struct random random = random_start(3, names[shape]);
        int wrong = 0;
        for (int trial = 0; trial < TRIALS; trial++) {
            struct probe_point points[POINTS_MOST] = {0};
            struct probe_knee knees[3];
            double knee = floor(20 * pow(shape == TWO_STEPS ? 4 : 20, uniform(&random)));
            double noise = 0.002 + 0.018 * uniform(&random);
            size_t count = make((enum shape)shape, knee, noise, &random, points);
            size_t found = probe_knees(points, count, 0.15, knees, 3);
            size_t wanted = shape == TWO_STEPS ? 2 : shape < FLAT ? 1 : 0;
            bool right = found == wanted;
            for (size_t i = 0; right && i < found; i++) {
                double true_size = i == 0 ? knee : 6 * knee, slack = shape == SLOPE ? 1.25 : 1.12;
                right = knees[i].size.low <= true_size * slack && true_size <= knees[i].size.high * slack &&
                        knees[i].size.low <= knees[i].size.value &&
                        knees[i].size.value <= knees[i].size.high &&
                        fabs(knees[i].size.value / true_size - 1) <= slack - 1 + 0.08;
            }
            wrong += !right;
        }
        if (wrong > TRIALS / 20)
            fail_msg("%s: %d of %d trials are wrong", names[shape], wrong, TRIALS);
    }
}

static void disturbed_points_do_not_count(void **state)
{
    (void)state;
    struct random random = random_start(3, "disturbed");
    struct probe_point points[POINTS_MOST] = {0};
    struct probe_knee knees[2];
    size_t count = make(STEP, 200, 0.005, &random, points);
    for (size_t i = 5; i < 12; i++) {
        points[i].disturbed = true;
        points[i].cycles.value *= 3;
    }
    assert_int_equal(probe_knees(points, count, 0.15, knees, 2), 1);
    assert_true(knees[0].size.low <= 200 && 200 <= knees[0].size.high);
    for (size_t i = 0; i < count; i++)
        points[i].disturbed = true;
    assert_int_equal(probe_knees(points, count, 0.15, knees, 2), 0);
    assert_int_equal(probe_knees(points, 0, 0.15, knees, 2), 0);
}

static void measurements_agree_within_their_intervals(void **state)
{
    (void)state;
    const struct probe_knee a = {.size = {500, 490, 505, 9}}, b = {.size = {509, 506, 512, 9}},
                            c = {.size = {250, 240, 260, 9}};
    assert_true(probe_knee_agrees(&a, &b));
    assert_false(probe_knee_agrees(&a, &c));
}

/* Points on both sides of the knee, of a curve that is by so much higher everywhere. */
static size_t measure_again(const struct probe_knee *knee, enum shape shape, double size, double higher,
                            struct probe_point *again)
{
    const struct interval sides[] = {probe_below_knee(knee), probe_above_knee(knee)};
    size_t count = 0;
    for (int i = 0; i < 12; i++) {
        const struct interval *side = &sides[i % 2];
        const double at = round(side->low + (side->high - side->low) * i / 11);
        const double y = 20 * higher * height(shape, at, size);
        again[count++] = (struct probe_point){.size = at, .cycles = {y, y, y, 1}};
    }
    return count;
}

static void knees_stay_or_do_not(void **state)
{
    (void)state;
    static const enum shape shapes[] = {STEP, SOFT_STEP, SLOPE};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct random random = random_start(3, "again");
        struct probe_point points[POINTS_MOST] = {0}, again[12];
        struct probe_knee knees[2];
        const size_t count = make(shapes[i], 200, 0.005, &random, points);
        assert_int_equal(probe_knees(points, count, 0.15, knees, 2), 1);
        size_t more = measure_again(&knees[0], shapes[i], 200, 1, again);
        assert_true(probe_knee_stays(&knees[0], points, count, again, more));
        more = measure_again(&knees[0], shapes[i], 200, 1.5, again);
        assert_true(probe_knee_stays(&knees[0], points, count, again, more));
        more = measure_again(&knees[0], FLAT, 200, 1, again);
        assert_false(probe_knee_stays(&knees[0], points, count, again, more));
        more = measure_again(&knees[0], GENTLE, 200, 2, again);
        assert_false(probe_knee_stays(&knees[0], points, count, again, more));
        more = measure_again(&knees[0], shapes[i], 200, 1, again);
        for (size_t j = 0; j < more; j += 2)
            again[j].disturbed = true;
        assert_false(probe_knee_stays(&knees[0], points, count, again, more));
    }
}

static void wide_rises_are_no_corners(void **state)
{
    (void)state;
    assert_true(probe_is_corner(&(struct interval){.low = 443, .high = 446}));
    assert_true(probe_is_corner(&(struct interval){.low = 3, .high = 6}));
    assert_true(probe_is_corner(&(struct interval){.low = 1000, .high = 1300}));
    assert_false(probe_is_corner(&(struct interval){.low = 17450, .high = 37169}));
    assert_false(probe_is_corner(&(struct interval){.low = 1465, .high = 2395}));
    assert_false(probe_is_corner(&(struct interval){.low = NAN, .high = NAN}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knees_are_found_where_they_are),
        cmocka_unit_test(disturbed_points_do_not_count),
        cmocka_unit_test(measurements_agree_within_their_intervals),
        cmocka_unit_test(knees_stay_or_do_not),
        cmocka_unit_test(wide_rises_are_no_corners),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
