/* The source "perf" without a PMU: names and tables, refusals, and arithmetic. */
#include "base/file.h"
#include "base/json.h"
#include "runner/sources/perf/perf_measure.h"
#include "runner/sources/source.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

static void test_cpuinfo(void **state)
{
    (void)state;
    struct perf_host host = {0};
    perf_host_parse(
        "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 26\nmodel\t\t: 2\nmodel name\t: 7\n"
        "flags\t\t: fpu vme hypervisor lahf_lm\nbugs\t\t: none\n",
        -1, &host);
    assert_string_equal(host.vendor, "AuthenticAMD");
    assert_int_equal(host.family, 26);
    assert_int_equal(host.model, 2);
    assert_true(host.hypervisor);
    host = (struct perf_host){0};
    perf_host_parse("flags : fpu\nother : hypervisor", -1, &host);
    assert_false(host.hypervisor);
    assert_string_equal(host.vendor, "");
    perf_host_parse("", -1, &host);
}

static void test_names(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t type;
        uint64_t config;
    } known[] = {
        {"r0F48", PERF_TYPE_RAW, 0x0f48},
        {"rffffffffffffffff", PERF_TYPE_RAW, UINT64_MAX},
        {"perf::INSTRUCTIONS", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
        {"perf::L1-DCACHE-LOAD-MISSES", PERF_TYPE_HW_CACHE, 0x10000},
        {"perf::TASK-CLOCK", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
    };
    struct perf_event_attr attributes;
    struct error error = {0};
    const struct perf_host host = {.pmu = "cpu", .pmu_type = PERF_TYPE_RAW};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        assert_int_equal(perf_event_encode(&host, known[i].name, &attributes, &error), STATUS_OK);
        assert_int_equal(attributes.type, known[i].type);
        assert_int_equal(attributes.config, known[i].config);
        assert_true(attributes.exclude_kernel && attributes.exclude_hv && attributes.inherit);
    }
    static const char *const unknown[] = {"r",          "r12zz", "r11112222333344445", "no-such-event",
                                          "perf::NONE", ""};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        assert_int_equal(perf_event_encode(&host, unknown[i], &attributes, &error), STATUS_UNAVAILABLE);
        assert_non_null(strstr(error.message, unknown[i]));
        assert_non_null(strstr(error.hint, "libpfm4 name"));
    }
}

/* The first ratio of the metric; NULL when there is none. */
static const struct event_ratio *first_of(const struct event_table *table, const char *metric, size_t from)
{
    for (size_t i = from; i < table->ratio_count; i++)
        if (strcmp(table->ratios[i].metric, metric) == 0)
            return &table->ratios[i];
    return NULL;
}

static const char *code_of(const struct event_table *table, const struct event_sum *sum)
{
    return table->events[sum->terms[0].event].code;
}

static void machine_rows_come_first(void **state)
{
    (void)state;
    struct event_table *table = calloc(1, sizeof *table);
    struct error error = {0};
    struct perf_host host = {.vendor = "AuthenticAMD", .family = 0x1a, .model = 2, .pmu = "cpu"};
    json_t *machine = json_pack("{s:{s:[s,s,s]}}", "events", "l1d.miss_rate", "r0F48", "per", "r0143");
    assert_int_equal(perf_table(&host, &(struct machine){.document = machine}, table, &error), STATUS_OK);
    const struct event_ratio *own = first_of(table, "l1d.miss_rate", 0);
    assert_string_equal(code_of(table, &own->over), "r0F48");
    assert_string_equal(code_of(table, &own->under), "r0143");
    assert_string_equal(code_of(table, &first_of(table, "l2.miss_rate", 0)->over), "r0864");
    /* The machine's own row is the only one of its metric: no other stands in for it. */
    assert_null(first_of(table, "l1d.miss_rate", 1));
    event_table_free(table);
    free(table);
    json_decref(machine);
}

static void test_wrong_table(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "{\"events\":{\"ipc\":[\"r1\",\"over\",\"r2\"]}}",
        "{\"events\":{\"ipc\":[\"r1\",\"per\"]}}",
        "{\"events\":{\"ipc\":[\"r1\",\"per\",2]}}",
        "{\"events\":{\"ipc\":\"r1\"}}",
        "{\"events\":{\"ipc\":[\"r1\",\"per\",\"r2\",\"r3\"]}}",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct event_table *table = calloc(1, sizeof *table);
        struct error error = {0};
        struct perf_host host = {.pmu = "cpu"};
        json_t *machine = json_loads(wrong[i], 0, NULL);
        assert_non_null(machine);
        assert_int_equal(perf_table(&host, &(struct machine){.document = machine}, table, &error),
                         STATUS_RECIPE);
        assert_non_null(strstr(error.message, "\"ipc\""));
        assert_non_null(strstr(error.hint, "\"per\""));
        event_table_free(table);
        free(table);
        json_decref(machine);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        struct perf_host host;
        int number;
        const char *message, *hint; /* parts of them */
    } rows[] = {
        {{.hypervisor = true, .paranoid = 2}, ENOENT, "virtual machine has no PMU", "cachegrind and timing"},
        {{.hypervisor = true, .paranoid = 2}, EOPNOTSUPP, "virtual machine has no PMU", "bare hardware"},
        {{.paranoid = 2}, ENODEV, "has no driver for this processor's PMU", "dmesg"},
        {{.has_pmu = true, .paranoid = 2}, ENOENT, "does not count \"cycles\"", "events file"},
        {{.hypervisor = true, .has_pmu = true, .paranoid = 2}, ENOENT, "does not count", "perf list"},
        {{.paranoid = PERF_NO_PARANOID}, ENOSYS, "without perf events", "CONFIG_PERF_EVENTS"},
        {{.has_pmu = true, .paranoid = 3},
         EACCES,
         "perf_event_paranoid is 3",
         "sudo sysctl kernel.perf_event_paranoid=2"},
        {{.has_pmu = true, .paranoid = 1}, EPERM, "perf_event_paranoid is 1", "--cap-add PERFMON"},
        {{.has_pmu = true, .paranoid = 1}, EBUSY, "in use by another", "nmi_watchdog"},
        {{.has_pmu = true, .paranoid = 1}, EINVAL, "refused to count \"cycles\"", "event's code"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct error error = {0};
        assert_int_equal(perf_refusal(&rows[i].host, "cycles", rows[i].number, &error), STATUS_UNAVAILABLE);
        assert_non_null(strstr(error.message, rows[i].message));
        assert_non_null(strstr(error.hint, rows[i].hint));
    }
}

static void what_two_runs_share_falls_out(void **state)
{
    (void)state;
    const struct perf_reading fewer = {500, 100, 100};
    const struct perf_reading more = {100500, 900, 900};
    struct perf_difference seen = perf_subtract(&fewer, &more);
    assert_float_equal(seen.count, 100000, 1e-9);
    assert_float_equal(seen.counted, 1, 0);
    /* Half of the second run's time was not counted: scaled to the same count, and known to be so. */
    const struct perf_reading half = {50250, 900, 450};
    seen = perf_subtract(&fewer, &half);
    assert_float_equal(seen.count, 100000, 1e-9);
    assert_float_equal(seen.counted, 0.5, 1e-12);
    const struct perf_reading never = {0, 900, 0};
    assert_float_equal(perf_subtract(&fewer, &never).counted, 0, 0);
}

static void intervals_cover_what_was_not_counted(void **state)
{
    (void)state;
    const double samples[] = {0.30, 0.31, 0.29, 0.30, 0.30};
    struct interval seen = perf_interval(samples, 5, 1, true);
    assert_float_equal(seen.value, 0.3, 1e-12);
    assert_true(seen.low >= 0.28 && seen.low <= 0.29 && seen.high >= 0.31 && seen.high <= 0.32);
    /* A tenth of the time not counted widens by a tenth of the value. */
    struct interval wider = perf_interval(samples, 5, 0.9, true);
    assert_float_equal(wider.low, seen.low - 0.03, 1e-9);
    assert_float_equal(wider.high, seen.high + 0.03, 1e-9);
    /* A fraction stays one; an IPC need not be one. */
    const double noise[] = {-1e-5, -1e-5, 2.5, 2.5};
    assert_float_equal(perf_interval(noise, 2, 1, true).value, 0, 0);
    assert_float_equal(perf_interval(noise + 2, 2, 1, true).high, 1, 0);
    assert_float_equal(perf_interval(noise + 2, 2, 1, false).value, 2.5, 0);
    assert_true(isnan(perf_interval(noise, 1, 1, false).low)); /* one sample has no interval */
}

static void test_source(void **state)
{
    (void)state;
    struct error error = {0};
    struct observations list = {0};
    struct machine elsewhere = {.name = "pentium-pro"};
    struct test_program test_program = {.manifest = &manifest_none, .machine = &elsewhere, .cpu = -1};
    assert_string_equal(counter_perf.name, "perf");
    assert_int_equal(counter_perf.kind, EVIDENCE_MEASURED);
    assert_int_equal(counter_perf.observe(&test_program, &list, &error), STATUS_UNAVAILABLE);
    assert_non_null(strstr(error.message, "\"pentium-pro\" is not this one"));
    enum status status = counter_perf.usable(&error);
    assert_true(status == STATUS_OK || status == STATUS_UNAVAILABLE);
    if (status == STATUS_UNAVAILABLE) {
        assert_true(error.message[0] != '\0' && error.hint[0] != '\0');
        print_message("perf here: %s (%s)\n", error.message, error.hint);
    }
    assert_int_equal(list.count, 0);
}

static void copies_count_as_one_program(void **state)
{
    (void)state;
    const struct perf_reading copies[4] = {{4000, 40, 40}, {8000, 40, 40}, {6000, 40, 20}, {8000, 40, 40}};
    struct perf_reading sum[2];
    perf_sum(copies, 2, 2, sum);
    assert_int_equal(sum[0].value, 10000);
    assert_int_equal(sum[0].running, 60);
    assert_int_equal(sum[1].value, 16000);
    assert_int_equal(sum[1].enabled, 80);
}

struct made_file {
    const char *path, *text;
};

static void make_files(const char *root, const struct made_file *files, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char path[256], folder[256];
        snprintf(path, sizeof path, "%s%s", root, files[i].path);
        snprintf(folder, sizeof folder, "%.*s", (int)(file_base_name(path) - path - 1), path);
        assert_int_equal(file_make_folders(folder, NULL), STATUS_OK);
        assert_int_equal(file_write(path, files[i].text, strlen(files[i].text), false, NULL), STATUS_OK);
    }
}

/* The families of the cores of a big and of a small Arm core, and of RISC-V's. */
static void processors_of_other_isas(void **state)
{
    (void)state;
    static const char board[] =
        "processor : 0\nCPU implementer : 0x41\nCPU architecture: 8\nCPU part : 0xd03\n\n"
        "processor : 4\nCPU implementer : 0x41\nCPU architecture: 8\nCPU part : 0xd08\n";
    struct perf_host host = {0};
    perf_host_parse(board, 4, &host);
    assert_string_equal(host.vendor, "0x41");
    assert_int_equal(host.model, 0xd08);
    perf_host_parse(board, -1, &host);
    assert_int_equal(host.model, 0xd03);
    host = (struct perf_host){0};
    perf_host_parse("processor : 0\nisa : rv64imafdc\nmvendorid : 0x489\nmarchid : 0x8000000000000007\n", 0,
                    &host);
    assert_string_equal(host.vendor, "0x489");
    assert_int_equal(host.model, 7);
    static const struct {
        const char *vendor;
        unsigned model;
        const char *first, *metric;
    } rows[] = {
        {"0x41", 0xd0c, "arm-neoverse", "l3.miss_rate"},
        {"0x41", 0xd4f, "arm-neoverse", "dtlb.miss_rate"},
        {"0x41", 0xd03, "arm-cortex-a53", "branch.miss_rate"},
        {"0x41", 0xd08, "arm-cortex-a72", "l2.miss_rate"},
        {"0x41", 0xd46, "armv8", "l1d.miss_rate"},
        {"0x489", 7, "riscv-sifive-7", "l1d.miss_rate"},
        {"0x5b7", 0, "riscv-thead-c9", "l1d.miss_rate"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct event_table *table = calloc(1, sizeof *table);
        struct error error = {0};
        bool found = false;
        assert_non_null(table);
        host = (struct perf_host){.model = rows[i].model, .pmu = "cpu"};
        snprintf(host.vendor, sizeof host.vendor, "%s", rows[i].vendor);
        if (perf_table(&host, NULL, table, &error) != STATUS_OK)
            fail_msg("%s:%d: %s", error.file, error.line, error.message);
        assert_string_equal(table->files[0].family, rows[i].first);
        for (size_t j = 0; j < table->ratio_count; j++)
            found = found || strcmp(table->ratios[j].metric, rows[i].metric) == 0;
        assert_true(found);
        event_table_free(table);
        free(table);
    }
}

/* Each kind of Arm core has a unit with the core's name. */
static void units_of_arm_cores(void **state)
{
    (void)state;
    static const struct made_file files[] = {
        {"/sys/bus/event_source/devices/armv8_cortex_a53/type", "8\n"},
        {"/sys/bus/event_source/devices/armv8_cortex_a53/cpus", "0-3\n"},
        {"/sys/bus/event_source/devices/armv8_cortex_a72/type", "9\n"},
        {"/sys/bus/event_source/devices/armv8_cortex_a72/cpus", "4-5\n"},
        {"/sys/bus/event_source/devices/arm_cmn_0/type", "11\n"},
        {"/proc/cpuinfo", "processor : 0\nCPU implementer : 0x41\nCPU part : 0xd03\n"},
        {"/sys/class/dmi/id/sys_vendor", "QEMU\n"}};
    char root[] = "/tmp/trauma-perf-XXXXXX";
    assert_non_null(mkdtemp(root));
    make_files(root, files, sizeof files / sizeof files[0]);
    struct perf_host host;
    perf_host_read(&host, 4, root);
    assert_true(host.has_pmu && host.hypervisor);
    assert_int_equal(host.pmu_type, 9);
    assert_string_equal(host.pmu, "cpu");
    perf_host_read(&host, 2, root);
    assert_int_equal(host.pmu_type, 8);
    perf_host_read(&host, 77, root);
    assert_false(host.has_pmu);
    assert_int_equal(file_remove_tree(root, NULL), STATUS_OK);
}

/* Of a hybrid processor the unit is that of the core measured on, and raw codes are of its type. */
static void units_of_two_kinds_of_cores(void **state)
{
    (void)state;
    static const struct made_file files[] = {
        {"/sys/bus/event_source/devices/cpu_core/type", "4\n"},
        {"/sys/bus/event_source/devices/cpu_core/cpus", "0-3,8\n"},
        {"/sys/bus/event_source/devices/cpu_atom/type", "10\n"},
        {"/sys/bus/event_source/devices/cpu_atom/cpus", "4-7\n"},
        {"/proc/cpuinfo", "vendor_id : GenuineIntel\ncpu family : 6\nmodel : 151\n"},
        {"/proc/sys/kernel/perf_event_paranoid", "1\n"}};
    char root[] = "/tmp/trauma-perf-XXXXXX";
    assert_non_null(mkdtemp(root));
    make_files(root, files, sizeof files / sizeof files[0]);
    struct perf_host host;
    struct perf_event_attr attributes;
    perf_host_read(&host, 8, root);
    assert_string_equal(host.pmu, "cpu_core");
    assert_int_equal(host.model, 151);
    assert_int_equal(host.paranoid, 1);
    perf_host_read(&host, 5, root);
    assert_string_equal(host.pmu, "cpu_atom");
    assert_int_equal(perf_event_encode(&host, "r02d1", &attributes, NULL), STATUS_OK);
    assert_int_equal(attributes.type, 10);
    assert_int_equal(perf_event_encode(&host, "perf::CYCLES", &attributes, NULL), STATUS_OK);
    assert_int_equal(attributes.config >> 32, 10);
    perf_host_read(&host, 99, root);
    assert_false(host.has_pmu);
    assert_int_equal(file_remove_tree(root, NULL), STATUS_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cpuinfo),
        cmocka_unit_test(test_names),
        cmocka_unit_test(units_of_two_kinds_of_cores),
        cmocka_unit_test(processors_of_other_isas),
        cmocka_unit_test(units_of_arm_cores),
        cmocka_unit_test(machine_rows_come_first),
        cmocka_unit_test(test_wrong_table),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(what_two_runs_share_falls_out),
        cmocka_unit_test(intervals_cover_what_was_not_counted),
        cmocka_unit_test(copies_count_as_one_program),
        cmocka_unit_test(test_source),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
