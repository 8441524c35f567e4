#include "runner/measure/pace.h"

#include "base/clock.h"
#include "runner/launch/moment.h"
#include "runner/measure/process_group.h"

#include <math.h>
#include <stdbool.h>
#include <sys/resource.h>

enum { FIRST_PASSES = 200, GROWTH = 4, STARTS = 4 };
static const uint64_t MOST_TRIED = UINT64_C(1) << 40;
static const double MOST_PASSES = 1e18;

/* A run that was delayed at its start, or is mostly start-up, shows too few ticks per second, and its time
 * per pass is wrong by the same factor. Runs that consist mostly of the loop agree within this factor. */
static const double SETTLED = 1.5;
static const double LEAST_S = 0.01; /* several scheduler slices */

static enum status timed_run(const struct test_program *test_program, uint64_t passes, double timeout_s,
                             uint64_t *ticks, double *wall_s, struct error *error)
{
    double begin = clock_now_s();
    enum status status = process_group_run_program(test_program, passes, timeout_s, ticks, error);
    *wall_s = clock_now_s() - begin;
    return status;
}

double pace_children_s(void)
{
    struct rusage used;
    if (getrusage(RUSAGE_CHILDREN, &used) != 0)
        return NAN;
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

/* A processor's programs count ticks of a clock that this process can read too. So the time of a loop is
 * known however long a busy machine takes to start the program. Where copies put lines into a state between
 * the timed accesses, the ticks exclude that time; the wall-clock time less that of a start includes it. */
static enum status by_own_clock(const struct test_program *test_program, double timeout_s, struct pace *pace,
                                struct error *error)
{
    uint64_t ticks = 0;
    bool prepares = test_program->manifest->shared.coherence != NULL;
    double wall_s, start_s;
    struct moment begin = moment_now();
    double used_s = pace_children_s();
    enum status status = timed_run(test_program, 0, timeout_s, &ticks, &start_s, error);
    pace->start_cpu_s = pace_children_s() - used_s;
    for (uint64_t passes = FIRST_PASSES; status == STATUS_OK && passes < MOST_TRIED; passes *= GROWTH) {
        used_s = pace_children_s();
        status = timed_run(test_program, passes, timeout_s, &ticks, &wall_s, error);
        struct moment now = moment_now();
        pace->ticks_per_s = moment_ticks_per_s(&begin, &now);
        double loop_s = (double)ticks / pace->ticks_per_s;
        /* The first start may have to get memory that the later ones have. */
        pace->start_cpu_s = fmin(pace->start_cpu_s, fmax(0, pace_children_s() - used_s - loop_s));
        if (prepares)
            loop_s = fmax(loop_s, wall_s - start_s);
        pace->pass_s = loop_s / (double)passes;
        if (loop_s > (prepares ? fmax(LEAST_S, start_s) : LEAST_S))
            break;
    }
    return status;
}

/* The ticks of the loop pass within the wall-clock time, so no run shows more ticks per second than the true
 * rate; the longer the loop, the closer it comes. */
static enum status by_wall_clock(const struct test_program *test_program, double timeout_s, struct pace *pace,
                                 struct error *error)
{
    uint64_t ticks = 0;
    double start_s;
    double wall_s = 0;
    enum status status = timed_run(test_program, 0, timeout_s, &ticks, &start_s, error);
    for (uint64_t passes = FIRST_PASSES; status == STATUS_OK && passes < MOST_TRIED; passes *= GROWTH) {
        status = timed_run(test_program, passes, timeout_s, &ticks, &wall_s, error);
        start_s = fmin(start_s, wall_s); /* the first start may wait for memory that the later ones have */
        double ticks_per_s = (double)ticks / wall_s;
        bool settled = ticks_per_s > pace->ticks_per_s / SETTLED && ticks_per_s < pace->ticks_per_s * SETTLED;
        if (ticks_per_s > pace->ticks_per_s)
            pace->ticks_per_s = ticks_per_s;
        double loop_s = ticks > 0 ? (double)ticks / pace->ticks_per_s : wall_s;
        pace->pass_s = loop_s / (double)passes;
        if (settled && wall_s > STARTS * start_s && wall_s > LEAST_S)
            break;
    }
    return status;
}

enum status pace_measure(const struct test_program *test_program, double timeout_s, struct pace *pace,
                         struct error *error)
{
    bool own_clock = !test_program_is_on_device(test_program) && moment_now().ticks != 0;
    *pace = (struct pace){0};
    return own_clock ? by_own_clock(test_program, timeout_s, pace, error)
                     : by_wall_clock(test_program, timeout_s, pace, error);
}

double pace_run_passes(unsigned run)
{
    return run == 0 ? 0 : FIRST_PASSES * pow(GROWTH, run - 1.0);
}

unsigned pace_runs(double pass_s)
{
    unsigned runs = 2;
    while (pace_run_passes(runs - 1) * pass_s <= LEAST_S && pace_run_passes(runs) < (double)MOST_TRIED)
        runs++;
    return runs;
}

uint64_t pace_passes(double seconds, double pass_s)
{
    double wanted = seconds / pass_s;
    if (!(wanted < MOST_PASSES)) /* also if it is not a number */
        return (uint64_t)MOST_PASSES;
    return wanted < 100 ? 100 : (uint64_t)(wanted / 100) * 100;
}
