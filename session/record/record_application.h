/* Records an application's time, its counters and the machine's power, for the whole run and by interval,
 * with idle time before and after (DESIGN.md section 16). */
#ifndef SESSION_RECORD_RECORD_APPLICATION_H
#define SESSION_RECORD_RECORD_APPLICATION_H

#include "base/error.h"
#include "runner/state/perf_host.h"
#include "session/events.h"

#include <stddef.h>

struct record_request {
    char *const *command; /* the program and its arguments, NULL-terminated */
    const char *path;     /* of the results */
    const char *machine;  /* as for find_machine */
    const char *counters; /* names of counts, "perf" (all) or "none"; NULL: all that can be counted here */
    const char *power;    /* sensors; NULL: all */
    const char *root;     /* root folder of /sys and /proc; "": the machine's own */
    double interval_s;    /* 0: only the whole run */
    size_t reps;          /* number of runs; 0: one */
    bool resume;          /* append to the results */
    const struct perf_kernel *kernel; /* replaces Linux's counters; NULL: Linux's */
    const struct session_events *events;
};

struct record_outcome {
    int exit_code; /* of the last run; 128 + N if signal N ended it */
};

/* Runs the command. Appends a line of kind "interval" at the end of each interval, then one of kind
 * "application". STATUS_UNAVAILABLE, before the run, when the program does not exist or a named counter or
 * sensor cannot be read. */
enum status record_application(const struct record_request *request, struct record_outcome *outcome,
                               struct error *error);

#endif
