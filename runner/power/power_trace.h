/* The samples of one point as a file: CSV, "t_s,channel,value", times relative to the first mark; rows of the
 * channel "mark" name the phase that starts there. */
#ifndef RUNNER_POWER_POWER_TRACE_H
#define RUNNER_POWER_POWER_TRACE_H

#include "base/error.h"
#include "runner/power/recorder.h"

/* Writes the recording, creating the folders above; never leaves a partial file. */
enum status power_trace_write(const struct recorder *recorder, const char *path, struct error *error);

#endif
