/* Events on trial: seeded lies are found with the right verdict and quantity, and honest events are not
 * accused. */
#include "base/memory.h"
#include "base/random.h"
#include "model/trial/trial.h"
#include "tests/trials.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    INSTRUCTIONS,
    LOADS,
    STORES,
    BRANCHES,
    TAKEN,
    MISSED,
    L1D_LOAD_MISSES,
    L1D_STORE_MISSES,
    L1D_MISSES,
    L1I_MISSES,
    L2_ACCESSES,
    L2_MISSES,
    L3_MISSES,
    DTLB_MISSES,
    FP_8,
    FP_32,
    DIVISIONS,
    ATOMICS,
    PREFETCHES,
    QUANTITIES
};
static const char *const names[QUANTITIES] = {
    "instructions",    "loads",           "stores",           "branches",    "branches.taken",
    "branches.missed", "l1d.load_misses", "l1d.store_misses", "l1d.misses",  "l1i.misses",
    "l2.accesses",     "l2.misses",       "l3.misses",        "dtlb.misses", "fp.8",
    "fp.32",           "divisions",       "atomics",          "prefetches"};

enum { EVENTS = TRIALS_MACHINES(200), LEAST_FOUND = EVENTS - EVENTS / 100 };
enum { PROGRAMS = 60, REPEATS_MOST = 5, PASSES = 2, RUNS = PROGRAMS * REPEATS_MOST * PASSES };
static const unsigned repeats[] = {5, 3, 2, 1}; /* by seed */

static double uniform(struct random *random)
{
    return (random_below(random, 1u << 30) + 0.5) / (1u << 30);
}

static double normal(struct random *random)
{
    double radius = sqrt(-2 * log(uniform(random)));
    return radius * cos(6.283185307179586 * uniform(random));
}

static double whole(struct random *random, unsigned most)
{
    return random_below(random, most + 1);
}

/* A program of one behaviour, or of two, with a loop around them. */
static void fill_program(struct random *random, size_t number, double *known)
{
    for (size_t i = 0; i < QUANTITIES; i++)
        known[i] = 0;
    double base = 50 + whole(random, 100);
    for (unsigned part = 0; part < 1 + number % 2; part++) {
        double n = 100 + whole(random, 900), share = (1 + whole(random, 9)) / 10;
        switch ((number + part * 7) % 12) {
        case 0:
            known[LOADS] += n;
            break;
        case 1:
            known[STORES] += n;
            break;
        case 2:
            known[LOADS] += n;
            known[L1D_LOAD_MISSES] += n * share;
            break;
        case 3:
            known[STORES] += n;
            known[L1D_STORE_MISSES] += n * share;
            break;
        case 4:
            known[LOADS] += n;
            known[L1D_LOAD_MISSES] += n;
            known[L2_MISSES] += n * share;
            known[DTLB_MISSES] += n * share / 2;
            break;
        case 5:
            known[LOADS] += n;
            known[L1D_LOAD_MISSES] += n;
            known[L2_MISSES] += n;
            known[L3_MISSES] += n * share;
            break;
        case 6:
            known[BRANCHES] += n;
            known[TAKEN] += n * share;
            known[MISSED] += n * share / 4;
            break;
        case 7:
            known[L1I_MISSES] += n;
            known[BRANCHES] += n;
            known[TAKEN] += n;
            base += 4 * n;
            break;
        case 8:
            known[FP_8] += n;
            base += n;
            break;
        case 9:
            known[FP_32] += n;
            known[DIVISIONS] += n * share;
            base += n;
            break;
        case 10:
            known[ATOMICS] += n;
            known[LOADS] += n;
            known[STORES] += n;
            break;
        default:
            known[LOADS] += n;
            known[L1D_LOAD_MISSES] += n / 8;
            known[PREFETCHES] += n / 8;
            known[DTLB_MISSES] += n / 64;
            break;
        }
    }
    known[BRANCHES] += 1;
    known[TAKEN] += 1;
    known[L1D_MISSES] = known[L1D_LOAD_MISSES] + known[L1D_STORE_MISSES];
    known[L2_ACCESSES] = known[L1D_MISSES] + known[L1I_MISSES];
    known[INSTRUCTIONS] = base + known[LOADS] + known[STORES] + known[BRANCHES];
}

static void fill_suite(struct random *random, double *known)
{
    for (size_t i = 0; i < PROGRAMS; i++)
        fill_program(random, i, known + i * QUANTITIES);
    for (size_t i = 0; i < PROGRAMS; i++)
        if (i % 9 == 4) /* a plan does not know all */
            known[i * QUANTITIES + DTLB_MISSES] = NAN;
}

/* What an event counts. */
struct lie {
    enum trial_verdict verdict;
    double per[QUANTITIES];
    double noise;  /* a share of the count */
    double start;  /* of every run */
    double beside; /* what interrupts add at most to a run */
    double passes; /* of the shorter run */
    unsigned bits; /* 0: the counter does not end */
    bool dead;
    unsigned repeats;
    bool ended; /* the counter did */
};

static void count(struct random *random, struct lie *lie, const double *known, struct trial_run *runs)
{
    for (size_t i = 0; i < PROGRAMS * PASSES * lie->repeats; i++) {
        size_t program = i / (lie->repeats * PASSES);
        double sum = 0, passes = lie->passes * (i % PASSES == 0 ? 1 : 5);
        for (size_t q = 0; q < QUANTITIES; q++) {
            double one = known[program * QUANTITIES + q];
            sum += lie->dead || lie->per[q] == 0 ? 0 : lie->per[q] * (isnan(one) ? 7 : one);
        }
        double all = floor((sum * passes + lie->start) * fmax(0, 1 + lie->noise * normal(random)) +
                           lie->beside * uniform(random) + 0.5);
        lie->ended = lie->ended || (lie->bits > 0 && all >= ldexp(1, (int)lie->bits));
        if (lie->bits > 0)
            all = fmod(all, ldexp(1, (int)lie->bits));
        runs[i] = (struct trial_run){program, passes, all};
    }
}

static void tell(const char *kind, unsigned seed, const struct lie *lie, int claim,
                 const struct trial_result *result)
{
    print_message("%s, seed %u: claimed %s, counts", kind, seed, names[claim]);
    for (size_t q = 0; q < QUANTITIES; q++)
        if (lie->per[q] != 0)
            print_message(" %g %s", lie->per[q], names[q]);
    print_message(", noise %g, %u runs, start %g, passes %g, bits %u; found %s:", lie->noise, lie->repeats,
                  lie->start, lie->passes, lie->bits, trial_verdict_names[result->verdict]);
    for (size_t i = 0; i < result->meaning.count; i++)
        print_message(" %g [%g, %g] %s", result->meaning.terms[i].per, result->meaning.terms[i].low,
                      result->meaning.terms[i].high, names[result->meaning.terms[i].quantity]);
    print_message(" (noise %g, error %g, per pass %g)\n", result->noise, result->error, result->per_pass);
}

/* The verdict and the quantities are right, and the factors within 5 %. */
static bool is_found(const struct lie *lie, const struct trial_result *result)
{
    size_t terms = 0;
    bool right = result->verdict == lie->verdict && result->wraps == (lie->ended ? lie->bits : 0);
    for (size_t q = 0; q < QUANTITIES; q++)
        terms += lie->per[q] != 0 && !lie->dead;
    right = right && result->meaning.count == terms;
    for (size_t i = 0; right && i < terms; i++) {
        double true_per = lie->per[result->meaning.terms[i].quantity];
        right = fabs(result->meaning.terms[i].per - true_per) <= (lie->noise > 0.05 ? 0.25 : 0.05) * true_per;
    }
    return right;
}

static struct lie make_lie(struct random *random, unsigned seed, int *claim)
{
    static const int claims[] = {INSTRUCTIONS, LOADS,       STORES,    BRANCHES,  TAKEN,      MISSED,
                                 L1D_MISSES,   L2_ACCESSES, L2_MISSES, L3_MISSES, L1I_MISSES, DTLB_MISSES,
                                 FP_8,         FP_32,       DIVISIONS, ATOMICS};
    static const int levels[] = {L1D_MISSES, L2_ACCESSES, L2_MISSES, L3_MISSES};
    static const double factors[] = {0.5, 2, 3, 4, 0.25, 1.5, 8, 1.1};
    static const double noises[] = {0, 0.01, 0.1};
    struct lie lie = {.verdict = TRIAL_SCALED, .passes = 2000, .noise = noises[seed / 8 % 3]};
    *claim = claims[random_below(random, sizeof claims / sizeof claims[0])];
    lie.start = seed % 3 == 0 ? 0 : whole(random, 100000);
    switch (seed % 8) {
    case 0:
        lie.per[*claim] = factors[random_below(random, 8)];
        break;
    case 1: {
        unsigned from = random_below(random, 4), to = (from + 1 + random_below(random, 3)) % 4;
        *claim = levels[from];
        lie.per[levels[to]] = 1;
        lie.verdict = TRIAL_OTHER;
        break;
    }
    case 2:
        *claim = random_below(random, 2) ? LOADS : STORES;
        lie.per[LOADS] = lie.per[STORES] = 1;
        lie.verdict = TRIAL_MIXTURE;
        break;
    case 3:
        *claim = L1D_MISSES;
        lie.per[L1D_MISSES] = lie.per[PREFETCHES] = 1;
        lie.verdict = TRIAL_MIXTURE;
        break;
    case 4:
        *claim = MISSED;
        lie.per[MISSED] = 0.5;
        break;
    case 5:
        lie.per[*claim] = 1;
        lie.verdict = TRIAL_EXACT;
        lie.bits = seed % 16 < 8 ? 32 : 48;
        lie.passes = seed % 16 < 8 ? 5e6 : 3e11;
        lie.noise = fmin(lie.noise, 0.01);
        break;
    case 6:
        lie.per[*claim] = 1;
        lie.dead = true;
        lie.verdict = TRIAL_DEAD;
        break;
    default:
        lie.per[*claim] = 1;
        lie.start = (1 + whole(random, 1000000) / 1e6) * (lie.noise > 0.05 ? 1e5 : 1e6);
        lie.verdict = TRIAL_EXACT;
        break;
    }
    return lie;
}

static unsigned try_all(bool lies, unsigned most)
{
    static double known[PROGRAMS * QUANTITIES];
    static struct trial_run runs[RUNS];
    unsigned found = 0;
    for (unsigned seed = 0; seed < most; seed++) {
        struct random random = random_start(seed, lies ? "lies" : "honest");
        int claim = 0;
        fill_suite(&random, known);
        struct lie lie = make_lie(&random, seed, &claim);
        if (!lies) {
            memset(lie.per, 0, sizeof lie.per);
            lie =
                (struct lie){.verdict = TRIAL_EXACT, .noise = lie.noise, .start = lie.start, .passes = 2000};
            lie.per[claim] = 1;
        }
        lie.repeats = repeats[(seed / 3) % 4];
        lie.beside = seed % 2 == 0 || lie.dead ? 0 : 300;
        count(&random, &lie, known, runs);
        const struct trial_suite suite = {PROGRAMS, QUANTITIES, names, known, NULL};
        struct trial_result result;
        trial_judge(&suite, runs, PROGRAMS * PASSES * lie.repeats, claim, &result);
        bool right = is_found(&lie, &result);
        found += right;
        if (!right)
            tell(lies ? "lie" : "honest", seed, &lie, claim, &result);
    }
    return found;
}

static void test_lies_are_found(void **state)
{
    (void)state;
    unsigned found = try_all(true, EVENTS);
    print_message("%u of %d lies found\n", found, EVENTS);
    assert_true(found >= LEAST_FOUND);
}

static void test_honest_events_are_not_accused(void **state)
{
    (void)state;
    unsigned found = try_all(false, EVENTS);
    print_message("%u of %d honest events acquitted\n", found, EVENTS);
    assert_true(found >= LEAST_FOUND);
}

/* Turns of a counter would explain any counts. */
static void test_counts_at_random_are_noisy(void **state)
{
    (void)state;
    static double known[PROGRAMS * QUANTITIES];
    static struct trial_run runs[RUNS];
    for (unsigned seed = 0; seed < TRIALS_MACHINES(20); seed++) {
        struct random random = random_start(seed, "counts");
        fill_suite(&random, known);
        for (size_t i = 0; i < PROGRAMS * PASSES; i++)
            runs[i] = (struct trial_run){i / PASSES, i % PASSES == 0 ? 2000 : 10000,
                                         floor(ldexp(uniform(&random), 32))};
        const struct trial_suite suite = {PROGRAMS, QUANTITIES, names, known, NULL};
        struct trial_result result;
        trial_judge(&suite, runs, PROGRAMS * PASSES, L1D_MISSES, &result);
        assert_int_equal(result.verdict, TRIAL_NOISY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lies_are_found),
        cmocka_unit_test(test_honest_events_are_not_accused),
        cmocka_unit_test(test_counts_at_random_are_noisy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
