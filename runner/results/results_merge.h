/* Joins results files: the shards of one run, or the runs of several nodes of one type of machine. Each point
 * keeps the context in which it was measured (results_context), and its trace. */
#ifndef RUNNER_RESULTS_RESULTS_MERGE_H
#define RUNNER_RESULTS_RESULTS_MERGE_H

#include "base/error.h"
#include "base/spool.h"
#include "runner/results/results.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A point, whose line is put aside on disk. */
struct merged_point {
    uint64_t start;
    size_t size;
    size_t file; /* which one it is of, */
    double turn; /* and its turn in the whole run, as its shard and its place in that say */
    bool failed, traced;
};

struct results_merge {
    json_t *contexts;   /* array of all that differ, each without contexts of its own */
    json_t *benchmarks; /* array: what any of them has */
    struct merged_point *points;
    size_t count, capacity;
    struct spool lines; /* of the points, with "context" where that is not the first */
    json_t *files;      /* array: paths */
    json_t *counts;     /* array: how many points of each context there were so far */
    json_t *places;     /* point's key -> index in points */
    char first[FILE_PATH_BYTES];
    size_t finished;   /* points that had failed in one file and did not in another */
    size_t same;       /* points that were in several files, the same in each */
    json_t *twice;     /* texts: points that several files measured; the file added last has them */
    json_t *traceless; /* texts: points whose trace could not be read, and why */
};

/* An empty one. Free it with results_merge_free. */
void results_merge_begin(struct results_merge *merge);

/* Adds the points of an open file. STATUS_USAGE, with the reason, when it is of another machine,
 * processor, seed or version of the tool than the first. */
enum status results_merge_add(struct results_merge *merge, struct results_reader *results,
                              struct error *error);

/* How many of the points did not run, or did so only in part. */
size_t results_merge_failed(const struct results_merge *merge);

/* Of how many shards the results are parts, where all of them are of as many; else 0. */
size_t results_merge_shards(const struct results_merge *merge);

/* Writes the whole as one results file, and copies of the traces beside it. Where all is of shards of one
 * run, points are in the order that the whole run would have them in. The file is there whole or not at
 * all. STATUS_USAGE when there is something at the path already. */
enum status results_merge_write(struct results_merge *merge, const char *path, struct error *error);

void results_merge_free(struct results_merge *merge);

#endif
