/* Power from hwmon drivers, on mock trees: which files are reported, as what, and which of them form the
 * total.
 */
#include "runner/power/sensor.h"
#include "runner/power/sensors/file_channels.h"
#include "tests/skip.h"
#include "tests/tree.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

enum { CHANNELS = 24, NOBODY = 65534 };

static struct sensor_channel channels[CHANNELS];
static size_t count;
static struct error error;

/* A file of a hwmon folder, and its text. */
struct file {
    const char *name, *text;
};

/* "hwmon3" with the driver's name and the files, up to one without a name. */
static void put(const struct tree *tree, const char *folder, const char *driver, const struct file *files)
{
    char path[128];
    snprintf(path, sizeof path, "sys/class/hwmon/%s", folder);
    tree_put(tree, path, "name", driver);
    for (; files->name != NULL; files++)
        tree_put(tree, path, files->name, files->text);
}

#define FILES(...)                                                                                           \
    (const struct file[])                                                                                    \
    {                                                                                                        \
        __VA_ARGS__,                                                                                         \
        {                                                                                                    \
            NULL, NULL                                                                                       \
        }                                                                                                    \
    }

static enum status find(const struct power_sensor *sensor, const struct tree *tree)
{
    const struct sensor_request request = {.root = tree->root};
    error = (struct error){0};
    return sensor->find(&request, channels, CHANNELS, &count, &error);
}

static const struct sensor_channel *channel(const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(channels[i].name, name) == 0)
            return &channels[i];
    fail_msg("no channel %s among %zu, the first is %s", name, count, channels[0].name);
    return NULL;
}

/* Whole or not, and what it reads now. */
static void expect(const char *name, const char *label, bool whole, enum sensor_quantity quantity,
                   double wanted)
{
    const struct sensor_channel *found = channel(name);
    double value = NAN;
    assert_string_equal(found->label, label);
    assert_int_equal(found->whole, whole);
    assert_int_equal(found->quantity, quantity);
    assert_int_equal(file_channel_read(found->path, quantity, &value), 0);
    assert_float_equal(value, wanted, 1e-9 * wanted);
}

static void a_graphics_card_tells_power_heat_and_clocks(void **state)
{
    const struct tree *tree = *state;
    put(tree, "hwmon2", "amdgpu\n",
        FILES({"power1_average", "212000000\n"}, {"power1_input", "215000000\n"}, {"power1_label", "PPT\n"},
              {"power1_cap", "300000000\n"}, {"temp1_input", "51000\n"}, {"temp1_label", "edge\n"},
              {"temp2_input", "62000\n"}, {"temp2_label", "junction\n"}, {"temp3_input", "58000\n"},
              {"temp3_label", "mem\n"}, {"freq1_input", "2100000000\n"}, {"freq1_label", "sclk\n"}));
    tree_link(tree, "../../../devices/pci0000:00/0000:03:00.0", "sys/class/hwmon/hwmon2/device");
    /* An older one tells an average alone. */
    put(tree, "hwmon3", "amdgpu\n", FILES({"power1_average", "90000000\n"}));
    tree_link(tree, "../../../devices/pci0000:00/0000:43:00.0", "sys/class/hwmon/hwmon3/device");
    put(tree, "hwmon1", "fam15h_power\n", FILES({"power1_input", "45000000\n"}));
    assert_int_equal(find(&power_hwmon_gpu, tree), STATUS_OK);
    assert_int_equal(count, 7);
    expect("amdgpu@0000:03:00.0:PPT instant", "PPT instant", true, SENSOR_POWER, 215);
    expect("amdgpu@0000:03:00.0:PPT average", "PPT average", false, SENSOR_POWER, 212);
    expect("amdgpu@0000:03:00.0:edge", "edge", false, SENSOR_TEMPERATURE, 51);
    expect("amdgpu@0000:03:00.0:junction", "junction", false, SENSOR_TEMPERATURE, 62);
    expect("amdgpu@0000:03:00.0:mem", "mem", false, SENSOR_TEMPERATURE, 58);
    expect("amdgpu@0000:03:00.0:sclk", "sclk", false, SENSOR_CLOCK, 2.1e9);
    expect("amdgpu@0000:43:00.0:power1 average", "power1 average", true, SENSOR_POWER, 90);
    assert_string_equal(channel("amdgpu@0000:43:00.0:power1 average")->pci, "0000:43:00.0");
    assert_true(power_hwmon_gpu.accelerator && !power_hwmon.accelerator);
}

static void a_processor_is_told_by_one_driver(void **state)
{
    const struct tree *tree = *state;
    put(tree, "hwmon0", "power_meter\n", FILES({"power1_average", "310000000\n"}));
    put(tree, "hwmon1", "zenpower\n",
        FILES({"power1_input", "61000000\n"}, {"power1_label", "SVI2_P_Core\n"},
              {"power2_input", "9000000\n"}, {"power2_label", "SVI2_P_SoC\n"}, {"temp1_input", "50000\n"}));
    put(tree, "hwmon2", "ina226\n", FILES({"power1_input", "-4500000\n"}));
    put(tree, "hwmon3", "something_new\n", FILES({"energy1_input", "77000000\n"}));
    put(tree, "hwmon4", "amdgpu\n", FILES({"power1_input", "15000000\n"}));
    assert_int_equal(find(&power_hwmon, tree), STATUS_OK);
    assert_int_equal(count, 5);
    expect("zenpower:SVI2_P_Core instant", "SVI2_P_Core instant", true, SENSOR_POWER, 61);
    expect("zenpower:SVI2_P_SoC instant", "SVI2_P_SoC instant", true, SENSOR_POWER, 9);
    expect("power_meter:power1 average", "power1 average", false, SENSOR_POWER, 310);
    expect("ina226:power1 instant", "power1 instant", false, SENSOR_POWER, -4.5);
    expect("something_new:energy1", "energy1", false, SENSOR_ENERGY, 77);
}

static void instant_and_average_are_not_added(void **state)
{
    const struct tree *tree = *state;
    put(tree, "hwmon0", "fam15h_power\n",
        FILES({"power1_input", "44000000\n"}, {"power1_average", "40000000\n"},
              {"power1_crit", "125000000\n"}));
    put(tree, "hwmon1", "fam15h_power\n", FILES({"power1_input", "45000000\n"}));
    assert_int_equal(find(&power_hwmon, tree), STATUS_OK);
    assert_int_equal(count, 3);
    expect("fam15h_power:power1 instant", "power1 instant", true, SENSOR_POWER, 44);
    expect("fam15h_power:power1 average", "power1 average", false, SENSOR_POWER, 40);
    expect("fam15h_power:power1 instant#2", "power1 instant", true, SENSOR_POWER, 45);
}

static void sockets_count_and_their_cores_do_not(void **state)
{
    const struct tree *tree = *state;
    put(tree, "hwmon0", "amd_energy\n",
        FILES({"energy1_input", "5000000\n"}, {"energy1_label", "Ecore000\n"},
              {"energy2_input", "80000000\n"}, {"energy2_label", "Esocket0\n"}));
    assert_int_equal(find(&power_hwmon, tree), STATUS_OK);
    assert_int_equal(count, 2);
    expect("amd_energy:Ecore000", "Ecore000", false, SENSOR_ENERGY, 5);
    expect("amd_energy:Esocket0", "Esocket0", true, SENSOR_ENERGY, 80);
    /* Also where there are more cores than there is room for. */
    for (int i = 3; i < 60; i++) {
        char file[32];
        snprintf(file, sizeof file, "energy%d_input", i);
        put(tree, "hwmon0", "amd_energy\n", FILES({file, "1\n"}));
    }
    put(tree, "hwmon0", "amd_energy\n",
        FILES({"energy60_input", "7000000\n"}, {"energy60_label", "Esocket1\n"}));
    assert_int_equal(find(&power_hwmon, tree), STATUS_OK);
    assert_int_equal(count, CHANNELS);
    expect("amd_energy:Esocket0", "Esocket0", true, SENSOR_ENERGY, 80);
    expect("amd_energy:Esocket1", "Esocket1", true, SENSOR_ENERGY, 7);
}

/* What is told of a card holds what is told of its chip. */
static void a_part_is_not_added_to_what_holds_it(void **state)
{
    const struct tree *tree = *state;
    put(tree, "hwmon0", "xe\n",
        FILES({"energy1_input", "9000000\n"}, {"energy1_label", "card\n"}, {"energy2_input", "6000000\n"},
              {"energy2_label", "pkg\n"}));
    assert_int_equal(find(&power_hwmon_gpu, tree), STATUS_OK);
    expect("xe:card", "card", true, SENSOR_ENERGY, 9);
    expect("xe:pkg", "pkg", false, SENSOR_ENERGY, 6);
}

static void what_is_missing_is_said(void **state)
{
    const struct tree *tree = *state;
    assert_int_equal(find(&power_hwmon, tree), STATUS_UNAVAILABLE);
    assert_non_null(strstr(error.message, "/sys/class/hwmon reports power"));
    assert_non_null(strstr(error.hint, "modprobe"));
    /* Degrees are no power. */
    put(tree, "hwmon0", "amdgpu\n", FILES({"temp1_input", "51000\n"}));
    assert_int_equal(find(&power_hwmon_gpu, tree), STATUS_UNAVAILABLE);
    assert_int_equal(count, 0);
    assert_non_null(strstr(error.message, "no graphics card"));
    assert_non_null(strstr(error.hint, "nvml"));
    put(tree, "hwmon0", "amdgpu\n", FILES({"power1_input", "much\n"}));
    assert_int_equal(find(&power_hwmon_gpu, tree), STATUS_UNAVAILABLE);
    assert_non_null(strstr(error.message, "hwmon0/power1_input: Invalid argument"));
}

static void what_may_not_be_read_is_said(void **state)
{
    const struct tree *tree = *state;
    char path[FILE_PATH_BYTES];
    put(tree, "hwmon0", "amd_energy\n", FILES({"energy1_input", "5000000\n"}));
    assert_int_equal(chmod(tree_path(tree, "sys/class/hwmon/hwmon0/energy1_input", path), 0), 0);
    uid_t user = geteuid();
    if (user == 0 && seteuid(NOBODY) != 0)
        skip_because("this user may not become another one for a moment");
    enum status status = find(&power_hwmon, tree);
    assert_int_equal(seteuid(user), 0);
    assert_int_equal(status, STATUS_UNAVAILABLE);
    assert_non_null(strstr(error.message, "Permission denied"));
    assert_non_null(strstr(error.hint, "sudo chmod a+r"));
    assert_non_null(strstr(error.hint, "hwmon0/energy1_input"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_graphics_card_tells_power_heat_and_clocks, tree_make, tree_remove),
        cmocka_unit_test_setup_teardown(a_processor_is_told_by_one_driver, tree_make, tree_remove),
        cmocka_unit_test_setup_teardown(instant_and_average_are_not_added, tree_make, tree_remove),
        cmocka_unit_test_setup_teardown(sockets_count_and_their_cores_do_not, tree_make, tree_remove),
        cmocka_unit_test_setup_teardown(a_part_is_not_added_to_what_holds_it, tree_make, tree_remove),
        cmocka_unit_test_setup_teardown(what_is_missing_is_said, tree_make, tree_remove),
        cmocka_unit_test_setup_teardown(what_may_not_be_read_is_said, tree_make, tree_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
