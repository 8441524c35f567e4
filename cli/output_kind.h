/* What a file's name says that is in it, against what a command writes: a table in x.json is found by nobody.
 */
#ifndef CLI_OUTPUT_KIND_H
#define CLI_OUTPUT_KIND_H

#include "base/error.h"

/* STATUS_USAGE when the path ends as files of another kind do than the ending that the command writes
 * (".csv"). A path of no such ending, or NULL, is anyone's. */
enum status output_kind_check(const char *path, const char *ending, struct error *error);

#endif
