/* Power sensors on a mock sysfs tree: what is found, the message when nothing is, and counters that wrap. */
#include "runner/power/sensor_list.h"
#include "runner/power/sensors/file_channels.h"
#include "tests/skip.h"
#include "tests/tree.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

enum { CHANNELS = 8, NOBODY = 65534 };

static struct sensor_channel channels[CHANNELS];
static size_t count;
static struct error error;

static void put(const struct tree *tree, const char *domain, const char *file, const char *text)
{
    char folder[FILE_PATH_BYTES];
    snprintf(folder, sizeof folder, "sys/class/powercap/%s", domain);
    tree_put(tree, folder, file, text);
}

static enum status find_up_to(const struct power_sensor *sensor, const struct tree *tree, size_t capacity)
{
    const struct sensor_request request = {.root = tree->root};
    error = (struct error){0};
    return sensor->find(&request, channels, capacity, &count, &error);
}

static enum status find(const struct tree *tree)
{
    return find_up_to(&power_powercap, tree, CHANNELS);
}

static void two_packages(const struct tree *tree)
{
    put(tree, "intel-rapl", "enabled", "1\n");
    put(tree, "intel-rapl:0", "name", "package-0\n");
    put(tree, "intel-rapl:0", "energy_uj", "2500000\n");
    put(tree, "intel-rapl:0", "max_energy_range_uj", "262143328850\n");
    put(tree, "intel-rapl:0:0", "name", "core\n");
    put(tree, "intel-rapl:0:0", "energy_uj", "1000000\n");
    put(tree, "intel-rapl:0:0", "max_energy_range_uj", "262143328850\n");
    put(tree, "intel-rapl:1", "name", "package-1\n");
    put(tree, "intel-rapl:1", "energy_uj", "7\n");
    put(tree, "intel-rapl-mmio:0", "name", "package-0\n");
    put(tree, "intel-rapl-mmio:0", "energy_uj", "2500000\n");
}

static void test_channels_are_found(void **state)
{
    const struct tree *tree = *state;
    two_packages(tree);
    assert_int_equal(find(tree), STATUS_OK);
    assert_int_equal(count, 3);
    assert_string_equal(channels[0].name, "powercap:intel-rapl:0");
    assert_string_equal(channels[0].label, "package-0");
    assert_float_equal(channels[0].wrap_j, 262143.32885, 1e-6);
    assert_string_equal(channels[1].name, "powercap:intel-rapl:0:0");
    assert_string_equal(channels[1].label, "package-0/core");
    assert_string_equal(channels[2].label, "package-1");
    assert_float_equal(channels[2].wrap_j, 0, 0);
    assert_true(channels[0].whole && !channels[1].whole && channels[2].whole);
    double joules = 0;
    assert_int_equal(file_channel_read(channels[0].path, SENSOR_ENERGY, &joules), 0);
    assert_float_equal(joules, 2.5, 1e-9);
    /* No more than there is room for. */
    assert_int_equal(find_up_to(&power_powercap, tree, 1), STATUS_OK);
    assert_int_equal(count, 1);
}

/* The platform's counter holds the packages', and is all there is where they are not. */
static void test_platform_counts_alone(void **state)
{
    const struct tree *tree = *state;
    put(tree, "intel-rapl:1", "name", "psys\n");
    put(tree, "intel-rapl:1", "energy_uj", "7\n");
    assert_int_equal(find(tree), STATUS_OK);
    assert_true(count == 1 && channels[0].whole);
    put(tree, "intel-rapl:0", "name", "package-0\n");
    put(tree, "intel-rapl:0", "energy_uj", "5\n");
    assert_int_equal(find(tree), STATUS_OK);
    assert_true(count == 2 && channels[0].whole && !channels[1].whole);
}

static void test_nothing_there(void **state)
{
    const struct tree *tree = *state;
    count = 9;
    assert_int_equal(find(tree), STATUS_UNAVAILABLE);
    assert_int_equal(count, 0);
    assert_non_null(strstr(error.message, "no RAPL energy counter"));
    assert_non_null(strstr(error.hint, "virtual machine"));
    /* The control type alone is no counter. */
    put(tree, "intel-rapl", "enabled", "1\n");
    assert_int_equal(find(tree), STATUS_UNAVAILABLE);
}

static void test_no_permission(void **state)
{
    const struct tree *tree = *state;
    two_packages(tree);
    static const char *const domains[] = {"intel-rapl:0", "intel-rapl:0:0", "intel-rapl:1"};
    for (size_t i = 0; i < 3; i++) {
        char path[FILE_PATH_BYTES];
        snprintf(path, sizeof path, "%s/sys/class/powercap/%s/energy_uj", tree->root, domains[i]);
        assert_int_equal(chmod(path, 0), 0);
    }
    /* Root reads everything, so it has to be someone else for a moment. */
    uid_t user = geteuid();
    if (user == 0 && seteuid(NOBODY) != 0)
        skip_because("this user may not become another one for a moment");
    enum status status = find(tree);
    assert_int_equal(seteuid(user), 0);
    assert_int_equal(status, STATUS_UNAVAILABLE);
    assert_non_null(strstr(error.message, "Permission denied"));
    assert_non_null(strstr(error.hint, "sudo chmod a+r"));
    assert_non_null(strstr(error.hint, "/sys/class/powercap/intel-rapl:*/energy_uj"));
}

static void test_counter_without_number(void **state)
{
    const struct tree *tree = *state;
    put(tree, "intel-rapl:0", "energy_uj", "-3\n");
    assert_int_equal(find(tree), STATUS_UNAVAILABLE);
    assert_non_null(strstr(error.hint, "microjoules"));
}

/* One counter that goes away is missed alone; when all are gone the sensor is. */
static void test_counter_that_goes_away(void **state)
{
    const struct tree *tree = *state;
    const struct sensor_request request = {.root = tree->root};
    two_packages(tree);
    assert_int_equal(find(tree), STATUS_OK);
    void *handle;
    double values[CHANNELS];
    double t_s;
    assert_int_equal(power_powercap.open(&request, channels, count, &handle, &error), STATUS_OK);
    tree_delete(tree, "sys/class/powercap/intel-rapl:0:0/energy_uj");
    assert_int_equal(power_powercap.read(handle, &t_s, values, &error), STATUS_OK);
    assert_float_equal(values[0], 2.5, 1e-9);
    assert_true(isnan(values[1]));
    assert_float_equal(values[2], 7e-6, 1e-12);
    assert_int_equal(file_remove_tree(tree->root, NULL), STATUS_OK);
    assert_int_equal(power_powercap.read(handle, &t_s, values, &error), STATUS_FAILED);
    assert_non_null(strstr(error.message, "No such file"));
    power_powercap.close(handle);
}

static void test_thermometers_are_told_apart(void **state)
{
    const struct tree *tree = *state;
    for (int i = 0; i < 2; i++) {
        char folder[64];
        snprintf(folder, sizeof folder, "sys/class/hwmon/hwmon%d", i + 3);
        tree_put(tree, folder, "name", "coretemp\n");
        tree_put(tree, folder, "temp1_input", "41500\n");
        tree_put(tree, folder, "temp1_label", "Package id 0\n");
    }
    tree_put(tree, "sys/class/hwmon/hwmon0", "name", "nvme\n");
    tree_put(tree, "sys/class/hwmon/hwmon0", "temp1_input", "99000\n");
    assert_int_equal(find_up_to(&power_thermometer, tree, CHANNELS), STATUS_OK);
    assert_int_equal(count, 2);
    assert_string_equal(channels[0].name, "coretemp:Package id 0");
    assert_string_not_equal(channels[1].name, channels[0].name);
    double celsius = 0;
    assert_int_equal(file_channel_read(channels[1].path, SENSOR_TEMPERATURE, &celsius), 0);
    assert_float_equal(celsius, 41.5, 1e-9);
}

/* Of sensors that see the same packages one alone tells the headline. */
static void test_ranks_differ_where_sensors_overlap(void **state)
{
    (void)state;
    for (size_t i = 0; power_sensors[i] != NULL; i++)
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(power_sensors[i]->name, power_sensors[j]->name);
            if (!power_sensors[i]->external && !power_sensors[i]->accelerator &&
                !power_sensors[j]->accelerator && power_sensors[i]->rank > 0)
                assert_int_not_equal(power_sensors[i]->rank, power_sensors[j]->rank);
        }
}

static void test_difference(void **state)
{
    (void)state;
    struct sensor_channel wraps = {.wrap_j = 100};
    struct sensor_channel does_not = {.wrap_j = 0};
    assert_float_equal(sensor_energy_difference(&wraps, 10, 35), 25, 1e-12);
    assert_float_equal(sensor_energy_difference(&wraps, 90, 5), 15, 1e-12);
    assert_float_equal(sensor_energy_difference(&wraps, 90, 90), 0, 0);
    assert_float_equal(sensor_energy_difference(&does_not, 10, 35), 25, 1e-12);
    assert_true(isnan(sensor_energy_difference(&does_not, 90, 5)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_channels_are_found, tree_make, tree_remove),
        cmocka_unit_test_setup_teardown(test_nothing_there, tree_make, tree_remove),
        cmocka_unit_test_setup_teardown(test_no_permission, tree_make, tree_remove),
        cmocka_unit_test_setup_teardown(test_counter_without_number, tree_make, tree_remove),
        cmocka_unit_test_setup_teardown(test_counter_that_goes_away, tree_make, tree_remove),
        cmocka_unit_test_setup_teardown(test_platform_counts_alone, tree_make, tree_remove),
        cmocka_unit_test_setup_teardown(test_thermometers_are_told_apart, tree_make, tree_remove),
        cmocka_unit_test(test_ranks_differ_where_sensors_overlap),
        cmocka_unit_test(test_difference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
