#include "base/file.h"

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

enum status file_read(const char *path, struct buffer *contents, struct error *error)
{
    int fd = TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_CLOEXEC));
    if (fd < 0)
        return error_set(error, STATUS_USAGE, "cannot read %s: %s", path, strerror(errno));
    ssize_t got;
    while ((got = read(fd, buffer_reserve(contents, CHUNK_BYTES), CHUNK_BYTES)) > 0 ||
           (got < 0 && errno == EINTR))
        contents->size += got > 0 ? (size_t)got : 0;
    int failure = errno;
    contents->data[contents->size] = '\0';
    close(fd);
    if (got < 0)
        return error_set(error, STATUS_USAGE, "cannot read %s: %s", path, strerror(failure));
    return STATUS_OK;
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
    size_t room = FILE_PATH_BYTES - 1; /* what does not fit is cut off */
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

static char **list_names(const char *folder, const char *suffix, bool hidden)
{
    DIR *entries = opendir(folder);
    if (entries == NULL)
        return NULL;
    size_t count = 0;
    char **names = calloc(1, sizeof *names);
    const struct dirent *entry;
    for (errno = 0; names != NULL && (entry = readdir(entries)) != NULL; errno = 0) {
        const char *name = entry->d_name;
        bool dots = strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
        if (dots || (name[0] == '.' && !hidden) || !file_ends_with(name, suffix))
            continue;
        char **more = realloc(names, (count + 2) * sizeof *names);
        if (more == NULL)
            abort();
        names = more;
        names[count++] = strdup(name);
        names[count] = NULL;
    }
    int failure = errno;
    closedir(entries);
    if (names != NULL)
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
