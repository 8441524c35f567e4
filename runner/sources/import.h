/* Counters that another tool took: perf stat -j or -x, Nsight Compute, rocprof and CodeXL CSV. A file is read
 * to names with values; which name means what is told by a file of events for each tool (templates/imports/).
 * Nothing of the file is run or trusted: what is no number is no value. */
#ifndef RUNNER_SOURCES_IMPORT_H
#define RUNNER_SOURCES_IMPORT_H

#include "base/arena.h"
#include "base/error.h"
#include "runner/results/observation.h"

#include <stdbool.h>
#include <stddef.h>

/* One name of the file: a row's event, or a column. */
struct import_value {
    const char *name;
    double value;   /* the sum of all its rows; of a percentage their mean */
    size_t rows;    /* with a number; 0: it was not counted */
    double counted; /* the least share of the time that it was; 1: always, or not said */
    bool percent;
    const char *why; /* it cannot be used: "in Kbyte; ..." ; NULL: it can */
    bool known;      /* something was made of it */
};

/* A file as read; texts are in its arena. All zeros is empty; free with import_free. */
struct import {
    struct arena arena;
    const char *tool; /* "perf", "ncu", "rocprof", "codexl": static text */
    const char *path;
    struct import_value *values;
    size_t count, capacity;
};

/* Reads the text. STATUS_USAGE, with what was found, when it is none of the formats or has no value. */
enum status import_parse(const char *text, size_t size, const char *path, struct import *import,
                         struct error *error);
enum status import_read(const char *path, struct import *import, struct error *error);

/* Adds what the values come to: observations of kind "measured" whose source is the tool, list->imported
 * {"tool", "file", "counts": {name: value}}, and a warning that lists the names of which nothing was made.
 * columns: "NAME=METRIC,..." or NULL; a METRIC may be events.NAME. STATUS_USAGE when nothing matches, or a
 * column or metric is not there. */
enum status import_observe(struct import *import, const char *columns, struct observations *list,
                           struct error *error);

void import_free(struct import *import);

/* ---- for the readers of formats ---- */

/* The value of that name, new with no rows when it is not there; NULL when there are too many. */
struct import_value *import_value(struct import *import, const char *name);

/* Adds a row with a number, or one that was not counted (NAN). */
void import_row(struct import_value *value, double number, double counted);

#endif
