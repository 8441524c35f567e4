#include "base/files/memory_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U /* Linux 6.3; marks a file that is meant to be executed */
#endif

enum { CHUNK_BYTES = 65536 };

static int create(bool executable)
{
    /* Kernels before 6.3 refuse MFD_EXEC; later ones may be set up to refuse execution without it. */
    int fd = executable ? memfd_create("program", MFD_CLOEXEC | MFD_EXEC) : -1;
    if (fd < 0 && (!executable || errno == EINVAL))
        fd = memfd_create("program", MFD_CLOEXEC);
    return fd;
}

enum status memory_file_open(const void *bytes, size_t size, bool executable, int *fd, struct error *error)
{
    *fd = create(executable);
    if (*fd < 0) {
        error_set(error, STATUS_UNAVAILABLE, "cannot make a file in memory: %s", strerror(errno));
        error_hint(error,
                   "check that sysctl vm.memfd_noexec is not 2 and that no open-file limit is reached");
        return STATUS_UNAVAILABLE;
    }
    const char *from = bytes;
    for (size_t done = 0; done < size;) {
        ssize_t count = write(*fd, from + done, size - done);
        if (count < 0 && errno != EINTR) {
            error_set(error, STATUS_UNAVAILABLE, "cannot write %zu bytes to a file in memory: %s", size,
                      strerror(errno));
            close(*fd);
            *fd = -1;
            return STATUS_UNAVAILABLE;
        }
        done += count > 0 ? (size_t)count : 0;
    }
    return STATUS_OK;
}

void memory_file_path(char path[MEMORY_FILE_PATH_BYTES], int fd)
{
    snprintf(path, MEMORY_FILE_PATH_BYTES, "/proc/%ld/fd/%d", (long)getpid(), fd);
}

enum status memory_file_read(int fd, struct buffer *contents, struct error *error)
{
    char chunk[CHUNK_BYTES];
    for (off_t at = 0;;) {
        ssize_t got = pread(fd, chunk, sizeof chunk, at);
        if (got == 0)
            return STATUS_OK;
        if (got < 0 && errno != EINTR)
            return error_set(error, STATUS_FAILED, "cannot read a file in memory: %s", strerror(errno));
        if (got > 0) {
            buffer_append(contents, chunk, (size_t)got);
            at += got;
        }
    }
}
