/* Comparisons that a user can repeat: two sides measured in alternation, their ratio with its interval, what
 * was wanted of it, and what to do where it is not so. A part of the benchmark is one file and one row in
 * main.c. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "base/error.h"
#include "base/stats.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum { BENCH_MOST_ROUNDS = 101 };

/* What the whole benchmark shares. */
struct bench {
    bool json;          /* print one document at the end, not rows as they come */
    unsigned rounds;    /* of each comparison, at least 1 and at most BENCH_MOST_ROUNDS */
    const char *filter; /* only comparisons whose name contains it; NULL: all */
    const char *trauma; /* the program under test */
    int cpu;            /* logical processor that single-threaded sides run on */
    json_t *results;    /* [{"part", "name", ...}] of all so far */
    unsigned failed;    /* comparisons and numbers that are not as wanted */
    unsigned untold;    /* comparisons that this machine was too noisy for */
};

/* One part. A part that lacks a peer says so by bench_skip and returns STATUS_OK. */
struct bench_part {
    const char *name;
    const char *title;
    enum status (*run)(struct bench *bench, struct error *error);
};

/* Measures one side once. *rate: how much a second, more is better. */
typedef enum status bench_measure(void *context, double *rate, struct error *error);

struct bench_side {
    const char *name;
    bench_measure *measure;
    void *context;
};

/* What a comparison shows. */
enum bench_verdict {
    BENCH_HOLDS,
    BENCH_BELOW,  /* the ratio is less than wanted */
    BENCH_ABOVE,  /* the ratio is more than wanted */
    BENCH_UNTOLD, /* too noisy to tell */
};

/* ours / theirs, of rates, or with `times` of nanoseconds for each. The advice says what the ratio means and
 * what to do. */
struct bench_pair {
    const char *part, *name;
    const char *unit; /* of the rates, for who reads them: "GB/s"; of what each is, with times: "load" */
    struct bench_side ours, theirs;
    double least, most; /* of the ratio; most 0: any */
    bool times;
    const char *below, *above; /* advice; NULL: none */
};

struct bench_ratio {
    struct interval ratio;        /* of the rounds' ratios */
    struct interval ours, theirs; /* rates, or nanoseconds */
    enum bench_verdict verdict;
};

/* A number that stands alone against its limit. */
struct bench_number {
    const char *part, *name;
    double value;
    const char *unit;
    double limit;
    bool at_least;      /* the limit is the least that is wanted, else the most */
    const char *advice; /* where it fails */
};

/* True when the filter leaves the comparison. */
bool bench_wants(const struct bench *bench, const char *name);

/* What an interval of the ratio shows: within the limits it holds, outside them it does not. Where it reaches
 * over a limit it holds if it is narrow and its median within; else it tells nothing. */
enum bench_verdict bench_judge(const struct bench_pair *pair, const struct interval *ratio);

/* Measures each side once unrecorded, then rounds times each, the side that begins changing from round to
 * round; again, up to three times in all, while that is too noisy to tell. Prints the row or keeps it. */
enum status bench_compare(struct bench *bench, const struct bench_pair *pair, struct bench_ratio *ratio,
                          struct error *error);

void bench_value(struct bench *bench, const struct bench_number *number);

/* A comparison that this machine cannot make now, and why. */
void bench_cannot_tell(struct bench *bench, const char *part, const char *name, const char *sentence);

/* A sentence on why a part, or some of it, was left out. */
void bench_skip(struct bench *bench, const char *part, const char *sentence);

/* What who reads the part's numbers must know. */
void bench_note(struct bench *bench, const char *part, const char *sentence);

enum status bench_generation(struct bench *bench, struct error *error);
enum status bench_kernels(struct bench *bench, struct error *error);
enum status bench_verdict(struct bench *bench, struct error *error);

#endif
