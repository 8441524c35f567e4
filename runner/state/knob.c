/* Reads and writes the state behind a knob. */
#include "runner/state/knob.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

bool knob_change_same(const struct knob_change *one, const struct knob_change *other)
{
    return one->size == other->size && memcmp(one->value, other->value, one->size) == 0;
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

/* Opens a path below the root, which may be another user's folder, without following a link in it. */
static int open_below(const char *root, const char *path, int flags)
{
    char part[KNOB_PATH_BYTES];
    int folder = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
    const char *from = path + strlen(root) + strspn(path + strlen(root), "/");
    while (folder >= 0) {
        size_t length = strcspn(from, "/");
        bool last = from[length] == '\0';
        memcpy(part, from, length);
        part[length] = '\0';
        int fd = openat(folder, part, O_NOFOLLOW | O_CLOEXEC | (last ? flags : O_PATH | O_DIRECTORY));
        int failure = errno;
        close(folder);
        errno = failure;
        folder = fd;
        if (last)
            break;
        from += length + strspn(from + length, "/");
    }
    return folder;
}

/* Opens the file if it is of a knob's type; -1 with errno: ELOOP if a link leads to it, EMLINK if it has
 * other names. In the kernel's own folders, links are allowed. */
static int open_target(const char *root, const struct knob_change *change)
{
    static const int flags = O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
    struct stat info;
    bool machine = root[0] == '\0';
    int fd = machine ? open(change->path, flags) : open_below(root, change->path, flags);
    if (fd < 0)
        return -1;
    bool seen = fstat(fd, &info) == 0;
    mode_t kind = machine && change->offset != KNOB_TEXT ? S_IFCHR : S_IFREG;
    if (seen && (info.st_mode & S_IFMT) == kind && (machine || info.st_nlink == 1) &&
        (machine || change->offset != KNOB_TEXT || ftruncate(fd, 0) == 0))
        return fd;
    int failure = seen && (info.st_mode & S_IFMT) != kind ? EINVAL
                  : seen && info.st_nlink != 1            ? EMLINK
                                                          : errno;
    close(fd);
    errno = failure;
    return -1;
}

bool knob_write(const char *root, const struct knob_change *change)
{
    bool text = change->offset == KNOB_TEXT;
    int fd = open_target(root, change);
    if (fd < 0)
        return false;
    ssize_t wrote = text ? write(fd, change->value, change->size)
                         : pwrite(fd, change->value, change->size, change->offset);
    int number = wrote < 0 ? errno : EIO;
    bool good = close(fd) == 0 && wrote == (ssize_t)change->size;
    errno = number;
    return good;
}

/* ---- for rows ---- */

bool knob_read_line(const char *path, char line[KNOB_VALUE_BYTES])
{
    struct knob_change file = {.offset = KNOB_TEXT};
    snprintf(file.path, sizeof file.path, "%s", path);
    if (!knob_read(&file))
        return false;
    size_t length = strcspn(file.value, "\n");
    length = length < file.size ? length : file.size;
    memcpy(line, file.value, length);
    line[length] = '\0';
    return true;
}

static enum status absent(const struct knob *knob, const char *before, const char *behind, const char *path,
                          struct error *error)
{
    int number = errno;
    error_set(error, STATUS_UNAVAILABLE, "%s%s%s: %s: %s", before, knob->what, behind, path,
              strerror(number));
    if (number == ENOENT)
        error_hint(error, "%s", knob->place->hint);
    return STATUS_UNAVAILABLE;
}

struct value knob_unseen(const struct knob *knob, const char *path, struct error *why_not)
{
    (void)absent(knob, "the system reports no ", "", path, why_not);
    return (struct value){.kind = VALUE_NONE};
}

enum status knob_unset(const struct knob *knob, const char *path, struct error *error)
{
    return absent(knob, "no ", " can be set", path, error);
}

static bool read_word(const struct knob *knob, const char *root, int place, char path[KNOB_PATH_BYTES],
                      char line[KNOB_VALUE_BYTES])
{
    return knob->place->path(root, place, knob->file, path) && knob_read_line(path, line);
}

struct value knob_word_observe(const struct knob *knob, const char *root, int place, struct arena *arena,
                               struct error *why_not)
{
    char path[KNOB_PATH_BYTES], line[KNOB_VALUE_BYTES];
    return read_word(knob, root, place, path, line) ? value_word(line, arena)
                                                    : knob_unseen(knob, path, why_not);
}

enum status knob_word_plan(const struct knob *knob, const char *root, int place, const struct value *wanted,
                           struct knob_changes *changes, struct error *error)
{
    char path[KNOB_PATH_BYTES], line[KNOB_VALUE_BYTES];
    if (!read_word(knob, root, place, path, line))
        return knob_unset(knob, path, error);
    knob_add_text(changes, path, wanted->word);
    return STATUS_OK;
}

bool knob_same(const struct knob *knob, const struct value *observed, const struct value *wanted)
{
    (void)knob;
    return value_same(observed, wanted);
}

bool knob_is_ghz(const struct value *wanted)
{
    return wanted->kind == VALUE_NUMBER && wanted->number >= 0.01 && wanted->number <= 100;
}
