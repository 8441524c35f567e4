/* How long a run will take, before it starts: from what its programs contain, how long one start of some of
 * them takes, how fast this machine gives out memory, and how much of a processor a process gets at present.
 */
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

/* What of a program takes time. Times are of a processor. */
struct estimate_program {
    double copies;       /* that run together, at least 1 */
    double bytes;        /* of data, of all copies */
    double instructions; /* of a pass */
    double warmup;       /* passes after each start */
    double words;        /* that a copy's set-up writes */
    double make_s;       /* to make it, or to load it */
    bool tried;          /* by estimate_try, which may have failed; then the following are NAN */
    double start_s;      /* of a copy: its process, set-up and warm-up */
    double pass_s;
    unsigned simulations; /* of the whole program, under cachegrind */
    double shared_s;      /* that qemu takes for what copies share */
    bool on_device;
    bool far;        /* its data lies in L3 or memory */
    bool waits;      /* its copies wait for one another in every pass */
    bool throttled;  /* the source "duty" compares it with its own loop at full rate */
    bool branches;   /* its rates are inferred from times of other loops */
    bool chase;      /* ... of chases through the levels up to: */
    int level;       /* enum memory_level */
    bool timed;      /* the source "timing" looks at it */
    bool calibrated; /* it is tuned first */
};

/* The program of a point, which took make_s to make. counters: as evidence_gather takes them. */
struct estimate_program estimate_look(const struct test_program *test_program, const char *counters,
                                      bool calibrated, double make_s);

/* The program to try next: the largest of those not tried, unless one of its size was; count: none. */
size_t estimate_next(const struct estimate_program *programs, size_t count);

/* Starts the program twice and makes some passes. One that takes longer than timeout_s has at least the times
 * it is given; one that cannot run, or fails, has none. Returns the wall-clock seconds that it took. */
double estimate_try(const struct test_program *test_program, double timeout_s,
                    struct estimate_program *program);

/* Gives each of the programs that was not tried the times of the one tried whose data is closest in size. */
void estimate_spread(struct estimate_program *programs, size_t count, const struct estimate_host *host);

/* Seconds of one point whose memory was used before. */
double estimate_point_s(const struct estimate_program *program, const struct protocol *protocol,
                        const struct estimate_host *host);

/* Takes up to a second: spins for some milliseconds, and touches as many bytes as the largest program will,
 * or as many as that time allows. */
struct estimate_host estimate_host_now(double most_bytes);

#endif
