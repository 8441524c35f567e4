/* Counting on a GPU with CUPTI's range profiler: Enable, SetConfig, then Start, Push, Pop and Stop once per
 * pass that the counters need, Decode. Uses user replay: the same run is repeated for each pass, so runs must
 * be identical. Follows the vendor's header (cupti_range_profiler.h); tested only against a simulated
 * library, not yet on a real GPU. */
#ifndef RUNNER_DEVICES_CUPTI_CUPTI_SESSION_H
#define RUNNER_DEVICES_CUPTI_CUPTI_SESSION_H

#include "runner/devices/cupti/cupti_host.h"

#include <stdint.h>

/* All zeros is closed. */
struct cupti_session {
    const struct cupti_library *library;
    struct cupti_host host;
    struct buffer availability; /* the device's counters; empty: the library uses the chip's name */
    struct buffer data;
    char chip[32]; /* "GH100" */
    void *context, *profiler;
    bool initialized, counted;
};

/* One run to be counted. */
typedef enum status cupti_run(void *context, struct error *error);

/* Prepares to count the metrics on the device (CUDA's ordinal) in its context (a CUcontext that is current).
 * STATUS_UNAVAILABLE with the reason: permission, another profiler, a metric that the chip lacks. Close with
 * cupti_session_close even after an error. */
enum status cupti_session_open(const struct cupti_library *library, unsigned device, void *context,
                               const char **names, size_t count, struct cupti_session *session,
                               struct error *error);

/* Repeats the run for as many passes as needed; values[count] get the metrics' sums over the GPU. Returns the
 * run's own errors unchanged. */
enum status cupti_session_count(struct cupti_session *session, cupti_run *run, void *run_context,
                                double *values, struct error *error);

void cupti_session_close(struct cupti_session *session);

#endif
