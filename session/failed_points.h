/* Which points of a results file did not pass, to be run or checked again. */
#ifndef SESSION_FAILED_POINTS_H
#define SESSION_FAILED_POINTS_H

#include "base/error.h"

#include <jansson.h>

/* The names "benchmark/point", as keys of an object, of the file's points that did not run or have a rate
 * that fails, is inconclusive or unobserved, each judged again from its recorded evidence. Of a point that
 * the file has several times the last counts. New reference. NULL with STATUS_USAGE in *error if the file
 * cannot be read or all of its points passed. */
json_t *failed_points(const char *path, struct error *error);

#endif
