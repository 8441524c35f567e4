/* The line of the field that a message refers to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "generator/recipe/field_line.h"

static const char RECIPE[] = "-- benchmark { measure = 1\n"                              /* 1 */
                             "local x = 'measure = {'\n"                                 /* 2 */
                             "benchmark {\n"                                             /* 3 */
                             "  name = \"a { tolerance = 1 \", -- tolerance = 2\n"       /* 4 */
                             "  kernel = function() return { load { time = 1 } } end,\n" /* 5 */
                             "  title = [==[ ]] threads = { ]==],\n"                     /* 6 */
                             "  measure = {\n"                                           /* 7 */
                             "    reps = 2,\n"                                           /* 8 */
                             "    time = 1,\n"                                           /* 9 */
                             "  },\n"                                                    /* 10 */
                             "  expect = {\n"                                            /* 11 */
                             "    [\"l1d.miss_rate\"] = 1,\n"                            /* 12 */
                             "    ipcc = 1,\n"                                           /* 13 */
                             "  }, tolerance = 3,\n"                                     /* 14 */
                             "  threads\n"                                               /* 15 */
                             "    = 2,\n"                                                /* 16 */
                             "}\n"                                                       /* 17 */
                             "benchmark { name = \"b\", place = 1 }\n";                  /* 18 */

static void a_field_is_found(void **state)
{
    (void)state;
    static const struct {
        int line;
        const char *message;
        int wanted;
    } cases[] = {
        {3, "a: benchmark.measure has no field 'time': did you mean 'reps'?", 9},
        {3, "a: benchmark.measure.time is -1: expected a number", 9},
        {3, "a: benchmark.measure.gone is -1: expected a number", 7},
        {3, "a: benchmark.tolerance is 3: expected less", 14},
        {3, "a/x=1: benchmark.threads is 2: expected less", 15},
        {3, "a: benchmark.expect names the metric \"ipcc\": did you mean 'ipc'?", 13},
        {3, "a: benchmark.expect names the metric \"l1d.miss_rate\": did you mean 'ipc'?", 12},
        {3, "benchmark has no field 'title': did you mean 'tags'?", 6},
        {3, "a: benchmark.place is 1: expected a table", 3}, /* the other benchmark's */
        {18, "b: benchmark.place is 1: expected a table", 18},
        {5, "a: load has no field 'time'", 5},
        {3, "a: the sweep is wrong", 3},
        {99, "a: benchmark.measure is 1", 99},
        {3, "", 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (field_line_in(RECIPE, cases[i].line, cases[i].message) != cases[i].wanted)
            fail_msg("'%s' is said of line %d instead of %d", cases[i].message,
                     field_line_in(RECIPE, cases[i].line, cases[i].message), cases[i].wanted);
}

static void a_text_without_end_is_read_to_its_end(void **state)
{
    (void)state;
    static const char *const texts[] = {"machine { name = \"",
                                        "machine { a = [[",
                                        "machine { --[==[ ",
                                        "machine {",
                                        "machine { a = 'x\\",
                                        "machine { [\"",
                                        ""};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_int_equal(field_line_in(texts[i], 1, "machine.caches.L1D.ways is 0"), 1);
}

static void a_machine_has_fields_too(void **state)
{
    (void)state;
    static const char text[] = "machine {\n  name = 'x',\n  caches = {\n    L1D = { ways = 1 },\n    L2 = {\n"
                               "      ways = 0, wys = 1,\n    },\n  },\n}\n";
    assert_int_equal(field_line_in(text, 1, "machine.caches.L2.ways is 0: expected 1"), 6);
    assert_int_equal(field_line_in(text, 1, "unknown field 'wys' in machine.caches.L2, did you mean 'ways'?"),
                     6);
    assert_int_equal(field_line_in(text, 1, "machine.caches.L1D.ways is 0: expected 1"), 4);
    assert_int_equal(field_line_in(text, 1, "unknown field 'name' in machine, did you mean"), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_field_is_found),
                                       cmocka_unit_test(a_text_without_end_is_read_to_its_end),
                                       cmocka_unit_test(a_machine_has_fields_too)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
