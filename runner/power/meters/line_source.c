#include "runner/power/meters/line_source.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file system that tells nothing of what is written (NFS) is asked this often. */
static const double LOOK_S = 0.02;

enum { PATH_BYTES = REQUEST_TEXT_BYTES, DRAIN_BYTES = 4096, DRAINS_MOST = 4096 };

struct line_source {
    char path[PATH_BYTES];
    int fd;
    int watch; /* tells of changes of a file; -1: this system does not */
    bool is_file;
    enum line_joint joint; /* of what comes next */
};

enum status line_source_look(const char *path, struct error *error)
{
    struct stat status;
    int access_number = 0;
    if (stat(path, &status) != 0)
        return serial_refused(path, errno, error);
    if (S_ISCHR(status.st_mode) || S_ISFIFO(status.st_mode) || S_ISREG(status.st_mode)) {
        access_number = access(path, R_OK | (S_ISREG(status.st_mode) ? 0 : W_OK)) == 0 ? 0 : errno;
        return access_number == 0 ? STATUS_OK : serial_refused(path, access_number, error);
    }
    error_set(error, STATUS_UNAVAILABLE, "%s is no serial line, FIFO or file", path);
    error_hint(error, "a program that reads the meter can write to one: mkfifo /tmp/meter");
    return STATUS_UNAVAILABLE;
}

/* A FIFO that is full holds what its writer sent before anyone asked. */
static void drain(struct line_source *source)
{
    char bytes[DRAIN_BYTES];
    char last = '\n';
    for (int i = 0; i < DRAINS_MOST; i++) {
        ssize_t count = read(source->fd, bytes, sizeof bytes);
        if (count <= 0)
            break;
        last = bytes[count - 1];
    }
    source->joint = last == '\n' || last == '\r' ? LINE_BEGINS : LINE_IS_TORN;
}

static void go_to_end(struct line_source *source)
{
    off_t end = lseek(source->fd, 0, SEEK_END);
    char last = '\n';
    if (end > 0 && pread(source->fd, &last, 1, end - 1) != 1)
        last = '\0';
    source->joint = last == '\n' || last == '\r' ? LINE_BEGINS : LINE_IS_TORN;
}

static void watch_file(struct line_source *source)
{
    source->watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (source->watch >= 0)
        (void)inotify_add_watch(source->watch, source->path, IN_MODIFY | IN_ATTRIB | IN_MOVE_SELF);
}

static enum status open_it(struct line_source *source, const struct serial_settings *settings,
                           struct error *error)
{
    struct stat status;
    if (stat(source->path, &status) != 0)
        return serial_refused(source->path, errno, error);
    source->joint = LINE_IS_TORN;
    if (S_ISCHR(status.st_mode))
        return serial_open(source->path, settings, &source->fd, error);
    source->is_file = S_ISREG(status.st_mode);
    source->fd = open(source->path, (source->is_file ? O_RDONLY : O_RDWR) | O_NONBLOCK | O_CLOEXEC);
    if (source->fd < 0)
        return serial_refused(source->path, errno, error);
    if (source->is_file) {
        go_to_end(source);
        watch_file(source);
        return STATUS_OK;
    }
    if (!serial_claim(source->fd))
        return serial_refused(source->path, EBUSY, error);
    drain(source);
    return STATUS_OK;
}

enum status line_source_open(const char *path, const struct serial_settings *settings,
                             struct line_source **source, struct error *error)
{
    enum status status = line_source_look(path, error);
    if (status != STATUS_OK)
        return status;
    struct line_source *made = calloc(1, sizeof *made);
    if (made == NULL)
        abort();
    snprintf(made->path, sizeof made->path, "%s", path);
    made->fd = made->watch = -1;
    status = open_it(made, settings, error);
    if (status == STATUS_OK)
        *source = made;
    else
        line_source_close(made);
    return status;
}

/* Goes on with the file that has the path's name now, when that is another. */
static bool follow_name(struct line_source *source)
{
    struct stat named;
    struct stat held;
    if (stat(source->path, &named) != 0 || fstat(source->fd, &held) != 0 || !S_ISREG(named.st_mode) ||
        (named.st_ino == held.st_ino && named.st_dev == held.st_dev))
        return false;
    int fd = open(source->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return false;
    close(source->fd);
    source->fd = fd;
    if (source->watch >= 0)
        close(source->watch);
    watch_file(source);
    return true;
}

/* At its end: whether it was cut or replaced, and is now at its new beginning. */
static bool begins_anew(struct line_source *source)
{
    struct stat status;
    off_t at = lseek(source->fd, 0, SEEK_CUR);
    if (fstat(source->fd, &status) == 0 && status.st_size < at)
        return lseek(source->fd, 0, SEEK_SET) == 0;
    return follow_name(source);
}

static void forget_changes(int watch)
{
    char events[DRAIN_BYTES];
    while (watch >= 0 && read(watch, events, sizeof events) > 0)
        ;
}

static enum status hung_up(const struct line_source *source, int number, struct error *error)
{
    error_set(error, STATUS_FAILED, "%s: the line hung up%s%s", source->path, number == 0 ? "" : ": ",
              number == 0 ? "" : strerror(number));
    error_hint(error, "was the cable pulled, or the meter switched off?");
    return STATUS_FAILED;
}

/* Bytes, 0 when there are none now, -1 when the line hung up. A FIFO that is held open for writing has no
 * end. */
static ssize_t take(struct line_source *source, char *bytes, size_t capacity)
{
    errno = 0;
    ssize_t count = read(source->fd, bytes, capacity);
    if (count > 0 || source->is_file)
        return count > 0 ? count : 0;
    return count < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -1;
}

enum status line_source_read(struct line_source *source, double wait_s, char *bytes, size_t capacity,
                             size_t *count, double *arrival_s, enum line_joint *joint, struct error *error)
{
    double until_s = clock_now_s() + wait_s;
    while (true) {
        forget_changes(source->watch);
        ssize_t taken = take(source, bytes, capacity);
        *arrival_s = clock_now_s();
        *count = taken > 0 ? (size_t)taken : 0;
        if (taken < 0)
            return hung_up(source, errno, error);
        if (taken > 0 || *arrival_s >= until_s)
            break;
        if (source->is_file && begins_anew(source)) {
            source->joint = LINE_BEGINS;
            continue;
        }
        double rest_s = until_s - *arrival_s;
        struct pollfd line = {source->is_file ? source->watch : source->fd, POLLIN, 0};
        (void)poll(&line, 1, (int)ceil((source->is_file ? fmin(rest_s, LOOK_S) : rest_s) * 1e3));
    }
    *joint = source->joint;
    source->joint = *count > 0 ? LINE_GOES_ON : source->joint;
    return STATUS_OK;
}

void line_source_close(struct line_source *source)
{
    if (source == NULL)
        return;
    if (source->watch >= 0)
        close(source->watch);
    if (source->fd >= 0)
        close(source->fd);
    free(source);
}
