/* The file formats that --import accepts, each parsed to names with values. */
#ifndef RUNNER_SOURCES_IMPORT_IMPORT_FORMATS_H
#define RUNNER_SOURCES_IMPORT_IMPORT_FORMATS_H

#include "base/arena.h"

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

enum { IMPORT_VALUES_MOST = 2048 };

/* The value of that name; NULL when there is none. */
struct import_value *import_find_value(const struct import *import, const char *name);

/* The value of that name, added without rows if it is new; NULL when there are too many. */
struct import_value *import_value(struct import *import, const char *name);

/* Adds a row with a number, or one that was not counted (NAN). */
void import_row(struct import_value *value, double number, double counted);

void import_free(struct import *import);

/* Splits the line into fields at the separator, in place; removes quotes, within which separators are kept.
 * Drops fields beyond most. */
enum { IMPORT_FIELDS = 512 };
size_t import_split(char *line, char separator, char **fields, size_t most);

/* A finite number, optionally with thousands separators (commas); false for anything else. */
bool import_number(const char *text, double *number);

/* Parses lines in place (without their ends); true when the text is in this format and import has its
 * tool. */
typedef bool import_reader(char **lines, size_t count, struct import *import);

import_reader import_perf_json; /* perf stat -j: one object per line */
import_reader import_perf_text; /* perf stat -x: value, unit, event, ... */
import_reader import_long; /* one metric per row, with columns for name and value: ncu --csv, rocprofv3 */
import_reader import_wide; /* one kernel per row, metrics as columns: ncu --page raw, rocprof, CodeXL */

#endif
