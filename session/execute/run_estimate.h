/* How long a run will take, before it starts: from what its programs contain, how fast this machine gives out
 * memory, and how much of a processor a process gets at present. */
#ifndef SESSION_EXECUTE_RUN_ESTIMATE_H
#define SESSION_EXECUTE_RUN_ESTIMATE_H

#include "runner/launch/test_program.h"
#include "runner/measure/protocol.h"
#include "session/work.h"

#include <stdbool.h>
#include <stddef.h>

/* The machine at present. */
struct estimate_host {
    double slowdown;     /* wall-clock time per processor time, at least 1 */
    double touch_s_byte; /* processor time to get a byte of memory that was used before */
    double cold_s_byte;  /* time to get one that the host has yet to give; 0: it has given all */
};

/* What of a program takes time. */
struct estimate_program {
    double bytes; /* of data, of all copies */
    bool on_device;
    bool walk;       /* through a working set */
    bool branches;   /* its rates are inferred from times of other loops */
    bool chase;      /* ... of chases through the levels up to: */
    int level;       /* enum memory_level */
    bool timed;      /* the source "timing" looks at it */
    bool calibrated; /* it is tuned first */
};

/* The program of a point. counters: as evidence_gather takes them. */
struct estimate_program estimate_look(const struct test_program *test_program, const char *counters,
                                      bool calibrated);

/* Seconds of one point whose memory was used before. */
double estimate_point_s(const struct estimate_program *program, const struct protocol *protocol,
                        const struct estimate_host *host);

/* Takes up to a second: spins for some milliseconds, and touches as many bytes as the largest program will,
 * or as many as that time allows. */
struct estimate_host estimate_host_now(double most_bytes);

#endif
