#include "runner/process/child_watch.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ENTRIES_BYTES = 1 << 14, STAT_BYTES = 512, MOST_EMPTY_LOOKS = 2000 };

/* The watcher's messages, in this order. */
enum watch_word { WORD_BEGUN, WORD_ENDED, WORD_CLEARED };

struct message {
    enum watch_word word;
    pid_t pid; /* of the program; -1: there is none, for the reason in errno */
    int number;
    struct child_end end;
};

/* ---- in the watcher: a copy of a process that may have threads, so only system calls ---- */

/* Returns a descriptor from which SIGCHLD is read; -1: the watcher has to poll. */
static int open_child_signals(void)
{
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_SETMASK, &child, NULL);
    return signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* The program's files are not the watcher's: it would keep pipes open. */
static void close_files(const struct fork_job *job)
{
    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        close(fd);
    for (size_t i = 0; i < FORK_FILES; i++)
        if (job->files[i] > STDERR_FILENO)
            close(job->files[i]);
}

static void send_message(int line, const struct message *message)
{
    while (send(line, message, sizeof *message, MSG_NOSIGNAL) < 0 && errno == EINTR)
        continue;
}

/* Parses /proc/PID/stat: "12 (name) S 1 ...". False when the process is gone. */
static bool look_at(const char *pid, pid_t *parent, char *state, char name[CHILD_NAME_BYTES])
{
    char path[64] = "/proc/";
    char text[STAT_BYTES];
    strncat(path, pid, 20);
    strcat(path, "/stat");
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    if (size <= 0)
        return false;
    text[size] = '\0';
    const char *begin = strchr(text, '(');
    char *end = strrchr(text, ')');
    if (begin == NULL || end == NULL || end < begin || end + 4 >= text + size)
        return false;
    *end = '\0';
    size_t length = strnlen(begin + 1, CHILD_NAME_BYTES - 1);
    memcpy(name, begin + 1, length);
    name[length] = '\0';
    *state = end[2];
    *parent = (pid_t)strtol(end + 4, NULL, 10);
    return true;
}

/* Kills a process that is by now this one's own child; its number is not reused until it is waited for. */
static void end_one(pid_t pid, const char *name, struct child_end *end)
{
    fork_end(pid);
    if (end->left != 0) {
        end->more++;
        return;
    }
    end->left = pid;
    memcpy(end->name, name, CHILD_NAME_BYTES);
}

/* Folder entries as the kernel writes them (getdents64). */
struct entry {
    unsigned long long number;
    long long offset;
    unsigned short size;
    unsigned char type;
    char name[];
};

static unsigned end_of_entries(const char *bytes, long size, pid_t self, struct child_end *end)
{
    unsigned found = 0;
    for (long at = 0; at < size;) {
        unsigned short length;
        const char *name = bytes + at + offsetof(struct entry, name);
        char state, comm[CHILD_NAME_BYTES];
        pid_t parent;
        memcpy(&length, bytes + at + offsetof(struct entry, size), sizeof length);
        if (*name >= '1' && *name <= '9' && look_at(name, &parent, &state, comm) && parent == self &&
            state != 'Z') {
            end_one((pid_t)strtol(name, NULL, 10), comm, end);
            found++;
        }
        at += length;
    }
    return found;
}

/* Kills this process's children; returns how many. */
static unsigned end_children(pid_t self, struct child_end *end)
{
    char bytes[ENTRIES_BYTES];
    unsigned found = 0;
    long size = 0;
    int folder = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    while (folder >= 0 && (size = syscall(SYS_getdents64, folder, bytes, sizeof bytes)) > 0)
        found += end_of_entries(bytes, size, self, end);
    if (folder >= 0)
        close(folder);
    return found;
}

/* Kills all that is left. The children of a process killed here become this one's own, and are killed in the
 * next turn. */
static void clear(pid_t self, struct child_end *end)
{
    const struct timespec pause = {0, 1000000};
    unsigned empty = 0;
    while (empty < MOST_EMPTY_LOOKS) {
        pid_t reaped;
        do
            reaped = waitpid(-1, NULL, WNOHANG);
        while (reaped > 0 || (reaped < 0 && errno == EINTR));
        if (reaped < 0)
            return; /* there is none left */
        if (end_children(self, end) > 0) {
            empty = 0;
        } else { /* it is about to end */
            empty++;
            nanosleep(&pause, NULL);
        }
    }
}

/* Collects ended processes; true when the program is among them. */
static bool reap(pid_t pid, int *state)
{
    int how = 0;
    bool ended = false;
    for (;;) {
        pid_t reaped = waitpid(-1, &how, WNOHANG);
        if (reaped < 0 && errno == EINTR)
            continue;
        if (reaped <= 0)
            return ended;
        if (reaped == pid) {
            *state = how;
            ended = true;
        }
    }
}

/* Waits until the program ends, or kills it when the parent's end of the line is closed. */
static void wait_for(pid_t pid, int line, int signals, int *state)
{
    while (!reap(pid, state)) {
        struct signalfd_siginfo ignored[4];
        struct pollfd wake[2] = {{.fd = line, .events = POLLIN}, {.fd = signals, .events = POLLIN}};
        poll(wake, 2, signals < 0 ? 20 : -1);
        while (signals >= 0 && read(signals, ignored, sizeof ignored) > 0)
            continue;
        if (wake[0].revents == 0)
            continue;
        *state = fork_end(pid);
        return;
    }
}

struct watch_task {
    struct fork_job program;
    int line;
};

static void watch_over(void *context)
{
    const struct watch_task *task = context;
    struct message message = {.word = WORD_BEGUN};
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const int signals = open_child_signals();
    message.pid = fork_child(&task->program);
    message.number = errno;
    if (message.pid > 0)
        setpgid(message.pid, message.pid); /* the child does this too, whichever comes first */
    close_files(&task->program);
    send_message(task->line, &message);
    if (message.pid < 0)
        return;
    wait_for(message.pid, task->line, signals, &message.end.state);
    message.word = WORD_ENDED;
    message.end.known = true;
    message.end.at_s = clock_now_s();
    send_message(task->line, &message);
    clear(getpid(), &message.end);
    message.word = WORD_CLEARED;
    send_message(task->line, &message);
}

/* ---- in the parent ---- */

/* The next message. False when the watcher has ended or, with MSG_DONTWAIT, has sent none yet. */
static bool receive_message(int line, int flags, struct message *message)
{
    ssize_t got;
    do
        got = recv(line, message, sizeof *message, flags);
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof *message;
}

enum status child_watch_fork(const struct fork_job *job, struct child_watch *watch, struct error *error)
{
    struct watch_task task = {.program = *job};
    struct message message = {.word = WORD_BEGUN, .pid = -1};
    int outside;
    *watch = (struct child_watch){.line = -1};
    if (fork_line(&task.line, &outside, "to a child process", error) != STATUS_OK)
        return STATUS_FAILED;
    task.program.traits |= FORK_BOUND | FORK_FRESH | FORK_ALONE;
    struct fork_job watcher = {
        .work = watch_over, .context = &task, .traits = FORK_SURVIVES | FORK_FRESH | FORK_ALONE};
    memcpy(watcher.files, job->files, sizeof watcher.files);
    watcher.files[FORK_FILES - 1] = task.line;
    pid_t pid = fork_child(&watcher);
    message.number = errno;
    close(task.line);
    if (pid > 0) {
        *watch = (struct child_watch){.watcher = pid, .line = outside};
        if (!receive_message(outside, 0, &message))
            message.number = ESRCH;
        watch->pid = message.pid;
    } else {
        close(outside);
    }
    if (message.pid > 0)
        return STATUS_OK;
    error_set(error, STATUS_FAILED, "cannot create a child process: %s", strerror(message.number));
    error_hint(error, "see `ulimit -u` and the free memory");
    return STATUS_FAILED;
}

enum status child_watch_begin(struct child_start *start, struct child_watch *watch, struct error *error)
{
    const struct fork_job job = {.work = child_start_program,
                                 .context = start,
                                 .files = {start->image, start->gate, start->output[1], start->errors[1],
                                           start->failure[1], start->keep}};
    enum status status = child_watch_fork(&job, watch, error);
    child_start_close_fd(&start->output[1]);
    child_start_close_fd(&start->errors[1]);
    child_start_close_fd(&start->failure[1]);
    return status;
}

bool child_watch_ended(struct child_watch *watch)
{
    struct message message;
    struct pollfd line = {.fd = watch->line, .events = POLLIN};
    if (watch->ended || watch->watcher == 0)
        return true;
    if (poll(&line, 1, 0) <= 0)
        return false;
    if (receive_message(watch->line, MSG_DONTWAIT, &message))
        watch->end = message.end;
    watch->ended = true;
    return true;
}

/* Closes the line to the watcher. */
static struct child_end disconnect(struct child_watch *watch)
{
    const struct child_end end = watch->end;
    close(watch->line);
    *watch = (struct child_watch){.line = -1, .ended = true, .end = end};
    return end;
}

struct child_end child_watch_end(struct child_watch *watch)
{
    struct message message;
    if (watch->watcher == 0)
        return watch->end;
    shutdown(watch->line, SHUT_WR);
    while (receive_message(watch->line, 0, &message))
        watch->end = message.end;
    (void)fork_wait(watch->watcher);
    return disconnect(watch);
}

/* Waits that long for the program's end. */
static bool wait_ended(struct child_watch *watch, double seconds)
{
    double deadline = clock_now_s() + seconds;
    while (!child_watch_ended(watch)) {
        double left = deadline - clock_now_s();
        struct pollfd line = {.fd = watch->line, .events = POLLIN};
        if (left <= 0)
            return false;
        poll(&line, 1, (int)(left < 1000 ? left * 1e3 : 1e6) + 1);
    }
    return true;
}

struct child_end child_watch_end_within(struct child_watch *watch, double by_itself_s, double ended_s)
{
    if (watch->watcher == 0)
        return watch->end;
    bool ended = wait_ended(watch, by_itself_s);
    if (!ended)
        shutdown(watch->line, SHUT_WR);
    if (ended || wait_ended(watch, ended_s))
        return child_watch_end(watch);
    return disconnect(watch); /* its watcher continues to wait */
}
