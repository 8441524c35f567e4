/* A point's line becomes a struct: existing values are read with their type, missing ones are distinguished
 * from 0. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runner/results/result_point.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static json_t *parse(const char *text)
{
    json_t *document = json_loads(text, 0, NULL);
    assert_non_null(document);
    return document;
}

static void a_whole_point_is_read(void **state)
{
    (void)state;
    json_t *document = parse(
        "{\"kind\":\"point\",\"recipe\":\"r.lua\",\"benchmark\":\"b\",\"name\":\"hit=0.5\",\"target\":"
        "\"ptx\","
        "\"program_hash\":\"77\",\"device\":{},"
        "\"reps\":[{\"iterations\":100,\"ticks\":5000,\"seconds\":0.25},"
        "{\"iterations\":200,\"threads\":[{},{},{}]}],"
        "\"time\":{\"ticks_per_pass\":{\"value\":50,\"low\":49,\"high\":51,\"n\":2}},"
        "\"rates\":{\"ipc\":{\"target\":null,\"expect\":{\"min\":3.8},\"verdict\":\"fail\",\"reason\":"
        "\"low\","
        "\"observations\":[]},\"l1d.miss_rate\":{\"target\":0.5,\"verdict\":\"pass\",\"prefetched\":true,"
        "\"calibrated\":\"inferred\",\"observations\":[{\"source\":\"perf\",\"kind\":\"measured\","
        "\"value\":0.51,\"low\":0.5,\"high\":0.52,\"n\":9,\"counted\":0.75}]}}}");
    struct result_point point;
    result_point_read(document, &point);
    assert_string_equal(point.recipe, "r.lua");
    assert_string_equal(point.benchmark, "b");
    assert_string_equal(point.name, "hit=0.5");
    assert_string_equal(point.target, "ptx");
    assert_string_equal(point.program_hash, "77");
    assert_null(point.error);
    assert_null(point.skipped);
    assert_true(point.on_device);
    assert_int_equal(point.rep_count, 2);
    assert_true(point.reps[0].iterations == 100 && point.reps[0].ticks == 5000);
    assert_true(point.reps[0].seconds == 0.25 && point.reps[0].copies == 1);
    assert_true(isnan(point.reps[1].seconds) && isnan(point.reps[1].ticks));
    assert_int_equal(point.reps[1].copies, 3);
    assert_true(point.ticks_per_pass.value == 50 && point.ticks_per_pass.low == 49);
    assert_true(point.ticks_per_pass.high == 51 && point.ticks_per_pass.n == 2);
    const struct result_rate *ipc = result_rates_find(&point.rates, "ipc");
    const struct result_rate *misses = result_rates_find(&point.rates, "l1d.miss_rate");
    assert_null(result_rates_find(&point.rates, "l2.miss_rate"));
    assert_non_null(ipc);
    assert_true(isnan(ipc->target) && ipc->min == 3.8 && ipc->max == INFINITY);
    assert_int_equal(ipc->verdict, VERDICT_FAIL);
    assert_string_equal(ipc->reason, "low");
    assert_false(ipc->prefetched);
    assert_null(ipc->calibrated);
    assert_null(result_rate_best(ipc));
    assert_non_null(misses);
    assert_true(misses->target == 0.5 && misses->min == -INFINITY && misses->prefetched);
    assert_int_equal(misses->calibrated, EVIDENCE_INFERRED);
    assert_string_equal(misses->reason, "");
    const struct observation *seen = result_rate_best(misses);
    assert_non_null(seen);
    assert_string_equal(seen->source, "perf");
    assert_true(seen->value == 0.51 && seen->low == 0.5 && seen->high == 0.52);
    assert_true(seen->n == 9 && seen->counted == 0.75);
    result_point_free(&point);
    json_decref(document);
}

static void what_is_missing_is_no_number(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "{}", "{\"rates\":{},\"reps\":[],\"time\":{\"ticks_per_pass\":\"fast\"},\"recipe\":7}"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        json_t *document = parse(texts[i]);
        struct result_point point;
        result_point_read(document, &point);
        assert_string_equal(point.recipe, "");
        assert_int_equal(point.rep_count + point.rates.count, 0);
        assert_true(isnan(point.ticks_per_pass.value) && point.ticks_per_pass.n == 0);
        assert_false(point.on_device);
        result_point_free(&point);
        json_decref(document);
    }
    json_t *failed = parse("{\"error\":\"it ended\",\"skipped\":7}");
    struct result_point point;
    result_point_read(failed, &point);
    assert_string_equal(point.error, "it ended");
    assert_string_equal(point.skipped, "");
    result_point_free(&point);
    json_decref(failed);
}

#define SEEN(source, kind, value) "{\"source\":\"" source "\",\"kind\":\"" kind "\",\"value\":" value "}"

static void the_best_kind_wins(void **state)
{
    (void)state;
    static const struct {
        const char *observations;
        const char *source; /* NULL: none */
    } rows[] = {
        {SEEN("plan", "predicted", "0.1"), "plan"},
        {SEEN("plan", "predicted", "0.1") "," SEEN("timing", "inferred", "0.2"), "timing"},
        {SEEN("cachegrind", "simulated", "0.3") "," SEEN("timing", "inferred", "0.2"), "cachegrind"},
        {SEEN("cachegrind", "simulated", "0.3") "," SEEN("qemu", "simulated", "0.3"), "cachegrind"},
        {SEEN("wave", "simulated", "0.3") "," SEEN("bytes", "inspected", "0.4"), "bytes"},
        {SEEN("bytes", "inspected", "0.4") "," SEEN("perf", "measured", "0.5"), "perf"},
        {SEEN("plan", "predicted", "0.1") "," SEEN("qemu", "mapped", "0.3"), "qemu"},
        {SEEN("qemu", "mapped", "0.3") "," SEEN("timing", "inferred", "0.2"), "timing"},
        {SEEN("bytes", "inspected", "0.4") "," SEEN("perf", "measured", "null"), "bytes"},
        {SEEN("guess", "dreamt", "0.4"), NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[512];
        struct result_rates rates;
        snprintf(text, sizeof text, "{\"l1d.miss_rate\":{\"target\":0.5,\"observations\":[%s]}}",
                 rows[i].observations);
        json_t *entry = parse(text);
        result_rates_read(entry, &rates);
        const struct observation *best = result_rate_best(&rates.items[0]);
        if (rows[i].source == NULL)
            assert_null(best);
        else if (best == NULL || strcmp(best->source, rows[i].source) != 0)
            fail_msg("%s: %s", rows[i].observations, best == NULL ? "none" : best->source);
        if (best != NULL)
            assert_true(best->low == best->value && best->high == best->value);
        result_rates_free(&rates);
        json_decref(entry);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_point_is_read),
        cmocka_unit_test(what_is_missing_is_no_number),
        cmocka_unit_test(the_best_kind_wins),
    };
    return cmocka_run_group_tests_name("runner/result_point", tests, NULL, NULL);
}
