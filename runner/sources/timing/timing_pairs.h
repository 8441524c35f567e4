/* Times turns between many pairs of processors. Pairs without a common processor are timed at the same time,
 * as in a tournament in which everyone meets everyone: n processors need n - 1 rounds, or n if n is odd. The
 * caller provides the function that times a pair. */
#ifndef RUNNER_SOURCES_TIMING_TIMING_PAIRS_H
#define RUNNER_SOURCES_TIMING_TIMING_PAIRS_H

#include "runner/sources/timing/timing_shared.h"

#include <stdint.h>

struct core_pair {
    int cpus[2];
};

/* Functions that time pairs, and the clock for estimating the duration. */
struct pair_timer {
    void (*time)(void *context, const struct core_pair *pairs, size_t count, struct turn_rounds *found);
    double (*now_s)(void *context);
    void (*progress)(void *context, size_t done, size_t all); /* pairs of the first pass */
    void *context;
};

struct timed_pairs {
    const struct pair_timer *timer;
    uint64_t seed;
    const struct core_pair *pairs;
    struct turn_time *times; /* of each pair */
    size_t *order;           /* pairs by rounds, the rounds in random order */
    size_t *begins;          /* [rounds + 1]: where in that order each round begins */
    size_t count, rounds;
    size_t again;        /* pairs in doubt after the first pass, which more passes timed */
    size_t alone, apart; /* pairs of a sample that were also timed alone; those that differed by a tenth */
    double estimated_s;  /* of timed_pairs_measure */
};

/* Arranges the rounds, and times one round and one pair alone for the estimate only. The pairs and the timer
 * must outlive *timed. Close with timed_pairs_close. */
void timed_pairs_open(const struct core_pair *pairs, size_t count, uint64_t seed,
                      const struct pair_timer *timer, struct timed_pairs *timed);

/* Times all pairs. Pairs whose rounds do not agree are timed again, at most twice. A pair is withheld if each
 * half of its rounds agrees with itself but the halves contradict each other, every time. A pair that was
 * always disturbed is in doubt, and so is one whose time alone differs. If many of the sample differ, all
 * pairs that were timed beside others are in doubt. */
void timed_pairs_measure(struct timed_pairs *timed);

void timed_pairs_close(struct timed_pairs *timed);

#endif
