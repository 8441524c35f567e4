/* Copies meet at a socket that all share: each says that it is ready and waits for a byte, and when all have
 * said so there is a byte for each. A thread attends each copy as it would a program alone. */
#include "runner/launch/gang.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BLAME_NONE = -1, FILES_A_COPY = 12, FILES_OTHER = 64 };

/* What those who attend the copies share. */
struct meeting {
    int inside;       /* the copies' end of the socket, above 2 so that it stays where it is in a child */
    int outside;      /* this process's end */
    atomic_int blame; /* the first copy that failed */
};

struct attendant {
    struct gang_copy *copy;
    struct meeting *meeting;
    int number;
    pthread_t thread;
    enum status status;
    struct error error;
};

enum status gang_open(const struct subject *subject, uint64_t iterations, double timeout_s, struct gang *gang,
                      struct error *error)
{
    memset(gang, 0, sizeof *gang);
    enum status status = subject_check_runs(subject, error);
    for (size_t i = 0; status == STATUS_OK && i < subject_copies(subject); i++) {
        int cpu = subject->place == NULL ? subject->cpu : subject->place->cpus[i];
        gang_add(gang, subject,
                 &(struct subject_call){.iterations = iterations, .timeout_s = timeout_s, .cpu = cpu});
    }
    return status;
}

void gang_add(struct gang *gang, const struct subject *subject, const struct subject_call *call)
{
    struct gang_copy *more = realloc(gang->copies, (gang->count + 1) * sizeof *more);
    if (more == NULL)
        abort();
    gang->copies = more;
    more[gang->count++] = (struct gang_copy){.subject = subject, .call = *call};
}

/* The copies' end is moved above 2: what lies below is given away in a child. */
static enum status meeting_open(struct meeting *meeting, struct error *error)
{
    int ends[2] = {-1, -1};
    *meeting = (struct meeting){.inside = -1, .outside = -1, .blame = BLAME_NONE};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0) {
        meeting->outside = ends[0];
        meeting->inside = fcntl(ends[1], F_DUPFD_CLOEXEC, 3);
        close(ends[1]);
    }
    if (meeting->inside >= 0)
        return STATUS_OK;
    return error_set(error, STATUS_FAILED, "no socket for the copies to meet at: %s", strerror(errno));
}

static void meeting_close(struct meeting *meeting)
{
    if (meeting->inside >= 0)
        close(meeting->inside);
    if (meeting->outside >= 0)
        close(meeting->outside);
}

/* Runs one copy. However it ends, whoever waits for it to be ready is told that it is no more. */
static void *attend(void *context)
{
    struct attendant *attendant = context;
    struct gang_copy *copy = attendant->copy;
    int nobody = BLAME_NONE;
    copy->call.meet_fd = attendant->meeting->inside;
    attendant->status = subject_run_one(copy->subject, &copy->call, &copy->time, &attendant->error);
    if (attendant->status != STATUS_OK)
        atomic_compare_exchange_strong(&attendant->meeting->blame, &nobody, attendant->number);
    (void)send(attendant->meeting->inside, "x", 1, MSG_NOSIGNAL);
    return NULL;
}

/* Waits until all copies are ready and lets them begin; a copy that ended before sends the others home. */
static void let_begin(const struct meeting *meeting, size_t count)
{
    size_t ready = 0;
    while (ready < count) {
        char said;
        ssize_t got = read(meeting->outside, &said, 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got != 1 || said == 'x')
            break;
        ready++;
    }
    bool all = ready == count;
    for (size_t sent = 0; all && sent < count; sent++)
        all = send(meeting->outside, "g", 1, MSG_NOSIGNAL) == 1;
    if (!all)
        shutdown(meeting->outside, SHUT_RDWR);
}

/* What the first that failed says: the others ended because of it. */
static enum status verdict_of(const struct attendant *attendants, const struct meeting *meeting,
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

/* Each copy takes some open files while it runs, and hundreds of copies more than a process usually may have.
 */
static void allow_files(size_t copies)
{
    struct rlimit limit;
    rlim_t needed = FILES_OTHER + FILES_A_COPY * (rlim_t)copies;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed)
        return;
    limit.rlim_cur = needed < limit.rlim_max ? needed : limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit); /* else opening them fails, and says so */
}

static enum status run_together(struct gang *gang, struct meeting *meeting, struct error *error)
{
    struct attendant *attendants = calloc(gang->count, sizeof *attendants);
    if (attendants == NULL)
        abort();
    size_t begun = 0;
    allow_files(gang->count);
    for (; begun < gang->count; begun++) {
        attendants[begun] =
            (struct attendant){.copy = &gang->copies[begun], .meeting = meeting, .number = (int)begun};
        if (pthread_create(&attendants[begun].thread, NULL, attend, &attendants[begun]) != 0)
            break;
    }
    if (begun == gang->count)
        let_begin(meeting, gang->count);
    else
        shutdown(meeting->outside, SHUT_RDWR);
    for (size_t i = 0; i < begun; i++)
        pthread_join(attendants[i].thread, NULL);
    enum status status = verdict_of(attendants, meeting, error);
    if (begun < gang->count)
        status = error_set(error, STATUS_FAILED, "only %zu of %zu copies could be begun: no more threads",
                           begun, gang->count);
    free(attendants);
    return status;
}

enum status gang_run(struct gang *gang, struct error *error)
{
    if (gang->count == 1) {
        struct gang_copy *alone = &gang->copies[0];
        return subject_run_one(alone->subject, &alone->call, &alone->time, error);
    }
    struct meeting meeting;
    enum status status = meeting_open(&meeting, error);
    if (status == STATUS_OK)
        status = run_together(gang, &meeting, error);
    meeting_close(&meeting);
    return status;
}

uint64_t gang_mean_ticks(const struct gang *gang)
{
    double sum = 0;
    for (size_t i = 0; i < gang->count; i++)
        sum += (double)gang->copies[i].time.ticks;
    return gang->count == 0 ? 0 : (uint64_t)(sum / (double)gang->count + 0.5);
}

void gang_close(struct gang *gang)
{
    for (size_t i = 0; i < gang->count; i++)
        json_decref(gang->copies[i].time.record);
    free(gang->copies);
    memset(gang, 0, sizeof *gang);
}
