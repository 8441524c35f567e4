/* Sensors read while programs run: several at their own rates on one clock, one that disappears, and the cost
 * of reading to the measured loop. */
#include "base/clock.h"
#include "base/stats.h"
#include "runner/power/recorder.h"
#include "tests/skip.h"
#include "tests/tree.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/resource.h>

#include <cmocka.h>

static const char package[] = "sys/class/powercap/intel-rapl:0";
static const char core[] = "sys/class/powercap/intel-rapl:0:0";
static const char card[] = "sys/class/hwmon/hwmon0";

static struct error error;

static void rest(double seconds)
{
    usleep((useconds_t)(seconds * 1e6));
}

/* A package with its core, and a graphics card. */
static void put_sensors(const struct tree *tree)
{
    tree_put(tree, package, "name", "package-0\n");
    tree_put(tree, package, "energy_uj", "2500000\n");
    tree_put(tree, package, "max_energy_range_uj", "50000000\n");
    tree_put(tree, core, "name", "core\n");
    tree_put(tree, core, "energy_uj", "1000000\n");
    tree_put(tree, card, "name", "amdgpu\n");
    tree_put(tree, card, "power1_input", "75000000\n");
}

static void find(const struct tree *tree, const char *list, struct sensor_list *meters)
{
    if (sensor_list_find(list, tree->root, meters, &error) != STATUS_OK)
        fail_msg("%s", error.message);
}

static void each_is_read_at_its_own_rate(void **state)
{
    const struct tree *tree = *state;
    struct sensor_list meters;
    struct recorder *recorder;
    put_sensors(tree);
    find(tree, "powercap@period=0.002,hwmon-gpu@period=0.05", &meters);
    assert_int_equal(meters.count, 2);
    assert_int_equal(recorder_open(&meters, &recorder, &error), STATUS_OK);
    recorder_begin(recorder, NULL, 0);
    double begin_s = clock_now_s();
    recorder_mark(recorder, "rep 1");
    rest(0.5);
    double end_s = clock_now_s();
    recorder_end(recorder, end_s);
    const struct series *fast = recorder_series(recorder, 0, 0);
    const struct series *slow = recorder_series(recorder, 1, 0);
    /* A busy machine may leave readings out, and adds none. */
    double seconds = end_s - begin_s;
    assert_true((double)fast->count > 0.2 * seconds / 0.002 && (double)slow->count > 0.2 * seconds / 0.05);
    assert_true(fast->count > 3 * slow->count);
    for (size_t i = 1; i < fast->count; i++)
        assert_true(fast->t_s[i] > fast->t_s[i - 1]);
    assert_true(fast->t_s[0] <= begin_s && slow->t_s[0] <= begin_s);
    assert_true(fast->t_s[fast->count - 1] >= end_s && slow->t_s[slow->count - 1] >= end_s);
    assert_float_equal(slow->values[0], 75, 1e-9);
    size_t marks;
    const struct recorder_mark *mark = recorder_marks(recorder, &marks);
    assert_true(marks == 1 && mark->t_s >= begin_s && mark->t_s <= end_s);
    recorder_close(recorder);
    sensor_list_free(&meters);
}

static void what_vanishes_costs_its_own_column(void **state)
{
    const struct tree *tree = *state;
    struct sensor_list meters;
    struct recorder *recorder;
    put_sensors(tree);
    find(tree, "powercap@period=0.002,hwmon-gpu@period=0.002", &meters);
    assert_int_equal(recorder_open(&meters, &recorder, &error), STATUS_OK);
    recorder_begin(recorder, NULL, 0);
    rest(0.05);
    tree_delete(tree, "sys/class/powercap/intel-rapl:0:0/energy_uj");
    tree_delete(tree, "sys/class/hwmon/hwmon0/power1_input");
    double gone_s = clock_now_s();
    rest(1.5);
    double end_s = clock_now_s();
    recorder_end(recorder, end_s);
    const struct series *stays = recorder_series(recorder, 0, 0);
    const struct series *part = recorder_series(recorder, 0, 1);
    const struct series *whole = recorder_series(recorder, 1, 0);
    assert_true(stays->t_s[stays->count - 1] >= end_s);
    assert_true(part->count > 0 && part->t_s[part->count - 1] < gone_s + 1);
    assert_true(whole->count > 0 && whole->t_s[whole->count - 1] < gone_s + 1);
    assert_null(recorder_lost(recorder, 0));
    assert_non_null(strstr(recorder_lost(recorder, 1)->message, "can no longer be read"));
    /* What was told before it went is kept, and what came after is not known. */
    const struct sensor_channel *channels = meters.meters[0].channels;
    assert_float_equal(series_energy(stays, &channels[0], stays->t_s[0], end_s, 0), 0, 0);
    assert_true(isnan(series_energy(part, &channels[1], part->t_s[0], end_s, 0.01)));
    recorder_close(recorder);
    sensor_list_free(&meters);
}

/* ---- a counter that counts, in a file ---- */

struct counting {
    const struct tree *tree;
    double watts, wrap_j;
    double begin_s;
    atomic_bool ends;
};

static void write_counter(const struct counting *counting, double joules)
{
    char text[32];
    char path[FILE_PATH_BYTES];
    char beside[FILE_PATH_BYTES];
    snprintf(text, sizeof text, "%llu\n", (unsigned long long)(fmod(joules, counting->wrap_j) * 1e6));
    tree_put(counting->tree, package, "next", text);
    tree_path(counting->tree, "sys/class/powercap/intel-rapl:0/next", beside);
    tree_path(counting->tree, "sys/class/powercap/intel-rapl:0/energy_uj", path);
    if (rename(beside, path) != 0)
        abort();
}

static void *count_on(void *context)
{
    struct counting *counting = context;
    while (!atomic_load(&counting->ends)) {
        write_counter(counting, counting->watts * (clock_now_s() - counting->begin_s));
        rest(0.001);
    }
    return NULL;
}

static void a_counter_in_a_file_is_told_in_joules(void **state)
{
    const struct tree *tree = *state;
    struct counting counting = {.tree = tree, .watts = 100, .wrap_j = 50, .begin_s = clock_now_s()};
    struct sensor_list meters;
    struct recorder *recorder;
    pthread_t thread;
    put_sensors(tree);
    write_counter(&counting, 0);
    assert_int_equal(pthread_create(&thread, NULL, count_on, &counting), 0);
    find(tree, "powercap", &meters);
    assert_int_equal(recorder_open(&meters, &recorder, &error), STATUS_OK);
    recorder_begin(recorder, NULL, 0);
    double from_s = clock_now_s();
    rest(1.5);
    double to_s = clock_now_s();
    recorder_end(recorder, to_s);
    atomic_store(&counting.ends, true);
    pthread_join(thread, NULL);
    const struct series *series = recorder_series(recorder, 0, 0);
    double joules = series_energy(series, &meters.meters[0].channels[0], from_s, to_s, 0.01);
    double wanted = counting.watts * (to_s - from_s);
    print_message("%.6g J instead of %.6g (%+.3f %%), %zu readings\n", joules, wanted,
                  100 * (joules / wanted - 1), series->count);
    /* A thread that had to wait some milliseconds makes it worse than a thousandth; a wrap that is missed, by
     * a third. */
    assert_float_equal(joules, wanted, 0.05 * wanted);
    recorder_close(recorder);
    sensor_list_free(&meters);
}

/* ---- what reading costs ---- */

/* A loop is long enough for what interrupts it to be in each, and short enough to be left alone by other
 * programs now and then. */
enum { ROUNDS = 20, LOOPS = 25, STEPS = 1600000 };

/* Times of the loops that no other program took the processor from. */
struct times {
    double seconds[ROUNDS * LOOPS];
    size_t count;
};

/* What runs on a processor of its own, as a program that is measured does. */
struct timing {
    int cpu;
    struct times *times;
};

static volatile uint64_t result;

static long times_taken_away(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nivcsw : -1;
}

static void time_loop(struct times *times)
{
    long before = times_taken_away();
    double begin_s = clock_now_s();
    uint64_t x = result;
    for (int i = 0; i < STEPS; i++)
        x = x * 6364136223846793005u + 1442695040888963407u;
    result = x;
    times->seconds[times->count] = clock_now_s() - begin_s;
    times->count += times_taken_away() == before;
}

static void *time_loops(void *context)
{
    struct timing *timing = context;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((size_t)timing->cpu, &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0)
        abort();
    for (size_t i = 0; i < LOOPS; i++)
        time_loop(timing->times);
    return NULL;
}

/* How much longer the loop takes, as a share of its time, at some quantile. */
static double cost_at(const struct times *with, const struct times *without, double share)
{
    return stats_quantile(with->seconds, with->count, share) /
               stats_quantile(without->seconds, without->count, share) -
           1;
}

/* In turn: not read, read, not read. The third against the first says what a difference is worth here. */
static double time_in_turn(struct recorder *recorder, int cpu, struct times times[3])
{
    size_t readings = 0;
    double read_s = 0;
    for (size_t round = 0; round < 3 * ROUNDS; round++) {
        size_t arm = round % 3;
        struct timing timing = {cpu, &times[arm]};
        pthread_t thread;
        double begin_s = clock_now_s();
        if (arm == 1)
            recorder_begin(recorder, &cpu, 1);
        assert_int_equal(pthread_create(&thread, NULL, time_loops, &timing), 0);
        pthread_join(thread, NULL);
        if (arm != 1)
            continue;
        recorder_end(recorder, clock_now_s());
        read_s += clock_now_s() - begin_s;
        readings += recorder_series(recorder, 0, 0)->count;
    }
    return (double)readings / read_s;
}

static void reading_at_1_khz_costs_the_loop_next_to_nothing(void **state)
{
    const struct tree *tree = *state;
    static struct times times[3];
    static const double shares[] = {0.1, 0.25, 0.5};
    cpu_set_t all;
    int cpu = sched_getcpu();
    struct sensor_list meters;
    struct recorder *recorder;
    if (sched_getaffinity(0, sizeof all, &all) != 0 || CPU_COUNT(&all) < 2)
        skip_because("with one processor the sensors take turns with the loop");
    put_sensors(tree);
    find(tree, "powercap@period=0.001", &meters);
    assert_int_equal(recorder_open(&meters, &recorder, &error), STATUS_OK);
    double rate = time_in_turn(recorder, cpu, times);
    recorder_close(recorder);
    sensor_list_free(&meters);
    print_message("read %.0f times a second, a loop of %.2f ms (%zu of %d undisturbed) takes longer by\n",
                  rate, 1e3 * stats_median(times[0].seconds, times[0].count), times[1].count, ROUNDS * LOOPS);
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++)
        print_message("  quantile %.2f: %+.3f %%; not read either: %+.3f %%\n", shares[i],
                      100 * cost_at(&times[1], &times[0], shares[i]),
                      100 * cost_at(&times[2], &times[0], shares[i]));
    if (times[0].count < LOOPS || times[1].count < LOOPS)
        skip_because("the machine is too busy to tell");
    assert_true(rate > 100);
    /* On a machine of its own it is below half a percent; here others run besides. */
    assert_true(cost_at(&times[1], &times[0], 0.1) < 0.05);
}

/* A loop's begin is known when it is over: its marks lie where it was, in the trace too. */
static void marks_are_in_the_order_of_time(void **state)
{
    (void)state;
    static const char *const phases[] = {"rep 1", "loop 1", "loop 1 end", "rep 2"};
    struct sensor_list none = {.count = 0};
    struct recorder *recorder = recorder_start(&none);
    struct buffer text = {0};
    size_t count;
    recorder_begin(recorder, NULL, 0);
    recorder_mark(recorder, "rep 1");
    double begin_s = clock_now_s();
    recorder_mark_at(recorder, "rep 2", begin_s + 2);
    recorder_mark_at(recorder, "loop 1 end", begin_s + 1.5);
    recorder_mark_at(recorder, "loop 1", begin_s + 0.5);
    const struct recorder_mark *marks = recorder_marks(recorder, &count);
    assert_int_equal(count, 4);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(marks[i].phase, phases[i]);
    power_trace_write(recorder, &text);
    assert_non_null(strstr(text.data, "\n0.000000,mark,rep 1\n"));
    const char *loop = strstr(text.data, ",mark,loop 1\n");
    assert_true(loop != NULL && strstr(loop, ",mark,loop 1 end\n") != NULL);
    buffer_free(&text);
    recorder_close(recorder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_is_read_at_its_own_rate, tree_make, tree_remove),
        cmocka_unit_test_setup_teardown(what_vanishes_costs_its_own_column, tree_make, tree_remove),
        cmocka_unit_test_setup_teardown(a_counter_in_a_file_is_told_in_joules, tree_make, tree_remove),
        cmocka_unit_test(marks_are_in_the_order_of_time),
        cmocka_unit_test_setup_teardown(reading_at_1_khz_costs_the_loop_next_to_nothing, tree_make,
                                        tree_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
