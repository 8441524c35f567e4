/* The file formats that --import accepts, each parsed to rows. */
#ifndef RUNNER_SOURCES_IMPORT_IMPORT_FORMATS_H
#define RUNNER_SOURCES_IMPORT_IMPORT_FORMATS_H

#include "base/error.h"
#include "runner/sources/import/import_rows.h"

#include <stdbool.h>
#include <stddef.h>

/* Splits the line into fields at the separator, in place; removes quotes, within which separators are kept.
 * Drops fields beyond most. */
enum { IMPORT_FIELDS = 2048 };
size_t import_split(char *line, char separator, char **fields, size_t most);

/* The event's own name in perf's notation: cycles for "cpu_core/cycles/u" and for "cycles:u". */
const char *import_event_name(struct arena *arena, const char *written);

/* Parses lines in place (without their ends). True when the text is in this format; import->tool is then set.
 * *error, with code STATUS_OK on entry, gets the first line that violates the format. */
typedef bool import_reader(char **lines, size_t count, struct import *import, struct error *error);

import_reader import_perf_json; /* perf stat -j: one object per line */
import_reader import_perf_text; /* perf stat -x: value, unit, event, ... */
import_reader import_long; /* one metric per row, with columns for name and value: ncu --csv, rocprofv3 */
import_reader import_wide; /* one kernel per row, metrics as columns: ncu --page raw, rocprof, CodeXL */
import_reader import_own;  /* any table of the user: all columns are counters; tool is NULL */

#endif
