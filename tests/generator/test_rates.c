/* Rates of a plan: all that are added are present, whatever their number. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "generator/plan/rates.h"

#include <stdio.h>

static void none_is_dropped(void **state)
{
    enum { COUNT = 500 };
    (void)state;
    struct arena arena = {0};
    struct rates rates = {0};
    char names[COUNT][16];
    for (int i = 0; i < COUNT; i++) {
        snprintf(names[i], sizeof names[i], "mix.%d", i);
        rates_add(&arena, &rates, names[i], i);
    }
    rates_set(&arena, &rates, "mix.7", 70);
    rates_set(&arena, &rates, "ipc", 3);
    assert_int_equal(rates.count, COUNT + 1);
    for (int i = 0; i < COUNT; i++)
        assert_true(rates_get(&rates, names[i], -1) == (i == 7 ? 70 : i));
    assert_true(rates_get(&rates, "ipc", -1) == 3);
    assert_true(rates_get(&rates, "dpc", -1) == -1);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(none_is_dropped)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
