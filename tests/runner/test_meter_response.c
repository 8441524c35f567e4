/* Windows and lags of simulated meters are found again, whatever the noise; what readings cannot show is not
 * found. */
#include "base/memory.h"
#include "runner/power/power_view.h"
#include "tests/runner/simulated_meter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static const double SPACING_S = 0.01;

enum { PHASES = 7 };

/* A point: idle, five repetitions with gaps in which the power is neither, idle. */
static size_t phases_of_point(struct load *load, double rep_s, double idle_s, struct meter_phase *phases)
{
    double t_s = 0.3;
    load_step(load, 0, 24);
    for (size_t i = 0; i < PHASES; i++) {
        bool idles = i == 0 || i == PHASES - 1;
        double to_s = t_s + (idles ? idle_s : rep_s);
        load_step(load, t_s, idles ? 20 : 35);
        phases[i] = (struct meter_phase){t_s, to_s, i};
        load_step(load, to_s, 26);
        t_s = to_s + 0.06;
    }
    return PHASES;
}

static bool find(const struct simulated_meter *meter, double rep_s, double idle_s, struct random *random,
                 struct meter_response *found)
{
    struct load load = {0};
    struct meter_phase phases[PHASES];
    struct series series = {0};
    double taken_s = -1, value = 0;
    size_t count = phases_of_point(&load, rep_s, idle_s, phases);
    double jitter = (random_below(random, 1000) + 1) * 1e-5;
    for (double t_s = jitter; t_s < phases[PHASES - 1].to_s + 0.1; t_s += SPACING_S)
        series_add(&series, t_s, meter_reading(meter, &load, t_s, &taken_s, &value, random));
    bool known =
        meter_response_find(&series, meter->update_s > 0 ? meter->update_s : NAN, phases, count, found);
    series_free(&series);
    return known;
}

static void expect(const struct simulated_meter *meter, double rep_s, double within, const char *what,
                   struct random *random)
{
    struct meter_response found;
    if (!find(meter, rep_s, 2 + meter->box_s, random, &found))
        fail_msg("%s: not found", what);
    double wanted_s = meter->exponential_s > 0 ? meter->exponential_s : meter->box_s;
    enum meter_filter filter = meter->exponential_s > 0 ? METER_EXPONENTIAL : METER_AVERAGE;
    if (getenv("TRAUMA_SHOW") != NULL)
        print_message("%-28s %-12s window %.4f of %.4f, lag %.4f of %.4f\n", what,
                      meter_filter_name(found.filter), found.window_s, wanted_s, found.lag_s, meter->lag_s);
    if (found.filter != filter || fabs(found.window_s - wanted_s) > within ||
        fabs(found.lag_s - meter->lag_s) > within)
        fail_msg("%s: %s, window %g of %g, lag %g of %g", what, meter_filter_name(found.filter),
                 found.window_s, wanted_s, found.lag_s, meter->lag_s);
}

static void test_windows(void **state)
{
    (void)state;
    struct random random = random_start(1, "windows");
    static const double windows[] = {0.1, 0.3, 0.7, 1.3, 2};
    for (size_t i = 0; i < sizeof windows / sizeof windows[0]; i++)
        for (int j = 0; j < 3; j++) {
            double lag_s = j == 0 ? 0 : 0.15 * j;
            struct simulated_meter box = {.box_s = windows[i], .lag_s = lag_s, .noise_w = 0.3};
            struct simulated_meter slow = {.exponential_s = windows[i] / 4, .lag_s = lag_s, .noise_w = 0.3};
            expect(&box, 3, fmax(0.05 * windows[i], 0.012), "average", &random);
            expect(&slow, 3, fmax(0.0125 * windows[i], 0.012), "exponential", &random);
        }
}

/* Values that it repeats, steps of 1 W, no noise at all. */
static void test_held_and_coarse(void **state)
{
    (void)state;
    struct random random = random_start(2, "held");
    expect(&(struct simulated_meter){.box_s = 0.5, .update_s = 0.1, .offset_s = 0.03, .noise_w = 0.2}, 2,
           0.03, "held", &random);
    expect(&(struct simulated_meter){.box_s = 1, .step_w = 1}, 3, 0.05, "coarse", &random);
    expect(&(struct simulated_meter){.box_s = 1}, 3, 0.012, "exact", &random);
}

/* A fast meter has no window, and one of which nothing shows none that is known. */
static void test_nothing(void **state)
{
    (void)state;
    struct random random = random_start(3, "nothing");
    struct meter_response found;
    for (int i = 0; i < 20; i++) {
        assert_true(find(&(struct simulated_meter){.noise_w = i % 2}, 0.5, 1, &random, &found));
        assert_int_equal(found.filter, METER_INSTANT);
        assert_float_equal(found.settled_s, 0, 0);
    }
    assert_false(find(&(struct simulated_meter){.noise_w = 60}, 0.5, 1, &random, &found));
    struct series few = {0};
    for (int i = 0; i < 10; i++)
        series_add(&few, i, i);
    assert_false(meter_response_find(&few, NAN, &(struct meter_phase){0, 9, 0}, 1, &found));
    series_free(&few);
}

/* A square wave of two levels, whose half period is shorter than the window. */
static void test_waves(void **state)
{
    (void)state;
    struct random random = random_start(4, "waves");
    struct simulated_meter meter = {.box_s = 0.83, .lag_s = 0.2, .noise_w = 0.5};
    struct load load = {0};
    struct meter_phase phases[LOAD_STEPS];
    struct series series = {0};
    double taken_s = -1, value = 0;
    size_t count = 0;
    for (double t_s = 0; count + 1 < LOAD_STEPS; count++) {
        double to_s = t_s + 0.1 + random_below(&random, 1000) * 5e-4;
        load_step(&load, t_s, count % 2 == 0 ? 20 : 35);
        phases[count] = (struct meter_phase){t_s, to_s, count % 2};
        t_s = to_s;
    }
    for (double t_s = SPACING_S; t_s < phases[count - 1].to_s; t_s += SPACING_S)
        series_add(&series, t_s, meter_reading(&meter, &load, t_s, &taken_s, &value, &random));
    struct meter_response found;
    assert_true(meter_response_find(&series, NAN, phases, count, &found));
    series_free(&series);
    assert_int_equal(found.filter, METER_AVERAGE);
    assert_float_equal(found.window_s, 0.83, 0.03);
    assert_float_equal(found.lag_s, 0.2, 0.02);
    assert_float_equal(found.change_w, 15, 0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_windows), cmocka_unit_test(test_held_and_coarse),
                                       cmocka_unit_test(test_nothing), cmocka_unit_test(test_waves)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
