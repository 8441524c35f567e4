#include "isa/gcn/walk/apart.h"

#include "base/fork.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS_MOST = 120 };

struct apart {
    void (*work)(void *context);
    void *context;
};

/* Makes a crash of the child silent: default signal handlers, no core file, no output from LLVM. */
static void work_quietly(void *context)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP};
    const struct apart *apart = context;
    const struct rlimit none = {0, 0};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        signal(signals[i], SIG_DFL);
    setrlimit(RLIMIT_CORE, &none);
    dup2(STDOUT_FILENO, STDERR_FILENO);
    apart->work(apart->context);
}

enum status gcn_apart(void (*work)(void *context), void *context, bool *complete, struct error *error)
{
    struct apart apart = {work, context};
    const struct fork_job job = {
        .work = work_quietly, .context = &apart, .traits = FORK_BOUND | FORK_QUIET, .cpu_s = SECONDS_MOST};
    pid_t child = fork_child(&job);
    if (child < 0)
        return error_set(error, STATUS_FAILED, "cannot create a process to read the code: %s",
                         strerror(errno));
    const int end = fork_wait(child);
    *complete = WIFEXITED(end) && WEXITSTATUS(end) == 0;
    return STATUS_OK;
}
