/* Conditions of a measurement on mock trees: good ones, bad ones with their remedy, and those that cannot be
 * observed. */
#include "base/file.h"
#include "base/json.h"
#include "runner/conditions/condition.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { FILES_MOST = 6, NOBODY = 65534 };

#define CPU "/sys/devices/system/cpu/"
#define NOTHING_RAN "cpu0 100 0 0 100 0 0 0 0\ncpu1 100 0 0 100 0 0 0 0\ncpu2 100 0 0 100 0 0 0 0\n"

struct made_file {
    const char *path, *text;
};

/* One tree: files there from the beginning, files that have changed at the second look; measured on are 1,
 * and 0 where both is set. */
struct row {
    const char *condition;
    const char *state;
    const char *what, *mend; /* parts of them; a mend of NULL: none */
    struct made_file files[FILES_MOST];
    struct made_file later[FILES_MOST];
    bool both;
};

static const struct row rows[] = {
    {"governor", "unknown", "reports no governor", NULL, {{0}}, {{0}}, false},
    {"governor", "good", "", NULL, {{CPU "cpu1/cpufreq/scaling_governor", "performance\n"}}, {{0}}, false},
    {"governor",
     "warning",
     "of logical processor 1 is \"powersave\"",
     "echo performance | sudo tee",
     {{CPU "cpu1/cpufreq/scaling_governor", "powersave\n"},
      {CPU "cpu1/cpufreq/scaling_min_freq", "800000\n"},
      {CPU "cpu1/cpufreq/scaling_max_freq", "3500000\n"}},
     {{0}},
     false},
    {"governor",
     "good",
     "",
     NULL,
     {{CPU "cpu1/cpufreq/scaling_governor", "powersave\n"},
      {CPU "cpu1/cpufreq/scaling_min_freq", "3500000\n"},
      {CPU "cpu1/cpufreq/scaling_max_freq", "3500000\n"}},
     {{0}},
     false},
    {"boost", "unknown", "does not report", NULL, {{0}}, {{0}}, false},
    {"boost",
     "warning",
     "boosted",
     "echo 0 | sudo tee " CPU "cpufreq/boost",
     {{CPU "cpufreq/boost", "1\n"}},
     {{0}},
     false},
    {"boost", "good", "", NULL, {{CPU "cpufreq/boost", "0\n"}}, {{0}}, false},
    {"boost",
     "warning",
     "",
     "echo 1 | sudo tee " CPU "intel_pstate/no_turbo",
     {{CPU "intel_pstate/no_turbo", "0\n"}},
     {{0}},
     false},
    {"supply", "good", "", NULL, {{0}}, {{0}}, false},
    {"supply",
     "warning",
     "battery",
     NULL,
     {{"/sys/class/power_supply/AC/type", "Mains\n"}, {"/sys/class/power_supply/AC/online", "0\n"}},
     {{0}},
     false},
    {"supply",
     "good",
     "",
     NULL,
     {{"/sys/class/power_supply/BAT0/type", "Battery\n"},
      {"/sys/class/power_supply/BAT0/status", "Charging\n"}},
     {{0}},
     false},
    {"temperature", "unknown", "no thermometer", NULL, {{0}}, {{0}}, false},
    {"temperature",
     "good",
     "51.5 C",
     NULL,
     {{"/sys/class/hwmon/hwmon3/temp1_input", "51500\n"}},
     {{0}},
     false},
    {"temperature",
     "warning",
     "by +4.0 C",
     NULL,
     {{"/sys/class/thermal/thermal_zone0/temp", "50000\n"}},
     {{"/sys/class/thermal/thermal_zone0/temp", "54000\n"}},
     false},
    {"temperature",
     "warning",
     "throttled",
     NULL,
     {{"/proc/stat", NOTHING_RAN}, {CPU "cpu1/thermal_throttle/core_throttle_count", "7\n"}},
     {{CPU "cpu1/thermal_throttle/core_throttle_count", "8\n"}},
     false},
    {"clocksource",
     "warning",
     "\"hpet\"",
     "dmesg",
     {{"/sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n"}},
     {{0}},
     false},
    {"clocksource",
     "good",
     "",
     NULL,
     {{"/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n"}},
     {{0}},
     false},
    {"sibling", "good", "", NULL, {{CPU "cpu1/topology/thread_siblings_list", "1\n"}}, {{0}}, false},
    {"sibling",
     "warning",
     "logical processor 2 is online on the core of the measured 1",
     "echo 0 | sudo tee " CPU "cpu2/online",
     {{CPU "cpu1/topology/thread_siblings_list", "1-2\n"}},
     {{0}},
     false},
    {"sibling",
     "warning",
     "logical processor 2, on the core of the measured 1, is 50 % busy",
     "cpu2/online",
     {{CPU "cpu1/topology/thread_siblings_list", "0-2\n"}, {"/proc/stat", NOTHING_RAN}},
     {{"/proc/stat", "cpu0 100 0 0 200 0 0 0 0\ncpu1 100 0 0 200 0 0 0 0\ncpu2 150 0 0 150 0 0 0 0\n"}},
     false},
    {"sibling", "good", "", NULL, {{CPU "cpu1/topology/thread_siblings_list", "0-1\n"}}, {{0}}, true},
    {"load", "unknown", "/proc/stat", NULL, {{0}}, {{0}}, false},
    {"load",
     "good",
     "",
     NULL,
     {{"/proc/stat", NOTHING_RAN}},
     {{"/proc/stat", "cpu0 200 0 0 100 0 0 0 0\ncpu1 110 0 0 190 0 0 0 0\n"}},
     false},
    {"load",
     "warning",
     "the measured logical processor 1 is 80 % busy, mostly with make (x) (process 4321)",
     "taskset -a -p -c 0 4321",
     {{"/proc/stat", NOTHING_RAN},
      {"/proc/4321/stat",
       "4321 (make (x)) R 1 1 1 0 -1 0 0 0 0 0 10 5 0 0 20 0 1 0 9 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 "
       "17 1 0 0\n"},
      {"/proc/99/stat",
       "99 (elsewhere) R 1 1 1 0 -1 0 0 0 0 0 10 5 0 0 20 0 1 0 9 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 17 0 0 "
       "0\n"}},
     {{"/proc/stat", "cpu0 190 0 0 110 0 0 0 0\ncpu1 140 0 40 120 0 0 0 0\n"},
      {"/proc/4321/stat",
       "4321 (make (x)) R 1 1 1 0 -1 0 0 0 0 0 50 40 0 0 20 0 1 0 9 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 "
       "17 1 0 0\n"},
      {"/proc/99/stat",
       "99 (elsewhere) R 1 1 1 0 -1 0 0 0 0 0 90 95 0 0 20 0 1 0 9 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 17 0 "
       "0 0\n"}},
     false},
    {"others",
     "warning",
     "keeps 0.9 of the other processors busy (load average 1.25)",
     "ps -eo",
     {{"/proc/stat", NOTHING_RAN}, {"/proc/loadavg", "1.25 0.75 0.51 1/95 17529\n"}},
     {{"/proc/stat", "cpu0 190 0 0 110 0 0 0 0\ncpu1 200 0 0 100 0 0 0 0\ncpu2 100 0 0 200 0 0 0 0\n"}},
     false},
    {"virtual machine", "good", "", NULL, {{"/proc/cpuinfo", "flags\t\t: fpu sse2\n"}}, {{0}}, false},
    {"virtual machine",
     "warning",
     "a virtual machine",
     NULL,
     {{"/proc/cpuinfo", "flags\t\t: fpu hypervisor\n"}},
     {{0}},
     false},
    {"virtual machine",
     "warning",
     "gives 20 % of",
     NULL,
     {{"/proc/stat", NOTHING_RAN}},
     {{"/proc/stat", "cpu0 100 0 0 200 0 0 0 0\ncpu1 100 0 0 180 0 0 0 20\n"}},
     false},
    {"quota", "unknown", "control group", NULL, {{0}}, {{0}}, false},
    {"quota",
     "good",
     "",
     NULL,
     {{"/proc/self/cgroup", "0::/user.slice/a.scope\n"},
      {"/sys/fs/cgroup/user.slice/cpu.max", "max 100000\n"}},
     {{0}},
     false},
    {"quota",
     "warning",
     "/user.slice may use 1.5 processors'",
     "set-property --runtime user.slice CPUQuota=",
     {{"/proc/self/cgroup", "0::/user.slice/a.scope\n"},
      {"/sys/fs/cgroup/user.slice/cpu.max", "150000 100000\n"},
      {"/sys/fs/cgroup/user.slice/a.scope/cpu.max", "400000 100000\n"}},
     {{0}},
     false},
    {"quota",
     "warning",
     "of this container may use 0.5 processors'",
     NULL,
     {{"/proc/self/cgroup", "0::/\n"}, {"/sys/fs/cgroup/cpu.max", "50000 100000\n"}},
     {{0}},
     false},
    {"huge pages",
     "warning",
     "no huge pages",
     "echo madvise | sudo tee",
     {{"/sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]\n"}},
     {{0}},
     false},
    {"huge pages",
     "good",
     "",
     NULL,
     {{"/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n"}},
     {{0}},
     false},
    {"swap",
     "good",
     "",
     NULL,
     {{"/proc/swaps", "Filename Type Size Used Priority\n/dev/sda2 partition 999 0 -2\n"}},
     {{0}},
     false},
    {"swap",
     "warning",
     "3 MiB",
     "swapoff",
     {{"/proc/swaps", "Filename Type Size Used Priority\n/a file 9999 1024 -2\n/b file 9999 2048 -3\n"}},
     {{0}},
     false},
    {"counters",
     "unknown",
     "a counter unit",
     NULL,
     {{"/proc/sys/kernel/perf_event_paranoid", "3\n"}},
     {{0}},
     false},
    {"counters",
     "warning",
     "perf_event_paranoid is 3",
     "sudo sysctl kernel.perf_event_paranoid=2",
     {{"/proc/sys/kernel/perf_event_paranoid", "3\n"}, {"/sys/bus/event_source/devices/cpu/type", "4\n"}},
     {{0}},
     false},
    {"counters",
     "good",
     "",
     NULL,
     {{"/proc/sys/kernel/perf_event_paranoid", "2\n"},
      {"/sys/bus/event_source/devices/cpu_core/type", "4\n"}},
     {{0}},
     false},
    {"watchdog",
     "warning",
     "multiplexed",
     "sudo sysctl kernel.nmi_watchdog=0",
     {{"/proc/sys/kernel/nmi_watchdog", "1\n"}, {"/sys/bus/event_source/devices/cpu/type", "4\n"}},
     {{0}},
     false},
    {"watchdog",
     "good",
     "",
     NULL,
     {{"/proc/sys/kernel/nmi_watchdog", "0\n"}, {"/sys/bus/event_source/devices/cpu/type", "4\n"}},
     {{0}},
     false},
    {"energy counters", "unknown", "", NULL, {{0}}, {{0}}, false},
    {"energy counters",
     "good",
     "",
     NULL,
     {{"/sys/class/powercap/intel-rapl:0/energy_uj", "5\n"}},
     {{0}},
     false},
};

static void put(const char *root, const struct made_file *file)
{
    char path[FILE_PATH_BYTES];
    snprintf(path, sizeof path, "%s%s", root, file->path);
    *strrchr(path, '/') = '\0';
    assert_int_equal(file_make_folders(path, NULL), STATUS_OK);
    snprintf(path, sizeof path, "%s%s", root, file->path);
    assert_int_equal(file_write(path, file->text, strlen(file->text), false, NULL), STATUS_OK);
}

static void put_all(const char *root, const struct made_file *files)
{
    for (size_t i = 0; i < FILES_MOST && files[i].path != NULL; i++)
        put(root, &files[i]);
}

static void make_root(char root[64])
{
    strcpy(root, "/tmp/trauma-conditions-XXXXXX");
    assert_non_null(mkdtemp(root));
    assert_int_equal(chmod(root, 0755), 0);
}

/* All conditions of the tree. */
struct found {
    struct found_condition *items;
    size_t count;
};

static struct found look(const char *root, const struct row *row)
{
    const int cpus[] = {1, 0};
    struct snapshot before;
    struct snapshot now;
    put_all(root, row->files);
    snapshot_take(root, true, &before);
    put_all(root, row->later);
    snapshot_take(root, true, &now);
    const struct condition_view view = {
        .root = root, .cpus = cpus, .cpu_count = row->both ? 2 : 1, .before = &before, .now = &now};
    struct found list = {0};
    list.items = conditions_look(&view, AFFECTS_ALL, &list.count);
    snapshot_free(&before);
    snapshot_free(&now);
    return list;
}

static void expect_row(struct found list, const struct row *row)
{
    for (size_t i = 0; i < list.count; i++) {
        const struct finding *finding = &list.items[i].finding;
        const char *state = condition_states[finding->state], *mend = finding->mend;
        if (strcmp(list.items[i].name, row->condition) != 0)
            continue;
        if (strcmp(state, row->state) != 0 || strstr(finding->what, row->what) == NULL ||
            (mend[0] == '\0') != (row->mend == NULL) ||
            (row->mend != NULL && strstr(mend, row->mend) == NULL))
            fail_msg("%s: %s: '%s' (%s) instead of %s: '%s' (%s)", row->condition, state, finding->what, mend,
                     row->state, row->what, row->mend == NULL ? "-" : row->mend);
        return;
    }
    fail_msg("no condition %s", row->condition);
}

static void test_rows(void **state)
{
    (void)state;
    /* The rights of root hide what permission is about. */
    bool root_user = geteuid() == 0 && seteuid(NOBODY) == 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char root[64];
        make_root(root);
        struct found list = look(root, &rows[i]);
        expect_row(list, &rows[i]);
        free(list.items);
        assert_int_equal(file_remove_tree(root, NULL), STATUS_OK);
    }
    if (root_user)
        assert_int_equal(seteuid(0), 0);
}

static void test_locked_energy(void **state)
{
    (void)state;
    static const struct row row = {"energy counters",
                                   "warning",
                                   "only root may read 1 of 2 energy counters",
                                   "sudo chmod a+r",
                                   {{"/sys/class/powercap/intel-rapl:0/energy_uj", "5\n"},
                                    {"/sys/class/powercap/intel-rapl:1/energy_uj", "5\n"}},
                                   {{0}},
                                   false};
    char root[64];
    char path[FILE_PATH_BYTES];
    make_root(root);
    put_all(root, row.files);
    snprintf(path, sizeof path, "%s%s", root, row.files[1].path);
    assert_int_equal(chmod(path, 0), 0);
    bool root_user = geteuid() == 0 && seteuid(NOBODY) == 0;
    static const struct row nothing_new = {.condition = "energy counters"};
    struct found list = look(root, &nothing_new);
    if (root_user)
        assert_int_equal(seteuid(0), 0);
    expect_row(list, &row);
    free(list.items);
    assert_int_equal(file_remove_tree(root, NULL), STATUS_OK);
}

/* An empty tree: nothing is known, little is warned of, and every row says something. */
static void test_empty_tree(void **state)
{
    (void)state;
    char root[64];
    make_root(root);
    static const struct row nothing = {.condition = ""};
    struct found list = look(root, &nothing);
    for (size_t i = 0; i < list.count; i++) {
        assert_true(strlen(list.items[i].finding.what) > 0);
        assert_int_not_equal(list.items[i].finding.state, CONDITION_WARNING);
    }
    free(list.items);
    assert_int_equal(file_remove_tree(root, NULL), STATUS_OK);
}

/* What does not matter is not looked at; the warnings are those of the list. */
static void test_matters(void **state)
{
    (void)state;
    static const struct row row = {"boost", "", "", NULL, {{CPU "cpufreq/boost", "1\n"}}, {{0}}, false};
    char root[64];
    make_root(root);
    const int cpu = 0;
    struct snapshot now;
    put_all(root, row.files);
    snapshot_take(root, false, &now);
    const struct condition_view view = {
        .root = root, .cpus = &cpu, .cpu_count = 1, .before = &now, .now = &now};
    struct warnings warnings = {0};
    size_t of_time, of_counters;
    struct found_condition *time = conditions_look(&view, AFFECTS_CLOCK, &of_time);
    struct found_condition *counters = conditions_look(&view, AFFECTS_COUNTERS, &of_counters);
    conditions_warn(time, of_time, &warnings);
    assert_int_equal(warnings.count, 1);
    conditions_warn(counters, of_counters, &warnings);
    assert_int_equal(warnings.count, 1);
    warnings_free(&warnings);
    free(time);
    free(counters);
    snapshot_free(&now);
    assert_int_equal(file_remove_tree(root, NULL), STATUS_OK);
}

/* What no system writes: nothing of it may do harm. */
static void test_garbage(void **state)
{
    (void)state;
    static const struct row row = {
        .condition = "",
        .files = {{"/proc/stat", "cpu\ncpu0\ncpu99999999999 1 2\ncpu5000 1\ncpu1 -5 x y\n\xff\xfe"},
                  {"/proc/7/stat", "7 (no end"},
                  {"/proc/8/stat", ")8( R"},
                  {"/proc/self/cgroup", "0::"},
                  {"/proc/swaps", "\n\n\n"},
                  {CPU "cpu1/cpufreq/scaling_governor", "\xff\xfe\n"}}};
    char root[64];
    make_root(root);
    struct found list = look(root, &row);
    struct warnings warnings = {0};
    conditions_warn(list.items, list.count, &warnings);
    for (size_t i = 0; i < warnings.count; i++)
        assert_true(json_is_text(warnings.items[i].what));
    warnings_free(&warnings);
    free(list.items);
    assert_int_equal(file_remove_tree(root, NULL), STATUS_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),       cmocka_unit_test(test_locked_energy),
        cmocka_unit_test(test_empty_tree), cmocka_unit_test(test_matters),
        cmocka_unit_test(test_garbage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
