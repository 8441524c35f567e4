/* Commands and answers of an instrument that speaks SCPI on a serial line (IEEE 488.2; HP 34401A User's
 * Guide, chapter 4). One question at a time. */
#ifndef RUNNER_POWER_SCPI_H
#define RUNNER_POWER_SCPI_H

#include "runner/power/serial.h"

#include <stdbool.h>
#include <stddef.h>

enum { SCPI_WORD_BYTES = 128, SCPI_BUFFER_BYTES = 512, SCPI_ECHOES = 4 };

struct scpi {
    char path[REQUEST_TEXT_BYTES];
    int fd;
    char sent[SCPI_ECHOES][SCPI_WORD_BYTES]; /* the last commands: a line that echoes gives them back */
    size_t sent_count;
    char buffer[SCPI_BUFFER_BYTES]; /* came, and not looked at */
    size_t at, end;
    double arrival_s;           /* of what is in the buffer */
    char word[SCPI_WORD_BYTES]; /* begun, without its end yet */
    size_t length;
    double first_s; /* when its first byte came */
};

enum scpi_heard {
    SCPI_NOTHING, /* in time */
    SCPI_PART,    /* up to a comma, more follows */
    SCPI_LINE,    /* up to the line's end */
    SCPI_GONE,    /* the line hung up */
};

enum status scpi_open(const char *path, const struct serial_settings *settings, struct scpi *line,
                      struct error *error);

/* Sends the command and its line end; *sent_s (clock_now_s) is when the last bit had left. STATUS_FAILED when
 * the line hung up or takes nothing. */
enum status scpi_send(struct scpi *line, const char *command, double *sent_s, struct error *error);

/* Hears until the moment until_s, up to a comma where parts is set, else up to the line's end; empty lines
 * and echoes are left out. text holds what was heard, unprintable bytes as '?', *first_s when its first byte
 * came. */
enum scpi_heard scpi_hear(struct scpi *line, double until_s, bool parts, char text[SCPI_WORD_BYTES],
                          double *first_s);

/* Sends the question and hears one line within patience_s. STATUS_UNAVAILABLE when there is no answer. */
enum status scpi_ask(struct scpi *line, const char *question, double patience_s, char text[SCPI_WORD_BYTES],
                     struct error *error);

/* Forgets all that came. */
void scpi_forget(struct scpi *line);

/* The sentence for a line that hung up. */
enum status scpi_hung_up(const struct scpi *line, struct error *error);

void scpi_close(struct scpi *line);

#endif
