/* Reads all sensors while programs run: one thread per sensor, at the sensor's own rate, with times on one
 * clock (clock_now_s). If a sensor disappears, only its data stops. */
#ifndef RUNNER_POWER_RECORDER_H
#define RUNNER_POWER_RECORDER_H

#include "base/buffer.h"
#include "base/error.h"
#include "runner/power/sensor_list.h"
#include "runner/power/series.h"

#include <stdbool.h>
#include <stddef.h>

struct recorder;

enum { RECORDER_PHASE_BYTES = 24 };

/* The start of a phase of a measurement. */
struct recorder_mark {
    double t_s;
    char phase[RECORDER_PHASE_BYTES]; /* "idle_before", "rep 3", "loop 3", "loop 3 end", "end" */
};

/* Opens every sensor of meters, which must outlive the recorder. A sensor that cannot be opened is skipped,
 * with the reason in recorder_lost. */
struct recorder *recorder_start(const struct sensor_list *meters);

/* The same, but STATUS_UNAVAILABLE if an external meter cannot be opened. */
enum status recorder_open(const struct sensor_list *meters, struct recorder **recorder, struct error *error);

/* Discards earlier readings and starts. The threads avoid the processors cpus[count] if there are others.
 * Returns when each sensor has delivered a value or timed out. */
void recorder_begin(struct recorder *recorder, const int *cpus, size_t count);

/* Marks the start of a phase. */
void recorder_mark(struct recorder *recorder, const char *phase);

/* Marks the start of a phase at an earlier moment; marks stay sorted by time. */
void recorder_mark_at(struct recorder *recorder, const char *phase, double t_s);

/* Waits, at most wait_s, until each sensor has delivered a value after the moment; then stops values from
 * being added, so that recorder_series are valid, until recorder_go_on. */
void recorder_hold(struct recorder *recorder, double moment_s, double wait_s);
void recorder_go_on(struct recorder *recorder);

/* Stops reading; the readings remain available until recorder_begin. First waits until each sensor has
 * delivered a value after `until_s`, for at most a second, the longest recent delay of its values, and two of
 * its periods or, if it sends at its own pace, of its recent intervals. */
void recorder_end(struct recorder *recorder, double until_s);

const struct sensor_list *recorder_meters(const struct recorder *recorder);

/* The readings of that meter's channel. Invalid while recording, unless held. */
const struct series *recorder_series(const struct recorder *recorder, size_t meter, size_t channel);

const struct recorder_mark *recorder_marks(const struct recorder *recorder, size_t *count);

/* The channel's latest value; NAN when there is none. Valid while recording. */
double recorder_latest(struct recorder *recorder, size_t meter, size_t channel);

/* How the channel has changed so far (series.h). Valid while recording. */
struct series_facts recorder_look(struct recorder *recorder, size_t meter, size_t channel);

/* How alike two channels of the meter have moved so far (series.h). Valid while recording. */
struct series_likeness recorder_compare(struct recorder *recorder, size_t meter, size_t first, size_t second);

/* Why the meter stopped delivering; NULL while it works. */
const struct error *recorder_lost(const struct recorder *recorder, size_t meter);

/* Sets the reason why the channel is not usable, and stops recording it. A sensor without usable channels is
 * closed. */
void recorder_drop(struct recorder *recorder, size_t meter, size_t channel, const char *why);

/* Ends the threads. NULL is allowed. */
void recorder_close(struct recorder *recorder);

/* ---- the recording as text ---- */

/* Appends the samples of one point as CSV, "t_s,channel,value", with times relative to the first mark. Rows
 * of the channel "mark" name the phase that starts then. They include the loops, by the program's own clock:
 * "loop 2" and "loop 2 end" for the begin and the end of repetition 2's loop, "missed 1" for a loop that
 * missed its time, and "loop warmup" for the warm-up's. */
void power_trace_write(const struct recorder *recorder, struct buffer *text);

#endif
