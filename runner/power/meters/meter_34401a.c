/* The sensor "34401a": an HP/Agilent 34401A on a serial line reads the voltage over a shunt in the supply;
 * over the shunt's resistance it is the current, times the rail's voltage the power (Joseph, Brooks,
 * Martonosi 2001, section 3.1). The rail's voltage is a number, or read by a second meter. */
#include "runner/power/meters/dmm.h"
#include "runner/power/sensor.h"

#include "base/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The paper's 50 readings a second, or as many as the line carries. */
static const double PERIOD_S = 0.02;

static const double LISTEN_S = 0.1;

/* The first reading of all, which autozero makes long. */
static const double FIRST_S = 15;

/* The rail's voltage moves little, but an old one is none. */
static const double RAIL_LASTS_S = 5;

struct shunt_settings {
    double ohm;
    double rail_v;         /* NAN: read at rail_path */
    const char *rail_path; /* NULL: a number */
    double delay_s;
    struct dmm_settings dmm;
    struct serial_settings serial;
};

struct shunt_meter {
    struct shunt_settings settings;
    struct dmm shunt, rail;
    double rail_v, rail_s; /* what the second meter last told, and when */
};

/* ---- settings ---- */

static enum status need(const struct sensor_request *request, const char *key, const char *example,
                        struct error *error)
{
    if (request_text(request, key) != NULL)
        return STATUS_OK;
    error_set(error, STATUS_USAGE, "--power: 34401a needs %s=", key);
    error_hint(error, "say %s, as in 34401a=%.200s@shunt=0.005@rail=12", example, request->address);
    return STATUS_USAGE;
}

static enum status read_rail(const struct sensor_request *request, struct shunt_settings *settings,
                             struct error *error)
{
    const char *text = request_text(request, "rail");
    settings->rail_path = text[0] == '/' ? text : NULL;
    settings->rail_v = NAN;
    if (settings->rail_path == NULL)
        return request_number(request, "rail", NAN, 1e-3, 1e6, &settings->rail_v, error);
    if (strcmp(text, request->address) != 0)
        return STATUS_OK;
    error_set(error, STATUS_USAGE, "--power: 34401a: %s cannot read the shunt and the rail at once", text);
    error_hint(error, "give rail= the path of the second meter, or the rail's volts");
    return STATUS_USAGE;
}

/* A number of the request, and where it is kept. */
struct number {
    const char *key;
    double fallback, least, below;
    double *value;
};

static enum status check_numbers(struct shunt_settings *settings, struct error *error)
{
    static const double nplcs[] = {0.02, 0.2, 1, 10, 100};
    bool known = false;
    for (size_t i = 0; i < sizeof nplcs / sizeof nplcs[0]; i++)
        known = known || settings->dmm.nplc == nplcs[i];
    if (known && settings->dmm.samples == floor(settings->dmm.samples))
        return STATUS_OK;
    error_set(error, STATUS_USAGE, "--power: 34401a: nplc=%g@samples=%g is not possible", settings->dmm.nplc,
              settings->dmm.samples);
    error_hint(error, "nplc= is one of 0.02, 0.2, 1, 10, 100; samples= a whole number up to 50000");
    return STATUS_USAGE;
}

static enum status read_settings(const struct sensor_request *request, struct shunt_settings *settings,
                                 struct error *error)
{
    const struct number numbers[] = {
        {"shunt", NAN, 1e-9, 1e6, &settings->ohm},
        {"delay", 0, 0, 60, &settings->delay_s},
        {"period", PERIOD_S, 0, 3600, &settings->dmm.period_s},
        {"range", 0, 1e-3, 1001, &settings->dmm.range_v},
        {"nplc", 1, 0.02, 101, &settings->dmm.nplc},
        {"mains", 50, 40, 401, &settings->dmm.mains_hz},
        {"samples", 1, 1, 50001, &settings->dmm.samples},
    };
    *settings =
        (struct shunt_settings){.serial = {.baud = 9600, .parity = 'n', .data_bits = 8, .stop_bits = 2},
                                .dmm.nplc_asked = request_text(request, "nplc") != NULL};
    enum status status = need(request, "shunt", "the shunt's ohms", error);
    if (status == STATUS_OK)
        status = need(request, "rail", "the rail's volts, or the second meter's path", error);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0] && status == STATUS_OK; i++)
        status = request_number(request, numbers[i].key, numbers[i].fallback, numbers[i].least,
                                numbers[i].below, numbers[i].value, error);
    if (status == STATUS_OK)
        status = read_rail(request, settings, error);
    if (status != STATUS_OK && (isnan(settings->ohm) || isnan(settings->rail_v)))
        error_hint(error, "shunt= is in ohms, rail= in volts, or the path of the meter that reads them");
    if (status == STATUS_OK)
        status = check_numbers(settings, error);
    if (status == STATUS_OK)
        status = serial_settings_read(request, &settings->serial, error);
    settings->serial.data_bits = settings->serial.parity == 'n' ? 8 : 7; /* the meter's own rule */
    return status;
}

/* ---- what struct power_sensor wants ---- */

static enum status find(const struct sensor_request *request, struct sensor_channel *channels,
                        size_t capacity, size_t *count, struct error *error)
{
    struct shunt_settings settings;
    *count = 0;
    enum status status = read_settings(request, &settings, error);
    if (status == STATUS_OK)
        status = serial_look(request->address, error);
    if (status == STATUS_OK && settings.rail_path != NULL)
        status = serial_look(settings.rail_path, error);
    if (status != STATUS_OK || capacity == 0)
        return status;
    channels[0] = (struct sensor_channel){.quantity = SENSOR_POWER, .whole = true};
    const char *label = request_text(request, "label");
    snprintf(channels[0].name, sizeof channels[0].name, "34401a:%.110s", request->address);
    if (label != NULL || settings.rail_path != NULL)
        snprintf(channels[0].label, sizeof channels[0].label, "%s", label != NULL ? label : "rail");
    else
        snprintf(channels[0].label, sizeof channels[0].label, "%g V rail", settings.rail_v);
    snprintf(channels[0].path, sizeof channels[0].path, "%s", request->address);
    *count = 1;
    return STATUS_OK;
}

static void close_meter(void *handle)
{
    struct shunt_meter *meter = handle;
    dmm_close(&meter->shunt);
    dmm_close(&meter->rail);
    free(meter);
}

/* The rail's last word, when it is not too old. */
static enum status hear_rail(struct shunt_meter *meter, double until_s, struct error *error)
{
    double t_s;
    double volts;
    if (meter->settings.rail_path == NULL)
        return STATUS_OK;
    enum status status = dmm_read(&meter->rail, until_s, &t_s, &volts, error);
    if (status == STATUS_OK && isfinite(volts)) {
        meter->rail_v = volts;
        meter->rail_s = t_s;
    } else if (clock_now_s() > meter->rail_s + RAIL_LASTS_S) {
        meter->rail_v = NAN;
    }
    return status;
}

static enum status read_meter(void *handle, double *t_s, double *values, struct error *error)
{
    struct shunt_meter *meter = handle;
    double when_s = NAN;
    double volts = NAN;
    values[0] = NAN;
    enum status status = hear_rail(meter, 0, error);
    if (status == STATUS_OK)
        status = dmm_read(&meter->shunt, clock_now_s() + LISTEN_S, &when_s, &volts, error);
    if (status != STATUS_OK || !isfinite(volts) || !isfinite(meter->rail_v))
        return status;
    *t_s = when_s - meter->settings.delay_s;
    values[0] = volts / meter->settings.ohm * meter->rail_v;
    return STATUS_OK;
}

/* The user is told now, and not after an hour, that nothing can be read. */
static enum status await_first(struct shunt_meter *meter, struct error *error)
{
    double until_s = clock_now_s() + FIRST_S;
    double t_s;
    double watts = NAN;
    enum status status = STATUS_OK;
    const struct dmm *shunt = &meter->shunt;
    while (status == STATUS_OK && isnan(watts) && clock_now_s() < until_s &&
           shunt->overloads + shunt->others < 5) {
        if (isnan(meter->rail_v))
            status = hear_rail(meter, clock_now_s() + LISTEN_S, error);
        if (status == STATUS_OK)
            status = read_meter(meter, &t_s, &watts, error);
    }
    if (status == STATUS_OK && isnan(watts))
        status = dmm_no_readings(shunt->overloads + shunt->others > 0 ? shunt : &meter->rail, error);
    return status == STATUS_FAILED ? error->code = STATUS_UNAVAILABLE : status;
}

static enum status open_meter(const struct sensor_request *request, const struct sensor_channel *channels,
                              size_t count, void **handle, struct error *error)
{
    (void)channels;
    (void)count;
    struct shunt_meter *meter = calloc(1, sizeof *meter);
    if (meter == NULL)
        abort();
    meter->shunt.line.fd = meter->rail.line.fd = -1;
    struct shunt_settings *settings = &meter->settings;
    enum status status = read_settings(request, settings, error);
    if (status == STATUS_OK)
        status = dmm_open(request->address, &settings->serial, &settings->dmm, &meter->shunt, error);
    meter->rail_v = settings->rail_v;
    if (status == STATUS_OK && settings->rail_path != NULL) {
        struct dmm_settings rail = settings->dmm;
        rail.range_v = 0; /* range= is the shunt's */
        rail.samples = 1;
        status = dmm_open(settings->rail_path, &settings->serial, &rail, &meter->rail, error);
    }
    if (status == STATUS_OK)
        status = await_first(meter, error);
    if (status == STATUS_OK)
        *handle = meter;
    else
        close_meter(meter);
    return status;
}

static const char *const settings[] = {"shunt", "rail",    "baud",  "parity", "range", "nplc",
                                       "mains", "samples", "delay", "label",  NULL};

const struct power_sensor power_34401a = {
    .name = "34401a",
    .what = "power by the voltage over a shunt, read by an HP/Agilent 34401A (34401a=PATH)",
    .type = "power",
    .external = true,
    .example = "34401a=/dev/ttyUSB0@shunt=0.005@rail=12",
    .settings = settings,
    .period_s = 0,
    .rank = 100,
    .find = find,
    .open = open_meter,
    .read = read_meter,
    .close = close_meter};
