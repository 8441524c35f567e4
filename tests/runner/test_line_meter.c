/* The sensor "line": a known power through a FIFO, a serial line (a pseudo-terminal) and a growing file gives
 * its integral, with readings missing and late; what is not a meter is reported. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/file.h"
#include "tests/mutate.h"
#include "tests/runner/waveform.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const double WITHIN = 1e-3; /* of the integral */

struct place {
    char folder[64], path[128];
    int fd; /* where a meter writes: the FIFO, the file, the terminal's other end */
};

/* ---- the meter ---- */

struct meter_thread {
    pthread_t thread;
    int fd;
    const char *end; /* of a line */
    bool clock;      /* a column of milliseconds before the watts */
    double clock_rate;
    double lost;     /* share of the readings that never come */
    unsigned pieces; /* a line is written in so many */
    double late_s;   /* up to so much between reading and writing */
    size_t burst;    /* lines that are written at once; 0: 1 */
    atomic_bool stop;
};

static void send_line(const struct meter_thread *meter, const char *text, size_t length)
{
    size_t piece = (length + meter->pieces - 1) / meter->pieces;
    for (size_t at = 0; at < length; at += piece) {
        size_t count = length - at < piece ? length - at : piece;
        if (write(meter->fd, text + at, count) != (ssize_t)count)
            return;
        if (meter->pieces > 1)
            wave_rest(2e-4);
    }
}

static void *be_meter(void *context)
{
    struct meter_thread *meter = context;
    struct random random = random_start(11, "meter");
    double zero_s = clock_now_s();
    char text[200 * 80];
    size_t used = 0;
    meter->burst = meter->burst == 0 ? 1 : meter->burst;
    for (size_t i = 0; !atomic_load(&meter->stop); i++) {
        char line[80];
        char clock[32] = "";
        double now_s = clock_now_s();
        if (meter->clock)
            snprintf(clock, sizeof clock, "%.3f,", 1e3 * meter->clock_rate * (now_s - zero_s));
        int length = snprintf(line, sizeof line, "%s%.5f%s", clock, wave_watts(now_s), meter->end);
        if (i % 50 == 10)
            length = snprintf(line, sizeof line, "%snan%s", clock, meter->end);
        if (i % 50 == 20)
            length = snprintf(line, sizeof line, "# power%s", meter->end);
        wave_rest(meter->late_s * random_below(&random, 1000) / 1000);
        if (random_below(&random, 1000) >= 1000 * meter->lost) {
            memcpy(text + used, line, (size_t)length);
            used += (size_t)length;
        }
        if (i % meter->burst == meter->burst - 1) {
            send_line(meter, text, used);
            used = 0;
        }
        wave_rest(0.002 + 1e-6 * random_below(&random, 4000));
    }
    return NULL;
}

static void start_meter(struct meter_thread *meter, int fd)
{
    meter->fd = fd;
    atomic_store(&meter->stop, false);
    assert_int_equal(pthread_create(&meter->thread, NULL, be_meter, meter), 0);
}

static void stop_meter(struct meter_thread *meter)
{
    atomic_store(&meter->stop, true);
    pthread_join(meter->thread, NULL);
}

/* ---- places ---- */

static int make_folder(void **state)
{
    struct place *place = calloc(1, sizeof *place);
    if (place == NULL)
        return -1;
    *state = place;
    place->fd = -1;
    strcpy(place->folder, "/tmp/trauma-meter-XXXXXX");
    return mkdtemp(place->folder) != NULL ? 0 : -1;
}

static int remove_folder(void **state)
{
    struct place *place = *state;
    if (place->fd >= 0)
        close(place->fd);
    enum status status = file_remove_tree(place->folder, NULL);
    free(place);
    return status == STATUS_OK ? 0 : -1;
}

static void make_fifo(struct place *place)
{
    snprintf(place->path, sizeof place->path, "%s/fifo", place->folder);
    assert_int_equal(mkfifo(place->path, 0600), 0);
    place->fd = open(place->path, O_RDWR);
    assert_true(place->fd >= 0);
}

static void make_file(struct place *place)
{
    snprintf(place->path, sizeof place->path, "%s/log", place->folder);
    place->fd = open(place->path, O_WRONLY | O_CREAT | O_APPEND, 0600);
    assert_true(place->fd >= 0);
}

static void make_terminal(struct place *place)
{
    place->fd = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(place->fd >= 0);
    assert_int_equal(grantpt(place->fd), 0);
    assert_int_equal(unlockpt(place->fd), 0);
    assert_int_equal(ptsname_r(place->fd, place->path, sizeof place->path), 0);
}

static void find_meters(const struct place *place, const char *settings, struct sensor_list *meters)
{
    char list[256];
    struct error error;
    snprintf(list, sizeof list, "line=%s%s", place->path, settings);
    if (sensor_list_find(list, "", meters, &error) != STATUS_OK)
        fail_msg("%s", error.message);
}

/* A machine that is busy delays what is stamped on arrival: one attempt in a few has to be right, and none is
 * when the sums are wrong. */
static void expect_wave(const struct place *place, const char *settings, struct meter_thread *meter)
{
    struct sensor_list meters;
    struct error error = {0};
    bool quiet;
    find_meters(place, settings, &meters);
    start_meter(meter, place->fd);
    double off = wave_best_error(&meters, WITHIN, &quiet, &error);
    stop_meter(meter);
    sensor_list_free(&meters);
    wave_expect(off, WITHIN, quiet, settings, &error);
}

static void a_fifo_by_arrival(void **state)
{
    struct place *place = *state;
    struct meter_thread meter = {.end = "\n", .lost = 0.1, .pieces = 1};
    make_fifo(place);
    expect_wave(place, "@wait=5", &meter);
}

static void a_fifo_by_a_fast_clock_of_the_meter(void **state)
{
    struct place *place = *state;
    struct meter_thread meter = {
        .end = "\n", .clock = true, .clock_rate = 1.004, .lost = 0.2, .pieces = 1, .late_s = 0.01};
    make_fifo(place);
    expect_wave(place, "@columns=ms:w", &meter);
}

static void a_serial_line_in_pieces(void **state)
{
    struct place *place = *state;
    struct meter_thread meter = {.end = "\r\n", .clock = true, .clock_rate = 0.997, .lost = 0.1, .pieces = 3};
    make_terminal(place);
    expect_wave(place, "@columns=ms:w@baud=9600", &meter);
}

static void a_file_that_grows(void **state)
{
    struct place *place = *state;
    struct meter_thread meter = {.end = "\r\n", .lost = 0.1, .pieces = 2};
    make_file(place);
    assert_int_equal(write(place->fd, "9999\n9999\n99", 12), 12); /* yesterday's */
    expect_wave(place, "", &meter);
}

/* A writer that collects its lines, and sends them by the hundred. */
static void a_fifo_in_bursts(void **state)
{
    struct place *place = *state;
    struct meter_thread meter = {.end = "\n", .clock = true, .clock_rate = 1, .pieces = 1, .burst = 100};
    make_fifo(place);
    expect_wave(place, "@columns=ms:w", &meter);
}

/* ---- reading by hand ---- */

struct hand {
    struct sensor_channel channel;
    struct sensor_request request;
    void *handle;
};

static enum status open_by_hand(const struct place *place, const char *settings, struct hand *hand,
                                struct error *error)
{
    char text[256];
    size_t count = 0;
    int length = snprintf(text, sizeof text, "line=%s@wait=0%s", place->path, settings);
    assert_int_equal(request_parse(text, (size_t)length, "", &hand->request, error), STATUS_OK);
    enum status status = power_line.find(&hand->request, &hand->channel, 1, &count, error);
    if (status == STATUS_OK)
        status = power_line.open(&hand->request, &hand->channel, count, &hand->handle, error);
    return status;
}

static void say(const struct place *place, const char *text)
{
    assert_int_equal(write(place->fd, text, strlen(text)), (ssize_t)strlen(text));
}

/* The next reading within two seconds. */
static double next_watts(struct hand *hand)
{
    double watts = NAN;
    double t_s = 0;
    struct error error;
    double until_s = clock_now_s() + 2;
    while (isnan(watts) && clock_now_s() < until_s)
        if (power_line.read(hand->handle, &t_s, &watts, &error) != STATUS_OK)
            fail_msg("%s", error.message);
    return watts;
}

static void expect_nothing(struct hand *hand)
{
    double watts = 0;
    double t_s = 0;
    struct error error;
    assert_int_equal(power_line.read(hand->handle, &t_s, &watts, &error), STATUS_OK);
    assert_true(isnan(watts));
}

static void a_fifo_outlives_its_writers(void **state)
{
    struct place *place = *state;
    struct hand hand;
    struct error error;
    make_fifo(place);
    say(place, "1\n2\n3\n4"); /* before anyone asked: old */
    assert_int_equal(open_by_hand(place, "", &hand, &error), STATUS_OK);
    say(place, "4\n5\n");
    assert_float_equal(next_watts(&hand), 5, 0);
    say(place, "1");
    expect_nothing(&hand);
    say(place, "2.5\n");
    assert_float_equal(next_watts(&hand), 12.5, 0);
    close(place->fd);
    expect_nothing(&hand);
    place->fd = open(place->path, O_WRONLY | O_NONBLOCK); /* fails where nobody reads */
    assert_true(place->fd >= 0);
    say(place, "7\r\n");
    assert_float_equal(next_watts(&hand), 7, 0);
    struct hand second;
    assert_int_equal(open_by_hand(place, "", &second, &error), STATUS_UNAVAILABLE);
    assert_non_null(strstr(error.message, "busy"));
    power_line.close(hand.handle);
}

static void a_file_may_be_cut_and_replaced(void **state)
{
    struct place *place = *state;
    struct hand hand;
    struct error error;
    char other[160];
    make_file(place);
    say(place, "1\n2");
    assert_int_equal(open_by_hand(place, "", &hand, &error), STATUS_OK);
    say(place, "3\n4\n");
    assert_float_equal(next_watts(&hand), 4, 0); /* 23 began before */
    assert_int_equal(ftruncate(place->fd, 0), 0);
    expect_nothing(&hand);
    say(place, "5\n");
    assert_float_equal(next_watts(&hand), 5, 0);
    snprintf(other, sizeof other, "%s.1", place->path);
    assert_int_equal(rename(place->path, other), 0);
    say(place, "6\n"); /* to the old one, which is read to its end */
    assert_float_equal(next_watts(&hand), 6, 0);
    close(place->fd);
    expect_nothing(&hand);
    make_file(place);
    say(place, "8\n");
    assert_float_equal(next_watts(&hand), 8, 0);
    power_line.close(hand.handle);
}

static void a_line_that_hangs_up_is_gone(void **state)
{
    struct place *place = *state;
    struct hand hand;
    struct error error = {0};
    enum status status = STATUS_OK;
    make_terminal(place);
    assert_int_equal(open_by_hand(place, "", &hand, &error), STATUS_OK);
    say(place, "half\r\n1\r\n");
    assert_float_equal(next_watts(&hand), 1, 0);
    close(place->fd);
    place->fd = -1;
    for (int i = 0; i < 10 && status == STATUS_OK; i++) {
        double watts;
        double t_s;
        status = power_line.read(hand.handle, &t_s, &watts, &error);
    }
    assert_int_equal(status, STATUS_FAILED);
    assert_non_null(strstr(error.message, "hung up"));
    power_line.close(hand.handle);
}

static void what_tells_nothing_is_said_at_once(void **state)
{
    struct place *place = *state;
    static const struct {
        const char *said, *message;
    } rows[] = {{"", "wrote nothing within"},
                {"volts amperes\n", "no reading within 0.3 s, but 1 other lines, such as 'volts amperes'"},
                {"12,5\n", "decimal comma"}};
    make_fifo(place);
    for (size_t i = 0; i < 3; i++) {
        struct sensor_list meters;
        struct recorder *recorder = NULL;
        struct error error = {0};
        find_meters(place, "@wait=0.3", &meters);
        /* Said a little later: what is there before the meter is opened is old. */
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            wave_rest(0.1);
            _exit(write(place->fd, rows[i].said, strlen(rows[i].said)) < 0);
        }
        assert_int_equal(recorder_open(&meters, &recorder, &error), STATUS_UNAVAILABLE);
        assert_null(recorder);
        if (strstr(error.message, rows[i].message) == NULL)
            fail_msg("'%s' instead of '%s'", error.message, rows[i].message);
        sensor_list_free(&meters);
        assert_int_equal(waitpid(child, NULL, 0), child);
    }
}

static void what_is_no_meter_is_not_found(void **state)
{
    struct place *place = *state;
    struct sensor_list meters;
    struct error error;
    char list[256];
    snprintf(list, sizeof list, "line=%s/none", place->folder);
    assert_int_equal(sensor_list_find(list, "", &meters, &error), STATUS_UNAVAILABLE);
    assert_non_null(strstr(error.message, "No such file"));
    sensor_list_free(&meters);
    snprintf(list, sizeof list, "line=%s", place->folder);
    assert_int_equal(sensor_list_find(list, "", &meters, &error), STATUS_UNAVAILABLE);
    assert_non_null(strstr(error.message, "not a serial line, FIFO or file"));
    sensor_list_free(&meters);
    assert_int_equal(sensor_list_find("line=/dev/null@baud=9601", "", &meters, &error), STATUS_USAGE);
    sensor_list_free(&meters);
    assert_int_equal(sensor_list_find("line=/dev/null@column=w", "", &meters, &error), STATUS_USAGE);
    assert_non_null(strstr(error.hint, "columns"));
    sensor_list_free(&meters);
    assert_int_equal(sensor_list_find("line=/dev/null@period=1", "", &meters, &error), STATUS_USAGE);
    sensor_list_free(&meters);
    assert_int_equal(sensor_list_find("line", "", &meters, &error), STATUS_USAGE);
    sensor_list_free(&meters);
}

static void a_known_delay_is_taken_off(void **state)
{
    struct place *place = *state;
    struct hand hand;
    struct error error;
    double watts = NAN;
    double t_s = 0;
    make_fifo(place);
    assert_int_equal(open_by_hand(place, "@delay=7.5@columns=ma@volts=5@scale=2", &hand, &error), STATUS_OK);
    double before_s = clock_now_s();
    say(place, "100\n");
    for (int i = 0; i < 20 && isnan(watts); i++)
        assert_int_equal(power_line.read(hand.handle, &t_s, &watts, &error), STATUS_OK);
    assert_float_equal(watts, 1, 1e-12);
    assert_true(t_s + 7.5 >= before_s && t_s + 7.5 <= clock_now_s());
    power_line.close(hand.handle);
}

static void two_columns_of_one_file_are_two_meters(void **state)
{
    struct place *place = *state;
    struct sensor_list meters;
    struct error error;
    char list[400];
    make_file(place);
    snprintf(list, sizeof list, "line=%s@columns=w:-,line=%s@columns=-:w", place->path, place->path);
    assert_int_equal(sensor_list_find(list, "", &meters, &error), STATUS_OK);
    assert_int_equal(meters.count, 2);
    snprintf(list, sizeof list, "line:%s#2", place->path);
    assert_string_equal(meters.meters[1].channels[0].name, list);
    sensor_list_free(&meters);
}

/* Noise through a FIFO: the reader neither crashes nor hangs, and still reads what comes after it. */
static void noise_does_no_harm(void **state)
{
    struct place *place = *state;
    struct hand hand;
    struct error error;
    struct random random = mutate_start("noise");
    make_fifo(place);
    assert_int_equal(open_by_hand(place, "", &hand, &error), STATUS_OK);
    for (int round = 0; round < 60; round++) {
        char noise[5000];
        double watts = NAN;
        double t_s = 0;
        size_t count = random_below(&random, sizeof noise);
        for (size_t i = 0; i < count; i++)
            noise[i] = (char)random_below(&random, 256);
        assert_int_equal(write(place->fd, noise, count), (ssize_t)count);
        say(place, "\n4321\n");
        for (int i = 0; i < 5000 && watts != 4321; i++)
            assert_int_equal(power_line.read(hand.handle, &t_s, &watts, &error), STATUS_OK);
        assert_float_equal(watts, 4321, 0);
    }
    power_line.close(hand.handle);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_fifo_by_arrival, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_fifo_by_a_fast_clock_of_the_meter, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_fifo_in_bursts, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_serial_line_in_pieces, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_file_that_grows, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_fifo_outlives_its_writers, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_file_may_be_cut_and_replaced, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_line_that_hangs_up_is_gone, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(what_tells_nothing_is_said_at_once, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(what_is_no_meter_is_not_found, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_known_delay_is_taken_off, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(two_columns_of_one_file_are_two_meters, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(noise_does_no_harm, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
