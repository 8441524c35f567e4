/* Where a line meter's bytes come from: a serial line, a FIFO or a file that grows. What came before the
 * source was opened is not given. */
#ifndef RUNNER_POWER_LINE_SOURCE_H
#define RUNNER_POWER_LINE_SOURCE_H

#include "runner/power/serial.h"

#include <stdbool.h>
#include <stddef.h>

struct line_source;

/* How bytes stand to those that were given before them. */
enum line_joint {
    LINE_GOES_ON, /* they go on where those ended */
    LINE_BEGINS,  /* a line begins here; those had no end */
    LINE_IS_TORN, /* they may begin within a line */
};

/* What a path is. STATUS_UNAVAILABLE with the reason when it is none of the three, or is not there. */
enum status line_source_look(const char *path, struct error *error);

/* A FIFO is held open for writing too, so that it lasts when a writer leaves and the next one comes; a file
 * is read from its end. */
enum status line_source_open(const char *path, const struct serial_settings *settings,
                             struct line_source **source, struct error *error);

/* Waits until something came, wait_s at most; *count is 0 when nothing did. *arrival_s (clock_now_s) is when.
 * A file that was cut or replaced is read from its new beginning; one that was
 * removed is waited for. STATUS_FAILED: the serial line hung up. */
enum status line_source_read(struct line_source *source, double wait_s, char *bytes, size_t capacity,
                             size_t *count, double *arrival_s, enum line_joint *joint, struct error *error);

void line_source_close(struct line_source *source);

#endif
