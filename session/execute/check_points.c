#include "session/execute/check_points.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/fork.h"
#include "base/json.h"
#include "base/memory.h"
#include "isa/isa.h"
#include "runner/conditions/condition.h"
#include "runner/evidence/evidence.h"
#include "runner/evidence/evidence_memory.h"
#include "runner/evidence/host.h"
#include "runner/results/results.h"
#include "session/events.h"
#include "session/execute/calibrated_program.h"
#include "session/execute/conditions_now.h"
#include "session/execute/imported_counters.h"
#include "session/execute/probe_wanted.h"
#include "session/execute/requested_state.h"
#include "session/work.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* A check with several processes: workers query the sources that tolerate other load (simulation, inspection,
 * the plan), ahead of the process that times the points one after another. */

enum { CHECK_MOST_WORKERS = 256 };

struct check_worker {
    pid_t pid;
    FILE *from; /* its results for its points, in order */
};

/* The work of the check, and how it is done. */
struct check_task {
    const struct work *work;
    const size_t *order;  /* indices of the items, in the order in which they are checked */
    const char *counters; /* names of sources; NULL: all */
    size_t jobs;          /* processes; 0: one per processor, at most eight */
    int cpu;              /* logical processor used for timing; -1: any */
};

/* All zeros: no workers; the caller does all the work itself. */
struct check_workers {
    struct check_worker *workers; /* worker i has every count-th turn, starting with turn i */
    size_t count;
    struct check_task task;
    bool paused;
    int quiet;                      /* a lock: shared by busy workers, exclusive to pause them */
    struct evidence_claims *claims; /* programs that another worker examines in an earlier turn */
};

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

/* Opens the file again, for a lock of its own that ends with its holder. */
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

/* Number of points that a worker examines together. */
enum { TOGETHER = 32 };

struct turn_ahead {
    struct program program;
    struct test_program test_program;
    struct placement place;
    bool made; /* else the timing process fails to make it too, and reports it */
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

static bool examine(const struct share *share, struct turn_ahead *ahead, struct evidence_memory *memory,
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

/* Examines `count` turns, the first of which is memory->turn, and sends their evidence. */
static bool examine_all(const struct share *share, struct turn_ahead *ahead, size_t count,
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
        good = good && examine(share, &ahead[i], memory, to);
        free(ahead[i].test_program.prepared);
        program_free(&ahead[i].program);
    }
    return good;
}

static void be_worker(void *context)
{
    const struct share *share = context;
    (void)sched_setaffinity(0, sizeof *share->set, share->set); /* if it fails, only timing is disturbed */
    memory_keep();
    FILE *to = fdopen(share->end, "w");
    struct evidence_memory memory = {.claims = share->claims};
    struct turn_ahead *ahead = memory_zeroed(TOGETHER, sizeof *ahead);
    bool good = to != NULL;
    size_t items = share->task->work->item_count;
    for (size_t i = share->first; good && i < items; i += TOGETHER * share->step) {
        size_t left = (items - i + share->step - 1) / share->step;
        memory.turn = i;
        good = examine_all(share, ahead, left < TOGETHER ? left : TOGETHER, &memory, to);
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

/* The number of workers. Calibration has none, as its trials are timed here. */
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
    (void)fcntl(ends[1], F_SETPIPE_SZ, PIPE_BYTES); /* with the default size it is only slower */
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

/* Starts the workers, on processors other than task->cpu if anything is timed. There are none if there is no
 * other processor or only one point. Close with check_workers_close even after an error. */
static enum status check_workers_open(const struct check_task *task, struct check_workers *workers,
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

/* False when check_workers_take would wait for the worker. */
static bool check_workers_ready(const struct check_workers *workers, size_t turn)
{
    if (workers->count == 0)
        return true;
    struct pollfd pipe = {.fd = fileno(workers->workers[turn % workers->count].from), .events = POLLIN};
    return poll(&pipe, 1, 0) > 0;
}

/* Waits for the worker's results of that turn and adds them to the parts, except those that an earlier turn
 * has for the same program. Turns are taken in order. STATUS_FAILED when the worker has ended. */
static enum status check_workers_take(const struct check_workers *workers, size_t turn,
                                      struct evidence_parts *parts, struct error *error)
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

/* Waits until all workers pause, each between two points, until check_workers_resume. Both calls may be
 * repeated. Never wait for the results of a paused worker. */
static void check_workers_pause(struct check_workers *workers)
{
    if (workers->count > 0 && !workers->paused)
        lock(workers->quiet, LOCK_EX);
    workers->paused = true;
}

static void check_workers_resume(struct check_workers *workers)
{
    if (workers->count > 0 && workers->paused)
        lock(workers->quiet, LOCK_UN);
    workers->paused = false;
}

/* Ends the workers. */
static void check_workers_close(struct check_workers *workers)
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

/* ---- the order in which points are checked; findings are reported in the order of the inputs ---- */

static bool is_in_memory(const struct work_item *item)
{
    if (item->in_recipe == NULL || !item->source->target_context->machine.present)
        return false;
    struct manifest *point = work_point(item, NULL);
    bool found = false;
    for (size_t i = 0; point != NULL && i < point->unit_count; i++)
        found = found || point->unit[i].served[LEVEL_MEM] > 0;
    manifest_free(point);
    return found;
}

/* The items' indices in the order in which to check them; in the work's arena. Points whose data is in the
 * present machine's memory are checked consecutively, at the first one's turn: a virtual machine may return
 * unused pages to its host within seconds, and it takes seconds to get a GiB back. */
static size_t *check_order(struct work *work)
{
    size_t *order = arena_alloc(&work->arena, work->item_count, sizeof *order);
    bool *far = arena_alloc(&work->arena, work->item_count, sizeof *far);
    size_t count = 0;
    bool gathered = false;
    for (size_t i = 0; i < work->item_count; i++)
        far[i] = is_in_memory(&work->items[i]);
    for (size_t i = 0; i < work->item_count; i++) {
        if (!far[i])
            order[count++] = i;
        for (size_t j = i; far[i] && !gathered && j < work->item_count; j++)
            if (far[j])
                order[count++] = j;
        gathered = gathered || far[i];
    }
    return order;
}

/* Deals the points to the workers without a period: sweeps are periodic, and one worker could get all costly
 * points. Each group of one point per worker is rotated by the number of ones in the group's binary number
 * (for two workers, the Thue-Morse sequence). */
static void deal(size_t *order, size_t count, size_t workers)
{
    for (size_t group = 0; workers > 1 && (group + 1) * workers <= count; group++) {
        size_t *own = order + group * workers;
        for (size_t ones = group; ones != 0; ones &= ones - 1) {
            size_t first = own[0];
            memmove(own, own + 1, (workers - 1) * sizeof *own);
            own[workers - 1] = first;
        }
    }
}

/* ---- check ---- */

/* Findings in the order of the work's items. */
struct findings_in_turn {
    const struct check_request *request;
    size_t count;                   /* reported so far */
    struct check_finding **waiting; /* findings that are ready before their turn, by item; NULL: none */
    size_t waiting_count;
};

/* Reports the finding when its turn comes, followed by those that waited for it. */
static void add_in_turn(struct findings_in_turn *findings, size_t place, struct check_finding *finding)
{
    findings->waiting[place] = finding;
    size_t next = findings->count;
    for (; next < findings->waiting_count && findings->waiting[next] != NULL; next++) {
        findings->request->found(findings->request->context, findings->waiting[next]);
        findings->waiting[next] = NULL;
        findings->count++;
    }
}

/* Turns a program's failure into a finding, so that the check continues. */
static void add_failure(struct findings_in_turn *findings, const struct session_events *events, size_t place,
                        struct check_finding *finding, const struct error *error)
{
    if (error->code == STATUS_RECIPE)
        session_refuse(events, finding->benchmark, finding->point, error);
    else
        session_point(events, SESSION_WARNING, finding->benchmark, finding->point, "%s", error->message);
    check_finding_fail(finding, error->message, error->code);
    add_in_turn(findings, place, finding);
}

/* The state of a check of programs. */
struct checking {
    const struct check_request *request;
    const struct session_events *events;
    struct work *work;
    struct check_workers workers;
    const size_t *order; /* of the work's items */
    int cpu;
    struct findings_in_turn *findings;
    struct evidence_memory *memory; /* of the sources that are queried here, without workers */
    bool given_up;                  /* the time was over while waiting for a worker */
};

/* True when the time for the check is over. */
static bool is_late(const struct checking *checking)
{
    return checking->request->until_s > 0 && clock_now_s() > checking->request->until_s;
}

static enum status set_late(struct error *error)
{
    return error_set(error, STATUS_UNAVAILABLE, "left out: the time for the check was over");
}

/* A point that was timed, or whose program could not be made (then status is not STATUS_OK). */
struct timed {
    size_t turn;
    struct program program;
    struct evidence_parts parts;
    double seconds; /* spent on it by this process, without its worker */
    enum status status;
    struct error error;
};

/* The most points that wait for their workers, with their programs in memory. */
enum { MOST_WAITING = 64 };

/* Queries the sources that must be alone on the machine. While a program that shares caches or processors is
 * timed, the workers pause; they resume at the next point that does not. */
static void query_alone(struct checking *checking, const struct test_program *test_program,
                        struct evidence_parts *parts)
{
    if (test_program->machine->present && test_program_shares(test_program))
        check_workers_pause(&checking->workers);
    else
        check_workers_resume(&checking->workers);
    evidence_ask(test_program, checking->request->evidence.counters, true, NULL, parts);
}

/* As query_alone, in the state that the recipe requests if that is allowed and the machine is this one. */
static void query_alone_in_state(struct checking *checking, const struct work_item *item,
                                 const struct test_program *test_program, struct evidence_parts *parts)
{
    if (!test_program->machine->present) {
        query_alone(checking, test_program, parts);
        return;
    }
    struct state_record record = {.given = false};
    const struct value wanted = value_read(test_program->manifest->state, &record.arena);
    requested_state_begin(checking->work, item, &wanted, &record);
    query_alone(checking, test_program, parts);
    requested_state_end(checking->work);
    state_record_free(&record);
}

/* Judges the observations of all sources, after querying those that no worker has queried. seconds: spent on
 * the point so far. */
static void conclude(const struct checking *checking, size_t index, const struct test_program *test_program,
                     struct evidence_parts *parts, double seconds)
{
    const struct work_item *item = &checking->work->items[index];
    struct arena arena = {0};
    const struct value parameters = value_read(test_program->manifest->parameters, &arena);
    struct check_finding *finding = check_finding_new(
        item->benchmark, item->point, manifest_text_or(test_program->manifest->target, ""), &parameters);
    arena_free(&arena);
    struct evidence evidence;
    struct error error;
    double begin_s = clock_now_s();
    evidence_ask(test_program, checking->request->evidence.counters, false, checking->memory, parts);
    finding->seconds = seconds + clock_now_s() - begin_s;
    enum status status = evidence_join(parts, &evidence, &error);
    if (status == STATUS_OK)
        status = imported_add(&checking->request->evidence, &evidence, &error);
    if (status == STATUS_OK) {
        evidence_judge(test_program, &evidence, &finding->rates);
        session_point_warnings(checking->events, finding->benchmark, finding->point,
                               &evidence.observations.warnings);
        add_in_turn(checking->findings, index, finding);
    } else {
        add_failure(checking->findings, checking->events, index, finding, &error);
    }
    evidence_free(&evidence);
}

/* Warns if the program cannot run here although it is for this processor's ISA. */
static void warn_of(const struct checking *checking, const struct work_item *item,
                    const struct test_program *test_program)
{
    struct error error;
    if (test_program->machine->present && test_program->place != NULL &&
        test_program->place->why_not.message[0] != '\0')
        session_point(checking->events, SESSION_WARNING, item->benchmark, item->point,
                      "%s; it is judged without running it", test_program->place->why_not.message);
    const struct isa *host = isa_of_host();
    bool of_host = host != NULL && strcmp(host->name, test_program->machine->isa) == 0;
    if (of_host && test_program_check_features(test_program, &error) != STATUS_OK) {
        session_point(checking->events, SESSION_WARNING, item->benchmark, item->point, "skipped: %s",
                      error.message);
        checking->request->tally->skipped++;
    }
}

/* Times the program; its worker's results are awaited later. */
static void time_program(struct checking *checking, struct timed *timed)
{
    const struct work_item *item = &checking->work->items[checking->order[timed->turn]];
    struct test_program test_program = work_test_program(item, &timed->program, checking->cpu);
    struct placement place;
    test_program.brief = true;
    test_program_find_place(&test_program, &place);
    warn_of(checking, item, &test_program);
    query_alone_in_state(checking, item, &test_program, &timed->parts);
}

/* Makes or loads the program of that turn and times it. A program that cannot be loaded becomes a finding. */
static enum status time_item(struct checking *checking, size_t turn, struct timed *timed, struct error *error)
{
    const struct work_item *item = &checking->work->items[checking->order[turn]];
    struct calibrated calibrated;
    bool changed;
    double begin_s = clock_now_s();
    *timed = (struct timed){.turn = turn};
    if (is_late(checking)) {
        timed->status = set_late(&timed->error);
        return STATUS_OK;
    }
    enum status status = calibrated_program(checking->work, item, checking->request->evidence.counters,
                                            checking->cpu, &timed->program, &changed, &calibrated, error);
    checking->request->tally->unreached += calibrated.given && !calibrated.outcome.reached;
    if (status == STATUS_OK && changed && !checking->request->as_is)
        status = error_set(error, STATUS_FAILED,
                           "its files differ from those generated; generate the suite anew, or judge the "
                           "present files with --as-is");
    else if (status == STATUS_OK && changed)
        session_point(checking->events, SESSION_WARNING, item->benchmark, item->point,
                      "its files differ from those generated; the present files are judged");
    if (status == STATUS_OK) {
        time_program(checking, timed);
    } else if (work_can_go_on(item, status)) {
        work_reduce(item, error);
        timed->status = status;
        timed->error = *error;
        status = STATUS_OK;
    }
    timed->seconds = clock_now_s() - begin_s;
    return status;
}

/* Adds the worker's observations of the point and judges it. */
static enum status finish_item(struct checking *checking, struct timed *timed, struct error *error)
{
    size_t index = checking->order[timed->turn];
    const struct work_item *item = &checking->work->items[index];
    struct test_program test_program = work_test_program(item, &timed->program, checking->cpu);
    struct placement place;
    const struct manifest *manifest = timed->program.manifest;
    const char *isa = item->entry == NULL || item->entry->target == NULL ? work_machine(item->source)->isa
                                                                         : item->entry->target;
    const char *target = manifest == NULL ? isa : manifest_text_or(manifest->target, isa);
    enum status status = STATUS_OK;
    if (is_late(checking) && !check_workers_ready(&checking->workers, timed->turn))
        checking->given_up = true;
    if (!checking->given_up)
        status = check_workers_take(&checking->workers, timed->turn, &timed->parts, error);
    else if (timed->status == STATUS_OK)
        timed->status = set_late(&timed->error);
    if (status == STATUS_OK && timed->status == STATUS_OK) {
        test_program_find_place(&test_program, &place);
        conclude(checking, index, &test_program, &timed->parts, timed->seconds);
    } else if (status == STATUS_OK) {
        struct manifest *point = work_point(item, NULL);
        struct arena arena = {0};
        const struct value parameters = value_read(point == NULL ? NULL : point->parameters, &arena);
        add_failure(checking->findings, checking->events, index,
                    check_finding_new(item->benchmark, item->point, target, &parameters), &timed->error);
        arena_free(&arena);
        manifest_free(point);
    }
    return status;
}

static void free_timed(struct timed *timed)
{
    evidence_free_parts(&timed->parts);
    program_free(&timed->program);
}

/* Times all points in turn. Finishes a point when its worker is done, or when too many points wait. */
static enum status check_turns(struct checking *checking, struct timed waiting[MOST_WAITING],
                               struct error *error)
{
    size_t count = checking->work->item_count;
    size_t done = 0;
    size_t turn = 0;
    enum status status = STATUS_OK;
    while (status == STATUS_OK && done < count) {
        bool full = turn == count || turn - done == MOST_WAITING;
        struct timed *first = &waiting[done % MOST_WAITING];
        if (full)
            check_workers_resume(&checking->workers);
        if (turn > done && (full || check_workers_ready(&checking->workers, done))) {
            status = finish_item(checking, first, error);
            free_timed(first);
            session_progress(checking->events, "points checked", ++done, count);
        } else {
            status = time_item(checking, turn, &waiting[turn % MOST_WAITING], error);
            turn++;
        }
    }
    for (; done < turn; done++)
        free_timed(&waiting[done % MOST_WAITING]);
    return status;
}

static enum status check_items(struct checking *checking, struct error *error)
{
    struct work *work = checking->work;
    size_t *order = check_order(work);
    checking->order = order;
    checking->findings->waiting = arena_alloc(&work->arena, work->item_count, sizeof(struct check_finding *));
    checking->findings->waiting_count = work->item_count;
    const struct check_task task = {work, checking->order, checking->request->evidence.counters,
                                    checking->request->jobs, checking->cpu};
    deal(order, work->item_count, count_workers(&task, is_timed(work, task.counters)));
    session_progress(checking->events, "points checked", 0, work->item_count);
    enum status status = check_workers_open(&task, &checking->workers, error);
    if (status == STATUS_OK)
        status = check_turns(checking, arena_alloc(&work->arena, MOST_WAITING, sizeof(struct timed)), error);
    for (size_t i = 0; i < work->item_count; i++)
        check_finding_free(checking->findings->waiting[i]); /* left over after an error */
    checking->findings->waiting_count = 0;
    check_workers_close(&checking->workers);
    session_progress_end(checking->events);
    session_report_points(checking->events);
    return status;
}

/* Warns of conditions that disturb timing, if the machine is present. */
static void warn_of_conditions(const struct check_request *request, const struct work *work, int cpu)
{
    unsigned matters = conditions_that_matter(request->evidence.counters, false, false);
    if (matters == 0 || !work_machine(&work->sources[0])->present)
        return;
    struct warnings warnings = {0};
    conditions_warn_now(work->request->root, cpu, matters, work->request->events, &warnings);
    warnings_free(&warnings);
}

enum status check_programs(const struct check_request *request, const struct selection *selection,
                           const struct target_request *target, struct error *error)
{
    struct work work;
    struct findings_in_turn findings = {.request = request};
    enum status status = work_open(selection, target, &work, error);
    if (status == STATUS_OK)
        status = work_check_runnable(&work, error);
    if (status == STATUS_OK)
        (void)work_find_devices(&work, NULL); /* without devices, programs are judged without running */
    if (status == STATUS_OK)
        status = imported_check(&request->evidence, &work, error);
    if (status == STATUS_OK)
        status = calibrate_check(&work, error);
    if (status == STATUS_OK && request->allow_state)
        status = requested_state_open(&work, false, error);
    if (status == STATUS_OK) {
        struct evidence_memory memory = {0};
        struct checking checking = {.request = request,
                                    .events = target->events,
                                    .work = &work,
                                    .cpu = host_choose_cpu(),
                                    .findings = &findings,
                                    .memory = &memory};
        warn_of_conditions(request, &work, checking.cpu);
        probe_wanted_warn(&work);
        status = check_items(&checking, error);
        evidence_memory_free(&memory);
    }
    requested_state_close(&work);
    work_close(&work);
    return status;
}

/* Judges a recorded point again. STATUS_USAGE if its record is faulty. */
static enum status check_recorded(const struct results_reader *results, const struct result_point *point,
                                  const char *path, const struct check_request *request, struct error *error)
{
    const char *fault = result_point_fault(point);
    if (fault != NULL) {
        error_set(error, STATUS_USAGE, "%s/%s: %s", point->benchmark, point->name, fault);
        error_at(error, path, 0);
        return STATUS_USAGE;
    }
    request->tally->skipped += point->skipped != NULL;
    request->found(request->context, check_finding_judged(&results->context, point));
    return STATUS_OK;
}

enum status check_results(const struct check_request *request, const char *path,
                          const struct session_events *events, struct error *error)
{
    struct results_reader results;
    enum status status = results_open(path, &results, error);
    if (status == STATUS_OK && results.cut)
        session_warn(events,
                     "%s: the last line is incomplete and left out; trauma run --resume continues the run",
                     path);
    const struct simulated *simulated = &results.context.simulated;
    if (status == STATUS_OK && simulated->given)
        session_warn(events, "%s: %s: %s", path, simulated_label(simulated), simulated->how);
    for (size_t i = 0; status == STATUS_OK && i < results.count; i++) {
        struct result_point point;
        status = result_point_load(&results, i, NULL, &point, error);
        if (status != STATUS_OK)
            continue;
        status = check_recorded(&results, &point, path, request, error);
        result_point_free(&point);
    }
    if (status == STATUS_OK && results.count == 0)
        status = error_set(error, STATUS_FAILED, "%s has no finished point to check", path);
    results_reader_close(&results);
    return status;
}
