/* Placing a suite: the check of an existing target, the folder in which the suite is written, and the
 * exchange of the two. At every moment the target is the complete old suite or the complete new one, and all
 * other files are in one of them. Only files that this process made are removed, and those of the old target
 * after they were checked. Removal uses open folders of this user, never follows a link, and is safe against
 * concurrent changes to names. */
#ifndef GENERATOR_SUITE_SUITE_PLACE_H
#define GENERATOR_SUITE_SUITE_PLACE_H

#include "base/error.h"
#include "base/file.h"
#include "base/files/draft.h"
#include "base/files/file_place.h"
#include "generator/suite/suite_index.h"

#include <stdbool.h>
#include <stdint.h>

/* The old target's name in the folder that a killed process leaves, if the file system cannot exchange two
 * folders. */
#define SUITE_PLACE_BEFORE "before"

/* A digest of a set of paths: their number and the sum of their hashes. */
struct path_sum {
    size_t count;
    uint64_t hashes;
};

struct suite_place {
    char path[FILE_PATH_BYTES]; /* of the target, for messages */
    struct file_place target;
    int own; /* beside the target, a folder that only this user enters (base/files/draft.h) */
    char own_name[DRAFT_NAME_BYTES];
    int folder;         /* in `own`, the folder to which the suite is written; -1: none */
    const char *inside; /* its name in `own`; after the exchange the old target's name */
    bool force;
    bool is_put;              /* the target has the suite */
    struct path_sum expected; /* the files that the suite's folder holds when it is complete */
};

/* Makes the folders. Refuses (STATUS_USAGE), before it writes anything, a target that is not missing, an
 * empty folder, or a suite that holds only files listed in its index; with force, only one that is not a
 * folder. All files must be this user's, on one device. */
enum status suite_place_open(const char *path, bool force, struct suite_place *place, struct error *error);

/* Adds a file, and a program's files, to the expected ones. */
void suite_place_expect(struct suite_place *place, const char *name);
void suite_place_expect_program(struct suite_place *place, const struct suite_entry *entry,
                                const char *const *traces, size_t trace_count);

/* Exchanges the complete folder with the target if all files that its index lists exist, and removes the old
 * target. With force, the old target's other files are in the new one, too. An error leaves the target
 * unchanged, unless its message states otherwise. */
enum status suite_place_put(struct suite_place *place, struct error *error);

/* Removes a folder that was not put; if it cannot, adds a hint to *error (NULL: none). */
void suite_place_close(struct suite_place *place, struct error *error);

#endif
