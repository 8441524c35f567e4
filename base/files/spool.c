#include "base/files/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PART_BYTES = 1 << 16 };

/* A nameless file that vanishes on close; in memory if no folder allows one. */
int spool_nameless(void)
{
    const char *folder = getenv("TMPDIR");
    int fd =
        open(folder == NULL || folder[0] == '\0' ? "/tmp" : folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    return fd >= 0 ? fd : memfd_create("spool", MFD_CLOEXEC);
}

static enum status flush(struct spool *spool, struct error *error)
{
    if (spool->file == 0)
        spool->file = 1 + spool_nameless();
    size_t done = 0;
    while (spool->file > 0 && done < spool->waiting.size) {
        ssize_t wrote = pwrite(spool->file - 1, spool->waiting.data + done, spool->waiting.size - done,
                               (off_t)(spool->written + done));
        if (wrote < 0 && errno != EINTR)
            break;
        done += wrote > 0 ? (size_t)wrote : 0;
    }
    if (done < spool->waiting.size)
        return error_set(error, STATUS_FAILED, "cannot write temporary data to disk: %s", strerror(errno));
    spool->written += done;
    spool->waiting.size = 0;
    return STATUS_OK;
}

enum status spool_append(struct spool *spool, const void *bytes, size_t size, uint64_t *start,
                         struct error *error)
{
    *start = spool->written + spool->waiting.size;
    buffer_append(&spool->waiting, bytes, size);
    return spool->waiting.size < PART_BYTES ? STATUS_OK : flush(spool, error);
}

enum status spool_read(const struct spool *spool, uint64_t start, size_t size, struct buffer *bytes,
                       struct error *error)
{
    bytes->size = 0;
    if (start >= spool->written) {
        buffer_append(bytes, spool->waiting.data + (start - spool->written), size);
        return STATUS_OK;
    }
    char *to = buffer_reserve(bytes, size);
    size_t done = 0;
    while (done < size) {
        ssize_t got = pread(spool->file - 1, to + done, size - done, (off_t)(start + done));
        if (got == 0 || (got < 0 && errno != EINTR))
            return error_set(error, STATUS_FAILED, "cannot read temporary data from disk: %s",
                             strerror(errno));
        done += got > 0 ? (size_t)got : 0;
    }
    to[size] = '\0';
    bytes->size = size;
    return STATUS_OK;
}

void spool_free(struct spool *spool)
{
    if (spool->file > 0)
        close(spool->file - 1);
    buffer_free(&spool->waiting);
    *spool = (struct spool){0};
}
