/* The sensor "line": a meter that writes a line of numbers for each reading, by a serial line, a FIFO or a
 * file that grows: a wattmeter's log, or a microcontroller with a Hall sensor (Su et al. 2014). Lines that
 * are no readings are skipped and counted; silence is no error, a line that hung up is. */
#include "runner/power/meters/line_clock.h"
#include "runner/power/meters/line_source.h"
#include "runner/power/meters/line_text.h"
#include "runner/power/sensor.h"

#include "base/clock.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 65536, LINE_BYTES = 512, EXAMPLE_BYTES = 48 };

/* A reader may be asked to stop: it waits no longer. */
static const double LISTEN_S = 0.1;

/* Until its first reading, unless wait= says otherwise: a board that a reader's coming resets, a wattmeter
 * that tells every few seconds. */
static const double FIRST_WORD_S = 10;

struct line_meter {
    struct line_source *source;
    struct line_format format;
    struct line_clock clock;
    double delay_s, last_s;
    char line[LINE_BYTES]; /* begun, without its end yet */
    size_t length;
    bool skips; /* what comes up to the next line end is not whole */
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
        meter->readings = realloc(meter->readings, meter->capacity * sizeof *meter->readings);
        meter->times_s = realloc(meter->times_s, meter->capacity * sizeof *meter->times_s);
        if (meter->readings == NULL || meter->times_s == NULL)
            abort();
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
            skip(meter, LINE_NOT_NUMBERS); /* no line of numbers is as long */
            meter->skips = true;
        }
    }
}

/* ---- what struct power_sensor wants ---- */

static enum status read_settings(const struct sensor_request *request, struct line_format *format,
                                 struct serial_settings *settings, double *delay_s, double *wait_s,
                                 struct error *error)
{
    *settings = (struct serial_settings){.baud = 115200, .parity = 'n', .data_bits = 8, .stop_bits = 1};
    if (request_text(request, "period") != NULL) {
        error_set(error, STATUS_USAGE, "--power: line takes no period=: the meter writes when it pleases");
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
    channels[0] = (struct sensor_channel){.quantity = SENSOR_POWER, .whole = true};
    snprintf(channels[0].name, sizeof channels[0].name, "line:%.120s", request->address);
    const char *label = request_text(request, "label");
    snprintf(channels[0].label, sizeof channels[0].label, "%s", label == NULL ? "line meter" : label);
    snprintf(channels[0].path, sizeof channels[0].path, "%s", request->address);
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
              "%s: '%s' has more columns than it should, or a decimal comma, which is no number here", path,
              meter->example);
    error_hint(error,
               "have the meter write a point, or let `sed -u s/,/./` write to a FIFO; for more columns say "
               "columns=, as in columns=w:-");
    return STATUS_UNAVAILABLE;
}

static enum status silent(const struct line_meter *meter, const char *path, double wait_s,
                          struct error *error)
{
    if (meter->skipped == 0) {
        error_set(error, STATUS_UNAVAILABLE, "%s: the meter wrote nothing within %g s", path, wait_s);
        error_hint(error,
                   "is it on, and its speed right (baud=115200 unless said)? wait=SECONDS waits longer");
    } else {
        error_set(error, STATUS_UNAVAILABLE, "%s: no reading within %g s, but %zu other lines, such as '%s'",
                  path, wait_s, meter->skipped, meter->example);
        error_hint(error,
                   "a line must have %zu number(s), as columns= says; strange signs mean a wrong baud=",
                   meter->format.count);
    }
    return STATUS_UNAVAILABLE;
}

/* Goes on to the next arrival when all that came is given. */
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

/* The user is told now, and not after an hour, that the meter says nothing that can be read. */
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
    struct line_meter *meter = calloc(1, sizeof *meter);
    if (meter == NULL)
        abort();
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
    if (!(when_s > meter->last_s)) /* without a time, or of a clock that was aligned anew */
        return STATUS_OK;
    *t_s = meter->last_s = when_s;
    values[0] = meter->readings[i].watts;
    return STATUS_OK;
}

static const char *const settings[] = {"columns", "volts", "scale", "baud", "parity",
                                       "delay",   "wait",  "label", NULL};

const struct power_sensor power_line = {
    .name = "line",
    .what = "power that a meter writes as lines, by a serial line, a FIFO or a file (line=PATH)",
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
