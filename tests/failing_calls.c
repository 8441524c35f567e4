/* Loaded before a program (LD_PRELOAD), makes one of its calls that change files fail, or ends the program
 * there: FAIL_AT is the call's number, from 1 on; FAIL_WITH the errno, or "kill", or "short" for a write of
 * half the bytes that the disk has no room behind. FAIL_COUNT names a file that gets how many there were.
 * With NO_TMPFILE set no file system has files without a name. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_FD = 1024 };
static long calls;
static bool written[MOST_FD]; /* descriptors that this process writes a file by */
static bool full;             /* the disk has no room from now on */

static const struct {
    const char *name;
    int number;
} errors[] = {{"EIO", EIO}, {"ENOSPC", ENOSPC}, {"EINTR", EINTR}, {"EACCES", EACCES}};

/* True when this call is to fail; errno says how. */
static bool fails(void)
{
    const char *at = getenv("FAIL_AT");
    const char *with = getenv("FAIL_WITH");
    if (at == NULL || with == NULL || ++calls != atol(at))
        return false;
    if (strcmp(with, "kill") == 0)
        kill(getpid(), SIGKILL);
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
        if (strcmp(with, errors[i].name) == 0)
            errno = errors[i].number;
    if (strcmp(with, "short") == 0) {
        full = true;
        errno = ENOSPC;
    }
    return true;
}

static void *next(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

__attribute__((destructor)) static void tell(void)
{
    const char *path = getenv("FAIL_COUNT");
    FILE *file = path == NULL ? NULL : fopen(path, "w");
    if (file == NULL)
        return;
    fprintf(file, "%ld\n", calls);
    fclose(file);
}

#define REPLACED(name, parameters, arguments)                                                                \
    int name parameters;                                                                                     \
    int name parameters                                                                                      \
    {                                                                                                        \
        int(*real) parameters;                                                                               \
        void *found = next(#name);                                                                           \
        memcpy(&real, &found, sizeof real);                                                                  \
        return fails() ? -1 : real arguments;                                                                \
    }

REPLACED(mkdir, (const char *path, mode_t mode), (path, mode))
REPLACED(mkdirat, (int folder, const char *path, mode_t mode), (folder, path, mode))
REPLACED(rmdir, (const char *path), (path))
REPLACED(unlink, (const char *path), (path))
REPLACED(unlinkat, (int folder, const char *path, int flags), (folder, path, flags))
REPLACED(rename, (const char *from, const char *to), (from, to))
REPLACED(renameat, (int from, const char *name, int to, const char *other), (from, name, to, other))
REPLACED(linkat, (int from, const char *name, int to, const char *other, int flags),
         (from, name, to, other, flags))
REPLACED(fsync, (int fd), (fd))
REPLACED(fchmod, (int fd, mode_t mode), (fd, mode))
REPLACED(chmod, (const char *path, mode_t mode), (path, mode))
REPLACED(ftruncate, (int fd, off_t size), (fd, size))
REPLACED(flock, (int fd, int operation), (fd, operation))

int renameat2(int from, const char *name, int to, const char *other, unsigned flags)
{
    int (*real)(int, const char *, int, const char *, unsigned);
    void *found = next("renameat2");
    memcpy(&real, &found, sizeof real);
    if (flags != 0 && getenv("NO_EXCHANGE") != NULL) {
        errno = EINVAL;
        return -1;
    }
    return fails() ? -1 : real(from, name, to, other, flags);
}

static bool is_for_writing(int flags)
{
    return (flags & O_ACCMODE) != O_RDONLY && (flags & O_PATH) == 0;
}

static int opened(int fd, int flags)
{
    if (fd >= 0 && fd < MOST_FD)
        written[fd] = is_for_writing(flags);
    return fd;
}

int open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = va_arg(arguments, mode_t);
    va_end(arguments);
    int (*real)(const char *, int, ...);
    void *found = next("open");
    memcpy(&real, &found, sizeof real);
    if (is_for_writing(flags) && strncmp(path, "/dev/", 5) != 0 && fails())
        return -1;
    return opened(real(path, flags, mode), flags);
}

int openat(int folder, const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = va_arg(arguments, mode_t);
    va_end(arguments);
    int (*real)(int, const char *, int, ...);
    void *found = next("openat");
    memcpy(&real, &found, sizeof real);
    if ((flags & O_TMPFILE) == O_TMPFILE && getenv("NO_TMPFILE") != NULL) {
        errno = EOPNOTSUPP;
        return -1;
    }
    if (is_for_writing(flags) && fails())
        return -1;
    return opened(real(folder, path, flags, mode), flags);
}

ssize_t write(int fd, const void *bytes, size_t size)
{
    ssize_t (*real)(int, const void *, size_t);
    void *found = next("write");
    memcpy(&real, &found, sizeof real);
    bool ours = fd > 2 && fd < MOST_FD && written[fd];
    if (ours && full) {
        errno = ENOSPC;
        return -1;
    }
    if (!ours || !fails())
        return real(fd, bytes, size);
    return full && size > 1 ? real(fd, bytes, size / 2) : -1;
}

/* What is closed is closed, whatever is said of it. */
int close(int fd)
{
    int (*real)(int);
    void *found = next("close");
    memcpy(&real, &found, sizeof real);
    bool ours = fd > 2 && fd < MOST_FD && written[fd];
    if (fd >= 0 && fd < MOST_FD)
        written[fd] = false;
    bool failed = ours && fails();
    int number = errno;
    int result = real(fd);
    if (!failed)
        return result;
    errno = number;
    return -1;
}
