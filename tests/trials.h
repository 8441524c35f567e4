/* How many simulated machines, mutants, processors or random cases judge what a test of plans, of models or
 * of the runner holds. */
#ifndef TESTS_TRIALS_H
#define TESTS_TRIALS_H

/* Statistics of many simulated machines are judged by tests without sanitizers (tests/trials.cmake builds
 * them). Sanitizers take several times as long and find what they find with a few machines, which
 * judge nothing. */
#if defined(__SANITIZE_ADDRESS__)
enum { TRIALS_JUDGED = 0 };
#define TRIALS_MACHINES(all) ((all) / 100 + 2)
#else
enum { TRIALS_JUDGED = 1 };
#define TRIALS_MACHINES(all) (all)
#endif

#endif
