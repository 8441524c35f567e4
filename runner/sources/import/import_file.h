/* Counters recorded by another tool: perf stat -j or -x, Nsight Compute, rocprof and CodeXL CSV. A file is
 * parsed to names with values; an event file for each tool (templates/imports/) gives their meaning. Nothing
 * in the file is executed or trusted: only numbers count as values. */
#ifndef RUNNER_SOURCES_IMPORT_IMPORT_FILE_H
#define RUNNER_SOURCES_IMPORT_IMPORT_FILE_H

#include "base/arena.h"
#include "base/error.h"
#include "runner/results/observation.h"

#include <stdbool.h>
#include <stddef.h>

/* One name in the file: a row's event, or a column. */
struct import_value {
    const char *name;
    double value;   /* the sum of its rows; for a percentage the mean */
    size_t rows;    /* with a number; 0: not counted */
    double counted; /* the smallest share of the time that it was counted; 1: always, or unknown */
    bool percent;
    const char *why; /* why it is unusable: "in Kbyte; ..."; NULL: usable */
    bool known;      /* it was used */
};

/* A parsed file; texts are in its arena. All zeros is empty; free with import_free. */
struct import {
    struct arena arena;
    const char *tool; /* "perf", "ncu", "rocprof", "codexl": static text */
    const char *path;
    struct import_value *values;
    size_t count, capacity;
};

/* Parses the text. STATUS_USAGE, with what was found, when it is in none of the formats or has no value. */
enum status import_parse(const char *text, size_t size, const char *path, struct import *import,
                         struct error *error);
enum status import_read(const char *path, struct import *import, struct error *error);

/* Adds the results: observations of kind "measured" whose source is the tool, list->imported {"tool", "file",
 * "counts": {name: value}}, and a warning that lists the unused names. columns: "NAME=METRIC,..." or NULL; a
 * METRIC may be events.NAME. STATUS_USAGE when nothing matches, or a column or metric does not exist. */
enum status import_observe(struct import *import, const char *columns, struct observations *list,
                           struct error *error);

void import_free(struct import *import);

/* ---- for the format parsers ---- */

/* The value of that name, added without rows if it is new; NULL when there are too many. */
struct import_value *import_value(struct import *import, const char *name);

/* Adds a row with a number, or one that was not counted (NAN). */
void import_row(struct import_value *value, double number, double counted);

#endif
