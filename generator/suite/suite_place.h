/* Where a suite is put: what is there already and may be replaced, the folder that it is written in, and the
 * change of one for the other. At every moment the place has the old suite or the new one whole, and a file
 * that is no suite's is in one of them. */
#ifndef GENERATOR_SUITE_SUITE_PLACE_H
#define GENERATOR_SUITE_SUITE_PLACE_H

#include "base/error.h"
#include "base/file.h"

#include <stdbool.h>

/* Refuses (STATUS_USAGE) a target that is neither missing, an empty folder nor a suite of nothing but what
 * its index lists; with force only what is no folder. */
enum status suite_place_check(const char *target, bool force, struct error *error);

/* Makes a folder beside the target, under a name that nobody else has, with an empty index that this process
 * holds (base/hold.h). *index is its descriptor. */
enum status suite_place_begin(const char *target, char folder[FILE_PATH_BYTES], int *index,
                              struct error *error);

/* Removes what dead writers of the target left beside it. An old suite that one of them had put aside is put
 * back where the target is missing. */
void suite_place_clean(const char *target);

/* Puts the finished folder in the target's place when all that its index lists is there. With force the
 * target's other files are in both afterwards. *old is what was there, for suite_place_remove; "" for
 * nothing. An error leaves the target as it was. */
enum status suite_place_put(const char *folder, int index, const char *target, bool force,
                            char old[FILE_PATH_BYTES + 8], struct error *error);

/* Removes a suite's folder. What is neither of a suite nor elsewhere too is moved into the target. */
enum status suite_place_remove(const char *folder, const char *target, struct error *error);

#endif
