/* Checks of -o and similar options: the file's ending must fit the format, and "-" (standard output) is for
 * text only. */
#ifndef CLI_OPTIONS_OUTPUT_KIND_H
#define CLI_OPTIONS_OUTPUT_KIND_H

#include "base/error.h"
#include "cli/options/options.h"

#include <stdbool.h>
#include <stddef.h>

/* STATUS_USAGE if the path has the ending of another format than `ending` (".csv"), which the command writes.
 * Accepts NULL, and paths with no ending or an unknown one. */
enum status output_kind_check(const char *path, const char *ending, struct error *error);

/* True for "-". The file's text is then printed instead of the command's usual output. */
bool output_is_standard(const char *path);

/* STATUS_USAGE for "-" if the command writes no text to that file, or --json or --tap prints something else.
 */
enum status output_standard_check(const char *command, const struct options *options, struct error *error);

/* Writes the text to the file; NULL and "-" are standard output. */
enum status output_write(const char *path, const void *text, size_t size, struct error *error);

#endif
