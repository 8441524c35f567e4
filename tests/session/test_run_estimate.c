/* How long a run takes: what the estimate of a point depends on, and how a duration is written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/units.h"
#include "session/execute/run_estimate.h"

#include <math.h>

static const struct protocol short_one = {.time_s = 0.05, .reps = 5};
static const struct estimate_host quiet = {.slowdown = 1, .touch_s_byte = 0.2e-9};

static double estimate(struct estimate_program program, const struct estimate_host *host)
{
    return estimate_point_s(&program, &short_one, host);
}

/* A loop without data whose passes take 100 ns. */
static const struct estimate_program small = {.copies = 1, .timed = true, .pass_s = 100e-9};

/* The program is started for the pace, each repetition and the source "timing", some fifteen times in all. */
static void each_start_is_paid_for(void **state)
{
    (void)state;
    struct estimate_program program = small;
    double near = estimate(program, &quiet);
    program.start_s = 0.1;
    double far = estimate(program, &quiet);
    assert_true(near > 0.3 && near < 1);
    assert_true(far - near > 12 * 0.1 && far - near < 20 * 0.1);
}

/* A slow program needs fewer runs until its pace is known, but a hundred passes of a repetition take long. */
static void passes_decide_how_long_a_repetition_is(void **state)
{
    (void)state;
    struct estimate_program program = small;
    program.start_s = 0.1;
    double fast = estimate(program, &quiet);
    program.pass_s = 60e-6; /* 12 ms of 200 passes */
    assert_true(estimate(program, &quiet) < fast - 4 * 0.1);
    program.pass_s = 10e-3;
    assert_true(estimate(program, &quiet) > fast + 5 * 0.9);
}

static void another_load_slows_programs_and_not_waits(void **state)
{
    (void)state;
    const struct estimate_host busy = {.slowdown = 5, .touch_s_byte = 0.2e-9};
    struct protocol waits = short_one;
    waits.idle_s = 300;
    double fast = estimate_point_s(&small, &waits, &quiet), slow = estimate_point_s(&small, &waits, &busy);
    assert_true(slow > fast + 0.3 && slow < fast + 5);
}

static void chases_are_told_by_others(void **state)
{
    (void)state;
    struct estimate_program program = small;
    program.chase = true;
    program.level = LEVEL_L2;
    double near = estimate(program, &quiet);
    program.level = LEVEL_MEM;
    assert_true(estimate(program, &quiet) > near + 0.5);
    program.timed = false; /* on another machine, or with other sources alone */
    assert_true(estimate(program, &quiet) < near);
}

/* 64 MiB of words and a pass through them; memory that stays zero costs next to nothing. */
static void a_simulation_takes_set_up_and_warm_up_step_by_step(void **state)
{
    (void)state;
    struct estimate_program program = small;
    program.bytes = 64 << 20;
    program.instructions = 100;
    program.simulations = 1;
    double zeros = estimate(program, &quiet);
    program.words = 8 << 20;
    double words = estimate(program, &quiet);
    assert_true(words - zeros > 0.2 && words - zeros < 1);
    program.warmup = 1 << 20;
    assert_true(estimate(program, &quiet) > words + 0.3);
    program.simulations = 2;
    assert_true(estimate(program, &quiet) > zeros + 2 * (words - zeros));
}

static void what_copies_share_is_simulated_apart(void **state)
{
    (void)state;
    struct estimate_program program = small;
    double without = estimate(program, &quiet);
    program.shared_s = 2;
    assert_true(fabs(estimate(program, &quiet) - without - 2) < 1e-9);
}

static void copies_are_started_for_each_round(void **state)
{
    (void)state;
    struct estimate_program program = small;
    program.start_s = 0.1;
    double one = estimate(program, &quiet);
    program.copies = 2;
    assert_true(estimate(program, &quiet) > one + 20 * 0.1);
}

static void the_largest_of_each_size_is_tried(void **state)
{
    (void)state;
    struct estimate_program programs[] = {
        {.copies = 1, .bytes = 4096}, {.copies = 1, .bytes = 64 << 20}, {.copies = 1, .bytes = 65 << 20}};
    for (size_t i = 0; i < 3; i++)
        programs[i].start_s = programs[i].pass_s = NAN;
    assert_int_equal(estimate_next(programs, 3), 2);
    programs[2].tried = true;
    programs[2].start_s = 0.13;
    programs[2].pass_s = 1e-6;
    assert_int_equal(estimate_next(programs, 3), 0);
    programs[0].tried = true; /* and failed */
    assert_int_equal(estimate_next(programs, 3), 3);
    estimate_spread(programs, 3, &quiet);
    assert_true(fabs(programs[1].start_s - 0.128) < 1e-3);
    assert_true(programs[0].start_s < 1e-4 && programs[0].pass_s > 0);
}

static void this_machine_has_a_pace(void **state)
{
    (void)state;
    struct estimate_host host = estimate_host_now(64 << 20);
    assert_true(host.slowdown >= 1);
    assert_true(host.touch_s_byte > 0 && host.touch_s_byte < 1e-6);
    assert_true(host.cold_s_byte >= 0);
}

static void durations_have_two_units(void **state)
{
    (void)state;
    static const struct {
        double seconds;
        const char *text;
    } cases[] = {{0, "1 s"},
                 {0.4, "1 s"},
                 {59.4, "59 s"},
                 {59.6, "1 min"},
                 {61, "1 min 1 s"},
                 {241, "4 min 1 s"},
                 {3599.6, "1 h"},
                 {3600, "1 h"},
                 {3661, "1 h 1 min"},
                 {35640, "9 h 54 min"},
                 {86399, "1 d"},
                 {90000, "1 d 1 h"},
                 {86400 * 3.2, "3 d 5 h"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[40];
        assert_string_equal(units_format_duration(cases[i].seconds, text, sizeof text), cases[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_start_is_paid_for),
        cmocka_unit_test(passes_decide_how_long_a_repetition_is),
        cmocka_unit_test(another_load_slows_programs_and_not_waits),
        cmocka_unit_test(chases_are_told_by_others),
        cmocka_unit_test(a_simulation_takes_set_up_and_warm_up_step_by_step),
        cmocka_unit_test(what_copies_share_is_simulated_apart),
        cmocka_unit_test(copies_are_started_for_each_round),
        cmocka_unit_test(the_largest_of_each_size_is_tried),
        cmocka_unit_test(this_machine_has_a_pace),
        cmocka_unit_test(durations_have_two_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
