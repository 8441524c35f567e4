/* Bandwidth and ticks of a load, from a point's line of results. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runner/measure/measure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* With the counts of a pass that the text's "per_pass" has. */
static struct observations observe_plan(const char *text, struct manifest manifest)
{
    struct observations list = {0};
    struct result_point point;
    json_t *document = json_loads(text, 0, NULL);
    assert_non_null(document);
    result_point_read(document, &point);
    for (size_t i = 0; i < point.per_pass.count; i++) {
        const struct result_value *count = &point.per_pass.items[i];
        struct rates *counts = strncmp(count->name, "transfers.", 10) == 0 ? &manifest.transfers
                               : strncmp(count->name, "stored.", 7) == 0   ? &manifest.stored
                                                                           : &manifest.loads_by_level;
        rates_add(&point.arena, counts, strchr(count->name, '.') + 1, count->interval.value);
    }
    throughput_observe(&point, &manifest, 32, &list);
    result_point_free(&point);
    json_decref(document);
    return list;
}

static struct observations observe(const char *text)
{
    return observe_plan(text, manifest_none);
}

/* 1000 sectors read and 500 written a pass, in passes of 10, 10.02 and 9.98 microseconds. */
static void bytes_and_loads_over_their_time(void **state)
{
    (void)state;
    struct observations list =
        observe("{\"device\":{},\"per_pass\":{\"accesses.L1\":0,\"accesses.L2\":8000,\"transfers.L1\":0,"
                "\"transfers.L2\":1000,\"stored.L2\":500},"
                "\"time\":{\"ticks_per_pass\":{\"value\":16000,\"low\":8000,\"high\":20000,\"n\":3}},"
                "\"reps\":[{\"iterations\":100,\"seconds\":0.001},{\"iterations\":100,\"seconds\":0.001002},"
                "{\"iterations\":1000,\"seconds\":0.00998}]}");
    const struct observation *bandwidth = observations_find(&list, "bandwidth.L2", "record");
    assert_non_null(bandwidth);
    assert_int_equal(bandwidth->kind, EVIDENCE_INFERRED);
    assert_float_equal(bandwidth->value, 1500 * 32 / 9.99e-6, 1);
    assert_true(bandwidth->low < 1500 * 32 / 10.02e-6 && bandwidth->high > 1500 * 32 / 9.98e-6);
    assert_null(observations_find(&list, "bandwidth.L1", "record"));
    const struct observation *load = observations_find(&list, "ticks_per_load", "record");
    assert_float_equal(load->value, 2, 1e-9);
    assert_float_equal(load->low, 1, 1e-9);
    assert_float_equal(load->high, 2.5, 1e-9);
    assert_float_equal(observations_find(&list, "loads_per_tick", "record")->high, 1, 1e-9);
    observations_free(&list);
}

/* What a part of the accesses moves takes the time of the others too. */
static void a_level_that_serves_a_part_has_no_bandwidth(void **state)
{
    (void)state;
    static const char *const counts[] = {"\"transfers.L1\":10,\"transfers.L2\":10",
                                         "\"transfers.L1\":10,\"stored.L2\":1",
                                         "\"transfers.L2\":1000,\"transfers.MEM\":1"};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        char text[300];
        snprintf(text, sizeof text,
                 "{\"device\":{},\"per_pass\":{\"accesses.L2\":8000,%s},\"reps\":[{\"iterations\":100,"
                 "\"seconds\":0.001}]}",
                 counts[i]);
        struct observations list = observe(text);
        assert_null(observations_find(&list, "bandwidth.L1", "record"));
        assert_null(observations_find(&list, "bandwidth.L2", "record"));
        assert_null(observations_find(&list, "bandwidth.MEM", "record"));
        assert_non_null(observations_find(&list, "pass.ns", "record"));
        observations_free(&list);
    }
}

/* One thread's chase of 100 loads a pass: 2000 ticks, which are cycles, and 1000 ns. */
static void a_chase_has_a_latency(void **state)
{
    (void)state;
    struct manifest_stream stream = {.op = "load", .level = "L2", .chase = true};
    struct manifest manifest = manifest_none;
    static const char point[] =
        "{\"device\":{},\"per_pass\":{\"accesses.L2\":100},\"time\":{\"ticks_per_pass\":"
        "{\"value\":2000,\"low\":1900,\"high\":2100,\"n\":1}},"
        "\"reps\":[{\"iterations\":1000,\"seconds\":0.001}]}";
    manifest.target = "ptx";
    manifest.blocks = manifest.block_threads = manifest.stream_count = 1;
    manifest.streams = &stream;
    struct observations list = observe_plan(point, manifest);
    assert_float_equal(observations_find(&list, "latency.L2", "record")->value, 20, 1e-9);
    assert_float_equal(observations_find(&list, "latency.L2", "record")->low, 19, 1e-9);
    assert_float_equal(observations_find(&list, "latency.L2_ns", "record")->value, 10, 1e-9);
    assert_float_equal(observations_find(&list, "pass.ns", "record")->value, 1000, 1e-6);
    assert_float_equal(observations_find(&list, "pass.cycles", "record")->value, 2000, 1e-9);
    observations_free(&list);
    manifest.target = "gcn"; /* its ticks are no cycles */
    list = observe_plan(point, manifest);
    assert_null(observations_find(&list, "latency.L2", "record"));
    assert_non_null(observations_find(&list, "latency.L2_ns", "record"));
    observations_free(&list);
    struct manifest_item unit[] = {{.op = "load", .count = 1}, {.op = "add", .count = 1}};
    manifest.unit = unit;
    manifest.unit_count = 2; /* an addition may take its own time */
    list = observe_plan(point, manifest);
    assert_null(observations_find(&list, "latency.L2_ns", "record"));
    observations_free(&list);
    manifest.unit_count = 1;
    manifest.block_threads = 32; /* of which each waits for its own */
    list = observe_plan(point, manifest);
    assert_null(observations_find(&list, "latency.L2_ns", "record"));
    observations_free(&list);
}

static void what_was_not_timed_is_not_told(void **state)
{
    (void)state;
    struct observations list =
        observe("{\"device\":{},\"per_pass\":{\"transfers.L2\":1000},\"reps\":[{\"iterations\":100}]}");
    assert_int_equal(list.count, 0);
    observations_free(&list);
    list = observe("{\"per_pass\":{\"transfers.L2\":1000},\"reps\":[{\"iterations\":100,\"seconds\":1}]}");
    assert_int_equal(list.count, 0); /* a program of the processor */
    observations_free(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_level_that_serves_a_part_has_no_bandwidth),
        cmocka_unit_test(a_chase_has_a_latency),
        cmocka_unit_test(bytes_and_loads_over_their_time),
        cmocka_unit_test(what_was_not_timed_is_not_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
