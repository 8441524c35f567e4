/* The complete source "perf" without a PMU: a real child counted by the kernel's own events, and a simulated
 * processor with a given number of counters in place of the kernel. */
#include "base/file.h"
#include "base/json.h"
#include "runner/results/result_point.h"
#include "runner/sources/perf/perf_measure.h"
#include "runner/sources/source.h"
#include "tests/given_manifest.h"
#include "tests/skip.h"

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

/* The program that is counted is this test itself: it touches as many new pages as it is asked for. */
static int act_as_program(const char *asked)
{
    size_t passes = strtoul(asked, NULL, 10);
    size_t pages = passes < 10000 ? passes : 1;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    volatile char *memory =
        mmap(NULL, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || madvise((void *)memory, pages * page, MADV_NOHUGEPAGE) != 0)
        return 1;
    for (size_t i = 0; i < pages; i++)
        memory[i * page] = 1;
    printf("{\"iterations\":%zu,\"ticks\":1}\n", passes);
    return 0;
}

static void read_test_program(struct buffer *image, struct test_program *test_program)
{
    assert_int_equal(file_read("/proc/self/exe", image, NULL), STATUS_OK);
    *test_program = (struct test_program){
        .manifest = &manifest_none, .executable = image->data, .executable_size = image->size, .cpu = -1};
}

static void add_to(struct perf_session *session, const struct perf_host *host, const char *name)
{
    struct error error;
    session->names[session->count] = name;
    assert_int_equal(perf_event_encode(host, name, &session->attributes[session->count++], &error),
                     STATUS_OK);
}

static void a_child_is_counted(void **state)
{
    (void)state;
    struct perf_session session = {.count = 0};
    struct buffer image = {0};
    struct test_program test_program;
    struct perf_host host;
    struct perf_reading fewer[2], more[2];
    struct error error = {0};
    read_test_program(&image, &test_program);
    perf_host_read(&host, -1, "");
    add_to(&session, &host, "perf::PAGE-FAULTS");
    add_to(&session, &host, "perf::TASK-CLOCK");
    enum status status = perf_count(&test_program, &host, &session, 1000, fewer, &error);
    if (status == STATUS_UNAVAILABLE) { /* as in a container that forbids it */
        buffer_free(&image);
        skip_because("nothing is counted here: %s", error.message);
    }
    assert_int_equal(status, STATUS_OK);
    assert_int_equal(perf_count(&test_program, &host, &session, 9000, more, &error), STATUS_OK);
    /* Its time is as short as what a neighbour adds to the shorter run. */
    for (int again = 0; again < 10 && perf_subtract(&fewer[1], &more[1]).count <= 0; again++) {
        assert_int_equal(perf_count(&test_program, &host, &session, 1000, fewer, &error), STATUS_OK);
        assert_int_equal(perf_count(&test_program, &host, &session, 9000, more, &error), STATUS_OK);
    }
    buffer_free(&image);
    /* The set-up's own page faults are the same in both and fall out. AddressSanitizer adds a page of its own
     * for every eight. */
    assert_true(fewer[0].value > 1000);
    struct perf_difference pages = perf_subtract(&fewer[0], &more[0]);
    assert_true(pages.count > 7900 && pages.count < 9100);
    assert_float_equal(pages.counted, 1, 0);
    assert_true(perf_subtract(&fewer[1], &more[1]).count > 0);
}

/* ---- a processor with counters, made up ---- */

enum {
    FAKE_MOST = 4096,
    MANIFEST_INSTRUCTIONS = 1000,
    FEWER = 1001,
    MORE = FEWER + 10001,
    MUCH_MORE = FEWER + 200001
};

/* What it counts a pass of each event; other events it does not have. */
static const struct {
    uint64_t config;
    double per_pass;
} fake_events[] = {{0x76, 500}, {0xc0, 1000}, {0xc2, 100},   {0xc3, 8},   {0xc4, 60},   {0x129, 200},
                   {0x229, 0},  {0x429, 0},   {0x143, 30},   {0x243, 20}, {0xdc43, 10}, {0xf864, 60},
                   {0x864, 30}, {0xff45, 4},  {0x81d0, 200}, {0x2d2, 6},  {0x4d2, 44}};

static struct {
    unsigned counters;
    bool no_groups;  /* as the kernel refuses a group that it cannot place */
    pid_t pid;       /* of the run under way */
    unsigned runs;   /* each pair has fewer passes, then more */
    unsigned in_run; /* events opened in it */
    unsigned in_group;
    uint64_t config[FAKE_MOST]; /* by descriptor */
} fake;

static double fake_rate(uint64_t config)
{
    for (size_t i = 0; i < sizeof fake_events / sizeof fake_events[0]; i++)
        if (fake_events[i].config == config)
            return fake_events[i].per_pass;
    return -1;
}

static int fake_open(const struct perf_event_attr *attributes, pid_t pid, int cpu, int leader)
{
    (void)cpu;
    if (attributes->type != PERF_TYPE_RAW || fake_rate(attributes->config) < 0) {
        errno = ENOENT;
        return -1;
    }
    fake.in_group = leader < 0 ? 1 : fake.in_group + 1;
    if (fake.in_group > fake.counters || (fake.no_groups && fake.in_group > 1)) {
        fake.runs -= pid != 0; /* it does not begin */
        fake.pid = pid != 0 ? 0 : fake.pid;
        errno = EINVAL;
        return -1;
    }
    if (pid != 0 && pid != fake.pid) {
        fake.pid = pid;
        fake.runs++;
        fake.in_run = 0;
    }
    fake.in_run += pid != 0;
    int fd = memfd_create("counter", MFD_CLOEXEC);
    assert_in_range(fd, 0, FAKE_MOST - 1);
    fake.config[fd] = attributes->config;
    return fd;
}

/* Set-up and exit have 5,000 of every event. */
static bool fake_read(int fd, struct perf_reading *reading)
{
    double share = fake.in_run > fake.counters ? (double)fake.counters / fake.in_run : 1;
    double passes = fake.runs % 2 == 1 ? FEWER : share < 1 ? MUCH_MORE : MORE;
    double value = 5000 + passes * fake_rate(fake.config[fd]);
    *reading = (struct perf_reading){(uint64_t)(value * share), 1000000, (uint64_t)(1e6 * share)};
    return true;
}

static const struct perf_kernel fake_kernel = {fake_open, fake_read};

static void fake_start(unsigned counters, struct perf_host *host)
{
    memset(&fake, 0, sizeof fake);
    fake.counters = counters;
    *host = (struct perf_host){.vendor = "AuthenticAMD",
                               .family = 26,
                               .model = 2,
                               .pmu = "cpu",
                               .pmu_type = PERF_TYPE_RAW,
                               .has_pmu = true,
                               .paranoid = 2,
                               .kernel = &fake_kernel};
}

static struct event_table *zen5(const struct perf_host *host)
{
    struct event_table *table = calloc(1, sizeof *table);
    assert_int_equal(perf_table(host, NULL, table, NULL), STATUS_OK);
    return table;
}

static void metrics_share_runs(void **state)
{
    (void)state;
    struct perf_host host;
    struct error error;
    struct perf_plan *plan = calloc(1, sizeof *plan);
    const struct perf_request request = {.all_counts = true};
    fake_start(6, &host);
    struct event_table *table = zen5(&host);
    assert_int_equal(perf_plan_make(table, &host, &request, plan, &error), STATUS_OK);
    /* Fourteen events on six counters: three runs at least; those of a metric are in one. */
    assert_in_range(plan->bundle_count, 3, 5);
    for (size_t i = 0; i < plan->bundle_count; i++)
        assert_true(plan->bundles[i].cost <= 6);
    for (size_t i = 0; i < plan->want_count; i++) {
        const struct perf_want *want = &plan->wants[i];
        for (size_t j = 0; j < want->over.count + want->under.count; j++) {
            int event = j < want->over.count ? want->over.terms[j].event
                                             : want->under.terms[j - want->over.count].event;
            bool found = false;
            for (size_t k = 0; k < plan->bundles[want->bundle].count; k++)
                found = found || plan->bundles[want->bundle].events[k] == event;
            assert_true(found);
        }
    }
    struct perf_session session;
    perf_plan_session(plan, &plan->bundles[0], true, &session);
    assert_int_equal(session.group[session.count - 1], session.count - 1);
    perf_plan_session(plan, &plan->bundles[0], false, &session);
    assert_int_equal(session.group[session.count - 1], 0);
    /* What this processor does not count is told. */
    assert_non_null(strstr(error.message, "does not count"));
    event_table_free(table);
    free(table);
    free(plan);
}

struct machine_of_test {
    struct machine machine;
    struct buffer image;
    struct test_program test_program;
    json_t *manifest;
};

static void set_up_test_program(struct machine_of_test *test, const char *manifest)
{
    *test = (struct machine_of_test){.manifest = json_loads(manifest, 0, NULL)};
    read_test_program(&test->image, &test->test_program);
    test->test_program.machine = &test->machine;
    test->test_program.manifest = given_manifest(test->manifest);
}

static void tear_down_test_program(struct machine_of_test *test)
{
    json_decref(test->manifest);
    buffer_free(&test->image);
}

static double count_of(const struct observations *list, const char *name)
{
    const struct raw_count *count = observations_counted(list, name);
    return count == NULL ? -1 : count->interval.value;
}

static void assert_seen(const struct observations *list, const char *metric, double expected)
{
    const struct observation *seen = observations_find(list, metric, "perf");
    if (seen == NULL)
        print_message("%s was not seen\n", metric);
    assert_non_null(seen);
    assert_float_equal(seen->value, expected, 1e-3);
}

static void a_processor_with_counters(void **state)
{
    (void)state;
    struct perf_host host;
    struct error error;
    struct observations list = {0};
    struct machine_of_test test;
    set_up_test_program(&test, "{\"instructions\":1000,\"period\":1}");
    test.test_program.all_counts = true;
    fake_start(6, &host);
    assert_int_equal(perf_observe_on(&test.test_program, &host, &list, &error), STATUS_OK);
    assert_seen(&list, "ipc", 2);
    assert_seen(&list, "l1d.miss_rate", 0.3);
    assert_seen(&list, "served.L1", 0.7);
    assert_seen(&list, "served.L2", 0.15);
    assert_seen(&list, "served.MEM", 0.05);
    assert_seen(&list, "l2.miss_rate", 0.5);
    assert_seen(&list, "l3.miss_rate", 1.0 / 3);
    assert_seen(&list, "branch.miss_rate", 0.08);
    assert_seen(&list, "branch.taken_rate", 0.6);
    assert_seen(&list, "branch.distance", 5);
    assert_seen(&list, "dtlb.miss_rate", 0.02);
    assert_null(observations_find(&list, "dpc", "perf"));
    assert_float_equal(count_of(&list, "cycles"), 500, 1e-6);
    assert_float_equal(count_of(&list, "l1d_misses"), 60, 1e-6);
    assert_float_equal(count_of(&list, "stores"), 0, 1e-6);
    assert_float_equal(observations_counted(&list, "cycles")->counted, 1, 0);
    assert_int_equal(list.warnings.count, 0);
    observations_free(&list);

    /* With stores, shares of loads do not follow from fills, and are not guessed. */
    json_object_set_new(test.manifest, "stores", json_integer(3));
    test.test_program.manifest = given_manifest(test.manifest);
    list = (struct observations){0};
    fake_start(6, &host);
    assert_int_equal(perf_observe_on(&test.test_program, &host, &list, &error), STATUS_OK);
    assert_seen(&list, "l1d.miss_rate", 0.3);
    assert_null(observations_find(&list, "served.L1", "perf"));
    assert_null(observations_find(&list, "served.L2", "perf"));
    observations_free(&list);
    tear_down_test_program(&test);
}

/* The kernel takes no groups: events take turns, counts are scaled, and whoever reads them is told. */
static void counters_taken_in_turns_are_told(void **state)
{
    (void)state;
    struct perf_host host;
    struct error error;
    struct observations list = {0};
    struct machine_of_test test;
    set_up_test_program(&test, "{\"instructions\":1000,\"period\":1}");
    fake_start(2, &host);
    fake.no_groups = true;
    assert_int_equal(perf_observe_on(&test.test_program, &host, &list, &error), STATUS_OK);
    const struct observation *seen = observations_find(&list, "l1d.miss_rate", "perf");
    assert_non_null(seen);
    assert_float_equal(seen->value, 0.3, 1e-3);
    assert_true(seen->counted > 0 && seen->counted < 0.7);
    assert_true(seen->low < 0.25 && seen->high > 0.35);
    json_t *json = observation_to_json(seen);
    assert_float_equal(json_number_or(json, "counted", 1), seen->counted, 1e-9);
    json_decref(json);
    assert_true(list.warnings.count > 0);
    const struct result_warning *warning = list.warnings.items;
    assert_non_null(strstr(warning->what, "took turns"));
    assert_non_null(strstr(warning->mend, "nmi_watchdog"));
    observations_free(&list);
    tear_down_test_program(&test);
}

static void names_asked_for(void **state)
{
    (void)state;
    struct perf_host host;
    struct error error;
    struct observations list = {0};
    struct machine_of_test test;
    set_up_test_program(&test,
                        "{\"instructions\":1000,\"period\":1,\"measure\":{\"events\":[\"r0243\",\"loads\"]}"
                        ",\"expect\":{\"events.cycles\":{\"max\":600}}}");
    fake_start(6, &host);
    assert_int_equal(perf_observe_on(&test.test_program, &host, &list, &error), STATUS_OK);
    assert_float_equal(count_of(&list, "r0243"), 20, 1e-6);
    assert_float_equal(count_of(&list, "loads"), 200, 1e-6);
    assert_int_equal(list.counters.count, 3);
    assert_seen(&list, "events.cycles", 500); /* as something is expected of it */
    assert_null(observations_find(&list, "events.loads", "perf"));
    observations_free(&list);
    tear_down_test_program(&test);
    /* A name that nothing knows, and an event that this processor lacks, cost no more than themselves. */
    set_up_test_program(
        &test, "{\"instructions\":1000,\"period\":1,\"measure\":{\"events\":[\"laods\",\"r9999\"]}}");
    list = (struct observations){0};
    fake_start(6, &host);
    assert_int_equal(perf_observe_on(&test.test_program, &host, &list, &error), STATUS_OK);
    assert_seen(&list, "ipc", 2);
    assert_int_equal(list.warnings.count, 2);
    const struct result_warning *warning = list.warnings.items;
    assert_non_null(strstr(warning->what, "\"laods\""));
    assert_non_null(strstr(warning->mend, "loads"));
    warning++;
    assert_non_null(strstr(warning->what, "\"r9999\""));
    observations_free(&list);
    tear_down_test_program(&test);
}

/* Skylake counts loads that another core's cache serves, which is asked only of programs whose copies
 * share. */
static void lines_of_other_cores(void **state)
{
    (void)state;
    struct perf_host host;
    struct error error;
    struct observations list = {0};
    struct machine_of_test test;
    set_up_test_program(&test, "{\"instructions\":1000,\"period\":1,\"shared\":{\"load\":200}}");
    fake_start(4, &host);
    snprintf(host.vendor, sizeof host.vendor, "GenuineIntel");
    host.family = 6;
    host.model = 0x55;
    if (perf_observe_on(&test.test_program, &host, &list, &error) != STATUS_OK)
        fail_msg("%s", error.message);
    assert_seen(&list, "coherence.from_core", 0.25);
    assert_seen(&list, "coherence.from_core_modified", 0.22);
    observations_free(&list);
    tear_down_test_program(&test);

    set_up_test_program(&test, "{\"instructions\":1000,\"period\":1}");
    list = (struct observations){0};
    fake_start(4, &host);
    snprintf(host.vendor, sizeof host.vendor, "GenuineIntel");
    host.family = 6;
    host.model = 0x55;
    /* This one counts nothing else. */
    assert_int_equal(perf_observe_on(&test.test_program, &host, &list, &error), STATUS_UNAVAILABLE);
    assert_null(observations_find(&list, "coherence.from_core", "perf"));
    observations_free(&list);
    tear_down_test_program(&test);
}

/* A name that failed its trial on this processor judges nothing; where another event counts what it claims,
 * that one does. */
static void what_failed_its_trial_judges_nothing(void **state)
{
    (void)state;
    static const char found[] = "family trial\ncpu AuthenticAMD 26 0x2\ncounters 6\n"
                                "none branch_misses: it counts 2 branches.missed\n"
                                "event branch_misses_counted r00c3\n"
                                "count branch_misses = 0.5 * branch_misses_counted\n"
                                "none l2_misses_data: it is dead; l2_other counts l2.misses\n"
                                "metric branch.miss_rate = branch_misses / branches\n";
    char folder[] = "/tmp/trialXXXXXX", events[FILE_PATH_BYTES], path[FILE_PATH_BYTES];
    struct perf_host host;
    struct error error;
    struct observations list = {0};
    struct machine_of_test test;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(setenv("XDG_CONFIG_HOME", folder, 1), 0);
    snprintf(events, sizeof events, "%s/traumagen/events", folder);
    assert_int_equal(file_make_folders(events, NULL), STATUS_OK);
    assert_int_equal(file_write(file_join(path, events, "mine.txt"), found, strlen(found), false, NULL),
                     STATUS_OK);
    set_up_test_program(&test, "{\"instructions\":1000,\"period\":1}");
    fake_start(6, &host);
    assert_int_equal(perf_observe_on(&test.test_program, &host, &list, &error), STATUS_OK);
    assert_seen(&list, "ipc", 2);
    assert_seen(&list, "branch.miss_rate", 4.0 / 100);
    assert_null(observations_find(&list, "l2.miss_rate", "perf"));
    bool told = false;
    for (size_t i = 0; i < list.warnings.count; i++)
        told = told || (strstr(list.warnings.items[i].what, "does not use the event") != NULL &&
                        strstr(list.warnings.items[i].what, "it is dead; l2_other counts l2.misses") != NULL);
    assert_true(told);
    observations_free(&list);
    tear_down_test_program(&test);
    assert_int_equal(unsetenv("XDG_CONFIG_HOME"), 0);
    assert_int_equal(file_remove_tree(folder, NULL), STATUS_OK);
}

int main(int count, char **arguments)
{
    if (count >= 2 && strcmp(arguments[0], "program") == 0) /* and the file that copies share */
        return act_as_program(arguments[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_child_is_counted),
        cmocka_unit_test(metrics_share_runs),
        cmocka_unit_test(a_processor_with_counters),
        cmocka_unit_test(counters_taken_in_turns_are_told),
        cmocka_unit_test(names_asked_for),
        cmocka_unit_test(lines_of_other_cores),
        cmocka_unit_test(what_failed_its_trial_judges_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
