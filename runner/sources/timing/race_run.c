/* Runs the programs of a race in turn. Each program is started once and runs a round on request (rounds.h).
 * Programs that cannot do this (copies that run together, and programs of earlier versions) are started anew
 * for every round. */
#include "base/clock.h"
#include "runner/launch/moment.h"
#include "runner/launch/rounds.h"
#include "runner/measure/pace.h"
#include "runner/measure/process_group.h"
#include "runner/sources/timing/plain_chase.h"
#include "runner/sources/timing/reference.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const double TIMEOUT_S = 60;
enum {
    FIRST_PASSES = 200,
    LEAST_ROUNDS = 9,
    LEAST_PASSES = 16,
    WHOLE_PASSES = 100, /* every period divides it (DESIGN.md section 3) */
    LEAST_WARMUP = 16,
    SETTLING_LOADS = 24576, /* from memory */
    GROWTH = 8,
    TEST_EVERY = 14,
    NEAR_BYTES = 1 << 20 /* a smaller walk does not reach L3, though its level is not stated */
};

/* The time for all rounds: programs with large working sets take long to go through them. */
static const double BUDGET_S = 2.5;

static const double BUDGET_APART_S = 12;

/* The total time for restarts within a race if pages matter: each start assigns other pages to a program,
 * which may be nearer to the core or farther from it in a cache that is spread over the chip. */
static const double STARTS_S = 0.4;

/* The factor of the length of rounds of programs that wait for L3 or memory, as a few of their many accesses
 * reveal less. Other rounds stay short, as long ones are disturbed more often. */
static const double SLOW_REP = 10;

/* A loop of at least this share of a round determines the passes of a round. */
static const double TELLING = 0.1;

/* ---- programs that stay loaded ---- */

/* One part of the race, started. */
struct race_lane {
    struct rounds rounds;
    uint64_t warmup; /* passes before each round */
    uint64_t period;
    bool spread;     /* its data lies in L3 or memory */
    uint64_t passes; /* of the first round */
    uint64_t step;   /* passes added for each later round */
};

static double ticks_per_s(struct moment since)
{
    struct moment now = moment_now();
    return moment_ticks_per_s(&since, &now);
}

static uint64_t up_to_period(uint64_t passes, uint64_t period)
{
    return (passes + period - 1) / period * period;
}

/* Chooses the passes before each round, which bring data into the caches after others have evicted it. Data
 * in memory only needs the lines of page tables, which return with its loads: its own lines are never in the
 * caches, as set-up swept them. */
static void choose_warmup(const struct manifest *manifest, struct race_lane *lane)
{
    const struct manifest_data *data = &manifest->data;
    uint64_t whole = (uint64_t)manifest->warmup;
    uint64_t turns = LEAST_WARMUP;
    bool memory = false;
    for (size_t i = 0; i < data->base_count; i++) {
        double own = data->bases[i].turns;
        double lines = data->bases[i].lines;
        enum memory_level level = manifest_base_level(&data->bases[i]);
        bool here = level == LEVEL_MEM;
        memory = memory || here;
        lane->spread = lane->spread || (level >= LEVEL_L3 && data->bytes > NEAR_BYTES);
        if (here && lines > 0)
            own = fmin(own, ceil(SETTLING_LOADS * own / lines));
        turns = own > (double)turns ? (uint64_t)own : turns;
    }
    turns = up_to_period(turns, lane->period);
    lane->warmup = memory ? turns : whole;
}

static enum status make_round(struct race_lane *lane, uint64_t warmup, uint64_t passes, double *ticks,
                              struct error *error)
{
    const struct round_call call = {.warmup = warmup, .passes = passes, .timeout_s = TIMEOUT_S};
    struct test_program_time time = {0};
    enum status status = rounds_make(&lane->rounds, &call, &time, error);
    *ticks = time.ticks == 0 ? 1 : (double)time.ticks;
    return status;
}

/* Starts the part's program and goes through its whole warm-up. */
static enum status start_lane(const struct test_program *test_program, struct race_lane *lane,
                              struct error *error)
{
    int cpu = test_program->place == NULL ? test_program->cpu : test_program->place->cpus[0];
    double period = test_program->manifest->period;
    double ticks;
    lane->period = period >= 1 ? (uint64_t)period : 1;
    choose_warmup(test_program->manifest, lane);
    rounds_close(&lane->rounds);
    enum status status =
        rounds_open(test_program, &(struct test_program_call){.cpu = cpu}, &lane->rounds, error);
    if (status == STATUS_OK)
        status = make_round(lane, lane->warmup, lane->period, &ticks, error);
    return status;
}

static enum status start_lanes(const struct race *race, struct race_lane *lanes, struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < race->count; i++)
        status = race_blame(race, i, start_lane(&race->parts[i], &lanes[i], error), error);
    return status;
}

/* Passes that take about rep_s, found by increasing them until the time is reliable. */
static enum status choose_lane_passes(const struct race *race, size_t part, double rep_ticks,
                                      struct race_lane *lane, struct error *error)
{
    bool random = race_expected(race, part, "branch.miss_rate") > 0;
    uint64_t passes = up_to_period(LEAST_PASSES, lane->period);
    double ticks = 0;
    enum status status = make_round(lane, lane->warmup, passes, &ticks, error);
    while (status == STATUS_OK && ticks < TELLING * rep_ticks) {
        passes = up_to_period(passes * GROWTH, lane->period);
        status = make_round(lane, lane->warmup, passes, &ticks, error);
    }
    uint64_t wanted = pace_passes(rep_ticks, ticks / (double)passes);
    uint64_t fewer = (uint64_t)(rep_ticks / ticks * (double)passes) / lane->period * lane->period;
    uint64_t least = up_to_period(LEAST_PASSES, lane->period);
    lane->passes = fewer >= WHOLE_PASSES ? wanted : fewer > least ? fewer : least;
    lane->step = random ? lane->period : 0;
    return status;
}

/* ---- other load on the processor ---- */

/* Seconds that the process has waited for a processor that others used; 0 if the kernel does not report
 * it. */
static double waited_s(pid_t pid)
{
    static const double NS = 1e-9;
    char path[64];
    unsigned long long running = 0, waiting = 0;
    snprintf(path, sizeof path, "/proc/%d/schedstat", (int)pid);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return 0;
    int found = fscanf(file, "%llu %llu", &running, &waiting);
    fclose(file);
    return found == 2 ? (double)waiting * NS : 0;
}

/* A round in which the process waited longer than this share of it is invalid. */
static const double MOST_WAITING = 0.02;

enum { TRIES = 4 };

/* Makes one round of the chases, with the number of the parts' round. */
static void follow_chases(struct race *race)
{
    double ticks[PLAIN_MOST];
    bool alone = false;
    for (unsigned i = 0; i < TRIES && !alone; i++) {
        double waited = waited_s(getpid());
        double start = clock_now_s();
        plain_chases_time(&race->chases, ticks);
        alone = waited_s(getpid()) - waited <= MOST_WAITING * (clock_now_s() - start);
    }
    race->chases_waited[race->rounds] = !alone;
    for (size_t i = 0; i < race->chases.count; i++)
        race->ticks_per_load[i][race->rounds] = ticks[i];
}

/* Makes one round of every part. The number of passes seeds the random branches: the same number would train
 * the predictor. */
static enum status turn(struct race *race, struct race_lane *lanes, struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < race->count; i++) {
        struct race_lane *lane = &lanes[i];
        uint64_t more = race->rounds * lane->step;
        uint64_t passes = lane->passes + more;
        double ticks = 0;
        bool alone = false;
        for (unsigned k = 0; status == STATUS_OK && k < TRIES && !alone; k++) {
            double waited = waited_s(lane->rounds.watch.pid);
            double start = clock_now_s();
            status = race_blame(race, i, make_round(lane, lane->warmup + more, passes, &ticks, error), error);
            alone = waited_s(lane->rounds.watch.pid) - waited <= MOST_WAITING * (clock_now_s() - start);
        }
        race->waited[i][race->rounds] = !alone;
        race->ticks_per_pass[i][race->rounds] = ticks / (double)passes;
    }
    if (status == STATUS_OK)
        follow_chases(race);
    race->rounds += status == STATUS_OK;
    return status;
}

/* Rounds between restarts of the programs, if all restarts take start_s. */
static size_t rounds_a_start(const struct race *race, const struct race_lane *lanes, double start_s,
                             size_t rounds)
{
    bool spread = false;
    for (size_t i = 0; i < race->count; i++)
        spread = spread || lanes[i].spread;
    double most = spread ? STARTS_S / start_s : 1;
    size_t starts = most < 1 ? 1 : most < (double)rounds ? (size_t)most : rounds;
    return (rounds + starts - 1) / starts;
}

static enum status run_staying(struct race *race, size_t rounds, struct race_lane *lanes, struct error *error)
{
    struct moment begin = moment_now();
    enum status status = start_lanes(race, lanes, error);
    size_t stretch = rounds_a_start(race, lanes, clock_now_s() - begin.s, rounds);
    double rep_ticks = race->rep_s * ticks_per_s(begin);
    for (size_t i = 0; status == STATUS_OK && i < race->count; i++) {
        double own_ticks = rep_ticks * (lanes[i].spread ? SLOW_REP : 1);
        status = race_blame(race, i, choose_lane_passes(race, i, own_ticks, &lanes[i], error), error);
    }
    double started = clock_now_s();
    race->rounds = 0;
    while (status == STATUS_OK && race->rounds < rounds) {
        if (race->rounds > 0 && race->rounds % stretch == 0)
            status = start_lanes(race, lanes, error);
        if (status == STATUS_OK)
            status = turn(race, lanes, error);
        if (race->rounds >= LEAST_ROUNDS && clock_now_s() - started > BUDGET_S)
            break;
        if (race->rounds % TEST_EVERY == 0 && race->enough != NULL && race->enough(race, race->context))
            break;
    }
    return status;
}

/* False if a program has several copies, which are started together. */
static bool can_stay(const struct race *race)
{
    bool alone = true;
    for (size_t i = 0; i < race->count; i++)
        alone = alone && test_program_copies(&race->parts[i]) == 1;
    return alone;
}

/* ---- programs that are restarted for every round ---- */

/* Chooses the passes of a round from a first timed run; the program's own time excludes its start. */
static enum status choose_passes(const struct race *race, size_t part, double per_s, uint64_t *passes,
                                 struct error *error)
{
    uint64_t ticks = 0;
    enum status status =
        process_group_run_program(&race->parts[part], FIRST_PASSES, TIMEOUT_S, &ticks, error);
    *passes = pace_passes(race->rep_s, (double)(ticks == 0 ? 1 : ticks) / FIRST_PASSES / per_s);
    return status;
}

/* Rounds that fit the budget if one takes round_s. */
static size_t affordable(size_t rounds, double round_s)
{
    double most = round_s > 0 ? BUDGET_APART_S / round_s : (double)rounds;
    if (most >= (double)rounds)
        return rounds;
    return most < LEAST_ROUNDS ? LEAST_ROUNDS : (size_t)most;
}

static enum status run_apart(struct race *race, size_t rounds, struct error *error)
{
    uint64_t passes[REFERENCE_PARTS] = {0};
    struct pace pace;
    enum status status = race_blame(race, 0, pace_measure(&race->parts[0], TIMEOUT_S, &pace, error), error);
    double started = clock_now_s();
    for (size_t i = 0; status == STATUS_OK && i < race->count; i++)
        status = race_blame(race, i, choose_passes(race, i, pace.ticks_per_s, &passes[i], error), error);
    rounds = affordable(rounds, clock_now_s() - started);
    race->rounds = 0;
    while (status == STATUS_OK && race->rounds < rounds) {
        for (size_t i = 0; status == STATUS_OK && i < race->count; i++) {
            uint64_t ticks = 0;
            status = race_blame(
                race, i, process_group_run_program(&race->parts[i], passes[i], TIMEOUT_S, &ticks, error),
                error);
            race->ticks_per_pass[i][race->rounds] = (double)ticks / (double)passes[i];
        }
        if (status == STATUS_OK)
            follow_chases(race);
        race->rounds++;
    }
    return status;
}

enum status race_run(struct race *race, size_t rounds, struct error *error)
{
    struct race_lane lanes[REFERENCE_PARTS] = {0};
    enum status status = STATUS_UNAVAILABLE;
    struct moment begin = moment_now();
    if (can_stay(race))
        status = run_staying(race, rounds, lanes, error);
    for (size_t i = 0; i < REFERENCE_PARTS; i++)
        rounds_close(&lanes[i].rounds);
    if (status == STATUS_UNAVAILABLE)
        status = run_apart(race, rounds, error);
    race->ticks_per_s = ticks_per_s(begin);
    return status;
}
