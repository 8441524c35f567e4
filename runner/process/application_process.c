#include "runner/process/application_process.h"

#include "base/clock.h"
#include "base/fork.h"
#include "base/memory.h"
#include "runner/process/child_start.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Before Linux 5.3 there are no descriptors of processes: the end is polled for every LOOK_MS. */
enum { LOOK_MS = 5, LONGEST_MS = 60000, SIGNALLED = 128 };

static const char SHELL[] = "/bin/sh";

/* ---- signals ---- */

/* The only type that a handler may safely access. */
static volatile sig_atomic_t receiver, arrived;

/* A signal from the terminal has already reached the application, which is in the same process group. */
static void pass_on(int number, siginfo_t *info, void *context)
{
    (void)context;
    arrived = number;
    if (receiver > 0 && info->si_code <= 0 && info->si_pid != receiver)
        kill(receiver, number);
}

void application_pass_signals(void)
{
    static const int numbers[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGWINCH};
    struct sigaction action, before;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = pass_on;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(numbers[i], &action, NULL);
}

bool application_was_signalled(void)
{
    return arrived == SIGINT || arrived == SIGQUIT || arrived == SIGTERM || arrived == SIGHUP;
}

/* ---- in the child, which makes only system calls ---- */

struct start {
    const char *path;
    char *const *arguments;
    char **by_shell; /* arguments of the shell, for a script that does not name its interpreter */
    int gate, failure;
};

static void execute(void *context)
{
    const struct start *start = context;
    char byte;
    ssize_t got;
    while ((got = read(start->gate, &byte, 1)) < 0 && errno == EINTR)
        continue;
    if (got != 1)
        _exit(1); /* the parent ended */
    execv(start->path, start->arguments);
    if (errno == ENOEXEC)
        execv(SHELL, start->by_shell);
    const int failure = errno;
    ssize_t written = write(start->failure, &failure, sizeof failure);
    _exit(written == sizeof failure ? 127 : 126);
}

/* ---- in the parent ---- */

static enum status create(char *const *arguments, struct application_process *process, int gate[2],
                          int failure[2], struct error *error)
{
    size_t count = 0;
    while (arguments[count] != NULL)
        count++;
    char **by_shell = memory_zeroed(count + 2, sizeof *by_shell);
    by_shell[0] = (char *)(uintptr_t)SHELL;
    by_shell[1] = process->path;
    for (size_t i = 1; i < count; i++)
        by_shell[i + 1] = arguments[i];
    struct start start = {process->path, arguments, by_shell, gate[0], failure[1]};
    const struct fork_job job = {.work = execute, .context = &start};
    pid_t pid = fork_child(&job);
    free(by_shell);
    if (pid < 0)
        return error_set(error, STATUS_FAILED, "cannot create a process for %s: %s", arguments[0],
                         strerror(errno));
    process->pid = pid;
    process->pidfd = pidfd_open(pid, 0);
    return STATUS_OK;
}

enum status application_create(char *const *arguments, struct application_process *process,
                               struct error *error)
{
    int gate[2] = {-1, -1}, failure[2] = {-1, -1};
    *process = (struct application_process){.gate = -1, .failure = -1, .pidfd = -1, .end_s = NAN};
    if (!child_program_find(arguments[0], process->path)) {
        error_set(error, STATUS_UNAVAILABLE, "there is no executable program \"%s\"", arguments[0]);
        error_hint(error, "install it, add its folder to PATH, or give its path");
        return STATUS_UNAVAILABLE;
    }
    enum status status = STATUS_OK;
    if (pipe2(gate, O_CLOEXEC) != 0 || pipe2(failure, O_CLOEXEC) != 0)
        status =
            error_set(error, STATUS_FAILED, "cannot open a pipe to %s: %s", arguments[0], strerror(errno));
    if (status == STATUS_OK)
        status = create(arguments, process, gate, failure, error);
    child_start_close_fd(&gate[0]);
    child_start_close_fd(&failure[1]);
    process->gate = gate[1];
    process->failure = failure[0];
    return status;
}

enum status application_begin(struct application_process *process, struct error *error)
{
    int failure = 0;
    ssize_t got;
    receiver = process->pid;
    process->begin_s = clock_now_s();
    if (write(process->gate, "", 1) != 1)
        return error_set(error, STATUS_FAILED, "cannot start %s: %s", process->path, strerror(errno));
    while ((got = read(process->failure, &failure, sizeof failure)) < 0 && errno == EINTR)
        continue; /* the program's exec closes the other end */
    return got == sizeof failure ? error_set(error, STATUS_UNAVAILABLE, "cannot execute %s: %s",
                                             process->path, strerror(failure))
                                 : STATUS_OK;
}

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

static bool look(struct application_process *process)
{
    struct rusage usage;
    pid_t got = wait4(process->pid, &process->state, WNOHANG, &usage);
    if (got == 0 || (got < 0 && errno == EINTR))
        return false;
    process->end_s = clock_now_s();
    process->ended = true;
    receiver = 0;
    process->user_s = got < 0 ? NAN : seconds_of(usage.ru_utime);
    process->system_s = got < 0 ? NAN : seconds_of(usage.ru_stime);
    return true;
}

bool application_wait(struct application_process *process, double until_s)
{
    while (!process->ended && !look(process)) {
        double left_ms = ceil(1e3 * (until_s - clock_now_s()));
        if (left_ms <= 0)
            return false;
        struct pollfd end = {.fd = process->pidfd, .events = POLLIN};
        (void)poll(&end, 1, (int)fmin(left_ms, process->pidfd < 0 ? LOOK_MS : LONGEST_MS));
    }
    return true;
}

int application_exit_code(const struct application_process *process)
{
    return WIFSIGNALED(process->state) ? SIGNALLED + WTERMSIG(process->state) : WEXITSTATUS(process->state);
}

void application_end(struct application_process *process)
{
    if (process->pid > 0 && !process->ended)
        process->state = fork_end(process->pid);
    receiver = 0;
    child_start_close_fd(&process->gate);
    child_start_close_fd(&process->failure);
    child_start_close_fd(&process->pidfd);
}
