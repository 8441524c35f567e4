/* Finds the machine that -m names: a file, a name under recipes/machines, or the present one. All commands
 * use it, so that a name always means the same machine. */
#ifndef SESSION_FIND_MACHINE_H
#define SESSION_FIND_MACHINE_H

#include "base/error.h"
#include "base/file.h"
#include "generator/machine/machine.h"

/* Fills *machine; free with machine_free even after an error. name NULL: the present machine, detected, with
 * the clocks that the system reports below the root folder ("" for the machine itself). A machine from a file
 * has present set when it describes this host. STATUS_USAGE, with the nearest name, when there is no such
 * file or name; STATUS_RECIPE when the file is wrong; STATUS_UNAVAILABLE when the present machine cannot be
 * detected. */
enum status find_machine(const char *name, const char *root, struct machine *machine, struct error *error);

/* The path of the machine file that -m names. STATUS_USAGE as above. */
enum status find_machine_file(const char *name, char path[FILE_PATH_BYTES], struct error *error);

/* The names of the shipped machines, NULL-terminated; NULL with *error if the installation is not found. Free
 * with file_free_names. */
char **machine_names(struct error *error);

#endif
