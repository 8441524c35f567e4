/* Puts events on trial: compares their counts of a suite's programs (from perf here, or from a file) with the
 * programs' known counts, and judges the claim of what each event counts (DESIGN.md section 15). */
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
        *events; /* only these; none: all that were counted, or that the processor's files list */
    size_t event_count;
    bool all;           /* all events that libpfm4 lists for this processor */
    const char *counts; /* a table or a folder of perf's output, counted elsewhere; NULL: count here */
    const char *claims; /* a file of claims; NULL: events' names are the claims */
    const char *root;   /* root folder of /sys and /proc; "": the machine's own */
    const struct perf_kernel *kernel; /* replaces Linux's counters; NULL: Linux's */
    size_t reps;                      /* runs of each program with fewer and with more passes; 0: 5 */
};

/* All zeros is empty. Texts are in the arena, or the request's. */
struct event_trials {
    struct arena arena;
    struct trial_set set;
    struct event_table table; /* the processor's events; empty: none are known */
    struct perf_host host;
    bool here; /* counted on this processor */
};

/* Opens the work (a suite, or the recipes in recipes/events/), counts or reads the events, and judges them.
 * STATUS_UNAVAILABLE when nothing can be counted here; STATUS_USAGE for counts of other programs, unknown
 * events, claims of unknown quantities. Free with event_trials_free in every case. */
enum status event_trials_make(const struct event_trial_request *request, const struct selection *selection,
                              const struct target_request *target, struct event_trials *trials,
                              struct error *error);

/* Appends a corrected events file. STATUS_USAGE when the suite's machine has none. */
enum status event_trials_correct(const struct event_trials *trials, struct buffer *text, struct error *error);

/* Stores the corrected file among the user's events files, where the source "perf" finds it. *path: the file;
 * "" without a home folder. */
enum status event_trials_keep(const struct event_trials *trials, char path[FILE_PATH_BYTES],
                              struct error *error);

void event_trials_free(struct event_trials *trials);

#endif
