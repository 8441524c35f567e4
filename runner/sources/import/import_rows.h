/* The rows of a file of counters: numbers as they are written, each with its scope. Readers
 * (import_formats.h) fill them in; import_settle decides how numbers are written, chooses one scope of each
 * kind, and computes one value for each name. */
#ifndef RUNNER_SOURCES_IMPORT_IMPORT_ROWS_H
#define RUNNER_SOURCES_IMPORT_IMPORT_ROWS_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

/* What a row belongs to. Numbers of different scopes are never added. */
enum import_scope {
    IMPORT_INTERVAL,
    IMPORT_KERNEL,
    IMPORT_PROCESS,
    IMPORT_DEVICE,
    IMPORT_CORE, /* a processor, core, socket or thread: whatever the tool counts separately */
    IMPORT_CGROUP,
    IMPORT_PMU,  /* of one kind of core: cpu_core */
    IMPORT_MODE, /* user, kernel, host, guest: letters as perf's modifiers */
    IMPORT_SCOPES
};

struct import_line {
    int number;                        /* in the file, from 1 */
    const char *scopes[IMPORT_SCOPES]; /* NULL: no scope of that kind */
    const char *group;                 /* lines of one group count the same work; NULL: no other line does */
    const char *share;                 /* percent of the time that it was counted, as written; NULL: always */
};

struct import_cell {
    const char *text, *unit; /* NULL: the cell has only the other one */
    unsigned line, value;    /* indices */
};

/* One name in the file, of a row's event or of a column. Only name is valid before import_settle. */
struct import_value {
    const char *name;
    double value;   /* the sum of its rows; for a percentage the mean */
    size_t rows;    /* with a number; 0: not counted */
    size_t missing; /* without one */
    double counted; /* the smallest share of the time that it was counted; 1: always, or unknown */
    bool percent;
    const char *unit;
    const char *why; /* why it is unusable: "in Kbyte; ..."; NULL: usable */
    bool known;      /* a metric or count uses it */
    unsigned last;   /* line of its last number, from 1 */
    double latest;   /* its last number */
};

/* A parsed file; texts are in its arena. All zeros is empty; free with import_free. */
struct import {
    struct arena arena;
    const char *tool; /* "perf", "ncu", "rocprof", "codexl": static text; NULL: unknown */
    const char *path;
    bool groups; /* the tool may write thousands separators */
    struct import_value *values;
    size_t count;
    struct import_line *lines;
    size_t line_count;
    struct import_cell *cells;
    size_t cell_count;
    size_t strays;        /* lines of other programs */
    int stray;            /* the first of them */
    const char *left_out; /* names of scopes that were left out; NULL: none */
};

enum { IMPORT_VALUES_MOST = 2048 };

/* The value of that name; NULL when there is none. */
struct import_value *import_find_value(const struct import *import, const char *name);

/* The same, added if it is new; NULL when there are too many. */
struct import_value *import_value(struct import *import, const char *name);

/* Adds a line without scopes; the pointer is valid until the next one. */
struct import_line *import_add_line(struct import *import, int number);

/* Adds a number to the line that was added last. */
void import_add_cell(struct import *import, const struct import_value *value, const char *text,
                     const char *unit);

void import_free(struct import *import);

#endif
