#include "session/generate_suite.h"

#include "base/files/memory_file.h"
#include "base/files/spool.h"
#include "base/fork.h"
#include "base/memory.h"
#include "base/text/plural.h"
#include "generator/suite/suite.h"
#include "runner/tracing/program_trace.h"
#include "session/stop_signals.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum { MOST_WORKERS = 256, ITEMS_EACH = 50 };
static const char STOPPED[] = "stopped by a signal: no suite was written";

/* A worker's report on one item, written atomically to the pipe. */
struct report {
    size_t item;
    enum status status;
    struct error error;
};
_Static_assert(sizeof(struct report) <= PIPE_BUF, "a pipe could split a report");

static void report_done(const struct work *work, size_t done)
{
    session_progress(work->request->events, "programs made", done, work->item_count);
}

/* Writes the program's trace beside it, in the suite's folder. */
static enum status add_trace(const struct generate_request *request, const struct suite_writer *writer,
                             const struct work_item *item, const struct program *program, struct error *error)
{
    char suite[MEMORY_FILE_PATH_BYTES], folder[FILE_PATH_BYTES];
    const struct trace_format *format = trace_format_find(request->trace);
    const struct test_program test_program = work_test_program(item, program, -1);
    memory_file_path(suite, writer->place.folder);
    snprintf(folder, sizeof folder, "%s/%s/%s", suite, item->benchmark, item->point);
    enum status status = program_trace_write(&test_program, format, request->passes, folder, error);
    if (status != STATUS_OK)
        error_prefix(error, "%s/%s", item->benchmark, item->point);
    return status;
}

/* Writes a program and its *entry. STATUS_RECIPE if the point is refused: *entry records it, *error holds the
 * reason. */
static enum status make_one(const struct work *work, const struct generate_request *request,
                            const struct suite_writer *writer, size_t index, struct buffer *entry,
                            struct error *error)
{
    struct error other;
    struct program program = {0};
    entry->size = 0;
    if (stop_signals_came())
        return error_set(error, STATUS_FAILED, "%s", STOPPED);
    const struct work_item *item = &work->items[index];
    struct manifest *point = work_tuned_point(item, error);
    enum status status = point == NULL ? STATUS_FAILED : work_make(item, point, &program, error);
    if (status == STATUS_OK)
        status = suite_add(writer, item->recipe, point, &program, entry, error);
    if (status == STATUS_OK && request->trace != NULL)
        status = add_trace(request, writer, item, &program, error);
    if (status == STATUS_RECIPE) {
        work_reduce(item, error);
        status = suite_add_refused(item->recipe, point, error->message, entry, &other);
        if (status != STATUS_OK)
            *error = other;
        status = status == STATUS_OK ? STATUS_RECIPE : status;
    }
    manifest_free(point);
    program_free(&program);
    return status;
}

/* Adds an entry of make_one to the index. */
static enum status add_entry(const struct work *work, struct suite_writer *writer, size_t index,
                             enum status made, const struct buffer *entry, size_t *refused,
                             struct error *error)
{
    const struct work_item *item = &work->items[index];
    if (made == STATUS_RECIPE) {
        session_refuse(work->request->events, item->benchmark, item->point, error);
        ++*refused;
    }
    return suite_add_entry(writer, entry->data, entry->size, error);
}

static bool goes_on(enum status status)
{
    return status == STATUS_OK || status == STATUS_RECIPE;
}

static enum status make_in_turn(const struct work *work, const struct generate_request *request,
                                struct suite_writer *writer, size_t *refused, struct error *error)
{
    enum status status = STATUS_OK;
    struct buffer entry = {0};
    for (size_t i = 0; status == STATUS_OK && i < work->item_count; i++) {
        status = make_one(work, request, writer, i, &entry, error);
        if (goes_on(status))
            status = add_entry(work, writer, i, status, &entry, refused, error);
        report_done(work, i + 1);
    }
    buffer_free(&entry);
    return status;
}

/* ---- entries that a worker stores in a nameless file: size, bytes, status, and the error of a refusal ----
 */

static bool store_entry(FILE *file, const struct buffer *entry, enum status status, const struct error *why)
{
    return fwrite(&entry->size, sizeof entry->size, 1, file) == 1 &&
           fwrite(entry->data, 1, entry->size, file) == entry->size &&
           fwrite(&status, sizeof status, 1, file) == 1 &&
           (status == STATUS_OK || fwrite(why, sizeof *why, 1, file) == 1);
}

static bool load_entry(FILE *file, struct buffer *entry, enum status *status, struct error *why)
{
    size_t size;
    entry->size = 0;
    if (fread(&size, sizeof size, 1, file) != 1)
        return false;
    buffer_fill(entry, ' ', size);
    return fread(entry->data, 1, size, file) == size && fread(status, sizeof *status, 1, file) == 1 &&
           (*status == STATUS_OK || fread(why, sizeof *why, 1, file) == 1);
}

/* A pipe takes up to PIPE_BUF bytes atomically. */
static bool send(int to_parent, const struct report *report)
{
    ssize_t wrote;
    do {
        wrote = write(to_parent, report, sizeof *report);
    } while (wrote < 0 && errno == EINTR);
    return wrote == (ssize_t)sizeof *report;
}

/* A worker makes every count-th item. */
struct crew {
    const struct work *work;
    const struct generate_request *request;
    const struct suite_writer *writer;
    FILE *const *files; /* each worker's entries */
    unsigned number, count;
    int ends[2]; /* of the pipe of reports */
};

static enum status make_and_store(const struct crew *crew, size_t index, FILE *entries, struct buffer *entry,
                                  struct error *error)
{
    enum status status = make_one(crew->work, crew->request, crew->writer, index, entry, error);
    if (goes_on(status) && !store_entry(entries, entry, status, error))
        status = error_set(error, STATUS_FAILED, "cannot store an entry of the index temporarily on disk: %s",
                           strerror(errno));
    return status;
}

static void be_worker(void *context)
{
    const struct crew *crew = context;
    FILE *entries = crew->files[crew->number];
    struct buffer entry = {0};
    close(crew->ends[0]);
    for (size_t i = crew->number; i < crew->work->item_count; i += crew->count) {
        struct report report = {.item = i};
        report.status = make_and_store(crew, i, entries, &entry, &report.error);
        bool last = i + crew->count >= crew->work->item_count;
        if (last && fflush(entries) != 0 && goes_on(report.status))
            report.status = error_set(&report.error, STATUS_FAILED,
                                      "cannot store the index temporarily on disk: %s", strerror(errno));
        if (!send(crew->ends[1], &report) || !goes_on(report.status))
            break;
    }
}

/* The next report; false at the end, or after a signal to stop. */
static bool receive(int from_workers, struct report *report)
{
    ssize_t got;
    do {
        got = read(from_workers, report, sizeof *report);
    } while (got < 0 && errno == EINTR && !stop_signals_came());
    return got == (ssize_t)sizeof *report;
}

static enum status listen_to(int from_workers, const struct work *work, struct error *error)
{
    struct report report;
    size_t done = 0;
    enum status status = STATUS_OK;
    size_t first_failed = work->item_count;
    while (receive(from_workers, &report)) {
        report_done(work, ++done);
        if (!goes_on(report.status) && report.item < first_failed) {
            first_failed = report.item;
            status = report.status;
            *error = report.error;
        }
    }
    if (status == STATUS_OK && stop_signals_came())
        status = error_set(error, STATUS_FAILED, "%s", STOPPED);
    if (status == STATUS_OK && done < work->item_count)
        status = error_set(error, STATUS_FAILED, "a worker process ended after %zu of %zu program%s", done,
                           work->item_count, plural_s(work->item_count));
    return status;
}

/* Adds the entries to the index in the items' order. */
static enum status collect(const struct work *work, struct suite_writer *writer, FILE *const *files,
                           unsigned workers, size_t *refused, struct error *error)
{
    enum status made = STATUS_OK;
    struct buffer entry = {0};
    enum status status = STATUS_OK;
    for (unsigned i = 0; i < workers; i++)
        rewind(files[i]);
    for (size_t i = 0; status == STATUS_OK && i < work->item_count; i++) {
        if (!load_entry(files[i % workers], &entry, &made, error))
            status = error_set(error, STATUS_FAILED, "a worker left no entry for the index: %s/%s",
                               work->items[i].benchmark, work->items[i].point);
        else
            status = add_entry(work, writer, i, made, &entry, refused, error);
    }
    buffer_free(&entry);
    return status;
}

/* Starts the workers and returns how many; too few leave the suite incomplete, which is an error. */
static unsigned start(struct crew *crew, pid_t *workers)
{
    const struct fork_job job = {.work = be_worker, .context = crew, .traits = FORK_BOUND};
    for (crew->number = 0; crew->number < crew->count; crew->number++) {
        workers[crew->number] = fork_child(&job);
        if (workers[crew->number] < 0)
            break;
    }
    return crew->number;
}

/* The requested number, or one for each core that this process may use, if each has enough work to justify
 * its start. */
static unsigned count_workers(const struct work *work, size_t jobs)
{
    cpu_set_t cores;
    if (jobs > 0)
        return jobs > MOST_WORKERS ? MOST_WORKERS : (unsigned)jobs;
    if (sched_getaffinity(0, sizeof cores, &cores) != 0)
        return 1;
    size_t most = work->item_count / ITEMS_EACH;
    size_t count = (size_t)CPU_COUNT(&cores);
    count = count < most ? count : most;
    return count > MOST_WORKERS ? MOST_WORKERS : (unsigned)count;
}

static enum status make_by_workers(const struct work *work, const struct generate_request *request,
                                   struct suite_writer *writer, FILE *const *files, unsigned workers,
                                   size_t *refused, struct error *error)
{
    struct crew crew = {.work = work, .request = request, .writer = writer, .files = files, .count = workers};
    pid_t children[MOST_WORKERS];
    if (pipe(crew.ends) != 0)
        return error_set(error, STATUS_FAILED, "cannot make a pipe for the workers: %s", strerror(errno));
    unsigned started = start(&crew, children);
    close(crew.ends[1]);
    enum status status = listen_to(crew.ends[0], work, error);
    close(crew.ends[0]);
    for (unsigned i = 0; i < started; i++)
        (void)fork_wait(children[i]);
    return status == STATUS_OK ? collect(work, writer, files, workers, refused, error) : status;
}

/* Writes every item's program, and appends the entries to the index in the items' order. Stops at the first
 * failure; *refused points are no failures. */
static enum status make_programs(const struct work *work, const struct generate_request *request,
                                 struct suite_writer *writer, size_t *refused, struct error *error)
{
    unsigned workers = count_workers(work, request->jobs);
    FILE *files[MOST_WORKERS];
    unsigned opened = 0;
    memory_keep();
    if (workers <= 1 || work->item_count <= 1)
        return make_in_turn(work, request, writer, refused, error);
    for (; opened < workers; opened++) {
        int fd = spool_nameless();
        files[opened] = fd < 0 ? NULL : fdopen(fd, "w+");
        if (files[opened] == NULL)
            break;
    }
    enum status status =
        opened == workers
            ? make_by_workers(work, request, writer, files, workers, refused, error)
            : error_set(error, STATUS_FAILED, "cannot open %u temporary files: %s", workers, strerror(errno));
    while (opened > 0)
        fclose(files[--opened]);
    return status;
}

/* A suite is made from recipes, for one machine. */
static enum status check_sources(const struct work *work, struct error *error)
{
    const struct work_source *first = &work->sources[0];
    for (size_t i = 0; i < work->source_count; i++) {
        const struct work_source *source = &work->sources[i];
        if (source->kind == INPUT_SUITE)
            return error_set(error, STATUS_USAGE, "%s is already a suite; gen takes recipes", source->path);
        if (source->target_context == first->target_context)
            continue;
        return error_set(error, STATUS_USAGE,
                         "%s is for %s and %s for %s: a suite is for one machine; generate two suites",
                         first->path, first->target_context->machine.isa, source->path,
                         source->target_context->machine.isa);
    }
    return STATUS_OK;
}

enum status generate_open(const struct selection *selection, const struct target_request *target,
                          struct work *work, struct error *error)
{
    enum status status = work_open(selection, target, work, error);
    return status == STATUS_OK ? check_sources(work, error) : status;
}

enum status generate_suite(const struct generate_request *request, const struct work *work, size_t *refused,
                           struct error *error)
{
    *refused = 0;
    if (request->trace != NULL && trace_format_find(request->trace) == NULL) {
        struct buffer names = {0};
        trace_format_names(&names);
        error_set(error, STATUS_USAGE, "no trace has the format '%s'", request->trace);
        error_hint(error, "the formats are %s", names.data);
        buffer_free(&names);
        return STATUS_USAGE;
    }
    struct suite_writer writer;
    const struct target_context *target_context = work->sources[0].target_context;
    const struct session_events *events = work->request->events;
    if (calibration_store_tunes(&target_context->calibration_store))
        session_note(events, "programs are tuned by %s",
                     tuning_is_set(&work->request->tuning) ? "--tune"
                                                           : target_context->calibration_store.path);
    stop_signals_catch(); /* a suite that is not finished is removed */
    enum status status = suite_begin(request->folder, request->force, &writer, error);
    if (status != STATUS_OK)
        return status;
    writer.markers = target_context->code_generator.markers;
    char trace[64];
    if (request->trace != NULL) {
        program_trace_file(trace_format_find(request->trace), trace);
        writer.traces[0] = trace;
        writer.traces[1] = program_trace_notes;
    }
    report_done(work, 0);
    struct suite_benchmark benchmark, *benchmarks = NULL;
    size_t count = 0;
    while (work_benchmark(work, count, &benchmark)) {
        benchmarks = memory_next(benchmarks, count, sizeof *benchmarks);
        benchmarks[count++] = benchmark;
    }
    suite_begin_index(&writer, &target_context->machine, work->selection->seed, benchmarks, count);
    free(benchmarks);
    status = make_programs(work, request, &writer, refused, error);
    session_progress_end(events);
    session_report_points(events);
    bool none = *refused > 0 && *refused == work->item_count;
    if (status == STATUS_OK && !none)
        status = suite_finish(&writer, error);
    if (status != STATUS_OK || none)
        suite_abandon(&writer, status == STATUS_OK ? NULL : error);
    return status;
}
