/* Joins results files: the shards of one run, or the runs of several nodes of one type of machine. Each point
 * keeps the context in which it was measured (results_context), and its trace. */
#ifndef RUNNER_RESULTS_MERGE_H
#define RUNNER_RESULTS_MERGE_H

#include "base/error.h"
#include "runner/results.h"

#include <jansson.h>
#include <stddef.h>

struct results_merge {
    json_t *contexts;   /* array of all that differ, each without contexts of its own */
    json_t *benchmarks; /* array: what any of them has */
    json_t *points;     /* array of objects, with "context" where that is not the first */
    json_t *files;      /* array: of which file each point is, */
    json_t *turns;      /* and its turn in the whole run, as its shard and its place in that say */
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

/* Adds what results_read read from the path. STATUS_USAGE, with the reason, when it is of another machine,
 * processor, seed or version of the tool than the first. */
enum status results_merge_add(struct results_merge *merge, const struct results *results, const char *path,
                              struct error *error);

/* Of how many shards the results are parts, where all of them are of as many; else 0. */
size_t results_merge_shards(const struct results_merge *merge);

/* Writes the whole as one results file, and copies of the traces beside it. Where all is of shards of one
 * run, points are in the order that the whole run would have them in. The file is there whole or not at
 * all. STATUS_USAGE when there is something at the path already. */
enum status results_merge_write(struct results_merge *merge, const char *path, struct error *error);

void results_merge_free(struct results_merge *merge);

#endif
