/* Unfinished work on disk: a name that no other writer has, and the lock by which a later writer tells
 * whether this one still lives. The kernel keeps the lock with the open file and drops it with the last
 * process that has it, in whatever PID namespace; network file systems pass it on to other hosts. */
#ifndef BASE_HOLD_H
#define BASE_HOLD_H

#include <stdbool.h>
#include <stddef.h>

enum { HOLD_TAG_BYTES = 26 }; /* 8 digits of the host's boot, '-', 16 random ones, NUL */

/* A new tag. False, with errno, when the system has no random numbers. */
bool hold_tag(char tag[HOLD_TAG_BYTES]);

/* True for the length of text as a tag. */
bool hold_is_tag(const char *text, size_t length);

/* Locks the file of unfinished work. False when another has the lock: it took the file for a dead writer's.
 * A file system without locks is well: then nobody can take it for dead. */
bool hold_take(int fd);

/* True when the writer of the file, whose name had the tag, is dead: nobody has its lock, which this process
 * then has until the descriptor is closed. Locks of another host may be unseen here: its file, or one from
 * before a restart, must also have been left alone for a day. */
bool hold_is_dead(int fd, const char *tag);

/* Locks the file that has the name now, for a change that begins with reading it: waits for those who change
 * it. The descriptor; -1 where there is no such file or it cannot be opened. Closing it ends the lock. */
int hold_file(const char *path);

#endif
