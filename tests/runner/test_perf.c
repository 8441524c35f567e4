/* The source "perf" without a PMU: names and tables, sentences of refusal, the arithmetic, and the whole way
 * from open to read on a real child, with events that the kernel itself counts. */
#include "base/file.h"
#include "runner/counters/perf_events.h"
#include "runner/counters/source.h"

#include <errno.h>
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
    perf_host_parse("processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 26\nmodel\t\t: 2\n"
                    "flags\t\t: fpu vme hypervisor lahf_lm\nbugs\t\t: none\n",
                    &host);
    assert_string_equal(host.vendor, "AuthenticAMD");
    assert_int_equal(host.family, 26);
    assert_true(host.hypervisor);
    host = (struct perf_host){0};
    perf_host_parse("flags : fpu\nother : hypervisor", &host);
    assert_false(host.hypervisor);
    assert_string_equal(host.vendor, "");
    perf_host_parse("", &host);
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
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        assert_int_equal(perf_event_encode(known[i].name, &attributes, &error), STATUS_OK);
        assert_int_equal(attributes.type, known[i].type);
        assert_int_equal(attributes.config, known[i].config);
        assert_true(attributes.exclude_kernel && attributes.exclude_hv && attributes.inherit);
    }
    static const char *const unknown[] = {"r",          "r12zz", "r11112222333344445", "no-such-event",
                                          "perf::NONE", ""};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        assert_int_equal(perf_event_encode(unknown[i], &attributes, &error), STATUS_UNAVAILABLE);
        assert_non_null(strstr(error.message, unknown[i]));
        assert_non_null(strstr(error.hint, "libpfm4 name"));
    }
}

/* The first ratio listed for the metric; all NULL when there is none. */
static struct perf_ratio first_of(const struct perf_ratio *ratios, size_t count, const char *metric)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(ratios[i].metric, metric) == 0)
            return ratios[i];
    }
    return (struct perf_ratio){0};
}

static void test_tables(void **state)
{
    (void)state;
    struct perf_ratio ratios[PERF_RATIOS];
    size_t count = 0;
    struct error error = {0};
    struct perf_host host = {.vendor = "Unheard", .family = 1};
    json_t *machine = json_pack("{s:{s:[s,s,s]}}", "events", "l1d.miss_rate", "r0F48", "per", "r0143");

    assert_int_equal(perf_ratios(NULL, &host, ratios, &count, &error), STATUS_OK);
    assert_string_equal(first_of(ratios, count, "l1d.miss_rate").numerator, "perf::L1-DCACHE-LOAD-MISSES");
    assert_null(first_of(ratios, count, "l2.miss_rate").metric);
    assert_string_equal(first_of(ratios, count, "ipc").denominator, "perf::CYCLES");

    host = (struct perf_host){.vendor = "AuthenticAMD", .family = 0x1a};
    assert_int_equal(perf_ratios(machine, &host, ratios, &count, &error), STATUS_OK);
    assert_string_equal(first_of(ratios, count, "l1d.miss_rate").numerator, "r0F48");
    assert_string_equal(first_of(ratios, count, "l1d.miss_rate").denominator, "r0143");
    assert_string_equal(first_of(ratios, count, "l2.miss_rate").numerator, "r0864");
    /* The machine's own row is the only one of its metric: no other stands in for it. */
    assert_null(first_of(ratios + 1, count - 1, "l1d.miss_rate").metric);
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
        struct perf_ratio ratios[PERF_RATIOS];
        size_t count = 0;
        struct error error = {0};
        struct perf_host host = {0};
        json_t *machine = json_loads(wrong[i], 0, NULL);
        assert_non_null(machine);
        assert_int_equal(perf_ratios(machine, &host, ratios, &count, &error), STATUS_RECIPE);
        assert_non_null(strstr(error.message, "\"ipc\""));
        assert_non_null(strstr(error.hint, "\"per\""));
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
        {{.hypervisor = true, .paranoid = 2}, EOPNOTSUPP, "virtual machine has no PMU", "bare machine"},
        {{.paranoid = 2}, ENODEV, "drives no PMU", "dmesg"},
        {{.has_pmu = true, .paranoid = 2}, ENOENT, "does not count \"cycles\"", "events table"},
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

static struct perf_counts counts(uint64_t numerator, uint64_t denominator, uint64_t enabled, uint64_t running)
{
    return (struct perf_counts){{numerator, enabled, running}, {denominator, enabled, running}};
}

static void test_subtraction(void **state)
{
    (void)state;
    struct perf_sample sample;
    /* 300 of 1,000 in the loop, after a set-up of its own of 70 per 500. */
    struct perf_counts fewer = counts(70, 500, 100, 100);
    struct perf_counts more = counts(30070, 100500, 900, 900);
    assert_true(perf_sample_of(&fewer, &more, &sample));
    assert_float_equal(sample.ratio, 0.3, 1e-12);
    assert_float_equal(sample.events, 100000, 1e-9);
    assert_float_equal(sample.counted, 1, 0);
    /* Half of the second run's time was not counted: scaled to the same ratio, and known to be so. */
    more = counts(15035, 50250, 900, 450);
    assert_true(perf_sample_of(&fewer, &more, &sample));
    assert_float_equal(sample.ratio, 0.3, 1e-12);
    assert_float_equal(sample.counted, 0.5, 1e-12);
    /* Nothing to divide by: equal, less, or only noise. */
    more = counts(90, 500, 900, 900);
    assert_false(perf_sample_of(&fewer, &more, &sample));
    more = counts(90, 400, 900, 900);
    assert_false(perf_sample_of(&fewer, &more, &sample));
    more = counts(90, 1400, 900, 900);
    assert_false(perf_sample_of(&fewer, &more, &sample));
}

static void test_interval(void **state)
{
    (void)state;
    struct perf_sample samples[] = {
        {0.30, 1e6, 1}, {0.31, 1e6, 1}, {0.29, 1e6, 1}, {0.30, 1e6, 1}, {0.30, 1e6, 1}};
    struct interval seen = perf_interval(samples, 5, true);
    assert_float_equal(seen.value, 0.3, 1e-12);
    assert_true(seen.low >= 0.29 && seen.low <= 0.3 && seen.high >= 0.3 && seen.high <= 0.31);
    assert_int_equal(seen.n, 5000000);
    /* A tenth of the time not counted widens by a tenth of the value. */
    samples[3].counted = 0.9;
    struct interval wider = perf_interval(samples, 5, true);
    assert_float_equal(wider.low, seen.low - 0.03, 1e-9);
    assert_float_equal(wider.high, seen.high + 0.03, 1e-9);
    /* A fraction stays one; an IPC need not be one. */
    struct perf_sample noise[] = {{-1e-5, 1e6, 1}, {1.5, 1e6, 1}, {2.5, 1e6, 1}};
    assert_float_equal(perf_interval(noise, 1, true).value, 0, 0);
    assert_float_equal(perf_interval(noise + 2, 1, true).high, 1, 0);
    assert_float_equal(perf_interval(noise + 2, 1, false).value, 2.5, 0);
}

/* The program that is counted is this test itself: it touches as many new pages as it is asked for. */
static int act_as_program(const char *asked)
{
    size_t pages = strtoul(asked, NULL, 10);
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    volatile char *memory =
        mmap(NULL, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || madvise((void *)memory, pages * page, MADV_NOHUGEPAGE) != 0)
        return 1;
    for (size_t i = 0; i < pages; i++)
        memory[i * page] = 1;
    printf("{\"iterations\":%zu,\"ticks\":1}\n", pages);
    return 0;
}

static void read_subject(struct buffer *image, struct subject *subject)
{
    assert_int_equal(file_read("/proc/self/exe", image, NULL), STATUS_OK);
    *subject = (struct subject){.executable = image->data, .executable_size = image->size, .cpu = -1};
}

static void test_counting_a_child(void **state)
{
    (void)state;
    static const struct perf_ratio ratio = {"pages", "perf::PAGE-FAULTS", "perf::TASK-CLOCK"};
    struct buffer image = {0};
    struct subject subject;
    struct perf_host host;
    struct perf_counts fewer, more;
    struct error error = {0};
    read_subject(&image, &subject);
    perf_host_read(&host);
    enum status status = perf_count(&subject, &host, &ratio, 1000, &fewer, &error);
    if (status == STATUS_UNAVAILABLE) { /* as in a container that forbids it */
        print_message("not counted here: %s\n", error.message);
        buffer_free(&image);
        skip();
    }
    assert_int_equal(status, STATUS_OK);
    assert_int_equal(perf_count(&subject, &host, &ratio, 9000, &more, &error), STATUS_OK);
    buffer_free(&image);
    /* The set-up's own page faults are the same in both and fall out. AddressSanitizer adds a page of its own
     * for every eight. */
    assert_true(fewer.numerator.value > 1000);
    int64_t pages = (int64_t)(more.numerator.value - fewer.numerator.value);
    assert_in_range(pages, 7900, 9100);
    struct perf_sample sample;
    assert_true(perf_sample_of(&fewer, &more, &sample));
    assert_true(sample.ratio > 0 && sample.events > 0);
    assert_float_equal(sample.counted, 1, 0);
}

static void test_what_cannot_be_counted(void **state)
{
    (void)state;
    static const struct perf_ratio unknown = {"ipc", "perf::TASK-CLOCK", "no-such-event"};
    struct buffer image = {0};
    struct subject subject;
    struct perf_host host;
    struct perf_counts unused;
    struct error error = {0};
    read_subject(&image, &subject);
    perf_host_read(&host);
    assert_int_equal(perf_count(&subject, &host, &unknown, 1, &unused, &error), STATUS_UNAVAILABLE);
    assert_non_null(strstr(error.message, "no-such-event"));
    buffer_free(&image);
}

static void test_source(void **state)
{
    (void)state;
    struct error error = {0};
    struct observations list = {0};
    struct machine elsewhere = {.name = "pentium-pro"};
    struct subject subject = {.machine = &elsewhere, .cpu = -1};
    assert_string_equal(counter_perf.name, "perf");
    assert_string_equal(counter_perf.kind, "measured");
    assert_int_equal(counter_perf.observe(&subject, &list, &error), STATUS_UNAVAILABLE);
    assert_non_null(strstr(error.message, "\"pentium-pro\" is not this one"));
    enum status status = counter_perf.usable(&error);
    assert_true(status == STATUS_OK || status == STATUS_UNAVAILABLE);
    if (status == STATUS_UNAVAILABLE) {
        assert_true(error.message[0] != '\0' && error.hint[0] != '\0');
        print_message("perf here: %s (%s)\n", error.message, error.hint);
    }
    assert_int_equal(list.count, 0);
}

/* Two copies of which one misses more: the whole is neither. */
static void copies_count_as_one_program(void **state)
{
    (void)state;
    const struct perf_counts fewer[2] = {{{1000, 10, 10}, {2000, 10, 10}}, {{1000, 10, 10}, {2000, 10, 10}}};
    const struct perf_counts more[2] = {{{5000, 50, 50}, {10000, 50, 50}}, {{7000, 50, 50}, {10000, 50, 50}}};
    struct perf_counts first = perf_sum(fewer, 2);
    struct perf_counts second = perf_sum(more, 2);
    struct perf_sample sample;
    assert_int_equal(second.numerator.value, 12000);
    assert_int_equal(second.denominator.enabled, 100);
    assert_true(perf_sample_of(&first, &second, &sample));
    assert_float_equal(sample.ratio, 10000.0 / 16000, 1e-12);
    assert_float_equal(sample.counted, 1, 0);
    assert_true(perf_sample_of(&fewer[1], &more[1], &sample));
    assert_float_equal(sample.ratio, 6000.0 / 8000, 1e-12);
}

int main(int count, char **arguments)
{
    if (count == 2 && strcmp(arguments[0], "program") == 0)
        return act_as_program(arguments[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cpuinfo),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_wrong_table),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_subtraction),
        cmocka_unit_test(test_interval),
        cmocka_unit_test(test_counting_a_child),
        cmocka_unit_test(test_what_cannot_be_counted),
        cmocka_unit_test(test_source),
        cmocka_unit_test(copies_count_as_one_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
