/* The journal of a command's changes to the machine's state: the old and the new value of each, written
 * before the change. There is one per machine, /run/traumagen/state.journal, and one per folder for
 * --sysfs-root; the latter is among the user's settings, because the folder may be another user's. Only the
 * process that holds the journal's lock may change anything; the lock is released when its holders end,
 * however that happens. An unlocked journal with changes was left by a command that was killed before it
 * could restore them. */
#ifndef RUNNER_STATE_JOURNAL_H
#define RUNNER_STATE_JOURNAL_H

#include "base/error.h"
#include "base/file.h"
#include "runner/state/knob.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { JOURNAL_WORD_BYTES = 64 };

/* The process that writes it. */
struct journal_owner {
    pid_t pid;
    unsigned long long started;    /* field 22 of /proc/PID/stat: PIDs are reused */
    char boot[JOURNAL_WORD_BYTES]; /* a reboot resets everything that can be changed */
};

/* One change. */
struct journal_entry {
    char knob[JOURNAL_WORD_BYTES];
    char gpu[JOURNAL_WORD_BYTES]; /* PCI address of a GPU whose clock was locked; "": the following are set */
    struct knob_change old, wrote;
    struct knob_change reads; /* value read back after the write */
};

struct journal_content {
    struct journal_owner owner;
    struct journal_entry *entries; /* one per file or register: the first old value, the last new one */
    size_t count;
    size_t last; /* index of the entry that was changed last */
};

/* None: all zeros with a descriptor of -1. */
struct journal {
    int fd;
    char root[FILE_PATH_BYTES];
    off_t header; /* bytes before the first entry */
};

/* True when a journal exists. */
bool journal_stands(const char *root);

/* True when the machine has been rebooted since the owner wrote the journal. */
bool journal_is_void(const struct journal_owner *owner);

/* Opens the existing journal and takes its lock, to restore what it lists. STATUS_OK without a descriptor
 * when there is none any more, or a living process holds it; STATUS_UNAVAILABLE when this user may not write
 * it, or when it is owned by another user, who could make this user write files. */
enum status journal_take(const char *root, struct journal *journal, struct error *error);

/* The same for a command that will change something: creates the journal if there is none. STATUS_UNAVAILABLE
 * when it cannot; *busy: because a living process holds it, which the error names. */
enum status journal_make(const char *root, struct journal *journal, bool *busy, struct error *error);

/* Reads the journal of that root without its lock. *held: a process holds the lock. STATUS_UNAVAILABLE when
 * there is none, it cannot be read, or it is neither this user's nor root's; STATUS_FAILED when it is not of
 * this version. Free the content with journal_content_free in every case. */
enum status journal_look(const char *root, struct journal_content *content, bool *held, struct error *error);

/* As journal_look, for an open journal. */
enum status journal_read(const struct journal *journal, struct journal_content *content, struct error *error);
void journal_content_free(struct journal_content *content);

/* Empties the journal and makes this process its owner. */
enum status journal_begin(struct journal *journal, struct error *error);

/* Adds an entry; it is on disk when this returns. */
enum status journal_add(const struct journal *journal, const struct journal_entry *entry,
                        struct error *error);

/* Records that the last entry's value reads back differently than written; that a GPU's clock is unlocked. */
enum status journal_add_reads(const struct journal *journal, const struct knob_change *reads,
                              struct error *error);
enum status journal_add_unlocked(const struct journal *journal, const char *gpu, struct error *error);

/* True when the journal is so long that its entries should be restored and removed before further changes. */
bool journal_is_long(const struct journal *journal);

/* Removes all entries. */
void journal_clear(const struct journal *journal);

/* Removes the file if it is locked and still the one at its path. */
void journal_remove(const struct journal *journal);

void journal_close(struct journal *journal);

#endif
