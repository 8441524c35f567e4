#include "isa/gcn/walk/apart.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS_MOST = 120 };

/* Makes a crash of the child silent: default signal handling, no core file, no output from LLVM. */
static void end_quietly(pid_t parent)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP};
    const struct rlimit none = {0, 0};
    const struct rlimit time = {SECONDS_MOST, SECONDS_MOST};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1); /* the parent ended before this was set */
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        signal(signals[i], SIG_DFL);
    setrlimit(RLIMIT_CORE, &none);
    setrlimit(RLIMIT_CPU, &time);
    if (nowhere >= 0) {
        dup2(nowhere, STDERR_FILENO);
        dup2(nowhere, STDOUT_FILENO);
    }
}

enum status gcn_apart(void (*work)(void *context), void *context, bool *whole, struct error *error)
{
    int how = 0;
    const pid_t parent = getpid();
    pid_t child = fork();
    if (child < 0)
        return error_set(error, STATUS_FAILED, "cannot create a process to read the code: %s",
                         strerror(errno));
    if (child == 0) {
        end_quietly(parent);
        work(context);
        _exit(0);
    }
    while (waitpid(child, &how, 0) < 0)
        if (errno != EINTR)
            return error_set(error, STATUS_FAILED, "the process that reads the code: %s", strerror(errno));
    *whole = WIFEXITED(how) && WEXITSTATUS(how) == 0;
    return STATUS_OK;
}
