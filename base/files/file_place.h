/* The place of an output: an open folder and a name in it, so that later changes to the path do not change
 * the place. Links on the way are followed if they are this user's or root's; another user's may lead
 * anywhere. */
#ifndef BASE_FILES_FILE_PLACE_H
#define BASE_FILES_FILE_PLACE_H

#include "base/error.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct file_place_made; /* a folder that was made on the way */

struct file_place {
    int folder;              /* O_PATH; -1: none */
    char name[NAME_MAX + 1]; /* not a link, except with in_proc; "." or ".." if the path ends so */
    bool in_proc;            /* the name is a kernel's link to an open file, such as /proc/self/fd/1 */
    struct file_place_made *made;
    size_t made_count;
};

/* Finds the place; the name need not exist. make: makes missing folders on the way. STATUS_USAGE if a link
 * belongs to another user, or if the path itself is a dangling link; STATUS_FAILED if there is no such
 * folder. Close with file_place_close after success. */
enum status file_place_open(const char *path, bool make, struct file_place *place, struct error *error);

/* undo: removes the folders that file_place_open made, where they are empty. */
void file_place_close(struct file_place *place, bool undo);

#endif
