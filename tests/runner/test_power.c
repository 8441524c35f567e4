/* Power sensors on a made-up sysfs tree: what is found, what is said when nothing is, and counters that wrap.
 */
#include "base/file.h"
#include "runner/power/sensor.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { CHANNELS = 8, NOBODY = 65534 };

struct tree {
    char root[64];
};

static void put(const struct tree *tree, const char *domain, const char *file, const char *text)
{
    char path[FILE_PATH_BYTES];
    snprintf(path, sizeof path, "%s/sys/class/powercap/%s", tree->root, domain);
    assert_int_equal(file_make_folders(path, NULL), STATUS_OK);
    snprintf(path, sizeof path, "%s/sys/class/powercap/%s/%s", tree->root, domain, file);
    assert_int_equal(file_write(path, text, strlen(text), false, NULL), STATUS_OK);
}

static int make_tree(void **state)
{
    struct tree *tree = calloc(1, sizeof *tree);
    if (tree == NULL)
        return -1;
    *state = tree;
    strcpy(tree->root, "/tmp/trauma-power-XXXXXX");
    /* Readable by all, for the test that is someone else for a moment. */
    return mkdtemp(tree->root) != NULL ? chmod(tree->root, 0755) : -1;
}

static int remove_tree(void **state)
{
    struct tree *tree = *state;
    enum status status = file_remove_tree(tree->root, NULL);
    free(tree);
    return status == STATUS_OK ? 0 : -1;
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
    struct sensor_channel channels[CHANNELS];
    size_t count = 0;
    struct error error = {0};
    assert_int_equal(power_powercap.find(tree->root, channels, CHANNELS, &count, &error), STATUS_OK);
    assert_int_equal(count, 3);
    assert_string_equal(channels[0].name, "powercap:intel-rapl:0");
    assert_string_equal(channels[0].label, "package-0");
    assert_float_equal(channels[0].wrap_j, 262143.32885, 1e-6);
    assert_string_equal(channels[1].name, "powercap:intel-rapl:0:0");
    assert_string_equal(channels[1].label, "package-0/core");
    assert_string_equal(channels[2].label, "package-1");
    assert_float_equal(channels[2].wrap_j, 0, 0);
    double joules = 0;
    assert_int_equal(power_powercap.read_energy(&channels[0], &joules, &error), STATUS_OK);
    assert_float_equal(joules, 2.5, 1e-9);
    /* No more than there is room for. */
    assert_int_equal(power_powercap.find(tree->root, channels, 1, &count, &error), STATUS_OK);
    assert_int_equal(count, 1);
}

static void test_nothing_there(void **state)
{
    const struct tree *tree = *state;
    struct sensor_channel channels[CHANNELS];
    size_t count = 9;
    struct error error = {0};
    assert_int_equal(power_powercap.find(tree->root, channels, CHANNELS, &count, &error), STATUS_UNAVAILABLE);
    assert_int_equal(count, 0);
    assert_non_null(strstr(error.message, "no RAPL energy counter"));
    assert_non_null(strstr(error.hint, "virtual machine"));
    /* The control type alone is no counter. */
    put(tree, "intel-rapl", "enabled", "1\n");
    assert_int_equal(power_powercap.find(tree->root, channels, CHANNELS, &count, &error), STATUS_UNAVAILABLE);
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
        skip();
    struct sensor_channel channels[CHANNELS];
    size_t count = 0;
    struct error error = {0};
    enum status status = power_powercap.find(tree->root, channels, CHANNELS, &count, &error);
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
    struct sensor_channel channels[CHANNELS];
    size_t count = 0;
    struct error error = {0};
    assert_int_equal(power_powercap.find(tree->root, channels, CHANNELS, &count, &error), STATUS_UNAVAILABLE);
    assert_non_null(strstr(error.hint, "microjoules"));
}

static void test_counter_that_goes_away(void **state)
{
    const struct tree *tree = *state;
    two_packages(tree);
    struct sensor_channel channels[CHANNELS];
    size_t count = 0;
    struct error error = {0};
    assert_int_equal(power_powercap.find(tree->root, channels, CHANNELS, &count, &error), STATUS_OK);
    assert_int_equal(file_remove_tree(tree->root, NULL), STATUS_OK);
    double joules = 0;
    assert_int_equal(power_powercap.read_energy(&channels[1], &joules, &error), STATUS_FAILED);
    assert_non_null(strstr(error.message, "package-0/core"));
    assert_string_equal(error.file, channels[1].path);
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
        cmocka_unit_test_setup_teardown(test_channels_are_found, make_tree, remove_tree),
        cmocka_unit_test_setup_teardown(test_nothing_there, make_tree, remove_tree),
        cmocka_unit_test_setup_teardown(test_no_permission, make_tree, remove_tree),
        cmocka_unit_test_setup_teardown(test_counter_without_number, make_tree, remove_tree),
        cmocka_unit_test_setup_teardown(test_counter_that_goes_away, make_tree, remove_tree),
        cmocka_unit_test(test_difference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
