/* The file in which stands what a command changes of the machine's state, each thing before it is changed:
 * what it was and what is written. There is one a machine, ROOT/run/traumagen/state.journal, and whoever has
 * it locked is the only one to change anything; the lock goes with its holders, however they end. One that
 * nobody has locked and that tells of changes is of a command that was ended before it could put them back.
 */
#ifndef RUNNER_CONDITIONS_JOURNAL_H
#define RUNNER_CONDITIONS_JOURNAL_H

#include "base/error.h"
#include "base/file.h"
#include "runner/conditions/knob.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { JOURNAL_WORD_BYTES = 64 };

/* Who writes it. */
struct journal_owner {
    pid_t pid;
    unsigned long long started;    /* field 22 of /proc/PID/stat: numbers are used again */
    char boot[JOURNAL_WORD_BYTES]; /* a boot sets all that can be changed to what is usual */
};

/* One thing that was changed. */
struct journal_entry {
    char knob[JOURNAL_WORD_BYTES];
    char gpu[JOURNAL_WORD_BYTES]; /* PCI address of one whose clock was locked; "": what follows */
    struct knob_change old, wrote;
    struct knob_change reads; /* as it read when it had been written */
};

struct journal_content {
    struct journal_owner owner;
    struct journal_entry *entries;
    size_t count;
};

/* All zeros with a descriptor of -1 is none. */
struct journal {
    int fd;
    char root[FILE_PATH_BYTES];
    off_t header; /* bytes before the first entry */
};

char *journal_path(char path[FILE_PATH_BYTES], const char *root);

/* True when there is one: a single look. */
bool journal_stands(const char *root);

/* True when the process that the journal names still is. */
bool journal_owner_lives(const struct journal_owner *owner);

/* True when the machine was booted since. */
bool journal_is_void(const char *root, const struct journal_owner *owner);

/* Opens the journal that stands and takes its lock, for what it tells to be put back. STATUS_OK without a
 * descriptor when there is none any more, or a living process has it; STATUS_UNAVAILABLE when it may not be
 * written to by this user, or is somebody else's, who would have files written by this one. */
enum status journal_take(const char *root, struct journal *journal, struct error *error);

/* The same for a command that is to change something: makes one where there is none. STATUS_UNAVAILABLE
 * when it cannot; *busy: because a living process has it, which the error names. */
enum status journal_make(const char *root, struct journal *journal, bool *busy, struct error *error);

/* Reads the journal of that root, also without its lock. *held: a process has it locked. STATUS_UNAVAILABLE
 * when there is none or it cannot be read; STATUS_FAILED when it is none of this version's. Free the content
 * with journal_content_free in every case. */
enum status journal_look(const char *root, struct journal_content *content, bool *held, struct error *error);

/* As journal_look, of one that is open. */
enum status journal_read(const struct journal *journal, struct journal_content *content, struct error *error);
void journal_content_free(struct journal_content *content);

/* Begins it anew, as this process's. */
enum status journal_begin(struct journal *journal, struct error *error);

/* Adds an entry; on the disk when it returns. */
enum status journal_add(const struct journal *journal, const struct journal_entry *entry,
                        struct error *error);

/* Adds that what the last entry wrote reads otherwise, or that a GPU's clock is unlocked again. */
enum status journal_add_reads(const struct journal *journal, const struct knob_change *reads,
                              struct error *error);
enum status journal_add_unlocked(const struct journal *journal, const char *gpu, struct error *error);

/* Takes all entries out. */
void journal_clear(const struct journal *journal);

/* Removes the file, while it is locked and still the one that stands there. */
void journal_remove(const struct journal *journal);

void journal_close(struct journal *journal);

#endif
