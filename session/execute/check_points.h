/* Compares targets with observations, point by point: those of programs now, or those recorded in results. */
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
    size_t jobs;      /* processes; 0: one per processor, at most eight */
    bool allow_state; /* set the state that a point requests */
    bool as_is;       /* judge a suite's files even if they were changed after they were generated */
    double until_s;   /* time by clock_now_s after which points are left out; 0: no limit */
    struct tally *tally;

    /* Called with each point's finding in the order of the inputs. It frees the finding and counts it in the
     * tally; the check itself counts only the points that are skipped or out of reach. */
    void (*found)(void *context, struct check_finding *finding);
    void *context;
};

/* Checks the selected points of recipes and suites. */
enum status check_programs(const struct check_request *request, const struct selection *selection,
                           const struct target_request *target, struct error *error);

/* Judges the observations of a results file again, by the targets recorded in it. */
enum status check_results(const struct check_request *request, const char *path,
                          const struct session_events *events, struct error *error);

#endif
