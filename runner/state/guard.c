#include "runner/state/guard.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- in the child ---- */

static void ignore_ends(void)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        sigaction(ends[i], &ignore, NULL);
}

/* Keeps nothing open but its line: a lock on a results file, or the end of a pipeline, is not its own. */
static void close_others(int line)
{
    long most = sysconf(_SC_OPEN_MAX);
    for (int fd = 0; fd < (most > 0 && most < 65536 ? (int)most : 65536); fd++)
        if (fd != line)
            close(fd);
}

static bool take_order(int line, struct knob_change *change)
{
    ssize_t got;
    do {
        got = recv(line, change, sizeof *change, 0);
    } while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof *change;
}

/* Keeps what it is given until there is no more, and puts it back. */
static _Noreturn void keep_watch(int line)
{
    struct knob_changes kept = {0};
    struct knob_change change;
    int failures = 0;
    setsid();
    ignore_ends();
    close_others(line);
    while (take_order(line, &change)) {
        knob_add_bytes(&kept, change.path, change.offset, change.value, change.size);
        if (send(line, "k", 1, MSG_NOSIGNAL) != 1)
            break;
    }
    for (size_t i = kept.count; i > 0; i--)
        failures += !knob_write(&kept.items[i - 1]);
    _exit(failures > 0 ? 1 : 0);
}

/* ---- in the parent ---- */

enum status guard_open(struct guard *guard, struct error *error)
{
    int ends[2] = {-1, -1};
    *guard = (struct guard){.line = -1};
    pid_t pid = socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0 ? fork() : -1;
    if (pid == 0)
        keep_watch(ends[1]);
    if (pid < 0) {
        error_set(error, STATUS_FAILED, "no process to put the machine's state back: %s", strerror(errno));
        for (int i = 0; i < 2; i++)
            if (ends[i] >= 0)
                close(ends[i]);
        return STATUS_FAILED;
    }
    close(ends[1]);
    *guard = (struct guard){.pid = pid, .line = ends[0]};
    return STATUS_OK;
}

/* True when the child has it. */
static bool hand_over(const struct guard *guard, const struct knob_change *old)
{
    char answer;
    ssize_t got;
    if (send(guard->line, old, sizeof *old, MSG_NOSIGNAL) != (ssize_t)sizeof *old)
        return false;
    do {
        got = recv(guard->line, &answer, 1, 0);
    } while (got < 0 && errno == EINTR);
    return got == 1;
}

enum status guard_change(const struct guard *guard, const struct knob_change *change, struct error *error)
{
    struct knob_change old = *change;
    if (!knob_read(&old)) {
        error_set(error, STATUS_UNAVAILABLE, "%s cannot be read: %s", change->path, strerror(errno));
        return STATUS_UNAVAILABLE;
    }
    if (!hand_over(guard, &old))
        return error_set(error, STATUS_FAILED, "the process that puts %s back is gone: it stays as it is",
                         change->path);
    if (knob_write(change))
        return STATUS_OK;
    error_set(error, STATUS_UNAVAILABLE, "%s cannot be written: %s", change->path, strerror(errno));
    error_hint(error, "this takes root, and a value that the kernel accepts");
    return STATUS_UNAVAILABLE;
}

enum status guard_close(struct guard *guard, struct error *error)
{
    int state = 0;
    pid_t reaped = 0;
    if (guard->pid == 0)
        return STATUS_OK;
    close(guard->line);
    do {
        reaped = waitpid(guard->pid, &state, 0);
    } while (reaped < 0 && errno == EINTR);
    guard->pid = 0;
    if (reaped > 0 && WIFEXITED(state) && WEXITSTATUS(state) == 0)
        return STATUS_OK;
    return error_set(error, STATUS_FAILED,
                     "what was changed of the machine's state could not all be put back: look at governor, "
                     "frequency, boost, idle states and prefetchers");
}
