/* What a command asks of the machine that programs are made for: which one, what is known of it, and how its
 * programs are marked. */
#ifndef SESSION_TARGET_REQUEST_H
#define SESSION_TARGET_REQUEST_H

#include "generator/plan/tuning.h"
#include "session/events.h"

#include <stdbool.h>

struct target_request {
    const struct session_events *events;
    const char *machine;       /* a machine file or a name; NULL: the present machine */
    const char *index;         /* how caches behind L1 are indexed; NULL: as the machine file says */
    const char *map;           /* where simulators put pages (test_program_read_map); NULL: nowhere else */
    const char *markers;       /* a simulator's region markers; NULL: none */
    const char *prefix;        /* of the names that objects export; NULL: the usual one */
    const char *root;          /* root folder of sensors and state; "": the machine itself */
    struct plan_tuning tuning; /* set by hand */
    unsigned device;           /* which GPU */
    bool probe;                /* first probe the present machine's caches, and store the result */
    bool probe_shares;         /* first probe them where they are shared, for this command alone */
    bool here;                 /* the machine is this host, even if it describes its caches differently */
    bool calibrate;            /* programs will be calibrated */
    bool no_calibration;       /* ignore the stored calibration */
};

#endif
