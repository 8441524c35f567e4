#include "runner/power/meters/dmm.h"

#include "base/clock.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Meters that take the same commands. */
static const char *const models[] = {"34401A", "34410A", "34411A", "34450A",
                                     "34460A", "34461A", "34465A", "34470A"};

/* What the meter says of an input beyond its range. */
static const double OVERLOAD_V = 9e37;

static const double PATIENCE_S = 2;    /* beyond the time that the measuring takes */
static const double WAKE_S = 0.3;      /* after a device clear (the manual's own advice) */
static const double NO_READING_S = 10; /* answers that are none, for so long, are a meter that is gone */

enum { UNHEEDED_MOST = 3 };

static double integration_s(const struct dmm_settings *settings)
{
    return settings->nplc / settings->mains_hz;
}

static void rest(double seconds)
{
    struct timespec pause = {(time_t)seconds, (long)((seconds - floor(seconds)) * 1e9)};
    while (seconds > 0 && nanosleep(&pause, &pause) != 0 && errno == EINTR)
        ;
}

/* ---- setting it up ---- */

static enum status is_other(const struct dmm *meter, const char *text, struct error *error)
{
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++)
        if (strstr(text, models[i]) != NULL)
            return STATUS_OK;
    error_set(error, STATUS_UNAVAILABLE, "%s: expected a 34401A, but what is there calls itself '%s'",
              meter->line.path, text);
    error_hint(error,
               "strange signs mean a wrong baud= or parity=; a meter that writes by itself is line=%.200s",
               meter->line.path);
    return STATUS_UNAVAILABLE;
}

/* A run that was killed may have left it in the middle of a list: the second try clears it (Ctrl-C). */
static enum status identify(struct dmm *meter, struct error *error)
{
    char text[SCPI_WORD_BYTES];
    double sent_s;
    enum status status = STATUS_OK;
    for (int attempt = 0; attempt < 2; attempt++) {
        if (attempt > 0) {
            status = scpi_send(&meter->line, "\003", &sent_s, error);
            rest(WAKE_S);
            scpi_forget(&meter->line);
        }
        if (status == STATUS_OK)
            status = scpi_send(&meter->line, "SYST:REM", &sent_s, error);
        if (status == STATUS_OK)
            status = scpi_ask(&meter->line, "*IDN?", PATIENCE_S, text, error);
        if (status == STATUS_OK)
            status = is_other(meter, text, error);
        if (status != STATUS_UNAVAILABLE)
            break;
        if (attempt == 0)
            status = STATUS_OK;
    }
    return status;
}

/* The oldest entry of the error queue is one that the commands made. A meter without a queue is judged by its
 * readings. */
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
    error_set(error, STATUS_UNAVAILABLE, "%s: the meter does not take '%s': %s", meter->line.path, command,
              text);
    error_hint(error, "range= is in volts (0.1, 1, 10, 100, 1000), nplc= one of 0.02, 0.2, 1, 10, 100");
    return STATUS_UNAVAILABLE;
}

/* What makes it fast. Another meter of the family that lacks one of these is but slower. */
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
        bool asked = i == 0 ? settings->nplc_asked : i == 3 && settings->samples > 1;
        struct error refused = {0};
        if (i == 3 && settings->samples == 1)
            continue; /* as CONFigure leaves it */
        status = scpi_send(&meter->line, commands[i], &sent_s, error);
        if (status == STATUS_OK && check_queue(meter, commands[i], &refused) != STATUS_OK &&
            (asked || refused.code == STATUS_FAILED)) {
            *error = refused;
            status = refused.code;
        }
    }
    return status;
}

enum status dmm_open(const char *path, const struct serial_settings *serial,
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
    meter->due_s = meter->told_s = clock_now_s();
    return status;
}

/* ---- reading ---- */

enum status dmm_no_readings(const struct dmm *meter, struct error *error)
{
    const char *path = meter->line.path;
    if (meter->overloads > meter->others) {
        error_set(error, STATUS_FAILED, "%s: the input is beyond the range of %g V (%zu readings in turn)",
                  path, meter->settings.range_v, meter->overloads);
        error_hint(error, "give a larger range=, or none, and the meter chooses by itself");
    } else {
        error_set(error, STATUS_FAILED, "%s: %zu answers in turn were no readings, such as '%.40s'", path,
                  meter->others, meter->other);
        error_hint(error, "expected numbers such as +1.23456789E-03; strange signs mean a bad line");
    }
    return STATUS_FAILED;
}

static enum status ask(struct dmm *meter, struct error *error)
{
    enum status status = scpi_send(&meter->line, "READ?", &meter->asked_s, error);
    meter->asked = status == STATUS_OK;
    meter->begun = false;
    return status;
}

/* A question or its answer may be lost on the way: asked again, but not for ever. */
static enum status mind_silence(struct dmm *meter, double now_s, struct error *error)
{
    double heard_s = fmax(meter->asked_s, meter->begun ? meter->told_s : 0);
    double longest_s = PATIENCE_S + 4 * integration_s(&meter->settings) + meter->settings.period_s;
    if (!meter->asked || now_s < heard_s + longest_s)
        return STATUS_OK;
    meter->asked = false;
    meter->due_s = now_s;
    if (++meter->unheeded < UNHEEDED_MOST)
        return STATUS_OK;
    error_set(error, STATUS_FAILED, "%s: the meter no longer answers (asked %d times)", meter->line.path,
              UNHEEDED_MOST);
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

/* What one word of an answer says. */
static void take(struct dmm *meter, const char *text, double first_s, double *t_s, double *volts)
{
    double value = NAN;
    *t_s = meter->begun ? first_s - integration_s(&meter->settings) / 2 : (meter->asked_s + first_s) / 2;
    meter->begun = true;
    meter->unheeded = 0;
    if (!is_number(text, &value)) {
        meter->others++;
        snprintf(meter->other, sizeof meter->other, "%s", text);
    } else if (fabs(value) >= OVERLOAD_V) {
        meter->overloads++;
    } else {
        meter->overloads = meter->others = 0;
        meter->told_s = first_s;
        *volts = value;
    }
}

enum status dmm_read(struct dmm *meter, double until_s, double *t_s, double *volts, struct error *error)
{
    char text[SCPI_WORD_BYTES];
    double first_s;
    *volts = NAN;
    if (!meter->asked && clock_now_s() < meter->due_s) {
        rest(fmin(meter->due_s, until_s) - clock_now_s());
        if (clock_now_s() < meter->due_s)
            return STATUS_OK;
    }
    enum status status = meter->asked ? STATUS_OK : ask(meter, error);
    if (status != STATUS_OK)
        return status;
    enum scpi_heard heard = scpi_hear(&meter->line, until_s, meter->settings.samples > 1, text, &first_s);
    if (heard == SCPI_GONE)
        return scpi_hung_up(&meter->line, error);
    if (heard == SCPI_NOTHING)
        return mind_silence(meter, clock_now_s(), error);
    take(meter, text, first_s, t_s, volts);
    if (heard == SCPI_LINE) {
        meter->asked = false;
        meter->due_s =
            fmax(meter->asked_s + meter->settings.period_s * (meter->settings.samples == 1), clock_now_s());
    }
    bool lost = meter->overloads + meter->others > 2 && first_s > meter->told_s + NO_READING_S;
    return lost ? dmm_no_readings(meter, error) : STATUS_OK;
}

void dmm_close(struct dmm *meter)
{
    struct error error;
    double sent_s;
    if (meter->line.fd >= 0) {
        bool stopped = !meter->asked || meter->settings.samples == 1 ||
                       scpi_send(&meter->line, "\003", &sent_s, &error) == STATUS_OK;
        if (stopped)
            (void)scpi_send(&meter->line, "SYST:LOC", &sent_s, &error);
    }
    scpi_close(&meter->line);
}
