/* Putting back what a journal tells, and saying what became of it. */
#ifndef RUNNER_CONDITIONS_PUT_BACK_H
#define RUNNER_CONDITIONS_PUT_BACK_H

#include "base/error.h"
#include "runner/conditions/journal.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* How it is done. */
enum put_back_way {
    PUT_BACK_OWN,   /* by the command that changed it: GPUs' clocks are its own affair */
    PUT_BACK_GUARD, /* in its place, as soon as it is no more */
    PUT_BACK_LATE,  /* by another one, later: what somebody has changed since is left as it is */
};

/* Puts all back, the last change first. Sentences of what was done, and of what was left or waits, are added
 * to told (may be NULL). Returns how many wait: they cannot be written by this user, say. */
size_t put_back(const struct journal *journal, enum put_back_way way, json_t *told);

/* Puts back what a command that is no more has left, where this user may; removes the journal when nothing
 * waits any more. Nothing where there is no journal, or its owner lives. Adds sentences to told. Returns how
 * many wait. */
size_t put_back_left(const char *root, json_t *told);

/* The same with a journal that this process has locked; it stays. */
size_t put_back_taken(const struct journal *journal, json_t *told);

/* The command that does so; returns command. */
char *put_back_command(const char *root, char command[FILE_PATH_BYTES + 64]);

/* What a journal tells that nothing is done about: adds a sentence each to told. */
void put_back_tell(const struct journal_content *content, json_t *told);

#endif
