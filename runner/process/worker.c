#include "runner/process/worker.h"

#include "base/clock.h"
#include "base/fork.h"
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

/* ---- both sides: a head, then as many bytes ---- */

struct message_head {
    enum status status; /* of an answer: the bytes are those of a struct error unless it is STATUS_OK */
    size_t size;
};

static bool send_bytes(int line, const void *bytes, size_t size)
{
    size_t sent = 0;
    while (sent < size) {
        ssize_t count = send(line, (const char *)bytes + sent, size - sent, MSG_NOSIGNAL);
        if (count < 0 && errno != EINTR)
            break;
        sent += count > 0 ? (size_t)count : 0;
    }
    return sent == size;
}

static bool send_message(int line, enum status status, const void *bytes, size_t size)
{
    struct message_head head;
    memset(&head, 0, sizeof head); /* its padding is sent, too */
    head.status = status;
    head.size = size;
    return send_bytes(line, &head, sizeof head) && send_bytes(line, bytes, size);
}

/* Moves the first message received to *message and *status; false while it is incomplete. */
static bool take_message(struct buffer *received, enum status *status, struct buffer *message)
{
    struct message_head head;
    if (received->size < sizeof head)
        return false;
    memcpy(&head, received->data, sizeof head);
    if (received->size - sizeof head < head.size)
        return false;
    *status = head.status;
    buffer_append(message, received->data + sizeof head, head.size);
    received->size -= sizeof head + head.size;
    memmove(received->data, received->data + sizeof head + head.size, received->size);
    return true;
}

/* Adds received data. False at its end, or if it is too long. */
static bool receive(int line, struct buffer *received)
{
    char part[PART_BYTES];
    ssize_t count;
    do {
        count = recv(line, part, sizeof part, 0);
    } while (count < 0 && errno == EINTR);
    if (count <= 0 || received->size > MOST_BYTES)
        return false;
    buffer_append(received, part, (size_t)count);
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
    struct buffer received = {0}, request = {0}, answer = {0};
    struct error error;
    bool good = true;
    while (good) {
        enum status status;
        if (!take_message(&received, &status, &request)) {
            good = receive(task->line, &received);
            continue;
        }
        memset(&error, 0, sizeof error); /* all of it is sent */
        status =
            job->answer(job->context, &(struct worker_bytes){request.data, request.size}, &answer, &error);
        good = status == STATUS_OK ? send_message(task->line, status, answer.data, answer.size)
                                   : send_message(task->line, status, &error, sizeof error);
        buffer_free(&request);
        buffer_free(&answer);
    }
    buffer_free(&received);
    if (job->end != NULL)
        job->end(job->context);
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

/* Waits some time for the child to end by itself, then kills it. False if it hangs even then. */
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

static void disconnect(struct worker *worker)
{
    close(worker->line);
    buffer_free(&worker->received);
    *worker = (struct worker){.line = -1};
}

static enum status ended(struct worker *worker, const char *what, struct error *error)
{
    int state = 0;
    bool reaped = take_end(worker, KILL_S, &state);
    disconnect(worker);
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
    disconnect(worker);
    error_set(error, STATUS_FAILED, "%s was still running after %.3g s and was killed%s", what, timeout_s,
              reaped ? "" : "; its process hangs in the device's driver");
    error_hint(error, "allow it more time, or fewer iterations");
    return STATUS_FAILED;
}

/* Waits until the child has sent the whole answer; an error if it ends before, or time is up. */
static enum status wait_answer(struct worker *worker, double timeout_s, const char *what,
                               enum status *answered, struct buffer *answer, struct error *error)
{
    const struct time_limit time_limit = time_limit_begin(worker->pid, timeout_s);
    while (!take_message(&worker->received, answered, answer)) {
        double left = time_limit_left(&time_limit);
        struct pollfd line = {.fd = worker->line, .events = POLLIN};
        if (left <= 0)
            return overdue(worker, timeout_s, what, error);
        if (poll(&line, 1, (int)(left < 1000 ? left * 1e3 : 1e6) + 1) > 0 &&
            !receive(worker->line, &worker->received))
            return ended(worker, what, error);
    }
    return STATUS_OK;
}

enum status worker_ask(struct worker *worker, const struct worker_bytes *request, double timeout_s,
                       const char *what, struct buffer *answer, struct error *error)
{
    enum status answered = STATUS_OK;
    struct buffer message = {0};
    if (worker->pid == 0)
        return error_set(error, STATUS_FAILED, "%s: the process that used the device has ended", what);
    /* If the child has ended, wait_answer reports it. */
    (void)send_message(worker->line, STATUS_OK, request->bytes, request->size);
    enum status status = wait_answer(worker, timeout_s, what, &answered, &message, error);
    if (status == STATUS_OK && answered != STATUS_OK) {
        if (error != NULL)
            memcpy(error, message.data, message.size < sizeof *error ? message.size : sizeof *error);
        status = answered;
    }
    if (status == STATUS_OK && answer != NULL) {
        *answer = message;
        message = (struct buffer){0};
    }
    buffer_free(&message);
    return status;
}

bool worker_end(struct worker *worker)
{
    int state = 0;
    if (worker->pid == 0)
        return true;
    shutdown(worker->line, SHUT_WR);
    bool reaped = take_end(worker, END_S, &state);
    disconnect(worker);
    return reaped && WIFEXITED(state) && WEXITSTATUS(state) == 0;
}
