/* Checks an output file's ending against what the command writes, and "-" (standard output) against whether
 * the output is text. */
#ifndef CLI_OPTIONS_OUTPUT_KIND_H
#define CLI_OPTIONS_OUTPUT_KIND_H

#include "base/error.h"
#include "cli/options/options.h"

#include <stdbool.h>
#include <stddef.h>

/* STATUS_USAGE when the path ends like files of another kind than the command writes (".csv"). Accepts NULL
 * and paths without such an ending. */
enum status output_kind_check(const char *path, const char *ending, struct error *error);

/* True for "-". What is written there takes the place of what the command prints. */
bool output_is_standard(const char *path);

/* STATUS_USAGE for a "-" where a command writes no text, or prints something else, by --json or --tap. */
enum status output_standard_check(const char *command, const struct options *options, struct error *error);

/* Writes the text into the file; NULL and "-": to standard output. */
enum status output_write(const char *path, const void *text, size_t size, struct error *error);

#endif
