/* Checks an output file's ending against what the command writes. */
#ifndef CLI_OUTPUT_KIND_H
#define CLI_OUTPUT_KIND_H

#include "base/error.h"

/* STATUS_USAGE when the path ends like files of another kind than the command writes (".csv"). Accepts NULL
 * and paths without such an ending. */
enum status output_kind_check(const char *path, const char *ending, struct error *error);

#endif
