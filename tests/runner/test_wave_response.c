/* Sensors of known properties, from waves of load as they are planned: what is found is what was made up. */
#include "base/memory.h"
#include "base/random.h"
#include "runner/power/load_waves.h"
#include "runner/power/quality_facts.h"
#include "runner/power/wave_response.h"
#include "tests/trials.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A made-up sensor, and how it is read. */
struct made {
    bool counts, exponential, sends;
    double update_s, window_s, lag_s;
    double idle_w, rise_w[2];
    double noise, step; /* of the rise; watts or joules */
    double read_s;
    double jitter; /* of the time between updates */
};

static double uniform(struct random *random, double low, double high)
{
    return low + (high - low) * random_next(random) / 4294967296.0;
}

static double normal(struct random *random)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += uniform(random, 0, 1);
    return sum;
}

/* Seconds of load until then. */
static double loaded(const struct load_part *part, double t_s)
{
    double sum = 0;
    for (size_t i = 0; i < part->count && part->steps[i].t_s < t_s; i += 2)
        sum += fmin(t_s, part->steps[i + 1].t_s) - part->steps[i].t_s;
    return sum;
}

/* What a filter of first order shows: the integral of exp((s - t)/window) over the loaded times s. */
static double decayed(const struct load_part *part, double t_s, double window_s)
{
    double sum = 0;
    for (size_t i = 0; i < part->count && part->steps[i].t_s < t_s; i += 2)
        sum += exp((fmin(t_s, part->steps[i + 1].t_s) - t_s) / window_s) -
               exp((part->steps[i].t_s - t_s) / window_s);
    return sum;
}

static double watts_at(const struct made *made, const struct load_waves *waves, double t_s)
{
    double watts = made->idle_w;
    t_s -= made->lag_s;
    for (size_t i = 0; i < waves->count; i++) {
        const struct load_part *part = &waves->parts[i];
        watts +=
            made->rise_w[i] *
            (made->exponential ? decayed(part, t_s, made->window_s)
                               : (loaded(part, t_s) - loaded(part, t_s - made->window_s)) / made->window_s);
    }
    return watts;
}

static double in_steps(double value, double step)
{
    return step > 0 ? step * floor(value / step + 0.5) : value;
}

static struct series read_made(const struct made *made, const struct load_waves *waves, struct random *random)
{
    struct series series = {0};
    double update_s = waves->from_s - 1 - uniform(random, 0, made->update_s), joules = 100, value = 0;
    for (double t_s = waves->from_s - 0.5; t_s < waves->to_s + 0.2;) {
        while (update_s <= t_s) {
            double watts = watts_at(made, waves, update_s) +
                           made->noise * (made->rise_w[0] + made->rise_w[1]) * normal(random);
            double wait_s = made->update_s * (1 + made->jitter * uniform(random, -1, 1));
            joules += watts * made->update_s;
            value = in_steps(made->counts ? joules : watts, made->step);
            update_s += wait_s;
        }
        series_add(&series, t_s, value);
        t_s = made->sends ? update_s : t_s + made->read_s * uniform(random, 0.9, 1.1);
    }
    return series;
}

static struct wave_response find(const struct made *made, struct random *random, size_t parts, double seconds,
                                 double *step)
{
    struct load_waves waves = load_waves_plan(parts, 1000, seconds, random_next(random));
    struct series series = read_made(made, &waves, random);
    const struct sensor_channel channel = {.quantity = made->counts ? SENSOR_ENERGY : SENSOR_POWER};
    struct wave_response found = wave_response_find(&series, &channel, made->sends, &waves);
    *step = quality_step(&series, made->counts);
    series_free(&series);
    load_waves_free(&waves);
    return found;
}

static bool near(double found, double made, double scale)
{
    return fabs(found - made) <= 0.05 * scale;
}

static bool holds(struct interval found, double made)
{
    return found.low <= made && found.high >= made;
}

static struct made make_up(struct random *random)
{
    struct made made = {.counts = random_below(random, 3) == 0, .sends = random_below(random, 4) == 0};
    made.exponential = !made.counts && random_below(random, 3) == 0;
    made.update_s = 0.005 * pow(200, uniform(random, 0, made.counts ? 0.6 : 1));
    made.window_s = made.counts ? made.update_s * (random_below(random, 2) == 0 ? 1 : uniform(random, 0.2, 1))
                                : made.update_s * pow(10, uniform(random, -0.7, 0.7));
    made.window_s = fmin(made.window_s, 2);
    if (made.exponential)
        made.window_s = fmax(made.window_s, made.update_s / 2);
    made.lag_s = random_below(random, 2) == 0 ? 0 : made.update_s * uniform(random, 0.1, 3);
    made.idle_w = uniform(random, 5, 200);
    made.rise_w[0] = uniform(random, 2, 300);
    made.rise_w[1] = random_below(random, 2) == 0 ? 0 : uniform(random, 0, 100);
    made.noise = random_below(random, 3) == 0 ? 0 : uniform(random, 0, 0.01);
    made.step = made.rise_w[0] * pow(10, uniform(random, -4, -2)) * (made.counts ? made.update_s : 1);
    made.read_s = made.update_s / 5;
    return made;
}

/* Within 5 %: of its value, or of the longest time of the sensor for a lag, which may be 0. */
static bool is_found(const struct made *made, const struct wave_response *found, double step)
{
    double total_w = made->rise_w[0] + made->rise_w[1];
    double sampled = fmin(1, made->window_s / made->update_s);
    return found->follows && !found->update_is_bound && !found->window_is_bound &&
           near(found->update_s.value, made->update_s, made->update_s) &&
           near(found->window_s.value, made->window_s, made->window_s) &&
           near(found->lag_s.value, made->lag_s, fmax(made->lag_s, fmax(made->window_s, made->update_s))) &&
           near(found->total_w.value, total_w, total_w) &&
           near(found->rise_w[0].value, made->rise_w[0], made->rise_w[0]) &&
           found->exponential == made->exponential && near(step, made->step, made->step) &&
           (made->exponential ? isnan(found->sampled.value) : near(found->sampled.value, sampled, sampled));
}

static void show(unsigned number, const struct made *made, const struct wave_response *found, double step)
{
    print_message("%u: counts %d sends %d exponential %d/%d noise %.3g step %.4g/%.4g update %.4g/%.4g "
                  "window %.4g/%.4g [%.3g %.3g] lag %.4g/%.4g [%.3g %.3g] rise %.4g/%.4g [%.4g %.4g]\n",
                  number, made->counts, made->sends, made->exponential, found->exponential, made->noise,
                  made->step, step, made->update_s, found->update_s.value, made->window_s,
                  found->window_s.value, found->window_s.low, found->window_s.high, made->lag_s,
                  found->lag_s.value, found->lag_s.low, found->lag_s.high, made->rise_w[0] + made->rise_w[1],
                  found->total_w.value, found->total_w.low, found->total_w.high);
}

static void fifty_sensors_are_found(void **state)
{
    (void)state;
    enum { SENSORS = TRIALS_MACHINES(50) };
    size_t missed = 0, outside[3] = {0};
    for (unsigned i = 0; i < SENSORS; i++) {
        struct random random = random_start(i, "sensors");
        struct made made = make_up(&random);
        bool slow = made.update_s > 0.25 || made.window_s > 0.5;
        double step, total_w = made.rise_w[0] + made.rise_w[1];
        struct wave_response found = find(&made, &random, 1 + (made.rise_w[1] > 0), slow ? 60 : 20, &step);
        bool good = is_found(&made, &found, step);
        missed += !good;
        outside[0] += !holds(found.window_s, made.window_s);
        outside[1] += !holds(found.lag_s, made.lag_s);
        outside[2] += !holds(found.total_w, total_w);
        if (!good || getenv("TRAUMA_SHOW") != NULL)
            show(i, &made, &found, step);
    }
    assert_int_equal(missed, 0);
    for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++)
        assert_true(!TRIALS_JUDGED || outside[i] <= SENSORS / 5);
}

/* As of A100 and H100: the mean of 25 ms of each 100. */
static void a_quarter_of_the_time(void **state)
{
    (void)state;
    struct random random = random_start(1, "quarter");
    const struct made made = {.update_s = 0.1,
                              .window_s = 0.025,
                              .idle_w = 70,
                              .rise_w = {400, 0},
                              .step = 0.001,
                              .read_s = 0.004,
                              .noise = 0.005};
    double step;
    struct wave_response found = find(&made, &random, 1, 20, &step);
    assert_true(is_found(&made, &found, step));
    assert_true(found.sampled.low > 0.2 && found.sampled.high < 0.3);
    assert_true(near(found.idle_w, 70, 70));
}

/* What does not depend on the load has no window, no lag and no rise; its updates are seen all the same. */
static void what_does_not_follow(void **state)
{
    (void)state;
    size_t follow = 0;
    for (unsigned i = 0; i < 16; i++) {
        struct random random = random_start(i, "apart");
        struct made made = make_up(&random);
        struct load_waves waves = load_waves_plan(1, 1000, 20, i),
                          other = load_waves_plan(1, 1000, 20, 99 + i);
        if (i % 2 == 0) { /* noise alone */
            made.rise_w[0] = 1e-9;
            made.noise = 1e9;
            made.step = 0;
        }
        struct series series = read_made(&made, &waves, &random);
        const struct sensor_channel channel = {.quantity = made.counts ? SENSOR_ENERGY : SENSOR_POWER};
        /* A load that is not its own moves it by chance, and slow ones most. */
        struct wave_response found = wave_response_find(&series, &channel, made.sends, &other);
        follow += found.follows;
        if (!found.follows)
            assert_true(isnan(found.window_s.value) && isnan(found.lag_s.value) &&
                        isnan(found.total_w.value) && isnan(found.sampled.value) &&
                        isnan(found.rise_w[0].value));
        series_free(&series);
        load_waves_free(&waves);
        load_waves_free(&other);
    }
    assert_true(follow <= 1);
}

/* Updates at no regular moments are found by their usual distance. */
static void irregular_updates(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        struct random random = random_start(i, "irregular");
        const struct made made = {.update_s = 0.05,
                                  .window_s = i % 2 == 0 ? 0.02 : 0.2,
                                  .lag_s = 0.03,
                                  .idle_w = 10,
                                  .rise_w = {30, 0},
                                  .noise = 0.01,
                                  .read_s = 0.005,
                                  .jitter = 0.3};
        double step;
        struct wave_response found = find(&made, &random, 1, 20, &step);
        if (getenv("TRAUMA_SHOW") != NULL)
            show(i, &made, &found, step);
        assert_true(found.follows && !found.update_is_bound);
        assert_true(near(found.update_s.value, made.update_s, 2 * made.update_s));
        assert_true(near(found.window_s.value, made.window_s, 2 * made.window_s));
        assert_true(near(found.lag_s.value, made.lag_s, 2 * made.lag_s));
        assert_true(near(found.total_w.value, 30, 30));
    }
}

/* Updates closer than the readings, and too few readings. */
static void what_cannot_be_seen(void **state)
{
    (void)state;
    struct random random = random_start(1, "fast");
    struct made made = {.update_s = 1e-4,
                        .window_s = 1e-4,
                        .idle_w = 10,
                        .rise_w = {30, 0},
                        .counts = true,
                        .read_s = 1e-3,
                        .step = 1e-6};
    double step;
    struct wave_response found = find(&made, &random, 1, 10, &step);
    assert_true(found.follows && found.update_is_bound && found.window_is_bound);
    assert_true(isnan(found.sampled.value));
    assert_true(near(found.total_w.value, 30, 30));
    made = (struct made){.update_s = 5, .window_s = 1, .idle_w = 10, .rise_w = {30, 0}, .read_s = 1};
    found = find(&made, &random, 1, 20, &step);
    assert_true(!found.follows && isnan(found.window_s.value));
    const struct series none = {0};
    const struct sensor_channel channel = {.quantity = SENSOR_POWER};
    found = wave_response_find(&none, &channel, false, NULL);
    assert_true(!found.follows && isnan(found.update_s.value));
}

/* Two dies have waves of their own: a sensor of one does not rise with the other, one of both does. */
static void parts_are_told_apart(void **state)
{
    (void)state;
    static const double rises[][2] = {{40, 0}, {0, 50}, {44, 55}};
    for (size_t i = 0; i < sizeof rises / sizeof rises[0]; i++) {
        struct random random = random_start(i, "parts");
        const struct made made = {.update_s = 0.02,
                                  .window_s = 0.02,
                                  .idle_w = 20,
                                  .rise_w = {rises[i][0], rises[i][1]},
                                  .read_s = 0.004,
                                  .noise = 0.01};
        double step;
        struct wave_response found = find(&made, &random, 2, 20, &step);
        assert_true(near(found.rise_w[0].value, rises[i][0], 40));
        assert_true(near(found.rise_w[1].value, rises[i][1], 40));
    }
}

/* A counter that is reset, or wraps, in the middle of it all. */
static void resets_and_wraps(void **state)
{
    (void)state;
    for (int wraps = 0; wraps < 2; wraps++) {
        struct random random = random_start((uint64_t)wraps, "resets");
        const struct made made = {.counts = true,
                                  .update_s = 0.02,
                                  .window_s = 0.02,
                                  .idle_w = 20,
                                  .rise_w = {40, 0},
                                  .read_s = 0.004};
        struct load_waves waves = load_waves_plan(1, 1000, 20, 5);
        struct series series = read_made(&made, &waves, &random);
        double zero_j = series.values[series.count / 2], wrap_j = wraps ? zero_j : 0;
        for (size_t i = series.count / 2; i < series.count; i++)
            series.values[i] -= wraps ? wrap_j : zero_j - 1;
        const struct sensor_channel channel = {.quantity = SENSOR_ENERGY, .wrap_j = wrap_j};
        struct wave_response found = wave_response_find(&series, &channel, false, &waves);
        assert_true(found.follows && near(found.total_w.value, 40, 40));
        assert_true(near(found.window_s.value, 0.02, 0.02));
        series_free(&series);
        load_waves_free(&waves);
    }
}

static void ratios(void **state)
{
    (void)state;
    const struct interval ratio =
        wave_response_ratio((struct interval){30, 29, 31, 9}, (struct interval){20, 19, 21, 7});
    assert_true(near(ratio.value, 1.5, 0.01) && near(ratio.low, 1.41, 0.1) && near(ratio.high, 1.59, 0.1));
    assert_int_equal(ratio.n, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fifty_sensors_are_found), cmocka_unit_test(a_quarter_of_the_time),
        cmocka_unit_test(what_does_not_follow),    cmocka_unit_test(what_cannot_be_seen),
        cmocka_unit_test(irregular_updates),       cmocka_unit_test(parts_are_told_apart),

        cmocka_unit_test(resets_and_wraps),        cmocka_unit_test(ratios),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
