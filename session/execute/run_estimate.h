/* Estimates how long a run will take, from its programs and from the time that it takes now to make and start
 * some of them. */
#ifndef SESSION_EXECUTE_RUN_ESTIMATE_H
#define SESSION_EXECUTE_RUN_ESTIMATE_H

#include "runner/measure/protocol.h"
#include "session/work.h"

/* Seconds of all points. */
struct run_estimate {
    double protocol_s;
    double idle_s; /* idle intervals that are left out */
    double busy_s; /* time beside the protocol: making, starting and judging programs */
};

/* protocols: one for each item of the work. counters: as for evidence_gather. cpu: where single programs run.
 */
struct run_estimate run_estimate(const struct work *work, const struct protocol *protocols,
                                 const char *counters, int cpu);

#endif
