/* The table of mixes: ordered by power where most have one to trust, else by IPC and width, and it says
 * which. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/level_table.h"
#include "tests/report/points_list.h"

#include <stdlib.h>
#include <string.h>

static void add_judged(json_t *lines, const char *reach, int width, double watts, const char *verdict,
                       double ipc)
{
    json_t *line = json_pack("{s:{s:s, s:i, s:i, s:i}}", "point", "reach", reach, "fma", 2, "width", width,
                             "threads", 4);
    if (ipc > 0)
        json_object_set_new(line, "rates",
                            json_pack("{s:{s:[{s:s, s:s, s:f, s:f, s:f, s:i}]}}", "ipc", "observations",
                                      "source", "perf", "kind", "measured", "value", ipc, "low", ipc, "high",
                                      ipc, "n", 3));
    if (verdict != NULL)
        json_object_set_new(line, "power",
                            json_pack("{s:s, s:{s:f, s:f, s:f}}", "verdict", verdict, "power.dynamic_w",
                                      "value", watts, "low", watts - 1, "high", watts + 1));
    json_array_append_new(lines, line);
}

/* A point as in results; watts 0: no power was measured, ipc 0: none observed. */
static void add(json_t *lines, const char *reach, int width, double watts, double ipc)
{
    add_judged(lines, reach, width, watts, watts > 0 ? "trustworthy" : NULL, ipc);
}

static char *printed(json_t *lines)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    struct result_points points;
    points_list(lines, &points);
    stress_table(&points, to);
    result_points_free(&points);
    fclose(to);
    json_decref(lines);
    return text;
}

static void assert_in_order(const char *text, const char *first, const char *second)
{
    const char *at = strstr(text, first);
    assert_non_null(at);
    assert_non_null(strstr(at, second));
}

static void power_decides_where_all_have_it(void **state)
{
    (void)state;
    json_t *lines = json_array();
    add(lines, "L1", 64, 50, 3);
    add(lines, "L2", 32, 90, 1);
    add(lines, "MEM", 32, 70, 0);
    char *text = printed(lines);
    assert_in_order(text, "\nL2 ", "\nMEM ");
    assert_in_order(text, "\nMEM ", "\nL1 ");
    assert_non_null(
        strstr(text, "draws the most: reach = L2, fma = 2, width = 32 bytes, by dynamic power\n"));
    assert_non_null(strstr(
        text, "trauma run measure/stress --set reach=L2 --set fma=2 --set width=32B --set threads=4 "));
    free(text);
}

static void power_in_doubt_is_marked(void **state)
{
    (void)state;
    json_t *lines = json_array();
    add(lines, "L1", 64, 50, 3);
    add(lines, "L2", 32, 90, 1);
    add(lines, "L3", 32, 40, 1);
    json_t *power = json_object_get(json_array_get(lines, 1), "power");
    json_object_set_new(power, "verdict", json_string("untrustworthy"));
    json_object_set_new(power, "reason", json_string("the sensor stood still"));
    json_object_set_new(json_object_get(power, "power.dynamic_w"), "low", json_null());
    json_object_set_new(json_object_get(power, "power.dynamic_w"), "high", json_null());
    char *text = printed(lines);
    assert_non_null(strstr(text, "  90 ?  "));
    assert_non_null(strstr(text, "\n? the sensor stood still (L2, fma = 2, width = 32)\n"));
    assert_null(strstr(text, "nan"));
    free(text);
}

static void ipc_and_width_decide_without_power(void **state)
{
    (void)state;
    json_t *lines = json_array();
    add(lines, "L1", 32, 0, 3);   /* 768 bits per cycle */
    add(lines, "L2", 64, 80, 2);  /* 1024; its power alone compares with nothing */
    add(lines, "none", 16, 0, 4); /* 512 */
    add(lines, "MEM", 64, 0, 0);  /* unseen */
    char *text = printed(lines);
    assert_in_order(text, "\nL2 ", "\nL1 ");
    assert_in_order(text, "\nL1 ", "\nnone ");
    assert_non_null(
        strstr(text, "stresses the most: reach = L2, fma = 2, width = 64 bytes, by IPC and vector width"));
    assert_non_null(strstr(text, "1 mix left out"));
    free(text);
}

static void power_that_is_not_to_be_trusted_names_nobody(void **state)
{
    (void)state;
    static const struct {
        double watts;
        const char *verdict;
    } rows[] = {{0, "untrustworthy"}, {0, "trustworthy"}, {30, "untrustworthy"}, {-30, "trustworthy"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        json_t *lines = json_array();
        add_judged(lines, "L1", 32, rows[i].watts, rows[i].verdict, 3);
        add_judged(lines, "L2", 64, rows[i].watts, rows[i].verdict, 2);
        add(lines, "none", 32, 50, 1);
        char *text = printed(lines);
        assert_in_order(text, "\nL2 ", "\nL1 ");
        assert_non_null(strstr(text,
                               "stresses the most: reach = L2, fma = 2, width = 64 bytes, by IPC and vector "
                               "width, as only 1 of 3 mixes have trustworthy power"));
        free(text);
    }
}

static void a_few_untrustworthy_powers_follow_the_others(void **state)
{
    (void)state;
    json_t *lines = json_array();
    add_judged(lines, "L3", 64, 99, "untrustworthy", 3);
    add(lines, "L1", 64, 50, 3);
    add(lines, "L2", 32, 90, 1);
    char *text = printed(lines);
    assert_in_order(text, "\nL2 ", "\nL1 ");
    assert_in_order(text, "\nL1 ", "\nL3 ");
    assert_non_null(strstr(text, " untrustworthy"));
    assert_non_null(
        strstr(text, "draws the most: reach = L2, fma = 2, width = 32 bytes, by dynamic power, without 1 "
                     "mix whose power is not trustworthy\n"));
    free(text);
}

static void nobody_is_named_without_either(void **state)
{
    (void)state;
    json_t *lines = json_array();
    add_judged(lines, "L1", 64, 0, "untrustworthy", 0);
    char *text = printed(lines);
    assert_non_null(strstr(text, "no order: too few mixes have trustworthy power"));
    assert_null(strstr(text, "to run it"));
    free(text);
}

static void mixes_that_are_alike_are_said(void **state)
{
    (void)state;
    json_t *lines = json_array();
    add(lines, "L1", 64, 90, 3);
    add(lines, "L2", 64, 91, 3);
    char *text = printed(lines);
    assert_non_null(strstr(text, "reach = L2"));
    assert_non_null(strstr(text, "the interval of 1 other reaches it"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(power_decides_where_all_have_it),
        cmocka_unit_test(power_in_doubt_is_marked),
        cmocka_unit_test(ipc_and_width_decide_without_power),
        cmocka_unit_test(mixes_that_are_alike_are_said),
        cmocka_unit_test(power_that_is_not_to_be_trusted_names_nobody),
        cmocka_unit_test(a_few_untrustworthy_powers_follow_the_others),
        cmocka_unit_test(nobody_is_named_without_either),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
