/* What timing compares a kernel with, measured in turn with it: plain chases whose level is sure
 * (plain_chase.h), the kernel's own loop where nothing misses, or where branches are random, and a chain of
 * one-cycle operations that tells the core's clock where no counter does. */
#ifndef RUNNER_SOURCES_REFERENCE_H
#define RUNNER_SOURCES_REFERENCE_H

#include "base/error.h"
#include "base/stats.h"
#include "generator/suite/program.h"
#include "runner/launch/test_program.h"
#include "runner/sources/plain_chase.h"

#include <stdbool.h>

enum { REFERENCE_PARTS = 4, REFERENCE_ROUNDS = 41 };

/* The parts of a race of the source "timing", in the order in which they are added; the ends only where rates
 * are inferred. The low end is the kernel's own loop without misses, the high one that with random branches
 * alone. */
enum timing_part { TIMING_TEST_PROGRAM, TIMING_CLOCK, TIMING_LOW_END, TIMING_HIGH_END };

/* Programs that are run in turn, round after round, so that noise hits all alike. */
struct race {
    struct test_program parts[REFERENCE_PARTS];
    struct program programs[REFERENCE_PARTS]; /* those made here; a part from elsewhere has none */
    size_t count;
    double rep_s;                                                 /* length of one run */
    bool brief;                                                   /* few rounds, of one start */
    bool (*enough)(const struct race *race, const void *context); /* asked on the way; NULL: never is it */
    const void *context;
    double ticks_per_pass[REFERENCE_PARTS][REFERENCE_ROUNDS];
    struct plain_chases chases; /* followed once a round; all zeros: none are */
    double ticks_per_load[PLAIN_MOST][REFERENCE_ROUNDS];
    size_t rounds;
    size_t disturbed; /* of all rounds of all parts, those during which others had the processor each time */
};

/* Adds the test program itself. */
void race_add(struct race *race, const struct test_program *test_program);

/* One end of what the test program's loop can do. */
struct race_end {
    enum memory_level level; /* that serves every load */
    double random;           /* share of the branches that is random */
};

/* Adds the test program's loop at one end. STATUS_UNAVAILABLE when there is no such program on this machine.
 */
enum status race_add_end(struct race *race, const struct test_program *test_program,
                         const struct code_generator *code_generator, struct race_end end,
                         struct error *error);

/* Adds the test program's loop without its idle instructions: each throttle{} at duty 1. Same errors. */
enum status race_add_unthrottled(struct race *race, const struct test_program *test_program,
                                 const struct code_generator *code_generator, struct error *error);

/* Adds a chain of dependent one-cycle operations: its ticks are the core's cycles. */
enum status race_add_clock(struct race *race, const struct test_program *test_program,
                           const struct code_generator *code_generator, struct error *error);

/* The status, or what it is for the test program: a program made here that fails says nothing of it. */
enum status race_blame(const struct race *race, size_t part, enum status status, struct error *error);

/* Runs all parts `rounds` times in turn (at most REFERENCE_ROUNDS; fewer where these take
 * long or `enough` says so). STATUS_FAILED when the test program fails, STATUS_UNAVAILABLE when a program
 * made here does. */
enum status race_run(struct race *race, size_t rounds, struct error *error);

/* Ticks of the part's pass, or of a load of the ring, in the quiet ones of the chosen rounds: what else runs
 * on the machine only ever adds time. */
double race_quiet_pass(const struct race *race, size_t part, const size_t *chosen, size_t count);
double race_quiet_load(const struct race *race, size_t ring, const size_t *chosen, size_t count);

/* What the part's own plan expects of the metric. */
double race_expected(const struct race *race, size_t part, const char *metric);

/* Instructions of a pass of the part. */
double race_instructions(const struct race *race, size_t part);

void race_free(struct race *race);

#endif
