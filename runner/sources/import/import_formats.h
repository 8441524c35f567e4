/* The file formats that --import accepts. */
#ifndef RUNNER_SOURCES_IMPORT_IMPORT_FORMATS_H
#define RUNNER_SOURCES_IMPORT_IMPORT_FORMATS_H

#include "runner/sources/import/import_file.h"

enum { IMPORT_FIELDS = 512 };

/* Splits the line into fields at the separator, in place; removes quotes, within which separators are kept.
 * Drops fields beyond most. */
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
