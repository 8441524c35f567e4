/* Recording with a simulated processor: real processes, counted by counters that are made up. */
#include "base/json.h"
#include "model/data/dataset.h"
#include "runner/results/results.h"
#include "session/record/record_application.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { CODE_WHOLE = 0x0123, CODE_SHARED = 0x0456, CODE_ABSENT = 0x0789, FILES_MOST = 4096 };

/* Each processor counts a thousand of the one event all of the time, and of the other a quarter. */
static struct {
    uint64_t code[FILES_MOST];
    int cpu[FILES_MOST];
    unsigned inherited, opened;
} fake;

static int fake_open(const struct perf_event_attr *attributes, pid_t pid, int cpu, int leader)
{
    (void)leader;
    if (attributes->config == CODE_ABSENT) {
        errno = ENOENT;
        return -1;
    }
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    assert_in_range(fd, 0, FILES_MOST - 1);
    fake.code[fd] = attributes->config;
    fake.cpu[fd] = cpu;
    fake.opened += pid != 0;
    fake.inherited += pid != 0 && attributes->inherit && attributes->enable_on_exec;
    return fd;
}

static bool fake_read(int fd, struct perf_reading *reading)
{
    bool all = fake.code[fd] == CODE_WHOLE;
    bool first = fake.cpu[fd] <= 0;
    *reading = (struct perf_reading){first ? (all ? 1000 : 250) : 0, 4000, first ? (all ? 4000 : 1000) : 0};
    return true;
}

static const struct perf_kernel kernel = {fake_open, fake_read};

static void tell(void *context, enum session_level level, const char *text)
{
    (void)context;
    (void)level;
    print_message("%s\n", text);
}

static struct point_notes notes;
static const struct session_events events = {tell, NULL, NULL, &notes};

static enum status record(char *const *command, const char *counters, size_t reps, const char *path,
                          struct record_outcome *outcome, struct error *error)
{
    const struct record_request request = {.command = command,
                                           .path = path,
                                           .counters = counters,
                                           .power = "none",
                                           .root = "",
                                           .reps = reps,
                                           .kernel = &kernel,
                                           .events = &events};
    memset(&fake, 0, sizeof fake);
    return record_application(&request, outcome, error);
}

static struct result_point read_point(const char *path)
{
    struct result_point point;
    struct results_reader reader;
    struct error error;
    assert_int_equal(results_open(path, &reader, &error), STATUS_OK);
    assert_int_equal(reader.count, 1);
    assert_int_equal(result_point_load(&reader, 0, NULL, &point, &error), STATUS_OK);
    results_reader_close(&reader);
    return point;
}

static void test_counts(void **state)
{
    char words[][8] = {"sh", "-c", "exit 5"};
    char *const command[] = {words[0], words[1], words[2], NULL};
    struct record_outcome outcome;
    struct error error = {0};
    char path[64];
    (void)state;
    snprintf(path, sizeof path, "/tmp/test_record.%d.jsonl", (int)getpid());
    unlink(path);
    assert_int_equal(record(command, "r0123,r0456", 0, path, &outcome, &error), STATUS_OK);
    assert_int_equal(outcome.exit_code, 5);
    assert_true(fake.opened > 0);
    assert_int_equal(fake.inherited, fake.opened); /* children are counted from the exec on */
    struct dataset dataset = {0};
    const struct result_point read = read_point(path);
    dataset_add_point(&dataset, &read);
    assert_int_equal(dataset.count, 1);
    const struct result_point *point = dataset.points[0];
    assert_true(point->application.given);
    assert_int_equal(point->application.command.count, 3);
    assert_float_equal(point->application.exit_code, 5, 0);
    assert_float_equal(dataset_number(&dataset.rows[0], "counter.r0123"), 1000, 0);
    /* Counted a quarter of the time: scaled, with an interval that says so. */
    struct interval shared = result_value(&point->counters, "r0456");
    assert_float_equal(shared.value, 1000, 1e-6);
    assert_float_equal(shared.high - shared.low, 1500, 1e-6);
    assert_true(point->warnings.count > 0);
    assert_true(point->application.core_count <= 1);
    dataset_free(&dataset);
    unlink(path);
}

static void test_runs(void **state)
{
    char words[][8] = {"true"};
    char *const command[] = {words[0], NULL};
    struct record_outcome outcome;
    struct error error = {0};
    char path[64];
    (void)state;
    snprintf(path, sizeof path, "/tmp/test_record.%d.jsonl", (int)getpid());
    unlink(path);
    assert_int_equal(record(command, "r0123", 3, path, &outcome, &error), STATUS_OK);
    struct dataset dataset = {0};
    const struct result_point read = read_point(path);
    dataset_add_point(&dataset, &read);
    assert_int_equal(dataset.count, 3); /* a repetition for each run, the counts those of one */
    assert_float_equal(dataset_number(&dataset.rows[2], "counter.r0123"), 1000, 0);
    struct interval time;
    assert_true(dataset_best(dataset.points[0], "time.wall", &time));
    assert_true(time.value > 0 && time.low <= time.value && time.value <= time.high);
    dataset_free(&dataset);
    unlink(path);
}

static void test_absent(void **state)
{
    char words[][8] = {"true"};
    char *const command[] = {words[0], NULL};
    struct record_outcome outcome;
    struct error error = {0};
    (void)state;
    assert_int_equal(record(command, "r0123,r0789", 0, "no-such-folder.jsonl", &outcome, &error),
                     STATUS_UNAVAILABLE);
    assert_non_null(strstr(error.message, "r0789"));
    assert_int_equal(access("no-such-folder.jsonl", F_OK), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_counts), cmocka_unit_test(test_runs),
                                       cmocka_unit_test(test_absent)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
