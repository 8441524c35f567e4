#include "runner/power/meters/scpi.h"

#include "base/clock.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

/* A command that has not left after this time never will. */
static const double SEND_S = 2;

enum status scpi_open(const char *path, const struct serial_settings *settings, struct scpi *line,
                      struct error *error)
{
    *line = (struct scpi){.fd = -1};
    snprintf(line->path, sizeof line->path, "%s", path);
    return serial_open(path, settings, &line->fd, error);
}

enum status scpi_hung_up(const struct scpi *line, struct error *error)
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

enum status scpi_send(struct scpi *line, const char *command, double *sent_s, struct error *error)
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

/* Waits for bytes if all received ones are processed; also accepts late ones that are already there. Returns
 * SCPI_LINE if there are some. */
static enum scpi_heard fill(struct scpi *line, double until_s, bool late)
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

enum scpi_heard scpi_hear(struct scpi *line, double until_s, bool parts, char text[SCPI_WORD_BYTES],
                          double *first_s)
{
    bool late = false; /* a line that floods must not be read forever */
    while (true) {
        enum scpi_heard heard = fill(line, until_s, late);
        late = true;
        if (heard != SCPI_LINE)
            return heard;
        char byte = line->buffer[line->at++];
        bool part = parts && byte == ',';
        if (byte == '\n' || byte == '\r' || part) {
            if (finish(line, text, first_s))
                return part ? SCPI_PART : SCPI_LINE;
            continue;
        }
        if (line->length == 0)
            line->first_s = line->arrival_s;
        /* Endless noise: a lost part of it is no answer either. */
        if (line->length < sizeof line->word - 1)
            line->word[line->length++] = byte;
    }
}

enum status scpi_ask(struct scpi *line, const char *question, double patience_s, char text[SCPI_WORD_BYTES],
                     struct error *error)
{
    double sent_s;
    double first_s;
    enum status status = scpi_send(line, question, &sent_s, error);
    if (status != STATUS_OK)
        return status;
    enum scpi_heard heard = scpi_hear(line, sent_s + patience_s, false, text, &first_s);
    if (heard == SCPI_LINE)
        return STATUS_OK;
    if (heard == SCPI_GONE)
        return scpi_hung_up(line, error);
    error_set(error, STATUS_UNAVAILABLE, "%s: no answer to '%s' within %g s", line->path, question,
              patience_s);
    error_hint(error, "is the meter on, its interface RS-232 (I/O MENU), its speed and parity as given here "
                      "(baud=9600@parity=none), the cable crossed?");
    return STATUS_UNAVAILABLE;
}

void scpi_forget(struct scpi *line)
{
    (void)tcflush(line->fd, TCIFLUSH);
    line->at = line->end = line->length = 0;
}

void scpi_close(struct scpi *line)
{
    if (line->fd >= 0)
        close(line->fd);
    line->fd = -1;
}
