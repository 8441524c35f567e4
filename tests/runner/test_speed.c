/* Bandwidths, latencies and cycles from the time of a pass and its IPC. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runner/results/speed.h"

#include <math.h>
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
    observations_add(&list, "pass.ns", "timing", "inferred", 100, 80, 125, 9);
    observations_add(&list, "ipc", "perf", "measured", 1.5, 1.2, 2, 9);
    observations_add(&list, "ipc", "plan", "predicted", 3, 3, 3, 1);
    for (unsigned i = 1; i <= copies && copies > 1; i++)
        observations_add_copy(&list, i, "pass.ns", "timing", "inferred",
                              (struct interval){100.0 * i, 100.0 * i, 100.0 * i, 5});
    if (served_l3 >= 0)
        observations_add(&list, "served.L3", "timing", "inferred", served_l3, served_l3 - 0.05,
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
    assert_true(seen->low <= seen->value && seen->value <= seen->high);
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
    struct manifest_item shares = {
        .op = "load", .count = 1, .width = 8, .is_served = true, .served = {0.5, 0.25, 0, 0.25}};
    struct observations list = derive(&shares, 1, 1);
    expect(&list, "bandwidth.L1", "timing", 10 * 0.5 * 8 / 100e-9);
    expect(&list, "bandwidth.L2", "timing", 10 * 0.25 * 64 / 100e-9);
    expect(&list, "bandwidth.MEM", "timing", 10 * 0.25 * 64 / 100e-9);
    assert_null(observations_find(&list, "bandwidth.L3", "timing"));
    observations_free(&list);
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
    unit[0].served[LEVEL_L1] = unit[0].served[LEVEL_L2] = 0.5; /* of neither level */
    list = derive(unit, 1, 1);
    assert_null(observations_find(&list, "latency.L1_ns", "timing"));
    assert_null(observations_find(&list, "latency.L2_ns", "timing"));
    observations_free(&list);
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
        observations_add(&list, rows[i].metric, rows[i].source, "inferred", 100, NAN, NAN, 3);
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
    observations_add(&list, "pass.ns", "timing", "inferred", 7, 7, 7, 9);
    speed_take(point, &list);
    expect(&list, "pass.ns", "timing", 150);
    assert_int_equal(list.count, 3);
    for (size_t i = 0; i < list.count; i++)
        if (list.items[i].copy > 0)
            assert_float_equal(list.items[i].value, 100.0 * list.items[i].copy, 1e-9);
    observations_free(&list);
    json_object_set_new(point, "together", json_pack("{s:f}", "overlap", 0.3)); /* one after the other */
    observations_add(&list, "pass.ns", "timing", "inferred", 7, 7, 7, 9);
    observations_add(&list, "ipc", "timing", "inferred", 2, 2, 2, 9);
    speed_take(point, &list);
    assert_null(observations_find(&list, "pass.ns", "timing"));
    assert_int_equal(list.count, 1);
    observations_free(&list);
    json_object_del(point, "together");
    json_object_del(json_array_get(json_object_get(point, "reps"), 0), "threads");
    observations_add(&list, "pass.ns", "timing", "inferred", 7, 7, 7, 9);
    speed_take(point, &list); /* of one copy, the source's own rounds are the quieter ones */
    expect(&list, "pass.ns", "timing", 7);
    observations_free(&list);
    speed_take(point, &list);
    expect(&list, "pass.ns", "timing", 150);
    observations_free(&list);
    json_decref(point);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_walk_belongs_to_the_nearest_level_that_holds_it),
        cmocka_unit_test(all_walks_count_together),
        cmocka_unit_test(beyond_l1_whole_lines_move),
        cmocka_unit_test(a_chase_that_one_level_serves_has_a_latency),
        cmocka_unit_test(a_cache_that_others_use_shows_its_latency_only_if_it_serves),
        cmocka_unit_test(the_users_own_text_moves_an_unknown_amount),
        cmocka_unit_test(another_machines_caches_serve_nothing_here),
        cmocka_unit_test(copies_add_up),
        cmocka_unit_test(times_are_per_unit_and_per_item),
        cmocka_unit_test(a_doubt_goes_with_what_is_derived),
        cmocka_unit_test(repetitions_of_copies_replace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
