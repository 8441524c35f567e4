/* Lines of a plain meter: columns, separators, non-numbers; and random bytes, which cause neither crash nor
 * hang. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runner/power/meters/line_text.h"
#include "tests/mutate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum status read_format(const char *settings, struct line_format *format, struct error *error)
{
    char text[200];
    struct sensor_request request;
    int length = snprintf(text, sizeof text, "line=/dev/null%s", settings);
    assert_int_equal(request_parse(text, (size_t)length, "", &request, error), STATUS_OK);
    return line_format_read(&request, format, error);
}

static const struct {
    const char *settings, *line;
    enum line_kind kind;
    double watts, meter_s;
} said[] = {
    {"", "12.5", LINE_READING, 12.5, NAN},
    {"", "  -3e1 \t", LINE_READING, -30, NAN},
    {"@scale=-2", "1.5", LINE_READING, -3, NAN},
    {"@columns=mw", "1500", LINE_READING, 1.5, NAN},
    {"@columns=v:a", "12 2.5", LINE_READING, 30, NAN},
    {"@columns=v:a", "12\t2.5", LINE_READING, 30, NAN},
    {"@columns=v:a", "12;2.5;", LINE_READING, 30, NAN},
    {"@columns=v:a", "12 , 2.5", LINE_READING, 30, NAN},
    {"@columns=A:MV", "2,12000", LINE_READING, 24, NAN},
    {"@volts=12", "2.5", LINE_READING, 30, NAN},
    {"@columns=ms:-:ma@volts=5", "1500,ok,200", LINE_READING, 1, 1.5},
    {"@columns=t:w", "0.25 7", LINE_READING, 7, 0.25},
    {"@columns=us:w", "250000,7", LINE_READING, 7, 0.25},
    {"@columns=t:w", "0.25,", LINE_NOT_NUMBERS, NAN, NAN},
    {"@columns=t:w:-", "0.25,,1", LINE_MISSING, NAN, 0.25},
    {"", "nan", LINE_MISSING, NAN, NAN},
    {"", "-inf", LINE_MISSING, NAN, NAN},
    {"", "1e999", LINE_MISSING, NAN, NAN},
    {"@columns=t:w", "0.5 ovf", LINE_MISSING, NAN, 0.5},
    {"@columns=v:a", "12 inf", LINE_MISSING, NAN, NAN},
    {"", "", LINE_EMPTY, NAN, NAN},
    {"", " \t ", LINE_EMPTY, NAN, NAN},
    {"", "watts", LINE_NOT_NUMBERS, NAN, NAN},
    {"", "# 12", LINE_NOT_NUMBERS, NAN, NAN},
    {"", "12.5W", LINE_NOT_NUMBERS, NAN, NAN},
    {"", "0x10", LINE_NOT_NUMBERS, NAN, NAN},
    {"", "1.2.3", LINE_NOT_NUMBERS, NAN, NAN},
    {"", "-", LINE_NOT_NUMBERS, NAN, NAN},
    {"", "1 2", LINE_NOT_NUMBERS, NAN, NAN},
    {"@columns=t:w", "1", LINE_NOT_NUMBERS, NAN, NAN},
    {"", "12,5", LINE_DECIMAL_COMMA, NAN, NAN},
    {"@columns=t:w", "0,5;12,5", LINE_DECIMAL_COMMA, NAN, NAN},
    {"@columns=t:w", "7 12,5", LINE_DECIMAL_COMMA, NAN, NAN},
    {"", "1.5, 2", LINE_NOT_NUMBERS, NAN, NAN},
};

static void lines_are_read_as_columns_say(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof said / sizeof said[0]; i++) {
        struct line_format format;
        struct line_reading reading;
        struct error error = {0};
        if (read_format(said[i].settings, &format, &error) != STATUS_OK)
            fail_msg("row %zu: %s", i, error.message);
        enum line_kind kind = line_read(&format, said[i].line, strlen(said[i].line), &reading);
        if (kind != said[i].kind)
            fail_msg("row %zu '%s': kind %d", i, said[i].line, kind);
        bool same_watts =
            isnan(said[i].watts) ? !isfinite(reading.watts) : fabs(reading.watts - said[i].watts) < 1e-9;
        bool same_time =
            isnan(said[i].meter_s) ? isnan(reading.meter_s) : fabs(reading.meter_s - said[i].meter_s) < 1e-9;
        if (!same_watts || !same_time)
            fail_msg("row %zu '%s': %g W at %g s", i, said[i].line, reading.watts, reading.meter_s);
    }
}

static void columns_that_make_no_power_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *settings, *said;
    } rows[] = {
        {"@columns=a", "do not give a power"},
        {"@columns=v", "do not give a power"},
        {"@columns=w:w", "do not give a power"},
        {"@columns=w@volts=12", "do not give a power"},
        {"@columns=v:a@volts=12", "do not give a power"},
        {"@columns=t:t:w", "do not give a power"},
        {"@columns=w:", "no column ''"},
        {"@columns=kw", "no column 'kw'"},
        {"@columns=-", "do not give a power"},
        {"@volts=0", "volts=0 is not a number"},
        {"@scale=x", "scale=x is not a number"},
        {"@columns=w:-:-:-:-:-:-:-:-:-:-:-:-:-:-:-:-", "more than"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct line_format format;
        struct error error = {0};
        assert_int_equal(read_format(rows[i].settings, &format, &error), STATUS_USAGE);
        if (strstr(error.message, rows[i].said) == NULL)
            fail_msg("%s: %s", rows[i].settings, error.message);
    }
}

static void no_bytes_are_too_strange(void **state)
{
    (void)state;
    static const char likely[] = "0123456789.,;+-eE \t\r nNaAinfx\0\x80\xff";
    static const char *const settings[] = {"", "@columns=t:w", "@columns=v:a", "@columns=-:-:mw:us"};
    struct random random = mutate_start("lines");
    for (size_t round = 0; round < 20000; round++) {
        size_t length = random_below(&random, 64);
        char *line = malloc(length + 1); /* a read beyond it is seen */
        struct line_format format;
        struct line_reading reading;
        struct error error;
        assert_non_null(line);
        for (size_t i = 0; i < length; i++)
            line[i] = random_below(&random, 8) == 0 ? (char)random_below(&random, 256)
                                                    : likely[random_below(&random, sizeof likely)];
        assert_int_equal(read_format(settings[round % 4], &format, &error), STATUS_OK);
        enum line_kind kind = line_read(&format, line, length, &reading);
        assert_true((kind == LINE_READING) == (bool)isfinite(reading.watts));
        free(line);
    }
}

/* ---- when they were taken ---- */

static void a_burst_is_spread_over_the_time_it_took(void **state)
{
    (void)state;
    struct line_clock clock = {0};
    struct line_reading readings[4];
    double times_s[4];
    for (size_t i = 0; i < 4; i++)
        readings[i] = (struct line_reading){1, NAN};
    line_clock_stamp(&clock, 100, readings, 3, times_s);
    assert_true(isnan(times_s[0]) && isnan(times_s[1]));
    assert_float_equal(times_s[2], 100, 0);
    for (int i = 1; i <= 10; i++)
        line_clock_stamp(&clock, 100 + 0.01 * i, readings, 1, times_s);
    assert_float_equal(times_s[0], 100.1, 1e-9);
    line_clock_stamp(&clock, 100.14, readings, 4, times_s); /* the reader was late */
    for (size_t i = 0; i < 4; i++)
        assert_float_equal(times_s[i], 100.11 + 0.01 * (double)i, 1e-9);
    line_clock_stamp(&clock, 110, readings, 2, times_s); /* and here the meter was silent */
    assert_float_equal(times_s[0], 109.99, 1e-3);
    assert_float_equal(times_s[1], 110, 0);
}

/* Latencies of 0 to 5 ms, a clock that is 0.4 % off, and a meter that begins anew. */
static void the_meters_clock_is_aligned_by_the_least_latency(void **state)
{
    (void)state;
    static const double rates[] = {1, 1.004, 0.996};
    struct random random = random_start(3, "latency");
    for (size_t k = 0; k < 3; k++) {
        struct line_clock clock = {0};
        double time_s = 0;
        for (int i = 0; i < 6000; i++) {
            double true_s = 1000 + 0.01 * i;
            double began_s = i < 3000 ? 990 : 1029.5;
            struct line_reading reading = {1, (true_s - began_s) * rates[k]};
            line_clock_stamp(&clock, true_s + 1e-3 * (double)random_below(&random, 6), &reading, 1, &time_s);
            if (i % 3000 > 500)
                assert_true(fabs(time_s - true_s) < 4e-3);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_read_as_columns_say),
        cmocka_unit_test(columns_that_make_no_power_are_refused),
        cmocka_unit_test(no_bytes_are_too_strange),
        cmocka_unit_test(a_burst_is_spread_over_the_time_it_took),
        cmocka_unit_test(the_meters_clock_is_aligned_by_the_least_latency),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
