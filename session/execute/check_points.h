/* Compares targets with observations, point by point: of programs, or as results recorded them. */
#ifndef SESSION_EXECUTE_CHECK_POINTS_H
#define SESSION_EXECUTE_CHECK_POINTS_H

#include "base/error.h"
#include "report/verdict_report.h"
#include "session/execute/evidence_request.h"
#include "session/target_request.h"
#include "session/work.h"

#include <stdbool.h>
#include <stddef.h>

struct check_request {
    struct evidence_request evidence;
    size_t jobs;      /* processes at a time; 0: one per processor, eight at most */
    bool allow_state; /* set the state that a point requests */
    bool as_is;     /* judge a suite's files that differ from those generated, which are refused otherwise */
    double until_s; /* by clock_now_s: points that come later are left out; 0: none is */
    struct tally *tally;

    /* Called with each point's finding in the order of the inputs; frees it. It also counts the point in the
     * tally, which the check itself only gives points skipped and out of reach. */
    void (*found)(void *context, struct check_finding *finding);
    void *context;
};

/* Checks the selected points of recipes and suites. */
enum status check_programs(const struct check_request *request, const struct selection *selection,
                           const struct target_request *target, struct error *error);

/* Judges a results file again, by the targets recorded in it. */
enum status check_results(const struct check_request *request, const char *path,
                          const struct session_events *events, struct error *error);

#endif
