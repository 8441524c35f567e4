/* The formats of files that --import takes. */
#ifndef RUNNER_SOURCES_IMPORT_FORMATS_H
#define RUNNER_SOURCES_IMPORT_FORMATS_H

#include "runner/sources/import.h"

enum { IMPORT_FIELDS = 512 };

/* Cuts the line into fields at the separator, in place: quotes go, and a separator inside them stays. At most
 * most; further fields are left out. */
size_t import_split(char *line, char separator, char **fields, size_t most);

/* A finite number, perhaps with commas between thousands; false for anything else. */
bool import_number(const char *text, double *number);

/* Reads lines in place (their ends are cut); true when the text is of the format and import has its tool. */
typedef bool import_reader(char **lines, size_t count, struct import *import);

import_reader import_perf_json; /* perf stat -j: an object a line */
import_reader import_perf_text; /* perf stat -x: value, unit, event, ... */
import_reader import_long; /* a metric a row, with columns for its name and value: ncu --csv, rocprofv3 */
import_reader import_wide; /* a kernel a row, metrics as columns: ncu --page raw, rocprof, CodeXL */

#endif
