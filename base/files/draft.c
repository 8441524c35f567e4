#include "base/files/draft.h"

#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

static const char BEGIN[] = ".trauma-";
enum { OWN_MODE = 0700, OTHERS_WRITE = 0022 };

bool draft_name(char name[DRAFT_NAME_BYTES])
{
    uint64_t number;
    if (TEMP_FAILURE_RETRY(getrandom(&number, sizeof number, 0)) != (ssize_t)sizeof number)
        return false;
    snprintf(name, DRAFT_NAME_BYTES, "%s%016llx", BEGIN, (unsigned long long)number);
    return true;
}

int draft_enter(int parent, const char *name, const dev_t *device)
{
    struct stat info;
    int fd = TEMP_FAILURE_RETRY(openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (fd < 0)
        return -1;
    bool seen = fstat(fd, &info) == 0;
    if (seen && info.st_uid == geteuid() && (device == NULL || info.st_dev == *device))
        return fd;
    int failure = seen ? EPERM : errno;
    close(fd);
    errno = failure;
    return -1;
}

/* If somebody exchanged the new folder for another, that one is as good: this user's, empty, and from here on
 * private, if the file system has permissions. */
static bool is_own_and_empty(int fd)
{
    struct stat info;
    if (fstat(fd, &info) == 0 && (info.st_mode & OTHERS_WRITE) != 0)
        (void)fchmod(fd, OWN_MODE);
    char **names = draft_list(fd);
    bool good = names != NULL && names[0] == NULL;
    if (names != NULL && !good)
        errno = EPERM;
    draft_free_list(names);
    return good;
}

int draft_folder(int parent, char name[DRAFT_NAME_BYTES])
{
    for (int i = 0; i < DRAFT_TRIES && draft_name(name); i++) {
        if (TEMP_FAILURE_RETRY(mkdirat(parent, name, OWN_MODE)) != 0) {
            if (errno == EEXIST)
                continue;
            return -1;
        }
        int fd = draft_enter(parent, name, NULL);
        if (fd >= 0 && is_own_and_empty(fd)) {
            (void)flock(
                fd,
                LOCK_SH | LOCK_NB); /* NFS has no other locks on folders, and drafts there are not reported */
            return fd;
        }
        int failure = errno;
        if (fd >= 0)
            close(fd);
        (void)unlinkat(parent, name, AT_REMOVEDIR);
        errno = failure;
        return -1;
    }
    return -1;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

char **draft_list(int folder)
{
    int fd = TEMP_FAILURE_RETRY(openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    DIR *open = fd < 0 ? NULL : fdopendir(fd);
    if (open == NULL) {
        if (fd >= 0)
            close(fd);
        return NULL;
    }
    size_t count = 0;
    size_t capacity = 16;
    char **names = memory_zeroed(capacity, sizeof *names);
    const struct dirent *entry;
    for (errno = 0; (entry = readdir(open)) != NULL; errno = 0) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (count + 1 == capacity) {
            capacity *= 2;
            names = memory_resized(names, capacity, sizeof *names);
        }
        names[count++] = memory_text(entry->d_name);
    }
    names[count] = NULL;
    int failure = errno;
    closedir(open);
    qsort(names, count, sizeof *names, by_name);
    if (failure != 0) {
        draft_free_list(names);
        names = NULL;
    }
    errno = failure;
    return names;
}

void draft_free_list(char **names)
{
    for (size_t i = 0; names != NULL && names[i] != NULL; i++)
        free(names[i]);
    free(names);
}

/* ---- leftovers of killed processes ---- */

static bool is_draft_name(const char *name)
{
    return strlen(name) == DRAFT_NAME_BYTES - 1 && strncmp(name, BEGIN, sizeof BEGIN - 1) == 0 &&
           strspn(name + sizeof BEGIN - 1, "0123456789abcdef") == DRAFT_NAME_BYTES - sizeof BEGIN;
}

/* True if nobody else may write to the folder: another user could give any file a draft's name, so that this
 * user removes it. */
static bool is_left(int folder, const char *name)
{
    struct stat info;
    int fd =
        TEMP_FAILURE_RETRY(openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (fd < 0)
        return false;
    bool left = fstat(fd, &info) == 0 && info.st_uid == geteuid() &&
                ((S_ISREG(info.st_mode) && info.st_nlink == 1) ||
                 (S_ISDIR(info.st_mode) && (info.st_mode & OTHERS_WRITE) == 0)) &&
                flock(fd, LOCK_EX | LOCK_NB) == 0;
    close(fd);
    return left;
}

char **draft_leftovers(const char *folder)
{
    int fd = TEMP_FAILURE_RETRY(open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    char **names = fd < 0 ? NULL : draft_list(fd);
    size_t kept = 0;
    for (size_t i = 0; names != NULL && names[i] != NULL; i++) {
        char *name = names[i];
        names[i] = NULL;
        if (is_draft_name(name) && is_left(fd, name))
            names[kept++] = name;
        else
            free(name);
    }
    if (fd >= 0)
        close(fd);
    if (kept > 0)
        return names;
    free(names);
    return NULL;
}

/* ---- removing ---- */

static bool clear_on(int parent, const char *name, const dev_t *device)
{
    struct stat info;
    if (TEMP_FAILURE_RETRY(unlinkat(parent, name, 0)) == 0 || errno == ENOENT)
        return true;
    if (errno != EISDIR && errno != EPERM)
        return false;
    int fd = draft_enter(parent, name, device);
    char **names = fd < 0 || fstat(fd, &info) != 0 ? NULL : draft_list(fd);
    bool good = names != NULL;
    for (size_t i = 0; good && names[i] != NULL; i++)
        good = clear_on(fd, names[i], &info.st_dev);
    int failure = errno;
    draft_free_list(names);
    if (fd >= 0)
        close(fd);
    errno = failure;
    return good && (TEMP_FAILURE_RETRY(unlinkat(parent, name, AT_REMOVEDIR)) == 0 || errno == ENOENT);
}

bool draft_clear(int parent, const char *name)
{
    return clear_on(parent, name, NULL);
}
