/* Bandwidths, latencies and cycles from the time of a pass and its IPC. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runner/evidence/speed.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* 32 KiB, 512 KiB and 16 MiB, of which one core has 8. */
static struct machine machine = {
    .isa = "x86_64",
    .present = true,
    .l1d = {.size = 32 << 10, .line = 64},
    .l2 = {.size = 512 << 10, .line = 64},
    .l3 = {.size = 16 << 20, .line = 64, .effective = 8 << 20},
};

static struct manifest_item walk_of(const char *op, double working_set, double width, double stride)
{
    return (struct manifest_item){
        .op = op, .count = 1, .working_set = working_set, .width = width, .stride = stride};
}

/* 10 units and 30 instructions; a pass takes 100 ns, from 80 to 125, at 1.5 instructions per cycle. */
static struct observations derive_with(struct manifest_item *unit, size_t count, unsigned copies,
                                       double served_l3)
{
    struct manifest manifest = manifest_none;
    struct placement place = {.count = copies};
    struct observations list = {0};
    manifest.unit = unit;
    manifest.unit_count = count;
    manifest.units = 10;
    manifest.instructions = 30;
    manifest.loads = 10;
    const struct test_program test_program = {
        .manifest = &manifest, .machine = &machine, .place = copies > 1 ? &place : NULL};
    observations_add(&list, "pass.ns", "timing", EVIDENCE_INFERRED, 100, 80, 125, 9);
    observations_add(&list, "ipc", "perf", EVIDENCE_MEASURED, 1.5, 1.2, 2, 9);
    observations_add(&list, "ipc", "plan", EVIDENCE_PREDICTED, 3, 3, 3, 1);
    for (unsigned i = 1; i <= copies && copies > 1; i++)
        observations_add_copy(&list, i, "pass.ns", "timing", EVIDENCE_INFERRED,
                              (struct interval){100.0 * i, 100.0 * i, 100.0 * i, 5});
    if (served_l3 >= 0)
        observations_add(&list, "served.L3", "timing", EVIDENCE_INFERRED, served_l3, served_l3 - 0.05,
                         served_l3 + 0.05, 9);
    speed_derive(&test_program, &list);
    return list;
}

static struct observations derive(struct manifest_item *unit, size_t count, unsigned copies)
{
    return derive_with(unit, count, copies, -1);
}

static void expect(const struct observations *list, const char *metric, const char *source, double value)
{
    const struct observation *seen = observations_find(list, metric, source);
    if (seen == NULL)
        fail_msg("%s has no %s", source, metric);
    assert_true(fabs(seen->value - value) < 1e-6 * value);
    assert_true(isnan(seen->low) ? seen->doubt[0] != '\0'
                                 : seen->low <= seen->value && seen->value <= seen->high);
}

static void a_walk_belongs_to_the_nearest_level_that_holds_it(void **state)
{
    (void)state;
    static const struct {
        double bytes;
        const char *metric;
    } rows[] = {{16 << 10, "bandwidth.L1"},
                {33 << 10, "bandwidth.L2"},
                {7 << 20, "bandwidth.L3"},
                {12 << 20, "bandwidth.MEM"}}; /* more than the core's share */
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct manifest_item item = walk_of("load", rows[i].bytes, 32, 32);
        struct observations list = derive(&item, 1, 1);
        expect(&list, rows[i].metric, "timing", 10 * 32 / 100e-9);
        const struct observation *seen = observations_find(&list, rows[i].metric, "timing");
        assert_float_equal(seen->low, 10 * 32 / 125e-9, 1);
        assert_float_equal(seen->high, 10 * 32 / 80e-9, 1);
        for (size_t j = 0; j < sizeof rows / sizeof rows[0]; j++)
            assert_true(i == j || observations_find(&list, rows[j].metric, "timing") == NULL);
        expect(&list, "pass.cycles", "perf", 20);
        assert_null(observations_find(&list, "pass.cycles", "plan"));
        assert_null(observations_find(&list, "latency.L1", "perf")); /* it is no chase */
        observations_free(&list);
    }
}

/* Two walks of 24 KiB are 48 KiB; a copy's bytes count when read and when written. */
static void all_walks_count_together(void **state)
{
    (void)state;
    struct manifest_item unit[] = {walk_of("load", 24 << 10, 16, 16), walk_of("store", 24 << 10, 16, 16)};
    struct observations list = derive(unit, 2, 1);
    expect(&list, "bandwidth.L2", "timing", 2 * 10 * 16 / 100e-9);
    observations_free(&list);
}

static void beyond_l1_whole_lines_move(void **state)
{
    (void)state;
    static const struct {
        double bytes, width, stride, moved;
    } rows[] = {{256 << 10, 8, 64, 64},
                {256 << 10, 8, 256, 64},
                {256 << 10, 8, 16, 16},
                {256 << 10, 8, 0, 64}, /* random */
                {16 << 10, 8, 64, 8}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct manifest_item item = walk_of("load", rows[i].bytes, rows[i].width, rows[i].stride);
        struct observations list = derive(&item, 1, 1);
        expect(&list, i == 4 ? "bandwidth.L1" : "bandwidth.L2", "timing", 10 * rows[i].moved / 100e-9);
        observations_free(&list);
    }
}

/* Shares of several levels have the bandwidth of none: what a part moves takes the others' time too. */
static void a_level_that_serves_a_part_has_no_bandwidth(void **state)
{
    (void)state;
    static const struct {
        double loads[LEVEL_COUNT], stores[LEVEL_COUNT];
        const char *metric; /* NULL: none */
        double bytes;
    } rows[] = {{{1}, {1}, "bandwidth.L1", 16},
                {{0, 1}, {0, 1}, "bandwidth.L2", 128},
                {{0, 0, 0, 1}, {0, 0, 0, 1}, "bandwidth.MEM", 128},
                {{0.7, 0.3}, {0.7, 0.3}, NULL, 0},
                {{0.999, 0.001}, {1}, NULL, 0},
                {{0, 1}, {1}, NULL, 0},
                {{0.5, 0.25, 0, 0.25}, {1}, NULL, 0}};
    static const char *const all[] = {"bandwidth.L1", "bandwidth.L2", "bandwidth.L3", "bandwidth.MEM"};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct manifest_item unit[] = {{.op = "load", .count = 1, .width = 8, .is_served = true},
                                       {.op = "store", .count = 1, .width = 8, .is_served = true},
                                       {.op = "branch", .count = 1, .accuracy = 1},
                                       {.op = "tlb", .count = 1}};
        memcpy(unit[0].served, rows[i].loads, sizeof rows[i].loads);
        memcpy(unit[1].served, rows[i].stores, sizeof rows[i].stores);
        struct observations list = derive(unit, 4, 1);
        for (size_t j = 0; j < sizeof all / sizeof all[0]; j++)
            if (rows[i].metric == NULL || strcmp(rows[i].metric, all[j]) != 0)
                assert_null(observations_find(&list, all[j], "timing"));
        if (rows[i].metric != NULL)
            expect(&list, rows[i].metric, "timing", 10 * rows[i].bytes / 100e-9);
        expect(&list, "load.ns", "timing", 10);
        observations_free(&list);
    }
}

/* What the plan expects of a walk: random ones find some of their lines in a nearer level. */
static void a_walk_that_a_nearer_level_serves_in_part_has_none(void **state)
{
    (void)state;
    const struct {
        double stride, expected;
        bool bandwidth, latency;
    } rows[] = {{0, 1, true, true},
                {0, 0.9, false, false},
                {64, 1, true, true},
                {8, 0.125, true, false},
                {8, 0.06, false, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct manifest_item item = walk_of("load", 256 << 10, 8, rows[i].stride);
        struct rate expected[] = {{.metric = "served.L2", .value = rows[i].expected}};
        struct manifest manifest = manifest_none;
        const struct test_program test_program = {.manifest = &manifest, .machine = &machine};
        struct observations list = {0};
        char why[200];
        item.address = "chase";
        manifest.unit = &item;
        manifest.unit_count = 1;
        manifest.units = manifest.loads = 10;
        manifest.instructions = 30;
        manifest.expected = (struct rates){.items = expected, .count = 1};
        observations_add(&list, "pass.ns", "timing", EVIDENCE_INFERRED, 100, 80, 125, 9);
        observations_add(&list, "bandwidth.L2", "perf", EVIDENCE_MEASURED, 1e9, 1e9, 1e9, 9);
        observations_add(&list, "bandwidth.MEM", "perf", EVIDENCE_MEASURED, 1e6, 1e6, 1e6, 9);
        observations_add(&list, "bandwidth.MEM", "import", EVIDENCE_MEASURED, 1e6, 1e6, 1e6, 9);
        speed_derive(&test_program, &list);
        assert_true(rows[i].bandwidth == (observations_find(&list, "bandwidth.L2", "timing") != NULL));
        assert_true(rows[i].bandwidth == (observations_find(&list, "bandwidth.L2", "perf") != NULL));
        assert_null(observations_find(&list, "bandwidth.MEM", "perf"));
        assert_non_null(observations_find(&list, "bandwidth.MEM", "import"));
        assert_true(rows[i].latency == (observations_find(&list, "latency.L2_ns", "timing") != NULL));
        assert_true(rows[i].bandwidth == !speed_why_not(&test_program, "bandwidth.L2", why, sizeof why));
        assert_true(rows[i].latency == !speed_why_not(&test_program, "latency.L2", why, sizeof why));
        assert_true(speed_why_not(&test_program, "latency.MEM_ns", why, sizeof why));
        assert_non_null(strstr(why, "load.ns"));
        assert_false(speed_why_not(&test_program, "unit.ns", why, sizeof why));
        observations_free(&list);
    }
}

static void a_chase_that_one_level_serves_has_a_latency(void **state)
{
    (void)state;
    struct manifest_item unit[] = {
        {.op = "load", .count = 1, .width = 8, .address = "chase", .is_served = true, .served = {0, 1, 0, 0}},
        {.op = "add", .count = 1}};
    struct observations list = derive(unit, 1, 1);
    expect(&list, "latency.L2", "perf", 2);
    expect(&list, "latency.L2_ns", "timing", 10);
    observations_free(&list);
    list = derive(unit, 2, 1); /* an addition may take its own time */
    assert_null(observations_find(&list, "latency.L2", "perf"));
    assert_null(observations_find(&list, "latency.L2_ns", "timing"));
    observations_free(&list);
    static const double of_neither[][LEVEL_COUNT] = {
        {0.5, 0.5}, {0.9, 0, 0, 0.1}, {0.99, 0.01}, {0, 0.999, 0, 0.001}};
    for (size_t i = 0; i < sizeof of_neither / sizeof of_neither[0]; i++) {
        memcpy(unit[0].served, of_neither[i], sizeof of_neither[i]);
        list = derive(unit, 1, 1);
        assert_null(observations_find(&list, "latency.L1_ns", "timing"));
        assert_null(observations_find(&list, "latency.L2_ns", "timing"));
        assert_null(observations_find(&list, "latency.L1", "perf"));
        expect(&list, "load.ns", "timing", 10);
        observations_free(&list);
    }
}

/* A neighbour's lines drive out its own, which then come from memory. */
static void a_cache_that_others_use_shows_its_latency_only_if_it_serves(void **state)
{
    (void)state;
    struct manifest_item chase = {
        .op = "load", .count = 1, .width = 8, .address = "chase", .is_served = true, .served = {0, 0, 1, 0}};
    struct manifest_item walk = walk_of("load", 7 << 20, 8, 64);
    const struct {
        struct manifest_item *item;
        double served; /* -1: nothing observed it */
        unsigned shared_by;
        bool is_virtual, shown;
    } rows[] = {{&chase, 0.98, 8, false, true}, {&chase, 0.7, 8, false, false}, {&chase, -1, 8, false, false},
                {&chase, -1, 1, true, false},   {&chase, 0.98, 1, true, true},  {&chase, -1, 1, false, true},
                {&walk, -1, 8, false, true}};
    walk.address = "chase";
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        machine.l3.shared_by = rows[i].shared_by;
        machine.is_virtual = rows[i].is_virtual;
        struct observations list = derive_with(rows[i].item, 1, 1, rows[i].served);
        if (rows[i].shown)
            expect(&list, "latency.L3_ns", "timing", 10);
        assert_true(rows[i].shown == (observations_find(&list, "latency.L3_ns", "timing") != NULL));
        assert_true(rows[i].shown == (observations_find(&list, "latency.L3", "perf") != NULL));
        assert_non_null(observations_find(&list, "pass.cycles", "perf"));
        observations_free(&list);
    }
    machine.l3.shared_by = 0;
    machine.is_virtual = false;
}

static void the_users_own_text_moves_an_unknown_amount(void **state)
{
    (void)state;
    struct manifest_item unit[] = {walk_of("load", 16 << 10, 8, 8),
                                   {.op = "asm", .has_text = true, .count = 1}};
    struct observations list = derive(unit, 2, 1);
    assert_null(observations_find(&list, "bandwidth.L1", "timing"));
    expect(&list, "pass.cycles", "perf", 20);
    observations_free(&list);
}

static void another_machines_caches_serve_nothing_here(void **state)
{
    (void)state;
    struct manifest_item item = walk_of("load", 16 << 10, 8, 8);
    machine.present = false;
    struct observations list = derive(&item, 1, 1);
    machine.present = true;
    assert_null(observations_find(&list, "bandwidth.L1", "timing"));
    expect(&list, "pass.cycles", "perf", 20);
    observations_free(&list);
}

/* Two copies, at 100 and 200 ns a pass. */
static void copies_add_up(void **state)
{
    (void)state;
    struct manifest_item item = walk_of("load", 16 << 10, 32, 32);
    struct observations list = derive(&item, 1, 2);
    expect(&list, "bandwidth.L1", "timing", 10 * 32 / 100e-9 + 10 * 32 / 200e-9);
    size_t copies = 0;
    for (size_t i = 0; i < list.count; i++) {
        if (list.items[i].copy == 0 || list.items[i].metric[0] != 'b')
            continue;
        copies++;
        assert_float_equal(list.items[i].value, 10 * 32 / (100e-9 * list.items[i].copy), 1);
    }
    assert_int_equal(copies, 2);
    observations_free(&list);
}

/* 10 units of two loads, a store and a branch: the number of units is the generator's choice. */
static void times_are_per_unit_and_per_item(void **state)
{
    (void)state;
    struct manifest_item unit[] = {walk_of("load", 16 << 10, 8, 8),
                                   {.op = "load", .count = 1, .width = 8, .is_served = true, .served = {1}},
                                   {.op = "store", .count = 4, .width = 8, .is_served = true, .served = {1}},
                                   {.op = "branch", .count = 5, .accuracy = 1},
                                   {.op = "add", .count = 3}};
    struct observations list = derive(unit, 5, 2);
    expect(&list, "unit.ns", "timing", 10);
    expect(&list, "unit.cycles", "perf", 2);
    expect(&list, "load.ns", "timing", 5);
    expect(&list, "store.ns", "timing", 2.5);
    expect(&list, "branch.ns", "timing", 2);
    const struct observation *seen = observations_find(&list, "unit.ns", "timing");
    assert_float_equal(seen->low, 8, 1e-9);
    assert_float_equal(seen->high, 12.5, 1e-9);
    size_t copies = 0;
    for (size_t i = 0; i < list.count; i++)
        if (list.items[i].copy == 2 && strcmp(list.items[i].metric, "unit.ns") == 0) {
            assert_float_equal(list.items[i].value, 20, 1e-9);
            copies++;
        }
    assert_int_equal(copies, 1);
    observations_free(&list);
    list = derive(unit + 4, 1, 1); /* it has none of these */
    expect(&list, "unit.ns", "timing", 10);
    assert_null(observations_find(&list, "load.ns", "timing"));
    assert_null(observations_find(&list, "store.ns", "timing"));
    assert_null(observations_find(&list, "branch.ns", "timing"));
    assert_null(observations_find(&list, "unit.cycles", "plan"));
    observations_free(&list);
}

/* 30 instructions at 1.5 per cycle and 5 branches; what a source counts itself stays. */
static void branches_are_so_many_cycles_apart(void **state)
{
    (void)state;
    struct manifest_item unit[] = {{.op = "branch", .count = 1, .accuracy = 0.9}, {.op = "asm", .count = 1}};
    struct manifest manifest = manifest_none;
    const struct test_program test_program = {.manifest = &manifest, .machine = &machine};
    manifest.unit = unit;
    manifest.units = 5;
    manifest.instructions = 30;
    for (int other = 0; other < 4; other++) {
        struct observations list = {0};
        manifest.branches = (struct manifest_branches){.given = other != 1, .total = other != 1 ? 5 : 0};
        manifest.has_code = other == 2;
        manifest.unit_count = other == 3 ? 2 : 1;
        unit[1].has_text = other == 3;
        observations_add(&list, "ipc", "timing", EVIDENCE_INFERRED, 1.5, 1.2, 2, 9);
        observations_add(&list, "ipc", "perf", EVIDENCE_MEASURED, 1.5, 1.2, 2, 9);
        observations_add(&list, "branch.distance", "perf", EVIDENCE_MEASURED, 3, 3, 3, 9);
        speed_derive(&test_program, &list);
        expect(&list, "branch.distance", "perf", 3);
        if (other == 0)
            expect(&list, "branch.distance", "timing", 4);
        else
            assert_null(observations_find(&list, "branch.distance", "timing"));
        observations_free(&list);
    }
}

/* What is derived has no interval either, and the same reason beside it; on devices too. */
static void a_doubt_goes_with_what_is_derived(void **state)
{
    (void)state;
    static const char why[] = "disturbed";
    struct manifest_item item = {
        .op = "load", .count = 2, .width = 8, .address = "chase", .is_served = true, .served = {1}};
    struct manifest manifest = manifest_none;
    manifest.unit = &item;
    manifest.unit_count = 1;
    manifest.units = 10;
    manifest.instructions = 30;
    manifest.loads = 20;
    struct machine gpu = {.isa = "ptx", .present = true};
    const struct {
        struct machine *machine;
        const char *source, *metric, *derived[6];
    } rows[] = {
        {&machine, "timing", "pass.ns", {"unit.ns", "load.ns", "latency.L1_ns", "bandwidth.L1", NULL}},
        {&machine, "timing", "ipc", {"pass.cycles", "unit.cycles", "latency.L1", NULL}},
        {&gpu, "record", "pass.ns", {"unit.ns", "load.ns", NULL}}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct test_program test_program = {.manifest = &manifest, .machine = rows[i].machine};
        struct observations list = {0};
        observations_add(&list, rows[i].metric, rows[i].source, EVIDENCE_INFERRED, 100, NAN, NAN, 3);
        observations_doubt(&list, why);
        speed_derive(&test_program, &list);
        for (size_t j = 0; rows[i].derived[j] != NULL; j++) {
            const struct observation *seen = observations_find(&list, rows[i].derived[j], rows[i].source);
            assert_non_null(seen);
            assert_true(seen->value > 0 && isnan(seen->low) && isnan(seen->high));
            assert_string_equal(seen->doubt, why);
        }
        observations_free(&list);
    }
}

static void take(const json_t *document, struct observations *list)
{
    struct result_point point;
    result_point_read(document, &point);
    speed_take(&point, list);
    result_point_free(&point);
}

/* Copies of 10 passes in 2000 and 4000 ticks of 2 GHz; the source's own time was of other runs. */
static void repetitions_of_copies_replace(void **state)
{
    (void)state;
    json_t *point = json_loads(
        "{\"time\":{\"ticks_per_pass\":{\"value\":300,\"low\":300,\"high\":300,\"n\":1},\"ticks_per_s\":2e9},"
        "\"reps\":[{\"iterations\":10,\"ticks\":3000,\"threads\":[{\"cpu\":0,\"iterations\":10,\"ticks\":"
        "2000},"
        "{\"cpu\":1,\"iterations\":10,\"ticks\":4000}]}]}",
        0, NULL);
    struct observations list = {0};
    observations_add(&list, "pass.ns", "timing", EVIDENCE_INFERRED, 7, 7, 7, 9);
    take(point, &list);
    expect(&list, "pass.ns", "timing", 150);
    assert_int_equal(list.count, 3);
    for (size_t i = 0; i < list.count; i++)
        if (list.items[i].copy > 0)
            assert_float_equal(list.items[i].value, 100.0 * list.items[i].copy, 1e-9);
    observations_free(&list);
    json_object_set_new(point, "together", json_pack("{s:f}", "overlap", 0.3)); /* one after the other */
    observations_add(&list, "pass.ns", "timing", EVIDENCE_INFERRED, 7, 7, 7, 9);
    observations_add(&list, "ipc", "timing", EVIDENCE_INFERRED, 2, 2, 2, 9);
    take(point, &list);
    assert_null(observations_find(&list, "pass.ns", "timing"));
    assert_int_equal(list.count, 1);
    observations_free(&list);
    json_object_del(point, "together");
    json_object_del(json_array_get(json_object_get(point, "reps"), 0), "threads");
    observations_add(&list, "pass.ns", "timing", EVIDENCE_INFERRED, 7, 7, 7, 9);
    take(point, &list); /* of one copy, the source's own rounds are the quieter ones */
    expect(&list, "pass.ns", "timing", 7);
    observations_free(&list);
    take(point, &list);
    expect(&list, "pass.ns", "timing", 150);
    observations_free(&list);
    json_decref(point);
}

/* Two kernels of cores: in the third repetition the other one ran before this one. */
static void times_of_cores_are_of_repetitions_together(void **state)
{
    (void)state;
    static const char *const rep =
        "{\"iterations\":10,\"ticks\":%d,\"seconds\":%.9g,\"threads\":[{\"cpu\":0,\"iterations\":10,"
        "\"ticks\":%d,\"start\":10000}],\"company\":[{\"cpu\":1,\"iterations\":5,\"ticks\":%d,"
        "\"start\":%d}]}";
    static const struct {
        int ticks, beside, start;
    } reps[] = {{4000, 4000, 10000}, {4400, 4000, 10100}, {2000, 4000, 5000}};
    const char *names[] = {"core=0", "core=1"};
    struct manifest manifest = manifest_none;
    struct manifest_item chase = {
        .op = "load", .count = 1, .width = 8, .address = "chase", .is_served = true, .served = {0, 0, 0, 1}};
    manifest.unit = &chase;
    manifest.unit_count = 1;
    manifest.units = manifest.loads = 10;
    manifest.instructions = 30;
    manifest.together = (struct manifest_words){.items = names, .count = 2};
    const struct test_program test_program = {.manifest = &manifest, .machine = &machine};
    for (size_t only = 0; only < 2; only++) { /* the last repetition alone is none */
        struct observations list = {0};
        json_t *list_of = json_array();
        for (size_t i = only ? 2 : 0; i < 3; i++) {
            char text[400];
            snprintf(text, sizeof text, rep, reps[i].ticks, reps[i].ticks / 2e9, reps[i].ticks,
                     reps[i].beside, reps[i].start);
            json_array_append_new(list_of, json_loads(text, 0, NULL));
        }
        json_t *point = json_pack("{s:{s:{s:f,s:f,s:f,s:i},s:f},s:{s:f},s:o,s:i}", "time", "ticks_per_pass",
                                  "value", 300.0, "low", 300.0, "high", 300.0, "n", 1, "ticks_per_s", 2e9,
                                  "together", "overlap", 0.0, "reps", list_of, "units", 10);
        observations_add(&list, "pass.ns", "timing", EVIDENCE_INFERRED, 100, 90, 110, 9);
        observations_add(&list, "ipc", "timing", EVIDENCE_INFERRED, 2, 1, 3, 9);
        observations_add(&list, "bandwidth.MEM", "perf", EVIDENCE_MEASURED, 2, 1, 3, 9);
        speed_name_solo(&manifest, &list);
        expect(&list, "solo.unit.ns", "timing", 10);
        expect(&list, "solo.ipc", "timing", 2);
        assert_int_equal(list.count, 2);
        speed_name_solo(&manifest, &list); /* once is enough */
        assert_int_equal(list.count, 2);
        take(point, &list);
        speed_derive(&test_program, &list);
        assert_null(observations_find(&list, "latency.MEM", "timing"));
        assert_null(observations_find(&list, "pass.cycles", "timing"));
        assert_true(only == (observations_find(&list, "pass.ns", "timing") == NULL));
        assert_true(only == (observations_find(&list, "unit.ns", "timing") == NULL));
        if (!only) {
            expect(&list, "unit.ns", "timing", 21);
            expect(&list, "latency.MEM_ns", "timing", 21);
            assert_non_null(strstr(observations_find(&list, "unit.ns", "timing")->doubt, "2 of 3"));
        }
        char why[200];
        assert_true(speed_why_not(&test_program, "ipc", why, sizeof why));
        assert_non_null(strstr(why, "solo.ipc"));
        assert_false(speed_why_not(&test_program, "power.total_w", why, sizeof why));
        observations_free(&list);
        json_decref(point);
    }
}

/* Repetitions of 4000 ticks at 2 GHz, in which a chase makes 10 passes of 10 loads. */
struct beside_rep {
    int start, ticks; /* of the stream; the chase's are 10000 and 4000 */
    double bytes, waited;
};

static void observe_beside(const struct beside_rep *reps, size_t count, const struct manifest *manifest,
                           struct observations *list)
{
    const struct test_program test_program = {.manifest = manifest, .machine = &machine};
    struct result_point point;
    json_t *list_of = json_array();
    for (size_t i = 0; i < count; i++) {
        json_t *rep =
            json_pack("{s:i, s:i, s:f, s:[{s:i, s:i, s:i, s:i}]}", "iterations", 10, "ticks", 4000, "waited",
                      reps[i].waited, "threads", "cpu", 0, "iterations", 10, "ticks", 4000, "start", 10000);
        if (reps[i].ticks > 0)
            json_object_set_new(rep, "company",
                                json_pack("[{s:i, s:i, s:i, s:i, s:f}]", "cpu", 1, "iterations", 5, "ticks",
                                          reps[i].ticks, "start", reps[i].start, "bytes", reps[i].bytes));
        json_array_append_new(list_of, rep);
    }
    json_t *document = json_pack("{s:{s:f}, s:{s:f}, s:o}", "time", "ticks_per_s", 2e9, "together", "overlap",
                                 0.0, "reps", list_of);
    result_point_read(document, &point);
    speed_beside(&test_program, &point, list);
    result_point_free(&point);
    json_decref(document);
}

/* A chase beside a stream: 4000 ticks are 2 us, so 20 ns a load, and 8000 bytes 4 GB/s. A stream that ended
 * early, or was late, has no row whatever it moved. */
static void only_streams_that_ran_all_the_time_load_a_chase(void **state)
{
    (void)state;
    const char *names[] = {"core=0", "core=1"};
    struct manifest manifest = manifest_none;
    struct manifest_item chase = {
        .op = "load", .count = 1, .width = 8, .address = "chase", .is_served = true, .served = {0, 0, 0, 1}};
    manifest.unit = &chase;
    manifest.unit_count = 1;
    manifest.units = manifest.loads = 10;
    manifest.together = (struct manifest_words){.items = names, .count = 2};
    static const struct {
        struct beside_rep reps[3];
        double bandwidth; /* 0: withheld */
        const char *doubt;
    } rows[] = {
        {{{10000, 4000, 8000, 0}, {10000, 3900, 8000, 0}, {10100, 3900, 8000, 0}}, 4e9, ""},
        {{{10000, 3700, 8000, 0}, {10000, 2000, 8000, 0}, {12000, 2000, 8000, 0}}, 0, NULL},
        {{{10000, 4000, 8000, 0}, {10000, 2000, 80, 0}, {10000, 4000, 8000, 0}}, 4e9, ""},
        {{{10000, 4000, 8000, 0}, {10000, 2000, 80, 0}, {10000, 2000, 80, 0}}, 4e9, "one repetition"},
        {{{10000, 4000, 8000, 0}, {10000, 4000, 8000, 0}, {10000, 4000, 80000, 0.3}}, 4e9, ""},
        {{{10000, 4000, 8000, 0.3}, {10000, 4000, 8000, 0.3}, {10000, 4000, 8000, 0}}, 4e9, "other programs"},
        {{{10000, 4000, 8000, 0}, {10000, 4000, 16000, 0}, {10000, 4000, 4000, 0}}, 4e9, "do not agree"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct observations list = {0};
        observe_beside(rows[i].reps, 3, &manifest, &list);
        const struct observation *seen = observations_find(&list, "loaded.bandwidth", "timing");
        assert_true((seen == NULL) == (rows[i].bandwidth == 0));
        assert_true((observations_find(&list, "loaded.latency_ns", "timing") == NULL) == (seen == NULL));
        if (seen != NULL) {
            assert_true(rows[i].doubt[0] == '\0' ? seen->doubt[0] == '\0'
                                                 : strstr(seen->doubt, rows[i].doubt) != NULL);
            assert_true(isnan(seen->low) == (rows[i].doubt[0] != '\0'));
            if (strstr(rows[i].doubt, "agree") == NULL)
                expect(&list, "loaded.bandwidth", "timing", rows[i].bandwidth);
            expect(&list, "loaded.latency_ns", "timing", 20);
        }
        observations_free(&list);
    }
    struct observations list = {0};
    const struct beside_rep alone[] = {{0, 0, 0, 0}, {0, 0, 0, 0}};
    manifest.together.count = 1; /* the chase alone: nothing is moved beside it */
    observe_beside(alone, 2, &manifest, &list);
    assert_true(observations_find(&list, "loaded.bandwidth", "timing")->value == 0);
    expect(&list, "loaded.latency_ns", "timing", 20);
    observations_free(&list);
    chase.address = "independent"; /* whose time is no latency */
    observe_beside(alone, 2, &manifest, &list);
    assert_null(observations_find(&list, "loaded.latency_ns", "timing"));
    observations_free(&list);
    manifest.together.count = 0;
    observe_beside(alone, 2, &manifest, &list);
    assert_int_equal(list.count, 0);
    observations_free(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_walk_belongs_to_the_nearest_level_that_holds_it),
        cmocka_unit_test(all_walks_count_together),
        cmocka_unit_test(beyond_l1_whole_lines_move),
        cmocka_unit_test(a_level_that_serves_a_part_has_no_bandwidth),
        cmocka_unit_test(a_walk_that_a_nearer_level_serves_in_part_has_none),
        cmocka_unit_test(a_chase_that_one_level_serves_has_a_latency),
        cmocka_unit_test(a_cache_that_others_use_shows_its_latency_only_if_it_serves),
        cmocka_unit_test(the_users_own_text_moves_an_unknown_amount),
        cmocka_unit_test(another_machines_caches_serve_nothing_here),
        cmocka_unit_test(copies_add_up),
        cmocka_unit_test(times_are_per_unit_and_per_item),
        cmocka_unit_test(branches_are_so_many_cycles_apart),
        cmocka_unit_test(a_doubt_goes_with_what_is_derived),
        cmocka_unit_test(repetitions_of_copies_replace),
        cmocka_unit_test(times_of_cores_are_of_repetitions_together),
        cmocka_unit_test(only_streams_that_ran_all_the_time_load_a_chase),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
