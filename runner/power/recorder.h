/* Reads all sensors while programs run: a thread for each sensor, at that sensor's own rate, all on one clock
 * (clock_now_s). A sensor that goes away stops telling, and nothing else does. */
#ifndef RUNNER_POWER_RECORDER_H
#define RUNNER_POWER_RECORDER_H

#include "base/error.h"
#include "runner/power/meters.h"
#include "runner/power/series.h"

#include <stdbool.h>
#include <stddef.h>

struct recorder;

enum { RECORDER_PHASE_BYTES = 24 };

/* When a part of a measurement began. */
struct recorder_mark {
    double t_s;
    char phase[RECORDER_PHASE_BYTES]; /* "idle_before", "rep 3", "end" */
};

/* Opens every sensor of meters, which stay the caller's and must outlive the recorder. One that cannot be
 * opened is left out, with the reason in recorder_lost; STATUS_UNAVAILABLE when that is an external meter. */
enum status recorder_open(const struct meters *meters, struct recorder **recorder, struct error *error);

/* Forgets what was read and begins anew. The threads keep off the processors cpus[count] where there are
 * others. Returns when each sensor has told something, or has had its time to. */
void recorder_begin(struct recorder *recorder, const int *cpus, size_t count);

/* Says what begins now. */
void recorder_mark(struct recorder *recorder, const char *phase);

/* Stops reading; what was read may then be looked at until recorder_begin. Waits until each sensor has told
 * once more after `until_s`, at most a second and two of its periods, or what it took of late where it sends
 * when it pleases. */
void recorder_end(struct recorder *recorder, double until_s);

const struct meters *recorder_meters(const struct recorder *recorder);

/* Of the channel of that meter. While it reads: of nobody's use. */
const struct series *recorder_series(const struct recorder *recorder, size_t meter, size_t channel);

const struct recorder_mark *recorder_marks(const struct recorder *recorder, size_t *count);

/* The channel's value now; NAN when it has told none. May be asked while it reads. */
double recorder_latest(struct recorder *recorder, size_t meter, size_t channel);

/* How the channel has moved so far (series.h). May be asked while it reads. */
struct series_facts recorder_look(struct recorder *recorder, size_t meter, size_t channel);

/* Why the meter no longer tells; NULL while it does. */
const struct error *recorder_lost(const struct recorder *recorder, size_t meter);

/* Ends the threads. NULL is none. */
void recorder_close(struct recorder *recorder);

#endif
