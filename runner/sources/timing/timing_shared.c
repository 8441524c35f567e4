#include "runner/sources/timing/timing_shared.h"

#include "base/clock.h"
#include "base/memory.h"
#include "runner/launch/moment.h"
#include "runner/launch/rounds.h"
#include "runner/measure/process_group.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- the time of turns ---- */

static const double QUARTILE = 0.25;
static const double FASTEST = 0.05;
const double TURNS_AGREE = 1.1;
const char TURNS_DISTURBED[] = "other programs disturbed the turns at every start: its rounds do not agree";

static double quartile_of(const size_t *chosen, size_t count, const void *context)
{
    const double *rounds = context;
    double *values = memory_resized(NULL, count, sizeof *values);
    for (size_t i = 0; i < count; i++)
        values[i] = rounds[chosen[i]];
    double quartile = stats_quantile(values, count, QUARTILE);
    free(values);
    return quartile;
}

bool short_turns_agree(const double *rounds, size_t count, double *quartile)
{
    *quartile = stats_quantile(rounds, count, QUARTILE);
    return *quartile <= TURNS_AGREE * stats_quantile(rounds, count, FASTEST);
}

struct interval short_turns_value(const double *rounds, size_t count, bool *agree)
{
    double quartile;
    struct interval interval = stats_bootstrap_rounds(count, quartile_of, rounds);
    *agree = short_turns_agree(rounds, count, &quartile);
    if (!*agree)
        interval.low = interval.high = NAN;
    return interval;
}

static const double TIMEOUT_S = 60;
static const char PASS_NS[] = "pass.ns";

/* ---- copies that access at will ---- */

/* The shortest run: so long that the differences of its copies' starts, some microseconds, do not matter, and
 * so short that many runs end between two slices of the scheduler. */
static const double LEAST_S = 0.001;
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

static enum status time_runs(const struct test_program *test_program, struct interval *pass,
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
    *pass = stats_fastest(rounds, ROUNDS);
    return status;
}

/* ---- copies that take turns at a line ---- */

/* A round is far shorter than a slice of the scheduler, so that most are not interrupted. In the pass before
 * it, copies wait for each other too, so that they begin the round together. */
enum { TURNS = 2000, LEAST_ROUNDS = 12, STARTS = 3 };

/* Duration of a start: on a busy machine copies seldom run at the same time. */
static const double START_S = 1;

/* Copies of the test program that stay loaded. */
struct loaded_copies {
    struct rounds *copies;
    size_t count;
    int share_fd;
};

static enum status ring_open(const struct test_program *test_program, const int *cpus, size_t count,
                             struct loaded_copies *ring, struct error *error)
{
    *ring = (struct loaded_copies){.copies = memory_zeroed(count, sizeof *ring->copies)};
    enum status status = test_program_open_share(&ring->share_fd, error);
    for (; status == STATUS_OK && ring->count < count; ring->count++) {
        const struct test_program_call call = {.cpu = cpus[ring->count],
                                               .share_fd = ring->share_fd,
                                               .copy = (unsigned)ring->count,
                                               .copies = (unsigned)count};
        status = rounds_open(test_program, &call, &ring->copies[ring->count], error);
    }
    return status;
}

static void ring_close(struct loaded_copies *ring)
{
    for (size_t i = 0; i < ring->count; i++)
        rounds_close(&ring->copies[i]);
    if (ring->share_fd > 0)
        close(ring->share_fd);
    free(ring->copies);
}

static void ring_begin_round(struct loaded_copies *ring, const struct round_call *call)
{
    for (size_t i = 0; i < ring->count; i++)
        rounds_request(&ring->copies[i], call);
}

/* Waits for a round's end. All copies take the same turns: the one with the fewest ticks did not begin before
 * the others. */
static enum status ring_end_round(struct loaded_copies *ring, const struct round_call *call, double *ticks,
                                  struct error *error)
{
    uint64_t least = UINT64_MAX;
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < ring->count; i++) {
        struct test_program_time time;
        status = rounds_report(&ring->copies[i], call, &time, error);
        least = status == STATUS_OK && time.ticks < least ? time.ticks : least;
    }
    *ticks = (double)least / (double)call->passes;
    return status;
}

/* Makes a round of all rings at the same time; a ring that fails makes no more. */
static void take_round(struct loaded_copies *rings, size_t count, const struct round_call *call,
                       struct turn_rounds *found)
{
    for (size_t i = 0; i < count; i++)
        if (found[i].error.code == STATUS_OK)
            ring_begin_round(&rings[i], call);
    for (size_t i = 0; i < count; i++) {
        double ticks;
        if (found[i].error.code == STATUS_OK &&
            ring_end_round(&rings[i], call, &ticks, &found[i].error) == STATUS_OK)
            found[i].ns[found[i].count++] = ticks;
    }
}

void timing_shared_company(const struct test_program *test_program, const int *cpus, size_t copies,
                           size_t count, struct turn_rounds *found)
{
    const double pass_turns = test_program->manifest->shared.turns * (double)copies;
    const struct round_call call = {
        .warmup = 1, .passes = (uint64_t)fmax(1, TURNS / pass_turns), .timeout_s = TIMEOUT_S};
    struct loaded_copies *rings = memory_zeroed(count, sizeof *rings);
    struct moment begin = moment_now();
    process_group_allow_files(copies * count);
    for (size_t i = 0; i < count; i++) {
        found[i] = (struct turn_rounds){.count = 0};
        (void)ring_open(test_program, &cpus[i * copies], copies, &rings[i], &found[i].error);
    }
    const double end_s = clock_now_s() + START_S;
    for (size_t round = 0; round < TURN_ROUNDS && (round < LEAST_ROUNDS || clock_now_s() < end_s); round++)
        take_round(rings, count, &call, found);
    struct moment now = moment_now();
    double ns = 1e9 / moment_ticks_per_s(&begin, &now);
    for (size_t i = 0; i < count; i++) {
        ring_close(&rings[i]);
        for (size_t j = 0; j < found[i].count; j++)
            found[i].ns[j] *= ns;
    }
    free(rings);
}

/* Times turns, with new starts as long as they are disturbed. */
static enum status time_turns(const struct test_program *test_program, struct interval *pass, bool *agree,
                              struct error *error)
{
    enum status status = test_program_check_runs(test_program, error);
    *agree = false;
    for (int i = 0; status == STATUS_OK && i < STARTS && !*agree; i++) {
        struct turn_rounds rounds;
        struct interval found = {0};
        timing_shared_company(test_program, test_program->place->cpus, test_program_copies(test_program), 1,
                              &rounds);
        status = rounds.error.code;
        if (status != STATUS_OK)
            *error = rounds.error;
        else
            found = short_turns_value(rounds.ns, rounds.count, agree);
        if (i == 0 || *agree || found.value < pass->value)
            *pass = found;
    }
    return status;
}

bool timing_shared_takes_turns(const struct manifest *manifest)
{
    const struct manifest_shared *shared = &manifest->shared;
    return shared->given && shared->waits && shared->turns > 0 && shared->coherence == NULL;
}

/* Adds the time of turns that were timed beside those of other pairs. */
static enum status observe_turns(const struct turn_time *turns, struct observations *list,
                                 struct error *error)
{
    if (turns->withheld.code != STATUS_OK) {
        *error = turns->withheld;
        return error->code;
    }
    observations_add_copy(list, 0, PASS_NS, "timing", EVIDENCE_INFERRED, turns->ns);
    observations_doubt(list, turns->doubt);
    return STATUS_OK;
}

enum status timing_shared_observe(const struct test_program *test_program, struct observations *list,
                                  struct error *error)
{
    struct interval pass = {0};
    bool agree = true;
    struct moment begin = moment_now();
    enum status status = STATUS_UNAVAILABLE; /* programs of earlier versions cannot stay loaded */
    if (test_program->turns != NULL)
        return observe_turns(test_program->turns, list, error);
    if (timing_shared_takes_turns(test_program->manifest))
        status = time_turns(test_program, &pass, &agree, error);
    if (status == STATUS_UNAVAILABLE) {
        status = time_runs(test_program, &pass, error);
        struct moment now = moment_now();
        double ns = 1e9 / moment_ticks_per_s(&begin, &now);
        pass = (struct interval){pass.value * ns, pass.low * ns, pass.high * ns, pass.n};
    }
    if (status != STATUS_OK)
        return status;
    if (!isfinite(pass.value))
        return error_set(error, STATUS_UNAVAILABLE, "the frequency of the programs' clock is not known here");
    observations_add_copy(list, 0, PASS_NS, "timing", EVIDENCE_INFERRED, pass);
    if (!agree)
        observations_doubt(list, TURNS_DISTURBED);
    return STATUS_OK;
}
