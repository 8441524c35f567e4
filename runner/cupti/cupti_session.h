/* Counting on a GPU with CUPTI's range profiler: Enable, SetConfig, then Start, Push, Pop and Stop as often
 * as the counters need passes, Decode. Replay is the user's: the same run is made anew for each pass, so runs
 * must be alike. As the vendor's header describes it (cupti_range_profiler.h); tried against a made-up
 * library only: nobody has seen it on a real GPU yet. */
#ifndef RUNNER_CUPTI_CUPTI_SESSION_H
#define RUNNER_CUPTI_CUPTI_SESSION_H

#include "runner/cupti/cupti_host.h"

#include <stdint.h>

/* All zeros is closed. */
struct cupti_session {
    const struct cupti_library *library;
    struct cupti_host host;
    struct buffer availability; /* the device's counters; empty: the library goes by the chip's name */
    struct buffer data;
    char chip[32]; /* "GH100" */
    void *context, *profiler;
    bool initialized, counted;
};

/* One run that is counted. */
typedef enum status cupti_run(void *context, struct error *error);

/* Prepares to count the metrics on the device (CUDA's ordinal) in its context (a CUcontext that is current).
 * STATUS_UNAVAILABLE with the reason: permission, another profiler, a metric that the chip lacks. Close with
 * cupti_session_close also after an error. */
enum status cupti_session_open(const struct cupti_library *library, unsigned device, void *context,
                               const char **names, size_t count, struct cupti_session *session,
                               struct error *error);

/* Makes the run in as many passes as it takes; values[count] get the metrics' sums over the GPU. The run's
 * own errors come back as they are. */
enum status cupti_session_count(struct cupti_session *session, cupti_run *run, void *run_context,
                                double *values, struct error *error);

void cupti_session_close(struct cupti_session *session);

#endif
