/* One value for each name of a file's rows: decides how its numbers are written, and chooses one scope of
 * each kind. */
#ifndef RUNNER_SOURCES_IMPORT_IMPORT_SETTLE_H
#define RUNNER_SOURCES_IMPORT_IMPORT_SETTLE_H

#include "base/error.h"
#include "runner/sources/import/import_rows.h"

/* Whose counters they are: a point is one kernel, an application all its kernels. */
enum import_use { IMPORT_POINT, IMPORT_APPLICATION };

/* Fills the values. columns: of its entries, "@kernel=NAME" and its like name a scope, and "@decimal=point"
 * or "@decimal=comma" how numbers are written; NULL: nothing is asked for. STATUS_USAGE, with the line, when
 * numbers are ambiguous or written in two ways, or when there are several scopes of a kind and no rule
 * chooses one. */
enum status import_settle(struct import *import, const char *columns, enum import_use use,
                          struct error *error);

#endif
