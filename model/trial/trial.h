/* Puts a performance event on trial: programs whose counts per pass are known ran, and the smallest sum of
 * known quantities that explains the event's counts within their error is what it counts (DESIGN.md section
 * 15). Pure: nothing here reads files or counts. */
#ifndef MODEL_TRIAL_TRIAL_H
#define MODEL_TRIAL_TRIAL_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stddef.h>

enum { TRIAL_TERMS = 4, TRIAL_ALIKE = 6, TRIAL_NONE = -1 };

/* What a quantity is besides its number. */
struct trial_traits {
    bool sum;     /* of others, by definition */
    bool unnamed; /* a sum that is found only if it is claimed, else as its parts */
    int followed; /* the quantity of accesses that a prefetcher may spare this one, which is unknown there;
                     TRIAL_NONE */
};

/* What is known of the programs. */
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
    TRIAL_EXACT,       /* what is claimed, once each; without a claim: a quantity, once each */
    TRIAL_SCALED,      /* the same, times a factor */
    TRIAL_OTHER,       /* another quantity than the claimed one */
    TRIAL_MIXTURE,     /* several quantities, with factors */
    TRIAL_NOISY,       /* no sum explains it */
    TRIAL_DEAD,        /* it does not move where the programs' quantities do */
    TRIAL_UNAVAILABLE, /* not counted, or by too few programs */
    TRIAL_VERDICTS
};

extern const char *const trial_verdict_names[TRIAL_VERDICTS];

/* So much of the event for each one of the quantity; low and high: 95 %. */
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
    double per_pass; /* counted in every pass of every program, besides the meaning; 0: nothing */
    double error;    /* what the meaning leaves, as a share of the counts; NAN: it has none */
    double noise;    /* of a run, as a share of its count */
    size_t programs; /* that the meaning was held against */
    unsigned wraps;  /* the counter's bits, if counts passed its end; 0: none did */
    const char *why; /* of TRIAL_UNAVAILABLE: the reason; NULL: it has none */
};

/* An event and its verdict; texts are its maker's. */
struct trial_event {
    const char *name;
    const char *code;  /* of one event; NULL: it is a sum of several, or unknown */
    const char *claim; /* a quantity; NULL: nothing is claimed */
    const char *why;   /* why it is unavailable; NULL: it is not */
    struct trial_result result;
};

/* All events that were tried on a suite. */
struct trial_set {
    struct trial_suite suite;
    const char **programs; /* names */
    const char *machine;   /* that the suite is for */
    double condition;      /* trial_condition */
    size_t moved;
    struct trial_event *items;
    size_t count;
};

/* claim: the quantity that the event is believed to count; TRIAL_NONE: nothing is claimed. Runs of several
 * numbers of passes of one program show what each pass adds; what cold misses and start code add is the
 * difference of both. */
void trial_judge(const struct trial_suite *suite, const struct trial_run *runs, size_t run_count, int claim,
                 struct trial_result *result);

/* True if the verdict speaks against what is claimed. */
bool trial_contradicts(enum trial_verdict verdict);

/* The condition number of the quantities that the programs move, each scaled to length 1: a quantity that is
 * a sum of others makes it infinite. *moved: how many these are. */
double trial_condition(const struct trial_suite *suite, size_t *moved);

/* True if the two quantities move together in all programs, so that no event of one is told from the other.
 */
bool trial_same(const struct trial_suite *suite, size_t a, size_t b);

/* Appends the meaning in words, "0.5 branches.missed + 1 loads". */
void trial_say(const struct trial_suite *suite, const struct trial_meaning *meaning, struct buffer *text);

/* True if a claim of the set is contradicted. */
bool trial_set_contradicts(const struct trial_set *set);

#endif
