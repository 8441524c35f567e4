/* Bandwidth and ticks of a load, from a point's line of results. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runner/measure/throughput.h"

#include <math.h>
#include <stdio.h>

static struct observations observe(const char *text)
{
    struct observations list = {0};
    json_t *point = json_loads(text, 0, NULL);
    assert_non_null(point);
    throughput_observe(point, &manifest_none, 32, &list);
    json_decref(point);
    return list;
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
    json_t *point =
        json_loads("{\"device\":{},\"per_pass\":{\"accesses.L2\":100},\"time\":{\"ticks_per_pass\":"
                   "{\"value\":2000,\"low\":1900,\"high\":2100,\"n\":1}},"
                   "\"reps\":[{\"iterations\":1000,\"seconds\":0.001}]}",
                   0, NULL);
    manifest.target = "ptx";
    manifest.blocks = manifest.block_threads = manifest.stream_count = 1;
    manifest.streams = &stream;
    struct observations list = {0};
    throughput_observe(point, &manifest, 32, &list);
    assert_float_equal(observations_find(&list, "latency.L2", "record")->value, 20, 1e-9);
    assert_float_equal(observations_find(&list, "latency.L2", "record")->low, 19, 1e-9);
    assert_float_equal(observations_find(&list, "latency.L2_ns", "record")->value, 10, 1e-9);
    assert_float_equal(observations_find(&list, "pass.ns", "record")->value, 1000, 1e-6);
    assert_float_equal(observations_find(&list, "pass.cycles", "record")->value, 2000, 1e-9);
    observations_free(&list);
    manifest.target = "gcn"; /* its ticks are no cycles */
    list = (struct observations){0};
    throughput_observe(point, &manifest, 32, &list);
    assert_null(observations_find(&list, "latency.L2", "record"));
    assert_non_null(observations_find(&list, "latency.L2_ns", "record"));
    observations_free(&list);
    struct manifest_item unit[] = {{.op = "load", .count = 1}, {.op = "add", .count = 1}};
    manifest.unit = unit;
    manifest.unit_count = 2; /* an addition may take its own time */
    list = (struct observations){0};
    throughput_observe(point, &manifest, 32, &list);
    assert_null(observations_find(&list, "latency.L2_ns", "record"));
    observations_free(&list);
    manifest.unit_count = 1;
    manifest.block_threads = 32; /* of which each waits for its own */
    list = (struct observations){0};
    throughput_observe(point, &manifest, 32, &list);
    assert_null(observations_find(&list, "latency.L2_ns", "record"));
    observations_free(&list);
    json_decref(point);
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
