/* The references of the source "timing", measured in turn with a kernel: plain chases whose level is certain
 * (plain_chase.h), the kernel's own loop without misses or with random branches alone, and a chain of
 * one-cycle operations for the core's clock, which needs no counter. */
#ifndef RUNNER_SOURCES_TIMING_REFERENCE_H
#define RUNNER_SOURCES_TIMING_REFERENCE_H

#include "base/error.h"
#include "base/stats.h"
#include "generator/suite/program.h"
#include "runner/launch/test_program.h"
#include "runner/sources/timing/plain_chase.h"

#include <stdbool.h>

enum { REFERENCE_PARTS = 5, REFERENCE_ROUNDS = 41 };

/* The parts of a race, in the order of adding; the ends only if rates are inferred. The low end is the
 * kernel's own loop without misses, the high end the one with random branches alone. */
enum timing_part { TIMING_TEST_PROGRAM, TIMING_CLOCK, TIMING_WIDTH, TIMING_LOW_END, TIMING_HIGH_END };

/* Programs that run in turn, round after round, so that noise affects all equally. */
struct race {
    struct test_program parts[REFERENCE_PARTS];
    struct program programs[REFERENCE_PARTS]; /* programs of the parts made here; others have none */
    size_t count;
    double rep_s;        /* length of one run */
    double ticks_per_s;  /* of the programs' clock; set by race_run */
    double clock_cycles; /* per pass of the clock's part; set by race_add_clock */
    bool (*enough)(const struct race *race, const void *context); /* ends a race early; NULL: never */
    const void *context;
    double ticks_per_pass[REFERENCE_PARTS][REFERENCE_ROUNDS];
    bool waited[REFERENCE_PARTS][REFERENCE_ROUNDS]; /* at every attempt, other programs used the processor */
    struct plain_chases chases;                     /* followed once per round; all zeros: none */
    double ticks_per_load[PLAIN_MOST][REFERENCE_ROUNDS];
    bool chases_waited[REFERENCE_ROUNDS];
    size_t rounds;
};

/* STATUS_UNAVAILABLE if this processor cannot run the programs. */
enum status race_usable(struct error *why_not);

/* Adds the test program itself. */
void race_add(struct race *race, const struct test_program *test_program);

/* One extreme of the test program's loop. */
struct race_end {
    enum memory_level level; /* the level that serves every load */
    double random;           /* share of random branches */
};

/* Adds the test program's loop at one end. STATUS_UNAVAILABLE when no such program is possible on this
 * machine. */
enum status race_add_end(struct race *race, const struct test_program *test_program,
                         const struct code_generator *code_generator, struct race_end end,
                         struct error *error);

/* Adds the test program's loop without its idle instructions, with each throttle{} at duty 1. Errors as
 * above. */
enum status race_add_unthrottled(struct race *race, const struct test_program *test_program,
                                 const struct code_generator *code_generator, struct error *error);

/* Adds a chain of dependent one-cycle operations, clock_cycles of them per pass, whose ticks show the core's
 * cycles. If the test program has wide vectors, the chain has such operations beside it, so that both run at
 * one frequency. */
enum status race_add_clock(struct race *race, const struct test_program *test_program,
                           const struct code_generator *code_generator, struct error *error);

/* Adds independent simple operations, clock_cycles of them per pass (struct host: independent; else
 * additions). Their number per cycle is that of the core's integer units, and smaller while another thread of
 * the core, perhaps another guest's, uses its units. */
enum status race_add_width(struct race *race, const struct test_program *test_program,
                           const struct code_generator *code_generator, struct error *error);

/* Converts a part's status to the test program's: a failure of a program made here does not count against
 * it. */
enum status race_blame(const struct race *race, size_t part, enum status status, struct error *error);

/* Runs all parts in turn for `rounds` rounds, at most REFERENCE_ROUNDS; fewer if they take long or `enough`
 * returns true. STATUS_FAILED when the test program fails, STATUS_UNAVAILABLE when a program made here
 * does. */
enum status race_run(struct race *race, size_t rounds, struct error *error);

/* The number of rounds in which the part had the processor for itself; and the least of these numbers over
 * all parts and the chases. */
size_t race_alone(const struct race *race, size_t part);
size_t race_least_alone(const struct race *race);

/* Ticks per pass of the part, or per load of the chase, in the quiet ones of the chosen rounds, as other load
 * on the machine only adds time. Rounds in which it waited count only if it waited in all of them. */
double race_quiet_pass(const struct race *race, size_t part, const size_t *chosen, size_t count);
double race_quiet_load(const struct race *race, size_t chase, const size_t *chosen, size_t count);

/* The rate that the part's own plan expects; 0: none. */
double race_expected(const struct race *race, size_t part, const char *metric);

void race_free(struct race *race);

#endif
