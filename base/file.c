#include "base/file.h"

#include "base/files/draft.h"
#include "base/files/file_place.h"
#include "base/units.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK_BYTES = 65536 };

static const char *kind_of(mode_t mode)
{
    return S_ISDIR(mode) ? "a folder" : S_ISFIFO(mode) ? "a FIFO" : S_ISSOCK(mode) ? "a socket" : "a device";
}

/* Names of the shell's own pipes, which are worth waiting for. */
static bool is_own_pipe(const char *path, mode_t mode)
{
    return S_ISFIFO(mode) && (strcmp(path, "/dev/stdin") == 0 || strncmp(path, "/dev/fd/", 8) == 0 ||
                              strncmp(path, "/proc/self/fd/", 14) == 0);
}

static int open_in(int folder, const char *path, const char *name, int flags, off_t *size,
                   struct error *error)
{
    struct stat info;
    /* opening a FIFO does not wait */
    int fd = TEMP_FAILURE_RETRY(openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags));
    if (fd < 0 || fstat(fd, &info) != 0) {
        error_set(error, STATUS_USAGE, "cannot read %s: %s", path, strerror(errno));
        if (fd >= 0)
            close(fd);
        return -1;
    }
    *size = S_ISREG(info.st_mode) ? info.st_size : 0;
    if (S_ISREG(info.st_mode) || (is_own_pipe(path, info.st_mode) && fcntl(fd, F_SETFL, 0) == 0))
        return fd;
    error_set(error, STATUS_USAGE, "cannot read %s: it is %s, not a regular file", path,
              kind_of(info.st_mode));
    if (!S_ISDIR(info.st_mode))
        error_hint(error, "copy its output into a file, and name that file");
    close(fd);
    return -1;
}

int file_open(const char *path, off_t *size, struct error *error)
{
    return open_in(AT_FDCWD, path, path, 0, size, error);
}

static enum status too_large(const char *path, uint64_t size, size_t most, struct error *error)
{
    char found[32] = "more";
    char limit[32];
    if (size > 0)
        units_format_size(size, found, sizeof found);
    error_set(error, STATUS_USAGE, "cannot read %s: it has %s; such a file may have at most %s", path, found,
              units_format_size(most, limit, sizeof limit));
    error_hint(error, "check that it is the right file");
    return STATUS_USAGE;
}

/* Takes the descriptor; below 0: *error has the reason. */
static enum status read_all(const char *path, int fd, off_t size, size_t most, struct buffer *contents,
                            struct error *error)
{
    if (fd < 0)
        return STATUS_USAGE;
    size_t before = contents->size;
    ssize_t got = 0;
    bool fits = (uint64_t)size <= most;
    while (fits && ((got = read(fd, buffer_reserve(contents, CHUNK_BYTES), CHUNK_BYTES)) > 0 ||
                    (got < 0 && errno == EINTR))) {
        contents->size += got > 0 ? (size_t)got : 0;
        fits = contents->size - before <= most; /* a file may grow, and files in /proc have no size */
    }
    int failure = errno;
    if (contents->data != NULL) /* NULL if the file is too large: nothing was read */
        contents->data[contents->size] = '\0';
    close(fd);
    if (!fits)
        return too_large(path, (uint64_t)size > most ? (uint64_t)size : 0, most, error);
    if (got < 0)
        return error_set(error, STATUS_USAGE, "cannot read %s: %s", path, strerror(failure));
    return STATUS_OK;
}

enum status file_read_most(const char *path, size_t most, struct buffer *contents, struct error *error)
{
    off_t size = 0;
    int fd = file_open(path, &size, error);
    return read_all(path, fd, size, most, contents, error);
}

enum status file_read_in(int folder, const char *name, const char *path, size_t most, struct buffer *contents,
                         struct error *error)
{
    off_t size = 0;
    int fd = open_in(folder, path, name, O_NOFOLLOW, &size, error);
    return read_all(path, fd, size, most, contents, error);
}

enum status file_read(const char *path, struct buffer *contents, struct error *error)
{
    return file_read_most(path, FILE_MOST_TEXT, contents, error);
}

bool file_begins_with(const char *path, const char *text)
{
    char begin[128];
    off_t size;
    size_t length = strlen(text);
    int fd = file_open(path, &size, NULL);
    if (fd < 0)
        return false;
    ssize_t got = size == 0 || length > sizeof begin ? 0 : pread(fd, begin, length, 0);
    close(fd);
    return got == (ssize_t)length && memcmp(begin, text, length) == 0;
}

bool file_is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

bool file_is_regular(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

enum status file_make_folders(const char *path, struct error *error)
{
    struct file_place place;
    if (file_place_open(path, true, &place, error) != STATUS_OK) {
        if (error != NULL)
            error->code = STATUS_FAILED;
        return STATUS_FAILED;
    }
    bool good = TEMP_FAILURE_RETRY(mkdirat(place.folder, place.name, 0777)) == 0 || errno == EEXIST;
    int fd = !good ? -1 : openat(place.folder, place.name, O_PATH | O_DIRECTORY | O_CLOEXEC);
    int failure = errno;
    file_place_close(&place, false);
    if (fd < 0)
        return error_set(error, STATUS_FAILED, "cannot make the folder %s: %s", path,
                         failure == ENOTDIR ? "a file has that name" : strerror(failure));
    close(fd);
    return STATUS_OK;
}

enum status file_remove_tree(const char *path, struct error *error)
{
    char folder[FILE_PATH_BYTES];
    int above = open(file_folder_of(folder, path), O_PATH | O_DIRECTORY | O_CLOEXEC);
    bool good = above < 0 ? errno == ENOENT : draft_clear(above, file_base_name(path));
    int failure = errno;
    if (above >= 0)
        close(above);
    return good ? STATUS_OK
                : error_set(error, STATUS_FAILED, "cannot remove %s: %s", path, strerror(failure));
}

char *file_join(char path[FILE_PATH_BYTES], const char *folder, const char *name)
{
    size_t length = strlen(folder);
    size_t more = strlen(name);
    bool slash = length > 0 && folder[length - 1] != '/';
    size_t room = FILE_PATH_BYTES - 1; /* cut if it does not fit */
    length = length < room ? length : room;
    memcpy(path, folder, length);
    if (slash && length < room)
        path[length++] = '/';
    more = more < room - length ? more : room - length;
    memcpy(path + length, name, more);
    path[length + more] = '\0';
    return path;
}

const char *file_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

bool file_ends_with(const char *path, const char *suffix)
{
    size_t length = strlen(path);
    size_t tail = strlen(suffix);
    return length >= tail && strcmp(path + length - tail, suffix) == 0;
}

bool file_stays_inside(const char *relative)
{
    if (relative[0] == '/' || relative[0] == '\0')
        return false;
    for (const char *part = relative; part != NULL; part = strchr(part, '/')) {
        part += part[0] == '/';
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0'))
            return false;
    }
    return true;
}

bool file_lies_within(const char *folder, const char *path)
{
    char outer[PATH_MAX];
    char inner[PATH_MAX];
    if (realpath(folder, outer) == NULL || realpath(path, inner) == NULL)
        return false;
    size_t length = strlen(outer);
    return strncmp(inner, outer, length) == 0 && (inner[length] == '/' || outer[length - 1] == '/');
}

char **file_list(const char *folder, const char *suffix)
{
    int fd = TEMP_FAILURE_RETRY(open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    char **names = fd < 0 ? NULL : draft_list(fd);
    size_t kept = 0;
    for (size_t i = 0; names != NULL && names[i] != NULL; i++) {
        char *name = names[i];
        names[i] = NULL;
        if (name[0] != '.' && file_ends_with(name, suffix))
            names[kept++] = name;
        else
            free(name);
    }
    int failure = errno;
    if (fd >= 0)
        close(fd);
    errno = failure;
    return names;
}

void file_free_names(char **names)
{
    draft_free_list(names);
}

char *file_folder_of(char folder[FILE_PATH_BYTES], const char *path)
{
    const char *name = file_base_name(path);
    size_t length = (size_t)(name - path);
    if (length == 0)
        snprintf(folder, FILE_PATH_BYTES, ".");
    else /* "/name" lies in "/" */
        snprintf(folder, FILE_PATH_BYTES, "%.*s", (int)(length > 1 ? length - 1 : length), path);
    return folder;
}

/* ---- writing ---- */

/* The bytes go into a file without a name, or with a unique one (base/files/draft.h), in the target's folder.
 * It gets the target's name when it is complete. */

/* The new file's bytes and properties. */
struct new_file {
    const void *bytes;
    size_t size;
    const int *from;         /* a descriptor that has the bytes instead, from its start; NULL: none */
    bool executable;         /* users who may read it may execute it */
    bool alone;              /* must not replace a file */
    const struct stat *old;  /* the file that it replaces; NULL: none */
    const struct stat *like; /* the file whose permissions it gets; NULL: the old file's, or the default */
};

/* The new file while it is written. Closed descriptors are -1. */
struct draft {
    int folder;
    const char *name; /* the target's, in the folder */
    int fd;
    char temporary[DRAFT_NAME_BYTES]; /* its temporary name; "": none */
};

bool file_write_all(int fd, const void *bytes, size_t size)
{
    const char *from = bytes;
    while (size > 0) {
        ssize_t wrote = write(fd, from, size);
        if (wrote < 0 && errno != EINTR)
            return false;
        from += wrote > 0 ? wrote : 0;
        size -= wrote > 0 ? (size_t)wrote : 0;
    }
    return true;
}

bool file_flush(int fd)
{
    return TEMP_FAILURE_RETRY(fsync(fd)) == 0 || errno == EINVAL ||
           errno == ENOSYS; /* the file system has no flush */
}

bool file_close(int fd)
{
    return close(fd) == 0 || errno == EINTR; /* Linux has closed it even then */
}

static enum status cannot_write(const char *path, int failure, struct error *error)
{
    return error_set(error, STATUS_FAILED, "cannot write %s: %s", path, strerror(failure));
}

static bool write_bytes(int fd, const struct new_file *new)
{
    char chunk[65536];
    ssize_t got;
    off_t at = 0;
    if (new->from == NULL)
        return file_write_all(fd, new->bytes, new->size);
    while ((got = TEMP_FAILURE_RETRY(pread(*new->from, chunk, sizeof chunk, at))) > 0) {
        if (!file_write_all(fd, chunk, (size_t)got))
            return false;
        at += got;
    }
    return got == 0;
}

/* ---- targets that are written in place ---- */

/* Appends to the bytes already in the file. */
static enum status write_to_own(int fd, const char *path, const struct new_file *new, struct error *error)
{
    return write_bytes(fd, new) ? STATUS_OK : cannot_write(path, errno, error);
}

/* A device or a FIFO receives the bytes in place. */
static enum status write_through(const char *path, const struct file_place *place, const struct new_file *new,
                                 struct error *error)
{
    int flags = O_WRONLY | O_CLOEXEC | O_NOCTTY | (place->in_proc ? 0 : O_NOFOLLOW);
    int fd = TEMP_FAILURE_RETRY(openat(place->folder, place->name, flags));
    if (fd < 0)
        return cannot_write(path, errno, error);
    int failure = write_bytes(fd, new) ? 0 : errno;
    if (!file_close(fd) && failure == 0)
        failure = errno;
    return failure == 0 ? STATUS_OK : cannot_write(path, failure, error);
}

/* This process's descriptor that the path refers to, or whose file it is; -1: none. Standard output and error
 * have that file open, and would continue to write into it after it lost its name. */
static int own_descriptor(const char *path)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    struct stat wanted;
    struct stat info;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        const char *digits = path + strlen(folders[i]);
        if (strncmp(path, folders[i], strlen(folders[i])) == 0 && *digits != '\0' && strlen(digits) < 9 &&
            strspn(digits, "0123456789") == strlen(digits))
            return atoi(digits);
    }
    if (stat(path, &wanted) != 0)
        return -1;
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
        if (fstat(fd, &info) == 0 && info.st_dev == wanted.st_dev && info.st_ino == wanted.st_ino)
            return fd;
    return -1;
}

bool file_is_put_in_place(const char *path)
{
    struct stat info;
    return own_descriptor(path) < 0 && (stat(path, &info) != 0 || S_ISREG(info.st_mode));
}

/* ---- the draft: functions return 0 or errno ---- */

/* Removes a draft that was not moved into place. */
static void drop(struct draft *draft)
{
    if (draft->temporary[0] != '\0')
        (void)TEMP_FAILURE_RETRY(unlinkat(draft->folder, draft->temporary, 0));
    draft->temporary[0] = '\0';
    if (draft->fd >= 0)
        close(draft->fd);
    draft->fd = -1;
}

/* A file without a name is invisible, and a kill leaves nothing behind. False if the file system has none. */
static bool open_nameless(struct draft *draft, mode_t mode)
{
    draft->temporary[0] = '\0';
    draft->fd = TEMP_FAILURE_RETRY(openat(draft->folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode));
    return draft->fd >= 0;
}

/* Never opens a name that exists, even if it is a planted link. The lock shows that the draft is not
 * abandoned. */
static int open_named(struct draft *draft, mode_t mode)
{
    static const int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY;
    for (int i = 0; i < DRAFT_TRIES && draft_name(draft->temporary); i++) {
        draft->fd = TEMP_FAILURE_RETRY(openat(draft->folder, draft->temporary, flags, mode));
        if (draft->fd < 0 && errno == EEXIST)
            continue;
        if (draft->fd < 0)
            break;
        (void)flock(draft->fd, LOCK_EX | LOCK_NB);
        return 0;
    }
    int failure = errno;
    draft->temporary[0] = '\0';
    return failure;
}

/* A failure to keep the owner is ignored; a failure to keep permissions is not, if the file system has them.
 */
static int set_permissions(int fd, const struct new_file *new)
{
    const struct stat *model = new->like != NULL ? new->like : new->old;
    struct stat info;
    if (model == NULL)
        return 0;
    if (fstat(fd, &info) != 0)
        return errno;
    const struct stat *owner = new->old;
    if (owner != NULL && (owner->st_uid != info.st_uid || owner->st_gid != info.st_gid))
        (void)!(fchown(fd, owner->st_uid, owner->st_gid) == 0 || fchown(fd, (uid_t)-1, owner->st_gid) == 0);
    mode_t mode = model->st_mode & 0777;
    if (new->executable)
        mode |= (mode & 0444) >> 2;
    if (fchmod(fd, mode) == 0 || errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS)
        return 0;
    return errno;
}

/* A replacement is on disk before the old file goes. */
static int fill(const struct draft *draft, const struct new_file *new)
{
    if (!write_bytes(draft->fd, new))
        return errno;
    int failure = set_permissions(draft->fd, new);
    if (failure == 0 && new->old != NULL && !file_flush(draft->fd))
        failure = errno;
    if (failure != 0)
        return failure;
    int other = TEMP_FAILURE_RETRY(fcntl(draft->fd, F_DUPFD_CLOEXEC, 0));
    return other >= 0 && file_close(other) ? 0 : errno; /* NFS reports a failed write on close */
}

/* Gives a nameless draft a name: the target's if it is free, otherwise a temporary one. */
static int give_name(struct draft *draft, const struct new_file *new)
{
    char self[32];
    snprintf(self, sizeof self, "/proc/self/fd/%d", draft->fd);
    if (new->old == NULL) {
        if (linkat(AT_FDCWD, self, draft->folder, draft->name, AT_SYMLINK_FOLLOW) == 0)
            return 0;
        if (errno != EEXIST || new->alone)
            return errno;
    }
    (void)flock(draft->fd, LOCK_EX | LOCK_NB);
    for (int i = 0; i < DRAFT_TRIES && draft_name(draft->temporary); i++) {
        if (linkat(AT_FDCWD, self, draft->folder, draft->temporary, AT_SYMLINK_FOLLOW) == 0)
            return 0;
        if (errno != EEXIST)
            break;
    }
    int failure = errno;
    draft->temporary[0] = '\0';
    return failure;
}

/* Renames a draft with a temporary name to the target. */
static int put_in_place(struct draft *draft, const struct new_file *new)
{
    int done;
    if (new->alone) {
        done = renameat2(draft->folder, draft->temporary, draft->folder, draft->name, RENAME_NOREPLACE);
        if (done != 0 && (errno == EINVAL || errno == ENOSYS)) /* NFS has links instead */
            done = linkat(draft->folder, draft->temporary, draft->folder, draft->name, 0);
        else if (done == 0)
            draft->temporary[0] = '\0';
        return done == 0 ? 0 : errno;
    }
    done = TEMP_FAILURE_RETRY(renameat(draft->folder, draft->temporary, draft->folder, draft->name));
    if (done != 0)
        return errno;
    draft->temporary[0] = '\0';
    return 0;
}

/* Writes the file on file systems without nameless files. */
static int make_named(struct draft *draft, const struct new_file *new, mode_t mode)
{
    int failure = open_named(draft, mode);
    if (failure != 0)
        return failure;
    failure = fill(draft, new);
    return failure == 0 ? put_in_place(draft, new) : failure;
}

/* Blocks signals while a temporary name exists: one that ends the process would leave the file. */
static int make(struct draft *draft, const struct new_file *new)
{
    mode_t mode = new->like != NULL || new->old != NULL ? 0600 : new->executable ? 0777 : 0666;
    sigset_t all;
    sigset_t before;
    int failure = ENOTSUP;
    bool filled = open_nameless(draft, mode);
    if (filled) {
        failure = fill(draft, new);
        if (failure != 0)
            return failure;
    }
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    if (filled)
        failure = give_name(draft, new);
    if (failure == 0 && draft->temporary[0] != '\0')
        failure = put_in_place(draft, new);
    else if (failure != 0 && !(failure == EEXIST && new->alone)) { /* no /proc, or no links */
        drop(draft);
        failure = make_named(draft, new, mode);
    }
    drop(draft);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return failure;
}

static enum status write_beside(const char *shown, const struct file_place *place, const struct new_file *new,
                                struct error *error)
{
    struct draft draft = {.fd = -1, .folder = place->folder, .name = place->name};
    int failure = make(&draft, new);
    drop(&draft);
    if (failure == EEXIST && new->alone)
        return error_set(error, STATUS_USAGE, "%s already exists and was not changed", shown);
    return failure == 0 ? STATUS_OK : cannot_write(shown, failure, error);
}

/* path: for messages. */
static enum status write_to_place(const char *path, const struct file_place *place,
                                  const struct new_file *new, struct error *error)
{
    struct stat info;
    if (fstatat(place->folder, place->name, &info, place->in_proc ? 0 : AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? write_beside(path, place, new, error) : cannot_write(path, errno, error);
    if (!S_ISREG(info.st_mode))
        return write_through(path, place, new, error);
    if (new->alone)
        return error_set(error, STATUS_USAGE, "%s already exists and was not changed", path);
    struct new_file over = *new;
    over.old = &info;
    return write_beside(path, place, &over, error);
}

static enum status write_new(const char *path, const struct new_file *new, struct error *error)
{
    struct file_place place;
    int own = own_descriptor(path);
    if (own >= 0)
        return write_to_own(own, path, new, error);
    if (file_base_name(path)[0] == '\0')
        return cannot_write(path, EISDIR, error);
    enum status status =
        file_place_open(path, false, &place, error); /* a link stays, and its target is replaced */
    if (status != STATUS_OK) {
        if (error != NULL)
            error->code = STATUS_FAILED;
        return STATUS_FAILED;
    }
    status = write_to_place(path, &place, new, error);
    file_place_close(&place, false);
    return status;
}

enum status file_write(const char *path, const void *bytes, size_t size, bool executable, struct error *error)
{
    const struct new_file new = {.bytes = bytes, .size = size, .executable = executable};
    return write_new(path, &new, error);
}

enum status file_write_like(const char *model, const char *path, const void *bytes, size_t size,
                            struct error *error)
{
    struct stat like;
    if (stat(model, &like) != 0)
        return error_set(error, STATUS_FAILED, "cannot read the permissions of %s: %s", model,
                         strerror(errno));
    const struct new_file new = {.bytes = bytes, .size = size, .like = S_ISREG(like.st_mode) ? &like : NULL};
    return write_new(path, &new, error);
}

enum status file_write_first(const char *path, const void *bytes, size_t size, struct error *error)
{
    const struct new_file new = {.bytes = bytes, .size = size, .alone = true};
    return write_new(path, &new, error);
}

enum status file_write_first_to(const struct file_place *place, const char *path, const void *bytes,
                                size_t size, struct error *error)
{
    const struct new_file new = {.bytes = bytes, .size = size, .alone = true};
    return write_to_place(path, place, &new, error);
}

/* ---- in parts ---- */

enum status file_writer_begin(const char *path, bool first, struct file_writer *writer, struct error *error)
{
    char folder[FILE_PATH_BYTES];
    *writer = (struct file_writer){.fd = -1, .first = first};
    if ((size_t)snprintf(writer->path, sizeof writer->path, "%s", path) >= sizeof writer->path)
        return error_set(error, STATUS_FAILED, "the path %.200s... is too long", path);
    if (file_is_put_in_place(path))
        writer->fd =
            TEMP_FAILURE_RETRY(open(file_folder_of(folder, path), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    if (writer->fd < 0) /* the file system has no nameless files */
        writer->fd = memfd_create("parts", MFD_CLOEXEC);
    return writer->fd < 0 ? cannot_write(path, errno, error) : STATUS_OK;
}

static void write_waiting(struct file_writer *writer)
{
    if (writer->failure == 0 && !file_write_all(writer->fd, writer->waiting.data, writer->waiting.size))
        writer->failure = errno;
    writer->waiting.size = 0;
}

void file_writer_put(struct file_writer *writer, const void *bytes, size_t size)
{
    enum { PART_BYTES = 1 << 18 };
    buffer_append(&writer->waiting, bytes, size);
    if (writer->waiting.size >= PART_BYTES)
        write_waiting(writer);
}

enum status file_writer_end(struct file_writer *writer, bool keep, struct error *error)
{
    const struct new_file new = {.from = &writer->fd, .alone = writer->first};
    enum status status = STATUS_OK;
    if (writer->waiting.size > 0)
        write_waiting(writer);
    buffer_free(&writer->waiting);
    if (keep)
        status = writer->failure != 0 ? cannot_write(writer->path, writer->failure, error)
                                      : write_new(writer->path, &new, error);
    close(writer->fd);
    return status;
}
