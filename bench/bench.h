/* Comparisons that a user can repeat: measures two sides in alternation, reports their ratio with its
 * interval, checks it against limits, and gives advice if it is outside. A part of the benchmark is one file
 * and one row in main.c. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "base/error.h"
#include "base/json/json_text.h"
#include "base/stats.h"

#include <stdbool.h>
#include <stddef.h>

enum { BENCH_MOST_ROUNDS = 101 };

/* Shared by the whole benchmark. */
struct bench {
    bool json;                /* print one document at the end, not rows as they come */
    unsigned rounds;          /* of each comparison, at least 1 and at most BENCH_MOST_ROUNDS */
    const char *filter;       /* only comparisons whose name contains it; NULL: all */
    const char *trauma;       /* the program under test */
    const char *isa;          /* of the generated suites; NULL: this processor's */
    int cpu;                  /* logical processor that single-threaded sides run on */
    struct json_text results; /* [{"part", "name", ...}] so far */
    unsigned result_count;    /* number of results */
    unsigned failed;          /* comparisons and numbers outside their limits */
    unsigned undecided;       /* comparisons for which this machine was too noisy */
};

/* One part. A part that lacks a peer says so by bench_skip and returns STATUS_OK. */
struct bench_part {
    const char *name;
    const char *title;
    enum status (*run)(struct bench *bench, struct error *error);
};

/* Measures one side once. *rate: per second, more is better. */
typedef enum status bench_measure(void *context, double *rate, struct error *error);

struct bench_side {
    const char *name;
    bench_measure *measure;
    void *context;
};

/* The outcome of a comparison. */
enum bench_verdict {
    BENCH_HOLDS,
    BENCH_BELOW,     /* the ratio is below its limits */
    BENCH_ABOVE,     /* the ratio is above its limits */
    BENCH_UNDECIDED, /* the measurement was too noisy */
};

/* ours / theirs, of rates or, with `times`, of nanoseconds each. The advice says what the ratio means and
 * what to do. */
struct bench_pair {
    const char *part, *name;
    const char *unit; /* unit of the rates for the reader: "GB/s"; with times, the thing timed: "load" */
    struct bench_side ours, theirs;
    double least, most; /* limits of the ratio; most 0: none */
    bool times;
    const char *below, *above; /* advice; NULL: none */
};

struct bench_ratio {
    struct interval ratio;        /* of the rounds' ratios */
    struct interval ours, theirs; /* rates, or nanoseconds */
    enum bench_verdict verdict;
};

/* A single number and its limit. */
struct bench_number {
    const char *part, *name;
    double value;
    const char *unit;
    double limit;
    bool at_least;      /* the limit is a minimum, else a maximum */
    const char *advice; /* for a failure */
};

/* True if the filter selects the comparison. */
bool bench_wants(const struct bench *bench, const char *name);

/* Judges an interval of the ratio. It holds within the limits and fails outside. If the interval crosses a
 * limit, it holds if it is narrow and its median is within the limits; else it is undecided. */
enum bench_verdict bench_judge(const struct bench_pair *pair, const struct interval *ratio);

/* Measures each side once without recording it, then bench->rounds times, the sides beginning in turn. While
 * the result is undecided, repeats this, up to three times in all. Prints the row or stores it. */
enum status bench_compare(struct bench *bench, const struct bench_pair *pair, struct bench_ratio *ratio,
                          struct error *error);

void bench_value(struct bench *bench, const struct bench_number *number);

/* Reports a comparison that this machine cannot make now, with the reason. */
void bench_undecided(struct bench *bench, const char *part, const char *name, const char *sentence);

/* Reports why a part, or some of it, was left out. */
void bench_skip(struct bench *bench, const char *part, const char *sentence);

/* Prints or stores a note about the part's numbers. */
void bench_note(struct bench *bench, const char *part, const char *sentence);

enum status bench_generation(struct bench *bench, struct error *error);
enum status bench_kernels(struct bench *bench, struct error *error);
enum status bench_verdict(struct bench *bench, struct error *error);

#endif
