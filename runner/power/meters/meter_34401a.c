/* The sensor "34401a": an HP/Agilent 34401A on a serial line reads the voltage over a shunt in the supply.
 * The voltage divided by the shunt's resistance is the current, and the current times the rail's voltage is
 * the power (Joseph, Brooks, Martonosi 2001, section 3.1). The rail's voltage is a number, or read by a
 * second meter. */
#include "base/clock.h"
#include "base/memory.h"
#include "runner/power/meters/meter_channel.h"
#include "runner/power/meters/serial.h"
#include "runner/power/sensor.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

/* ---- the line ---- */

/* Commands and answers of a SCPI instrument on a serial line (IEEE 488.2; HP 34401A User's Guide, chapter 4).
 * One query at a time. */

enum { SCPI_WORD_BYTES = 128, SCPI_BUFFER_BYTES = 512, SCPI_ECHOES = 4 };

struct scpi {
    char path[REQUEST_TEXT_BYTES];
    int fd;
    char sent[SCPI_ECHOES][SCPI_WORD_BYTES]; /* the last commands, to recognise echoes */
    size_t sent_count;
    char buffer[SCPI_BUFFER_BYTES]; /* received, not yet processed */
    size_t at, end;
    double arrival_s;           /* of the data in the buffer */
    char word[SCPI_WORD_BYTES]; /* started, not yet complete */
    size_t length;
    double first_s; /* arrival of its first byte */
};

enum scpi_received {
    SCPI_NOTHING, /* within the time */
    SCPI_PART,    /* up to a comma, more follows */
    SCPI_LINE,    /* up to the line's end */
    SCPI_GONE,    /* the line hung up */
};

/* A command that has not left after this time never will. */
static const double SEND_S = 2;

static enum status scpi_open(const char *path, const struct serial_settings *settings, struct scpi *line,
                             struct error *error)
{
    *line = (struct scpi){.fd = -1};
    snprintf(line->path, sizeof line->path, "%s", path);
    return serial_open(path, settings, &line->fd, error);
}

/* The error for a line that hung up. */
static enum status scpi_hung_up(const struct scpi *line, struct error *error)
{
    error_set(error, STATUS_FAILED, "%s: the line hung up", line->path);
    error_hint(error, "was the cable pulled, or the meter switched off?");
    return STATUS_FAILED;
}

static int milliseconds_until(double until_s)
{
    double left_s = until_s - clock_now_s();
    return left_s > 0 ? (int)ceil(left_s * 1e3) : 0;
}

/* Sends the command with its line end; *sent_s (clock_now_s) is when the last bit had left. STATUS_FAILED
 * when the line hung up or accepts nothing. */
static enum status scpi_send(struct scpi *line, const char *command, double *sent_s, struct error *error)
{
    char text[SCPI_WORD_BYTES + 1];
    double until_s = clock_now_s() + SEND_S;
    size_t length = (size_t)snprintf(text, sizeof text, "%.*s\n", SCPI_WORD_BYTES - 1, command);
    snprintf(line->sent[line->sent_count++ % SCPI_ECHOES], SCPI_WORD_BYTES, "%.*s", SCPI_WORD_BYTES - 1,
             command);
    for (size_t done = 0; done < length;) {
        ssize_t count = write(line->fd, text + done, length - done);
        done += count > 0 ? (size_t)count : 0;
        if (count < 0 && errno != EAGAIN && errno != EINTR)
            return scpi_hung_up(line, error);
        if (done == length)
            break;
        if (clock_now_s() >= until_s)
            return error_set(error, STATUS_FAILED, "%s: the line accepts no more commands", line->path);
        struct pollfd out = {line->fd, POLLOUT, 0};
        (void)poll(&out, 1, milliseconds_until(until_s));
    }
    (void)tcdrain(line->fd);
    *sent_s = clock_now_s();
    return STATUS_OK;
}

/* Waits for bytes if all received ones are processed. Unless `late`, it also takes bytes that are already
 * there after until_s. Returns SCPI_LINE if there are some. */
static enum scpi_received fill(struct scpi *line, double until_s, bool late)
{
    while (line->at == line->end) {
        if (late && clock_now_s() >= until_s)
            return SCPI_NOTHING;
        ssize_t count = read(line->fd, line->buffer, sizeof line->buffer);
        line->arrival_s = clock_now_s();
        line->at = 0;
        line->end = count > 0 ? (size_t)count : 0;
        if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR))
            return SCPI_GONE;
        if (count > 0)
            break;
        if (line->arrival_s >= until_s)
            return SCPI_NOTHING;
        struct pollfd in = {line->fd, POLLIN, 0};
        (void)poll(&in, 1, milliseconds_until(until_s));
    }
    return SCPI_LINE;
}

static bool is_echo(const struct scpi *line, const char *text)
{
    for (size_t i = 0; i < SCPI_ECHOES; i++)
        if (strcmp(line->sent[i], text) == 0)
            return true;
    return false;
}

/* The word as text without surrounding spaces; false if it is empty, or an echo. */
static bool finish(struct scpi *line, char text[SCPI_WORD_BYTES], double *first_s)
{
    size_t from = 0;
    size_t to = line->length;
    while (from < to && isspace((unsigned char)line->word[from]))
        from++;
    while (to > from && isspace((unsigned char)line->word[to - 1]))
        to--;
    for (size_t i = from; i < to; i++)
        text[i - from] = (char)(isprint((unsigned char)line->word[i]) ? line->word[i] : '?');
    text[to - from] = '\0';
    *first_s = line->first_s;
    line->length = 0;
    return to > from && !is_echo(line, text);
}

/* Receives until the moment until_s: up to a comma if parts is set, else up to the line's end; skips empty
 * lines and echoes. text: the received text, with unprintable bytes as '?'. *first_s: the arrival of its
 * first byte. */
static enum scpi_received scpi_receive(struct scpi *line, double until_s, bool parts,
                                       char text[SCPI_WORD_BYTES], double *first_s)
{
    bool late = false; /* a line that floods must not be read forever */
    while (true) {
        enum scpi_received received = fill(line, until_s, late);
        late = true;
        if (received != SCPI_LINE)
            return received;
        char byte = line->buffer[line->at++];
        bool part = parts && byte == ',';
        if (byte == '\n' || byte == '\r' || part) {
            if (finish(line, text, first_s))
                return part ? SCPI_PART : SCPI_LINE;
            continue;
        }
        if (line->length == 0)
            line->first_s = line->arrival_s;
        /* The rest of a longer word is dropped: it is noise, and no answer either way. */
        if (line->length < sizeof line->word - 1)
            line->word[line->length++] = byte;
    }
}

/* Sends the query and receives one line within patience_s. STATUS_UNAVAILABLE when there is no answer. */
static enum status scpi_ask(struct scpi *line, const char *question, double patience_s,
                            char text[SCPI_WORD_BYTES], struct error *error)
{
    double sent_s;
    double first_s;
    enum status status = scpi_send(line, question, &sent_s, error);
    if (status != STATUS_OK)
        return status;
    enum scpi_received received = scpi_receive(line, sent_s + patience_s, false, text, &first_s);
    if (received == SCPI_LINE)
        return STATUS_OK;
    if (received == SCPI_GONE)
        return scpi_hung_up(line, error);
    error_set(error, STATUS_UNAVAILABLE, "%s: no answer to '%s' within %g s", line->path, question,
              patience_s);
    error_hint(error, "is the meter on, its interface RS-232 (I/O MENU), its speed and parity as given here "
                      "(baud=9600@parity=none), the cable crossed?");
    return STATUS_UNAVAILABLE;
}

/* Discards everything received. */
static void scpi_forget(struct scpi *line)
{
    (void)tcflush(line->fd, TCIFLUSH);
    line->at = line->end = line->length = 0;
}

static void scpi_close(struct scpi *line)
{
    if (line->fd >= 0)
        close(line->fd);
    line->fd = -1;
}

/* ---- dmm ---- */

/* A multimeter with the HP/Agilent 34401A's command set that measures DC volts, one query after another
 * (User's Guide 34401-90004, chapter 4: CONFigure, TRIGger, READ?, SYSTem). */

struct dmm_settings {
    double range_v;  /* 0: the meter selects it, which costs time at each change */
    double nplc;     /* integration time in mains periods */
    bool nplc_given; /* by the user: refuse a meter that cannot set it */
    double mains_hz;
    double samples;  /* readings per query */
    double period_s; /* minimum time from one reading to the next */
};

struct dmm {
    struct scpi line;
    struct dmm_settings settings;
    bool queueless;              /* it has no error queue */
    bool pending;                /* an answer is pending */
    bool begun;                  /* its first reading has arrived */
    double query_s;              /* when the query had been sent */
    double due_s;                /* of the next query */
    double reading_s;            /* time of the last reading, or of the first query */
    unsigned unanswered;         /* consecutive queries without an answer */
    size_t overloads, others;    /* answers since the last reading that were not readings */
    char other[SCPI_WORD_BYTES]; /* the last of them */
};

/* Meters that take the same commands. */
static const char *const models[] = {"34401A", "34410A", "34411A", "34450A",
                                     "34460A", "34461A", "34465A", "34470A"};

/* The meter's answer for an input beyond its range. */
static const double OVERLOAD_V = 9e37;

static const double PATIENCE_S = 2;    /* in addition to the measuring time */
static const double WAKE_S = 0.3;      /* after a device clear (the manual's own recommendation) */
static const double NO_READING_S = 10; /* if the answers are invalid for this long, the meter is gone */

enum { UNANSWERED_MOST = 3 };

static double integration_s(const struct dmm_settings *settings)
{
    return settings->nplc / settings->mains_hz;
}

/* ---- set-up ---- */

static enum status check_model(const struct dmm *meter, const char *text, struct error *error)
{
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++)
        if (strstr(text, models[i]) != NULL)
            return STATUS_OK;
    error_set(error, STATUS_UNAVAILABLE,
              "%s: expected a 34401A, but the instrument identifies itself as '%s'", meter->line.path, text);
    error_hint(error,
               "garbled text means a wrong baud= or parity=; a meter that writes unasked is line=%.200s",
               meter->line.path);
    return STATUS_UNAVAILABLE;
}

/* A killed run may have left the meter in the middle of a list: the second try clears it (Ctrl-C). */
static enum status identify(struct dmm *meter, struct error *error)
{
    char text[SCPI_WORD_BYTES];
    double sent_s;
    enum status status = STATUS_OK;
    for (int attempt = 0; attempt < 2; attempt++) {
        if (attempt > 0) {
            status = scpi_send(&meter->line, "\003", &sent_s, error);
            clock_rest(WAKE_S);
            scpi_forget(&meter->line);
        }
        if (status == STATUS_OK)
            status = scpi_send(&meter->line, "SYST:REM", &sent_s, error);
        if (status == STATUS_OK)
            status = scpi_ask(&meter->line, "*IDN?", PATIENCE_S, text, error);
        if (status == STATUS_OK)
            status = check_model(meter, text, error);
        if (status != STATUS_UNAVAILABLE)
            break;
        if (attempt == 0)
            status = STATUS_OK;
    }
    return status;
}

/* Reads the oldest entry of the meter's error queue: an error in the commands. A meter without a queue is
 * judged by its readings. */
static enum status check_queue(struct dmm *meter, const char *command, struct error *error)
{
    char text[SCPI_WORD_BYTES];
    struct error no_answer;
    if (meter->queueless)
        return STATUS_OK;
    enum status status = scpi_ask(&meter->line, "SYST:ERR?", PATIENCE_S, text, &no_answer);
    if (status == STATUS_FAILED) {
        *error = no_answer;
        return status;
    }
    meter->queueless = status != STATUS_OK;
    char *end;
    if (status != STATUS_OK || (strtol(text, &end, 10) == 0 && end != text))
        return STATUS_OK;
    error_set(error, STATUS_UNAVAILABLE, "%s: the meter rejects '%s': %s", meter->line.path, command, text);
    error_hint(error, "range= is in volts (0.1, 1, 10, 100, 1000), nplc= one of 0.02, 0.2, 1, 10, 100");
    return STATUS_UNAVAILABLE;
}

/* Settings for speed. A related model that lacks one of them is only slower. */
static enum status set_speed(struct dmm *meter, struct error *error)
{
    const struct dmm_settings *settings = &meter->settings;
    char commands[4][SCPI_WORD_BYTES];
    double sent_s;
    double pause_s = settings->samples > 1 ? settings->period_s - integration_s(settings) : 0;
    snprintf(commands[0], SCPI_WORD_BYTES, "VOLT:DC:NPLC %g", settings->nplc);
    snprintf(commands[1], SCPI_WORD_BYTES, "ZERO:AUTO ONCE");
    snprintf(commands[2], SCPI_WORD_BYTES, "TRIG:DEL %.4f", fmax(0, pause_s));
    snprintf(commands[3], SCPI_WORD_BYTES, "SAMP:COUN %.0f", settings->samples);
    enum status status = STATUS_OK;
    for (size_t i = 0; i < 4 && status == STATUS_OK; i++) {
        bool required = i == 0 ? settings->nplc_given : i == 3 && settings->samples > 1;
        struct error refused = {0};
        if (i == 3 && settings->samples == 1)
            continue; /* as CONFigure leaves it */
        status = scpi_send(&meter->line, commands[i], &sent_s, error);
        if (status == STATUS_OK && check_queue(meter, commands[i], &refused) != STATUS_OK &&
            (required || refused.code == STATUS_FAILED)) {
            *error = refused;
            status = refused.code;
        }
    }
    return status;
}

/* Takes remote control of the meter, identifies it and sets it up. STATUS_UNAVAILABLE when it does not
 * answer, is another model, or reports an error. Close with dmm_close in every case. */
static enum status dmm_open(const char *path, const struct serial_settings *serial,
                            const struct dmm_settings *settings, struct dmm *meter, struct error *error)
{
    char command[SCPI_WORD_BYTES] = "CONF:VOLT:DC";
    double sent_s;
    *meter = (struct dmm){.settings = *settings};
    enum status status = scpi_open(path, serial, &meter->line, error);
    if (status == STATUS_OK)
        status = identify(meter, error);
    if (status == STATUS_OK)
        status = scpi_send(&meter->line, "*CLS", &sent_s, error);
    if (settings->range_v > 0)
        snprintf(command, sizeof command, "CONF:VOLT:DC %g", settings->range_v);
    if (status == STATUS_OK)
        status = scpi_send(&meter->line, command, &sent_s, error);
    if (status == STATUS_OK)
        status = check_queue(meter, command, error);
    if (status == STATUS_OK)
        status = set_speed(meter, error);
    meter->due_s = meter->reading_s = clock_now_s();
    return status;
}

/* ---- reading ---- */

/* The error for a meter whose answers were not readings, or that sent none. */
static enum status dmm_no_readings(const struct dmm *meter, struct error *error)
{
    const char *path = meter->line.path;
    if (meter->overloads > meter->others) {
        error_set(error, STATUS_FAILED, "%s: the input exceeds the range of %g V (%zu consecutive readings)",
                  path, meter->settings.range_v, meter->overloads);
        error_hint(error, "use a larger range=, or none, so that the meter chooses");
    } else {
        error_set(error, STATUS_FAILED, "%s: %zu consecutive answers were not readings, such as '%.40s'",
                  path, meter->others, meter->other);
        error_hint(error, "expected numbers such as +1.23456789E-03; garbled text means a bad line");
    }
    return STATUS_FAILED;
}

static enum status send_query(struct dmm *meter, struct error *error)
{
    enum status status = scpi_send(&meter->line, "READ?", &meter->query_s, error);
    meter->pending = status == STATUS_OK;
    meter->begun = false;
    return status;
}

/* If the answer is overdue, the query or the answer may be lost: the query is repeated, a limited number of
 * times. */
static enum status check_silence(struct dmm *meter, double now_s, struct error *error)
{
    double since_s = fmax(meter->query_s, meter->begun ? meter->reading_s : 0);
    double longest_s = PATIENCE_S + 4 * integration_s(&meter->settings) + meter->settings.period_s;
    if (!meter->pending || now_s < since_s + longest_s)
        return STATUS_OK;
    meter->pending = false;
    meter->due_s = now_s;
    if (++meter->unanswered < UNANSWERED_MOST)
        return STATUS_OK;
    error_set(error, STATUS_FAILED, "%s: the meter no longer answers (queried %d times)", meter->line.path,
              UNANSWERED_MOST);
    error_hint(error, "was it switched off, or set to local at its keys?");
    return STATUS_FAILED;
}

static bool is_number(const char *text, double *value)
{
    char *end;
    if (text[strspn(text, "+-.0123456789eE")] != '\0')
        return false;
    *value = strtod(text, &end);
    return end != text && *end == '\0';
}

/* Evaluates one word of an answer. */
static void take(struct dmm *meter, const char *text, double first_s, double *t_s, double *volts)
{
    double value = NAN;
    *t_s = meter->begun ? first_s - integration_s(&meter->settings) / 2 : (meter->query_s + first_s) / 2;
    meter->begun = true;
    meter->unanswered = 0;
    if (!is_number(text, &value)) {
        meter->others++;
        snprintf(meter->other, sizeof meter->other, "%s", text);
    } else if (fabs(value) >= OVERLOAD_V) {
        meter->overloads++;
    } else {
        meter->overloads = meter->others = 0;
        meter->reading_s = first_s;
        *volts = value;
    }
}

/* Waits for the next reading until the moment until_s, and queries it when due. *volts is NAN when none came,
 * or the input exceeded the range (9.9E37). *t_s is the middle of the integration: half way from the query to
 * the answer's first byte or, in a list, half an integration time before the reading started to arrive.
 * STATUS_FAILED when the line hung up, or the meter is silent, or has sent no reading for NO_READING_S. */
static enum status dmm_read(struct dmm *meter, double until_s, double *t_s, double *volts,
                            struct error *error)
{
    char text[SCPI_WORD_BYTES];
    double first_s;
    *volts = NAN;
    if (!meter->pending && clock_now_s() < meter->due_s) {
        clock_rest(fmin(meter->due_s, until_s) - clock_now_s());
        if (clock_now_s() < meter->due_s)
            return STATUS_OK;
    }
    enum status status = meter->pending ? STATUS_OK : send_query(meter, error);
    if (status != STATUS_OK)
        return status;
    enum scpi_received received =
        scpi_receive(&meter->line, until_s, meter->settings.samples > 1, text, &first_s);
    if (received == SCPI_GONE)
        return scpi_hung_up(&meter->line, error);
    if (received == SCPI_NOTHING)
        return check_silence(meter, clock_now_s(), error);
    take(meter, text, first_s, t_s, volts);
    if (received == SCPI_LINE) {
        meter->pending = false;
        meter->due_s =
            fmax(meter->query_s + meter->settings.period_s * (meter->settings.samples == 1), clock_now_s());
    }
    bool lost = meter->overloads + meter->others > 2 && first_s > meter->reading_s + NO_READING_S;
    return lost ? dmm_no_readings(meter, error) : STATUS_OK;
}

/* Returns the meter to local control. */
static void dmm_close(struct dmm *meter)
{
    struct error error;
    double sent_s;
    if (meter->line.fd >= 0) {
        bool stopped = !meter->pending || meter->settings.samples == 1 ||
                       scpi_send(&meter->line, "\003", &sent_s, &error) == STATUS_OK;
        if (stopped)
            (void)scpi_send(&meter->line, "SYST:LOC", &sent_s, &error);
    }
    scpi_close(&meter->line);
}

/* ---- meter 34401a ---- */

/* The paper's 50 readings per second, or as many as the line can carry. */
static const double PERIOD_S = 0.02;

static const double LISTEN_S = 0.1;

/* The longest wait for the first reading, which autozero delays. */
static const double FIRST_S = 15;

/* An older voltage of the rail is not used. */
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
    double rail_v, rail_s; /* the second meter's latest value, and its time */
};

/* ---- settings ---- */

static enum status need(const struct sensor_request *request, const char *key, const char *example,
                        struct error *error)
{
    if (request_text(request, key) != NULL)
        return STATUS_OK;
    error_set(error, STATUS_USAGE, "--power: 34401a needs %s=", key);
    error_hint(error, "add %s, as in 34401a=%.200s@shunt=0.005@rail=12", example, request->address);
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
    error_hint(error, "set rail= to the path of the second meter, or the rail's volts");
    return STATUS_USAGE;
}

/* A number in the request, and its destination. */
struct meter_number {
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
    const struct meter_number numbers[] = {
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
                                .dmm.nplc_given = request_text(request, "nplc") != NULL};
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

/* ---- the functions of struct power_sensor ---- */

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
    char rail[32] = "rail";
    if (settings.rail_path == NULL)
        snprintf(rail, sizeof rail, "%g V rail", settings.rail_v);
    channels[0] = meter_channel(request, rail);
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

/* Sets rail_v to the rail's latest value, or NAN if that is too old. */
static enum status read_rail_volts(struct shunt_meter *meter, double until_s, struct error *error)
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
    enum status status = read_rail_volts(meter, 0, error);
    if (status == STATUS_OK)
        status = dmm_read(&meter->shunt, clock_now_s() + LISTEN_S, &when_s, &volts, error);
    if (status != STATUS_OK || !isfinite(volts) || !isfinite(meter->rail_v))
        return status;
    *t_s = when_s - meter->settings.delay_s;
    values[0] = volts / meter->settings.ohm * meter->rail_v;
    return STATUS_OK;
}

/* Reports early, not after an hour, that no reading is valid. */
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
            status = read_rail_volts(meter, clock_now_s() + LISTEN_S, error);
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
    struct shunt_meter *meter = memory_zeroed(1, sizeof *meter);
    meter->shunt.line.fd = meter->rail.line.fd = -1;
    struct shunt_settings *settings = &meter->settings;
    enum status status = read_settings(request, settings, error);
    if (status == STATUS_OK)
        status = dmm_open(request->address, &settings->serial, &settings->dmm, &meter->shunt, error);
    meter->rail_v = settings->rail_v;
    if (status == STATUS_OK && settings->rail_path != NULL) {
        struct dmm_settings rail = settings->dmm;
        rail.range_v = 0; /* range= is that of the shunt */
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
    .what = "power from the voltage over a shunt, read by an HP/Agilent 34401A (34401a=PATH)",
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
