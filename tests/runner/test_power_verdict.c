/* Points of simulated meters, replayed through recorder and summary: what is called trustworthy holds the
 * truth, and meters that lie are found out. TRAUMA_RUNS=N runs N points of each kind; TRAUMA_SHOW=1 prints
 * each kind's. */
#include "base/clock.h"
#include "base/json.h"
#include "base/memory.h"
#include "runner/power/summary.h"
#include "tests/runner/simulated_meter.h"
#include "tests/trials.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { REPS_MOST = 8, RUNS = 20, WHY_BYTES = 600 };

/* One point of a kind: what was drawn and what the meter makes of it. */
struct point {
    double static_w, dynamic_w, truth_w;
    double rep_s, idle_s, spacing_s;
    size_t reps;
    double rep_gain[REPS_MOST]; /* of the dynamic power */
    double pass_gain[REPS_MOST];
    double end_gain; /* of the last third of each repetition */
    double idle_rise_w;
    struct simulated_meter meter;
    double scale;                    /* of readings */
    double wrong, times;             /* share of readings that are multiplied by it */
    double drift_w;                  /* of the meter, a second */
    double resets_s;                 /* a counter is reset at that time; 0: never; it wraps at */
    double wrap_j, counts_s, step_j; /* a counter, in steps of energy and time; counts_s 0: a power */
    double most_w;
    double ripple_w;           /* of the power, at 50 Hz */
    double irregular, missing; /* shares: of the time between readings, and of these */
};

struct kind {
    const char *name;
    void (*make)(struct point *point, struct random *random);
    int least_trusted; /* of 20 */
    int most_trusted;
    const char *reason; /* of those that are not trusted; NULL: any */
};

static double between(struct random *random, double low, double high)
{
    return low + (high - low) * random_below(random, 1u << 24) / (double)(1u << 24);
}

/* ---- the meter, as a sensor that sends at its own pace, in simulated time ---- */

static struct {
    const struct point *point;
    struct load load;
    struct random *random;
    double begin_s, t_s, end_s, gate_s, taken_s, value;
} now;

static double reading(double t_s)
{
    const struct point *point = now.point;
    if (point->counts_s > 0) {
        double at_s = point->counts_s * floor(t_s / point->counts_s);
        double joules = load_joules(&now.load, at_s) + 1000;
        if (point->resets_s > 0 && at_s >= point->resets_s)
            joules -= load_joules(&now.load, point->resets_s) + 1000;
        joules = point->step_j * floor(joules / point->step_j);
        return point->wrap_j > 0 ? fmod(joules, point->wrap_j) : joules;
    }
    double watts = meter_reading(&point->meter, &now.load, t_s, &now.taken_s, &now.value, now.random);
    watts = point->scale * (watts + point->drift_w * t_s);
    bool wrong = point->wrong > 0 && random_below(now.random, 1u << 20) < point->wrong * (1u << 20);
    return wrong ? watts * point->times : watts;
}

static enum status read_meter(void *handle, double *t_s, double *values, struct error *error)
{
    (void)handle, (void)error;
    if (clock_now_s() < now.gate_s)
        return STATUS_OK;
    if (now.t_s > now.end_s) {
        clock_rest(1e-4);
        return STATUS_OK;
    }
    *t_s = now.begin_s + now.t_s;
    double share = between(now.random, 0, 1);
    values[0] = share < now.point->missing ? NAN : reading(now.t_s);
    now.t_s += now.point->spacing_s * (1 + now.point->irregular * (share - 0.5));
    return STATUS_OK;
}

static enum status open_meter(const struct sensor_request *request, const struct sensor_channel *channels,
                              size_t count, void **handle, struct error *error)
{
    (void)request, (void)channels, (void)count, (void)error;
    *handle = &now;
    return STATUS_OK;
}

static void close_meter(void *handle)
{
    (void)handle;
}

static const struct power_sensor simulated = {.name = "simulated",
                                              .type = "power",
                                              .external = true,
                                              .rank = 9,
                                              .open = open_meter,
                                              .read = read_meter,
                                              .close = close_meter};

/* ---- one point ---- */

static struct window phase(double *t_s, double seconds)
{
    struct window window = {*t_s, *t_s + seconds};
    *t_s = window.to_s;
    return window;
}

static void shift(struct window *window)
{
    window->from_s += now.begin_s;
    window->to_s += now.begin_s;
}

/* Idle, a run of no passes, repetitions with gaps between, idle. */
static struct result_power measure(const struct point *point, struct random *random, bool *out,
                                   struct arena *arena)
{
    struct window loops[REPS_MOST], runs[REPS_MOST], before, after;
    double pass_s[REPS_MOST], t_s = between(random, 0.05, 0.3);
    memset(&now, 0, sizeof now);
    now.point = point;
    now.random = random;
    now.taken_s = -INFINITY;
    now.load.ripple_w = point->ripple_w;
    load_step(&now.load, -20, point->static_w + point->dynamic_w / 2);
    before = (struct window){t_s, t_s + point->idle_s};
    load_step(&now.load, t_s, point->static_w);
    t_s = before.to_s;
    load_step(&now.load, t_s, point->static_w + 0.4 * point->dynamic_w);
    t_s += between(random, 0.02, 0.1);
    for (size_t i = 0; i < point->reps; i++) {
        double watts = point->static_w + point->dynamic_w * point->rep_gain[i];
        loops[i] = phase(&t_s, point->rep_s);
        pass_s[i] = 1e-6 * point->pass_gain[i] * between(random, 0.998, 1.002);
        load_step(&now.load, loops[i].from_s, watts);
        if (point->end_gain != 1)
            load_step(&now.load, loops[i].from_s + point->rep_s * 0.6,
                      point->static_w + point->dynamic_w * point->end_gain);
        load_step(&now.load, t_s, point->static_w + 0.3 * point->dynamic_w);
        t_s += between(random, 0.02, 0.15);
    }
    load_step(&now.load, t_s, point->static_w + point->idle_rise_w);
    after = phase(&t_s, point->idle_s);
    now.end_s = t_s + 0.1;
    now.begin_s = clock_now_s() + 100;
    now.gate_s = clock_now_s() + 0.002;
    for (size_t i = 0; i < point->reps; i++) {
        shift(&loops[i]);
        runs[i] = (struct window){loops[i].from_s - 0.01, loops[i].to_s + 0.01};
    }
    shift(&before);
    shift(&after);

    struct sensor_channel channel = {.name = "simulated:0",
                                     .label = "a meter",
                                     .quantity = point->counts_s > 0 ? SENSOR_ENERGY : SENSOR_POWER,
                                     .whole = true,
                                     .wrap_j = point->wrap_j};
    struct sensor_list meters = {.count = 1, .channel_count = 1};
    meters.meters[0] = (struct listed_sensor){.sensor = &simulated, .channels = &channel, .count = 1};
    const struct phase_windows windows = {.loops = loops,
                                          .runs = runs,
                                          .count = point->reps,
                                          .idle = {before, after},
                                          .idle_count = 2,
                                          .pass_s = pass_s,
                                          .most_w = point->most_w};
    struct recorder *recorder = recorder_start(&meters);
    struct power_view view;
    recorder_begin(recorder, NULL, 0);
    recorder_end(recorder, now.begin_s + t_s + 0.05);
    const struct series *series = recorder_series(recorder, 0, 0);
    bool late = series->count == 0 || series->t_s[0] > now.begin_s + 5 * point->spacing_s;
    if (late) { /* this thread was kept from beginning */
        recorder_close(recorder);
        return measure(point, random, out, arena);
    }
    power_view_open(recorder, &windows, &view);
    const struct result_power power = summary_power(&view, out, arena);
    power_view_free(&view);
    recorder_close(recorder);
    return power;
}

/* ---- the kinds ---- */

static void good(struct point *point, struct random *random)
{
    *point = (struct point){.static_w = between(random, 5, 60),
                            .dynamic_w = between(random, 8, 40),
                            .rep_s = between(random, 1, 4),
                            .idle_s = between(random, 1, 3),
                            .spacing_s = 0.01,
                            .reps = 3 + random_below(random, 3),
                            .end_gain = 1,
                            .scale = 1,
                            .most_w = 300,
                            .meter = {.noise_w = between(random, 0.1, 1.5)}};
    point->truth_w = point->dynamic_w;
    for (size_t i = 0; i < REPS_MOST; i++)
        point->rep_gain[i] = point->pass_gain[i] = 1;
}

static void averages(struct point *point, struct random *random)
{
    good(point, random);
    point->meter.box_s = between(random, 0.1, 2);
}

static void averages_long_enough(struct point *point, struct random *random)
{
    averages(point, random);
    point->rep_s = between(random, 1.5, 3) * point->meter.box_s + 0.3;
    point->idle_s = 1.6 * point->meter.box_s + 0.5;
}

static void filters(struct point *point, struct random *random)
{
    good(point, random);
    point->meter.exponential_s = between(random, 0.02, 0.5);
}

static void filters_half_a_second(struct point *point, struct random *random)
{
    good(point, random);
    point->meter.exponential_s = 0.5;
    point->rep_s = 1;
    point->idle_s = 1;
}

static void lags(struct point *point, struct random *random)
{
    good(point, random);
    point->meter.lag_s = between(random, 0.05, 0.6);
    point->meter.box_s = between(random, 0, 0.2);
}

static void holds(struct point *point, struct random *random)
{
    good(point, random);
    point->meter.update_s = between(random, 0.05, 1.2);
    point->meter.offset_s = between(random, 0, 1);
    point->meter.box_s = point->meter.update_s;
}

/* Samples a quarter of the time, as some GPUs do. */
static void samples_part(struct point *point, struct random *random)
{
    good(point, random);
    point->meter.update_s = 0.1;
    point->meter.offset_s = between(random, 0, 0.1);
    point->meter.box_s = 0.025;
}

static void reversed(struct point *point, struct random *random)
{
    good(point, random);
    point->scale = -1;
}

static void milliwatts(struct point *point, struct random *random)
{
    good(point, random);
    point->scale = 1000;
}

static void kilowatts(struct point *point, struct random *random)
{
    good(point, random);
    point->scale = 0.001;
}

static void no_decimal_point(struct point *point, struct random *random)
{
    good(point, random);
    point->wrong = 0.01;
    point->times = random_below(random, 2) == 0 ? 10 : 1000;
}

static void zero_readings(struct point *point, struct random *random)
{
    good(point, random);
    point->wrong = 0.02;
    point->times = 0;
}

static void often_wrong(struct point *point, struct random *random)
{
    good(point, random);
    point->wrong = 0.15;
    point->times = 100;
}

static void rises(struct point *point, struct random *random)
{
    good(point, random);
    for (size_t i = 0; i < REPS_MOST; i++)
        point->rep_gain[i] = 1 + 0.1 * (double)i;
    point->reps = 5;
    point->truth_w *= 1.2;
}

static void throttled(struct point *point, struct random *random)
{
    good(point, random);
    point->reps = 5;
    point->rep_gain[3] = point->rep_gain[4] = between(random, 0.4, 0.75);
    point->pass_gain[3] = point->pass_gain[4] = 1 / point->rep_gain[3];
}

/* In its power alone. */
static void one_off(struct point *point, struct random *random)
{
    good(point, random);
    point->reps = 5;
    point->rep_gain[random_below(random, 5)] = between(random, 0, 0.5);
}

static void throttled_most(struct point *point, struct random *random)
{
    throttled(point, random);
    point->rep_gain[2] = point->rep_gain[3];
    point->reps = 4;
}

static void turbo_ends(struct point *point, struct random *random)
{
    good(point, random);
    point->end_gain = between(random, 0.4, 0.75);
}

static void quiet_and_coarse(struct point *point, struct random *random)
{
    good(point, random);
    point->meter.noise_w = 0;
    point->meter.step_w = 1;
}

static void coarse(struct point *point, struct random *random)
{
    good(point, random);
    point->meter.noise_w = between(random, 0, 1);
    point->meter.step_w = between(random, 0.1, 1);
}

static void drifts(struct point *point, struct random *random)
{
    good(point, random);
    point->drift_w = between(random, -0.4, 0.4);
}

static void warms(struct point *point, struct random *random)
{
    good(point, random);
    point->idle_rise_w = between(random, 0, 0.5) * point->dynamic_w;
    point->truth_w -= point->idle_rise_w / 2;
}

static void counter(struct point *point, struct random *random)
{
    good(point, random);
    point->counts_s = 0.001;
    point->step_j = 6.1e-5;
    point->wrap_j = 262143;
}

/* It returns to 0 within 60 kJ of its wrap, read slowly; or wraps. */
static void counter_reset(struct point *point, struct random *random)
{
    counter(point, random);
    point->wrap_j = between(random, 2000, 60000);
    point->spacing_s = 0.1;
    point->reps = 5;
    point->resets_s = point->idle_s + between(random, 0.5, 3) * point->rep_s;
}

static void counter_wraps(struct point *point, struct random *random)
{
    counter(point, random);
    point->wrap_j = 1000 + point->static_w * point->idle_s +
                    (point->static_w + point->dynamic_w) * point->rep_s * between(random, 0.5, 3);
    point->reps = 5;
}

static void ripples(struct point *point, struct random *random)
{
    good(point, random);
    point->ripple_w = between(random, 1, 10);
}

/* Readings come late or never. */
static void irregular(struct point *point, struct random *random)
{
    good(point, random);
    point->irregular = between(random, 0.3, 1);
    point->missing = between(random, 0, 0.4);
}

static void once_a_second(struct point *point, struct random *random)
{
    good(point, random);
    point->spacing_s = 1;
    point->rep_s = between(random, 11, 16);
    point->idle_s = between(random, 10, 20);
    point->meter.box_s = random_below(random, 2);
}

/* Power that takes seconds to rise with the temperature. */
static void leaks(struct point *point, struct random *random)
{
    good(point, random);
    point->idle_rise_w = 0.04 * point->dynamic_w;
    for (size_t i = 0; i < REPS_MOST; i++)
        point->rep_gain[i] = 1 + 0.04 * (1 - exp(-(double)(i + 1) / 2));
    point->truth_w *= 1.02;
}

static void noisy(struct point *point, struct random *random)
{
    good(point, random);
    point->meter.noise_w = between(random, 10, 60);
}

static const struct kind kinds[] = {
    {"good", good, 18, 20, NULL},
    {"averages", averages, 5, 20, NULL},
    {"averages, long enough", averages_long_enough, 17, 20, NULL},
    {"filters", filters, 3, 20, NULL},
    {"filter of 0.5 s, 1 s loops", filters_half_a_second, 0, 0, "too short for a meter"},
    {"lags", lags, 8, 20, NULL},
    {"holds", holds, 2, 20, NULL},
    {"samples a quarter", samples_part, 17, 20, NULL},
    {"reversed", reversed, 0, 0, "below 0"},
    {"mW for W", milliwatts, 0, 0, "the unit may be another one"},
    {"kW for W", kilowatts, 0, 0, "the unit may be another one"},
    {"no decimal point, 1 in 100", no_decimal_point, 16, 20, NULL},
    {"zeros, 1 in 50", zero_readings, 14, 20, NULL},
    {"wrong, 1 in 7", often_wrong, 0, 0, NULL},
    {"rises", rises, 0, 0, NULL},
    {"throttled", throttled, 16, 20, NULL},
    {"one off", one_off, 15, 20, NULL},
    {"throttled, most", throttled_most, 0, 0, NULL},
    {"turbo ends", turbo_ends, 0, 0, NULL},
    {"1 W, no noise", quiet_and_coarse, 4, 20, NULL},
    {"coarse", coarse, 10, 20, NULL},
    {"drifts", drifts, 3, 20, NULL},
    {"warms", warms, 3, 16, NULL},
    {"counter", counter, 18, 20, NULL},
    {"counter is reset", counter_reset, 14, 20, NULL},
    {"counter wraps", counter_wraps, 17, 20, NULL},
    {"ripples", ripples, 14, 20, NULL},
    {"irregular", irregular, 16, 20, NULL},
    {"once a second", once_a_second, 8, 20, NULL},
    {"leaks", leaks, 12, 20, NULL},
    {"noisy", noisy, 0, 20, NULL},
};

/* What came of one kind's points. */
struct outcome {
    int runs, trusted, wrong, otherwise; /* trusted without the truth; not trusted for another reason */
    char example[WHY_BYTES];
};

static void take(const struct kind *kind, const struct point *point, const struct result_power *power,
                 struct outcome *outcome)
{
    const struct interval dynamic = result_value(&power->values, "power.dynamic_w");
    const char *reason = power->reason;
    bool trusted = strcmp(power->verdict, "trustworthy") == 0;
    bool holds = dynamic.low <= point->truth_w && dynamic.high >= point->truth_w;
    bool as_told = trusted || kind->reason == NULL || strstr(reason, kind->reason) != NULL;
    outcome->runs++;
    outcome->trusted += trusted;
    outcome->wrong += trusted && !holds;
    outcome->otherwise += !as_told;
    if (getenv("TRAUMA_SHOW") != NULL && getenv("TRAUMA_SHOW")[0] == '2')
        print_message("  %d%d truth %.4g static %.4g: %.4g [%.4g, %.4g] %s (lag %.3g window %.3g %s)\n",
                      trusted, holds, point->truth_w, point->static_w, dynamic.value, dynamic.low,
                      dynamic.high, reason, power->response.lag_s, power->response.window_s,
                      power->response.filter == NULL ? "" : power->response.filter);
    if ((trusted && !holds) || !as_told || outcome->example[0] == '\0')
        snprintf(outcome->example, sizeof outcome->example, "%.4g W: %.4g [%.4g, %.4g], %.480s",
                 point->truth_w, dynamic.value, dynamic.low, dynamic.high, reason);
}

static void test_kinds(void **state)
{
    (void)state;
    int runs = getenv("TRAUMA_RUNS") != NULL ? atoi(getenv("TRAUMA_RUNS")) : TRIALS_MACHINES(RUNS);
    int failures = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const struct kind *kind = &kinds[i];
        struct outcome outcome = {0};
        struct random random = random_start(1, kind->name);
        if (getenv("TRAUMA_KIND") != NULL && strcmp(getenv("TRAUMA_KIND"), kind->name) != 0)
            continue;
        for (int turn = 0; turn < runs; turn++) {
            struct point point;
            bool out[REPS_MOST];
            kind->make(&point, &random);
            struct arena arena = {0};
            const struct result_power power = measure(&point, &random, out, &arena);
            take(kind, &point, &power, &outcome);
            arena_free(&arena);
        }
        bool held = outcome.otherwise == 0;
        if (TRIALS_JUDGED)
            held = held && outcome.wrong * 20 <= outcome.runs &&
                   outcome.trusted * 20 >= kind->least_trusted * outcome.runs &&
                   outcome.trusted * 20 <= kind->most_trusted * outcome.runs;
        failures += !held;
        if (!held || getenv("TRAUMA_SHOW") != NULL)
            print_message("%-28s %3d of %3d trusted, %2d of them wrong, %2d for another reason: %s\n",
                          kind->name, outcome.trusted, outcome.runs, outcome.wrong, outcome.otherwise,
                          outcome.example);
    }
    assert_int_equal(failures, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kinds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
