/* Which sensors the trial finds usable, on a mock sysfs, through a FIFO and with a mock NVML: what moves,
 * what stands still and what always reads 0. */
#include "base/clock.h"
#include "runner/power/sensor_trial.h"
#include "tests/tree.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>

#include <cmocka.h>

static const char library[] = TRAUMA_BUILD_DIR "/tests/libfake_nvml.so";
static const char still[] = "it did not change in 1.";

static struct error error;
static struct sensor_list meters;
static struct recorder *recorder;

/* ---- made-up sensors ---- */

static void put_domain(const struct tree *tree, const char *domain, const char *name, const char *microjoules)
{
    char folder[FILE_PATH_BYTES];
    snprintf(folder, sizeof folder, "sys/class/powercap/%s", domain);
    tree_put(tree, folder, "name", name);
    tree_put(tree, folder, "energy_uj", microjoules);
    tree_put(tree, folder, "max_energy_range_uj", "262143328850\n");
}

static void put_hwmon(const struct tree *tree, const char *driver, const char *file, const char *value)
{
    tree_put(tree, "sys/class/hwmon/hwmon0", "name", driver);
    tree_put(tree, "sys/class/hwmon/hwmon0", file, value);
}

/* A counter of the first domain that moves, or a meter that writes the same line again and again. */
struct feeder {
    pthread_t thread;
    const struct tree *tree;
    char fifo[FILE_PATH_BYTES];
    const char *line;
    double rest_s;
    unsigned second; /* microjoules per step of a second domain; 0: none */
    atomic_bool ends;
};

static void set_counter(const struct tree *tree, const char *folder, unsigned microjoules)
{
    char from[FILE_PATH_BYTES], to[FILE_PATH_BYTES], name[64], text[32];
    snprintf(name, sizeof name, "%s/next", folder);
    tree_path(tree, name, from);
    snprintf(name, sizeof name, "%s/energy_uj", folder);
    tree_path(tree, name, to);
    snprintf(text, sizeof text, "%u\n", microjoules);
    tree_put(tree, folder, "next", text);
    if (rename(from, to) != 0)
        abort();
}

static void *count_on(void *context)
{
    struct feeder *feeder = context;
    for (unsigned i = 1; !atomic_load(&feeder->ends); i++) {
        set_counter(feeder->tree, "sys/class/powercap/intel-rapl:0", 20000 * i);
        if (feeder->second > 0)
            set_counter(feeder->tree, "sys/class/powercap/intel-rapl:1", 5000000 + feeder->second * i);
        clock_rest(0.002);
    }
    return NULL;
}

static void *say_on(void *context)
{
    struct feeder *feeder = context;
    int fd = open(feeder->fifo, O_RDWR);
    while (!atomic_load(&feeder->ends)) {
        if (write(fd, feeder->line, strlen(feeder->line)) < 0)
            abort();
        for (double until_s = clock_now_s() + feeder->rest_s;
             clock_now_s() < until_s && !atomic_load(&feeder->ends);)
            clock_rest(0.01);
    }
    close(fd);
    return NULL;
}

static void feed(struct feeder *feeder, void *(*how)(void *))
{
    assert_int_equal(pthread_create(&feeder->thread, NULL, how, feeder), 0);
}

static void end(struct feeder *feeder)
{
    atomic_store(&feeder->ends, true);
    pthread_join(feeder->thread, NULL);
}

/* ---- the trial ---- */

/* Its seconds. */
static double try_list(const char *list, const char *root)
{
    if (sensor_list_find(list, root, &meters, &error) != STATUS_OK ||
        recorder_open(&meters, &recorder, &error) != STATUS_OK)
        fail_msg("%s", error.message);
    double begin_s = clock_now_s();
    sensor_trial(&meters, recorder);
    return clock_now_s() - begin_s;
}

static void leave(void)
{
    recorder_close(recorder);
    sensor_list_free(&meters);
}

static const char *why(size_t meter, size_t channel)
{
    return meters.meters[meter].channels[channel].why_not;
}

static void a_counter_that_stands_is_not_usable(void **state)
{
    const struct tree *tree = *state;
    static const char *const joules[] = {"0\n", "123456789\n"};
    for (size_t i = 0; i < 2; i++) {
        put_domain(tree, "intel-rapl:0", "psys\n", joules[i]);
        assert_true(try_list(NULL, tree->root) >= 1);
        assert_int_equal(meters.count, 1);
        assert_memory_equal(why(0, 0), still, strlen(still));
        assert_non_null(strstr(why(0, 0), " s while a core worked"));
        assert_int_equal(sensor_list_power_channels(&meters), 0);
        /* Detected, the run goes on and tells why there is no power. */
        error = (struct error){0};
        assert_int_equal(sensor_trial_judge(&meters, &error), STATUS_OK);
        assert_non_null(
            strstr(error.message, "powercap:intel-rapl:0 (psys) is not usable: it did not change"));
        leave();
        /* Named, it ends. */
        try_list("powercap", tree->root);
        assert_int_equal(sensor_trial_judge(&meters, &error), STATUS_UNAVAILABLE);
        /* Nobody waits for it. */
        double begin_s = clock_now_s();
        recorder_begin(recorder, NULL, 0);
        recorder_end(recorder, clock_now_s());
        assert_true(clock_now_s() - begin_s < 0.9);
        assert_int_equal(recorder_series(recorder, 0, 0)->count, 0);
        leave();
    }
}

static void what_moves_is_usable_and_a_dead_part_alone_is_not(void **state)
{
    const struct tree *tree = *state;
    struct feeder feeder = {.tree = tree};
    struct buffer text = {0};
    put_domain(tree, "intel-rapl:0", "package-0\n", "1\n");
    feed(&feeder, count_on);
    try_list(NULL, tree->root);
    assert_string_equal(why(0, 0), "");
    assert_int_equal(sensor_trial_judge(&meters, &error), STATUS_OK);
    sensor_trial_describe(&meters, &text);
    assert_int_equal(text.size, 0);
    leave();
    put_domain(tree, "intel-rapl:0:0", "uncore\n", "0\n");
    put_domain(tree, "intel-rapl:1", "psys\n", "7\n");
    try_list("powercap", tree->root);
    assert_int_equal(sensor_trial_judge(&meters, &error), STATUS_OK);
    assert_int_equal(sensor_list_power_channels(&meters), 1);
    assert_string_equal(why(0, 0), "");
    assert_true(meters.meters[0].channels[0].whole);
    sensor_trial_describe(&meters, &text);
    assert_non_null(strstr(text.data, "powercap:intel-rapl:0:0 (package-0/uncore), powercap:intel-rapl:1 "
                                      "(psys): it did not change"));
    buffer_free(&text);
    leave();
    end(&feeder);
}

/* Lists two dies, the second with so many microjoules a step. Leave with leave(). */
static void list_dies(const struct tree *tree, unsigned second)
{
    struct feeder feeder = {.tree = tree, .second = second};
    put_domain(tree, "intel-rapl:0", "package-0-die-0\n", "1\n");
    put_domain(tree, "intel-rapl:1", "package-0-die-1\n", "1\n");
    feed(&feeder, count_on);
    try_list("powercap", tree->root);
    end(&feeder);
}

/* Two dies that mirror one counter are one power, whatever their counters began with; two that differ are
 * two. A chip moves both at once; where the feeder is kept waiting between its two files, it is tried again.
 */
static void mirrors_are_not_added(void **state)
{
    const struct tree *tree = *state;
    static const unsigned seconds[] = {20000, 21000, 2000};
    for (size_t i = 0; i < 3; i++) {
        struct buffer text = {0};
        bool mirrors = seconds[i] == 20000;
        list_dies(tree, seconds[i]);
        for (int again = 0; mirrors && again < 60 && meters.meters[0].channels[1].whole; again++) {
            leave();
            list_dies(tree, seconds[i]);
        }
        assert_true(meters.meters[0].channels[0].whole);
        assert_int_equal(meters.meters[0].channels[1].whole, !mirrors);
        assert_int_equal(sensor_list_power_channels(&meters), mirrors ? 1 : 2);
        assert_int_equal(sensor_trial_judge(&meters, &error), STATUS_OK);
        sensor_trial_describe(&meters, &text);
        assert_int_equal(text.size > 0, mirrors);
        if (mirrors)
            assert_non_null(strstr(text.data, "powercap:intel-rapl:1 (package-0-die-1): it mirrors "
                                              "powercap:intel-rapl:0 (package-0-die-0)"));
        buffer_free(&text);
        leave();
    }
}

static void the_platform_stands_in_for_packages_that_are_dead(void **state)
{
    const struct tree *tree = *state;
    struct feeder feeder = {.tree = tree};
    put_domain(tree, "intel-rapl:0", "psys\n", "1\n");
    put_domain(tree, "intel-rapl:1", "package-0\n", "0\n");
    feed(&feeder, count_on);
    try_list(NULL, tree->root);
    assert_true(meters.meters[0].channels[0].whole);
    assert_false(meters.meters[0].channels[1].whole);
    assert_int_equal(sensor_list_power_channels(&meters), 1);
    leave();
    end(&feeder);
}

/* A power that a core's work moves must move, one that averages for long or is a card's must not be 0. */
static void a_power_by_what_it_measures(void **state)
{
    const struct tree *tree = *state;
    static const struct {
        const char *driver, *file, *value, *interval;
        bool usable;
    } rows[] = {
        {"fam15h_power\n", "power1_input", "0\n", "10\n", false},
        {"fam15h_power\n", "power1_input", "15000000\n", "10\n", false},
        {"power_meter\n", "power1_average", "80000000\n", "1000\n", true},
        {"power_meter\n", "power1_average", "0\n", "1000\n", false},
        {"amdgpu\n", "power1_input", "75000000\n", "0\n", true},
        {"amdgpu\n", "power1_input", "0\n", "0\n", false},
        {"amdgpu\n", "energy1_input", "75000000\n", "0\n", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        put_hwmon(tree, rows[i].driver, rows[i].file, rows[i].value);
        put_hwmon(tree, rows[i].driver, "power1_average_interval", rows[i].interval);
        put_hwmon(tree, rows[i].driver, "temp1_input", "41000\n"); /* may stand still */
        try_list(NULL, tree->root);
        assert_int_equal(sensor_list_power_channels(&meters), rows[i].usable);
        for (size_t j = 0; j < meters.meters[0].count; j++)
            if (meters.meters[0].channels[j].quantity == SENSOR_TEMPERATURE)
                assert_string_equal(why(0, j), "");
        leave();
        char path[FILE_PATH_BYTES];
        assert_int_equal(file_remove_tree(tree_path(tree, "sys/class/hwmon/hwmon0", path), NULL), STATUS_OK);
    }
}

static void a_meter_that_always_says_0(void **state)
{
    const struct tree *tree = *state;
    static const struct {
        const char *line;
        double rest_s;
        bool usable;
    } rows[] = {{"0\n", 0.05, false}, {"0\n", 1.3, false}, {"42\n", 0.05, true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct feeder feeder = {.tree = tree, .line = rows[i].line, .rest_s = rows[i].rest_s};
        char list[FILE_PATH_BYTES + 8];
        tree_path(tree, "fifo", feeder.fifo);
        assert_int_equal(mkfifo(feeder.fifo, 0600), 0);
        feed(&feeder, say_on);
        snprintf(list, sizeof list, "line=%s", feeder.fifo);
        try_list(list, "");
        assert_int_equal(sensor_list_power_channels(&meters), rows[i].usable);
        assert_int_equal(sensor_trial_judge(&meters, &error),
                         rows[i].usable ? STATUS_OK : STATUS_UNAVAILABLE);
        leave();
        end(&feeder);
        assert_int_equal(unlink(feeder.fifo), 0);
    }
}

static void a_gpu_by_its_own_power(void **state)
{
    (void)state;
    static const struct {
        const char *trouble;
        size_t power; /* usable channels of it */
        size_t whole; /* the first GPU's channel of the total */
    } rows[] = {{NULL, 4, 0}, {"still", 3, 1}, {"zero", 0, 99}};
    setenv("TRAUMA_NVML", library, 1);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].trouble != NULL)
            setenv("FAKE_NVML", rows[i].trouble, 1);
        try_list("nvml", "");
        assert_int_equal(sensor_list_power_channels(&meters), rows[i].power);
        for (size_t j = 0; j < 3; j++)
            assert_int_equal(meters.meters[0].channels[j].whole, j == rows[i].whole);
        assert_string_equal(why(0, 3), ""); /* temperature */
        assert_int_equal(sensor_trial_judge(&meters, &error),
                         rows[i].power > 0 ? STATUS_OK : STATUS_UNAVAILABLE);
        leave();
    }
    unsetenv("FAKE_NVML");
    unsetenv("TRAUMA_NVML");
}

static void what_cannot_be_read_is_not_usable(void **state)
{
    const struct tree *tree = *state;
    put_hwmon(tree, "k10temp\n", "temp1_input", "41000\n");
    assert_int_equal(sensor_list_find(NULL, tree->root, &meters, &error), STATUS_OK);
    tree_put(tree, "sys/class/hwmon/hwmon0", "temp1_input", "what\n");
    assert_int_equal(recorder_open(&meters, &recorder, &error), STATUS_OK);
    sensor_trial(&meters, recorder);
    if (strstr(why(0, 0), "can no longer be read") == NULL)
        fail_msg("%zu sensors, the first: %s", meters.count, why(0, 0));
    leave();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_counter_that_stands_is_not_usable, tree_make, tree_remove),
        cmocka_unit_test_setup_teardown(what_moves_is_usable_and_a_dead_part_alone_is_not, tree_make,
                                        tree_remove),
        cmocka_unit_test_setup_teardown(the_platform_stands_in_for_packages_that_are_dead, tree_make,
                                        tree_remove),
        cmocka_unit_test_setup_teardown(mirrors_are_not_added, tree_make, tree_remove),
        cmocka_unit_test_setup_teardown(a_power_by_what_it_measures, tree_make, tree_remove),
        cmocka_unit_test_setup_teardown(a_meter_that_always_says_0, tree_make, tree_remove),
        cmocka_unit_test(a_gpu_by_its_own_power),
        cmocka_unit_test_setup_teardown(what_cannot_be_read_is_not_usable, tree_make, tree_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
