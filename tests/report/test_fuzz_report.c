/* Pages, figures and JUnit from results with members of any type: a page always reports them, and nothing
 * crashes. */
#include "base/file.h"
#include "base/json.h"
#include "report/figure/figure.h"
#include "report/figure/figure_draw.h"
#include "report/page/page_data.h"
#include "tests/recorded_findings.h"

#include "report/figure/figure_build.h"
#include "tests/mutate.h"
#include "tests/report/points_of.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

static const char context_text[] =
    "{\"machine\":{\"name\":\"here\",\"latency\":{\"L1D\":3,\"L2\":6}},\"sensors\":[{\"name\":\"chip\","
    "\"label\":\"l\","
    "\"quantity\":\"energy\",\"unit\":\"J\",\"period_s\":1,\"update_s\":0.1,\"resolution\":null}],"
    "\"warnings\":[{\"what\":\"w\",\"mend\":\"m\"}],\"benchmarks\":[{\"name\":\"b\",\"title\":\"t\",\"plot\":"
    "["
    "{\"x\":\"n\",\"y\":[\"ipc\",\"power.dynamic_w\"],\"by\":\"k\",\"kind\":\"stacked\",\"order\":{\"k\":["
    "\"u\",\"v\"]}},"
    "{\"x\":\"n\",\"y\":[\"ipc\"],\"right\":[\"power.dynamic_w\"],\"log\":\"xy\",\"fit\":\"linear\","
    "\"reference\":{\"kind\":\"blocking-cache\",\"y\":\"ipc\"}},"
    "{\"x\":\"ipc\",\"y\":[\"power.dynamic_w\"],\"relative\":{\"k\":[\"u\"]},\"only\":{\"n\":[0,1]},\"kind\":"
    "\"bars\"},"
    "{\"x\":\"n\",\"y\":[\"ipc\"],\"together\":true,\"reference\":{\"kind\":\"blocking-cache\",\"y\":\"ipc\"}"
    "},"
    "{\"from\":\"trace\",\"x\":\"time\",\"y\":[\"power\"],\"right\":[\"temperature\"]},"
    "{\"from\":\"idle_after\",\"x\":\"temperature\",\"y\":[\"power\"],\"by\":\"k\",\"fit\":\"cubic\"}]}]}";

static const char point_text[] = "{\"benchmark\":\"b\",\"name\":\"p\",\"target\":\"x\",\"point\":{\"n\":%d,"
                                 "\"k\":\"%s\"},\"seconds\":1,\"rates\":{"
                                 "\"ipc\":{\"target\":%d,\"verdict\":\"pass\",\"reason\":\"r\","
                                 "\"observations\":[{\"source\":\"perf\",\"kind\":"
                                 "\"measured\",\"value\":2,\"low\":1,\"high\":3,\"n\":5}]}},\"tolerance\":{"
                                 "\"*\":0.1},\"power\":{\"power.dynamic_w\":"
                                 "{\"value\":5,\"low\":4,\"high\":6},\"verdict\":\"untrustworthy\","
                                 "\"reason\":\"r\",\"from\":[\"chip\"],\"sensors\":{"
                                 "\"chip\":{\"label\":\"l\",\"power.static_w\":{\"value\":1}}}},\"warnings\":"
                                 "[{\"what\":\"w\"}],\"trace\":\"no.csv\","
                                 "\"idle_after\":{\"samples\":[{\"t_s\":0,\"energy_j\":{\"chip\":0},"
                                 "\"temperature_c\":{\"h\":50}},{\"t_s\":1,"
                                 "\"energy_j\":{\"chip\":5},\"temperature_c\":{\"h\":49}},{\"t_s\":2,"
                                 "\"energy_j\":{\"chip\":9},\"temperature_c\":{"
                                 "\"h\":48}}]}}";

static json_t *make_document(void)
{
    struct error error;
    struct buffer text = {0};
    buffer_printf(&text, "{\"context\":%s,\"points\":[", context_text);
    for (int i = 0; i < 4; i++) {
        buffer_text(&text, i == 0 ? "" : ",");
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        buffer_printf(&text, point_text, i / 2, i % 2 == 0 ? "u" : "v", i);
#pragma GCC diagnostic pop
    }
    buffer_text(&text, "]}");
    json_t *document = json_parse(text.data, text.size, "test", &error);
    if (document == NULL)
        fail_msg("%s", error.message);
    buffer_free(&text);
    return document;
}

static json_t *anything(struct random *random)
{
    static const char *const values[] = {"null",
                                         "true",
                                         "-1",
                                         "0",
                                         "1e308",
                                         "-1e308",
                                         "1e-308",
                                         "9007199254740993",
                                         "\"\"",
                                         "\"<b>&'\\\"]]>\"",
                                         "\"\\u0001\\ufffe\"",
                                         "\"ipc\"",
                                         "\"n\"",
                                         "\"temperature\"",
                                         "[]",
                                         "{}",
                                         "[[],{},null]",
                                         "{\"\":{\"\":[]}}",
                                         "{\"value\":1,\"low\":2,\"high\":0}",
                                         "[\"ipc\",\"ipc\",\"mix.\"]",
                                         "{\"n\":[null]}"};
    const char *text = values[random_below(random, sizeof values / sizeof *values)];
    return json_loads(text, JSON_DECODE_ANY, NULL);
}

static json_t *member_of(json_t *node, uint32_t index, const char **key)
{
    json_t *value;
    *key = NULL;
    if (json_is_array(node))
        return json_array_get(node, index);
    json_object_foreach(node, *key, value)
    {
        if (index-- == 0)
            return value;
    }
    return NULL;
}

/* Puts anything in the place of a member somewhere below the node, or takes it away. */
static void damage(struct random *random, json_t *node)
{
    for (;;) {
        size_t size = json_is_array(node) ? json_array_size(node) : json_object_size(node);
        if (size == 0)
            return;
        const char *key;
        uint32_t index = random_below(random, (uint32_t)size);
        json_t *member = member_of(node, index, &key);
        bool leaf = json_array_size(member) + json_object_size(member) == 0;
        if (!leaf && random_below(random, 8) > 0) {
            node = member;
            continue;
        }
        if (json_is_array(node))
            json_array_set_new(node, index, anything(random));
        else if (random_below(random, 6) == 0)
            json_object_del(node, key);
        else
            json_object_set_new(node, key, anything(random));
        return;
    }
}

static void write_all(const json_t *document, const char *folder)
{
    struct figure figure = {0};
    struct buffer script = {0};
    const json_t *points = json_object_get(document, "points");
    struct results_context context;
    results_context_read(json_object_get(document, "context"), &context);
    struct figure_points drawn = points_of(&context, points);
    const struct figure_results results = {&context, &drawn, folder};
    figure_build(&figure, &results, NULL);
    figure_points_free(&drawn);
    if (figure.panel_count > 0)
        figure_script(&figure, FIGURE_SVG, "/tmp/none", &script);
    struct page page = {.context = &context,
                        .folder = folder,
                        .results = "results.jsonl",
                        .link = "../results.jsonl",
                        .figure = &figure,
                        .no_pictures = "this is a test"};
    size_t index;
    const json_t *point;
    json_array_foreach(points, index, point)
    {
        struct result_point read;
        result_point_read(point, &read);
        page_add_point(&page, &read);
        result_point_free(&read);
    }
    page_write(&page);
    assert_non_null(strstr(page.text.data, "</html>"));
    assert_null(strstr(page.text.data, "<b>"));
    struct buffer junit = {0};
    recorded_junit(&context, points, &junit);
    assert_non_null(strstr(junit.data, "</testsuites>"));
    buffer_free(&junit);
    page_free(&page);
    buffer_free(&script);
    figure_free(&figure);
    results_context_free(&context);
}

static void anything_becomes_a_page(void **state)
{
    (void)state;
    char folder[] = "/tmp/trauma-report-XXXXXX";
    struct random random = mutate_start("report");
    json_t *whole = make_document();
    assert_non_null(mkdtemp(folder));
    write_all(whole, folder);
    for (struct mutate_span span = mutate_begin(mutate_seconds()); mutate_more(&span);) {
        json_t *document = json_deep_copy(whole);
        for (uint32_t i = 1 + random_below(&random, 5); i > 0; i--)
            damage(&random, document);
        write_all(document, folder);
        json_decref(document);
    }
    json_decref(whole);
    assert_int_equal(file_remove_tree(folder, NULL), STATUS_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(anything_becomes_a_page),
    };
    return cmocka_run_group_tests_name("report/fuzz_report", tests, NULL, NULL);
}
