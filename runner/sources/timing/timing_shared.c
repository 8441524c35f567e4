#include "runner/sources/timing/timing_shared.h"

#include "base/stats.h"
#include "runner/launch/moment.h"
#include "runner/launch/process_group.h"

#include <math.h>

/* A run is long enough that its copies' beginnings, some microseconds apart, do not count, and short enough
 * that many end between two slices of the scheduler. */
static const double LEAST_S = 0.001;
static const double TIMEOUT_S = 60;
enum { ROUNDS = 9, FIRST_PASSES = 10, GROWTH = 4 };
static const uint64_t MOST_PASSES = UINT64_C(1) << 40;

static enum status run(const struct test_program *test_program, uint64_t passes, double *ticks,
                       struct error *error)
{
    uint64_t taken = 0;
    enum status status = process_group_run_program(test_program, passes, TIMEOUT_S, &taken, error);
    *ticks = (double)taken / (double)passes;
    return status;
}

enum status timing_shared_observe(const struct test_program *test_program, struct observations *list,
                                  struct error *error)
{
    double rounds[ROUNDS] = {0};
    uint64_t passes = FIRST_PASSES;
    struct moment begin = moment_now();
    enum status status = run(test_program, passes, &rounds[0], error);
    struct moment now = moment_now();
    while (status == STATUS_OK && passes < MOST_PASSES &&
           rounds[0] * (double)passes < LEAST_S * moment_ticks_per_s(&begin, &now)) {
        passes *= GROWTH;
        status = run(test_program, passes, &rounds[0], error);
        now = moment_now();
    }
    for (size_t i = 0; status == STATUS_OK && i < ROUNDS; i++)
        status = run(test_program, passes, &rounds[i], error);
    now = moment_now();
    double ns = 1e9 / moment_ticks_per_s(&begin, &now);
    if (status != STATUS_OK)
        return status;
    if (!isfinite(ns))
        return error_set(error, STATUS_UNAVAILABLE, "the frequency of the programs' clock is not known here");
    struct interval pass = stats_fastest(rounds, ROUNDS);
    observations_add(list, "pass.ns", "timing", "inferred", pass.value * ns, pass.low * ns, pass.high * ns,
                     ROUNDS);
    return STATUS_OK;
}
