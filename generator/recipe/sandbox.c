#include "generator/recipe/sandbox.h"

#include "base/buffer.h"
#include "base/fork.h"
#include "base/json.h"
#include "base/json/field_json.h"
#include "base/limits.h"
#include "generator/recipe/sandbox_child.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A limit of CPU time ends the child. The parent checks periodically whether it still uses CPU time: a child
 * that neither ran nor wrote for so long sleeps, and would never end. */
enum { SLEEP_MS = 60 * 1000, CHUNK_BYTES = 1 << 16 };

/* Well above the child's own limits with a million points. */
enum { CPU_MOST_S = 120 };

/* The parent's progress in reading from the child. */
enum hearing { LISTENING, ENDED_WELL, ENDED_IN_ERROR, SILENT, TOO_LATE };

struct listener {
    const struct sandbox_request *request;
    struct error *error;
    int fd;
    pid_t child;
    double cpu_s; /* of the child, at the last check */
    const struct sandbox_last *last;
    struct buffer pending;
    enum hearing hearing;
    enum status status;
};

struct child_report {
    double code, line;
    const char *message, *file, *hint;
};

static const struct field_row report_rows[] = {FIELD_ROW(child_report, "code", FIELD_NUMBER, code),
                                               FIELD_ROW(child_report, "file", FIELD_TEXT, file),
                                               FIELD_ROW(child_report, "line", FIELD_NUMBER, line),
                                               FIELD_ROW(child_report, "message", FIELD_TEXT, message),
                                               FIELD_ROW(child_report, "hint", FIELD_TEXT, hint),
                                               {0}};

/* The last record of a child that failed: {"error":...}. */
static void take_error(struct listener *listener, const char *line, size_t size)
{
    static const struct field_row rows[] = {
        {.name = "error", .type = FIELD_OBJECT, .offset = 0, .rows = report_rows}, {0}};
    struct fields_reader reader = {.what = "", .kind = ""};
    struct child_report report = {.code = STATUS_RECIPE, .message = "", .file = "", .hint = ""};
    json_t *record = json_parse(line, size, listener->request->path, listener->error);
    fields_read(&reader, record, NULL, rows, &report);
    listener->status = error_set(listener->error, (enum status)report.code, "%s", report.message);
    error_at(listener->error, report.file, (int)report.line);
    error_hint(listener->error, "%s", report.hint);
    listener->hearing = ENDED_IN_ERROR;
    json_decref(record);
}

static bool begins(const char *line, size_t size, const char *with)
{
    return size >= strlen(with) && strncmp(line, with, strlen(with)) == 0;
}

/* One record: an object of one member. */
static void take_record(struct listener *listener, const char *line, size_t size)
{
    const struct sandbox_request *request = listener->request;
    if (begins(line, size, "{\"error\":")) {
        take_error(listener, line, size);
    } else if (begins(line, size, "{\"done\":")) {
        listener->hearing = ENDED_WELL;
    } else {
        listener->status = request->on_record(line, size, request->context, listener->error);
        if (listener->status != STATUS_OK)
            listener->hearing = ENDED_IN_ERROR;
    }
}

/* Takes complete lines from the input so far. */
static void take_lines(struct listener *listener)
{
    struct buffer *pending = &listener->pending;
    size_t start = 0;
    const char *end;
    while (listener->hearing == LISTENING &&
           (end = memchr(pending->data + start, '\n', pending->size - start)) != NULL) {
        size_t next = (size_t)(end - pending->data) + 1;
        take_record(listener, pending->data + start, next - start - 1);
        start = next;
    }
    pending->size -= start;
    memmove(pending->data, pending->data + start, pending->size);
}

/* True if the child has run since the last check, and may continue. */
static bool has_run(struct listener *listener)
{
    clockid_t clock;
    struct timespec time;
    double before = listener->cpu_s;
    if (clock_getcpuclockid(listener->child, &clock) != 0 || clock_gettime(clock, &time) != 0)
        return false;
    listener->cpu_s = (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
    return listener->cpu_s > before && listener->cpu_s < CPU_MOST_S;
}

static void listen_once(struct listener *listener, char *chunk)
{
    struct pollfd pipe_end = {.fd = listener->fd, .events = POLLIN};
    int ready = poll(&pipe_end, 1, SLEEP_MS);
    if (ready == 0) {
        listener->hearing = has_run(listener) ? LISTENING : TOO_LATE;
        return;
    }
    ssize_t got = ready > 0 ? read(listener->fd, chunk, CHUNK_BYTES) : -1;
    if (got > 0) {
        buffer_append(&listener->pending, chunk, (size_t)got);
        take_lines(listener);
    } else if (got == 0 || errno != EINTR) {
        listener->hearing = SILENT;
    }
}

/* A child without memory for Lua exits with 1; one without memory for its records aborts. */
static bool is_starved(const struct sandbox_last *last, int how)
{
    if (last->why == SANDBOX_UNKNOWN)
        return WIFSIGNALED(how) ? WTERMSIG(how) == SIGABRT : WIFEXITED(how) && WEXITSTATUS(how) == 1;
    return last->why == SANDBOX_SIGNAL && last->number == SIGABRT;
}

static void tell_signal(int number, struct error *error)
{
    error_set(error, STATUS_RECIPE, "running the file ended its process by signal %d (%s)", number,
              strsignal(number));
    error_hint(error, "remove parts of the file to find the cause");
}

/* Explains the end of a child without a report: by its note in shared memory, or by its exit status. */
static enum status sudden_end(const struct listener *listener, int how)
{
    const struct sandbox_last *last = listener->last;
    struct error *error = listener->error;
    if (is_starved(last, how)) {
        char text[LIMITS_BYTES];
        error_set(error, STATUS_FAILED, "%s", limits_describe_memory(text));
        error_at(error, listener->request->path, 0);
        return STATUS_FAILED;
    }
    if (last->why == SANDBOX_TIME) {
        error_set(error, STATUS_RECIPE, "the file was still running when its CPU time was over");
        error_hint(error, "one call ran too long: a pattern match, a sort or a long string");
    } else if (last->why == SANDBOX_CALL) {
        error_set(error, STATUS_RECIPE, "the file's process made system call %d, which the sandbox forbids",
                  last->number);
        error_hint(error, "remove parts of the file to find the cause");
    } else if (last->why == SANDBOX_SIGNAL) {
        tell_signal(last->number, error);
    } else if (WIFSIGNALED(how)) {
        tell_signal(WTERMSIG(how), error);
    } else {
        error_set(error, STATUS_RECIPE, "running the file ended its process without a result");
        error_hint(error, "remove parts of the file to find the cause");
    }
    error_at(error, last->place.line > 0 ? last->place.file : listener->request->path, last->place.line);
    return STATUS_RECIPE;
}

static enum status too_late(const struct sandbox_request *request, struct error *error)
{
    error_set(error, STATUS_RECIPE,
              "the file's process did nothing for %d s, or used more than %d s of CPU time, "
              "and was ended",
              SLEEP_MS / 1000, CPU_MOST_S);
    error_at(error, request->path, 0);
    error_hint(error, "look for a loop that never ends");
    return STATUS_RECIPE;
}

static enum status listen_to(struct listener *listener, pid_t child)
{
    char chunk[CHUNK_BYTES];
    while (listener->hearing == LISTENING)
        listen_once(listener, chunk);
    buffer_free(&listener->pending);
    if (listener->hearing == SILENT)
        return sudden_end(listener, fork_wait(child));
    fork_end(child);
    if (listener->hearing == TOO_LATE)
        return too_late(listener->request, listener->error);
    return listener->status;
}

/* The child's task. */
struct child_task {
    const struct sandbox_request *request;
    int fd, other; /* the ends of the line, its own and the parent's */
    struct sandbox_last *last;
};

static void be_child(void *context)
{
    const struct child_task *task = context;
    const struct rlimit none = {0, 0};
    close(task->other); /* few files may be open */
    setrlimit(RLIMIT_FSIZE, &none);
    setlocale(LC_ALL, "C"); /* numbers and the order of strings are the same on every host */
    sandbox_child(task->request, task->fd, task->last);
}

static enum status run_in(const struct sandbox_request *request, struct sandbox_last *last,
                          struct error *error)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return error_set(error, STATUS_FAILED, "cannot make a pipe: %s", strerror(errno));
    struct child_task task = {request, ends[1], ends[0], last};
    const struct fork_job job = {
        .work = be_child, .context = &task, .traits = FORK_BOUND | FORK_FRESH, .cpu_s = CPU_MOST_S};
    pid_t child = fork_child(&job);
    close(ends[1]);
    struct listener listener = {
        .request = request, .error = error, .fd = ends[0], .child = child, .cpu_s = -1, .last = last};
    enum status status = child < 0
                             ? error_set(error, STATUS_FAILED, "cannot start a process: %s", strerror(errno))
                             : listen_to(&listener, child);
    close(ends[0]);
    return status;
}

enum status sandbox_run(const struct sandbox_request *request, struct error *error)
{
    struct sandbox_last *last =
        mmap(NULL, sizeof *last, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (last == MAP_FAILED)
        return error_set(error, STATUS_FAILED, "cannot share memory with a process: %s", strerror(errno));
    enum status status = run_in(request, last, error);
    munmap(last, sizeof *last);
    return status;
}
