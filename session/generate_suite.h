/* Writes a suite: the program of every selected point. Worker processes make programs in parallel and share
 * only the suite's folder. */
#ifndef SESSION_GENERATE_SUITE_H
#define SESSION_GENERATE_SUITE_H

#include "base/error.h"
#include "session/target_request.h"
#include "session/work.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct generate_request {
    const char *folder;
    bool force;        /* use a folder that contains other files */
    size_t jobs;       /* worker processes; 0: one per core, if each has enough to do */
    const char *trace; /* format of the trace to write beside each program; NULL: none */
    uint64_t passes;   /* in a trace; 0: enough (program_trace.h) */
};

/* As work_open; also STATUS_USAGE when the inputs are not recipes for one machine. Close with work_close even
 * after an error. */
enum status generate_open(const struct selection *selection, const struct target_request *target,
                          struct work *work, struct error *error);

/* Writes the programs, and an entry for each *refused point. Writes nothing if all points are refused, and
 * removes an unfinished suite after a failure or a signal to stop. */
enum status generate_suite(const struct generate_request *request, const struct work *work, size_t *refused,
                           struct error *error);

#endif
