/* Events on trial: a suite's programs with known counts, an event's counts of them (made here by perf, or
 * elsewhere and read), what it is believed to count, and the verdict (DESIGN.md section 15). */
#ifndef SESSION_EVENT_TRIALS_H
#define SESSION_EVENT_TRIALS_H

#include "base/arena.h"
#include "base/error.h"
#include "base/file.h"
#include "model/trial/trial.h"
#include "runner/sources/events/event_table.h"
#include "runner/state/perf_host.h"
#include "session/work.h"

#include <stdbool.h>
#include <stddef.h>

struct event_trial_request {
    const char *const
        *events; /* only these; none: all that were counted, or that the processor's files name */
    size_t event_count;
    bool all;           /* all that libpfm4 knows for this processor */
    const char *counts; /* made elsewhere (a table, or a folder of what perf wrote); NULL: count here */
    const char *claims; /* a file of claims; NULL: the names are the claims */
    const char *root;   /* stands for / where the processor is looked for; "" */
    const struct perf_kernel *kernel; /* in place of Linux's counters; NULL: these */
    size_t reps;                      /* runs of each program with fewer and with more passes; 0: 5 */
};

/* All zeros is empty. Texts are in the arena, or the request's. */
struct event_trials {
    struct arena arena;
    struct trial_set set;
    struct event_table table; /* of the processor's events; empty: none is known */
    struct perf_host host;
    bool here; /* counted on this processor */
};

/* Opens the work (a suite, or the recipes in recipes/events/), counts or reads, and judges.
 * STATUS_UNAVAILABLE when nothing can be counted here; STATUS_USAGE for counts of other programs, unknown
 * events, claims of unknown quantities. Free with event_trials_free in every case. */
enum status event_trials_make(const struct event_trial_request *request, const struct selection *selection,
                              const struct target_request *target, struct event_trials *trials,
                              struct error *error);

/* Appends a corrected file of events . */
enum status event_trials_correct(const struct event_trials *trials, struct buffer *text, struct error *error);

/* Keeps it among the user's files of events, where the source "perf" finds it. *path: where; "" without a
 * home folder. */
enum status event_trials_keep(const struct event_trials *trials, char path[FILE_PATH_BYTES],
                              struct error *error);

void event_trials_free(struct event_trials *trials);

#endif
