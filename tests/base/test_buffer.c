/* Text written without printf equals printf's output. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "base/random.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NUMBERS = 200000 };

static void numbers_are_decimal(void **state)
{
    struct random random = random_start(1, "numbers");
    (void)state;
    for (unsigned i = 0; i < NUMBERS; i++) {
        uint64_t number = (uint64_t)random_next(&random) << 32 | random_next(&random);
        char expected[32];
        struct buffer buffer = {0};
        number >>= random_below(&random, 64);
        snprintf(expected, sizeof expected, "%" PRIu64, number);
        buffer_number(&buffer, number);
        assert_string_equal(buffer.data, expected);
        assert_int_equal(buffer.size, strlen(expected));
        buffer_free(&buffer);
    }
}

static void check_decimal(double number, unsigned *taken)
{
    char ten[40];
    char fifteen[40];
    struct buffer buffer = {0};
    snprintf(ten, sizeof ten, "%.10g", number);
    snprintf(fifteen, sizeof fifteen, "%.15g", number);
    if (buffer_decimal(&buffer, number)) {
        assert_string_equal(buffer.data, ten);
        assert_string_equal(buffer.data, fifteen);
        (*taken)++;
    } else {
        assert_int_equal(buffer.size, 0);
    }
    buffer_free(&buffer);
}

/* Those of few digits, and others, which it leaves alone. */
static void decimals_are_those_of_printf(void **state)
{
    static const double edges[] = {0,    -0.5,        1e-4, 9.9e-5,   0.0001, 0.999999, 0.9999999,
                                   1,    9999.999999, 1e4,  12345.5,  1e9,    1.0 / 3,  0.1 + 0.2,
                                   1e-6, 0.1,         100,  0.000101, 1e300,  5e-324};
    struct random random = random_start(2, "decimals");
    unsigned taken = 0;
    unsigned some = 0;
    (void)state;
    for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++)
        check_decimal(edges[i], &some);
    for (unsigned i = 0; i < NUMBERS; i++) {
        static const double powers[] = {1, 10, 100, 1e3, 1e4, 1e5, 1e6};
        check_decimal(random_next(&random) / powers[random_below(&random, 7)], &taken);
        check_decimal(random_below(&random, 10000) / powers[random_below(&random, 7)], &taken);
        check_decimal(random_next(&random) / 4294967296.0, &some);
    }
    assert_true(taken > NUMBERS / 4);
}

static void what_is_printed_is_whole(void **state)
{
    (void)state;
    for (int size = 0; size < 700; size++) {
        struct buffer buffer = {0};
        buffer_text(&buffer, "begun ");
        buffer_printf(&buffer, "%*d|", size, 7);
        assert_int_equal(buffer.size, 6 + (size > 1 ? size : 1) + 1);
        assert_int_equal(strlen(buffer.data), buffer.size);
        assert_int_equal(buffer.data[buffer.size - 1], '|');
        buffer_free(&buffer);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_decimal),
        cmocka_unit_test(decimals_are_those_of_printf),
        cmocka_unit_test(what_is_printed_is_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
