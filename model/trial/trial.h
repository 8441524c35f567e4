/* Puts a performance event on trial (DESIGN.md section 15). Programs with known quantities per pass ran under
 * the event. The smallest sum of quantities that explains the event's counts within their error is its
 * meaning. Nothing here reads files or counters. */
#ifndef MODEL_TRIAL_TRIAL_H
#define MODEL_TRIAL_TRIAL_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stddef.h>

enum { TRIAL_TERMS = 4, TRIAL_ALIKE = 6, TRIAL_NONE = -1 };

/* Properties of a quantity. */
struct trial_traits {
    bool sum;     /* by definition a sum of other quantities */
    bool unnamed; /* a sum that a meaning names only if it is claimed; else the meaning names its parts */
    int followed; /* of a kind of misses that a prefetcher may prevent in some programs, where this quantity
                   * is unknown: the quantity of accesses that miss without a prefetcher; TRIAL_NONE */
};

/* The programs and their known quantities. */
struct trial_suite {
    size_t programs, quantities;
    const char *const *names;          /* [quantities] */
    const double *known;               /* [programs * quantities] per pass; NAN: unknown */
    const struct trial_traits *traits; /* [quantities]; NULL: none has any */
};

/* One run of a program under the event. */
struct trial_run {
    size_t program;
    double passes, count;
};

enum trial_verdict {
    TRIAL_EXACT,       /* counts the claimed quantity (without a claim: any quantity) once each */
    TRIAL_SCALED,      /* counts that quantity with another factor than 1 */
    TRIAL_OTHER,       /* counts another quantity than the claimed one */
    TRIAL_MIXTURE,     /* counts several quantities, with factors */
    TRIAL_NOISY,       /* no sum explains the counts */
    TRIAL_DEAD,        /* does not count where the programs' quantities change */
    TRIAL_UNAVAILABLE, /* not counted, or in too few programs */
    TRIAL_VERDICTS
};

extern const char *const trial_verdict_names[TRIAL_VERDICTS];

/* Counts of the event per unit of the quantity, with the 95 % interval. */
struct trial_term {
    size_t quantity;
    double per, low, high;
};

struct trial_meaning {
    struct trial_term terms[TRIAL_TERMS];
    size_t count;
};

struct trial_result {
    enum trial_verdict verdict;
    struct trial_meaning meaning;
    struct trial_meaning alike[TRIAL_ALIKE]; /* other sums of as many quantities that explain it as well */
    size_t alike_count;
    double per_pass; /* counts in every pass of every program, besides the meaning; 0: none */
    double error;    /* the residual, as a share of the counts; NAN: there is no meaning */
    double noise;    /* standard deviation of a run, as a share of its count */
    size_t programs; /* the number of programs that the meaning was compared with */
    unsigned wraps;  /* the counter's width in bits, if it overflowed; 0: it did not */
    const char *why; /* of TRIAL_UNAVAILABLE: the reason; NULL: none */
};

/* An event and its verdict; the texts are borrowed. */
struct trial_event {
    const char *name;
    const char *code;  /* the raw event code; NULL: the event is a sum of several, or its code is unknown */
    const char *claim; /* the claimed quantity; NULL: none */
    const char *why;   /* why the event is unavailable; NULL: it is available */
    struct trial_result result;
};

/* All events that were tried on a suite. */
struct trial_set {
    struct trial_suite suite;
    const char **programs; /* names */
    const char *machine;   /* the machine for which the suite was generated */
    double condition;      /* the results of trial_condition */
    size_t moved;
    struct trial_event *items;
    size_t count;
};

/* Judges an event by its runs. claim: the quantity that the event is believed to count; TRIAL_NONE: none.
 * Runs of a program with different numbers of passes separate the counts per pass from those of cold misses
 * and start code. */
void trial_judge(const struct trial_suite *suite, const struct trial_run *runs, size_t run_count, int claim,
                 struct trial_result *result);

/* Whether the verdict contradicts the claim. */
bool trial_contradicts(enum trial_verdict verdict);

/* The condition number of the quantities that are not 0 in all programs, each scaled to length 1; *moved:
 * their number. It is infinite if a quantity is a sum of others, unless by definition (trial_traits.sum). */
double trial_condition(const struct trial_suite *suite, size_t *moved);

/* Whether the two quantities are proportional in all programs, which therefore cannot distinguish events of
 * one from events of the other. */
bool trial_same(const struct trial_suite *suite, size_t a, size_t b);

/* Appends the meaning as text, "0.5 branches.missed + 1 loads". */
void trial_print(const struct trial_suite *suite, const struct trial_meaning *meaning, struct buffer *text);

/* Whether a claim of the set is contradicted. */
bool trial_set_contradicts(const struct trial_set *set);

#endif
