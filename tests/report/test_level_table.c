/* The tables of levels: a number that is withheld has its own reason in its row. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/level_table.h"
#include "tests/report/points_list.h"

#include <stdlib.h>
#include <string.h>

/* Two copies' point as in results, without a bandwidth. */
static json_t *two_copies(double overlap)
{
    return json_pack("{s:{s:s, s:s, s:i}, s:[{s:i}, {s:i}], s:{s:f}, s:{}}", "point", "level", "MEM", "op",
                     "read", "threads", 2, "threads", "cpu", 0, "cpu", 1, "together", "overlap", overlap,
                     "rates");
}

static char *bandwidth_of(json_t *point)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    json_t *lines = json_pack("[o]", point);
    struct result_points points;
    points_list(lines, &points);
    level_table_bandwidth(&points, to);
    fclose(to);
    result_points_free(&points);
    json_decref(lines);
    return text;
}

static void assert_says(json_t *point, const char *words)
{
    char *text = bandwidth_of(point);
    assert_non_null(strstr(text, words));
    free(text);
}

static void copies_that_ran_in_turn_are_the_reason(void **state)
{
    (void)state;
    assert_says(two_copies(0.31), "in one repetition all 2 copies made passes for only 31 % of its time");
    assert_says(two_copies(0.9), "no requested source observed it");
}

static void a_failure_is_the_reason_whatever_else_is_known(void **state)
{
    (void)state;
    json_t *point = two_copies(0.31);
    json_object_set_new(point, "error", json_string("the program ended by signal 9"));
    assert_says(point, "the program ended by signal 9");
}

static void what_a_source_says_of_the_level_is_the_reason(void **state)
{
    (void)state;
    json_t *point = two_copies(1);
    json_object_set_new(point, "rates",
                        json_pack("{s:{s:s, s:s}}", "served.MEM", "verdict", "unobserved", "reason",
                                  "timing: something else uses the core"));
    assert_says(point, "timing: something else uses the core");
}

static void a_number_without_an_interval_has_its_reason_below(void **state)
{
    (void)state;
    json_t *point = two_copies(1);
    json_object_set_new(point, "rates",
                        json_pack("{s:{s:[{s:s, s:s, s:f, s:n, s:n, s:i, s:s}]}}", "bandwidth.MEM",
                                  "observations", "source", "timing", "kind", "inferred", "value", 2e9, "low",
                                  "high", "n", 3, "doubt", "all repetitions were disturbed"));
    char *text = bandwidth_of(point);
    assert_non_null(strstr(text, " 2 ?  timing\n"));
    assert_non_null(strstr(text, "\n? all repetitions were disturbed (MEM)\n"));
    assert_null(strstr(text, "nan"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_that_ran_in_turn_are_the_reason),
        cmocka_unit_test(a_failure_is_the_reason_whatever_else_is_known),
        cmocka_unit_test(what_a_source_says_of_the_level_is_the_reason),
        cmocka_unit_test(a_number_without_an_interval_has_its_reason_below),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
