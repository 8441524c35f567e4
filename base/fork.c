#include "base/fork.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_FILES = 65536 };

/* ---- in the child ---- */

static void close_others(const int files[FORK_FILES])
{
    unsigned from = STDERR_FILENO + 1;
    while (from <= INT_MAX) {
        unsigned next = (unsigned)INT_MAX + 1;
        for (size_t i = 0; i < FORK_FILES; i++)
            if (files[i] > 0 && (unsigned)files[i] >= from && (unsigned)files[i] < next)
                next = (unsigned)files[i];
        if (next > from && close_range(from, next - 1, 0) != 0)
            for (unsigned fd = from; fd < next && fd < MOST_FILES; fd++)
                close((int)fd);
        from = next + 1;
    }
}

static void refresh(void)
{
    const struct sigaction usual = {.sa_handler = SIG_DFL};
    const struct rlimit no_core = {0, 0};
    sigset_t none;
    for (int number = 1; number < NSIG; number++)
        sigaction(number, &usual, NULL); /* fails for SIGKILL and SIGSTOP, which need no reset */
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setrlimit(RLIMIT_CORE, &no_core);
}

static void outlive(void)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1, SIGUSR2, SIGALRM};
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    setsid();
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        sigaction(ends[i], &ignore, NULL);
}

static void be_quiet(void)
{
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nowhere < 0)
        return;
    dup2(nowhere, STDIN_FILENO);
    dup2(nowhere, STDOUT_FILENO);
    if (nowhere > STDERR_FILENO)
        close(nowhere);
}

static void settle(const struct fork_job *job, pid_t parent)
{
    const struct rlimit cpu = {job->cpu_s, job->cpu_s};
    if (job->traits & FORK_BOUND) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(1); /* the parent ended before the request took effect */
    }
    if (job->traits & FORK_FRESH)
        refresh();
    if (job->traits & FORK_SURVIVES)
        outlive();
    if (job->traits & FORK_QUIET)
        be_quiet();
    if (job->traits & FORK_ALONE)
        close_others(job->files);
    if (job->cpu_s > 0)
        setrlimit(RLIMIT_CPU, &cpu);
}

/* ---- in the parent ---- */

pid_t fork_child(const struct fork_job *job)
{
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child == 0) {
        settle(job, parent);
        job->work(job->context);
        _exit(0);
    }
    return child;
}

int fork_wait(pid_t child)
{
    int how = 0;
    while (waitpid(child, &how, 0) < 0 && errno == EINTR)
        continue;
    return how;
}

int fork_end(pid_t child)
{
    kill(child, SIGKILL);
    return fork_wait(child);
}

enum status fork_line(int *inside, int *outside, const char *what, struct error *error)
{
    int ends[2] = {-1, -1};
    *inside = *outside = -1;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0) {
        *outside = ends[0];
        *inside = fcntl(ends[1], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        close(ends[1]);
    }
    if (*inside >= 0)
        return STATUS_OK;
    error_set(error, STATUS_FAILED, "cannot create a socket %s: %s", what, strerror(errno));
    if (*outside >= 0)
        close(*outside);
    *outside = -1;
    return STATUS_FAILED;
}
