/* How long a run takes: what the estimate of a point depends on, and how a duration is written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/units.h"
#include "session/execute/run_estimate.h"

static const struct protocol short_one = {.time_s = 0.05, .reps = 5};
static const struct estimate_host quiet = {.slowdown = 1, .touch_s_byte = 0.2e-9};

static double estimate(struct estimate_program program, const struct estimate_host *host)
{
    return estimate_point_s(&program, &short_one, host);
}

/* The program is started some twenty times, so that a gibibyte of memory costs seconds. */
static void a_walk_pays_for_its_memory_with_each_start(void **state)
{
    (void)state;
    struct estimate_program program = {.timed = true, .walk = true, .bytes = 32 << 10};
    double near = estimate(program, &quiet);
    program.bytes = 1 << 30;
    double far = estimate(program, &quiet);
    assert_true(near > 0.5 && near < 1.5);
    assert_true(far - near > 15 * 0.2 && far - near < 60 * 0.2);
}

static void another_load_slows_programs_and_not_waits(void **state)
{
    (void)state;
    const struct estimate_program program = {.timed = true};
    const struct estimate_host busy = {.slowdown = 5, .touch_s_byte = 0.2e-9};
    struct protocol waits = short_one;
    waits.idle_s = 300;
    double fast = estimate_point_s(&program, &waits, &quiet),
           slow = estimate_point_s(&program, &waits, &busy);
    assert_true(slow > fast + 0.5 && slow < fast + 5);
}

static void chases_are_told_by_others(void **state)
{
    (void)state;
    struct estimate_program program = {.timed = true, .chase = true, .level = LEVEL_L2};
    double near = estimate(program, &quiet);
    program.level = LEVEL_MEM;
    assert_true(estimate(program, &quiet) > near + 1);
    program.timed = false; /* on another machine, or with other sources alone */
    assert_true(estimate(program, &quiet) < near);
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
        cmocka_unit_test(a_walk_pays_for_its_memory_with_each_start),
        cmocka_unit_test(another_load_slows_programs_and_not_waits),
        cmocka_unit_test(chases_are_told_by_others),
        cmocka_unit_test(this_machine_has_a_pace),
        cmocka_unit_test(durations_have_two_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
