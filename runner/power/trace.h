/* The samples of one point as a file: CSV, "t_s,channel,value", times from the first mark on; rows of the
 * channel "mark" name the phase that begins then. */
#ifndef RUNNER_POWER_TRACE_H
#define RUNNER_POWER_TRACE_H

#include "base/error.h"
#include "runner/power/recorder.h"

/* Writes what was recorded, whole or not at all, with the folders above it. */
enum status trace_write(const struct recorder *recorder, const char *path, struct error *error);

#endif
