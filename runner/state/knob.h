/* The machine state that a recipe may request (state = {...}): one row per item, with functions to read it,
 * compare it and plan its change. All paths are below a root folder, "" for the machine itself, so a
 * simulated tree works as well. */
#ifndef RUNNER_STATE_KNOB_H
#define RUNNER_STATE_KNOB_H

#include "base/error.h"
#include "base/value.h"

#include <stdbool.h>
#include <stddef.h>

/* A GPU's levels of a clock are a text of several lines. */
enum { KNOB_PATH_BYTES = 512, KNOB_VALUE_BYTES = 512, KNOB_WORD_BYTES = 64, KNOB_TEXT = -1 };

/* One write: a text file's whole content, or bytes at an offset, such as a register. */
struct knob_change {
    char path[KNOB_PATH_BYTES];
    long long offset; /* KNOB_TEXT: the whole file */
    size_t size;
    char value[KNOB_VALUE_BYTES];

    /* The kernel undoes it together with the change before it, and does not accept the text that it shows, so
     * it is not in the journal. In a folder for --sysfs-root, where nothing undoes it, it is. */
    bool follows;
};

/* All zeros is empty. */
struct knob_changes {
    struct knob_change *items;
    size_t count;
};

/* The location of the files of a table's knobs. */
struct knob_place {
    /* The path of the file of that name, which need not exist; false, with errno, without such a place. */
    bool (*path)(const char *root, int place, const char *name, char path[KNOB_PATH_BYTES]);
    const char *hint; /* where such files exist */
};

struct knob {
    const char *name; /* as in state = {...} */
    const char *what; /* the same in words */
    const char *file; /* contains the value; NULL: the functions find it */
    const char *key;  /* of the value in an observed value of several parts; NULL: it has none */
    const struct knob_place *place;

    /* True for values that a recipe may request; a suite's manifest may contain anything. */
    bool (*sane)(const struct value *wanted);

    /* The current value of the logical processor, or of the card of that number. VALUE_NONE, with the
     * reason (STATUS_UNAVAILABLE), if the machine has no such state or does not report it. */
    struct value (*observe)(const struct knob *knob, const char *root, int place, struct arena *arena,
                            struct error *why_not);

    /* True when the observed value satisfies the request. */
    bool (*met)(const struct knob *knob, const struct value *observed, const struct value *wanted);

    /* Adds the writes that bring about the requested value. STATUS_UNAVAILABLE, with the reason, when that is
     * impossible. */
    enum status (*plan)(const struct knob *knob, const char *root, int place, const struct value *wanted,
                        struct knob_changes *changes, struct error *error);
};

/* The table; a NULL name ends it. */
extern const struct knob knobs[];

/* The same for AMD's GPUs (amdgpu_knobs.c). */
extern const struct knob amdgpu_knobs[];

/* True if there is such a card of the driver amdgpu, with its PCI address, "0000:03:00.0". */
bool knob_amdgpu_card(const char *root, int card, char pci[KNOB_WORD_BYTES]);

/* STATUS_UNAVAILABLE, with the reason, where the clocks of the card cannot be set, or could not be restored.
 * To be called before anything is set. */
enum status knob_amdgpu_check(const char *root, int card, struct error *error);

/* True for the path of a file that these knobs write, without the root. */
bool knob_amdgpu_owns(const char *path);

/* Functions for rows: to observe and set a file with one word; to compare values; to check a clock in GHz;
 * and the reasons, by errno, why the file at the path cannot be observed (returns VALUE_NONE) or set. */
struct value knob_word_observe(const struct knob *knob, const char *root, int place, struct arena *arena,
                               struct error *why_not);
enum status knob_word_plan(const struct knob *knob, const char *root, int place, const struct value *wanted,
                           struct knob_changes *changes, struct error *error);
bool knob_same(const struct knob *knob, const struct value *observed, const struct value *wanted);
bool knob_is_ghz(const struct value *wanted);
struct value knob_unseen(const struct knob *knob, const char *path, struct error *why_not);
enum status knob_unset(const struct knob *knob, const char *path, struct error *error);

/* Functions of rows that have their own files. */
struct value knob_prefetchers_observe(const struct knob *knob, const char *root, int cpu, struct arena *arena,
                                      struct error *why_not);
enum status knob_prefetchers_plan(const struct knob *knob, const char *root, int cpu,
                                  const struct value *wanted, struct knob_changes *changes,
                                  struct error *error);

void knob_add_text(struct knob_changes *changes, const char *path, const char *text);
void knob_add_bytes(struct knob_changes *changes, const char *path, long long offset, const void *bytes,
                    size_t size);
void knob_changes_free(struct knob_changes *changes);

/* The file's first line. False, with errno, when it cannot be read. */
bool knob_read_line(const char *path, char line[KNOB_VALUE_BYTES]);

/* True if both have the same content. */
bool knob_change_same(const struct knob_change *one, const struct knob_change *other);

/* Reads the current content at the change's place into *change itself; false, with errno, when it cannot. */
bool knob_read(struct knob_change *change);

/* Performs the write; false, with errno, when it cannot. root: the folder with which the path begins, "" for
 * the machine itself. A folder may be another user's, so a target there must be a regular file with one name,
 * reached without a link. */
bool knob_write(const char *root, const struct knob_change *change);

#endif
