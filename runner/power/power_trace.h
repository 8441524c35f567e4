/* The samples of one point as text: CSV, "t_s,channel,value", times relative to the first mark; rows of the
 * channel "mark" name the phase that starts there, and in it the loop of a repetition: "loop 2" where it
 * begins and "loop 2 end", by the program's own clock; "missed 1" one that missed its time, "loop warmup" the
 * warm-up's. */
#ifndef RUNNER_POWER_POWER_TRACE_H
#define RUNNER_POWER_POWER_TRACE_H

#include "base/buffer.h"
#include "runner/power/recorder.h"

/* Appends the recording to the text. */
void power_trace_write(const struct recorder *recorder, struct buffer *text);

#endif
