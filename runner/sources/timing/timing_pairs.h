/* The time of turns between many pairs of processors: pairs without a common processor are timed at the same
 * time, as in a tournament in which each meets each, so that n processors need n - 1 rounds (n if n is odd).
 * Who times a pair is the caller's matter. */
#ifndef RUNNER_SOURCES_TIMING_TIMING_PAIRS_H
#define RUNNER_SOURCES_TIMING_TIMING_PAIRS_H

#include "runner/sources/timing/timing_shared.h"

#include <stdint.h>

struct core_pair {
    int cpus[2];
};

/* What times pairs, and by which clock the duration is estimated. */
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
    size_t *order;           /* of pairs: those of a round stand together, rounds in random order */
    size_t *begins;          /* rounds + 1 of them: where in that order a round begins */
    size_t count, rounds;
    size_t again;        /* pairs that the first pass left in doubt, which more passes timed */
    size_t alone, apart; /* pairs of a sample that were also timed alone; those that differed by a tenth */
    double estimated_s;  /* of timed_pairs_measure */
};

/* Arranges the rounds, and times one of them and one pair alone, for nothing but the estimate. The pairs and
 * the timer outlive it. Close with timed_pairs_close. */
void timed_pairs_open(const struct core_pair *pairs, size_t count, uint64_t seed,
                      const struct pair_timer *timer, struct timed_pairs *timed);

/* Times all pairs. Those whose rounds do not agree are timed again, twice at most. A pair whose two halves
 * agree each with itself and not with one another, every time, is withheld; one that others always disturbed
 * is in doubt. So is one that takes another time alone; if many of the sample do, all are that had company.
 */
void timed_pairs_measure(struct timed_pairs *timed);

void timed_pairs_close(struct timed_pairs *timed);

#endif
