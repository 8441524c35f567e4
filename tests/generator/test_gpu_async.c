/* Plans of asynchronous loads: rings, groups, waits and their numbers, worked out by hand; what is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "generator/plan/gpu/gpu_async.h"
#include "tests/generator/gpu_toy.h"

#include <stdlib.h>

#define LOAD(more) "{\"op\":\"load\",\"width\":16,\"source\":\"async\",\"served\":{\"L1\":1}" more "}"
#define CONSUME "{\"op\":\"add\",\"count\":2,\"dependents\":1}"
#define PLAIN "{\"op\":\"load\",\"served\":{\"L1\":1}}"

static enum status plan_of(struct gpu_toy *toy, const char *unit, const char *rest)
{
    char text[1024];
    snprintf(text, sizeof text, "{\"kernel\":{\"unit\":[%s]%s},\"grid\":{\"blocks\":4,\"threads\":32}}", unit,
             rest);
    return gpu_toy_plan(toy, text, 1);
}

static const struct gpu_plan *good(struct gpu_toy *toy, const char *unit, const char *rest)
{
    if (plan_of(toy, unit, rest) != STATUS_OK)
        fail_msg("%s: %s", unit, toy->error.message);
    return &toy->plan;
}

static void fails(struct gpu_toy *toy, const char *unit, const char *rest, const char *message)
{
    if (plan_of(toy, unit, rest) != STATUS_RECIPE || strstr(toy->error.message, message) == NULL)
        fail_msg("%s: '%s'; expected %s", unit, toy->error.message, message);
}

static void stages_are_as_stated_or_as_fit(void **state)
{
    struct gpu_toy *toy = *state;
    assert_int_equal(good(toy, LOAD(""), "")->rings[0].stages, 4);
    assert_int_equal(good(toy, LOAD("") "," CONSUME, "")->rings[0].stages, 1);
    assert_int_equal(good(toy, LOAD(",\"stages\":3") "," CONSUME, "")->rings[0].stages, 3);
    /* 512 bytes of a copy of 32 threads: 8 KiB of shared memory has room for 16. */
    assert_int_equal(good(toy, LOAD(",\"count\":4"), "")->rings[0].stages, 4);
    assert_int_equal(good(toy, LOAD(",\"count\":5"), "")->rings[0].stages, 2);
    assert_int_equal(good(toy, LOAD(",\"count\":9"), "")->rings[0].stages, 1);
    fails(toy, LOAD(",\"count\":5,\"stages\":4"), "", "a block needs 10KiB of shared memory");
    assert_non_null(strstr(toy->error.message, "or stages"));
    assert_null(good(toy, PLAIN, "")->rings);
}

static void waits_leave_what_the_stages_allow(void **state)
{
    struct gpu_toy *toy = *state;
    /* One group for all copies of a unit that nothing consumes. */
    const struct gpu_plan *plan = good(toy, LOAD(",\"stages\":2") "," LOAD(",\"stages\":3"), "");
    assert_int_equal(plan->groups, 1);
    assert_int_equal(plan->rings[0].pending, 1);
    assert_int_equal(plan->rings[1].pending, 2);
    assert_false(plan->rings[0].read);
    /* Where one is consumed a group ends. */
    plan =
        good(toy, LOAD("") "," CONSUME "," LOAD(",\"stages\":4") "," CONSUME "," LOAD(",\"stages\":2"), "");
    assert_int_equal(plan->groups, 3);
    assert_true(plan->rings[0].read && plan->rings[2].read && !plan->rings[4].read);
    assert_int_equal(plan->rings[0].pending, 0);
    assert_int_equal(plan->rings[2].pending, 9);
    assert_int_equal(plan->rings[4].pending, 5);
    /* Another load is the last one. */
    plan = good(toy, LOAD("") "," PLAIN "," CONSUME, "");
    assert_false(plan->rings[0].read);
    assert_int_equal(plan->groups, 1);
}

static void units_go_round_all_rings(void **state)
{
    struct gpu_toy *toy = *state;
    const struct gpu_plan *plan = good(toy, LOAD(",\"stages\":4") "," LOAD(",\"stages\":3"), "");
    assert_int_equal(gpu_async_turn(plan), 12);
    assert_int_equal(plan->units % 12, 0);
    fails(toy, LOAD(",\"stages\":4"), ",\"loop\":{\"units\":6}",
          "the shares and the stages of asynchronous loads need a multiple of 4");
}

static void rings_lie_behind_each_other(void **state)
{
    struct gpu_toy *toy = *state;
    const struct gpu_plan *plan = good(
        toy, "{\"op\":\"load\",\"served\":{\"SHARED\":1}}," LOAD(",\"stages\":2,\"count\":2") "," LOAD(""),
        "");
    uint64_t shared = gpu_stream_reach(&plan->streams[0]);
    assert_int_equal(plan->rings[1].offset, (shared + 127) / 128 * 128);
    assert_int_equal(plan->rings[2].offset, plan->rings[1].offset + 2 * 2 * 512);
    assert_int_equal(plan->shared, plan->rings[2].offset + gpu_ring_bytes(plan, 2));
    /* Places of copies go round; what is read was copied a stage before, as the unit's last. */
    assert_int_equal(gpu_ring_copied(plan, 1, 3), 3 * 512);
    assert_int_equal(gpu_ring_copied(plan, 1, 6), 2 * 512);
    assert_int_equal(gpu_ring_read(plan, 1, 0), 3 * 512);
    assert_int_equal(gpu_ring_read(plan, 1, 1), 1 * 512);
}

static void what_cannot_be_copied_is_refused(void **state)
{
    struct gpu_toy *toy = *state;
#define ASYNC(more) "{\"op\":\"load\",\"source\":\"async\"," more "}"
    fails(toy, ASYNC("\"served\":{\"L2\":1}"), "", "expected width = 16, or cache = \"ca\"");
    fails(toy, ASYNC("\"served\":{\"MEM\":1},\"width\":8"), "", "with served_by.MEM and width = 8");
    fails(toy, ASYNC("\"served\":{\"SHARED\":1}"), "", "that L1, L2 or MEM serves");
    fails(toy, ASYNC("\"served\":{\"L1\":1},\"width\":8,\"address\":\"chase\""), "", "an independent load");
    fails(toy, ASYNC("\"served\":{\"L1\":1},\"stages\":17"), "", "from 1 to 16");
    fails(toy,
          LOAD(",\"stages\":16") "," CONSUME "," LOAD("") "," CONSUME "," LOAD("") "," CONSUME
                                                                                   "," LOAD("") "," CONSUME
                                                                                                "," LOAD(""),
          "", "at most 63 groups under way; expected at most 12 stages");
    good(toy, ASYNC("\"served\":{\"L2\":1},\"cache\":\"ca\",\"width\":8"), "");
    snprintf(toy->machine.gpu.arch, sizeof toy->machine.gpu.arch, "sm_75");
    fails(toy, LOAD(""), "", "it needs sm_80 or later, and the machine \"toy\" is sm_75");
}

#define TMA(more) "{\"op\":\"load\",\"width\":16,\"source\":\"tma\"," more "}"
#define BULK(more) TMA("\"served\":{\"L2\":1}" more)

static void bulk_copies_have_phases_of_both_parities(void **state)
{
    struct gpu_toy *toy = *state;
    const struct gpu_plan *plan = good(toy, BULK(",\"stages\":3,\"count\":2") "," CONSUME, "");
    assert_true(plan->rings[0].bulk && plan->rings[0].read);
    assert_int_equal(plan->groups, 0);
    assert_int_equal(gpu_async_turn(plan), 6); /* an even number of units of each stage */
    assert_int_equal(plan->units % 6, 0);
    assert_string_equal(plan->streams[0].cache, "");
    /* mbarriers lie behind the places. */
    assert_int_equal(gpu_ring_bytes(plan, 0), 3 * 2 * 512);
    assert_int_equal(gpu_ring_phase(plan, 0, 0), 3072);
    assert_int_equal(gpu_ring_phase(plan, 0, 2), 3072 + 16);
    assert_int_equal(plan->shared, 3072 + 128);
    static const unsigned parities[] = {0, 0, 0, 1, 1, 1, 0};
    for (int unit = 0; unit < 7; unit++)
        assert_int_equal(gpu_ring_parity(plan, 0, unit), parities[unit]);
    for (int unit = -3; unit < 0; unit++)
        assert_int_equal(gpu_ring_parity(plan, 0, unit), 1);
    assert_int_equal(gpu_ring_stage(plan, 0, 4), 1);
    fails(toy, BULK(",\"stages\":4"), ",\"loop\":{\"units\":4}", "need a multiple of 8");
    /* Beside others, which have groups. */
    plan = good(toy, BULK(",\"stages\":2") "," LOAD(",\"stages\":3"), "");
    assert_int_equal(plan->groups, 1);
    assert_int_equal(gpu_async_turn(plan), 12);
    assert_int_equal(plan->rings[1].offset, 2 * 512 + 128);
}

static void what_no_bulk_copy_can_be_is_refused(void **state)
{
    struct gpu_toy *toy = *state;
    fails(toy, TMA("\"served\":{\"L1\":1}"), "", "a bulk copy of adjacent bytes past L1");
    fails(toy, BULK(",\"lane\":32"), "", "a bulk copy of adjacent bytes past L1");
    fails(toy, BULK(",\"cache\":\"cg\""), "", "without a cache operator");
    fails(toy, TMA("\"served\":{\"SHARED\":1}"), "", "that L1, L2 or MEM serves");
    fails(toy, BULK(",\"stages\":16") "," BULK(""), "", "or stages");
    snprintf(toy->machine.gpu.arch, sizeof toy->machine.gpu.arch, "sm_89");
    fails(toy, BULK(""), "",
          "bulk copies need sm_90 or later, and the machine \"toy\" is sm_89; expected source = \"async\"");
    snprintf(toy->machine.gpu.arch, sizeof toy->machine.gpu.arch, "sm_75");
    fails(toy, BULK(""), "", "is sm_75; expected no source");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(stages_are_as_stated_or_as_fit, gpu_toy_set_up, gpu_toy_tear_down),
        cmocka_unit_test_setup_teardown(waits_leave_what_the_stages_allow, gpu_toy_set_up, gpu_toy_tear_down),
        cmocka_unit_test_setup_teardown(units_go_round_all_rings, gpu_toy_set_up, gpu_toy_tear_down),
        cmocka_unit_test_setup_teardown(rings_lie_behind_each_other, gpu_toy_set_up, gpu_toy_tear_down),
        cmocka_unit_test_setup_teardown(what_cannot_be_copied_is_refused, gpu_toy_set_up, gpu_toy_tear_down),
        cmocka_unit_test_setup_teardown(bulk_copies_have_phases_of_both_parities, gpu_toy_set_up,
                                        gpu_toy_tear_down),
        cmocka_unit_test_setup_teardown(what_no_bulk_copy_can_be_is_refused, gpu_toy_set_up,
                                        gpu_toy_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
