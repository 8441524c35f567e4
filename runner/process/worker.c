#include "runner/process/worker.h"

#include "base/clock.h"
#include "base/fork.h"
#include "base/json.h"
#include "runner/process/time_limit.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PART_BYTES = 1 << 16, MOST_BYTES = 1 << 28 };

/* A driver may need some time to tear down a broken context; a process that hangs in the kernel is
 * abandoned. */
static const double END_S = 20;
static const double KILL_S = 10;

/* ---- both sides: one document per line ---- */

static bool send_line(int line, const json_t *document)
{
    char *text = json_dumps(document, JSON_COMPACT);
    if (text == NULL)
        return false;
    size_t size = strlen(text);
    text[size++] = '\n'; /* in place of the NUL */
    size_t sent = 0;
    while (sent < size) {
        ssize_t count = send(line, text + sent, size - sent, MSG_NOSIGNAL);
        if (count < 0 && errno != EINTR)
            break;
        sent += count > 0 ? (size_t)count : 0;
    }
    free(text);
    return sent == size;
}

/* Removes and returns the first line received; NULL while it is incomplete. */
static json_t *take_line(struct buffer *heard)
{
    char *newline = heard->size == 0 ? NULL : memchr(heard->data, '\n', heard->size);
    if (newline == NULL)
        return NULL;
    size_t length = (size_t)(newline - heard->data);
    json_t *document = json_loadb(heard->data, length, 0, NULL);
    heard->size -= length + 1;
    memmove(heard->data, newline + 1, heard->size);
    return document == NULL ? json_null() : document;
}

/* Adds received data. False at its end, or if it is too long. */
static bool hear(int line, struct buffer *heard)
{
    char part[PART_BYTES];
    ssize_t count;
    do {
        count = recv(line, part, sizeof part, 0);
    } while (count < 0 && errno == EINTR);
    if (count <= 0 || heard->size > MOST_BYTES)
        return false;
    buffer_append(heard, part, (size_t)count);
    return true;
}

/* ---- in the child ---- */

struct worker_task {
    const struct worker_job *job;
    int line;
};

static void work(void *context)
{
    const struct worker_task *task = context;
    const struct worker_job *job = task->job;
    struct buffer heard = {0};
    bool good = true;
    while (good) {
        json_t *request = take_line(&heard);
        if (request == NULL) {
            good = hear(task->line, &heard);
            continue;
        }
        json_t *answer = job->answer(job->context, request);
        good = send_line(task->line, answer);
        json_decref(answer);
        json_decref(request);
    }
    if (job->end != NULL)
        job->end(job->context);
}

json_t *worker_refusal(const struct error *error)
{
    return json_pack("{s:{s:i, s:s, s:s, s:s, s:i}}", "refused", "code", (int)error->code, "message",
                     error->message, "hint", error->hint, "file", error->file, "line", error->line);
}

/* ---- in the parent ---- */

enum status worker_start(const struct worker_job *job, struct worker *worker, struct error *error)
{
    struct worker_task task = {.job = job};
    int outside;
    *worker = (struct worker){.line = -1};
    if (fork_line(&task.line, &outside, "to the device's process", error) != STATUS_OK)
        return STATUS_FAILED;
    /* A driver's output is dropped. */
    struct fork_job own = {.work = work, .context = &task, .traits = FORK_QUIET, .files = {task.line}};
    enum status status = STATUS_OK;
    if (job->survives) {
        own.traits |= FORK_SURVIVES | FORK_FRESH | FORK_ALONE;
        worker->pid = fork_child(&own);
        if (worker->pid < 0)
            status = error_set(error, STATUS_FAILED, "cannot create a process for the device: %s",
                               strerror(errno));
    } else {
        status = child_watch_fork(&own, &worker->watch, error);
        worker->pid = worker->watch.pid;
        if (status != STATUS_OK)
            (void)child_watch_end(&worker->watch);
    }
    close(task.line);
    worker->line = outside;
    if (status == STATUS_OK)
        return STATUS_OK;
    close(outside);
    *worker = (struct worker){.line = -1};
    return status;
}

/* Waits that long for the child to end by itself. */
static bool reap(pid_t pid, double seconds, int *state)
{
    double deadline = clock_now_s() + seconds;
    const struct timespec pause = {0, 2000000};
    pid_t reaped = waitpid(pid, state, WNOHANG);
    while (reaped != pid && !(reaped < 0 && errno == ECHILD) && clock_now_s() < deadline) {
        nanosleep(&pause, NULL);
        reaped = waitpid(pid, state, WNOHANG);
    }
    return reaped == pid;
}

/* Gives it some time to end by itself, then kills it. False if it hangs all the same. */
static bool take_end(struct worker *worker, double by_itself_s, int *state)
{
    if (worker->watch.watcher != 0) {
        const struct child_end end = child_watch_end_within(&worker->watch, by_itself_s, KILL_S);
        *state = end.state;
        return end.known;
    }
    if (reap(worker->pid, by_itself_s, state))
        return true;
    kill(worker->pid, SIGKILL);
    return reap(worker->pid, KILL_S, state);
}

static void forget(struct worker *worker)
{
    close(worker->line);
    buffer_free(&worker->heard);
    *worker = (struct worker){.line = -1};
}

static enum status ended(struct worker *worker, const char *what, struct error *error)
{
    int state = 0;
    bool reaped = take_end(worker, KILL_S, &state);
    forget(worker);
    if (reaped && WIFSIGNALED(state))
        error_set(error, STATUS_FAILED, "%s: the process that used the device ended by signal %d (%s)", what,
                  WTERMSIG(state), strsignal(WTERMSIG(state)));
    else
        error_set(error, STATUS_FAILED, "%s: the process that used the device ended without an answer", what);
    error_hint(error, "`dmesg | tail` may show its driver's error");
    return STATUS_FAILED;
}

static enum status overdue(struct worker *worker, double timeout_s, const char *what, struct error *error)
{
    int state = 0;
    bool reaped = take_end(worker, 0, &state);
    forget(worker);
    error_set(error, STATUS_FAILED, "%s was still running after %.3g s and was killed%s", what, timeout_s,
              reaped ? "" : "; its process hangs in the device's driver");
    error_hint(error, "allow it more time, or fewer iterations");
    return STATUS_FAILED;
}

/* The child's own refusal as an error. */
static enum status refusal(const json_t *refused, struct error *error)
{
    enum status status = (enum status)(int)json_number_or(refused, "code", STATUS_FAILED);
    error_set(error, status, "%s", json_string_or(refused, "message", "refused without a reason"));
    error_hint(error, "%s", json_string_or(refused, "hint", ""));
    const char *file = json_string_or(refused, "file", "");
    if (file[0] != '\0')
        error_at(error, file, (int)json_number_or(refused, "line", 0));
    return status;
}

/* The answer, once the child has sent all of it before the deadline. */
static enum status wait_answer(struct worker *worker, double timeout_s, const char *what, json_t **answer,
                               struct error *error)
{
    const struct time_limit time_limit = time_limit_begin(worker->pid, timeout_s);
    while ((*answer = take_line(&worker->heard)) == NULL) {
        double left = time_limit_left(&time_limit);
        struct pollfd line = {.fd = worker->line, .events = POLLIN};
        if (left <= 0)
            return overdue(worker, timeout_s, what, error);
        if (poll(&line, 1, (int)(left < 1000 ? left * 1e3 : 1e6) + 1) > 0 &&
            !hear(worker->line, &worker->heard))
            return ended(worker, what, error);
    }
    return STATUS_OK;
}

enum status worker_ask(struct worker *worker, const json_t *request, double timeout_s, const char *what,
                       json_t **answer, struct error *error)
{
    *answer = NULL;
    if (worker->pid == 0)
        return error_set(error, STATUS_FAILED, "%s: the process that used the device has ended", what);
    (void)send_line(worker->line, request); /* a child that has ended cannot be heard either */
    enum status status = wait_answer(worker, timeout_s, what, answer, error);
    const json_t *refused = json_object_get(*answer, "refused");
    if (refused == NULL)
        return status;
    status = refusal(refused, error);
    json_decref(*answer);
    *answer = NULL;
    return status;
}

bool worker_end(struct worker *worker)
{
    int state = 0;
    if (worker->pid == 0)
        return true;
    shutdown(worker->line, SHUT_WR);
    bool reaped = take_end(worker, END_S, &state);
    forget(worker);
    return reaped && WIFEXITED(state) && WEXITSTATUS(state) == 0;
}
