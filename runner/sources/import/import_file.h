/* Counters recorded by another tool: perf stat -j or -x, Nsight Compute, rocprof and CodeXL CSV. A file is
 * parsed to names with values; an event file for each tool (templates/imports/) defines their meaning. The
 * file is untrusted: nothing in it is executed, and only numbers count as values. */
#ifndef RUNNER_SOURCES_IMPORT_IMPORT_FILE_H
#define RUNNER_SOURCES_IMPORT_IMPORT_FILE_H

#include "base/error.h"
#include "runner/results/observation.h"
#include "runner/sources/import/import_rows.h"

#include <stddef.h>

/* Parses the text. STATUS_USAGE when it has none of the formats (tool is then NULL), or when a line violates
 * its format; then with that line. own: any other table is also accepted; all its columns are counters, and
 * tool is NULL. */
enum status import_parse(const char *text, size_t size, const char *path, bool own, struct import *import,
                         struct error *error);
enum status import_read(const char *path, struct import *import, struct error *error);

/* What the counters are of: one kernel of a point, or all kernels of an application. */
enum import_use { IMPORT_POINT, IMPORT_APPLICATION };

/* Fills in the values. Of the entries in columns, "@kernel=NAME" and the like choose a scope, and
 * "@decimal=point" or "@decimal=comma" state how numbers are written; NULL: no choice. STATUS_USAGE, with the
 * line, when numbers are ambiguous or written in two ways, or when no rule chooses one of several scopes of a
 * kind. */
enum status import_settle(struct import *import, const char *columns, enum import_use use,
                          struct error *error);

/* Settles the rows and adds the results: observations of kind "measured" with the tool as source,
 * list->imported, and warnings that list unused names, names that were counted for only a share of the time,
 * and what was left out. columns: "NAME=METRIC,..." or NULL; a METRIC may be events.NAME. STATUS_USAGE when
 * nothing matches, a column or metric does not exist, a share is not from 0 to 1, or the rows cannot be
 * settled. */
enum status import_observe(struct import *import, const char *columns, enum import_use use,
                           struct observations *list, struct error *error);

#endif
