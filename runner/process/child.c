/* Runs a program under a watcher (child_watch.c), collects its output and reports how it ended. The start, up
 * to exec, is in child_start.c. */
#include "runner/process/child.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/text/complaint.h"
#include "runner/process/time_limit.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { USUAL_OUTPUT = 1 << 20, READ_BYTES = 1 << 16 };

/* Reads what the pipe holds now, a bounded amount in case the program writes without end; data beyond the
 * limit is read and dropped, so that the child never blocks. Closes the pipe at its end. */
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

/* Reads both pipes until the child has ended; false if the time limit comes first. It does not wait for the
 * end of the pipes: a process that the program left behind may hold them open. */
static bool attend(struct child_start *start, struct child_watch *watch, const struct time_limit *time_limit,
                   size_t limit, struct child_result *result)
{
    while (!child_watch_ended(watch)) {
        double left = time_limit_left(time_limit);
        if (left <= 0)
            return false;
        struct pollfd wake[3] = {{.fd = start->output[0], .events = POLLIN},
                                 {.fd = start->errors[0], .events = POLLIN},
                                 {.fd = watch->line, .events = POLLIN}};
        poll(wake, 3, (int)(left < 1 ? left * 1e3 : 1e3) + 1);
        drain(&start->output[0], limit, &result->output);
        drain(&start->errors[0], limit, &result->errors);
    }
    return true;
}

static enum status start_sentence(const char *name, const struct child_start_failure *failure, int cpu,
                                  struct error *error)
{
    char text[LIMITS_BYTES];
    const char *why = limits_describe(failure->error, text);
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
    return error_set(error, STATUS_FAILED, "cannot set up input and output of %s: %s", name, why);
}

/* The usual cause of each signal that can end a generated program. */
static const struct {
    int number;
    const char *hint;
} signal_hints[] = {
    {SIGILL,
     "this processor lacks an instruction of the program: generate it for a machine with fewer features"},
    {SIGSEGV, "the program accessed memory that is not its own"},
    {SIGBUS, "the program accessed memory that the system could not provide"},
    {SIGKILL, "something else killed it; if the machine ran out of memory, `dmesg` shows it"},
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
    char complaint[COMPLAINT_BYTES];
    complaint_join(complaint, sizeof complaint, result->errors.data, result->errors.size, "");
    if (complaint[0] == '\0')
        complaint_join(complaint, sizeof complaint, result->output.data, result->output.size, "");
    return error_set(error, STATUS_FAILED, "%s ended with exit code %d, expected 0%s%s", name,
                     result->exit_code, complaint[0] != '\0' ? "; it says: " : "", complaint);
}

/* Lets the child begin, collects its output and evaluates how it ended. */
static enum status run_started(const struct child_request *request, struct child_start *start,
                               struct child_watch *watch, struct child_result *result, struct error *error)
{
    const char *name = request->arguments[0];
    double timeout = request->timeout_s > 0 ? request->timeout_s : 60;
    double begin = clock_now_s();
    if (child_start_release(start, error) != STATUS_OK)
        return STATUS_FAILED;
    size_t limit = request->output_limit > 0 ? request->output_limit : USUAL_OUTPUT;
    const struct time_limit time_limit = time_limit_begin(watch->pid, timeout);
    bool in_time = attend(start, watch, &time_limit, limit, result);
    const struct child_end end = child_watch_end(watch);
    result->wall_s = (end.known ? end.at_s : clock_now_s()) - begin;
    drain(&start->output[0], limit, &result->output);
    drain(&start->errors[0], limit, &result->errors);
    struct child_start_failure failure;
    if (read(start->failure[0], &failure, sizeof failure) == sizeof failure)
        return start_sentence(name, &failure, request->cpu, error);
    if (!in_time) {
        enum status status = error_set(error, STATUS_FAILED,
                                       "%s was still running after %.3g s and was killed", name, timeout);
        error_hint(error, "allow it more time, or fewer iterations");
        return status;
    }
    if (!end.known)
        return error_set(error, STATUS_FAILED,
                         "how %s ended is unknown: something killed the process that watches it", name);
    result->left = end.left;
    result->left_more = end.more;
    memcpy(result->left_name, end.name, sizeof result->left_name);
    return end_sentence(name, end.state, result, error);
}

enum status child_run(const struct child_request *request, struct child_result *result, struct error *error)
{
    struct child_start start;
    struct child_watch watch = {0};
    *result = (struct child_result){0};
    enum status status = child_start_open(&start, request, error);
    if (status == STATUS_OK)
        status = child_watch_begin(&start, &watch, error);
    if (status == STATUS_OK && request->before_start != NULL)
        status = request->before_start(watch.pid, request->context, error);
    if (status == STATUS_OK)
        status = run_started(request, &start, &watch, result, error);
    (void)child_watch_end(&watch);
    child_start_close(&start);
    return status;
}

void child_result_free(struct child_result *result)
{
    buffer_free(&result->output);
    buffer_free(&result->errors);
    *result = (struct child_result){0};
}
