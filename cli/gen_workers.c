#include "cli/gen_workers.h"

#include "cli/command.h"
#include "cli/stop_signals.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_WORKERS = 256 };
static const char STOPPED[] = "stopped by a signal: no suite was written";

/* What a worker tells of one item, in one write that a pipe does not split. */
struct report {
    size_t item;
    enum status status;
    struct error error;
};
_Static_assert(sizeof(struct report) <= PIPE_BUF, "a pipe would split a report");

static enum status make_one(const struct work *work, const struct suite_writer *writer, size_t index,
                            json_t **entry, struct error *error)
{
    struct program program;
    bool changed;
    if (stop_signals_came())
        return error_set(error, STATUS_FAILED, "%s", STOPPED);
    const struct work_item *item = &work->items[index];
    enum status status = work_program(work, item, &program, &changed, error);
    if (status == STATUS_OK)
        status = suite_add(writer, item->recipe, &program, entry, error);
    program_free(&program);
    return status;
}

static enum status make_in_turn(const struct work *work, const struct suite_writer *writer,
                                struct progress *progress, json_t *entries, struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < work->item_count; i++) {
        json_t *entry = NULL;
        status = make_one(work, writer, i, &entry, error);
        if (entry != NULL)
            json_array_append_new(entries, entry);
        progress_step(progress, i + 1);
    }
    return status;
}

/* At most PIPE_BUF bytes go whole or not at all. */
static bool send(int to_parent, const struct report *report)
{
    ssize_t wrote;
    do {
        wrote = write(to_parent, report, sizeof *report);
    } while (wrote < 0 && errno == EINTR);
    return wrote == (ssize_t)sizeof *report;
}

/* A worker makes every count-th item and never returns. */
static void be_worker(const struct work *work, const struct suite_writer *writer, unsigned number,
                      unsigned count, int to_parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (size_t i = number; i < work->item_count; i += count) {
        struct report report = {.item = i};
        json_t *entry = NULL;
        report.status = make_one(work, writer, i, &entry, &report.error);
        json_decref(entry);
        if (!send(to_parent, &report) || report.status != STATUS_OK)
            break;
    }
    _exit(0);
}

/* The next report; false at the end, and when this process was told to stop. */
static bool receive(int from_workers, struct report *report)
{
    ssize_t got;
    do {
        got = read(from_workers, report, sizeof *report);
    } while (got < 0 && errno == EINTR && !stop_signals_came());
    return got == (ssize_t)sizeof *report;
}

static enum status listen_to(int from_workers, const struct work *work, struct progress *progress,
                             struct error *error)
{
    struct report report;
    size_t done = 0;
    enum status status = STATUS_OK;
    size_t first_failed = work->item_count;
    while (receive(from_workers, &report)) {
        progress_step(progress, ++done);
        if (report.status != STATUS_OK && report.item < first_failed) {
            first_failed = report.item;
            status = report.status;
            *error = report.error;
        }
    }
    if (status == STATUS_OK && stop_signals_came())
        status = error_set(error, STATUS_FAILED, "%s", STOPPED);
    if (status == STATUS_OK && done < work->item_count)
        status = error_set(error, STATUS_FAILED, "a worker process ended after %zu of %zu program%s", done,
                           work->item_count, command_plural(work->item_count));
    return status;
}

/* Entries are read back in the items' order, so that the index does not depend on who was first. */
static enum status collect(const struct work *work, const struct suite_writer *writer, json_t *entries,
                           struct error *error)
{
    for (size_t i = 0; i < work->item_count; i++) {
        const struct work_item *item = &work->items[i];
        json_t *entry = NULL;
        enum status status = suite_entry(writer, item->benchmark, item->point, item->recipe, &entry, error);
        if (status != STATUS_OK)
            return status;
        json_array_append_new(entries, entry);
    }
    return STATUS_OK;
}

enum status gen_programs(const struct work *work, const struct suite_writer *writer,
                         const struct options *options, struct progress *progress, json_t *entries,
                         struct error *error)
{
    unsigned workers = options->jobs > MOST_WORKERS ? MOST_WORKERS : (unsigned)options->jobs;
    int ends[2];
    if (workers <= 1 || work->item_count <= 1)
        return make_in_turn(work, writer, progress, entries, error);
    if (pipe(ends) != 0)
        return error_set(error, STATUS_FAILED, "no pipe for the workers: %s", strerror(errno));
    unsigned started = 0;
    for (; started < workers; started++) {
        pid_t pid = fork();
        if (pid == 0) {
            close(ends[0]);
            be_worker(work, writer, started, workers, ends[1]);
        }
        if (pid < 0)
            break;
    }
    close(ends[1]);
    enum status status = listen_to(ends[0], work, progress, error);
    close(ends[0]);
    for (unsigned i = 0; i < started; i++)
        while (wait(NULL) < 0 && errno == EINTR)
            continue;
    return status == STATUS_OK ? collect(work, writer, entries, error) : status;
}
