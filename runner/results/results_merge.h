/* Merges results files: the shards of one run, or the runs of several nodes of one machine type. Each point
 * keeps the context in which it was measured (results_context), and its trace. */
#ifndef RUNNER_RESULTS_RESULTS_MERGE_H
#define RUNNER_RESULTS_RESULTS_MERGE_H

#include "base/error.h"
#include "base/files/spool.h"
#include "base/text/text_set.h"
#include "runner/results/results.h"
#include "runner/results/warning.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A point whose line is stored on disk. */
struct merged_point {
    uint64_t start;
    size_t size;
    size_t file; /* index of its file */
    double turn; /* position in the whole run: its index, or computed from its shard and position there */
    bool failed, refused, traced;
};

/* All zeros is empty. Free it with results_merge_free. */
struct results_merge {
    struct results_context *contexts; /* all distinct ones, each without its own others */
    size_t *counts;                   /* number of points of each context so far */
    size_t context_count;
    struct merged_point *points;
    size_t count;
    struct spool lines; /* of the points, with "context" unless it is the first */
    const char **files; /* paths, in the arena */
    size_t file_count;
    struct arena arena;
    struct text_set places;      /* texts that identify points */
    size_t *place_of;            /* of each text, the point's index in points */
    char first[FILE_PATH_BYTES]; /* path of the first file */
    size_t finished;             /* points that failed in one file but not in another */
    size_t same;                 /* points that are identical in several files */
    struct warnings twice;       /* points measured in several files; the last file's is kept */
    struct warnings traceless;   /* points whose trace could not be read, and why */
};

/* Adds the points of an open file. STATUS_USAGE, with the reason, when its machine, processor, seed or tool
 * version differs from the first's. */
enum status results_merge_add(struct results_merge *merge, struct results_reader *results,
                              struct error *error);

/* How many points did not run, or only in part. */
size_t results_merge_failed(const struct results_merge *merge);

/* How many of these are refused. */
size_t results_merge_refused(const struct results_merge *merge);

/* The number of shards, if all results are shards of equally many; else 0. */
size_t results_merge_shards(const struct results_merge *merge);

/* Writes one results file, and copies of the traces beside it. If all files are shards of one run, points are
 * in the order of the whole run. Never leaves a partial file. STATUS_USAGE when the path already exists. */
enum status results_merge_write(struct results_merge *merge, const char *path, struct error *error);

void results_merge_free(struct results_merge *merge);

#endif
