/* Records an application: its time, what it counts and what the machine draws while it runs, with idle
 * intervals before and after, whole and by interval (DESIGN.md section 16). */
#ifndef SESSION_RECORD_RECORD_APPLICATION_H
#define SESSION_RECORD_RECORD_APPLICATION_H

#include "base/error.h"
#include "runner/state/perf_host.h"
#include "session/events.h"

#include <stddef.h>

struct record_request {
    char *const *command; /* and its arguments, NULL-terminated */
    const char *path;     /* of the results */
    const char *machine;  /* as find_machine takes it */
    const char *counters; /* names of counts, "perf" (all) or "none"; NULL: all that can be counted here */
    const char *power;    /* sensors; NULL: all */
    const char *root;     /* "" for the machine itself */
    double interval_s;    /* 0: whole alone */
    size_t reps;          /* how often it runs; 0: once */
    bool resume;          /* append to the results */
    const struct perf_kernel *kernel; /* in place of Linux's counters; NULL: these */
    const struct session_events *events;
};

struct record_outcome {
    int exit_code; /* of the last run; 128 and the signal's number, when one ended it */
};

/* Runs the command and appends a line of kind "application", after lines of kind "interval" as they end.
 * STATUS_UNAVAILABLE when it does not exist, or what was named cannot be read here: then it has not run. */
enum status record_application(const struct record_request *request, struct record_outcome *outcome,
                               struct error *error);

#endif
