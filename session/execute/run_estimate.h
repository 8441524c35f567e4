/* How long a run will take, before it starts: from what its programs contain, and from how long making them
 * and starting some of them takes now. */
#ifndef SESSION_EXECUTE_RUN_ESTIMATE_H
#define SESSION_EXECUTE_RUN_ESTIMATE_H

#include "runner/measure/protocol.h"
#include "session/work.h"

/* Seconds of all points. */
struct run_estimate {
    double protocol_s;
    double idle_s; /* idle intervals that are left out */
    double busy_s; /* what programs take beside their protocol */
};

/* protocols: of each item of the work. counters: as evidence_gather takes them. cpu: for single programs. */
struct run_estimate run_estimate(const struct work *work, const struct protocol *protocols,
                                 const char *counters, int cpu);

#endif
