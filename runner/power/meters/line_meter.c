/* The sensor "line": a meter that writes a line of numbers for each reading, to a serial line, a FIFO or a
 * growing file: a wattmeter's log, or a microcontroller with a Hall sensor (Su et al. 2014). Lines that are
 * not readings are skipped and counted. Silence is no error; a serial line that hung up is. */
#include "base/clock.h"
#include "base/memory.h"
#include "runner/power/meters/line_text.h"
#include "runner/power/meters/meter_channel.h"
#include "runner/power/meters/serial.h"
#include "runner/power/sensor.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- line source ---- */

/* The input of a line meter: a serial line, a FIFO or a growing file. Data from before the source was opened
 * is skipped. */

/* The relation of bytes to those returned before them. */
enum line_joint {
    LINE_GOES_ON, /* they continue them */
    LINE_BEGINS,  /* a new line starts here; the previous one had no end */
    LINE_IS_TORN, /* they may start within a line */
};

/* A file system that does not report changes (NFS) is polled this often. */
static const double LOOK_S = 0.02;

enum { PATH_BYTES = REQUEST_TEXT_BYTES, DRAIN_BYTES = 4096, DRAINS_MOST = 4096 };

struct line_source {
    char path[PATH_BYTES];
    int fd;
    int watch; /* reports changes of a file; -1: not supported on this system */
    bool is_file;
    enum line_joint joint; /* of what comes next */
};

static void line_source_close(struct line_source *source)
{
    if (source == NULL)
        return;
    if (source->watch >= 0)
        close(source->watch);
    if (source->fd >= 0)
        close(source->fd);
    free(source);
}

/* Checks a path. STATUS_UNAVAILABLE with the reason if it is none of the three, or does not exist. */
static enum status line_source_look(const char *path, struct error *error)
{
    struct stat status;
    int access_number = 0;
    if (stat(path, &status) != 0)
        return serial_refused(path, errno, error);
    if (S_ISCHR(status.st_mode) || S_ISFIFO(status.st_mode) || S_ISREG(status.st_mode)) {
        access_number = access(path, R_OK | (S_ISREG(status.st_mode) ? 0 : W_OK)) == 0 ? 0 : errno;
        return access_number == 0 ? STATUS_OK : serial_refused(path, access_number, error);
    }
    error_set(error, STATUS_UNAVAILABLE, "%s is not a serial line, FIFO or file", path);
    error_hint(error, "a program that reads the meter can write to one: mkfifo /tmp/meter");
    return STATUS_UNAVAILABLE;
}

/* Discards what a FIFO's writer sent before this reader opened it. */
static void drain(struct line_source *source)
{
    char bytes[DRAIN_BYTES];
    char last = '\n';
    for (int i = 0; i < DRAINS_MOST; i++) {
        ssize_t count = read(source->fd, bytes, sizeof bytes);
        if (count <= 0)
            break;
        last = bytes[count - 1];
    }
    source->joint = last == '\n' || last == '\r' ? LINE_BEGINS : LINE_IS_TORN;
}

static void go_to_end(struct line_source *source)
{
    off_t end = lseek(source->fd, 0, SEEK_END);
    char last = '\n';
    if (end > 0 && pread(source->fd, &last, 1, end - 1) != 1)
        last = '\0';
    source->joint = last == '\n' || last == '\r' ? LINE_BEGINS : LINE_IS_TORN;
}

static void watch_file(struct line_source *source)
{
    source->watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (source->watch >= 0)
        (void)inotify_add_watch(source->watch, source->path, IN_MODIFY | IN_ATTRIB | IN_MOVE_SELF);
}

static enum status open_it(struct line_source *source, const struct serial_settings *settings,
                           struct error *error)
{
    struct stat status;
    if (stat(source->path, &status) != 0)
        return serial_refused(source->path, errno, error);
    source->joint = LINE_IS_TORN;
    if (S_ISCHR(status.st_mode))
        return serial_open(source->path, settings, &source->fd, error);
    source->is_file = S_ISREG(status.st_mode);
    source->fd = open(source->path, (source->is_file ? O_RDONLY : O_RDWR) | O_NONBLOCK | O_CLOEXEC);
    if (source->fd < 0)
        return serial_refused(source->path, errno, error);
    if (source->is_file) {
        go_to_end(source);
        watch_file(source);
        return STATUS_OK;
    }
    if (!serial_claim(source->fd))
        return serial_refused(source->path, EBUSY, error);
    drain(source);
    return STATUS_OK;
}

/* Opens a FIFO for writing too, so that it survives a change of writers; reads a file from its end. */
static enum status line_source_open(const char *path, const struct serial_settings *settings,
                                    struct line_source **source, struct error *error)
{
    enum status status = line_source_look(path, error);
    if (status != STATUS_OK)
        return status;
    struct line_source *made = memory_zeroed(1, sizeof *made);
    snprintf(made->path, sizeof made->path, "%s", path);
    made->fd = made->watch = -1;
    status = open_it(made, settings, error);
    if (status == STATUS_OK)
        *source = made;
    else
        line_source_close(made);
    return status;
}

/* Continues with the file that is at the path now, if it is another one. */
static bool follow_name(struct line_source *source)
{
    struct stat named;
    struct stat held;
    if (stat(source->path, &named) != 0 || fstat(source->fd, &held) != 0 || !S_ISREG(named.st_mode) ||
        (named.st_ino == held.st_ino && named.st_dev == held.st_dev))
        return false;
    int fd = open(source->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return false;
    close(source->fd);
    source->fd = fd;
    if (source->watch >= 0)
        close(source->watch);
    watch_file(source);
    return true;
}

/* At the file's end: true if it was truncated or replaced, and is now read from its new beginning. */
static bool begins_anew(struct line_source *source)
{
    struct stat status;
    off_t at = lseek(source->fd, 0, SEEK_CUR);
    if (fstat(source->fd, &status) == 0 && status.st_size < at)
        return lseek(source->fd, 0, SEEK_SET) == 0;
    return follow_name(source);
}

static void forget_changes(int watch)
{
    char events[DRAIN_BYTES];
    while (watch >= 0 && read(watch, events, sizeof events) > 0)
        ;
}

static enum status hung_up(const struct line_source *source, int number, struct error *error)
{
    error_set(error, STATUS_FAILED, "%s: the line hung up%s%s", source->path, number == 0 ? "" : ": ",
              number == 0 ? "" : strerror(number));
    error_hint(error, "was the cable pulled, or the meter switched off?");
    return STATUS_FAILED;
}

/* The number of bytes, 0 if there are none now, -1 if the line hung up. A FIFO that is held open for writing
 * has no end. */
static ssize_t take(struct line_source *source, char *bytes, size_t capacity)
{
    errno = 0;
    ssize_t count = read(source->fd, bytes, capacity);
    if (count > 0 || source->is_file)
        return count > 0 ? count : 0;
    return count < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -1;
}

/* Waits up to wait_s for input; *count is 0 when none came. *arrival_s (clock_now_s) is its time. A truncated
 * or replaced file is read from its new beginning; a removed one is awaited. STATUS_FAILED: the serial line
 * hung up. */
static enum status line_source_read(struct line_source *source, double wait_s, char *bytes, size_t capacity,
                                    size_t *count, double *arrival_s, enum line_joint *joint,
                                    struct error *error)
{
    double until_s = clock_now_s() + wait_s;
    while (true) {
        forget_changes(source->watch);
        ssize_t taken = take(source, bytes, capacity);
        *arrival_s = clock_now_s();
        *count = taken > 0 ? (size_t)taken : 0;
        if (taken < 0)
            return hung_up(source, errno, error);
        if (taken > 0 || *arrival_s >= until_s)
            break;
        if (source->is_file && begins_anew(source)) {
            source->joint = LINE_BEGINS;
            continue;
        }
        double rest_s = until_s - *arrival_s;
        struct pollfd line = {source->is_file ? source->watch : source->fd, POLLIN, 0};
        (void)poll(&line, 1, (int)ceil((source->is_file ? fmin(rest_s, LOOK_S) : rest_s) * 1e3));
    }
    *joint = source->joint;
    source->joint = *count > 0 ? LINE_GOES_ON : source->joint;
    return STATUS_OK;
}

/* ---- line meter ---- */

enum { CHUNK_BYTES = 65536, LINE_BYTES = 512, EXAMPLE_BYTES = 48 };

/* The longest single wait, so that the reader can be stopped. */
static const double LISTEN_S = 0.1;

/* The wait for the first reading, unless wait= is given: opening the line may reset a board, and some
 * wattmeters report only every few seconds. */
static const double FIRST_WORD_S = 10;

struct line_meter {
    struct line_source *source;
    struct line_format format;
    struct line_clock clock;
    double delay_s, last_s;
    char line[LINE_BYTES]; /* started, but not yet complete */
    size_t length;
    bool skips; /* the data up to the next line end is incomplete */
    size_t skipped;
    char example[EXAMPLE_BYTES]; /* of a line that was skipped */
    enum line_kind example_kind;
    struct line_reading *readings; /* of one arrival */
    double *times_s;
    size_t count, capacity, next;
};

/* ---- lines ---- */

static void keep(struct line_meter *meter, const struct line_reading *reading)
{
    if (meter->count == meter->capacity) {
        meter->capacity = meter->capacity == 0 ? 64 : meter->capacity * 2;
        meter->readings = memory_resized(meter->readings, meter->capacity, sizeof *meter->readings);
        meter->times_s = memory_resized(meter->times_s, meter->capacity, sizeof *meter->times_s);
    }
    meter->readings[meter->count++] = *reading;
}

static void skip(struct line_meter *meter, enum line_kind kind)
{
    size_t length = meter->length < sizeof meter->example ? meter->length : sizeof meter->example - 1;
    meter->skipped++;
    meter->example_kind = kind;
    for (size_t i = 0; i < length; i++)
        meter->example[i] = (char)(isprint((unsigned char)meter->line[i]) ? meter->line[i] : '?');
    meter->example[length] = '\0';
}

static void end_line(struct line_meter *meter)
{
    struct line_reading reading;
    enum line_kind kind = LINE_EMPTY;
    if (!meter->skips)
        kind = line_read(&meter->format, meter->line, meter->length, &reading);
    if (kind == LINE_READING || kind == LINE_MISSING)
        keep(meter, &reading);
    else if (kind != LINE_EMPTY)
        skip(meter, kind);
    meter->length = 0;
    meter->skips = false;
}

static void add_bytes(struct line_meter *meter, const char *bytes, size_t count, enum line_joint joint)
{
    if (joint != LINE_GOES_ON) {
        meter->length = 0;
        meter->skips = joint == LINE_IS_TORN;
    }
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] == '\n' || bytes[i] == '\r') {
            end_line(meter);
        } else if (meter->length < sizeof meter->line) {
            meter->line[meter->length++] = bytes[i];
        } else if (!meter->skips) {
            skip(meter, LINE_NOT_NUMBERS); /* no line of numbers is this long */
            meter->skips = true;
        }
    }
}

/* ---- the functions of struct power_sensor ---- */

static enum status read_settings(const struct sensor_request *request, struct line_format *format,
                                 struct serial_settings *settings, double *delay_s, double *wait_s,
                                 struct error *error)
{
    *settings = (struct serial_settings){.baud = 115200, .parity = 'n', .data_bits = 8, .stop_bits = 1};
    if (request_text(request, "period") != NULL) {
        error_set(error, STATUS_USAGE, "--power: line accepts no period=: the meter sets its own rate");
        error_hint(error, "set it at the meter");
        return STATUS_USAGE;
    }
    enum status status = line_format_read(request, format, error);
    if (status == STATUS_OK)
        status = serial_settings_read(request, settings, error);
    if (status == STATUS_OK)
        status = request_number(request, "delay", 0, 0, 60, delay_s, error);
    return status == STATUS_OK ? request_number(request, "wait", FIRST_WORD_S, 0, 3600, wait_s, error)
                               : status;
}

static enum status find(const struct sensor_request *request, struct sensor_channel *channels,
                        size_t capacity, size_t *count, struct error *error)
{
    struct line_format format;
    struct serial_settings settings;
    double delay_s;
    double wait_s;
    *count = 0;
    enum status status = read_settings(request, &format, &settings, &delay_s, &wait_s, error);
    if (status == STATUS_OK)
        status = line_source_look(request->address, error);
    if (status != STATUS_OK || capacity == 0)
        return status;
    channels[0] = meter_channel(request, "line meter");
    *count = 1;
    return STATUS_OK;
}

static void close_meter(void *handle)
{
    struct line_meter *meter = handle;
    line_source_close(meter->source);
    free(meter->readings);
    free(meter->times_s);
    free(meter);
}

static enum status decimal_comma(const struct line_meter *meter, const char *path, struct error *error)
{
    error_set(error, STATUS_UNAVAILABLE,
              "%s: '%s' has more columns than expected, or a decimal comma, which is not accepted", path,
              meter->example);
    error_hint(error, "set the meter to a decimal point, or pipe its output through `sed -u s/,/./` to a "
                      "FIFO; for more columns give columns=, as in columns=w:-");
    return STATUS_UNAVAILABLE;
}

static enum status silent(const struct line_meter *meter, const char *path, double wait_s,
                          struct error *error)
{
    if (meter->skipped == 0) {
        error_set(error, STATUS_UNAVAILABLE, "%s: the meter wrote nothing within %g s", path, wait_s);
        error_hint(error,
                   "is it on, and its speed correct (default: baud=115200)? wait=SECONDS waits longer");
    } else {
        error_set(error, STATUS_UNAVAILABLE, "%s: no reading within %g s, but %zu other lines, such as '%s'",
                  path, wait_s, meter->skipped, meter->example);
        error_hint(error,
                   "a line must have %zu number(s), as columns= specifies; garbled text means a wrong baud=",
                   meter->format.count);
    }
    return STATUS_UNAVAILABLE;
}

/* Receives the next readings; all earlier ones have been delivered. */
static enum status listen(struct line_meter *meter, double wait_s, struct error *error)
{
    char bytes[CHUNK_BYTES];
    size_t count;
    double arrival_s;
    enum line_joint joint;
    meter->count = meter->next = 0;
    enum status status =
        line_source_read(meter->source, wait_s, bytes, sizeof bytes, &count, &arrival_s, &joint, error);
    if (status != STATUS_OK || count == 0)
        return status;
    add_bytes(meter, bytes, count, joint);
    line_clock_stamp(&meter->clock, arrival_s, meter->readings, meter->count, meter->times_s);
    return STATUS_OK;
}

/* Reports early, not after an hour, that none of the meter's output can be parsed. */
static enum status await_first(struct line_meter *meter, const char *path, double wait_s, struct error *error)
{
    double until_s = clock_now_s() + wait_s;
    enum status status = STATUS_OK;
    while (status == STATUS_OK && meter->count == 0 && clock_now_s() < until_s) {
        status = listen(meter, LISTEN_S, error);
        if (status == STATUS_OK && meter->skipped > 0 && meter->example_kind == LINE_DECIMAL_COMMA)
            status = decimal_comma(meter, path, error);
    }
    return status == STATUS_OK && meter->count == 0 && wait_s > 0 ? silent(meter, path, wait_s, error)
                                                                  : status;
}

static enum status open_meter(const struct sensor_request *request, const struct sensor_channel *channels,
                              size_t count, void **handle, struct error *error)
{
    struct serial_settings settings;
    double wait_s;
    (void)channels;
    (void)count;
    struct line_meter *meter = memory_zeroed(1, sizeof *meter);
    meter->last_s = -INFINITY;
    enum status status = read_settings(request, &meter->format, &settings, &meter->delay_s, &wait_s, error);
    if (status == STATUS_OK)
        status = line_source_open(request->address, &settings, &meter->source, error);
    if (status == STATUS_OK)
        status = await_first(meter, request->address, wait_s, error);
    if (status == STATUS_OK)
        *handle = meter;
    else
        close_meter(meter);
    return status;
}

static enum status read_meter(void *handle, double *t_s, double *values, struct error *error)
{
    struct line_meter *meter = handle;
    enum status status = STATUS_OK;
    values[0] = NAN;
    if (meter->next == meter->count)
        status = listen(meter, LISTEN_S, error);
    if (status != STATUS_OK || meter->next == meter->count)
        return status;
    size_t i = meter->next++;
    double when_s = meter->times_s[i] - meter->delay_s;
    if (!(when_s > meter->last_s)) /* without a time, or from a clock that was aligned again */
        return STATUS_OK;
    *t_s = meter->last_s = when_s;
    values[0] = meter->readings[i].watts;
    return STATUS_OK;
}

static const char *const settings[] = {"columns", "volts", "scale", "baud", "parity",
                                       "delay",   "wait",  "label", NULL};

const struct power_sensor power_line = {
    .name = "line",
    .what = "power from a meter that writes lines to a serial line, a FIFO or a file (line=PATH)",
    .type = "power",
    .external = true,
    .example = "line=/dev/ttyACM0@columns=v:a",
    .settings = settings,
    .period_s = 0,
    .rank = 100,
    .find = find,
    .open = open_meter,
    .read = read_meter,
    .close = close_meter};
