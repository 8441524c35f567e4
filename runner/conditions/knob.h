/* What of the machine's state a recipe may wish (state = {...}): each one row that reads it, judges it and
 * says what to write where. Everything is read and written below a root folder, "" for the machine itself, so
 * that a made-up tree serves as well. */
#ifndef RUNNER_CONDITIONS_KNOB_H
#define RUNNER_CONDITIONS_KNOB_H

#include "base/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum { KNOB_PATH_BYTES = 512, KNOB_VALUE_BYTES = 64, KNOB_TEXT = -1 };

/* One thing to write: a text file's whole content, or the bytes at an offset, as of a register. */
struct knob_change {
    char path[KNOB_PATH_BYTES];
    long long offset; /* KNOB_TEXT: the whole file */
    size_t size;
    char value[KNOB_VALUE_BYTES];
};

/* All zeros is empty. */
struct knob_changes {
    struct knob_change *items;
    size_t count;
};

struct knob {
    const char *name; /* as in state = {...} */

    /* True for what a recipe can wish; a suite's manifest may say anything. */
    bool (*sane)(const json_t *wanted);

    /* What it is on the logical processor. NULL, with the reason (STATUS_UNAVAILABLE), where the machine has
     * none or does not tell. New reference. */
    json_t *(*observe)(const char *root, int cpu, struct error *why_not);

    /* True when what was observed is what is wanted. */
    bool (*met)(const json_t *observed, const json_t *wanted);

    /* Adds what is to be written so that it becomes what is wanted. STATUS_UNAVAILABLE, with the reason, when
     * it cannot. */
    enum status (*plan)(const char *root, int cpu, const json_t *wanted, struct knob_changes *changes,
                        struct error *error);
};

/* The table; a NULL name ends it. */
extern const struct knob knobs[];

/* Those of the table that live in files of their own. */
json_t *knob_prefetchers_observe(const char *root, int cpu, struct error *why_not);
enum status knob_prefetchers_plan(const char *root, int cpu, const json_t *wanted,
                                  struct knob_changes *changes, struct error *error);

void knob_add_text(struct knob_changes *changes, const char *path, const char *text);
void knob_add_bytes(struct knob_changes *changes, const char *path, long long offset, const void *bytes,
                    size_t size);
void knob_changes_free(struct knob_changes *changes);

/* Reads what stands where the change would write, into *change itself; false, with errno, when it cannot. */
bool knob_read(struct knob_change *change);

/* Writes it; false, with errno, when it cannot. */
bool knob_write(const struct knob_change *change);

#endif
