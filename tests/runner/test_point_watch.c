/* Changes while a point is measured: the clock, reported and recorded, co-runners, and heat. */
#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "runner/conditions/point_watch.h"
#include "runner/measure/idle_interval.h"

#include <math.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define CPU0 "/sys/devices/system/cpu/cpu0/"

static void put(const char *root, const char *file, const void *bytes, size_t size)
{
    char path[FILE_PATH_BYTES];
    snprintf(path, sizeof path, "%s%s", root, file);
    *strrchr(path, '/') = '\0';
    assert_int_equal(file_make_folders(path, NULL), STATUS_OK);
    snprintf(path, sizeof path, "%s%s", root, file);
    assert_int_equal(file_write(path, bytes, size, false, NULL), STATUS_OK);
}

static void put_text(const char *root, const char *file, const char *text)
{
    put(root, file, text, strlen(text));
}

/* /dev/cpu/0/msr gives eight bytes at each number. In a file those of E7h (reference) and E8h (actual)
 * overlap, so that the first counts 256 times as fast. */
static void put_registers(const char *root, uint64_t actual)
{
    unsigned char bytes[0xe8 + 8] = {0};
    memcpy(bytes + 0xe8, &actual, sizeof actual);
    put(root, "/dev/cpu/0/msr", bytes, sizeof bytes);
}

static void make_root(char root[64])
{
    strcpy(root, "/tmp/trauma-watch-XXXXXX");
    assert_non_null(mkdtemp(root));
}

/* One point, during which `during` happens to the tree. */
static json_t *watch(const char *root, double requested_ghz, bool allowed, void (*during)(const char *root))
{
    const struct core_clock none = {{0}};
    const int cpu = 0;
    const struct point_request request = {root, &none, &cpu, 1, requested_ghz, allowed};
    struct point_watch watch;
    struct result_point point = result_point_none;
    point_watch_begin(&watch, &request);
    during(root);
    point_watch_end(&watch, &point);
    assert_int_equal(file_remove_tree(root, NULL), STATUS_OK);
    json_t *line = result_point_to_json(&point);
    result_point_free(&point);
    return line;
}

static const json_t *clock_of(const json_t *point)
{
    return json_object_get(json_object_get(json_object_get(point, "state"), "observed"), "clock");
}

static void expect_warnings(const struct warnings *warnings, const char *what, const char *mend)
{
    if (warnings->count != (what != NULL))
        fail_msg("%zu warnings, the first '%s'", warnings->count,
                 warnings->count == 0 ? "" : warnings->items[0].what);
    if (what == NULL)
        return;
    if (strstr(warnings->items[0].what, what) == NULL)
        fail_msg("'%s' is not in '%s'", what, warnings->items[0].what);
    assert_string_equal(warnings->items[0].mend, mend == NULL ? "" : mend);
}

static void expect_warning(const json_t *line, const char *what, const char *mend)
{
    struct result_point point;
    result_point_read(line, &point);
    expect_warnings(&point.warnings, what, mend);
    result_point_free(&point);
}

static void nothing(const char *root)
{
    (void)root;
}

static void faster(const char *root)
{
    idle_rest(0.2);
    put_text(root, CPU0 "cpufreq/scaling_cur_freq", "3500000\n");
    idle_rest(0.3);
}

static void test_what_the_system_says(void **state)
{
    (void)state;
    char root[64];
    make_root(root);
    put_text(root, CPU0 "cpufreq/scaling_cur_freq", "1400000\n");
    json_t *point = watch(root, NAN, false, faster);
    const json_t *said = json_object_get(clock_of(point), "cpufreq_ghz");
    assert_true(fabs(json_number_or(said, "low", 0) - 1.4) < 1e-9);
    assert_true(fabs(json_number_or(said, "high", 0) - 3.5) < 1e-9);
    assert_true(json_number_or(said, "n", 0) >= 4);
    assert_null(json_object_get(clock_of(point), "core_ghz"));
    expect_warning(point, NULL, NULL);
    json_decref(point);
}

static void test_wish_against_what_the_system_says(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool allowed, warned;
    } rows[] = {{"3500000\n", true, false},
                {"3450000\n", true, false},
                {"3400000\n", true, true},
                {"800000\n", false, true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char root[64];
        make_root(root);
        put_text(root, CPU0 "cpufreq/scaling_cur_freq", rows[i].text);
        json_t *point = watch(root, 3.5, rows[i].allowed, nothing);
        expect_warning(point,
                       rows[i].warned ? "state.frequency requested 3.5 GHz, but the system reports " : NULL,
                       rows[i].allowed ? NULL : "trauma run --allow-state");
        json_decref(point);
    }
}

/* Counters that the core itself keeps go above what the system says. They wrap at 64 bits. */
static void count_on(const char *root)
{
    idle_rest(0.1);
    put_registers(root, 500);
}

static void test_aperf(void **state)
{
    (void)state;
    char root[64];
    make_root(root);
    put_text(root, CPU0 "cpufreq/scaling_cur_freq", "3500000\n");
    put_registers(root, (uint64_t)-500);
    struct moment before = moment_now();
    json_t *point = watch(root, 1000, true, count_on);
    struct moment after = moment_now();
    double tick_ghz = (double)(after.ticks - before.ticks) / (after.s - before.s) * 1e-9;
    const json_t *core = json_object_get(clock_of(point), "core_ghz");
    assert_string_equal(json_string_or(clock_of(point), "core_by", ""), "aperf");
    assert_true(fabs(json_number_or(core, "value", 0) / (tick_ghz / 256) - 1) < 0.05);
    expect_warning(point, "state.frequency requested 1000 GHz, but the core ran at ", NULL);
    json_decref(point);
}

static void test_still_counters_say_nothing(void **state)
{
    (void)state;
    char root[64];
    make_root(root);
    put_registers(root, 7);
    json_t *point = watch(root, 3.5, true, nothing);
    assert_null(clock_of(point));
    expect_warning(point, NULL, NULL);
    json_decref(point);
}

/* The chain on the machine itself: a core makes between half a cycle and ten in a tick. */
static void test_chain(void **state)
{
    (void)state;
    struct core_clock clock;
    double samples[CORE_CLOCK_SAMPLES];
    assert_int_equal(core_clock_open(&clock, NULL), STATUS_OK);
    assert_int_equal(core_clock_sample(&clock, sched_getcpu(), samples), CORE_CLOCK_SAMPLES);
    for (size_t i = 0; i < CORE_CLOCK_SAMPLES; i++)
        assert_true(samples[i] > 0.0005 && samples[i] < 10); /* a sample may have had to wait */
    assert_int_equal(core_clock_sample(&clock, -1, samples), 0);
    assert_int_equal(core_clock_sample(&clock, 1 << 20, samples), 0);
    core_clock_close(&clock);
    assert_int_equal(core_clock_sample(&clock, 0, samples), 0);
}

static void test_judged_by_the_chain(void **state)
{
    (void)state;
    const struct clock_seen steady = {
        .core = {3.5, 3.4, 3.6, 24}, .core_by = "chain", .chain_before = 3.5, .chain_after = 3.48};
    struct clock_seen moved = steady;
    struct warnings warnings = {0};
    clock_seen_judge(&steady, NAN, false, &warnings);
    clock_seen_judge(&steady, 3.55, true, &warnings);
    expect_warnings(&warnings, NULL, NULL);
    moved.chain_after = 2.9;
    clock_seen_judge(&moved, NAN, false, &warnings);
    expect_warnings(&warnings, "moved between 2.9 and 3.5 GHz",
                    "state = { frequency = GHZ } and --allow-state");
    warnings_free(&warnings);
    char reason[CLOCK_REASON_BYTES];
    assert_true(clock_seen_moved(&moved, 0.1, reason));
    assert_false(clock_seen_moved(&moved, 0.25, reason));
    assert_false(clock_seen_moved(&steady, 0.05, reason));
    clock_seen_judge(&moved, 3.5, true, &warnings);
    expect_warnings(&warnings, "moved between 2.9 and 3.5 GHz while the point was measured, although", NULL);
    warnings_free(&warnings);
    moved = (struct clock_seen){
        .core = {2.4, 2.1, 2.73, 24}, .core_by = "chain", .chain_before = 2.42, .chain_after = 2.4};
    clock_seen_judge(&moved, NAN, false, &warnings);
    expect_warnings(&warnings, "moved between 2.1 and 2.73 GHz",
                    "state = { frequency = GHZ } and --allow-state");
    warnings_free(&warnings);
    clock_seen_judge(&steady, 3, true, &warnings);
    expect_warnings(&warnings, "requested 3 GHz, but the core ran at 3.5 GHz [3.4, 3.6] (by chain)", NULL);
    warnings_free(&warnings);
    const struct clock_seen unseen = {.chain_before = NAN, .chain_after = NAN};
    clock_seen_judge(&unseen, 3, true, &warnings);
    clock_seen_judge(&unseen, NAN, true, &warnings);
    expect_warnings(&warnings, NULL, NULL);
}

static void others_run(const char *root)
{
    idle_rest(0.3);
    put_text(root, "/proc/stat", "cpu0 90 0 30 100 0 0 0 0\n"); /* 1.1 s */
}

static void stolen(const char *root)
{
    idle_rest(0.3);
    put_text(root, "/proc/stat", "cpu0 10 0 0 120 0 0 0 20\n");
}

static void throttled(const char *root)
{
    put_text(root, CPU0 "thermal_throttle/core_throttle_count", "9\n");
}

static void test_company(void **state)
{
    (void)state;
    static const struct {
        void (*during)(const char *root);
        const char *what, *mend;
    } rows[] = {
        {nothing, NULL, NULL},
        {others_run, "other programs took ", "ps -eo pid,psr,pcpu,comm --sort=-pcpu | head"},
        {stolen, "gave 50 % of a measured", NULL},
        {throttled, "throttled by their heat 2 times", "measure = { cooling = SECONDS }"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char root[64];
        make_root(root);
        put_text(root, "/proc/stat", "cpu0 10 0 0 100 0 0 0 0\n");
        put_text(root, CPU0 "thermal_throttle/core_throttle_count", "7\n");
        json_t *point = watch(root, NAN, false, rows[i].during);
        expect_warning(point, rows[i].what, rows[i].mend);
        json_decref(point);
    }
}

/* What this process and its programs did is nobody else's. */
static void work(const char *root)
{
    volatile unsigned sum = 0;
    double end_s = clock_now_s() + 0.4;
    while (clock_now_s() < end_s)
        sum++;
    put_text(root, "/proc/stat", "cpu0 40 0 0 110 0 0 0 0\n");
}

static void test_own_work(void **state)
{
    (void)state;
    char root[64];
    make_root(root);
    put_text(root, "/proc/stat", "cpu0 10 0 0 100 0 0 0 0\n");
    struct timespec before;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
    json_t *point = watch(root, NAN, false, work);
    struct timespec after;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
    double own_s = (double)(after.tv_sec - before.tv_sec) + 1e-9 * (double)(after.tv_nsec - before.tv_nsec);
    if (own_s > 0.25) /* a busy machine may not have let it work that long */
        expect_warning(point, NULL, NULL);
    json_decref(point);
}

static void test_temperature(void **state)
{
    (void)state;
    static const struct {
        double first, last;
        const char *what;
    } rows[] = {{50, 54, NULL}, {50, 56, "hwmon:x changed by +6.0 C"}, {60, 50, "-10.0 C"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        json_t *reps = json_pack("[{s:{s:f}}, {}, {s:{s:f}}]", "temperature_c", "hwmon:x", rows[i].first,
                                 "temperature_c", "hwmon:x", rows[i].last);
        struct warnings warnings = {0};
        struct arena arena = {0};
        size_t count;
        const struct result_rep *read = result_reps_read(reps, &arena, &count);
        point_judge_temperature(read, count, &warnings);
        arena_free(&arena);
        expect_warnings(&warnings, rows[i].what, "measure = { warmup = SECONDS }");
        warnings_free(&warnings);
        json_decref(reps);
    }
    struct warnings none = {0};
    point_judge_temperature(NULL, 0, &none);
    assert_int_equal(none.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_the_system_says),
        cmocka_unit_test(test_wish_against_what_the_system_says),
        cmocka_unit_test(test_aperf),
        cmocka_unit_test(test_still_counters_say_nothing),
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_judged_by_the_chain),
        cmocka_unit_test(test_company),
        cmocka_unit_test(test_own_work),
        cmocka_unit_test(test_temperature),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
