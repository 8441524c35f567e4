/* Commands and answers of a SCPI instrument on a serial line (IEEE 488.2; HP 34401A User's Guide, chapter 4).
 * One query at a time. */
#ifndef RUNNER_POWER_METERS_SCPI_H
#define RUNNER_POWER_METERS_SCPI_H

#include "runner/power/meters/serial.h"

#include <stdbool.h>
#include <stddef.h>

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

enum scpi_heard {
    SCPI_NOTHING, /* within the time */
    SCPI_PART,    /* up to a comma, more follows */
    SCPI_LINE,    /* up to the line's end */
    SCPI_GONE,    /* the line hung up */
};

enum status scpi_open(const char *path, const struct serial_settings *settings, struct scpi *line,
                      struct error *error);

/* Sends the command with its line end; *sent_s (clock_now_s) is when the last bit had left. STATUS_FAILED
 * when the line hung up or accepts nothing. */
enum status scpi_send(struct scpi *line, const char *command, double *sent_s, struct error *error);

/* Receives until the moment until_s: up to a comma if parts is set, else up to the line's end; skips empty
 * lines and echoes. text gets the received text, unprintable bytes as '?'; *first_s when its first byte
 * came. */
enum scpi_heard scpi_hear(struct scpi *line, double until_s, bool parts, char text[SCPI_WORD_BYTES],
                          double *first_s);

/* Sends the query and receives one line within patience_s. STATUS_UNAVAILABLE when there is no answer. */
enum status scpi_ask(struct scpi *line, const char *question, double patience_s, char text[SCPI_WORD_BYTES],
                     struct error *error);

/* Discards everything received. */
void scpi_forget(struct scpi *line);

/* The error for a line that hung up. */
enum status scpi_hung_up(const struct scpi *line, struct error *error);

void scpi_close(struct scpi *line);

#endif
