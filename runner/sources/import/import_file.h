/* Counters recorded by another tool: perf stat -j or -x, Nsight Compute, rocprof and CodeXL CSV. A file is
 * parsed to names with values; an event file for each tool (templates/imports/) gives their meaning. Nothing
 * in the file is executed or trusted: only numbers count as values. */
#ifndef RUNNER_SOURCES_IMPORT_IMPORT_FILE_H
#define RUNNER_SOURCES_IMPORT_IMPORT_FILE_H

#include "base/error.h"
#include "runner/results/observation.h"
#include "runner/sources/import/import_rows.h"

#include <stddef.h>

/* Parses the text. STATUS_USAGE when it is in none of the formats (tool is then NULL), or with the line that
 * is not as its format says. own: any other table is taken, too: all its columns are counters, and tool is
 * NULL. */
enum status import_parse(const char *text, size_t size, const char *path, bool own, struct import *import,
                         struct error *error);
enum status import_read(const char *path, struct import *import, struct error *error);

/* Whose counters they are: a point is one kernel, an application all its kernels. */
enum import_use { IMPORT_POINT, IMPORT_APPLICATION };

/* Fills the values. columns: of its entries, "@kernel=NAME" and its like name a scope, and "@decimal=point"
 * or "@decimal=comma" how numbers are written; NULL: nothing is asked for. STATUS_USAGE, with the line, when
 * numbers are ambiguous or written in two ways, or when there are several scopes of a kind and no rule
 * chooses one. */
enum status import_settle(struct import *import, const char *columns, enum import_use use,
                          struct error *error);

/* Settles the rows and adds the results: observations of kind "measured" whose source is
 * the tool, list->imported, and warnings that list the unused
 * names, those that were counted for a share of the time, and what was left out. columns: "NAME=METRIC,..."
 * or NULL; a METRIC may be events.NAME. STATUS_USAGE when nothing matches, a column or metric does not exist,
 * a share is not from 0 to 1, or the rows cannot be settled. */
enum status import_observe(struct import *import, const char *columns, enum import_use use,
                           struct observations *list, struct error *error);

#endif
