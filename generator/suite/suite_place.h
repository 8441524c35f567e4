/* Placing a suite: what an existing target may hold, the folder that the suite is written in, and the
 * exchange of the two. At every moment the target is the complete old suite or the complete new one, and
 * every other file is in one of them. */
#ifndef GENERATOR_SUITE_SUITE_PLACE_H
#define GENERATOR_SUITE_SUITE_PLACE_H

#include "base/error.h"
#include "base/file.h"

#include <stdbool.h>

/* Refuses (STATUS_USAGE) a target unless it is missing, an empty folder, or a suite that holds only what its
 * index lists; with force, refuses only what is not a folder. */
enum status suite_place_check(const char *target, bool force, struct error *error);

/* Makes a folder beside the target, under a unique name, with an empty index that this process locks
 * (base/files/hold.h). *index is its descriptor. */
enum status suite_place_begin(const char *target, char folder[FILE_PATH_BYTES], int *index,
                              struct error *error);

/* Removes what dead writers of the target left beside it. Restores an old suite that one of them had moved
 * aside if the target is missing. */
void suite_place_clean(const char *target);

/* Moves the finished folder to the target if everything that its index lists exists. With force, the target's
 * other files are in both afterwards. *old is the previous target, for suite_place_remove; "" if there was
 * none. An error leaves the target unchanged. */
enum status suite_place_put(const char *folder, int index, const char *target, bool force,
                            char old[FILE_PATH_BYTES + 8], struct error *error);

/* Removes a suite's folder. A file that belongs to no suite and has no other copy is moved into the target.
 */
enum status suite_place_remove(const char *folder, const char *target, struct error *error);

#endif
