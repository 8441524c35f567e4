/* A lock on a file that several processes change. The kernel holds it with the open file and releases it with
 * the last process that has the file open, in any PID namespace; network file systems extend it to other
 * hosts. */
#ifndef BASE_FILES_HOLD_H
#define BASE_FILES_HOLD_H

/* Locks the file that currently has the name, for a read-modify-write; waits for other holders. Returns the
 * descriptor, or -1 if the file is missing or cannot be opened. Closing it releases the lock. */
int hold_file(const char *path);

#endif
