/* Runs points, records their time, power and evidence, and appends each finished point to the results. */
#ifndef SESSION_EXECUTE_RUN_POINTS_H
#define SESSION_EXECUTE_RUN_POINTS_H

#include "base/error.h"
#include "report/verdict_report.h"
#include "session/execute/evidence_request.h"
#include "session/target_request.h"
#include "session/work.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum run_order {
    RUN_ORDER_USUAL, /* random where power is measured, else as given */
    RUN_ORDER_GIVEN,
    RUN_ORDER_RANDOM, /* by the selection's seed */
};

struct run_request {
    struct evidence_request evidence;
    const char *path;  /* of the results */
    bool temporary;    /* the caller deletes the results; notes do not name the file */
    const char *power; /* sensors, as sensor_list_find takes them; NULL: all that are usable */
    double time_s;     /* length of one repetition; 0: the protocol's */
    double reps;       /* 0: the protocol's */
    enum run_order order;
    bool resume;      /* continue an existing results file */
    bool allow_state; /* set the state that a point requests */
    bool dry_run;     /* only note what would be done */
    bool pairs;       /* points of two cores that take turns: many are timed at once, by their turns alone */

    /* Called with each point, as read back from the results; the callee owns it. */
    void (*recorded)(void *context, struct result_point *point);
    void *context;
};

enum { RUN_PAIRS_NOTE = 240 };

struct run_outcome {
    struct tally tally;
    size_t done;                     /* points recorded */
    char pairs_note[RUN_PAIRS_NOTE]; /* how pairs were timed and checked; "": none were */
};

/* Runs the selected points. Points that fail are recorded with the reason; the status is that of the run. */
enum status run_points(const struct run_request *request, const struct selection *selection,
                       const struct target_request *target, struct run_outcome *outcome, struct error *error);

#endif
