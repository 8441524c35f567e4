/* Energies from samples: synthetic powers with known integral, from sensors that jitter, miss, quantise,
 * stall and wrap. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "runner/power/series.h"
#include "tests/mutate.h"

#include <math.h>
#include <stdio.h>

enum { CORNERS = 200, CASES = 100 };

static double uniform(struct random *random, double low, double high)
{
    return low + (high - low) * (random_next(random) / 4294967296.0);
}

/* Between 20 W and 220 W: straight lines from corner to corner, some of them jumps. */
struct waveform {
    double t_s[CORNERS], watts[CORNERS], joules[CORNERS];
    size_t count;
};

static struct waveform make_waveform(struct random *random, double seconds)
{
    struct waveform wave = {.watts = {uniform(random, 20, 220)}, .count = 1};
    double calmest_s = seconds / CORNERS * 3;
    while (wave.count < CORNERS && wave.t_s[wave.count - 1] < seconds) {
        size_t i = wave.count++;
        bool jump = random_below(random, 3) == 0;
        bool flat = random_below(random, 3) == 0;
        wave.t_s[i] = wave.t_s[i - 1] + (jump ? 0 : uniform(random, calmest_s, 4 * calmest_s));
        wave.watts[i] = flat ? wave.watts[i - 1] : uniform(random, 20, 220);
        wave.joules[i] =
            wave.joules[i - 1] + (wave.watts[i] + wave.watts[i - 1]) / 2 * (wave.t_s[i] - wave.t_s[i - 1]);
    }
    return wave;
}

/* Joules from 0 to the moment, and watts at it. */
static double integral_to(const struct waveform *wave, double t_s, double *watts)
{
    size_t before = 0;
    size_t i = wave->count - 1;
    while (i - before > 1) {
        size_t middle = (before + i) / 2;
        if (wave->t_s[middle] <= t_s)
            before = middle;
        else
            i = middle;
    }
    double length_s = wave->t_s[i] - wave->t_s[i - 1];
    double share = length_s > 0 ? (t_s - wave->t_s[i - 1]) / length_s : 0;
    double now_w = wave->watts[i - 1] + share * (wave->watts[i] - wave->watts[i - 1]);
    if (watts != NULL)
        *watts = now_w;
    return wave->joules[i - 1] + (wave->watts[i - 1] + now_w) / 2 * (t_s - wave->t_s[i - 1]);
}

/* How a sensor tells a power. */
struct teller {
    double period_s;  /* from one reading to the next, on average */
    double jitter;    /* share of the period */
    double missing;   /* share of the readings */
    double update_s;  /* of a counter */
    double quantum_j; /* of a counter */
    double wrap_j;
};

static struct series tell(struct random *random, const struct waveform *wave, const struct teller *teller,
                          bool counts, double seconds)
{
    struct series series = {0};
    for (double due_s = 0; due_s < seconds; due_s += teller->period_s) {
        double t_s = due_s + uniform(random, 0, teller->jitter) * teller->period_s;
        if (uniform(random, 0, 1) < teller->missing)
            continue;
        double value;
        double joules = integral_to(wave, t_s, &value);
        if (counts) {
            joules = integral_to(wave, floor(t_s / teller->update_s) * teller->update_s, NULL);
            value = fmod(floor(joules / teller->quantum_j) * teller->quantum_j, teller->wrap_j);
        }
        series_add(&series, t_s, value);
    }
    return series;
}

static struct teller choose_teller(struct random *random)
{
    double period_s = exp(uniform(random, log(0.0002), log(0.02)));
    double update_s = period_s * exp(uniform(random, log(0.05), log(20)));
    /* Between two readings there is one wrap at most. */
    return (struct teller){.period_s = period_s,
                           .jitter = uniform(random, 0, 0.9),
                           .missing = uniform(random, 0, 0.2),
                           .update_s = update_s,
                           .quantum_j = exp(uniform(random, log(1e-6), log(0.05))),
                           .wrap_j = uniform(random, 50, 500) + 220 * (update_s + 20 * period_s)};
}

/* The most that one case erred by, as a share of its integral. */
static double worst_error(struct random *random, bool counts)
{
    struct teller teller = choose_teller(random);
    /* A counter leaves open what is drawn until it tells more, at each end of a window; a power's samples
     * leave open when between two of them it jumped, at each jump. */
    double coarse_s = counts ? fmax(teller.update_s, teller.period_s) : 4 * teller.period_s;
    double seconds = 2 + 3000 * coarse_s;
    struct waveform wave = make_waveform(random, seconds);
    seconds = fmin(seconds, wave.t_s[wave.count - 1]);
    struct series series = tell(random, &wave, &teller, counts, seconds);
    struct sensor_channel channel = {.quantity = counts ? SENSOR_ENERGY : SENSOR_POWER,
                                     .wrap_j = teller.wrap_j};
    double worst = 0;
    for (int i = 0; i < 5; i++) {
        double from_s = uniform(random, 0, 0.2) * seconds;
        double to_s = uniform(random, 0.9, 0.99) * seconds;
        double wanted = integral_to(&wave, to_s, NULL) - integral_to(&wave, from_s, NULL);
        double found = series_energy(&series, &channel, from_s, to_s, 3 * teller.period_s);
        double error = fabs(found - wanted) / wanted;
        if (!(error < 0.001))
            fail_msg("%s: %g J instead of %g: period %g s, jitter %g, missing %g, update %g s, quantum %g J, "
                     "wrap %g J",
                     counts ? "counter" : "power", found, wanted, teller.period_s, teller.jitter,
                     teller.missing, teller.update_s, teller.quantum_j, teller.wrap_j);
        worst = fmax(worst, error);
    }
    series_free(&series);
    return worst;
}

static void energies_are_the_integral_to_a_thousandth(void **state)
{
    (void)state;
    struct random random = mutate_start("series");
    double worst[2] = {0, 0};
    for (int i = 0; i < CASES; i++)
        for (int counts = 0; counts < 2; counts++)
            worst[counts] = fmax(worst[counts], worst_error(&random, counts == 1));
    print_message("worst of %d cases: power %.3g %%, counters %.3g %%\n", CASES, worst[0] * 100,
                  worst[1] * 100);
}

/* A counter at 100 W that moves every 100 ms and is read every 10 ms: what it holds at the ends of a window
 * is less than an update old, also before its first and after its last move. */
static void the_ends_of_a_recording_count_too(void **state)
{
    (void)state;
    const struct sensor_channel channel = {.quantity = SENSOR_ENERGY, .wrap_j = 37};
    struct series series = {0};
    for (int i = 0; i < 100; i++)
        series_add(&series, 0.095 + i * 0.01, fmod(floor(0.95 + i * 0.1) * 10, 37));
    double last_s = series.t_s[99];
    assert_float_equal(series_energy(&series, &channel, 0.3, last_s, 0.01), 100 * (last_s - 0.3), 0.2);
    assert_float_equal(series_energy(&series, &channel, 0.095, 0.8, 0.01), 100 * (0.8 - 0.095), 0.2);
    /* One that was seen to move but once tells no rate to go on at. */
    assert_float_equal(series_energy(&series, &channel, 0.12, 0.3, 0.01), 18, 0.2);
    series_free(&series);
}

/* It would have moved had it gone on as before. */
static void what_has_stopped_draws_nothing(void **state)
{
    (void)state;
    const struct sensor_channel channel = {.quantity = SENSOR_ENERGY};
    struct series series = {0};
    for (int i = 0; i <= 200; i++)
        series_add(&series, i * 0.01, i < 50 ? i : 50);
    assert_float_equal(series_energy(&series, &channel, 0.7, 1.9, 0), 0, 1e-9);
    assert_float_equal(series_energy(&series, &channel, 0.2, 1.9, 0), 30.5, 0.51);
    series_clear(&series);
    for (int i = 0; i <= 200; i++)
        series_add(&series, i * 0.01, i < 150 ? 7 : 7 + (i - 150));
    assert_float_equal(series_energy(&series, &channel, 0.1, 1.2, 0), 0, 1e-9);
    series_clear(&series);
    for (int i = 0; i <= 200; i++)
        series_add(&series, i * 0.01, 7);
    assert_float_equal(series_energy(&series, &channel, 0.1, 1.9, 0), 0, 0);
    series_free(&series);
}

static void what_was_not_told_is_not_made_up(void **state)
{
    (void)state;
    const struct sensor_channel counter = {.quantity = SENSOR_ENERGY};
    const struct sensor_channel power = {.quantity = SENSOR_POWER};
    const struct sensor_channel thermometer = {.quantity = SENSOR_TEMPERATURE};
    struct series series = {0};
    assert_true(isnan(series_energy(&series, &power, 0, 1, 1)));
    assert_true(isnan(series_mean(&series, 0, 1)));
    assert_true(isnan(series_at(&series, 1)));
    series_add(&series, 0.5, 10);
    assert_true(isnan(series_energy(&series, &power, 0, 1, 1)));
    assert_true(isnan(series_energy(&series, &counter, 0, 1, 1)));
    for (int i = 1; i <= 100; i++)
        series_add(&series, 0.5 + i * 0.01, 10);
    /* From 0.5 s to 1.5 s it told. */
    assert_true(isnan(series_energy(&series, &power, 0.4, 1, 0.02)));
    assert_true(isnan(series_energy(&series, &power, 1, 1.6, 0.02)));
    assert_true(isnan(series_energy(&series, &power, 1, 0.9, 0.02)));
    assert_true(isnan(series_energy(&series, &thermometer, 0.6, 1, 0.02)));
    assert_float_equal(series_energy(&series, &power, 0.49, 1.51, 0.02), 10.2, 1e-9);
    /* A short time has a reading in it, or nothing is known of it. */
    assert_float_equal(series_energy(&series, &power, 0.605, 0.617, 0.02), 0.12, 1e-9);
    assert_true(isnan(series_energy(&series, &power, 0.612, 0.618, 0.02)));
    /* Then nothing for a second. */
    for (int i = 0; i <= 100; i++)
        series_add(&series, 2.5 + i * 0.01, 10);
    assert_true(isnan(series_energy(&series, &power, 1.4, 2.6, 0.02)));
    assert_true(isnan(series_energy(&series, &power, 1.8, 1.9, 0.02)));
    assert_float_equal(series_energy(&series, &power, 0.6, 3.4, 0.02), 28, 1e-9);
    /* A counter that fell and does not wrap was reset: before and behind is known, across is not. */
    series_clear(&series);
    for (int i = 0; i <= 100; i++)
        series_add(&series, i * 0.01, i < 50 ? 100 + i : i);
    assert_true(isnan(series_energy(&series, &counter, 0.1, 0.9, 0)));
    assert_float_equal(series_energy(&series, &counter, 0.1, 0.4, 0), 30, 1e-9);
    assert_float_equal(series_energy(&series, &counter, 0.6, 0.9, 0), 30, 1e-9);
    series_free(&series);
}

static void means_weigh_by_time(void **state)
{
    (void)state;
    struct series series = {0};
    series_add(&series, 0, 40);
    series_add(&series, 1, 40);
    series_add(&series, 1, 60);
    series_add(&series, 4, 60);
    assert_float_equal(series_mean(&series, 0, 4), 55, 1e-9);
    assert_float_equal(series_mean(&series, 2, 3), 60, 1e-9);
    assert_true(isnan(series_mean(&series, 2, 2)));
    assert_true(isnan(series_mean(&series, 5, 6)));
    assert_float_equal(series_at(&series, 0.5), 40, 0);
    assert_float_equal(series_at(&series, 9), 60, 0);
    assert_true(isnan(series_at(&series, -1)));
    series_free(&series);
}

/* The update period and resolution that a sensor has are seen when it is read more often than that. */
static void how_a_sensor_moves_is_seen(void **state)
{
    (void)state;
    struct random random = mutate_start("look");
    for (int i = 0; i < CASES / 4; i++) {
        struct waveform wave = make_waveform(&random, 10);
        struct teller teller = {.period_s = 0.001,
                                .jitter = 0.5,
                                .missing = uniform(&random, 0, 0.05),
                                .update_s = uniform(&random, 0.01, 0.1),
                                .quantum_j = 1.0 / 64,
                                .wrap_j = 80};
        struct series series = tell(&random, &wave, &teller, true, 8);
        struct series_facts facts = series_look(&series);
        assert_float_equal(facts.update_s, teller.update_s, 0.0016);
        /* A step is a whole number of quanta. */
        double quanta = facts.resolution / teller.quantum_j;
        assert_true(quanta >= 1 && fabs(quanta - round(quanta)) < 1e-6);
        series_free(&series);
    }
    struct series still = {0};
    for (int i = 0; i < 100; i++)
        series_add(&still, i, 5);
    assert_true(isnan(series_look(&still).update_s) && isnan(series_look(&still).resolution));
    series_free(&still);
}

/* A counter that fell by more than a wrap explains was reset: only windows that hold that moment have no
 * energy. */
static void a_reset_is_no_wrap(void **state)
{
    (void)state;
    static const double wraps[] = {0, 262143};
    for (size_t i = 0; i < 2; i++) {
        const struct sensor_channel channel = {.quantity = SENSOR_ENERGY, .wrap_j = wraps[i]};
        struct series series = {0};
        for (int ms = 0; ms < 3000; ms++)
            series_add(&series, 1e-3 * ms, 5000 * (ms < 1500) + 0.05 * (ms < 1500 ? ms : ms - 1500));
        assert_float_equal(series_energy(&series, &channel, 0.2, 1.2, 0.01), 50, 0.1);
        assert_float_equal(series_energy(&series, &channel, 1.7, 2.7, 0.01), 50, 0.1);
        assert_true(isnan(series_energy(&series, &channel, 1.2, 1.7, 0.01)));
        assert_false(series_was_reset(&series, &channel, 0.2, 1.2));
        assert_false(series_was_reset(&series, &channel, 1.7, 2.7));
        assert_true(series_was_reset(&series, &channel, 1.2, 1.7));
        series_free(&series);
    }
    /* A true wrap beside it is none. */
    const struct sensor_channel channel = {.quantity = SENSOR_ENERGY, .wrap_j = 100};
    struct series series = {0};
    for (int ms = 0; ms < 3000; ms++)
        series_add(&series, 1e-3 * ms, fmod(50 + 0.05 * ms, 100));
    assert_float_equal(series_energy(&series, &channel, 0.5, 1.5, 0.01), 50, 0.1);
    assert_false(series_was_reset(&series, &channel, 0.5, 1.5));
    series_free(&series);
}

/* A counter that is read every 0.1 s, at 50 W. Close to its wrap, energy tells which it was; rising, too. */
static void energy_tells_a_reset_from_a_wrap(void **state)
{
    (void)state;
    static const struct {
        double wrap_j, at_reset_j, silent_s;
        bool reset;
    } rows[] = {{1000, 900, 0, true},    /* 105 J in 0.1 s */
                {1000, 990, 0, false},   /* 15 J: a wrap, as far as can be told */
                {1000, 999.9, 2, false}, /* 100 J in two seconds in which nothing was read */
                {1000, 600, 2, true},    /* 500 J in that time */
                {0, -90000, 0, true}};   /* to a value that is higher */
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct sensor_channel channel = {.quantity = SENSOR_ENERGY, .wrap_j = rows[i].wrap_j};
        struct series series = {0};
        for (int tick = 0; tick < 60; tick++) {
            double t_s = 0.1 * tick, left_j = rows[i].at_reset_j - 150;
            if (t_s > 3 && t_s < 3 + rows[i].silent_s)
                continue;
            series_add(&series, t_s, tick <= 30 ? left_j + 5 * tick : 5 * (tick - 30));
        }
        assert_int_equal(series_was_reset(&series, &channel, 2.5, 5.5), rows[i].reset);
        assert_int_equal(isnan(series_energy(&series, &channel, 2.5, 5.5, 3)), rows[i].reset);
        assert_false(series_was_reset(&series, &channel, 0.5, 2.5));
        series_free(&series);
    }
}

/* What two channels have in common is seen where one is read before a change and the other after it, too. */
static void mirrors_are_alike(void **state)
{
    (void)state;
    struct series one = {0}, late = {0}, other = {0};
    for (int i = 0; i < 400; i++) {
        series_add(&one, i, 0.06 * (i / 3));
        if (i % 7 != 0) /* without a value */
            series_add(&late, i, 40 + 0.06 * ((i + (i % 10 == 0)) / 3));
        series_add(&other, i, 0.06 * (i / 3) + 0.001 * i);
    }
    struct series_likeness likeness = series_compare(&one, &late, true);
    assert_true(likeness.changes > 50 && likeness.share > 0.75);
    assert_true(series_compare(&one, &late, false).share == 0);
    assert_true(series_compare(&one, &one, false).share == 1);
    assert_true(series_compare(&one, &other, true).share < 0.2);
    const struct series none = {0};
    assert_int_equal(series_compare(&one, &none, true).changes, 0);
    series_free(&one);
    series_free(&late);
    series_free(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energies_are_the_integral_to_a_thousandth),
        cmocka_unit_test(the_ends_of_a_recording_count_too),
        cmocka_unit_test(what_has_stopped_draws_nothing),
        cmocka_unit_test(what_was_not_told_is_not_made_up),
        cmocka_unit_test(means_weigh_by_time),
        cmocka_unit_test(how_a_sensor_moves_is_seen),
        cmocka_unit_test(a_reset_is_no_wrap),
        cmocka_unit_test(energy_tells_a_reset_from_a_wrap),
        cmocka_unit_test(mirrors_are_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
