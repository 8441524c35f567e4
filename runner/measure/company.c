/* Each co-runner has a thread here, which requests several rounds ahead and then sleeps. So between two
 * rounds the program only reads the next request, and wakes no thread that would take its processor. */
#include "runner/measure/company.h"

#include "base/clock.h"
#include "base/memory.h"
#include "runner/launch/moment.h"
#include "runner/launch/rounds.h"
#include "runner/measure/copies.h"
#include "runner/measure/idle_interval.h"
#include "runner/measure/pace.h"
#include "runner/process/time_limit.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* A round is short compared with a repetition, whose first and last rounds count in part, and long compared
 * with the time between two rounds. */
static const double ROUND_S = 0.005;

/* Rounds that are requested ahead, and those after which the thread wakes up: there is no gap while it is
 * late by less than the difference. */
enum { UNDER_WAY = 8, ASLEEP = 2 };

struct round_made {
    uint64_t passes, start, ticks;
};

struct member {
    const struct test_program *test_program;
    int cpu;
    struct rounds rounds;
    struct round_call calls[UNDER_WAY]; /* pending, the oldest first */
    size_t pending;
    struct round_made *made;
    size_t made_count;
    double pass_s, ticks_per_s, bytes_a_pass;
    const atomic_ullong *ends;
    bool started; /* its thread */
    pthread_t thread;
    enum status status;
    struct error error;
};

struct company {
    struct member *members;
    size_t count;
    atomic_ullong ends; /* the tick until which rounds are needed; 0: not known yet */
};

bool company_can(const struct joint_run *cast)
{
    const struct manifest *own = cast->test_program->manifest;
    bool can = own->together.count > 0 && !own->shared.given && cast->ticks_per_s > 0;
    for (size_t i = 0; i < cast->co_runners_count; i++)
        can = can && !cast->co_runners[i].test_program.manifest->shared.given;
    return can;
}

static void request_round(struct member *member)
{
    struct round_call *call = &member->calls[member->pending++];
    call->passes = pace_passes(ROUND_S, member->pass_s);
    rounds_request(&member->rounds, call);
}

/* Waits for the report of the oldest pending round, and records it. */
static enum status record_round(struct member *member)
{
    struct test_program_time time = {0};
    const struct round_call call = member->calls[0];
    enum status status = rounds_report(&member->rounds, &call, &time, &member->error);
    for (size_t i = 1; i < member->pending; i++)
        member->calls[i - 1].passes = member->calls[i].passes;
    member->pending--;
    if (status != STATUS_OK)
        return status;
    member->made = memory_next(member->made, member->made_count, sizeof *member->made);
    member->made[member->made_count++] = (struct round_made){call.passes, time.start, time.ticks};
    if (time.ticks > 0)
        member->pass_s = (double)time.ticks / member->ticks_per_s / (double)call.passes;
    return STATUS_OK;
}

static bool is_needed(const struct member *member)
{
    const struct round_made *last = &member->made[member->made_count - 1];
    unsigned long long ends = atomic_load(member->ends);
    return ends == 0 || last->start + last->ticks < ends;
}

static void *keep_on(void *context)
{
    struct member *member = context;
    while (member->status == STATUS_OK && is_needed(member)) {
        while (member->pending < UNDER_WAY)
            request_round(member);
        if (atomic_load(member->ends) == 0)
            idle_rest(ASLEEP * ROUND_S);
        do
            member->status = record_round(member);
        while (member->status == STATUS_OK && member->pending > 1 && rounds_reported(&member->rounds));
    }
    return NULL;
}

/* Adds one member and requests its first round; its thread is not started yet. */
static enum status add_member(struct company *company, const struct joint_run *cast,
                              const struct companion *companion, int cpu, struct error *error)
{
    company->members = memory_next(company->members, company->count, sizeof *company->members);
    struct member *member = &company->members[company->count++];
    *member = (struct member){.test_program = &companion->test_program,
                              .cpu = cpu,
                              .pass_s = companion->pass_s,
                              .ticks_per_s = cast->ticks_per_s,
                              .bytes_a_pass = copies_pass_bytes(companion->test_program.manifest, true)};
    for (size_t i = 0; i < UNDER_WAY; i++)
        member->calls[i].timeout_s = cast->timeout_s;
    enum status status =
        rounds_open(member->test_program, &(struct test_program_call){.cpu = cpu}, &member->rounds, error);
    if (status == STATUS_OK)
        request_round(member);
    return status;
}

static enum status add_members(struct company *company, const struct joint_run *cast, struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < cast->co_runners_count; i++) {
        const struct companion *companion = &cast->co_runners[i];
        status = test_program_check_runs(&companion->test_program, error);
        for (size_t j = 0; status == STATUS_OK && j < test_program_copies(&companion->test_program); j++)
            status =
                add_member(company, cast, companion, test_program_cpu(&companion->test_program, j), error);
    }
    return status;
}

static enum status blame(const struct member *member, enum status status, struct error *error)
{
    if (error != NULL) {
        *error = member->error;
        error_prefix(error, "the copy on logical processor %d", member->cpu);
    }
    return status;
}

enum status company_begin(const struct joint_run *cast, struct company **company, struct error *error)
{
    *company = memory_zeroed(1, sizeof **company);
    enum status status = add_members(*company, cast, error);
    for (size_t i = 0; status == STATUS_OK && i < (*company)->count; i++) {
        struct member *member = &(*company)->members[i];
        status = record_round(member);
        if (status != STATUS_OK)
            return blame(member, status, error);
    }
    for (size_t i = 0; status == STATUS_OK && i < (*company)->count; i++) {
        struct member *member = &(*company)->members[i];
        member->ends = &(*company)->ends;
        member->started = pthread_create(&member->thread, NULL, keep_on, member) == 0;
        if (!member->started)
            status = error_set(error, STATUS_FAILED,
                               "only %zu of %zu co-runners could be started: no more threads", i,
                               (*company)->count);
    }
    return status;
}

/* Seconds for which the rounds' program and, on average, the company have waited for a processor. */
static struct waits {
    double own_s, others_s;
} waits_now(const struct company *company, const struct rounds *rounds)
{
    struct waits waits = {.own_s = time_limit_waited_s(rounds->watch.pid)};
    for (size_t i = 0; i < company->count; i++)
        waits.others_s += time_limit_waited_s(company->members[i].rounds.watch.pid) / (double)company->count;
    return waits;
}

enum status company_run(const struct company *company, struct process_group_copy *copy, double *waited,
                        struct error *error)
{
    const struct manifest *manifest = copy->test_program->manifest;
    const struct test_program_call *call = &copy->call;
    const struct round_call first = {.warmup = (uint64_t)manifest->warmup,
                                     .passes = manifest->period >= 1 ? (uint64_t)manifest->period : 1,
                                     .timeout_s = call->timeout_s};
    const struct round_call whole = {.passes = call->iterations, .timeout_s = call->timeout_s};
    struct rounds rounds;
    struct waits before = {0}, after = {0};
    double begin_s = 0;
    enum status status = rounds_open(copy->test_program, call, &rounds, error);
    if (status == STATUS_OK)
        status = rounds_make(&rounds, &first, &copy->time, error);
    if (status == STATUS_OK) {
        before = waits_now(company, &rounds);
        begin_s = clock_now_s();
        status = rounds_make(&rounds, &whole, &copy->time, error);
        after = waits_now(company, &rounds);
    }
    *waited = fmax(after.own_s - before.own_s, after.others_s - before.others_s) / (clock_now_s() - begin_s);
    rounds_close(&rounds);
    return status;
}

static void join(struct company *company)
{
    unsigned long long now = moment_now().ticks;
    atomic_store(&company->ends, now > 0 ? now : 1);
    for (size_t i = 0; i < company->count; i++) {
        struct member *member = &company->members[i];
        if (member->started)
            pthread_join(member->thread, NULL);
        member->started = false;
    }
}

enum status company_end(struct company *company, struct error *error)
{
    join(company);
    for (size_t i = 0; i < company->count; i++)
        if (company->members[i].status != STATUS_OK)
            return blame(&company->members[i], company->members[i].status, error);
    return STATUS_OK;
}

static struct result_copy between(const struct member *member, double from, double to)
{
    struct result_copy copy = {.cpu = member->cpu};
    double passes = 0, ticks = 0, start = to;
    for (size_t i = 0; i < member->made_count; i++) {
        const struct round_made *made = &member->made[i];
        double begin = fmax(from, (double)made->start);
        double end = fmin(to, (double)made->start + (double)made->ticks);
        if (!(end > begin))
            continue;
        start = fmin(start, begin);
        ticks += end - begin;
        passes += (double)made->passes * (end - begin) / (double)made->ticks;
    }
    copy.iterations = llround(passes);
    copy.ticks = llround(ticks);
    copy.start = llround(start);
    copy.bytes = passes * member->bytes_a_pass;
    return copy;
}

struct result_copies company_between(const struct company *company, uint64_t from, uint64_t to)
{
    struct result_copies copies = {true, memory_zeroed(company->count, sizeof *copies.items), company->count};
    for (size_t i = 0; i < copies.count; i++)
        copies.items[i] = between(&company->members[i], (double)from, (double)to);
    return copies;
}

void company_pace(const struct company *company, struct joint_run *cast)
{
    for (size_t i = 0; i < cast->co_runners_count; i++)
        for (size_t j = 0; j < company->count; j++)
            if (company->members[j].test_program == &cast->co_runners[i].test_program)
                cast->co_runners[i].pass_s = company->members[j].pass_s;
}

void company_close(struct company *company)
{
    if (company == NULL)
        return;
    join(company);
    for (size_t i = 0; i < company->count; i++) {
        rounds_close(&company->members[i].rounds);
        free(company->members[i].made);
    }
    free(company->members);
    free(company);
}
