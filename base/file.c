#include "base/file.h"

#include "base/memory.h"
#include "base/units.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

int file_open(const char *path, off_t *size, struct error *error)
{
    struct stat info;
    /* opening a FIFO does not wait */
    int fd = TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
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

enum status file_read_most(const char *path, size_t most, struct buffer *contents, struct error *error)
{
    off_t size;
    int fd = file_open(path, &size, error);
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

bool file_folder_is_empty(const char *path)
{
    DIR *folder = opendir(path);
    if (folder == NULL)
        return false;
    bool empty = true;
    const struct dirent *entry;
    while (empty && (entry = readdir(folder)) != NULL)
        empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    closedir(folder);
    return empty;
}

enum status file_make_folders(const char *path, struct error *error)
{
    char part[FILE_PATH_BYTES];
    size_t length = strlen(path);
    if (length >= sizeof part)
        return error_set(error, STATUS_FAILED, "the path %.200s... is too long", path);
    for (size_t i = 1; i <= length; i++) {
        if (path[i] != '/' && path[i] != '\0')
            continue;
        memcpy(part, path, i);
        part[i] = '\0';
        if (TEMP_FAILURE_RETRY(mkdir(part, 0777)) != 0 && errno != EEXIST)
            return error_set(error, STATUS_FAILED, "cannot make the folder %s: %s", part, strerror(errno));
    }
    if (!file_is_folder(path))
        return error_set(error, STATUS_FAILED, "cannot make the folder %s: a file has that name", path);
    return STATUS_OK;
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *where)
{
    (void)info;
    (void)kind;
    (void)where;
    return remove(path);
}

enum status file_remove_tree(const char *path, struct error *error)
{
    struct stat info;
    if (lstat(path, &info) != 0)
        return STATUS_OK;
    if (nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS) != 0)
        return error_set(error, STATUS_FAILED, "cannot remove %s: %s", path, strerror(errno));
    return STATUS_OK;
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

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
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

static char **list_names(const char *folder, const char *suffix, bool hidden)
{
    DIR *entries = opendir(folder);
    if (entries == NULL)
        return NULL;
    size_t count = 0;
    char **names = memory_zeroed(1, sizeof *names);
    const struct dirent *entry;
    for (errno = 0; (entry = readdir(entries)) != NULL; errno = 0) {
        const char *name = entry->d_name;
        bool dots = strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
        if (dots || (name[0] == '.' && !hidden) || !file_ends_with(name, suffix))
            continue;
        names = memory_resized(names, count + 2, sizeof *names);
        names[count++] = memory_text(name);
        names[count] = NULL;
    }
    int failure = errno;
    closedir(entries);
    qsort(names, count, sizeof *names, by_name);
    if (failure != 0) {
        file_free_names(names);
        names = NULL;
    }
    errno = failure;
    return names;
}

char **file_list(const char *folder, const char *suffix)
{
    return list_names(folder, suffix, false);
}

char **file_list_all(const char *folder)
{
    return list_names(folder, "", true);
}

void file_free_names(char **names)
{
    if (names == NULL)
        return;
    for (size_t i = 0; names[i] != NULL; i++)
        free(names[i]);
    free(names);
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
