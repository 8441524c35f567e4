/* Copies that run together: all begin when the last is ready, each counts for itself, and if one fails all
 * end. The program is this test itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "runner/measure/copies.h"
#include "runner/measure/process_group.h"
#include "tests/given_manifest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { FAILS = 13, NEVER_READY = 14, PASSES = 1000 };

/* Is ready after as many milliseconds as its passes have thousands; a pass takes a microsecond of its clock.
 */
static int act_as_program(long passes, int meet)
{
    char byte = 'r';
    struct timespec pause = {.tv_nsec = passes / 1000 * 1000000};
    nanosleep(&pause, NULL);
    if (passes == FAILS)
        return 3;
    if (passes == NEVER_READY)
        pause = (struct timespec){.tv_sec = 300};
    if (passes == NEVER_READY)
        nanosleep(&pause, NULL);
    if (meet > 0 && (write(meet, &byte, 1) != 1 || read(meet, &byte, 1) != 1 || byte != 'g'))
        return 1;
    double start = clock_now_s() * 1e6;
    printf("{\"iterations\":%ld,\"ticks\":%ld,\"start\":%.0f}\n", passes, passes, start);
    return 0;
}

static void read_test_program(struct buffer *image, struct test_program *test_program)
{
    assert_int_equal(file_read("/proc/self/exe", image, NULL), STATUS_OK);
    *test_program = (struct test_program){
        .manifest = &manifest_none, .executable = image->data, .executable_size = image->size, .cpu = -1};
}

static void add(struct process_group *process_group, const struct test_program *test_program, uint64_t passes)
{
    process_group_add(
        process_group, test_program,
        &(struct test_program_call){.iterations = passes, .timeout_s = 60, .cpu = test_program->cpu});
}

static void all_begin_when_the_last_is_ready(void **state)
{
    (void)state;
    enum { COPIES = 8, SLOW = 200 * PASSES };
    struct buffer image = {0};
    struct test_program test_program;
    struct process_group process_group = {0};
    struct error error = {0};
    read_test_program(&image, &test_program);
    for (int i = 0; i < COPIES; i++)
        add(&process_group, &test_program, i == 3 ? SLOW : PASSES);
    double begin = clock_now_s() * 1e6;
    if (process_group_run(&process_group, &error) != STATUS_OK)
        fail_msg("%s", error.message);
    for (int i = 0; i < COPIES; i++) {
        assert_int_equal(process_group.copies[i].time.ticks, i == 3 ? SLOW : PASSES);
        /* The slow one is ready after 200 ms, and nobody begins before. */
        assert_true((double)process_group.copies[i].time.start - begin >= 199e3);
    }
    assert_int_equal(process_group_mean_ticks(&process_group), (SLOW + (COPIES - 1) * PASSES) / COPIES);
    process_group_close(&process_group);
    buffer_free(&image);
}

/* More than fit in the files that a process usually may have open. */
static void hundreds_run_together(void **state)
{
    (void)state;
    enum { COPIES = 100 };
    struct buffer image = {0};
    struct test_program test_program;
    struct process_group process_group = {0};
    struct error error = {0};
    const struct rlimit few = {256, 8192};
    (void)setrlimit(RLIMIT_NOFILE, &few);
    read_test_program(&image, &test_program);
    for (int i = 0; i < COPIES; i++)
        add(&process_group, &test_program, PASSES);
    for (size_t i = 0; i < process_group.count; i++)
        process_group.copies[i].call.timeout_s = 60;
    if (process_group_run(&process_group, &error) != STATUS_OK)
        fail_msg("%s", error.message);
    for (size_t i = 0; i < process_group.count; i++)
        assert_int_equal(process_group.copies[i].time.ticks, PASSES);
    process_group_close(&process_group);
    buffer_free(&image);
}

static void with_one_that_fails_all_end(void **state)
{
    (void)state;
    static const struct {
        uint64_t passes;
        double timeout_s;
        const char *part;
    } rows[] = {{FAILS, 60, "exit code 3"}, {NEVER_READY, 0.3, "still running after 0.3 s"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct buffer image = {0};
        struct test_program test_program;
        struct process_group process_group = {0};
        struct error error = {0};
        read_test_program(&image, &test_program);
        add(&process_group, &test_program, PASSES);
        add(&process_group, &test_program, rows[i].passes);
        add(&process_group, &test_program, PASSES);
        process_group.copies[1].call.timeout_s = rows[i].timeout_s;
        double begin = clock_now_s();
        assert_int_equal(process_group_run(&process_group, &error), STATUS_FAILED);
        assert_true(clock_now_s() - begin < 100); /* what hangs does so for longer */
        if (strstr(error.message, rows[i].part) == NULL || strstr(error.message, "the copy on") == NULL)
            fail_msg("\"%s\" has no \"%s\"", error.message, rows[i].part);
        process_group_close(&process_group);
        buffer_free(&image);
    }
}

static void nothing_runs_where_there_is_no_place(void **state)
{
    (void)state;
    struct placement place = {0};
    struct test_program test_program = {.manifest = &manifest_none, .place = &place};
    struct process_group process_group;
    struct error error = {0};
    assert_int_equal(process_group_open(&test_program, 1, 1, &process_group, &error), STATUS_UNAVAILABLE);
    assert_string_equal(error.message, "threads is 0: no copy of it runs");
    process_group_close(&process_group);
    snprintf(place.why_not.message, sizeof place.why_not.message, "too few");
    assert_int_equal(process_group_open(&test_program, 1, 1, &process_group, &error), STATUS_UNAVAILABLE);
    assert_string_equal(error.message, "too few");
    process_group_close(&process_group);
}

/* Two copies, two repetitions: medians, sums and the least overlap by hand. */
static void sums_are_of_each_copys_median(void **state)
{
    (void)state;
    json_t *manifest = json_loads("{\"instructions\":50,\"units\":10,\"kernel\":{\"unit\":[{\"op\":\"load\","
                                  "\"served\":{\"L1\":1},\"count\":2,\"width\":4},{\"op\":\"add\"}]}}",
                                  0, NULL);
    json_t *reps = json_loads("[{\"threads\":[{\"cpu\":4,\"iterations\":10,\"ticks\":1000,\"start\":100},"
                              "{\"cpu\":6,\"iterations\":10,\"ticks\":2000,\"start\":100}]},"
                              "{\"threads\":[{\"cpu\":4,\"iterations\":10,\"ticks\":1000,\"start\":5000},"
                              "{\"cpu\":6,\"iterations\":10,\"ticks\":2000,\"start\":5500}]}]",
                              0, NULL);
    struct result_point point = result_point_none;
    struct observations seen = {0};
    point.reps = result_reps_read(reps, &point.arena, &point.rep_count);
    copies_summarize(given_manifest(manifest), 1e6, &point);
    json_t *written = result_reps_to_json(point.reps, point.rep_count);
    assert_true(json_equal(json_object_get(json_array_get(written, 1), "threads"),
                           json_object_get(json_array_get(reps, 1), "threads")));
    json_decref(written);
    assert_int_equal(point.copy_count, 2);
    const struct result_copy_summary *second = &point.copies[1];
    assert_int_equal(second->cpu, 6);
    assert_float_equal(result_value(&second->values, "passes_per_s").value, 1e6 / 200, 1e-9);
    assert_float_equal(result_value(&second->values, "instructions_per_tick").value, 0.25, 1e-12);
    assert_float_equal(result_value(&second->values, "load_bytes_per_s").value, 5000 * 80, 1e-6);
    assert_float_equal(result_value(&point.together, "passes_per_s").value, 15000, 1e-6);
    assert_float_equal(result_value(&point.together, "instructions_per_tick").value, 0.75, 1e-12);
    /* From 5000 to 7500, and all from 5500 to 6000. */
    assert_float_equal(result_value(&point.together, "overlap").value, 0.2, 1e-12);
    assert_float_equal(point.overlap, 0.2, 1e-12);
    observations_add_copy(&seen, 2, "ipc", "perf", EVIDENCE_MEASURED, (struct interval){1.5, 1.4, 1.6, 5});
    observations_add_copy(&seen, 0, "ipc", "perf", EVIDENCE_MEASURED, (struct interval){2, 2, 2, 5});
    copies_add_rates(&seen, &point);
    assert_int_equal(second->seen.count, 1);
    assert_float_equal(second->seen.items[0].value, 1.5, 0);
    assert_int_equal(point.copies[0].seen.count, 0);
    assert_float_equal(observations_find(&seen, "ipc", "perf")->value, 2, 0);
    observations_free(&seen);
    result_point_free(&point);
    json_decref(reps);
    json_decref(manifest);
}

int main(int count, char **arguments)
{
    if (count >= 2 && strcmp(arguments[0], "program") == 0)
        return act_as_program(strtol(arguments[1], NULL, 10), count == 3 ? atoi(arguments[2]) : 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_begin_when_the_last_is_ready),
        cmocka_unit_test(with_one_that_fails_all_end),
        cmocka_unit_test(hundreds_run_together),
        cmocka_unit_test(nothing_runs_where_there_is_no_place),
        cmocka_unit_test(sums_are_of_each_copys_median),
    };
    return cmocka_run_group_tests_name("runner/process_group", tests, NULL, NULL);
}
