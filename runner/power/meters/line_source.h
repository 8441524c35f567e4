/* The input of a line meter: a serial line, a FIFO or a growing file. Data from before the source was opened
 * is skipped. */
#ifndef RUNNER_POWER_METERS_LINE_SOURCE_H
#define RUNNER_POWER_METERS_LINE_SOURCE_H

#include "runner/power/meters/serial.h"

#include <stdbool.h>
#include <stddef.h>

struct line_source;

/* How bytes relate to those returned before them. */
enum line_joint {
    LINE_GOES_ON, /* they continue those */
    LINE_BEGINS,  /* a new line starts here; those had no end */
    LINE_IS_TORN, /* they may start within a line */
};

/* Checks a path. STATUS_UNAVAILABLE with the reason when it is none of the three, or does not exist. */
enum status line_source_look(const char *path, struct error *error);

/* Opens a FIFO for writing too, so that it survives a change of writers; reads a file from its end. */
enum status line_source_open(const char *path, const struct serial_settings *settings,
                             struct line_source **source, struct error *error);

/* Waits up to wait_s for input; *count is 0 when none came. *arrival_s (clock_now_s) is its time. A truncated
 * or replaced file is read from its new beginning; a removed one is awaited. STATUS_FAILED: the serial line
 * hung up. */
enum status line_source_read(struct line_source *source, double wait_s, char *bytes, size_t capacity,
                             size_t *count, double *arrival_s, enum line_joint *joint, struct error *error);

void line_source_close(struct line_source *source);

#endif
