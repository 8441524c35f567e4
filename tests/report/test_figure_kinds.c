/* What plots may request besides lines: bars in the recipe's order, stacks, shares of another point, two
 * axes, metrics on x, fits, traces and idle intervals. */
#include "base/buffer.h"
#include "base/file.h"
#include "base/json.h"
#include "report/figure/figure.h"
#include "report/figure/figure_build.h"
#include "report/figure/figure_draw.h"
#include "report/figure/trace_read.h"
#include "tests/report/points_of.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static json_t *parse(const char *text)
{
    struct error error = {0};
    json_t *document = json_parse(text, strlen(text), "test", &error);
    if (document == NULL)
        fail_msg("%s", error.message);
    return document;
}

static void expect_near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-9 * (1 + fabs(expected))))
        fail_msg("found %.12g, expected %.12g", value, expected);
}

/* The figure of one plot and points, both as JSON; sensors are "chip" (energy) and "heat" (temperature). */
static struct figure build(const char *plot, const char *points, const char *folder)
{
    struct buffer text = {0};
    buffer_printf(
        &text,
        "{\"machine\":{\"name\":\"here\"},\"sensors\":[{\"name\":\"chip\",\"label\":\"package\","
        "\"quantity\":\"energy\"},{\"name\":\"heat\",\"label\":\"die\",\"quantity\":\"temperature\"}],"
        "\"benchmarks\":[{\"name\":\"b\",\"title\":\"T\",\"plot\":[%s]}]}",
        plot);
    json_t *context = parse(text.data);
    json_t *list = parse(points);
    struct results_context of;
    results_context_read(context, &of);
    struct figure_points read = points_of(&of, list);
    const struct figure_results results = {&of, &read, folder};
    struct figure figure = {0};
    figure_build(&figure, &results, NULL);
    figure_points_free(&read);
    results_context_free(&of);
    buffer_free(&text);
    json_decref(context);
    json_decref(list);
    return figure;
}

/* A point with dynamic power value +- 1 and an IPC of 2. */
#define POINT(parameters, value, low, high)                                                                  \
    "{\"benchmark\":\"b\",\"target\":\"x\",\"point\":{" parameters                                           \
    "},\"rates\":{\"ipc\":{\"observations\":["                                                               \
    "{\"source\":\"perf\",\"kind\":\"measured\",\"value\":2,\"low\":1.5,\"high\":2.5}]}},\"power\":{"        \
    "\"power.dynamic_w\":{\"value\":" #value ",\"low\":" #low ",\"high\":" #high "}}}"

static const struct figure_sample *sample(const struct figure *figure, size_t line, size_t index)
{
    assert_true(figure->panel_count > 0 && line < figure->panels[0].line_count);
    assert_true(index < figure->panels[0].lines[line].count);
    return &figure->panels[0].lines[line].samples[index];
}

static void words_keep_the_recipe_s_order(void **state)
{
    (void)state;
    struct figure figure = build("{\"x\":\"level\",\"y\":[\"ipc\"],\"by\":\"path\",\"kind\":\"bars\","
                                 "\"order\":{\"level\":[\"L1\",\"L2\"],"
                                 "\"path\":[\"short\",\"long\"]}}",
                                 "[" POINT("\"level\":\"L2\",\"path\":\"long\"", 1, 1,
                                           1) "," POINT("\"level\":\"L1\",\"path\":\"short\"", 1, 1, 1) "]",
                                 NULL);
    assert_string_equal(figure.panels[0].categories[0], "L1");
    assert_string_equal(figure.panels[0].lines[0].label, "path = short");
    expect_near(sample(&figure, 1, 0)->x, 1);
    figure_free(&figure);
    /* Numbers under bars are sorted by size, whatever order they were measured in. */
    figure = build(
        "{\"x\":\"n\",\"y\":[\"ipc\"],\"kind\":\"bars\"}",
        "[" POINT("\"n\":16", 1, 1, 1) "," POINT("\"n\":2", 1, 1, 1) "," POINT("\"n\":8", 1, 1, 1) "]", NULL);
    assert_int_equal(figure.panels[0].category_count, 3);
    assert_string_equal(figure.panels[0].categories[0], "2");
    assert_string_equal(figure.panels[0].categories[2], "16");
    figure_free(&figure);
}

/* Bars of a line that is alone at its x stand on x, as wide as all others. */
static void bars_are_in_the_middle_of_their_group(void **state)
{
    (void)state;
    struct buffer script = {0};
    struct figure figure = build("{\"x\":\"level\",\"y\":[\"ipc\"],\"by\":\"path\",\"kind\":\"bars\","
                                 "\"order\":{\"level\":[\"L1\",\"L2\"],\"path\":[\"short\",\"long\"]}}",
                                 "[" POINT("\"level\":\"L1\",\"path\":\"short\"", 1, 1,
                                           1) "," POINT("\"level\":\"L2\",\"path\":\"long\"", 1, 1, 1) "]",
                                 NULL);
    figure_script(&figure, FIGURE_SVG, "none.svg", &script);
    assert_non_null(strstr(script.data, "$line0 << END\n0 2 1.5 2.5 NaN NaN 0 -0.3 0.3 0\nEND\n"));
    assert_non_null(strstr(script.data, "$line1 << END\n1 2 1.5 2.5 NaN NaN 0 0.7 1.3 0\nEND\n"));
    buffer_free(&script);
    figure_free(&figure);
    script = (struct buffer){0};
    figure = build("{\"x\":\"level\",\"y\":[\"ipc\"],\"by\":\"path\",\"kind\":\"bars\","
                   "\"order\":{\"level\":[\"L1\",\"L2\"],\"path\":[\"short\",\"long\"]}}",
                   "[" POINT("\"level\":\"L1\",\"path\":\"short\"", 1, 1,
                             1) "," POINT("\"level\":\"L1\",\"path\":\"long\"", 1, 1,
                                          1) "," POINT("\"level\":\"L2\",\"path\":\"long\"", 1, 1, 1) "]",
                   NULL);
    figure_script(&figure, FIGURE_SVG, "none.svg", &script);
    assert_non_null(strstr(script.data, "$line1 << END\n0.2 2 1.5 2.5 NaN NaN 0 0 0.4 0\n"
                                        "1 2 1.5 2.5 NaN NaN 0 0.8 1.2 0\nEND\n"));
    buffer_free(&script);
    figure_free(&figure);
}

static void stacked_bars_stand_on_one_another(void **state)
{
    (void)state;
    struct figure figure =
        build("{\"x\":\"n\",\"y\":[\"power.dynamic_w\"],\"by\":\"k\",\"kind\":\"stacked\"}",
              "[" POINT("\"n\":1,\"k\":1", 10, 9, 11) "," POINT("\"n\":1,\"k\":2", 5, 4, 6) "]", NULL);
    expect_near(sample(&figure, 0, 0)->base, 0);
    expect_near(sample(&figure, 1, 0)->base, 10);
    expect_near(sample(&figure, 1, 0)->y, 15);
    expect_near(sample(&figure, 1, 0)->low, 14);
    figure_free(&figure);
}

static void shares_are_of_the_point_that_differs_in_that_alone(void **state)
{
    (void)state;
    struct figure figure = build(
        "{\"x\":\"n\",\"y\":[\"power.dynamic_w\"],\"by\":\"path\",\"relative\":{\"path\":[\"short\"]}}",
        "[" POINT("\"n\":1,\"path\":\"short\"", 10, 8, 16) "," POINT(
            "\"n\":1,\"path\":\"long\"", 20, 16, 24) "," POINT("\"n\":2,\"path\":\"long\"", 7, 7, 7) "]",
        NULL);
    assert_int_equal(figure.panels[0].line_count, 2); /* by first appearance: short, long */
    expect_near(sample(&figure, 0, 0)->y, 1);
    expect_near(sample(&figure, 0, 0)->high, 1);
    expect_near(sample(&figure, 1, 0)->y, 2);
    expect_near(sample(&figure, 1, 0)->low, 1);  /* 16 / 16 */
    expect_near(sample(&figure, 1, 0)->high, 3); /* 24 / 8 */
    assert_int_equal(figure.panels[0].lines[1].count, 1);
    assert_non_null(strstr(figure.warnings.data, "1 points have no point to compare with"));
    assert_string_equal(figure.panels[0].y_label, "Dynamic power / that of path = short");
    figure_free(&figure);
}

static void metrics_share_a_panel_with_two_axes(void **state)
{
    (void)state;
    struct figure figure = build(
        "{\"x\":\"n\",\"y\":[\"power.dynamic_w\"],\"right\":[\"ipc\"],\"only\":{\"n\":[1,2.0]}}",
        "[" POINT("\"n\":1", 3, 2, 4) "," POINT("\"n\":2", 3, 2, 4) "," POINT("\"n\":3", 3, 2, 4) "]", NULL);
    assert_int_equal(figure.panel_count, 1);
    assert_int_equal(figure.panels[0].line_count, 2);
    assert_int_equal(figure.panels[0].lines[0].count, 2);
    assert_true(figure.panels[0].lines[1].right);
    assert_string_equal(figure.panels[0].lines[1].label, "IPC (right)");
    assert_string_equal(figure.panels[0].right_label, "Instructions per cycle");
    figure_free(&figure);
}

static void metrics_on_x_make_scatters_with_both_intervals(void **state)
{
    (void)state;
    struct figure figure =
        build("{\"x\":\"ipc\",\"y\":[\"power.dynamic_w\"]}",
              "[" POINT("\"n\":1,\"k\":1", 3, 2, 4) "," POINT("\"n\":2,\"k\":7", 9, 8, 10) "]", NULL);
    assert_int_equal(figure.panels[0].kind, FIGURE_POINTS);
    assert_int_equal(figure.panels[0].line_count, 1);
    assert_int_equal(figure.panels[0].lines[0].count, 2); /* of one x, but not one point */
    expect_near(sample(&figure, 0, 0)->x, 2);
    expect_near(sample(&figure, 0, 0)->x_low, 1.5);
    expect_near(sample(&figure, 0, 0)->x_high, 2.5);
    assert_string_equal(figure.panels[0].x_label, "Instructions per cycle");
    figure_free(&figure);
}

static void what_a_zip_pairs_with_x_splits_no_line(void **state)
{
    (void)state;
    const char *points = "[" POINT("\"n\":1,\"mm\":0", 10, 9, 11) "," POINT(
        "\"n\":2,\"mm\":5", 12, 11, 13) "," POINT("\"n\":3,\"mm\":10", 14, 13, 15) "]";
    struct figure figure = build(
        "{\"x\":\"mm\",\"y\":[\"power.dynamic_w\"],\"fit\":\"linear\",\"paired\":[\"n\"]}", points, NULL);
    assert_int_equal(figure.panels[0].line_count, 2);
    assert_true(figure.panels[0].lines[1].reference);
    assert_string_equal(figure.panels[0].lines[1].label, "linear, slope 0.4, 10 at 0, R\xc2\xb2 1.000");
    expect_near(sample(&figure, 1, 0)->y, 10);
    figure_free(&figure);
    figure = build("{\"x\":\"mm\",\"y\":[\"power.dynamic_w\"]}", points, NULL);
    assert_int_equal(figure.panels[0].line_count, 3);
    figure_free(&figure);
}

static void a_logarithm_leaves_out_what_it_cannot_show(void **state)
{
    (void)state;
    struct figure figure = build(
        "{\"x\":\"n\",\"y\":[\"power.dynamic_w\"],\"log\":\"xy\"}",
        "[" POINT("\"n\":0", 3, 2, 4) "," POINT("\"n\":1", 3, -1, 4) "," POINT("\"n\":2", 3, 2, 4) "]", NULL);
    assert_int_equal(figure.panels[0].lines[0].count, 1);
    assert_non_null(strstr(figure.warnings.data, "2 points are not above 0"));
    assert_true(figure.panels[0].x_is_log && figure.panels[0].y_is_log);
    figure_free(&figure);
}

/* ---- traces ---- */

/* 10 W for 2 s, then 30 W for 2 s, by an energy counter every 50 ms and 80 readings of a thermometer. */
static void write_trace(const char *folder, char path[FILE_PATH_BYTES])
{
    struct buffer text = {0};
    struct error error = {0};
    buffer_text(&text, "t_s,channel,value\n0,mark,idle_before\n");
    for (int i = 0; i <= 80; i++) {
        double t = 0.05 * i;
        if (i == 40)
            buffer_printf(&text, "%.6f,mark,rep 1\n", t);
        buffer_printf(&text, "%.6f,chip,%.9g\n%.6f,heat,%d\n", t, t <= 2 ? 10 * t : 20 + 30 * (t - 2), t,
                      40 + i);
    }
    assert_int_equal(file_write(file_join(path, folder, "t.csv"), text.data, text.size, false, &error),
                     STATUS_OK);
    buffer_free(&text);
}

#define TRACED "[{\"benchmark\":\"b\",\"name\":\"default\",\"point\":{},\"trace\":\"t.csv\"}]"

static void traces_show_power_from_energy_and_phases(void **state)
{
    (void)state;
    char folder[] = "/tmp/trauma-trace-XXXXXX", path[FILE_PATH_BYTES];
    assert_non_null(mkdtemp(folder));
    write_trace(folder, path);
    struct figure figure = build(
        "{\"from\":\"trace\",\"x\":\"time\",\"y\":[\"power\"],\"right\":[\"temperature\"]}", TRACED, folder);
    assert_int_equal(figure.panel_count, 1);
    const struct figure_panel *panel = &figure.panels[0];
    assert_int_equal(panel->line_count, 2);
    assert_string_equal(panel->lines[0].label, "package, power");
    assert_int_equal(panel->lines[0].count, 20); /* 81 readings, four in each */
    assert_int_equal(panel->lines[1].count, 80);
    for (size_t i = 0; i < 20; i++)
        expect_near(panel->lines[0].samples[i].y, panel->lines[0].samples[i].x < 2 ? 10 : 30);
    assert_int_equal(panel->mark_count, 2);
    assert_string_equal(panel->marks[0].label, "idle before");
    expect_near(panel->marks[1].x, 2);
    figure_free(&figure);
    assert_int_equal(file_remove_tree(folder, NULL), STATUS_OK);
}

static void traces_of_others_folders_and_broken_ones_are_refused(void **state)
{
    (void)state;
    char folder[] = "/tmp/trauma-trace-XXXXXX", path[FILE_PATH_BYTES];
    static const char *const outside[] = {"/etc/passwd", "../t.csv", "a/../../t.csv", "..", "",
                                          "missing.csv", "."};
    static const char *const broken[] = {"",
                                         "t_s,channel\n",
                                         "t_s,channel,value\n1,chip\n",
                                         "t_s,channel,value\nx,chip,1\n",
                                         "t_s,channel,value\nnan,chip,1\n",
                                         "t_s,channel,value\n1,chip,1x\n"};
    struct arena arena = {0};
    struct trace *trace = arena_alloc(&arena, 1, sizeof *trace);
    struct error error;
    assert_non_null(mkdtemp(folder));
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++)
        assert_int_equal(trace_read(folder, outside[i], &arena, trace, &error), STATUS_USAGE);
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        file_join(path, folder, "t.csv");
        assert_int_equal(file_write(path, broken[i], strlen(broken[i]), false, &error), STATUS_OK);
        assert_int_equal(trace_read(folder, "t.csv", &arena, trace, &error), STATUS_USAGE);
    }
    arena_free(&arena);
    assert_int_equal(file_remove_tree(folder, NULL), STATUS_OK);
}

static void idle_power_stands_over_the_hottest_temperature(void **state)
{
    (void)state;
    struct buffer points = {0};
    buffer_text(
        &points,
        "[{\"benchmark\":\"b\",\"name\":\"ghz=2\",\"point\":{\"ghz\":2},\"power\":{\"from\":[\"chip\"]},"
        "\"idle_after\":{\"samples\":[");
    for (int i = 0; i <= 40; i++) /* 60 down to 52 degrees, always 5 W */
        buffer_printf(&points,
                      "%s{\"t_s\":%g,\"energy_j\":{\"chip\":%g,\"dram\":99},\"temperature_c\":{\"heat\":%g,"
                      "\"case\":30}}",
                      i == 0 ? "" : ",", 0.2 * i, 0.2 * i * 5, 60 - 0.2 * i);
    buffer_text(&points, "]}},{\"benchmark\":\"b\",\"name\":\"ghz=3\",\"point\":{\"ghz\":3}}]");
    struct figure figure =
        build("{\"from\":\"idle_after\",\"x\":\"temperature\",\"y\":[\"power\"],\"by\":\"ghz\"}", points.data,
              NULL);
    const struct figure_line *line = &figure.panels[0].lines[0];
    assert_int_equal(figure.panels[0].line_count, 1);
    assert_string_equal(line->label, "ghz = 2");
    assert_int_equal(line->count, 10);
    expect_near(line->samples[0].x, 59.6);
    for (size_t i = 0; i < line->count; i++)
        expect_near(line->samples[i].y, 5);
    assert_non_null(
        strstr(figure.warnings.data, "1 points have no samples of power and temperature in idle_after"));
    figure_free(&figure);
    buffer_free(&points);
}

/* No name lies on another, and none is crossed by the line of a later phase. */
static void names_of_phases_do_not_overlap(void **state)
{
    (void)state;
    const struct figure_mark marks[] = {{0, "idle before"}, {1, "warmup"},     {1.2, "rep 1"}, {1.4, "rep 2"},
                                        {1.6, "rep 3"},     {5, "idle after"}, {9.99, "end"}};
    const struct figure_sample samples[] = {{.x = 0, .y = 1}, {.x = 10, .y = 1}};
    struct figure_line line = {.label = "", .samples = samples, .count = 2};
    const struct figure_panel panel = {.subtitle = "",
                                       .x_label = "",
                                       .y_label = "",
                                       .marks = marks,
                                       .mark_count = 7,
                                       .plain = true,
                                       .lines = &line,
                                       .line_count = 1};
    struct figure_panel panels[] = {panel};
    const struct figure figure = {.panels = panels, .panel_count = 1};
    struct buffer script = {0};
    double rows[7];
    int named = 0;
    figure_script(&figure, FIGURE_SVG, "none.svg", &script);
    for (size_t i = 0; i < 7; i++) {
        char text[64];
        snprintf(text, sizeof text, "set label '%s' at first ", marks[i].label);
        const char *label = strstr(script.data, text);
        rows[i] = -1;
        if (label == NULL)
            continue;
        named++;
        assert_int_equal(sscanf(label + strlen(text), "%*f, graph 1 left offset character %*f,%lf", &rows[i]),
                         1);
    }
    assert_int_equal(named, 6); /* one of them would need a fourth row */
    for (size_t i = 0; i < 7; i++)
        for (size_t j = i + 1; j < 7 && rows[i] >= 0; j++)
            if (marks[j].x < marks[i].x + 0.08 * (double)strlen(marks[i].label))
                assert_true(rows[i] > rows[j]);
    buffer_free(&script);
}

/* A column for each value of x and a row for each of `by`; a mirrored map has both orders of a pair. */
static void a_map_has_rows_and_columns(void **state)
{
    (void)state;
    static const char points[] = "[" POINT("\"a\":0,\"b\":2", 5, 5, 5) "," POINT(
        "\"a\":0,\"b\":10", 7, 7, 7) "," POINT("\"a\":2,\"b\":10", 9, 9, 9) "]";
    struct figure figure =
        build("{\"x\":\"b\",\"y\":[\"power.dynamic_w\"],\"by\":\"a\",\"kind\":\"map\"}", points, NULL);
    const struct figure_panel *panel = &figure.panels[0];
    assert_int_equal(panel->kind, FIGURE_MAP);
    assert_int_equal(panel->category_count, 2);
    assert_string_equal(panel->categories[1], "10");
    assert_int_equal(panel->line_count, 2);
    assert_string_equal(panel->lines[1].label, "2");
    assert_non_null(strstr(panel->colour_label, "(W)"));
    expect_near(sample(&figure, 1, 0)->x, 1);
    expect_near(sample(&figure, 1, 0)->y, 9);
    figure_free(&figure);

    figure = build("{\"x\":\"b\",\"y\":[\"power.dynamic_w\"],\"by\":\"a\",\"kind\":\"map\",\"mirror\":true}",
                   points, NULL);
    panel = &figure.panels[0];
    assert_int_equal(panel->category_count, 3);
    assert_int_equal(panel->line_count, 3);
    assert_string_equal(panel->categories[2], "10");
    assert_string_equal(panel->lines[2].label, "10");
    assert_int_equal(panel->lines[2].count, 2);
    expect_near(sample(&figure, 2, 1)->x, 1);
    expect_near(sample(&figure, 2, 1)->y, 9);
    expect_near(sample(&figure, 0, 0)->y, 5);
    figure_free(&figure);
}

/* Processors 0 and 10 are threads of one core; 2 is of another socket. The text closes the plot's list, and
 * the context goes on. */
static void a_map_of_processors_has_borders(void **state)
{
    (void)state;
    static const char points[] = "[" POINT("\"a\":0,\"b\":2", 5, 5, 5) "," POINT(
        "\"a\":0,\"b\":10", 7, 7, 7) "," POINT("\"a\":2,\"b\":10", 9, 9, 9) "]";
    struct figure figure =
        build("{\"x\":\"b\",\"y\":[\"power.dynamic_w\"],\"by\":\"a\",\"kind\":\"map\",\"mirror\":true}]}],"
              "\"processors\":{\"cpus\":[0,2,10],\"socket\":[0,1,0],\"cluster\":[0,1,0],\"core\":[0,1,0]},"
              "\"others\":[{\"none\":[",
              points, NULL);
    const struct figure_panel *panel = &figure.panels[0];
    struct buffer script = {0};
    assert_string_equal(panel->categories[0], "0");
    assert_string_equal(panel->categories[1], "10");
    assert_string_equal(panel->categories[2], "2");
    assert_int_equal(panel->units[1].core, 0);
    assert_int_equal(panel->units[2].socket, 1);
    figure_script(&figure, FIGURE_SVG, "none.svg", &script);
    assert_non_null(strstr(script.data, "set arrow from 1.5, graph 0 to 1.5, graph 1 nohead front"));
    assert_null(strstr(script.data, "set arrow from 0.5, graph 0"));
    assert_non_null(strstr(script.data, "rectangle from -0.5, -0.5 to 1.5, 1.5 front"));
    assert_non_null(strstr(script.data, "(thick: sockets, frames: threads of a core)"));
    buffer_free(&script);
    figure_free(&figure);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_keep_the_recipe_s_order),
        cmocka_unit_test(bars_are_in_the_middle_of_their_group),
        cmocka_unit_test(stacked_bars_stand_on_one_another),
        cmocka_unit_test(shares_are_of_the_point_that_differs_in_that_alone),
        cmocka_unit_test(metrics_share_a_panel_with_two_axes),
        cmocka_unit_test(metrics_on_x_make_scatters_with_both_intervals),
        cmocka_unit_test(what_a_zip_pairs_with_x_splits_no_line),
        cmocka_unit_test(a_logarithm_leaves_out_what_it_cannot_show),
        cmocka_unit_test(traces_show_power_from_energy_and_phases),
        cmocka_unit_test(traces_of_others_folders_and_broken_ones_are_refused),
        cmocka_unit_test(idle_power_stands_over_the_hottest_temperature),
        cmocka_unit_test(names_of_phases_do_not_overlap),
        cmocka_unit_test(a_map_has_rows_and_columns),
        cmocka_unit_test(a_map_of_processors_has_borders),
    };
    return cmocka_run_group_tests_name("report/figure_kinds", tests, NULL, NULL);
}
