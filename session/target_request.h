/* A command's request for the machine that programs are made for: which machine, what is known of it, and how
 * its programs are marked. */
#ifndef SESSION_TARGET_REQUEST_H
#define SESSION_TARGET_REQUEST_H

#include "generator/plan/tuning.h"
#include "session/events.h"

#include <stdbool.h>

struct target_request {
    const struct session_events *events;
    const char *machine;       /* a machine file or a name; NULL: the present machine */
    const char *index;         /* how caches behind L1 are indexed; NULL: as in the machine file */
    const char *map;           /* where simulators put pages (test_program_read_map); NULL: nowhere else */
    const char *markers;       /* a simulator's region markers; NULL: none */
    const char *prefix;        /* of the names that objects export; NULL: the usual one */
    const char *root;          /* root folder of /sys and /proc; "": the machine's own */
    struct plan_tuning tuning; /* set by hand */
    unsigned device;           /* which GPU */
    bool probe;                /* probe the present machine's caches first, and store the result */
    bool probe_shares;         /* probe shared caches first, for this command only */
    bool here;                 /* the machine is this host, even if it describes its caches differently */
    bool calibrate;            /* programs will be calibrated */
    bool no_calibration;       /* ignore the stored calibration */
};

#endif
