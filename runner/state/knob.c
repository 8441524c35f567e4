/* Reads and writes the state behind a knob. */
#include "runner/state/knob.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct knob_change *add(struct knob_changes *changes, const char *path)
{
    changes->items = memory_resized(changes->items, changes->count + 1, sizeof *changes->items);
    struct knob_change *change = &changes->items[changes->count++];
    *change = (struct knob_change){.offset = KNOB_TEXT};
    size_t length = strnlen(path, sizeof change->path - 1);
    memcpy(change->path, path, length);
    return change;
}

void knob_add_text(struct knob_changes *changes, const char *path, const char *text)
{
    struct knob_change *change = add(changes, path);
    change->size = strnlen(text, sizeof change->value - 1);
    memcpy(change->value, text, change->size);
    change->value[change->size++] = '\n';
}

void knob_add_bytes(struct knob_changes *changes, const char *path, long long offset, const void *bytes,
                    size_t size)
{
    struct knob_change *change = add(changes, path);
    change->offset = offset;
    change->size = size < sizeof change->value ? size : sizeof change->value;
    memcpy(change->value, bytes, change->size);
}

void knob_changes_free(struct knob_changes *changes)
{
    free(changes->items);
    *changes = (struct knob_changes){0};
}

bool knob_read(struct knob_change *change)
{
    int fd = open(change->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return false;
    bool text = change->offset == KNOB_TEXT;
    size_t wanted = text ? sizeof change->value : change->size;
    ssize_t got = text ? read(fd, change->value, wanted) : pread(fd, change->value, wanted, change->offset);
    int number = errno;
    close(fd);
    errno = got < 0 ? number : EINVAL;
    if (got < 0 || (!text && (size_t)got != wanted) || (text && (size_t)got == wanted))
        return false;
    change->size = (size_t)got;
    return true;
}

bool knob_write(const struct knob_change *change)
{
    bool text = change->offset == KNOB_TEXT;
    int fd = open(change->path, O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (text ? O_TRUNC : 0));
    if (fd < 0)
        return false;
    ssize_t wrote = text ? write(fd, change->value, change->size)
                         : pwrite(fd, change->value, change->size, change->offset);
    int number = wrote < 0 ? errno : EIO;
    bool good = close(fd) == 0 && wrote == (ssize_t)change->size;
    errno = number;
    return good;
}
