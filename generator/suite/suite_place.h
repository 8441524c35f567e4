/* Placing a suite: what an existing target may hold, the folder that the suite is written in, and the
 * exchange of the two. At every moment the target is the complete old suite or the complete new one, and
 * every other file is in one of them. Only what this process made, or what the exchange brought and a look at
 * it approved, is removed: by open folders of this user, never through a link, whatever others do to the
 * names meanwhile. */
#ifndef GENERATOR_SUITE_SUITE_PLACE_H
#define GENERATOR_SUITE_SUITE_PLACE_H

#include "base/error.h"
#include "base/file.h"
#include "base/files/draft.h"
#include "base/files/file_place.h"
#include "generator/suite/suite_index.h"

#include <stdbool.h>
#include <stdint.h>

/* In the folder that a killed process left, where the file system cannot exchange two: what the target was.
 */
#define SUITE_PLACE_BEFORE "before"

/* Paths of files, whatever their number: how many, and the sum of their hashes. */
struct path_sum {
    size_t count;
    uint64_t hashes;
};

struct suite_place {
    char path[FILE_PATH_BYTES]; /* of the target, for messages */
    struct file_place target;
    int own; /* beside the target, a folder that only this user enters (base/files/draft.h) */
    char own_name[DRAFT_NAME_BYTES];
    int folder;         /* in it, the one that the suite is written to; -1: none */
    const char *inside; /* its name there; after the exchange that of what the target was */
    bool force;
    bool is_put;              /* the target has the suite */
    struct path_sum expected; /* what the suite's folder holds when all of it is written */
};

/* Makes the folders. Refuses (STATUS_USAGE), before it writes anything, a target unless it is missing, an
 * empty folder, or a suite that holds only what its index lists; with force, only what is not a folder. All
 * of it must be this user's, on one device. */
enum status suite_place_open(const char *path, bool force, struct suite_place *place, struct error *error);

/* The folder will have this file, and those of this program. */
void suite_place_expect(struct suite_place *place, const char *name);
void suite_place_expect_program(struct suite_place *place, const struct suite_entry *entry,
                                const char *const *traces, size_t trace_count);

/* Exchanges the finished folder with the target if everything that its index lists exists, and removes what
 * was there. With force, the target's other files are in the new one too. An error leaves the target
 * unchanged, unless its message says otherwise. */
enum status suite_place_put(struct suite_place *place, struct error *error);

/* Removes what is not put; if it cannot, adds a hint to an error already set (NULL: none). */
void suite_place_close(struct suite_place *place, struct error *error);

#endif
