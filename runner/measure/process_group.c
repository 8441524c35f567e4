/* Copies meet at a shared socket: each reports that it is ready and waits for a byte; when all are ready, one
 * byte is sent for each. One thread attends each copy, as it would a single program. */
#include "runner/measure/process_group.h"

#include "base/fork.h"
#include "base/memory.h"
#include "runner/devices/launcher.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BLAME_NONE = -1, FILES_A_COPY = 12, FILES_OTHER = 64 };

/* Shared by the threads that attend the copies. */
struct meeting {
    int inside;       /* the copies' end of the socket; above 2, so that it keeps its number in a child */
    int outside;      /* this process's end */
    atomic_int blame; /* the first copy that failed */
};

struct copy_attendant {
    struct process_group_copy *copy;
    struct meeting *meeting;
    int number;
    pthread_t thread;
    enum status status;
    struct error error;
};

enum status process_group_open(const struct test_program *test_program, uint64_t iterations, double timeout_s,
                               struct process_group *process_group, struct error *error)
{
    memset(process_group, 0, sizeof *process_group);
    enum status status = test_program_check_runs(test_program, error);
    for (size_t i = 0; status == STATUS_OK && i < test_program_copies(test_program); i++) {
        const struct test_program_call call = {
            .iterations = iterations, .timeout_s = timeout_s, .cpu = test_program_cpu(test_program, i)};
        process_group_add(process_group, test_program, &call);
    }
    return status;
}

void process_group_add(struct process_group *process_group, const struct test_program *test_program,
                       const struct test_program_call *call)
{
    process_group->copies =
        memory_resized(process_group->copies, process_group->count + 1, sizeof *process_group->copies);
    process_group->copies[process_group->count++] =
        (struct process_group_copy){.test_program = test_program, .call = *call};
}

static void meeting_close(struct meeting *meeting)
{
    if (meeting->inside >= 0)
        close(meeting->inside);
    if (meeting->outside >= 0)
        close(meeting->outside);
}

/* Runs one copy. However it ends, a thread that waits for it to be ready is notified. */
static void *attend(void *context)
{
    struct copy_attendant *attendant = context;
    struct process_group_copy *copy = attendant->copy;
    int nobody = BLAME_NONE;
    copy->call.meet_fd = attendant->meeting->inside;
    attendant->status = launcher_run(copy->test_program, &copy->call, &copy->time, &attendant->error);
    if (attendant->status != STATUS_OK)
        atomic_compare_exchange_strong(&attendant->meeting->blame, &nobody, attendant->number);
    (void)send(attendant->meeting->inside, "x", 1, MSG_NOSIGNAL);
    return NULL;
}

/* Waits until all copies are ready and starts them; if a copy ended early, the others are stopped. */
static void let_begin(const struct meeting *meeting, size_t count)
{
    size_t ready = 0;
    while (ready < count) {
        char byte;
        ssize_t got = read(meeting->outside, &byte, 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got != 1 || byte == 'x')
            break;
        ready++;
    }
    bool all = ready == count;
    for (size_t sent = 0; all && sent < count; sent++)
        all = send(meeting->outside, "g", 1, MSG_NOSIGNAL) == 1;
    if (!all)
        shutdown(meeting->outside, SHUT_RDWR);
}

/* The error of the first copy that failed; the others ended because of it. */
static enum status verdict_of(const struct copy_attendant *attendants, const struct meeting *meeting,
                              struct error *error)
{
    int blame = atomic_load(&meeting->blame);
    if (blame == BLAME_NONE)
        return STATUS_OK;
    if (error != NULL) {
        *error = attendants[blame].error;
        error_prefix(error, "the copy on logical processor %d", attendants[blame].copy->call.cpu);
    }
    return attendants[blame].status;
}

void process_group_allow_files(size_t copies)
{
    struct rlimit limit;
    rlim_t needed = FILES_OTHER + FILES_A_COPY * (rlim_t)copies;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed)
        return;
    limit.rlim_cur = needed < limit.rlim_max ? needed : limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit); /* otherwise opening them fails, with an error */
}

static bool shares(const struct process_group *process_group)
{
    for (size_t i = 0; i < process_group->count; i++)
        if (process_group->copies[i].test_program->manifest->shared.given)
            return true;
    return false;
}

/* The file that all copies map, of zeros; programs give it its size. *fd: 0 if they share nothing. */
static enum status open_share(struct process_group *process_group, int *fd, struct error *error)
{
    *fd = 0;
    if (!shares(process_group))
        return STATUS_OK;
    enum status status = test_program_open_share(fd, error);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < process_group->count; i++) {
        struct test_program_call *call = &process_group->copies[i].call;
        if (!process_group->copies[i].test_program->manifest->shared.given)
            continue;
        call->share_fd = *fd;
        call->copy = (unsigned)i;
        call->copies = (unsigned)process_group->count;
    }
    return STATUS_OK;
}

/* Copies that wait for one another measure nothing alone. */
static enum status check_company(const struct process_group *process_group, struct error *error)
{
    if (!process_group->copies[0].test_program->manifest->shared.waits)
        return STATUS_OK;
    error_set(error, STATUS_UNAVAILABLE,
              "its copies wait for one another, and one logical processor is here for them: expected two");
    error_hint(error, "threads = 2, or place = { cores = { 0, 1 } }, on a machine with two cores");
    return STATUS_UNAVAILABLE;
}

static enum status run_together(struct process_group *process_group, struct meeting *meeting,
                                struct error *error)
{
    struct copy_attendant *attendants = memory_zeroed(process_group->count, sizeof *attendants);
    size_t begun = 0;
    process_group_allow_files(process_group->count);
    for (; begun < process_group->count; begun++) {
        attendants[begun] = (struct copy_attendant){
            .copy = &process_group->copies[begun], .meeting = meeting, .number = (int)begun};
        if (pthread_create(&attendants[begun].thread, NULL, attend, &attendants[begun]) != 0)
            break;
    }
    if (begun == process_group->count)
        let_begin(meeting, process_group->count);
    else
        shutdown(meeting->outside, SHUT_RDWR);
    for (size_t i = 0; i < begun; i++)
        pthread_join(attendants[i].thread, NULL);
    enum status status = verdict_of(attendants, meeting, error);
    if (begun < process_group->count)
        status = error_set(error, STATUS_FAILED, "only %zu of %zu copies could be started: no more threads",
                           begun, process_group->count);
    free(attendants);
    return status;
}

enum status process_group_run(struct process_group *process_group, struct error *error)
{
    if (process_group->count == 1) {
        struct process_group_copy *alone = &process_group->copies[0];
        enum status alone_status = check_company(process_group, error);
        if (alone_status != STATUS_OK)
            return alone_status;
        return launcher_run(alone->test_program, &alone->call, &alone->time, error);
    }
    struct meeting meeting = {.blame = BLAME_NONE};
    int share_fd = 0;
    enum status status = fork_line(&meeting.inside, &meeting.outside, "to synchronise the copies", error);
    if (status == STATUS_OK)
        status = open_share(process_group, &share_fd, error);
    if (status == STATUS_OK)
        status = run_together(process_group, &meeting, error);
    if (share_fd > 0)
        close(share_fd);
    meeting_close(&meeting);
    return status;
}

uint64_t process_group_mean_ticks(const struct process_group *process_group)
{
    double sum = 0;
    for (size_t i = 0; i < process_group->count; i++)
        sum += (double)process_group->copies[i].time.ticks;
    return process_group->count == 0 ? 0 : (uint64_t)(sum / (double)process_group->count + 0.5);
}

enum status process_group_run_program(const struct test_program *test_program, uint64_t iterations,
                                      double timeout_s, uint64_t *ticks, struct error *error)
{
    struct process_group process_group;
    enum status status = process_group_open(test_program, iterations, timeout_s, &process_group, error);
    if (status == STATUS_OK)
        status = process_group_run(&process_group, error);
    if (status == STATUS_OK)
        *ticks = process_group_mean_ticks(&process_group);
    process_group_close(&process_group);
    return status;
}

void process_group_close(struct process_group *process_group)
{
    for (size_t i = 0; i < process_group->count; i++)
        result_record_free(process_group->copies[i].time.record);
    free(process_group->copies);
    memset(process_group, 0, sizeof *process_group);
}
