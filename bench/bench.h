/* Comparisons that a user can repeat: two sides measured in alternation, their ratio with its interval, and a
 * word on whether it is what was wished for. A part of the benchmark is one file and one row in main.c. */
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
    bool short_of;      /* something was not what was wished for */
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

/* ours / theirs. It is what was wished for when its median is at least `least` and its interval reaches
 * `reaches`; with `within` above 0, instead, when the median is no farther from 1 than that either way. */
struct bench_pair {
    const char *part, *name;
    const char *unit; /* of the rates, for who reads them: "GB/s" */
    struct bench_side ours, theirs;
    double least, reaches;
    double within;
};

struct bench_ratio {
    struct interval ratio;        /* of the rounds' ratios */
    struct interval ours, theirs; /* rates */
};

/* True when the filter leaves the comparison. */
bool bench_wants(const struct bench *bench, const char *name);

/* Measures each side once unrecorded, then rounds times each, the side that begins changing from round to
 * round; prints the row or keeps it. */
enum status bench_compare(struct bench *bench, const struct bench_pair *pair, struct bench_ratio *ratio,
                          struct error *error);

/* A number that stands alone against its limit: it is what was wished for when it is at most `most` or, with
 * at_least, at least that. */
void bench_value(struct bench *bench, const char *part, const char *name, double value, const char *unit,
                 double limit, bool at_least);

/* A sentence on why a part, or some of it, was left out. */
void bench_skip(struct bench *bench, const char *part, const char *sentence);

/* What who reads the part's numbers must know. */
void bench_note(struct bench *bench, const char *part, const char *sentence);

enum status bench_generation(struct bench *bench, struct error *error);
enum status bench_kernels(struct bench *bench, struct error *error);
enum status bench_verdict(struct bench *bench, struct error *error);

#endif
