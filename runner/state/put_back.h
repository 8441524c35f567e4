/* Restores the state that a journal lists, and reports the outcome. */
#ifndef RUNNER_STATE_PUT_BACK_H
#define RUNNER_STATE_PUT_BACK_H

#include "base/error.h"
#include "runner/results/warning.h"
#include "runner/state/journal.h"

#include <stdbool.h>
#include <stddef.h>

/* Who restores. */
enum put_back_way {
    PUT_BACK_OWN,   /* the command that made the changes, which handles GPUs' clocks itself */
    PUT_BACK_GUARD, /* its guard, as soon as the command has ended */
    PUT_BACK_LATE,  /* a later command: leaves alone what somebody has changed since */
};

/* Restores everything, the last change first. Adds sentences to told (may be NULL) about what was restored,
 * left alone or is pending. Returns how many changes are pending, for instance because this user may not
 * write them. */
size_t put_back(const struct journal *journal, enum put_back_way way, struct warnings *told);

/* Restores what an ended command left changed, as far as this user may and it is allowed; removes the journal
 * when nothing is pending. Does nothing if there is no journal, or its owner is alive. Adds sentences to
 * told. Returns how many changes are pending. */
size_t put_back_left(const char *root, bool allowed, struct warnings *told);

/* The same for a journal that this process has locked; the journal stays. */
size_t put_back_taken(const struct journal *journal, struct warnings *told);

/* Writes the command that does so; returns command. */
char *put_back_command(const char *root, char command[FILE_PATH_BYTES + 64]);

#endif
