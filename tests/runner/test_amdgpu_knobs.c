/* The knobs of AMD's GPUs on trees such as the driver amdgpu shows: which cards there are, what is read, what
 * would be written, and which files the journal may name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/file.h"
#include "runner/state/knob.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[64];
static struct error error;

static const char DEVICE[] = "sys/devices/pci0000:00/0000:03:00.0";

static char *inside(char path[FILE_PATH_BYTES], const char *name)
{
    return file_join(path, root, name);
}

static void folder(const char *name)
{
    char path[FILE_PATH_BYTES];
    assert_int_equal(file_make_folders(inside(path, name), &error), STATUS_OK);
}

static void put(const char *name, const char *text)
{
    char path[FILE_PATH_BYTES], whole[FILE_PATH_BYTES];
    assert_int_equal(
        file_write(file_join(whole, inside(path, DEVICE), name), text, strlen(text), false, &error),
        STATUS_OK);
}

static void link_to(const char *target, const char *name)
{
    char path[FILE_PATH_BYTES];
    assert_int_equal(symlink(target, inside(path, name)), 0);
}

static int make_tree(void **state)
{
    (void)state;
    snprintf(root, sizeof root, "/tmp/trauma_amdgpu_XXXXXX");
    if (mkdtemp(root) == NULL)
        return 1;
    folder("sys/devices/pci0000:00/0000:03:00.0/hwmon/hwmon7");
    folder("sys/class/drm/card1");
    folder("sys/class/drm/card1-DP-1");
    folder("sys/class/drm/renderD128");
    link_to("../../../devices/pci0000:00/0000:03:00.0", "sys/class/drm/card1/device");
    put("power_dpm_force_performance_level", "auto\n");
    put("pp_dpm_sclk", "S: 19Mhz \n0: 300Mhz \n1: 600Mhz \n2: 930Mhz *\n");
    put("pp_dpm_mclk", "0: 150MHz *\n1: 1250MHz \n");
    put("hwmon/hwmon7/pwm1", "60\n");
    put("hwmon/hwmon7/pwm1_enable", "2\n");
    return 0;
}

static int remove_tree(void **state)
{
    (void)state;
    return file_remove_tree(root, NULL) == STATUS_OK ? 0 : 1;
}

static const struct knob *knob_of(const char *name)
{
    const struct knob *knob = amdgpu_knobs;
    while (strcmp(knob->name, name) != 0)
        knob++;
    return knob;
}

static struct value parse(const char *text, struct arena *arena)
{
    json_t *document = json_loads(text, JSON_DECODE_ANY, NULL);
    const struct value value = value_read(document, arena);
    json_decref(document);
    return value;
}

static struct value see(const char *name, int card, struct arena *arena)
{
    return knob_of(name)->observe(knob_of(name), root, card, arena, &error);
}

static bool is_seen(const char *name, int card)
{
    struct arena arena = {0};
    bool seen = see(name, card, &arena).kind != VALUE_NONE;
    arena_free(&arena);
    return seen;
}

static void assert_seen(const char *name, const char *wanted)
{
    struct arena arena = {0};
    const struct value seen = see(name, 1, &arena), expected = parse(wanted, &arena);
    if (!value_same(&seen, &expected))
        fail_msg("%s: %s", name, seen.kind == VALUE_NONE ? error.message : value_text(&seen, 6, &arena));
    arena_free(&arena);
}

static bool is_met(const char *name, const char *wanted)
{
    struct arena arena = {0};
    const struct value seen = see(name, 1, &arena), request = parse(wanted, &arena);
    bool met = seen.kind != VALUE_NONE && knob_of(name)->met(knob_of(name), &seen, &request);
    arena_free(&arena);
    return met;
}

/* What would be written: "FILE=TEXT FILE=TEXT", a star at those that follow. */
static void assert_plans(const char *name, const char *wanted, const char *expected)
{
    struct knob_changes changes = {0};
    char said[1024] = "";
    size_t used = 0;
    struct arena arena = {0};
    const struct value request = parse(wanted, &arena);
    assert_true(knob_of(name)->sane(&request));
    if (knob_of(name)->plan(knob_of(name), root, 1, &request, &changes, &error) != STATUS_OK)
        snprintf(said, sizeof said, "%s", error.message);
    for (size_t i = 0; i < changes.count; i++) {
        const struct knob_change *one = &changes.items[i];
        assert_int_equal(strncmp(one->path, root, strlen(root)), 0);
        assert_true(knob_amdgpu_owns(one->path + strlen(root)));
        used += (size_t)snprintf(said + used, sizeof said - used, "%s%s%s=%.*s", i == 0 ? "" : " ",
                                 file_base_name(one->path), one->follows ? "*" : "", (int)one->size - 1,
                                 one->value);
    }
    assert_string_equal(said, expected);
    knob_changes_free(&changes);
    arena_free(&arena);
}

static void cards_are_those_of_the_driver(void **state)
{
    (void)state;
    char pci[KNOB_WORD_BYTES] = "";
    assert_false(knob_amdgpu_card(root, 0, pci));
    assert_true(knob_amdgpu_card(root, 1, pci));
    assert_string_equal(pci, "0000:03:00.0");
    folder("sys/class/drm/card2/device"); /* of another driver */
    assert_false(knob_amdgpu_card(root, 2, pci));
    assert_false(knob_amdgpu_card("/nonexistent", 1, pci));
}

static void values_are_those_of_the_files(void **state)
{
    (void)state;
    assert_seen("gpu_clock", "{\"sm\": 0.93, \"profile\": \"auto\"}");
    assert_seen("gpu_memory_clock", "{\"memory\": 0.15, \"profile\": \"auto\"}");
    assert_seen("gpu_profile", "\"auto\"");
    assert_seen("gpu_fan", "\"automatic\"");
    put("hwmon/hwmon7/pwm1_enable", "1\n");
    assert_seen("gpu_fan", "0.235");
    put("hwmon/hwmon7/pwm1_max", "100\n");
    assert_seen("gpu_fan", "0.6");
    assert_false(is_seen("gpu_clock", 0));
    assert_non_null(strstr(error.message, "no clock of the GPU"));
}

static void writes_are_those_that_the_driver_takes(void **state)
{
    (void)state;
    assert_plans("gpu_clock", "0.6", "power_dpm_force_performance_level=manual pp_dpm_sclk*=1");
    assert_plans("gpu_clock", "0.93", "power_dpm_force_performance_level=manual pp_dpm_sclk*=2");
    assert_plans("gpu_clock", "\"base\"", "power_dpm_force_performance_level=profile_standard");
    assert_plans("gpu_clock", "0.95", "the GPU has no level of that clock; available: 0.3, 0.6, 0.93 GHz");
    assert_plans("gpu_clock", "0.019", "the GPU has no level of that clock; available: 0.3, 0.6, 0.93 GHz");
    assert_plans("gpu_memory_clock", "1.25", "power_dpm_force_performance_level=manual pp_dpm_mclk*=1");
    assert_plans("gpu_profile", "\"profile_peak\"", "power_dpm_force_performance_level=profile_peak");
    assert_plans("gpu_fan", "0.6", "pwm1_enable=1 pwm1=153");
    assert_plans("gpu_fan", "1", "pwm1_enable=1 pwm1=255");
}

static void what_is_met(void **state)
{
    (void)state;
    assert_false(is_met("gpu_clock", "0.93")); /* now, but the driver may choose another */
    put("power_dpm_force_performance_level", "manual\n");
    assert_true(is_met("gpu_clock", "0.93"));
    assert_false(is_met("gpu_clock", "0.6"));
    assert_false(is_met("gpu_clock", "\"base\""));
    put("power_dpm_force_performance_level", "profile_standard\n");
    assert_true(is_met("gpu_clock", "\"base\""));
    assert_true(is_met("gpu_profile", "\"profile_standard\""));
    assert_false(is_met("gpu_profile", "\"high\""));
    assert_false(is_met("gpu_fan", "0.235"));
    put("hwmon/hwmon7/pwm1_enable", "1\n");
    assert_true(is_met("gpu_fan", "0.24"));
    assert_false(is_met("gpu_fan", "0.3"));
}

/* A sensor's folder elsewhere is the card's if it names the driver and no other device. */
static void fans_are_of_their_card(void **state)
{
    (void)state;
    char path[FILE_PATH_BYTES], moved[FILE_PATH_BYTES];
    folder("sys/class/hwmon");
    assert_int_equal(rename(inside(path, "sys/devices/pci0000:00/0000:03:00.0/hwmon/hwmon7"),
                            inside(moved, "sys/class/hwmon/hwmon7")),
                     0);
    assert_false(is_seen("gpu_fan", 1));
    put("../../../class/hwmon/hwmon7/name", "k10temp\n");
    assert_false(is_seen("gpu_fan", 1));
    put("../../../class/hwmon/hwmon7/name", "amdgpu\n");
    assert_seen("gpu_fan", "\"automatic\"");
    folder("sys/devices/pci0000:00/0000:04:00.0");
    link_to("../../../devices/pci0000:00/0000:04:00.0", "sys/class/hwmon/hwmon7/device");
    assert_false(is_seen("gpu_fan", 1));
}

static void the_journal_names_their_files_alone(void **state)
{
    (void)state;
    static const char *const own[] = {"/sys/devices/pci0000:00/0000:03:00.0/pp_dpm_sclk",
                                      "/sys/devices/pci0000:00/0000:03:00.0/hwmon/hwmon7/pwm1_enable",
                                      "/sys/class/drm/card0/device/power_dpm_force_performance_level"};
    static const char *const others[] = {"/etc/passwd",
                                         "/etc/pwm1",
                                         "/sys/devices/pci0000:00/0000:03:00.0/remove",
                                         "/sys/class/drm/card0/device/pp_dpm_sclk/x",
                                         "/sys/devices/pci0000:00/0000:03:00.0/",
                                         ""};
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        assert_true(knob_amdgpu_owns(own[i]));
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_false(knob_amdgpu_owns(others[i]));
}

/* In a folder the file's text comes back; on the machine itself nothing could bring back what "manual"
 * allowed. */
static void only_what_can_be_restored_is_set(void **state)
{
    (void)state;
    assert_int_equal(knob_amdgpu_check(root, 1, &error), STATUS_OK);
    put("power_dpm_force_performance_level", "manual\n");
    assert_int_equal(knob_amdgpu_check(root, 1, &error), STATUS_OK);
    assert_int_equal(knob_amdgpu_check(root, 0, &error), STATUS_UNAVAILABLE);
}

static void requests_are_checked(void **state)
{
    (void)state;
    static const struct {
        const char *knob, *wanted;
        bool sane;
    } rows[] = {{"gpu_clock", "0.93", true},
                {"gpu_clock", "\"base\"", true},
                {"gpu_clock", "\"boost\"", false},
                {"gpu_clock", "0", false},
                {"gpu_clock", "[]", false},
                {"gpu_memory_clock", "\"base\"", false},
                {"gpu_memory_clock", "1.25", true},
                {"gpu_profile", "\"high\"", true},
                {"gpu_profile", "\"manual\"", false},
                {"gpu_profile", "\"a b\"", false},
                {"gpu_profile", "1", false},
                {"gpu_fan", "0.2", true},
                {"gpu_fan", "0", false},
                {"gpu_fan", "1.1", false},
                {"gpu_fan", "\"full\"", false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct arena arena = {0};
        const struct value wanted = parse(rows[i].wanted, &arena);
        assert_int_equal(knob_of(rows[i].knob)->sane(&wanted), rows[i].sane);
        arena_free(&arena);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_tree, remove_tree)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(cards_are_those_of_the_driver),
        TEST(values_are_those_of_the_files),
        TEST(writes_are_those_that_the_driver_takes),
        TEST(what_is_met),
        TEST(fans_are_of_their_card),
        TEST(the_journal_names_their_files_alone),
        TEST(only_what_can_be_restored_is_set),
        TEST(requests_are_checked),
    };
    return cmocka_run_group_tests_name("runner/amdgpu_knobs", tests, NULL, NULL);
}
