/* Sizes and numbers: what is accepted, what is refused, and that written ones read back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "base/units.h"

#include <string.h>

static void sizes_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t bytes;
    } rows[] = {
        {"0", 0},
        {"64", 64},
        {"64B", 64},
        {"48KiB", 49152},
        {"2 MiB", 2097152},
        {"1GiB", UINT64_C(1) << 30},
        {"18446744073709551615", UINT64_MAX},
        {"17179869183GiB", UINT64_C(17179869183) << 30},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t bytes = 1;
        assert_true(units_parse_size(rows[i].text, &bytes));
        assert_int_equal(bytes, rows[i].bytes);
    }
}

static void other_texts_are_no_sizes(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",    " 1",   "-1",     "+1",   "1.5KiB",        "KiB",
        "1KB", "1kib", "1KiB ",  "0x10", "1 KiBs",        "18446744073709551616",
        "1 2", "inf",  "1\nKiB", "1e3",  "17179869184GiB"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        uint64_t bytes;
        if (units_parse_size(texts[i], &bytes))
            fail_msg("'%s' was read", texts[i]);
    }
}

static void any_size_reads_back(void **state)
{
    (void)state;
    struct random random = random_start(1, "units");
    for (int i = 0; i < 10000; i++) {
        uint64_t bytes =
            ((uint64_t)random_next(&random) << 32 | random_next(&random)) >> random_below(&random, 64);
        bytes <<= random_below(&random, 2) * random_below(&random, 40);
        char text[32];
        uint64_t again = ~bytes;
        assert_true(units_parse_size(units_format_size(bytes, text, sizeof text), &again));
        assert_int_equal(again, bytes);
    }
}

static void the_largest_unit_is_written(void **state)
{
    (void)state;
    char text[32];
    assert_string_equal(units_format_size(49152, text, sizeof text), "48KiB");
    assert_string_equal(units_format_size(1 << 20, text, sizeof text), "1MiB");
    assert_string_equal(units_format_size(1000, text, sizeof text), "1000B");
    assert_string_equal(units_format_size(0, text, sizeof text), "0B");
}

static void numbers_have_no_rounding_of_the_last_bit(void **state)
{
    (void)state;
    char text[32];
    assert_string_equal(units_format_number(0.1 * 3, text, sizeof text), "0.3");
    assert_string_equal(units_format_number(-0.0, text, sizeof text), "0");
    assert_string_equal(units_format_number(1e20, text, sizeof text), "1e+20");
}

static void only_finite_numbers_are_read(void **state)
{
    (void)state;
    double value;
    assert_true(units_parse_number("0.25", &value) && value == 0.25);
    assert_true(units_parse_number("-1e3", &value) && value == -1000);
    static const char *const texts[] = {"", " 1", "1 ", "x", "1x", "nan", "inf", "1e999", "0.5,0.6"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_false(units_parse_number(texts[i], &value));
}

static void powers_of_two(void **state)
{
    (void)state;
    assert_false(units_is_power_of_two(0));
    for (unsigned shift = 0; shift < 64; shift++)
        assert_true(units_is_power_of_two(UINT64_C(1) << shift));
    for (unsigned shift = 2; shift < 64; shift++)
        assert_false(units_is_power_of_two((UINT64_C(1) << shift) - 1));
}

static void disk_use_is_shown_in_powers_of_a_thousand(void **state)
{
    (void)state;
    static const struct {
        double bytes;
        const char *text;
    } cases[] = {{0, "0 B"},         {999.4, "999 B"},   {999.6, "1.0 kB"},
                 {9940, "9.9 kB"},   {9960, "10 kB"},    {999499, "999 kB"},
                 {999999, "1.0 MB"}, {3.44e6, "3.4 MB"}, {2e15, "2000 TB"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[40];
        assert_string_equal(units_show_disk(cases[i].bytes, text, sizeof text), cases[i].text);
    }
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
        cmocka_unit_test(disk_use_is_shown_in_powers_of_a_thousand),
        cmocka_unit_test(sizes_are_read),
        cmocka_unit_test(other_texts_are_no_sizes),
        cmocka_unit_test(any_size_reads_back),
        cmocka_unit_test(the_largest_unit_is_written),
        cmocka_unit_test(numbers_have_no_rounding_of_the_last_bit),
        cmocka_unit_test(only_finite_numbers_are_read),
        cmocka_unit_test(powers_of_two),
        cmocka_unit_test(durations_have_two_units),
    };
    return cmocka_run_group_tests_name("base/units", tests, NULL, NULL);
}
