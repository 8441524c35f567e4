/* Counts that another tool made of a suite's programs: a table with the columns program, event, passes and
 * count, a row per run; or a folder BENCHMARK/POINT/PASSES... of what `perf stat -x,` or `-j` wrote of each
 * run. */
#ifndef RUNNER_SOURCES_EVENTS_COUNTED_RUNS_H
#define RUNNER_SOURCES_EVENTS_COUNTED_RUNS_H

#include "base/arena.h"
#include "base/error.h"

#include <stddef.h>

struct counted_run {
    const char *program, *event; /* "benchmark/point" */
    double passes, count;
    const char *why; /* it was not counted; NULL: it was */
};

/* Texts are in the arena. All zeros is empty. */
struct counted_runs {
    struct arena arena;
    struct counted_run *items;
    size_t count;
};

/* STATUS_USAGE, with the line, when it is neither. Free with counted_runs_free in every case. */
enum status counted_runs_read(const char *path, struct counted_runs *runs, struct error *error);

void counted_runs_free(struct counted_runs *runs);

#endif
