/* Sensors of known properties, from waves of load as they are planned: what is found is what was made up. */
#include "base/memory.h"
#include "base/random.h"
#include "runner/power/load_waves.h"
#include "runner/power/wave_response.h"

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
            joules += watts * made->update_s;
            value = in_steps(made->counts ? joules : watts, made->step);
            update_s += made->update_s;
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
    *step = wave_response_step(&series, made->counts);
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

static void fifty_sensors_are_found(void **state)
{
    (void)state;
    enum { SENSORS = 300 };
    size_t missed = 0, outside[3] = {0};
    for (unsigned i = 0; i < SENSORS; i++) {
        struct random random = random_start(i, "sensors");
        struct made made = make_up(&random);
        double step;
        struct wave_response found = find(&made, &random, 1 + (made.rise_w[1] > 0),
                                          getenv("SECS")                                ? atof(getenv("SECS"))
                                          : made.update_s > 0.25 || made.window_s > 0.5 ? 60
                                                                                        : 16,
                                          &step);
        double response_s = fmax(made.window_s, made.update_s);
        double total_w = made.rise_w[0] + made.rise_w[1];
        double sampled = made.exponential ? NAN : fmin(1, made.window_s / made.update_s);
        bool good = found.follows && !found.update_is_bound &&
                    near(found.update_s.value, made.update_s, made.update_s) &&
                    near(found.window_s.value, made.window_s, made.window_s) &&
                    near(found.lag_s.value, made.lag_s, fmax(made.lag_s, response_s)) &&
                    near(found.total_w.value, total_w, total_w) &&
                    near(found.rise_w[0].value, made.rise_w[0], made.rise_w[0]) &&
                    (made.exponential || near(found.sampled.value, sampled, sampled)) &&
                    found.exponential == made.exponential && near(step, made.step, made.step);
        missed += !good;
        outside[0] += !holds(found.window_s, made.window_s);
        outside[1] += !holds(found.lag_s, made.lag_s);
        outside[2] += !holds(found.total_w, total_w);
        if (!good || getenv("TRAUMA_SHOW") != NULL)
            print_message("%s %u: counts %d sends %d exponential %d/%d noise %.3g step %.4g/%.4g update "
                          "%.4g/%.4g window "
                          "%.4g/%.4g [%.3g %.3g] lag %.4g/%.4g [%.3g %.3g] rise %.4g/%.4g [%.4g %.4g] "
                          "follows %d bound %d\n",
                          good ? "good" : "MISSED", i, made.counts, made.sends, made.exponential,
                          found.exponential, made.noise, made.step, step, made.update_s, found.update_s.value,
                          made.window_s, found.window_s.value, found.window_s.low, found.window_s.high,
                          made.lag_s, found.lag_s.value, found.lag_s.low, found.lag_s.high, total_w,
                          found.total_w.value, found.total_w.low, found.total_w.high, found.follows,
                          found.update_is_bound);
    }
    print_message("outside: window %zu lag %zu rise %zu of %d\n", outside[0], outside[1], outside[2],
                  SENSORS);
    assert_int_equal(missed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fifty_sensors_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
