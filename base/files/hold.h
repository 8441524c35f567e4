/* Unfinished work on disk: a unique name, and a lock that shows later writers whether this writer is alive.
 * The kernel holds the lock with the open file and releases it with the last process that has the file open,
 * in any PID namespace; network file systems extend it to other hosts. */
#ifndef BASE_FILES_HOLD_H
#define BASE_FILES_HOLD_H

#include <stdbool.h>
#include <stddef.h>

enum { HOLD_TAG_BYTES = 26 }; /* 8 digits of the host's boot, '-', 16 random ones, NUL */

/* Makes a new tag. False, with errno, if the system has no random numbers. */
bool hold_tag(char tag[HOLD_TAG_BYTES]);

/* True if text[0..length) is a tag. */
bool hold_is_tag(const char *text, size_t length);

/* Locks the file of unfinished work. False if another process, which took this writer for dead, has the lock.
 * Succeeds on a file system without locks, where no writer can be taken for dead. */
bool hold_take(int fd);

/* True if the writer of the file with that tag is dead: its lock was free, and this process now holds it
 * until the descriptor is closed. Locks of other hosts may be invisible here, so their files, and those from
 * before a restart, must also be unmodified for a day. */
bool hold_is_dead(int fd, const char *tag);

/* Locks the file that currently has the name, for a read-modify-write; waits for other holders. Returns the
 * descriptor, or -1 if the file is missing or cannot be opened. Closing it releases the lock. */
int hold_file(const char *path);

#endif
