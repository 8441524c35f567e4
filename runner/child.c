/* Runs a program in a child process of its own group, takes its output and tells how it ended. The start, up
 * to exec, is child_start.c. */
#include "runner/child.h"

#include "base/clock.h"
#include "base/limits.h"
#include "runner/child_start.h"
#include "runner/patience.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { USUAL_OUTPUT = 1 << 20, READ_BYTES = 1 << 16, LAST_LINE_BYTES = 300 };

/* Takes what is in the pipe now, but not without end from a program that writes without end; what is past the
 * limit is read and dropped, so that the child never waits for room. Closes the pipe at its end. */
static void drain(int *fd, size_t limit, struct buffer *text)
{
    char bytes[READ_BYTES];
    for (size_t reads = 0; *fd >= 0 && reads < limit / READ_BYTES; reads++) {
        ssize_t count = read(*fd, bytes, sizeof bytes);
        if (count > 0) {
            size_t room = limit - text->size;
            buffer_append(text, bytes, (size_t)count < room ? (size_t)count : room);
        } else if (count == 0) {
            child_start_close_fd(fd);
        } else if (errno != EINTR) {
            return;
        }
    }
}

/* True when the child has ended; it is left to be reaped, so that its process group cannot be another's. */
static bool has_ended(pid_t pid)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == pid;
}

/* Reads both pipes until the child has ended or the time is over; false for the latter. The end of the pipes
 * is not waited for: a process that the program left behind may hold them open. */
static bool attend(struct child_start *start, const struct patience *patience, size_t limit,
                   struct child_result *result)
{
    while (!has_ended(patience->pid)) {
        double left = patience_left(patience);
        if (left <= 0)
            return false;
        struct pollfd pipes[2] = {{.fd = start->output[0], .events = POLLIN},
                                  {.fd = start->errors[0], .events = POLLIN}};
        /* Pipes that close wake us; a program that closed its own, or left them to another, is looked at
         * every now and then. */
        int longest_ms = pipes[0].fd < 0 && pipes[1].fd < 0 ? 1 : 50;
        int left_ms = (int)(left < 1 ? left * 1e3 : 1e3) + 1;
        poll(pipes, 2, left_ms < longest_ms ? left_ms : longest_ms);
        drain(&start->output[0], limit, &result->output);
        drain(&start->errors[0], limit, &result->errors);
    }
    return true;
}

/* Ends the child's whole group and takes its exit state. False when there is none to take, as where whoever
 * started this program had it ignore SIGCHLD. */
static bool reap(pid_t pid, int *state)
{
    pid_t reaped;
    kill(-pid, SIGKILL);
    do
        reaped = waitpid(pid, state, 0);
    while (reaped < 0 && errno == EINTR);
    return reaped == pid;
}

/* The last line that is not empty, without what a terminal would act on. */
static void last_line(const struct buffer *text, char line[LAST_LINE_BYTES])
{
    size_t end = text->size;
    while (end > 0 && (unsigned char)text->data[end - 1] <= ' ')
        end--;
    size_t begin = end;
    while (begin > 0 && text->data[begin - 1] != '\n' && end - begin < LAST_LINE_BYTES - 1)
        begin--;
    for (size_t i = begin; i < end; i++) {
        char byte = text->data[i];
        line[i - begin] = byte;
        if ((unsigned char)byte < ' ' || byte == 0x7f)
            line[i - begin] = ' ';
    }
    line[end - begin] = '\0';
}

static enum status start_sentence(const char *name, const struct child_start_failure *failure, int cpu,
                                  struct error *error)
{
    char text[LIMITS_BYTES];
    const char *why = limits_say(failure->error, text);
    if (failure->step == START_PIN) {
        enum status status = error_set(error, STATUS_UNAVAILABLE,
                                       "%s cannot be pinned to logical processor %d: %s", name, cpu, why);
        error_hint(error, "`taskset -cp $$` shows the processors that may be used here");
        return status;
    }
    if (failure->step == START_EXECUTE) {
        enum status status =
            error_set(error, STATUS_UNAVAILABLE, "%s cannot be executed on this machine: %s", name, why);
        error_hint(error, "expected an executable file for this machine's own instruction set");
        return status;
    }
    return error_set(error, STATUS_FAILED, "%s did not get its input and output: %s", name, why);
}

/* What the signals that a generated program can end by tell about it. */
static const struct {
    int number;
    const char *hint;
} signal_hints[] = {
    {SIGILL,
     "this processor lacks an instruction of the program: generate it for a machine with fewer features"},
    {SIGSEGV, "the program touched memory that is not its own"},
    {SIGBUS, "the program touched memory that the system could not provide"},
    {SIGKILL, "something else ended it; when the machine ran out of memory, `dmesg` says so"},
};

static enum status end_sentence(const char *name, int state, struct child_result *result, struct error *error)
{
    if (WIFSIGNALED(state)) {
        int number = WTERMSIG(state);
        result->signal = number;
        enum status status =
            error_set(error, STATUS_FAILED, "%s ended by signal %d (%s)", name, number, strsignal(number));
        for (size_t i = 0; i < sizeof signal_hints / sizeof signal_hints[0]; i++) {
            if (signal_hints[i].number == number)
                error_hint(error, "%s", signal_hints[i].hint);
        }
        return status;
    }
    result->exit_code = WEXITSTATUS(state);
    if (result->exit_code == 0)
        return STATUS_OK;
    char line[LAST_LINE_BYTES];
    last_line(&result->errors, line);
    if (!line[0])
        last_line(&result->output, line);
    return error_set(error, STATUS_FAILED, "%s ended with exit code %d, expected 0%s%s", name,
                     result->exit_code, line[0] ? "; its last line: " : "", line);
}

/* Lets the child begin, takes its output and judges its end. */
static enum status see_through(const struct child_request *request, struct child_start *start, pid_t pid,
                               struct child_result *result, struct error *error)
{
    const char *name = request->arguments[0];
    enum status status;
    int state = 0;
    double timeout = request->timeout_s > 0 ? request->timeout_s : 60;
    double begin = clock_now_s();
    const uint64_t open = 1;
    if (write(start->gate, &open, sizeof open) != sizeof open) {
        status = error_set(error, STATUS_FAILED, "cannot let %s begin: %s", name, strerror(errno));
        reap(pid, &state);
        return status;
    }
    size_t limit = request->output_limit > 0 ? request->output_limit : USUAL_OUTPUT;
    const struct patience patience = patience_begin(pid, timeout);
    bool in_time = attend(start, &patience, limit, result);
    result->wall_s = clock_now_s() - begin;
    bool known = reap(pid, &state);
    drain(&start->output[0], limit, &result->output);
    drain(&start->errors[0], limit, &result->errors);
    struct child_start_failure failure;
    if (read(start->failure[0], &failure, sizeof failure) == sizeof failure)
        return start_sentence(name, &failure, request->cpu, error);
    if (!in_time) {
        status =
            error_set(error, STATUS_FAILED, "%s was still running after %.3g s and was ended", name, timeout);
        error_hint(error, "allow it more time, or fewer iterations");
        return status;
    }
    if (!known)
        return error_set(error, STATUS_FAILED, "how %s ended is not known: SIGCHLD is ignored here", name);
    return end_sentence(name, state, result, error);
}

enum status child_run(const struct child_request *request, struct child_result *result, struct error *error)
{
    struct child_start start;
    *result = (struct child_result){0};
    enum status status = child_start_open(&start, request, error);
    if (status != STATUS_OK) {
        child_start_close(&start);
        return status;
    }
    pid_t pid = fork();
    if (pid == 0)
        child_start_program(&start);
    if (pid < 0) {
        status = error_set(error, STATUS_FAILED, "cannot make a child process: %s", strerror(errno));
        error_hint(error, "see `ulimit -u` and the memory that is free");
        child_start_close(&start);
        return status;
    }
    /* The child does this too: whoever comes first, the group is there before anyone signals it. */
    setpgid(pid, pid);
    child_start_close_fd(&start.output[1]);
    child_start_close_fd(&start.errors[1]);
    child_start_close_fd(&start.failure[1]);
    status = request->before_start != NULL ? request->before_start(pid, request->context, error) : STATUS_OK;
    if (status != STATUS_OK) {
        int state;
        reap(pid, &state);
    } else {
        status = see_through(request, &start, pid, result, error);
    }
    child_start_close(&start);
    return status;
}

void child_result_free(struct child_result *result)
{
    buffer_free(&result->output);
    buffer_free(&result->errors);
    *result = (struct child_result){0};
}
