/* NVIDIA GPUs through a mock NVML: each GPU's values, and the message when there is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "runner/power/sensor_list.h"
#include "runner/power/sensors/nvml_library.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHANNELS = 16 };

static const char library[] = TRAUMA_BUILD_DIR "/tests/libfake_nvml.so";

static struct sensor_channel channels[CHANNELS];
static size_t count;
static struct error error;

static enum status find(const char *trouble)
{
    const struct sensor_request request = {.root = ""};
    if (trouble != NULL)
        setenv("FAKE_NVML", trouble, 1);
    else
        unsetenv("FAKE_NVML");
    setenv("TRAUMA_NVML", library, 1);
    return power_nvml.find(&request, channels, CHANNELS, &count, &error);
}

static void each_gpu_tells_what_it_can(void **state)
{
    (void)state;
    static const struct {
        const char *name, *label;
        enum sensor_quantity quantity;
        bool whole;
        double value;
    } wanted[] = {
        {"nvml:0:energy", "Fake H1 energy", SENSOR_ENERGY, true, NAN},
        {"nvml:0:power instant", "Fake H1 power instant", SENSOR_POWER, false, 300},
        {"nvml:0:power average", "Fake H1 power average", SENSOR_POWER, false, 200},
        {"nvml:0:temperature", "Fake H1 temperature", SENSOR_TEMPERATURE, false, 41},
        {"nvml:0:SM clock", "Fake H1 SM clock", SENSOR_CLOCK, false, 1980e6},
        {"nvml:0:memory clock", "Fake H1 memory clock", SENSOR_CLOCK, false, 2619e6},
        {"nvml:1:power usage", "Fake K1 power usage", SENSOR_POWER, true, 50},
        {"nvml:1:temperature", "Fake K1 temperature", SENSOR_TEMPERATURE, false, 41},
        {"nvml:1:SM clock", "Fake K1 SM clock", SENSOR_CLOCK, false, 1980e6},
        {"nvml:1:memory clock", "Fake K1 memory clock", SENSOR_CLOCK, false, 2619e6},
    };
    assert_int_equal(find(NULL), STATUS_OK);
    assert_int_equal(count, sizeof wanted / sizeof wanted[0]);
    const struct sensor_request request = {.root = ""};
    void *handle;
    double values[CHANNELS];
    double t_s = 0;
    assert_int_equal(power_nvml.open(&request, channels, count, &handle, &error), STATUS_OK);
    assert_int_equal(power_nvml.read(handle, &t_s, values, &error), STATUS_OK);
    assert_true(fabs(clock_now_s() - t_s) < 60);
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(channels[i].name, wanted[i].name);
        assert_string_equal(channels[i].label, wanted[i].label);
        assert_int_equal(channels[i].quantity, wanted[i].quantity);
        assert_int_equal(channels[i].whole, wanted[i].whole);
        if (!isnan(wanted[i].value))
            assert_float_equal(values[i], wanted[i].value, 1e-6);
    }
    assert_true(values[0] > 0);
    /* A GPU that falls off the bus is a sensor that is gone. */
    setenv("FAKE_NVML", "lost", 1);
    assert_int_equal(power_nvml.read(handle, &t_s, values, &error), STATUS_FAILED);
    assert_non_null(strstr(error.message, "GPU is lost"));
    power_nvml.close(handle);
}

static void what_is_missing_is_said(void **state)
{
    (void)state;
    static const struct {
        const char *trouble, *message, *hint;
    } wanted[] = {
        {"init=9", "does not start", "modprobe nvidia"},
        {"init=4", "Insufficient Permissions", "/dev/nvidia"},
        {"init=999", "does not start", "nvidia-smi"},
        {"alone", "no GPU", "--gpus all"},
        {"forbidden", "none of the 2 GPUs reports power or energy: Insufficient", "nvidia-smi"},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        assert_int_equal(find(wanted[i].trouble), STATUS_UNAVAILABLE);
        assert_int_equal(count, 0);
        assert_non_null(strstr(error.message, wanted[i].message));
        assert_non_null(strstr(error.hint, wanted[i].hint));
    }
}

static void another_library_may_be_named(void **state)
{
    (void)state;
    struct sensor_list meters;
    char list[600];
    unsetenv("FAKE_NVML");
    unsetenv("TRAUMA_NVML");
    snprintf(list, sizeof list, "nvml@library=%s", library);
    if (sensor_list_find(list, "", &meters, &error) != STATUS_OK)
        fail_msg("%s", error.message);
    assert_int_equal(meters.count, 1);
    assert_int_equal(meters.channel_count, 10);
    sensor_list_free(&meters);
    assert_int_equal(sensor_list_find("nvml@library=/nowhere/libnvml.so", "", &meters, &error), STATUS_OK);
    assert_int_equal(meters.count, 0);
    assert_non_null(strstr(error.message, "/nowhere/libnvml.so"));
    assert_non_null(strstr(error.hint, "libnvidia-ml1"));
    sensor_list_free(&meters);
    /* A tree of files has no GPUs. */
    assert_int_equal(sensor_list_find("nvml", "/tmp", &meters, &error), STATUS_OK);
    assert_int_equal(meters.count, 0);
    assert_non_null(strstr(error.message, "--sysfs-root"));
    sensor_list_free(&meters);
    /* A library, but none of NVIDIA's. */
    assert_int_equal(sensor_list_find("nvml@library=libm.so.6", "", &meters, &error), STATUS_OK);
    assert_non_null(strstr(error.message, "has no nvmlInit_v2"));
    sensor_list_free(&meters);
}

static void fields_are_what_their_type_says(void **state)
{
    (void)state;
    struct nvml_field field = {.type = 1, .value.whole = 7};
    assert_float_equal(nvml_field_number(&field), 7, 0);
    field = (struct nvml_field){.type = 0, .value.real = 2.5};
    assert_float_equal(nvml_field_number(&field), 2.5, 0);
    field = (struct nvml_field){.type = 3, .value.longer_whole = 1ULL << 40};
    assert_float_equal(nvml_field_number(&field), 1099511627776.0, 0);
    field = (struct nvml_field){.type = 5, .value.signed_whole = -3};
    assert_float_equal(nvml_field_number(&field), -3, 0);
    field.type = 77;
    assert_true(isnan(nvml_field_number(&field)));
    field = (struct nvml_field){.type = 1, .result = 3};
    assert_true(isnan(nvml_field_number(&field)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_gpu_tells_what_it_can),
        cmocka_unit_test(what_is_missing_is_said),
        cmocka_unit_test(another_library_may_be_named),
        cmocka_unit_test(fields_are_what_their_type_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
