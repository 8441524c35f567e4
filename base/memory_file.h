/* Files that have no name and lie in memory, for what takes a descriptor or a path where we have bytes. */
#ifndef BASE_MEMORY_FILE_H
#define BASE_MEMORY_FILE_H

#include "base/buffer.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* A new file with the bytes in it; *fd is closed by exec and is the caller's to close, -1 after an error. As
 * long as it is open others of this user reach it as /proc/PID/fd/FD. STATUS_UNAVAILABLE when the system
 * gives none or has no room for the bytes. */
enum status memory_file_open(const void *bytes, size_t size, bool executable, int *fd, struct error *error);

/* The path by which others of this user reach it. */
enum { MEMORY_FILE_PATH_BYTES = 64 };
void memory_file_path(char path[MEMORY_FILE_PATH_BYTES], int fd);

/* Appends the whole file, from its beginning, to *contents. STATUS_FAILED when it cannot be read. */
enum status memory_file_read(int fd, struct buffer *contents, struct error *error);

#endif
