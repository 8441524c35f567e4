/* Anonymous files in memory, for interfaces that need a descriptor or a path instead of bytes. */
#ifndef BASE_FILES_MEMORY_FILE_H
#define BASE_FILES_MEMORY_FILE_H

#include "base/buffer.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* Makes a file with the bytes. The caller closes *fd, which exec also closes; -1 after an error. While it is
 * open, this user's other processes can open it as /proc/PID/fd/FD. STATUS_UNAVAILABLE if the system provides
 * none or lacks room for the bytes. */
enum status memory_file_open(const void *bytes, size_t size, bool executable, int *fd, struct error *error);

/* The path for this user's other processes. */
enum { MEMORY_FILE_PATH_BYTES = 64 };
void memory_file_path(char path[MEMORY_FILE_PATH_BYTES], int fd);

/* Appends the whole file to *contents. STATUS_FAILED if it cannot be read. */
enum status memory_file_read(int fd, struct buffer *contents, struct error *error);

#endif
