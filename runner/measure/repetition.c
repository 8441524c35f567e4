#include "runner/measure/repetition.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/stats.h"
#include "runner/launch/moment.h"
#include "runner/measure/company.h"
#include "runner/measure/copies.h"
#include "runner/measure/idle_interval.h"
#include "runner/measure/pace.h"
#include "runner/measure/process_group.h"
#include "runner/results/warning.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How far outside of its run a program's clock may place its loop. */
static const double CLOCKS_DIFFER_S = 0.001;

enum status repetition_pace(const struct joint_run *cast, struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < cast->co_runners_count; i++) {
        struct pace pace;
        status = pace_measure(&cast->co_runners[i].test_program, cast->timeout_s, &pace, error);
        cast->co_runners[i].pass_s = pace.pass_s;
    }
    return status;
}

/* Adds the co-runners, with passes for those seconds, and none where the test program makes none. */
static enum status add_co_runners(struct joint_run *cast, double seconds, struct process_group *process_group,
                                  struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < cast->co_runners_count; i++) {
        struct companion *companion = &cast->co_runners[i];
        uint64_t passes = seconds > 0 ? pace_passes(seconds, companion->pass_s) : 0;
        struct process_group more;
        status = process_group_open(&companion->test_program, passes, cast->timeout_s, &more, error);
        companion->copies = more.count;
        for (size_t j = 0; status == STATUS_OK && j < more.count; j++)
            process_group_add(process_group, &companion->test_program, &more.copies[j].call);
        process_group_close(&more);
    }
    return status;
}

/* A clock that is not the processor's, or a program of an earlier version that does not report its begin,
 * places the loop where it cannot have been. */
static void find_loop(const struct process_group *own, const struct moment *before,
                      const struct moment *after, struct repetition *rep)
{
    struct window loop = {INFINITY, -INFINITY};
    for (size_t i = 0; i < own->count; i++) {
        const struct test_program_time *time = &own->copies[i].time;
        double from_s = time->told ? time->from_s : moment_at(before, after, time->start);
        double to_s = time->told ? time->to_s : moment_at(before, after, time->start + time->ticks);
        loop.from_s = fmin(loop.from_s, from_s);
        loop.to_s = fmax(loop.to_s, to_s);
    }
    bool inside = loop.from_s >= rep->run.from_s - CLOCKS_DIFFER_S &&
                  loop.to_s <= rep->run.to_s + CLOCKS_DIFFER_S && loop.to_s > loop.from_s;
    rep->loop = inside ? loop : (struct window){NAN, NAN};
}

/* A clock may be too slow for some passes (test_program_parse_line); such passes reveal nothing. */
static enum status check_ticks(const struct process_group *process_group, struct error *error)
{
    for (size_t i = 0; i < process_group->count; i++) {
        const struct process_group_copy *copy = &process_group->copies[i];
        if (copy->time.ticks > 0 || copy->call.iterations == 0)
            continue;
        error_set(error, STATUS_FAILED,
                  "%" PRIu64 " iterations took 0 ticks: the clock did not advance while they ran",
                  copy->call.iterations);
        error_hint(error, "use a longer --time");
        return STATUS_FAILED;
    }
    return STATUS_OK;
}

/* Beside others a program is slower than alone: only at that pace do all end together. */
static void follow_pace(struct joint_run *cast, const struct process_group *beside)
{
    for (size_t i = 0, at = 0; i < cast->co_runners_count && cast->ticks_per_s > 0; i++) {
        struct companion *companion = &cast->co_runners[i];
        double longest = 0;
        for (size_t j = 0; j < companion->copies; j++, at++) {
            const struct process_group_copy *copy = &beside->copies[at];
            if (copy->call.iterations > 0)
                longest = fmax(longest, (double)copy->time.ticks / (double)copy->call.iterations);
        }
        if (longest > 0)
            companion->pass_s = longest / cast->ticks_per_s;
    }
}

/* Without copies, waits for as long as they would have run. */
static void run_nothing(double seconds, struct repetition *rep)
{
    rep->run.from_s = clock_now_s();
    idle_rest(seconds);
    rep->run.to_s = clock_now_s();
    rep->loop = rep->run;
    rep->wall_s = window_seconds(rep->run);
    rep->threads.given = true;
}

static struct result_copies copied(const struct result_copies *from)
{
    struct result_copies copies = {from->given, memory_zeroed(from->count + 1, sizeof *copies.items),
                                   from->count};
    if (from->count > 0)
        memcpy(copies.items, from->items, from->count * sizeof *copies.items);
    return copies;
}

enum status repetition_run(struct joint_run *cast, double seconds, struct repetition *rep,
                           struct error *error)
{
    const struct test_program *test_program = cast->test_program;
    struct process_group process_group;
    if (test_program_copies(test_program) == 0) {
        run_nothing(seconds, rep);
        return STATUS_OK;
    }
    enum status status =
        process_group_open(test_program, rep->iterations, cast->timeout_s, &process_group, error);
    struct process_group own = {.count = process_group.count};
    struct company *company = NULL;
    if (status == STATUS_OK && seconds > 0 && own.count == 1 && company_can(cast))
        status = company_begin(cast, &company, error);
    else if (status == STATUS_OK)
        status = add_co_runners(cast, seconds, &process_group, error);
    struct moment before = moment_now();
    double used_s = pace_children_s();
    rep->waited = NAN;
    if (status == STATUS_OK && company != NULL)
        status = company_run(company, &process_group.copies[0], &rep->waited, error);
    else if (status == STATUS_OK)
        status = process_group_run(&process_group, error);
    struct moment after = moment_now();
    rep->cpu_s = test_program_is_on_device(test_program) ? NAN : pace_children_s() - used_s;
    if (status == STATUS_OK && company != NULL)
        status = company_end(company, error);
    if (status == STATUS_OK)
        status = check_ticks(&process_group, error);
    own.copies = process_group.copies;
    rep->run = (struct window){before.s, after.s};
    rep->wall_s = window_seconds(rep->run);
    rep->ticks = process_group_mean_ticks(&own);
    find_loop(&own, &before, &after, rep);
    if (status == STATUS_OK && test_program->place != NULL)
        rep->threads = copies_of_run(&own);
    if (status == STATUS_OK && own.count == 1) {
        rep->record = own.copies[0].time.record;
        own.copies[0].time.record = NULL;
    }
    if (rep->record != NULL && rep->record->beside.given) {
        rep->threads = copied(&rep->record->own);
        rep->co_runners = copied(&rep->record->beside);
    }
    struct process_group beside = {.copies = process_group.copies + own.count,
                                   .count = process_group.count - own.count};
    if (status == STATUS_OK && beside.count > 0) {
        rep->co_runners = copies_of_run(&beside);
        follow_pace(cast, &beside);
    }
    if (status == STATUS_OK && company != NULL) {
        const struct test_program_time *time = &own.copies[0].time;
        rep->co_runners = company_between(company, time->start, time->start + time->ticks);
        company_pace(company, cast);
    }
    company_close(company);
    process_group_close(&process_group);
    return status;
}

struct result_rep repetition_result(const struct repetition *rep)
{
    return (struct result_rep){.iterations = (double)rep->iterations,
                               .ticks = (double)rep->ticks,
                               .wall_s = rep->wall_s,
                               .waited = NAN,
                               .seconds = window_seconds(rep->loop),
                               .copies = rep->threads.count > 0 ? rep->threads.count : 1,
                               .threads = rep->threads,
                               .company = rep->co_runners,
                               .record = rep->record};
}

void repetition_free(struct repetition *rep)
{
    free(rep->threads.items);
    free(rep->co_runners.items);
    result_record_free(rep->record);
}

/* ---- outliers ---- */

/* Smaller differences are no outliers. */
static const double FLOOR = 0.02;

/* The warning names the farthest one. */
static void tell(const double *ticks, size_t count, size_t found, struct warnings *warnings)
{
    double median = stats_median(ticks, count);
    size_t farthest = 0;
    for (size_t i = 0; i < count; i++)
        if (fabs(ticks[i] - median) > fabs(ticks[farthest] - median))
            farthest = i;
    warning_add(warnings, NULL,
                "%zu of %zu repetitions are outliers in ticks per pass, repetition %zu by %+.3g %%. They are "
                "flagged but their time still counts",
                found, count, farthest + 1, 100 * (ticks[farthest] / median - 1));
}

void outliers_flag(struct result_rep *reps, size_t count, struct warnings *warnings)
{
    double *ticks = memory_zeroed(count + 1, sizeof *ticks);
    bool *far = memory_zeroed(count + 1, sizeof *far);
    bool known = true;
    for (size_t i = 0; i < count; i++) {
        ticks[i] = reps[i].ticks / reps[i].iterations;
        known = known && isfinite(ticks[i]);
    }
    size_t found = known ? stats_outliers(ticks, count, FLOOR, far) : 0;
    for (size_t i = 0; found > 0 && i < count; i++)
        reps[i].outlier = reps[i].outlier || far[i];
    if (found > 0)
        tell(ticks, count, found, warnings);
    free(ticks);
    free(far);
}
