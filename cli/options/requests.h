/* The session's requests, filled from the options of the command line, and the display of its events. */
#ifndef CLI_OPTIONS_REQUESTS_H
#define CLI_OPTIONS_REQUESTS_H

#include "cli/options/options.h"
#include "cli/progress.h"
#include "session/events.h"
#include "session/execute/evidence_request.h"
#include "session/target_request.h"
#include "session/work.h"

#include <stdbool.h>

/* Prints events on stderr: warnings and notes unless -q is given, details with -v. */
struct shown_events {
    struct session_events events;
    const struct options *options;
    struct progress progress;
    bool in_progress;
    struct point_notes notes;
};

void shown_events_start(const struct options *options, struct shown_events *shown);

/* The requests point into each other: do not move them. */
struct requests {
    struct shown_events shown;
    struct target_request target;
    struct selection selection;
    struct evidence_request evidence;
};

void requests_fill(const struct options *options, enum work_gpu gpu, struct requests *requests);

/* If all inputs are suites, refuses the options in names (NULL-terminated), which would change the programs:
 * STATUS_USAGE. Other errors are those of work_classify. */
enum status requests_refuse_for_suites(const struct options *options, const char *const *names,
                                       struct error *error);

/* The options that determine a suite's programs, NULL-terminated. */
extern const char *const requests_of_programs[];

/* The folder of --sysfs-root; "" for the machine itself. */
const char *requests_root(const struct options *options);

#endif
