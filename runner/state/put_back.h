/* Restores the state that a journal lists, and reports the outcome. */
#ifndef RUNNER_STATE_PUT_BACK_H
#define RUNNER_STATE_PUT_BACK_H

#include "base/error.h"
#include "runner/results/warning.h"
#include "runner/state/journal.h"

#include <stdbool.h>
#include <stddef.h>

/* The process that restores. */
enum put_back_way {
    PUT_BACK_OWN,   /* the command that made the changes, which handles GPUs' clocks itself */
    PUT_BACK_GUARD, /* its guard, as soon as the command has ended */
    PUT_BACK_LATE,  /* a later command, which leaves values unchanged that were changed since */
};

/* Restores everything, the last change first. Adds notes (may be NULL) about values that were restored, left
 * unchanged or are pending. Returns how many changes are pending, for instance because this user may not
 * write them. */
size_t put_back(const struct journal *journal, enum put_back_way way, struct warnings *notes);

/* Restores the changes that an ended command left, if that is allowed and as far as this user may; removes
 * the journal when nothing is pending. Does nothing if there is no journal, or its owner is alive. Adds
 * notes. Returns how many changes are pending. */
size_t put_back_left(const char *root, bool allowed, struct warnings *notes);

/* The same for a journal that this process has locked; the journal stays. */
size_t put_back_taken(const struct journal *journal, struct warnings *notes);

/* Writes the command that restores the changes; returns command. */
char *put_back_command(const char *root, char command[FILE_PATH_BYTES + 64]);

#endif
