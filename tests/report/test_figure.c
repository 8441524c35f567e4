/* Figures from results: which points form which line, on what evidence, and that gnuplot never interprets a
 * recipe's text. */
#include "base/buffer.h"
#include "base/file.h"
#include "base/json.h"
#include "report/figure/figure.h"
#include "report/figure/figure_build.h"
#include "report/figure/figure_draw.h"
#include "report/metric_value.h"
#include "runner/process/child.h"
#include "tests/report/points_of.h"
#include "tests/skip.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void build(struct figure *figure, const json_t *context, const json_t *points, const char *benchmark)
{
    struct results_context of;
    results_context_read(context, &of);
    struct figure_points read = points_of(&of, points);
    const struct figure_results results = {&of, &read, NULL};
    figure_build(figure, &results, benchmark);
    figure_points_free(&read);
    results_context_free(&of);
}

/* Not a quote of a shell's, a gnuplot's or a terminal's is missing; pwned is what must never happen. */
static const char EVIL[] =
    "x' ; system 'touch pwned' \n!touch pwned\r\n`touch pwned` \"; \\ @pngs {/=50 b} ^_ % %d "
    "<script>pwned</script> \x1b[31m\nEND\nquit #";

static json_t *parse(const char *text)
{
    struct error error = {0};
    json_t *document = json_parse(text, strlen(text), "test", &error);
    if (document == NULL)
        fail_msg("%s", error.message);
    return document;
}

/* A context with one benchmark "b"; plot as JSON; extra: more members, each with a comma before it. */
static json_t *context_with(const char *plot, const char *extra)
{
    struct buffer text = {0};
    buffer_printf(&text,
                  "{\"machine\":{\"name\":\"here\"},\"sensors\":[],\"benchmarks\":[{\"recipe\":\"r.lua\","
                  "\"name\":\"b\",\"title\":\"A title\",\"plot\":[%s]}]%s}",
                  plot, extra);
    json_t *context = parse(text.data);
    buffer_free(&text);
    return context;
}

/* A point of benchmark "b" whose IPC was inferred from timing. */
static void add_point(json_t *points, const char *parameters, double ipc)
{
    json_array_append_new(
        points, json_pack("{s:s, s:s, s:s, s:s, s:o, s:{s:{s:[{s:s, s:s, s:f, s:f, s:f}]}}}", "kind", "point",
                          "recipe", "r.lua", "benchmark", "b", "target", "x86_64", "point", parse(parameters),
                          "rates", "ipc", "observations", "source", "timing", "kind", "inferred", "value",
                          ipc, "low", ipc - 0.1, "high", ipc + 0.1));
}

static void expect_near(double value, double expected)
{
    if (fabs(value - expected) > 1e-9)
        fail_msg("found %.12g, expected %.12g", value, expected);
}

static void expect_warning(const struct figure *figure, const char *text)
{
    if (figure->warnings.size == 0 || strstr(figure->warnings.data, text) == NULL)
        fail_msg("expected a warning with \"%s\", found: %s", text,
                 figure->warnings.size == 0 ? "none" : figure->warnings.data);
}

static bool metric_value_seen(const json_t *document, const char *metric, struct metric_value *seen)
{
    struct result_point point;
    result_point_read(document, &point);
    bool has = metric_value_of(&point, metric, seen);
    result_point_free(&point);
    return has;
}

static void the_best_evidence_is_drawn(void **state)
{
    (void)state;
    static const char *const kinds[] = {"predicted", "inferred", "simulated", "measured"};
    json_t *observations = json_array();
    json_t *point = json_pack("{s:{s:{s:O}}}", "rates", "ipc", "observations", observations);
    struct metric_value seen;
    for (int i = 0; i < 4; i++) {
        json_array_insert_new(observations, 0,
                              json_pack("{s:s, s:s, s:i}", "source", "s", "kind", kinds[i], "value", i));
        assert_int_equal(metric_value_seen(point, "ipc", &seen), i > 0);
        if (i > 0) {
            assert_int_equal(seen.kind, evidence_kind_named(kinds[i]));
            expect_near(seen.low, i);
        }
    }
    assert_false(metric_value_seen(point, "power.dynamic_w", &seen));
    json_object_set_new(point, "power", parse("{\"power.dynamic_w\":{\"value\":2,\"low\":1,\"high\":3}}"));
    assert_true(metric_value_seen(point, "power.dynamic_w", &seen));
    expect_near(seen.high, 3);
    json_decref(point);
    json_decref(observations);
}

/* An axis is named by what is drawn over it, not by what was asked for and is not there. */
static void the_axis_names_what_is_drawn(void **state)
{
    (void)state;
    json_t *context = context_with("{\"x\":\"n\",\"y\":[\"power.dynamic_w\",\"ipc\"],\"together\":true}", "");
    json_t *points = json_array();
    add_point(points, "{\"n\":1}", 1);
    add_point(points, "{\"n\":2}", 2);
    struct figure figure = {0};
    build(&figure, context, points, NULL);
    assert_int_equal(figure.panel_count, 1);
    assert_string_equal(figure.panels[0].y_label, "Instructions per cycle");
    figure_free(&figure);
    json_decref(points);
    json_decref(context);
}

static void points_become_sorted_lines(void **state)
{
    (void)state;
    json_t *context = context_with("{\"x\":\"n\",\"y\":[\"ipc\"],\"by\":\"k\"}", "");
    json_t *points = json_array();
    add_point(points, "{\"n\":1,\"k\":10}", 1);
    add_point(points, "{\"n\":2,\"k\":2}", 2);
    add_point(points, "{\"n\":0.5,\"k\":10}", 3);
    add_point(points, "{\"n\":0.5,\"k\":10}", 4); /* the same place again: the later counts */
    struct figure figure = {0};
    build(&figure, context, points, NULL);
    assert_int_equal(figure.panel_count, 1);
    const struct figure_panel *panel = &figure.panels[0];
    assert_string_equal(panel->title, "A title");
    assert_string_equal(panel->subtitle, "IPC inferred from timing on here");
    assert_string_equal(panel->y_label, "Instructions per cycle");
    assert_null(panel->categories);
    assert_int_equal(panel->line_count, 2);
    assert_string_equal(panel->lines[0].label, "k = 2");
    assert_string_equal(panel->lines[1].label, "k = 10");
    assert_int_equal(panel->lines[1].count, 2);
    expect_near(panel->lines[1].samples[0].x, 0.5);
    expect_near(panel->lines[1].samples[0].y, 4);
    expect_near(panel->lines[1].samples[0].high, 4.1);
    assert_int_equal(figure.warnings.size, 0);
    figure_free(&figure);
    json_decref(points);
    json_decref(context);
}

static void no_line_joins_points_that_differ_otherwise(void **state)
{
    (void)state;
    json_t *context = context_with("{\"x\":\"n\",\"y\":[\"ipc\"]}", "");
    json_t *points = json_array();
    add_point(points, "{\"n\":1,\"order\":\"even\",\"same\":7}", 1);
    add_point(points, "{\"n\":1,\"order\":\"burst\",\"same\":7}", 2);
    struct figure figure = {0};
    build(&figure, context, points, "b");
    assert_int_equal(figure.panels[0].line_count, 2);
    assert_string_equal(figure.panels[0].lines[0].label, "order = even");
    figure_free(&figure);
    build(&figure, context, points, "another");
    assert_int_equal(figure.panel_count, 0);
    figure_free(&figure);
    json_decref(points);
    json_decref(context);
}

static void words_on_x_are_categories(void **state)
{
    (void)state;
    json_t *context = context_with("{\"x\":\"level\",\"y\":[\"ipc\"]}", "");
    json_t *points = json_array();
    add_point(points, "{\"level\":\"L2\"}", 1);
    add_point(points, "{\"level\":\"L1\"}", 2);
    struct figure figure = {0};
    build(&figure, context, points, NULL);
    assert_int_equal(figure.panels[0].category_count, 2);
    assert_string_equal(figure.panels[0].categories[0], "L2");
    expect_near(figure.panels[0].lines[0].samples[1].x, 1);
    assert_string_equal(figure.panels[0].lines[0].label, "");
    figure_free(&figure);
    json_decref(points);
    json_decref(context);
}

static void what_has_no_data_is_left_out_with_the_reason(void **state)
{
    (void)state;
    json_t *context = context_with("{\"x\":\"n\",\"y\":[\"power.dynamic_w\",\"ipc\"]},"
                                   "{\"x\":\"m\",\"y\":[\"ipc\"]}",
                                   "");
    json_t *points = json_array();
    add_point(points, "{\"n\":1}", 1);
    add_point(points, "{\"n\":2}", 1);
    json_object_set_new(json_array_get(points, 1), "error", json_string("ended by signal 4"));
    struct figure figure = {0};
    build(&figure, context, points, NULL);
    assert_int_equal(figure.panel_count, 1);
    assert_string_equal(figure.panels[0].title, "A title"); /* the first panel that is drawn has it */
    assert_int_equal(figure.panels[0].lines[0].count, 1);
    expect_warning(&figure, "b: power.dynamic_w against n has no point to draw: no power sensor was read\n");
    expect_warning(&figure, "b: ipc against m has no point to draw: no point has the sweep parameter");
    expect_warning(&figure, "b: 1 of 2 points failed and are not drawn\n");
    figure_free(&figure);
    json_array_clear(points);
    build(&figure, context, points, NULL);
    assert_int_equal(figure.panel_count, 0);
    expect_warning(&figure, "the results have no point of this benchmark");
    figure_free(&figure);
    json_decref(points);
    json_decref(context);
}

struct reference_case {
    const char *reference;
    const char *context;
    double at_zero; /* IPC of the curve at hit rate 0; 0: no curve */
};

/* The penalty comes from the recipe, else from measured latencies, else from the machine's description. */
static void the_blocking_cache_is_drawn_beside_the_points(void **state)
{
    (void)state;
    static const struct reference_case cases[] = {
        {"\"penalty\":9.5,", ",\"latency_cycles\":{\"L1D\":5,\"L2\":15}", 1 / (0.5 + 9.5)},
        {"", ",\"latency_cycles\":{\"L1D\":5,\"L2\":15}", 1 / (0.5 + 10)},
        {"", "", 0},
        {"", ",\"latency_cycles\":{\"L1D\":5}", 0},
        {"", ",\"latency_cycles\":{\"L1D\":15,\"L2\":5}", 0},
    };
    json_t *points = json_array();
    add_point(points, "{\"hit\":0,\"dependents\":1}", 0.3);
    add_point(points, "{\"hit\":1,\"dependents\":1}", 1);
    add_point(points, "{\"hit\":1,\"dependents\":0}", 2);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char plot[256];
        snprintf(plot, sizeof plot,
                 "{\"x\":\"hit\",\"y\":[\"ipc\"],\"by\":\"dependents\","
                 "\"reference\":{%s\"kind\":\"blocking-cache\",\"y\":\"ipc\"}}",
                 cases[i].reference);
        json_t *context = context_with(plot, cases[i].context);
        struct figure figure = {0};
        build(&figure, context, points, NULL);
        const struct figure_line *last = &figure.panels[0].lines[figure.panels[0].line_count - 1];
        assert_int_equal(last->reference, cases[i].at_zero > 0);
        if (last->reference) {
            expect_near(last->samples[0].y, cases[i].at_zero);
            expect_near(last->samples[last->count - 1].y, 2);
        } else {
            expect_warning(&figure, "no reference curve \"blocking-cache\"");
        }
        figure_free(&figure);
        json_decref(context);
    }
    json_decref(points);
}

static void the_machine_s_latencies_serve_last(void **state)
{
    (void)state;
    json_t *context =
        context_with("{\"x\":\"hit\",\"y\":[\"ipc\"],\"reference\":{\"kind\":\"blocking-cache\"}}", "");
    json_object_set_new(json_object_get(context, "machine"), "latency", parse("{\"L1D\":3,\"L2\":6}"));
    json_t *points = json_array();
    add_point(points, "{\"hit\":0}", 0.5);
    add_point(points, "{\"hit\":1}", 1);
    struct figure figure = {0};
    build(&figure, context, points, NULL);
    assert_int_equal(figure.panels[0].line_count, 2);
    expect_near(figure.panels[0].lines[1].samples[0].y, 0.25);
    assert_string_equal(figure.panels[0].lines[0].label, "IPC"); /* beside a curve it needs a name */
    figure_free(&figure);
    json_decref(points);
    json_decref(context);
}

/* Every text that a recipe or results file can bring into a figure, each the same. */
static void build_from_text(struct figure *figure, const char *text)
{
    json_t *context = json_pack("{s:{s:s}, s:[{s:s, s:s, s:s, s:[{s:s, s:s, s:[s]}]}]}", "machine", "name",
                                text, "benchmarks", "recipe", text, "name", text, "title", text, "plot", "x",
                                text, "by", "by", "y", text);
    json_t *points = json_array();
    for (int i = 0; i < 4; i++)
        json_array_append_new(points, json_pack("{s:s, s:s, s:{s:s, s:s+}, s:{s:{s:[{s:s, s:s, s:i}]}}}",
                                                "benchmark", text, "target", text, "point", text, text, "by",
                                                text, i % 2 == 0 ? "0" : "1", "rates", text, "observations",
                                                "source", text, "kind", "inferred", "value", i));
    build(figure, context, points, NULL);
    json_decref(points);
    json_decref(context);
}

/* The script without its quoted strings: in single quotes nothing means anything, and in double ones all that
 * does is an octal number. */
static void strip_quoted(const char *script, struct buffer *rest)
{
    char quote = '\0';
    for (const char *c = script; *c != '\0'; c++) {
        if (quote == '\0' && *c != '\'' && *c != '"')
            buffer_append(rest, c, 1);
        else if (quote == '\0' || *c == quote)
            quote = quote == '\0' ? *c : '\0';
        else if (quote == '"')
            assert_true(strchr("'`", *c) == NULL && (*c != '\\' || strspn(c + 1, "01234567") >= 3));
        assert_false(quote != '\0' && (unsigned char)*c < ' ');
    }
    assert_int_equal(quote, '\0');
}

static void texts_never_leave_their_quotes(void **state)
{
    (void)state;
    struct buffer rests[2] = {{0}, {0}};
    static const char *const texts[] = {"harmless", EVIL};
    for (int i = 0; i < 2; i++) {
        struct figure figure = {0};
        build_from_text(&figure, texts[i]);
        assert_int_equal(figure.panel_count, 1);
        assert_int_equal(figure.panels[0].line_count, 2);
        figure.panels[0].title = "A title";         /* its length sets the font's size */
        figure.panels[0].lines[0].label = texts[i]; /* lengths that fit alike */
        figure.panels[0].lines[1].label = "";
        struct buffer script = {0};
        figure_script(&figure, FIGURE_SVG, "/tmp/picture", &script);
        assert_non_null(strstr(script.data, "noenhanced"));
        strip_quoted(script.data, &rests[i]);
        buffer_free(&script);
        figure_free(&figure);
    }
    assert_string_equal(rests[0].data, rests[1].data);
    assert_null(strstr(rests[1].data, "pwned"));
    buffer_free(&rests[0]);
    buffer_free(&rests[1]);
}

static void draw(const struct figure *figure, enum figure_format format, const char *folder,
                 struct buffer *picture)
{
    char script_path[FILE_PATH_BYTES], picture_path[FILE_PATH_BYTES];
    file_join(script_path, folder, "script");
    file_join(picture_path, folder, "picture");
    struct buffer script = {0};
    figure_script(figure, format, picture_path, &script);
    struct error error = {0};
    assert_int_equal(file_write(script_path, script.data, script.size, false, &error), STATUS_OK);
    buffer_free(&script);
    char program[] = "gnuplot", option[] = "-d";
    char *arguments[] = {program, option, script_path, NULL};
    struct child_request request = {.path = "gnuplot", .arguments = arguments, .cpu = -1};
    struct child_result result = {0};
    if (child_run(&request, &result, &error) != STATUS_OK)
        fail_msg("%s\n%s", error.message, result.errors.size == 0 ? "" : result.errors.data);
    child_result_free(&result);
    assert_int_equal(file_read(picture_path, picture, &error), STATUS_OK);
}

/* gnuplot itself is given the worst of texts, in a folder where a file "pwned" would be seen. */
static void gnuplot_takes_every_text_as_text(void **state)
{
    (void)state;
    if (!child_program_exists("gnuplot"))
        skip_because("gnuplot is not installed");
    char folder[] = "/tmp/trauma-figure-XXXXXX";
    assert_non_null(mkdtemp(folder));
    char before[FILE_PATH_BYTES], victim[FILE_PATH_BYTES];
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(folder), 0);
    struct figure figure = {0};
    build_from_text(&figure, EVIL);
    struct buffer svg = {0}, again = {0}, png = {0};
    draw(&figure, FIGURE_SVG, folder, &svg);
    draw(&figure, FIGURE_SVG, folder, &again);
    draw(&figure, FIGURE_PNG, folder, &png);
    assert_int_equal(chdir(before), 0);
    assert_false(file_is_regular(file_join(victim, folder, "pwned")));
    assert_null(strstr(svg.data, "<script"));
    assert_non_null(strstr(svg.data, "{/=50 b} ^_ % %d"));
    assert_string_equal(svg.data, again.data);
    assert_memory_equal(png.data, "\x89PNG", 4);
    buffer_free(&svg);
    buffer_free(&again);
    buffer_free(&png);
    figure_free(&figure);
    file_remove_tree(folder, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_evidence_is_drawn),
        cmocka_unit_test(the_axis_names_what_is_drawn),
        cmocka_unit_test(points_become_sorted_lines),
        cmocka_unit_test(no_line_joins_points_that_differ_otherwise),
        cmocka_unit_test(words_on_x_are_categories),
        cmocka_unit_test(what_has_no_data_is_left_out_with_the_reason),
        cmocka_unit_test(the_blocking_cache_is_drawn_beside_the_points),
        cmocka_unit_test(the_machine_s_latencies_serve_last),
        cmocka_unit_test(texts_never_leave_their_quotes),
        cmocka_unit_test(gnuplot_takes_every_text_as_text),
    };
    return cmocka_run_group_tests_name("report/figure", tests, NULL, NULL);
}
