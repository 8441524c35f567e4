/* Energy from perf's PMU `power`, on mock trees. A tree whose type is the kernel's own software events has a
 * clock in place of energy, so that opening and reading are real: a nanosecond is a nanojoule. */
#include "base/clock.h"
#include "runner/power/sensor.h"
#include "tests/skip.h"
#include "tests/tree.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

enum { CHANNELS = 8 };

static const char pmu[] = "sys/bus/event_source/devices/power";
static const char events[] = "sys/bus/event_source/devices/power/events";

static struct sensor_channel channels[CHANNELS];
static size_t count;
static struct error error;

static enum status find(const struct tree *tree)
{
    const struct sensor_request request = {.root = tree->root};
    error = (struct error){0};
    return power_perf.find(&request, channels, CHANNELS, &count, &error);
}

static void put_event(const struct tree *tree, const char *name, const char *config)
{
    char file[64];
    tree_put(tree, events, name, config);
    snprintf(file, sizeof file, "%s.scale", name);
    tree_put(tree, events, file, "1e-9\n");
    snprintf(file, sizeof file, "%s.unit", name);
    tree_put(tree, events, file, "Joules\n");
}

/* Ends the test where this machine forbids the clock itself. */
static void find_or_skip(const struct tree *tree)
{
    if (find(tree) != STATUS_OK && strstr(error.message, "ermi") != NULL)
        skip_because("%s", error.message);
    if (error.message[0] != '\0')
        fail_msg("%s", error.message);
}

static void packages_are_counted_each_on_its_processor(void **state)
{
    const struct tree *tree = *state;
    tree_put(tree, pmu, "type", "1\n");
    tree_put(tree, pmu, "cpumask", "0\n");
    put_event(tree, "energy-pkg", "event=0x00\n");
    put_event(tree, "energy-ram", "event=0x0\n");
    put_event(tree, "energy-psys", "event=0x00\n");
    put_event(tree, "power-pkg", "event=0x00\n");
    find_or_skip(tree);
    assert_int_equal(count, 3);
    assert_string_equal(channels[0].name, "perf-power:energy-pkg@cpu0");
    assert_string_equal(channels[0].label, "energy-pkg of cpu 0");
    assert_true(channels[0].whole && !channels[1].whole && !channels[2].whole);
    assert_int_equal(channels[0].quantity, SENSOR_ENERGY);
    assert_float_equal(channels[0].wrap_j, 0, 0);
    const struct sensor_request request = {.root = tree->root};
    void *handle;
    double first[CHANNELS], second[CHANNELS];
    double first_s, second_s;
    assert_int_equal(power_perf.open(&request, channels, count, &handle, &error), STATUS_OK);
    assert_int_equal(power_perf.read(handle, &first_s, first, &error), STATUS_OK);
    usleep(100000);
    assert_int_equal(power_perf.read(handle, &second_s, second, &error), STATUS_OK);
    power_perf.close(handle);
    for (size_t i = 0; i < count; i++)
        assert_float_equal((second[i] - first[i]) / (second_s - first_s), 1, 0.2);
    /* Two packages; of one that is not there nothing is told. */
    tree_put(tree, pmu, "cpumask", "0,100000-100001\n");
    find_or_skip(tree);
    assert_int_equal(count, 3);
}

static void the_platform_counts_where_it_is_alone(void **state)
{
    const struct tree *tree = *state;
    tree_put(tree, pmu, "type", "1\n");
    put_event(tree, "energy-psys", "event=0x00\n");
    find_or_skip(tree);
    assert_true(count == 1 && channels[0].whole);
}

static void what_is_missing_is_said(void **state)
{
    const struct tree *tree = *state;
    assert_int_equal(find(tree), STATUS_UNAVAILABLE);
    assert_non_null(strstr(error.message, "no energy PMU"));
    assert_non_null(strstr(error.hint, "modprobe rapl"));
    /* AMD's older PMU of that name has power and no energy. */
    tree_put(tree, pmu, "type", "1\n");
    put_event(tree, "power-pkg", "event=0x00\n");
    assert_int_equal(find(tree), STATUS_UNAVAILABLE);
    assert_non_null(strstr(error.message, "no energy PMU"));
    /* A type that no kernel has. */
    tree_put(tree, pmu, "type", "987654\n");
    put_event(tree, "energy-pkg", "event=0x02\n");
    assert_int_equal(find(tree), STATUS_UNAVAILABLE);
    assert_int_equal(count, 0);
    assert_non_null(strstr(error.message, "the kernel refuses the energy events"));
    /* Without its scale a count is no energy. */
    tree_put(tree, pmu, "type", "1\n");
    tree_put(tree, events, "energy-pkg.scale", "none\n");
    assert_int_equal(find(tree), STATUS_UNAVAILABLE);
    assert_non_null(strstr(error.hint, ".scale"));
}

static void what_is_forbidden_is_said(void **state)
{
    const struct tree *tree = *state;
    enum { NOBODY = 65534 };
    tree_put(tree, pmu, "type", "1\n");
    put_event(tree, "energy-pkg", "event=0x00\n");
    uid_t user = geteuid();
    if (user == 0 && seteuid(NOBODY) != 0)
        skip_because("this user may not become another one for a moment");
    enum status status = find(tree);
    assert_int_equal(seteuid(user), 0);
    if (status == STATUS_OK)
        skip_because("this machine lets anybody count");
    assert_int_equal(status, STATUS_UNAVAILABLE);
    assert_non_null(strstr(error.message, "refuses"));
    assert_non_null(strstr(error.hint, "kernel.perf_event_paranoid=0"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(packages_are_counted_each_on_its_processor, tree_make, tree_remove),
        cmocka_unit_test_setup_teardown(the_platform_counts_where_it_is_alone, tree_make, tree_remove),
        cmocka_unit_test_setup_teardown(what_is_missing_is_said, tree_make, tree_remove),
        cmocka_unit_test_setup_teardown(what_is_forbidden_is_said, tree_make, tree_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
