/* The sensor "34401a" with a simulated meter on a pseudo-terminal: normal, slow, noisy, silent. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/runner/fake_34401a.h"

static const double WITHIN = 1e-3; /* of the integral */

static struct fake_34401a *new_fake(enum fake_manner manner, double ohm, double rail_v)
{
    struct fake_34401a *fake = calloc(1, sizeof *fake);
    assert_non_null(fake);
    fake->manner = manner;
    fake->ohm = ohm;
    fake->rail_v = rail_v;
    fake->integration_s = 0.008;
    assert_true(fake_start(fake));
    return fake;
}

static void end_fake(struct fake_34401a *fake)
{
    fake_stop(fake);
    free(fake);
}

static void find_meters(struct sensor_list *meters, const char *format, const char *one, const char *two)
{
    char list[512];
    struct error error;
    snprintf(list, sizeof list, format, one, two);
    if (sensor_list_find(list, "", meters, &error) != STATUS_OK)
        fail_msg("%s", error.message);
}

static void expect_wave(const char *format, const char *one, const char *two)
{
    struct sensor_list meters;
    struct error error = {0};
    bool quiet;
    find_meters(&meters, format, one, two);
    double off = wave_best_error(&meters, WITHIN, &quiet, &error);
    sensor_list_free(&meters);
    wave_expect(off, WITHIN, quiet, one, &error);
}

static void a_wave_over_a_shunt_is_its_integral(void **state)
{
    (void)state;
    struct fake_34401a *fake = new_fake(FAKE_SOUND, 0.005, 12);
    expect_wave("34401a=%s@shunt=0.005@rail=12@period=0.01@range=0.1%s", fake->path, "");
    wave_rest(0.05);
    assert_true(fake->stopped_locally);
    assert_false(fake->wrong);
    assert_string_equal(fake->configured, " 0.1");
    end_fake(fake);
}

static void a_list_of_readings_is_timed_as_it_comes(void **state)
{
    (void)state;
    struct fake_34401a *fake = new_fake(FAKE_SOUND, 0.1, 5);
    /* 0.4 periods of mains at 50 Hz are 8 ms; the fake takes them for one of 125 Hz. */
    expect_wave("34401a=%s@shunt=0.1@rail=5@samples=20@mains=125@period=0.008%s", fake->path, "");
    assert_int_equal(fake->samples, 20);
    end_fake(fake);
}

static void one_meter_reads_the_rail(void **state)
{
    (void)state;
    struct fake_34401a *shunt = new_fake(FAKE_ECHOES, 0.01, 11.5);
    struct fake_34401a *rail = new_fake(FAKE_BARE, 0, 11.5);
    expect_wave("34401a=%s@shunt=0.01@rail=%s@period=0.01", shunt->path, rail->path);
    end_fake(shunt);
    end_fake(rail);
}

static void two_meters_have_names_of_their_own(void **state)
{
    (void)state;
    struct fake_34401a *one = new_fake(FAKE_SOUND, 0.01, 12);
    struct fake_34401a *two = new_fake(FAKE_SLIPS, 0.02, 5);
    struct sensor_list meters;
    struct error error;
    find_meters(&meters, "34401a=%s@shunt=0.01@rail=12,34401a=%s@shunt=0.02@rail=5@label=5V", one->path,
                two->path);
    assert_string_not_equal(meters.meters[0].channels[0].name, meters.meters[1].channels[0].name);
    assert_string_equal(meters.meters[0].channels[0].label, "12 V rail");
    assert_string_equal(meters.meters[1].channels[0].label, "5V");
    /* A lost answer costs two seconds of the one that lost it. */
    double off = wave_error(&meters, 6, &error);
    assert_true(off < 0.3);
    sensor_list_free(&meters);
    end_fake(one);
    end_fake(two);
}

static void what_another_run_left_is_cleared(void **state)
{
    (void)state;
    struct fake_34401a *fake = new_fake(FAKE_BUSY, 0.01, 12);
    struct sensor_list meters;
    struct error error;
    find_meters(&meters, "34401a=%s@shunt=0.01@rail=12%s", fake->path, "");
    assert_true(wave_error(&meters, 0.5, &error) < 0.2);
    assert_true(fake->cleared);
    sensor_list_free(&meters);
    end_fake(fake);
}

static void what_does_not_answer_well_is_not_opened(void **state)
{
    (void)state;
    static const struct {
        enum fake_manner manner;
        const char *message;
    } rows[] = {
        {FAKE_STRANGER, "identifies itself as 'ACME,TOASTER,0,1'"},
        {FAKE_MUTE, "no answer to '*IDN?'"},
        {FAKE_REFUSES, "rejects 'CONF:VOLT:DC': -222"},
        {FAKE_OVERLOADS, "exceeds"},
        {FAKE_GARBLES, "not readings, such as '+1.2?34?E-0'"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fake_34401a *fake = new_fake(rows[i].manner, 0.01, 12);
        struct recorder *recorder = NULL;
        struct sensor_list meters;
        struct error error = {0};
        find_meters(&meters, "34401a=%s@shunt=0.01@rail=12%s", fake->path, "");
        assert_int_equal(recorder_open(&meters, &recorder, &error), STATUS_UNAVAILABLE);
        if (strstr(error.message, rows[i].message) == NULL)
            fail_msg("'%s' instead of '%s'", error.message, rows[i].message);
        assert_non_null(strstr(error.message, fake->path));
        sensor_list_free(&meters);
        end_fake(fake);
    }
}

/* Nobody else's column is lost with it. */
static void a_meter_that_goes_away_says_why(void **state)
{
    (void)state;
    static const struct {
        enum fake_manner manner;
        const char *message;
    } rows[] = {{FAKE_HANGS_UP, "hung up"}, {FAKE_FALLS_MUTE, "no longer answers"}};
    for (size_t i = 0; i < 2; i++) {
        struct fake_34401a *fake = new_fake(rows[i].manner, 0.01, 12);
        struct fake_34401a *other = new_fake(FAKE_SOUND, 0.01, 12);
        struct recorder *recorder = NULL;
        struct sensor_list meters;
        struct error error = {0};
        const struct error *why = NULL;
        find_meters(&meters, "34401a=%s@shunt=0.01@rail=12,34401a=%s@shunt=0.01@rail=12", fake->path,
                    other->path);
        if (recorder_open(&meters, &recorder, &error) != STATUS_OK)
            fail_msg("%s", error.message);
        atomic_store(&fake->dies, true);
        double until_s = clock_now_s() + 30;
        while (why == NULL && clock_now_s() < until_s) {
            wave_rest(0.02);
            why = recorder_lost(recorder, 0);
        }
        assert_non_null(why);
        assert_non_null(strstr(why->message, rows[i].message));
        recorder_begin(recorder, NULL, 0);
        wave_rest(0.3);
        recorder_end(recorder, clock_now_s());
        assert_null(recorder_lost(recorder, 1));
        assert_true(recorder_series(recorder, 1, 0)->count > 3);
        assert_int_equal(recorder_series(recorder, 0, 0)->count, 0);
        recorder_close(recorder);
        sensor_list_free(&meters);
        end_fake(fake);
        end_fake(other);
    }
}

static void settings_are_checked(void **state)
{
    (void)state;
    static const struct {
        const char *list, *message;
        enum status status;
    } rows[] = {
        {"34401a=/dev/tty0@rail=12", "needs shunt=", STATUS_USAGE},
        {"34401a=/dev/tty0@shunt=0.1", "needs rail=", STATUS_USAGE},
        {"34401a=/dev/tty0@shunt=0@rail=12", "shunt=0", STATUS_USAGE},
        {"34401a=/dev/tty0@shunt=0.1@rail=twelve", "rail=twelve", STATUS_USAGE},
        {"34401a=/dev/tty0@shunt=0.1@rail=/dev/tty0", "at once", STATUS_USAGE},
        {"34401a=/dev/tty0@shunt=0.1@rail=12@nplc=2", "nplc=2", STATUS_USAGE},
        {"34401a=/dev/tty0@shunt=0.1@rail=12@samples=1.5", "samples=1.5", STATUS_USAGE},
        {"34401a=/dev/tty0@shunt=0.1@rail=12@parity=odds", "parity 'odds'", STATUS_USAGE},
        {"34401a=/dev/tty0@shunt=0.1@rail=12@baud=9601", "9601 baud", STATUS_USAGE},
        {"34401a=/dev/tty0@shunt=0.1@rail=12@shant=1", "no setting 'shant'", STATUS_USAGE},
        {"34401a=/nowhere/tty@shunt=0.1@rail=12", "/nowhere/tty cannot be opened", STATUS_UNAVAILABLE},
        {"34401a=/proc/uptime@shunt=0.1@rail=12", "", STATUS_UNAVAILABLE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct sensor_list meters;
        struct error error = {0};
        enum status status = sensor_list_find(rows[i].list, "", &meters, &error);
        sensor_list_free(&meters);
        if (status != rows[i].status || strstr(error.message, rows[i].message) == NULL ||
            error.hint[0] == '\0')
            fail_msg("%s: %d: %s (%s)", rows[i].list, status, error.message, error.hint);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_are_checked),
        cmocka_unit_test(a_wave_over_a_shunt_is_its_integral),
        cmocka_unit_test(a_list_of_readings_is_timed_as_it_comes),
        cmocka_unit_test(one_meter_reads_the_rail),
        cmocka_unit_test(two_meters_have_names_of_their_own),
        cmocka_unit_test(what_another_run_left_is_cleared),
        cmocka_unit_test(what_does_not_answer_well_is_not_opened),
        cmocka_unit_test(a_meter_that_goes_away_says_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
