/* Measuring: how many passes take a time, and what of the energy is the loop's own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "runner/measure.h"
#include "runner/pace.h"
#include "runner/power/energy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The program that is measured is this test itself: a start of 5 ms, and 10 us a pass in ticks of 1 ns. */
static const double START_S = 0.005;
static const double PASS_S = 10e-6;

static void spin(double seconds)
{
    double end = clock_now_s() + seconds;
    while (clock_now_s() < end)
        ;
}

static int act_as_program(const char *asked)
{
    spin(START_S);
    double begin = clock_now_s();
    spin(PASS_S * strtod(asked, NULL));
    printf("{\"iterations\":%s,\"ticks\":%.0f}\n", asked, (clock_now_s() - begin) * 1e9);
    return 0;
}

static void read_subject(struct buffer *image, struct subject *subject)
{
    assert_int_equal(file_read("/proc/self/exe", image, NULL), STATUS_OK);
    *subject = (struct subject){.executable = image->data, .executable_size = image->size, .cpu = -1};
}

static void passes_are_whole_hundreds_whatever_is_asked(void **state)
{
    (void)state;
    static const struct {
        double seconds, pass_s;
        uint64_t passes;
    } rows[] = {
        {1, 1e-6, 1000000},
        {1, 3e-6, 333300},
        {0, 1e-6, 100},
        {1e300, 1e-6, UINT64_C(1000000000000000000)},
        {INFINITY, 1e-6, UINT64_C(1000000000000000000)},
        {0, 0, UINT64_C(1000000000000000000)},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(pace_passes(rows[i].seconds, rows[i].pass_s), rows[i].passes);
}

static void the_pace_leaves_the_start_out(void **state)
{
    (void)state;
    struct buffer image = {0};
    struct subject subject;
    struct pace pace;
    struct error error;
    read_subject(&image, &subject);
    if (pace_measure(&subject, 20, &pace, &error) != STATUS_OK)
        fail_msg("%s", error.message);
    /* A run's start is up to a quarter of it; a busy machine may stop the program at either end. */
    assert_true(pace.ticks_per_s > 0.5e9 && pace.ticks_per_s <= 1.001e9);
    assert_true(pace.pass_s > 0.9 * PASS_S && pace.pass_s < 3 * PASS_S);
    buffer_free(&image);
}

static void the_starts_share_is_taken_off(void **state)
{
    (void)state;
    const struct energy_span start = {0.1, 10};
    assert_float_equal(energy_loop_watts((struct energy_span){0.6, 70}, start), 120, 1e-9);
    assert_float_equal(energy_loop_watts((struct energy_span){0.6, 70}, (struct energy_span){0, 0}), 70 / 0.6,
                       1e-9);
    assert_true(isnan(energy_loop_watts((struct energy_span){0.1, 70}, start)));
    assert_true(isnan(energy_loop_watts((struct energy_span){0.05, 5}, start)));
    assert_true(isnan(energy_loop_watts((struct energy_span){0.6, NAN}, start)));
}

static void dynamic_power_is_what_is_above_idle(void **state)
{
    (void)state;
    static const double watts[] = {121, 120, 119, 120.5, 119.5};
    struct power_parts parts;
    assert_true(energy_parts(watts, 5, 50, &parts));
    assert_float_equal(parts.static_w.value, 50, 0);
    assert_float_equal(parts.dynamic_w.value, 70, 1e-9);
    assert_true(parts.dynamic_w.low >= 69 && parts.dynamic_w.low <= 70);
    assert_true(parts.dynamic_w.high >= 70 && parts.dynamic_w.high <= 71);
    assert_int_equal(parts.dynamic_w.n, 5);
}

static void no_number_is_made_up(void **state)
{
    (void)state;
    static const double unknown[] = {120, NAN, 119};
    struct power_parts parts;
    assert_false(energy_parts(unknown, 3, 50, &parts));
    assert_false(energy_parts(unknown, 1, NAN, &parts));
    assert_false(energy_parts(unknown, 0, 50, &parts));
    assert_true(energy_parts(unknown, 1, 50, &parts));
}

/* A machine that takes 100 W whatever it does: a package, and a part that is inside it. */
static enum status read_steady(const struct sensor_channel *channel, double *joules, struct error *error)
{
    (void)channel;
    (void)error;
    *joules = 100 * clock_now_s();
    return STATUS_OK;
}

static void a_loop_that_takes_what_idling_takes_has_no_dynamic_power(void **state)
{
    (void)state;
    static const struct power_sensor steady = {.name = "steady", .read_energy = read_steady};
    const struct meters meters = {
        .sensors = {&steady, &steady},
        .channels = {{.name = "s:0", .label = "package-0"}, {.name = "s:0:0", .label = "package-0/core"}},
        .count = 2};
    const struct measure_options options = {.time_s = 0.1, .reps = 3, .idle_s = 0.05, .meters = &meters};
    struct buffer image = {0};
    struct subject subject;
    struct error error;
    json_t *point = json_object();
    read_subject(&image, &subject);
    if (measure_point(&subject, &options, point, &error) != STATUS_OK)
        fail_msg("%s", error.message);
    const json_t *power = json_object_get(point, "power");
    double idle = json_number_or(json_object_get(power, "power.static_w"), "value", NAN);
    double dynamic = json_number_or(json_object_get(power, "power.dynamic_w"), "value", NAN);
    assert_float_equal(idle, 100, 20);
    assert_float_equal(dynamic, 0, 20);
    const json_t *start = json_object_get(point, "start");
    assert_true(json_number_or(start, "iterations", -1) == 0);
    assert_true(json_number_or(start, "wall_s", 0) >= START_S);
    assert_true(json_number_or(json_object_get(start, "energy_j"), "s:0", 0) >= 100 * START_S);
    assert_int_equal(json_array_size(json_object_get(point, "reps")), 3);
    json_decref(point);
    buffer_free(&image);
}

int main(int count, char **arguments)
{
    if (count == 2 && strcmp(arguments[0], "program") == 0)
        return act_as_program(arguments[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passes_are_whole_hundreds_whatever_is_asked),
        cmocka_unit_test(the_pace_leaves_the_start_out),
        cmocka_unit_test(the_starts_share_is_taken_off),
        cmocka_unit_test(dynamic_power_is_what_is_above_idle),
        cmocka_unit_test(no_number_is_made_up),
        cmocka_unit_test(a_loop_that_takes_what_idling_takes_has_no_dynamic_power),
    };
    return cmocka_run_group_tests_name("runner/measure", tests, NULL, NULL);
}
