#include "session/execute/check_workers.h"

#include "base/fork.h"
#include "base/memory.h"
#include "runner/evidence/evidence_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { USUAL_MOST = 8, PIPE_BYTES = 1 << 20, PATH_BYTES = 64 };

/* A worker's share: turns first, first + step, ... */
struct share {
    const struct check_task *task;
    size_t first, step;
    const cpu_set_t *set; /* the processors that it may use */
    int quiet;            /* its own descriptor of the lock */
    int end;              /* where it writes */
    struct evidence_claims *claims;
};

/* ---- in the worker ---- */

/* Opens the same file anew for a lock of its own, which ends with its holder. */
static int open_again(int fd)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return open(path, O_RDWR | O_CLOEXEC);
}

static void lock(int fd, int how)
{
    while (flock(fd, how) != 0 && errno == EINTR)
        continue;
}

/* Points that a worker looks at together. */
enum { TOGETHER = 32 };

struct turn_ahead {
    struct program program;
    struct test_program test_program;
    struct placement place;
    bool made; /* a program that cannot be made here fails in the timing process too, which reports it */
};

static void make(const struct check_task *task, size_t turn, struct turn_ahead *ahead)
{
    const struct work_item *item = &task->work->items[task->order[turn]];
    struct error error;
    bool changed;
    *ahead = (struct turn_ahead){.made = false};
    ahead->made = work_program(item, &ahead->program, &changed, &error) == STATUS_OK;
    if (!ahead->made)
        return;
    ahead->test_program = work_test_program(item, &ahead->program, -1);
    test_program_find_place(&ahead->test_program, &ahead->place);
}

static bool look_at(const struct share *share, struct turn_ahead *ahead, struct evidence_memory *memory,
                    FILE *to)
{
    struct evidence_parts parts = {0};
    if (ahead->made) {
        lock(share->quiet, LOCK_SH);
        evidence_ask(&ahead->test_program, share->task->counters, false, memory, &parts);
        lock(share->quiet, LOCK_UN);
    }
    bool good = evidence_send(&parts, to);
    evidence_free_parts(&parts);
    return good;
}

/* Looks at turns from the first of the memory, and sends what was seen. */
static bool look_at_all(const struct share *share, struct turn_ahead *ahead, size_t count,
                        struct evidence_memory *memory, FILE *to)
{
    struct test_program *list[TOGETHER] = {NULL};
    size_t first = memory->turn;
    bool good = true;
    for (size_t i = 0; i < count; i++) {
        make(share->task, first + i * share->step, &ahead[i]);
        list[i] = ahead[i].made ? &ahead[i].test_program : NULL;
    }
    lock(share->quiet, LOCK_SH);
    evidence_prepare(list, count, share->task->counters, share->step, memory);
    lock(share->quiet, LOCK_UN);
    for (size_t i = 0; i < count; i++) {
        memory->turn = first + i * share->step;
        good = good && look_at(share, &ahead[i], memory, to);
        free(ahead[i].test_program.prepared);
        program_free(&ahead[i].program);
    }
    return good;
}

static void be_worker(void *context)
{
    const struct share *share = context;
    (void)sched_setaffinity(0, sizeof *share->set,
                            share->set); /* its results do not depend on the processor */
    memory_keep();
    FILE *to = fdopen(share->end, "w");
    struct evidence_memory memory = {.claims = share->claims};
    struct turn_ahead *ahead = memory_zeroed(TOGETHER, sizeof *ahead);
    bool good = to != NULL;
    size_t items = share->task->work->item_count;
    for (size_t i = share->first; good && i < items; i += TOGETHER * share->step) {
        size_t left = (items - i + share->step - 1) / share->step;
        memory.turn = i;
        good = look_at_all(share, ahead, left < TOGETHER ? left : TOGETHER, &memory, to);
    }
    free(ahead);
    evidence_memory_free(&memory);
    _exit(good ? 0 : 1);
}

/* ---- in the process that times ---- */

/* The processors that this process may use, except cpu. */
static size_t processors_but(int cpu, cpu_set_t *set)
{
    CPU_ZERO(set);
    if (sched_getaffinity(0, sizeof *set, set) != 0)
        return 0;
    if (cpu >= 0 && cpu < CPU_SETSIZE)
        CPU_CLR(cpu, set);
    return (size_t)CPU_COUNT(set);
}

static bool is_timed(const struct work *work, const char *counters)
{
    bool present = false;
    for (size_t i = 0; i < work->source_count; i++)
        present = present || work_machine(&work->sources[i])->present;
    return present && evidence_wants_alone(counters);
}

/* Calibration times its trials here, and the program to check is its result. */
static size_t count_workers(const struct check_task *task, bool timed)
{
    size_t items = task->work->item_count;
    cpu_set_t set;
    size_t others = processors_but(timed ? task->cpu : -1, &set);
    size_t usual = timed ? others + 1 : others;
    size_t wanted = task->jobs > 0 ? task->jobs : usual < USUAL_MOST ? usual : USUAL_MOST;
    bool useless = task->work->request->calibrate || wanted <= 1 || others == 0 || items <= 1;
    size_t workers = useless ? 0 : timed ? wanted - 1 : wanted;
    workers = workers < CHECK_MOST_WORKERS ? workers : CHECK_MOST_WORKERS;
    return workers < items ? workers : items;
}

static bool start(struct check_worker *worker, struct share share, int quiet)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    (void)fcntl(ends[1], F_SETPIPE_SZ, PIPE_BYTES); /* the default size works too */
    share.end = ends[1];
    share.quiet = open_again(quiet); /* here, where a failure can be reported */
    const struct fork_job job = {.work = be_worker, .context = &share, .traits = FORK_BOUND};
    worker->pid = share.quiet < 0 ? -1 : fork_child(&job);
    int failure = errno;
    close(ends[1]);
    if (share.quiet >= 0)
        close(share.quiet);
    errno = failure;
    worker->from = fdopen(ends[0], "r"); /* even if the fork failed, so that it is closed */
    return worker->pid > 0 && worker->from != NULL;
}

enum status check_workers_open(const struct check_task *task, struct check_workers *workers,
                               struct error *error)
{
    *workers = (struct check_workers){.task = *task, .quiet = -1};
    bool timed = is_timed(task->work, task->counters);
    size_t wanted = count_workers(task, timed);
    cpu_set_t set;
    if (wanted == 0)
        return STATUS_OK;
    (void)processors_but(timed ? task->cpu : -1, &set);
    workers->quiet = memfd_create("quiet", MFD_CLOEXEC);
    workers->workers = calloc(wanted, sizeof *workers->workers);
    workers->claims = evidence_claims_new(task->work->item_count);
    bool good = workers->quiet >= 0 && workers->workers != NULL;
    for (size_t i = 0; good && i < wanted; i++) {
        const struct share share = {
            .task = task, .first = i, .step = wanted, .set = &set, .claims = workers->claims};
        good = start(&workers->workers[workers->count++], share, workers->quiet);
    }
    if (good)
        return STATUS_OK;
    error_set(error, STATUS_FAILED, "cannot start %zu worker processes: %s", wanted, strerror(errno));
    error_hint(error, "-j 1 needs none");
    return STATUS_FAILED;
}

/* Describes how a worker ended. */
static void describe_end(pid_t pid, char *text, size_t capacity)
{
    siginfo_t info = {0};
    int known = waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
    if (known == 0 && info.si_code != CLD_EXITED)
        snprintf(text, capacity, "by signal %d (%s)", info.si_status, strsignal(info.si_status));
    else
        snprintf(text, capacity, "with exit code %d", known == 0 ? info.si_status : -1);
}

bool check_workers_ready(const struct check_workers *workers, size_t turn)
{
    if (workers->count == 0)
        return true;
    struct pollfd pipe = {.fd = fileno(workers->workers[turn % workers->count].from), .events = POLLIN};
    return poll(&pipe, 1, 0) > 0;
}

enum status check_workers_take(const struct check_workers *workers, size_t turn, struct evidence_parts *parts,
                               struct error *error)
{
    char end[PATH_BYTES];
    if (workers->count == 0)
        return STATUS_OK;
    const struct work_item *item = &workers->task.work->items[workers->task.order[turn]];
    const struct check_worker *worker = &workers->workers[turn % workers->count];
    if (evidence_receive(parts, worker->from))
        return STATUS_OK;
    describe_end(worker->pid, end, sizeof end);
    error_set(error, STATUS_FAILED, "a worker process ended %s before it checked %s/%s", end, item->benchmark,
              item->point);
    error_hint(error, "-j 1 checks without workers; `dmesg` reports whether memory ran out");
    return STATUS_FAILED;
}

void check_workers_pause(struct check_workers *workers)
{
    if (workers->count > 0 && !workers->paused)
        lock(workers->quiet, LOCK_EX);
    workers->paused = true;
}

void check_workers_resume(struct check_workers *workers)
{
    if (workers->count > 0 && workers->paused)
        lock(workers->quiet, LOCK_UN);
    workers->paused = false;
}

void check_workers_close(struct check_workers *workers)
{
    for (size_t i = 0; i < workers->count; i++) {
        const struct check_worker *worker = &workers->workers[i];
        if (worker->from != NULL)
            fclose(worker->from);
        if (worker->pid > 0)
            (void)fork_end(worker->pid);
    }
    if (workers->quiet >= 0 && workers->workers != NULL)
        close(workers->quiet);
    free(workers->workers);
    evidence_claims_free(workers->claims);
    *workers = (struct check_workers){.quiet = -1};
}
