/* Measuring: how many passes take a given time, and which part of the energy is the loop's own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "runner/launch/moment.h"
#include "runner/measure/measure.h"
#include "runner/measure/pace.h"
#include "runner/power/energy.h"
#include "tests/given_manifest.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The program that is measured is this test itself: a start of 5 ms, and 10 us a pass. While it makes its
 * passes a byte that sensors look at is 1. */
static const double START_S = 0.005;
static const double PASS_S = 10e-6;
enum { PACE_ATTEMPTS = 20 };
static const char flag_variable[] = "TRAUMA_TEST_FLAG";
static const char slower_variable[] = "TRAUMA_TEST_SLOWER"; /* a pass takes so many times as long */
static volatile char *busy;

static void spin(double seconds)
{
    double end = clock_now_s() + seconds;
    while (clock_now_s() < end)
        ;
}

static volatile char *map_flag(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    if (fd < 0 || ftruncate(fd, 1) != 0)
        abort();
    void *flag = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (flag == MAP_FAILED)
        abort();
    return flag;
}

static int act_as_program(const char *asked)
{
    volatile char *flag = map_flag(getenv(flag_variable));
    const char *slower = getenv(slower_variable);
    spin(START_S);
    uint64_t begin = __builtin_ia32_rdtsc();
    *flag = strtod(asked, NULL) > 0;
    spin(PASS_S * strtod(asked, NULL) * (slower == NULL ? 1 : strtod(slower, NULL)));
    *flag = 0;
    printf("{\"iterations\":%s,\"ticks\":%llu,\"start\":%llu}\n", asked,
           (unsigned long long)(__builtin_ia32_rdtsc() - begin), (unsigned long long)begin);
    return 0;
}

static void read_test_program(struct buffer *image, struct test_program *test_program)
{
    assert_int_equal(file_read("/proc/self/exe", image, NULL), STATUS_OK);
    *test_program = (struct test_program){
        .manifest = &manifest_none, .executable = image->data, .executable_size = image->size, .cpu = -1};
}

static void passes_are_whole_hundreds_whatever_is_asked(void **state)
{
    (void)state;
    static const struct {
        double seconds, pass_s;
        uint64_t passes;
    } rows[] = {
        {1, 1e-6, 1000000},
        {1, 3e-6, 333300},
        {0, 1e-6, 100},
        {1e300, 1e-6, UINT64_C(1000000000000000000)},
        {INFINITY, 1e-6, UINT64_C(1000000000000000000)},
        {0, 0, UINT64_C(1000000000000000000)},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(pace_passes(rows[i].seconds, rows[i].pass_s), rows[i].passes);
}

static void the_pace_leaves_the_start_out(void **state)
{
    (void)state;
    struct buffer image = {0};
    struct test_program test_program;
    struct pace pace;
    struct error error;
    read_test_program(&image, &test_program);
    /* A run's start is up to a quarter of it. A busy machine stops the program now and then, but not always.
     */
    double pass_s = INFINITY;
    for (int attempt = 0; attempt < PACE_ATTEMPTS && pass_s >= 3 * PASS_S; attempt++) {
        if (pace_measure(&test_program, 20, &pace, &error) != STATUS_OK)
            fail_msg("%s", error.message);
        assert_true(pace.ticks_per_s > 0.2e9 && pace.ticks_per_s <= 10e9);
        pass_s = pace.pass_s < pass_s ? pace.pass_s : pass_s;
    }
    assert_true(pass_s > 0.9 * PASS_S && pass_s < 3 * PASS_S);
    buffer_free(&image);
}

static void a_tick_lies_where_both_clocks_say(void **state)
{
    (void)state;
    const struct moment before = {10, 5000};
    const struct moment after = {12, 9000};
    assert_float_equal(moment_at(&before, &after, 7000), 11, 1e-9);
    assert_float_equal(moment_at(&before, &after, 9000), 12, 1e-9);
    assert_float_equal(moment_at(&before, &after, 4000), 9.5, 1e-9);
    assert_true(isnan(moment_at(&before, &before, 5000)));
}

static void dynamic_power_is_what_is_above_idle(void **state)
{
    (void)state;
    static const double watts[] = {121, 120, 119, 120.5, 119.5};
    static const double seconds[] = {2, 2, 2, 2, 2};
    static const double idle_w[] = {49, 50, 51, 50, 50};
    const struct energy_samples samples = {
        .watts = watts, .seconds = seconds, .count = 5, .idle_w = idle_w, .idle_count = 5};
    struct power_parts parts;
    bool idle;
    assert_true(energy_parts(&samples, &parts, &idle) && idle);
    assert_float_equal(parts.static_w.value, 50, 0);
    assert_float_equal(parts.total_w.value, 120, 0);
    assert_float_equal(parts.dynamic_w.value, 70, 1e-9);
    assert_float_equal(parts.dynamic_j.value, 140, 1e-9);
    assert_int_equal(parts.dynamic_w.n, 5);
    /* Neither level's uncertainty is lost. */
    assert_true(parts.dynamic_w.low < 68 && parts.dynamic_w.low > 67);
    assert_true(parts.dynamic_w.high > 72 && parts.dynamic_w.high < 73);
    assert_true(parts.dynamic_j.low < 138.1 && parts.dynamic_j.high > 141.9);
}

static void no_number_is_made_up(void **state)
{
    (void)state;
    static const double unknown[] = {120, NAN, 119};
    static const double seconds[] = {1, 1, 1};
    static const double idle_w[] = {50, NAN};
    struct power_parts parts;
    bool idle;
    assert_false(energy_parts(
        &(struct energy_samples){
            .watts = unknown, .seconds = seconds, .count = 3, .idle_w = idle_w, .idle_count = 1},
        &parts, &idle));
    assert_false(energy_parts(
        &(struct energy_samples){
            .watts = unknown, .seconds = seconds, .count = 0, .idle_w = idle_w, .idle_count = 1},
        &parts, &idle));
    assert_true(energy_parts(
        &(struct energy_samples){
            .watts = unknown, .seconds = seconds, .count = 1, .idle_w = idle_w, .idle_count = 2},
        &parts, &idle));
    assert_false(idle);
    assert_true(energy_parts(
        &(struct energy_samples){
            .watts = unknown, .seconds = seconds, .count = 1, .idle_w = idle_w, .idle_count = 1},
        &parts, &idle));
    assert_true(idle);
}

/* ---- a machine made up of sensors ---- */

/* A counter that is inside, and a meter outside that sees 30 W more, and 7 W of a fan from a moment on. */
static double fan_after_s = INFINITY; /* of being busy */
static double busy_s, looked_s;
static double vanishes_s = INFINITY;
static double counter_j, counted_s;
static double wraps_j = 20;
static unsigned loops, reset_in_loop; /* the counter returns to 0 within that loop; 0: in none */

static enum status open_nothing(const struct sensor_request *request, const struct sensor_channel *channels,
                                size_t count, void **handle, struct error *error)
{
    (void)request;
    (void)channels;
    (void)count;
    (void)error;
    *handle = NULL;
    return STATUS_OK;
}

static void close_nothing(void *handle)
{
    (void)handle;
}

static double inside_w(void)
{
    return *busy ? 150 : 100;
}

/* Package, its core, and a thermometer that cools no further than 40 degrees. */
static enum status read_inside(void *handle, double *t_s, double *values, struct error *error)
{
    (void)handle;
    *t_s = clock_now_s();
    if (*t_s > vanishes_s)
        return error_set(error, STATUS_FAILED, "pulled out");
    counter_j += counted_s > 0 ? inside_w() * (*t_s - counted_s) : 0;
    counted_s = *t_s;
    static bool was_busy;
    static double busy_from_s;
    loops += *busy && !was_busy;
    busy_from_s = *busy && !was_busy ? *t_s : busy_from_s;
    was_busy = *busy;
    if (reset_in_loop > 0 && *busy && loops >= reset_in_loop && *t_s > busy_from_s + 0.03) {
        counter_j = 0;
        reset_in_loop = 0;
    }
    values[0] = fmod(counter_j, wraps_j);
    values[1] = fmod(counter_j, wraps_j);
    values[2] = 40;
    return STATUS_OK;
}

static enum status read_outside(void *handle, double *t_s, double *values, struct error *error)
{
    (void)handle;
    (void)error;
    *t_s = clock_now_s();
    busy_s += *busy && looked_s > 0 ? *t_s - looked_s : 0;
    looked_s = *t_s;
    values[0] = inside_w() + 30 + (busy_s > fan_after_s ? 7 : 0);
    return STATUS_OK;
}

static const struct power_sensor inside = {
    .name = "inside", .rank = 1, .open = open_nothing, .read = read_inside, .close = close_nothing};
static const struct power_sensor outside = {.name = "outside",
                                            .external = true,
                                            .rank = 2,
                                            .open = open_nothing,
                                            .read = read_outside,
                                            .close = close_nothing};

/* One point of the program, with the sensors and the protocol. */
struct bench {
    struct sensor_channel channels[4];
    struct sensor_list meters;
    struct machine machine;
    struct protocol protocol;
    json_t *point;
};

static void set_up(struct bench *bench)
{
    *bench = (struct bench){
        .channels =
            {{.name = "s:0", .label = "package", .quantity = SENSOR_ENERGY, .whole = true, .wrap_j = 20},
             {.name = "s:0:0", .label = "core", .quantity = SENSOR_ENERGY, .wrap_j = 20},
             {.name = "t:0", .label = "chip", .quantity = SENSOR_TEMPERATURE},
             {.name = "o:0", .label = "wall", .quantity = SENSOR_POWER, .whole = true}},
        .protocol = {.time_s = 0.1, .reps = 3, .idle_s = 0.1, .temperature_below = NAN}};
    bench->meters.meters[0] =
        (struct listed_sensor){.sensor = &inside, .period_s = 0.001, .channels = bench->channels, .count = 3};
    bench->meters.meters[1] = (struct listed_sensor){
        .sensor = &outside, .period_s = 0.001, .channels = bench->channels + 3, .count = 1};
    bench->meters.count = 1;
    fan_after_s = vanishes_s = INFINITY;
    busy_s = 0;
}

/* What verdicts read is what the results have. */
static json_t *line_of(const struct result_point *result)
{
    json_t *line = result_point_to_json(result);
    struct result_point read;
    result_point_read(line, &read);
    json_t *own = result_reps_to_json(result->reps, result->rep_count),
           *recorded = result_reps_to_json(read.reps, read.rep_count);
    assert_true(json_equal(own, recorded));
    json_decref(own);
    json_decref(recorded);
    assert_int_equal(result->ticks_per_pass.n, read.ticks_per_pass.n);
    assert_true(result->ticks_per_pass.value == read.ticks_per_pass.value || read.ticks_per_pass.n == 0);
    assert_true(result->overlap == read.overlap);
    assert_true(result->ticks_per_s == read.ticks_per_s || isnan(read.ticks_per_s));
    result_point_free(&read);
    return line;
}

static void measure(struct bench *bench)
{
    struct buffer image = {0};
    struct test_program test_program;
    struct error error;
    struct recorder *recorder;
    read_test_program(&image, &test_program);
    test_program.machine = &bench->machine;
    struct result_point result = result_point_none;
    assert_int_equal(recorder_open(&bench->meters, &recorder, &error), STATUS_OK);
    const struct measure_options options = {.protocol = bench->protocol, .recorder = recorder};
    struct measurement *measurement;
    if (measure_point(&test_program, &options, &measurement, &result, &error) != STATUS_OK)
        fail_msg("%s", error.message);
    bench->point = line_of(&result);
    result_point_free(&result);
    measurement_close(measurement);
    recorder_close(recorder);
    buffer_free(&image);
}

static double told(const json_t *object, const char *key)
{
    return json_number_or(json_object_get(object, key), "value", NAN);
}

static double watts_of(const json_t *rep)
{
    return json_number_or(json_object_get(rep, "energy_j"), "s:0", NAN) / json_number_or(rep, "seconds", NAN);
}

/* On a busy machine the recorder's thread may have no turn while the program runs: one attempt in a few has
 * to be right. */
static void measure_well(struct bench *bench)
{
    enum { ATTEMPTS = 10 };
    bool good = false;
    for (int i = 0; i < ATTEMPTS && !good; i++) {
        json_decref(bench->point);
        measure(bench);
        good = fabs(told(json_object_get(bench->point, "power"), "power.dynamic_w") - 50) <= 5;
        const json_t *reps = json_object_get(bench->point, "reps");
        for (size_t k = 0; k < json_array_size(reps); k++)
            good = good && fabs(watts_of(json_array_get(reps, k)) - 150) <= 7;
    }
}

static void the_loop_alone_is_told_in_watts(void **state)
{
    (void)state;
    struct bench bench;
    set_up(&bench);
    measure_well(&bench);
    const json_t *power = json_object_get(bench.point, "power");
    assert_float_equal(told(power, "power.static_w"), 100, 3);
    assert_float_equal(told(power, "power.dynamic_w"), 50, 6);
    assert_string_equal(json_string_value(json_array_get(json_object_get(power, "from"), 0)), "s:0");
    assert_int_equal(json_array_size(json_object_get(power, "from")), 1);
    assert_float_equal(told(json_object_get(json_object_get(power, "sensors"), "s:0:0"), "power.static_w"),
                       100, 3);
    assert_null(json_object_get(power, "power.outside_w"));
    assert_null(json_object_get(power, "power.constant_w"));
    assert_true(strstr(json_string_or(power, "verdict", ""), "trustworthy") !=
                NULL); /* or not, on a busy machine */
    assert_true(json_string_or(power, "reason", "")[0] != '\0');
    const json_t *start = json_object_get(bench.point, "start");
    assert_true(json_number_or(start, "iterations", -1) == 0);
    assert_true(json_number_or(start, "wall_s", 0) >= START_S);
    const json_t *reps = json_object_get(bench.point, "reps");
    assert_int_equal(json_array_size(reps), 3);
    double shortest_s = INFINITY, longest_s = 0;
    for (size_t i = 0; i < 3; i++) {
        const json_t *rep = json_array_get(reps, i);
        double seconds = json_number_or(rep, "seconds", NAN);
        shortest_s = fmin(shortest_s, seconds);
        longest_s = fmax(longest_s, seconds);
        assert_true(seconds > 0 && seconds < json_number_or(rep, "wall_s", 0));
        assert_float_equal(watts_of(rep), 150, 7);
        assert_float_equal(json_number_or(json_object_get(rep, "temperature_c"), "t:0", NAN), 40, 0);
    }
    double joules = told(power, "energy.dynamic_j");
    assert_true(joules > 40 * shortest_s && joules < 60 * longest_s);
    json_decref(bench.point);
}

/* The pace is that of a quicker machine, or of a slower one, than the repetitions meet. */
static void a_loop_that_misses_its_time_is_taken_again(void **state)
{
    (void)state;
    static const char *const slower[] = {"3", "0.2"};
    for (size_t i = 0; i < 2; i++) {
        struct bench bench;
        struct buffer image = {0};
        struct test_program test_program;
        struct error error;
        struct recorder *recorder;
        struct measurement *measurement;
        set_up(&bench);
        bench.meters.count = 0;
        bench.protocol.timed = true;
        read_test_program(&image, &test_program);
        test_program.machine = &bench.machine;
        assert_int_equal(recorder_open(&bench.meters, &recorder, &error), STATUS_OK);
        const struct measure_options options = {.protocol = bench.protocol, .recorder = recorder};
        assert_int_equal(measurement_open(&test_program, &options, &measurement, &error), STATUS_OK);
        setenv(slower_variable, slower[i], 1);
        for (int rep = 0; rep < 2; rep++)
            assert_int_equal(measurement_repeat(measurement, &error), STATUS_OK);
        unsetenv(slower_variable);
        struct result_point result = result_point_none;
        measurement_finish(measurement, &result);
        bench.point = line_of(&result);
        result_point_free(&result);
        measurement_close(measurement);
        recorder_close(recorder);
        buffer_free(&image);
        const json_t *reps = json_object_get(bench.point, "reps");
        assert_int_equal(json_array_size(reps), 2);
        assert_in_range(json_array_size(json_object_get(bench.point, "retaken")), 1, 4);
        for (size_t rep = 0; rep < 2; rep++) /* the program spins until a time, however busy the machine is */
            assert_float_equal(json_number_or(json_array_get(reps, rep), "seconds", NAN), 0.1, 0.04);
        json_decref(bench.point);
    }
}

static void an_access_costs_what_the_loop_does_by_its_loads(void **state)
{
    (void)state;
    struct result_power power = {.given = true};
    struct arena arena = {0};
    result_value_add(&power.values, "energy.dynamic_j", (struct interval){8, 6, 10, 5}, &arena);
    json_t *manifest = json_pack("{s:i, s:i, s:{s:f, s:f}}", "loads", 4, "stores", 0, "expected", "served.L1",
                                 0.0, "served.L2", 1.0);
    per_access_set(given_manifest(manifest), 1000, &power, &arena);
    const struct interval each = result_value(&power.values, "energy.per_access_j.L2");
    assert_float_equal(each.value, 0.002, 1e-12);
    assert_float_equal(each.low, 0.0015, 1e-12);
    assert_int_equal(power.values.count, 2);
    /* Neither a mixture nor stores tell what one access costs. */
    json_object_set_new(manifest, "stores", json_integer(1));
    per_access_set(given_manifest(manifest), 1000, &power, &arena);
    json_object_set_new(manifest, "stores", json_integer(0));
    json_object_set_new(json_object_get(manifest, "expected"), "served.L2", json_real(0.5));
    per_access_set(given_manifest(manifest), 1000, &power, &arena);
    assert_int_equal(power.values.count, 2);
    json_decref(manifest);
    arena_free(&arena);
}

static void a_run_of_no_passes_is_taken_off(void **state)
{
    (void)state;
    /* How long a start takes differs from one to the next, most where it waits for a processor: one attempt
     * in a few has to be right. */
    enum { ATTEMPTS = 5 };
    double watts = NAN;
    for (int i = 0; i < ATTEMPTS && !(fabs(watts - 50) <= 20); i++) {
        struct bench bench;
        set_up(&bench);
        bench.protocol.subtract_start = true;
        bench.protocol.time_s = 0.3;
        measure(&bench);
        watts = told(json_object_get(bench.point, "power"), "power.dynamic_w");
        assert_true(json_is_true(json_object_get(json_object_get(bench.point, "measure"), "subtract_start")));
        json_decref(bench.point);
    }
    assert_float_equal(watts, 50, 20);
}

/* Repetitions that count; on a busy machine another may be left out as well. */
static int counted(const struct bench *bench)
{
    const json_t *power = json_object_get(bench->point, "power");
    return (int)json_number_or(json_object_get(power, "power.total_w"), "n", 0);
}

/* A counter's reset spoils the repetition that it falls into, is named, and is no wrap. */
static void a_reset_spoils_its_repetition_alone(void **state)
{
    (void)state;
    enum { ATTEMPTS = 10 };
    static const double wraps[] = {262143, 0};
    for (size_t i = 0; i < 2; i++) {
        struct bench bench;
        set_up(&bench);
        bench.channels[0].wrap_j = bench.channels[1].wrap_j = wraps[i];
        bench.protocol.reps = 6;
        for (int attempt = 0; attempt < ATTEMPTS && counted(&bench) != 5; attempt++) {
            json_decref(bench.point);
            wraps_j = 262143;
            counter_j = 5000;
            loops = 0;
            reset_in_loop = 4;
            measure(&bench);
        }
        const json_t *power = json_object_get(bench.point, "power");
        assert_non_null(strstr(json_string_or(power, "left_out", ""), " is left out: s:0 was reset"));
        assert_non_null(strstr(json_string_or(power, "reason", ""), " is left out: s:0 was reset"));
        assert_int_equal(counted(&bench), 5);
        double watts = told(power, "power.total_w");
        assert_true(watts > 120 && watts < 160);
        const json_t *part = json_object_get(json_object_get(power, "sensors"), "s:0:0");
        assert_non_null(strstr(json_string_or(part, "reason", ""), " is left out: s:0:0 was reset"));
        json_decref(bench.point);
    }
    wraps_j = 20;
}

static void what_only_the_outer_meter_sees_is_told_apart(void **state)
{
    (void)state;
    struct bench bench;
    set_up(&bench);
    bench.meters.count = 2;
    bench.machine.idle_w = 90;
    bench.protocol.time_s = 0.2;
    measure_well(&bench);
    const json_t *power = json_object_get(bench.point, "power");
    assert_string_equal(json_string_value(json_array_get(json_object_get(power, "from"), 0)), "o:0");
    assert_float_equal(told(power, "power.static_w"), 130, 2);
    assert_float_equal(told(power, "power.dynamic_w"), 50, 5);
    assert_string_equal(json_string_value(json_array_get(json_object_get(power, "inside"), 0)), "s:0");
    assert_float_equal(told(power, "power.outside_w"), 0, 5);
    assert_float_equal(told(power, "power.fans_w"), 0, 5);
    assert_float_equal(told(power, "power.constant_w"), 40, 2);
    assert_float_equal(told(power, "power.cpu_w"), 140, 5);
    json_decref(bench.point);
}

static void a_fan_is_what_comes_while_programs_run(void **state)
{
    (void)state;
    struct bench bench;
    set_up(&bench);
    bench.meters.count = 2;
    bench.protocol.time_s = 0.2;
    bench.protocol.reps = 4;
    fan_after_s = 0.3;
    measure(&bench);
    const json_t *power = json_object_get(bench.point, "power");
    assert_float_equal(told(power, "power.fans_w"), 7, 4);
    json_decref(bench.point);
}

static void a_sensor_that_goes_away_costs_its_own_column(void **state)
{
    (void)state;
    struct bench bench;
    set_up(&bench);
    bench.meters.count = 2;
    vanishes_s = clock_now_s() + 0.35;
    bench.protocol.time_s = 0.2;
    measure(&bench);
    const json_t *power = json_object_get(bench.point, "power");
    const json_t *sensors = json_object_get(power, "sensors");
    assert_float_equal(told(power, "power.dynamic_w"), 50, 5);
    assert_float_equal(told(json_object_get(sensors, "o:0"), "power.dynamic_w"), 50, 5);
    assert_null(json_object_get(json_object_get(sensors, "s:0"), "power.dynamic_w"));
    assert_string_equal(json_string_or(json_object_get(sensors, "s:0"), "reason", ""),
                        "the sensor disappeared: pulled out");
    assert_string_equal(json_string_or(json_object_get(sensors, "s:0"), "verdict", ""), "untrustworthy");
    assert_null(json_object_get(power, "power.outside_w"));
    json_decref(bench.point);
}

/* What is said of power besides depends on how busy the machine is. */
static bool warns(const json_t *point, const char *words)
{
    const json_t *warnings = json_object_get(point, "warnings");
    bool found = false;
    for (size_t i = 0; i < json_array_size(warnings); i++)
        found = found || strstr(json_string_or(json_array_get(warnings, i), "what", ""), words) != NULL;
    return found;
}

static void a_repetition_lasts_as_long_as_the_sensor_needs(void **state)
{
    (void)state;
    struct bench bench;
    set_up(&bench);
    bench.meters.meters[0].period_s = 0.01;
    bench.protocol.time_s = 0.01;
    bench.protocol.reps = 1;
    bench.protocol.precision = 0.05;
    bench.protocol.longest_s = 10;
    measure(&bench);
    double time_s = json_number_or(json_object_get(bench.point, "measure"), "time", NAN);
    assert_true(time_s > 0.15 && time_s < 0.6);
    assert_false(warns(bench.point, "are short for a sensor"));
    assert_true(warns(bench.point, "the power measurement is not trustworthy: 1 repetition shows no spread"));
    json_decref(bench.point);

    bench.protocol.longest_s = 0.05;
    measure(&bench);
    assert_float_equal(json_number_or(json_object_get(bench.point, "measure"), "time", NAN), 0.05, 1e-6);
    assert_true(warns(bench.point, "repetitions of 0.05 s are short"));
    json_decref(bench.point);
}

static void a_chip_that_stays_hot_is_not_waited_for_for_ever(void **state)
{
    (void)state;
    struct bench bench;
    set_up(&bench);
    bench.protocol.temperature_below = 39;
    bench.protocol.wait_s = 0.1;
    measure(&bench);
    assert_true(warns(bench.point, "still 40.0 C after 0.1 s"));
    json_decref(bench.point);
    bench.protocol.temperature_below = 41;
    measure(&bench);
    assert_false(warns(bench.point, "temperature_below"));
    json_decref(bench.point);
}

static int make_flag(void **state)
{
    static char path[] = "/tmp/trauma-measure-XXXXXX";
    *state = path;
    int fd = mkstemp(path);
    if (fd < 0)
        return -1;
    close(fd);
    busy = map_flag(path);
    return setenv(flag_variable, path, 1);
}

static int remove_flag(void **state)
{
    return unlink(*state);
}

int main(int count, char **arguments)
{
    if (strcmp(arguments[0], "program") == 0) /* without rounds, as programs of earlier versions */
        return count == 2 ? act_as_program(arguments[1]) : EXIT_FAILURE;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passes_are_whole_hundreds_whatever_is_asked),
        cmocka_unit_test(the_pace_leaves_the_start_out),
        cmocka_unit_test(a_tick_lies_where_both_clocks_say),
        cmocka_unit_test(dynamic_power_is_what_is_above_idle),
        cmocka_unit_test(no_number_is_made_up),
        cmocka_unit_test(the_loop_alone_is_told_in_watts),
        cmocka_unit_test(a_loop_that_misses_its_time_is_taken_again),
        cmocka_unit_test(an_access_costs_what_the_loop_does_by_its_loads),
        cmocka_unit_test(a_run_of_no_passes_is_taken_off),
        cmocka_unit_test(a_reset_spoils_its_repetition_alone),
        cmocka_unit_test(what_only_the_outer_meter_sees_is_told_apart),
        cmocka_unit_test(a_fan_is_what_comes_while_programs_run),
        cmocka_unit_test(a_sensor_that_goes_away_costs_its_own_column),
        cmocka_unit_test(a_repetition_lasts_as_long_as_the_sensor_needs),
        cmocka_unit_test(a_chip_that_stays_hot_is_not_waited_for_for_ever),
    };
    return cmocka_run_group_tests_name("runner/measure", tests, make_flag, remove_flag);
}
