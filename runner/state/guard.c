#include "runner/state/guard.h"

#include "runner/state/put_back.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_FILES = 65536 };

/* ---- in the child ---- */

static void ignore_ends(void)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGALRM, SIGUSR1, SIGUSR2};
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        sigaction(ends[i], &ignore, NULL);
}

/* Keeps nothing open but its line and the journal: a lock on a results file, or the end of a pipeline, is not
 * its own. */
static void close_others(int line, int journal)
{
    long most = sysconf(_SC_OPEN_MAX);
    for (int fd = 0; fd < (most > 0 && most < MOST_FILES ? (int)most : MOST_FILES); fd++)
        if (fd != line && fd != journal)
            close(fd);
}

static _Noreturn void keep_watch(const struct journal *journal, int line)
{
    char nothing;
    ssize_t got;
    setsid();
    ignore_ends();
    close_others(line, journal->fd);
    (void)send(line, "r", 1, MSG_NOSIGNAL);
    do
        got = recv(line, &nothing, 1, 0);
    while (got > 0 || (got < 0 && errno == EINTR));
    if (put_back(journal, PUT_BACK_GUARD, NULL) == 0)
        journal_remove(journal);
    _exit(0);
}

/* ---- in the parent ---- */

enum status guard_open(const struct journal *journal, struct guard *guard, struct error *error)
{
    int ends[2] = {-1, -1};
    char ready;
    *guard = (struct guard){.line = -1};
    pid_t pid = socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0 ? fork() : -1;
    if (pid == 0)
        keep_watch(journal, ends[1]);
    if (pid < 0) {
        error_set(error, STATUS_FAILED, "no process to put the machine's state back: %s", strerror(errno));
        for (int i = 0; i < 2; i++)
            if (ends[i] >= 0)
                close(ends[i]);
        return STATUS_FAILED;
    }
    close(ends[1]);
    *guard = (struct guard){.pid = pid, .line = ends[0]};
    /* Until it has a session of its own, what ends this process's group ends it, too. */
    ssize_t got;
    do
        got = recv(guard->line, &ready, 1, 0);
    while (got < 0 && errno == EINTR);
    if (got == 1)
        return STATUS_OK;
    guard_close(guard);
    return error_set(error, STATUS_FAILED, "the process that is to put the machine's state back has ended");
}

bool guard_watches(const struct guard *guard)
{
    struct pollfd line = {.fd = guard->line, .events = POLLIN};
    return guard->pid > 0 && poll(&line, 1, 0) == 0;
}

void guard_close(struct guard *guard)
{
    if (guard->pid <= 0)
        return;
    close(guard->line);
    while (waitpid(guard->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    *guard = (struct guard){.line = -1};
}
