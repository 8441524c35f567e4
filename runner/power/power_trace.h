/* The samples of one point as text: CSV, "t_s,channel,value", times relative to the first mark; rows of the
 * channel "mark" name the phase that starts there. */
#ifndef RUNNER_POWER_POWER_TRACE_H
#define RUNNER_POWER_POWER_TRACE_H

#include "base/buffer.h"
#include "runner/power/recorder.h"

/* Appends the recording to the text. */
void power_trace_write(const struct recorder *recorder, struct buffer *text);

#endif
