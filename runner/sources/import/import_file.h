/* Counters recorded by another tool: perf stat -j or -x, Nsight Compute, rocprof and CodeXL CSV. A file is
 * parsed to names with values; an event file for each tool (templates/imports/) gives their meaning. Nothing
 * in the file is executed or trusted: only numbers count as values. */
#ifndef RUNNER_SOURCES_IMPORT_IMPORT_FILE_H
#define RUNNER_SOURCES_IMPORT_IMPORT_FILE_H

#include "base/error.h"
#include "runner/results/observation.h"
#include "runner/sources/import/import_formats.h"

#include <stddef.h>

/* Parses the text. STATUS_USAGE, with what was found, when it is in none of the formats or has no value. */
enum status import_parse(const char *text, size_t size, const char *path, struct import *import,
                         struct error *error);
enum status import_read(const char *path, struct import *import, struct error *error);

/* Adds the results: observations of kind "measured" whose source is the tool, list->imported {"tool", "file",
 * "counts": {name: value}}, and a warning that lists the unused names. columns: "NAME=METRIC,..." or NULL; a
 * METRIC may be events.NAME. STATUS_USAGE when nothing matches, or a column or metric does not exist. */
enum status import_observe(struct import *import, const char *columns, struct observations *list,
                           struct error *error);

#endif
