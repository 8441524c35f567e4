/* Drafts: unfinished work on disk, beside its target, under a random name: .trauma- and 16 hexadecimal
 * digits. A killed process leaves its draft. The next command reports it to its user, who alone removes it.
 */
#ifndef BASE_FILES_DRAFT_H
#define BASE_FILES_DRAFT_H

#include "base/error.h"

#include <stdbool.h>
#include <sys/types.h>

enum { DRAFT_NAME_BYTES = 8 + 16 + 1, DRAFT_TRIES = 16 };

/* Makes a new name. False, with errno, if the system has no random numbers. */
bool draft_name(char name[DRAFT_NAME_BYTES]);

/* Makes an empty folder in the parent, which only this user may enter (0700, where the file system has
 * permissions), and locks it, so that others see that it is in use. Returns its descriptor; -1 with errno. */
int draft_folder(int parent, char name[DRAFT_NAME_BYTES]);

/* The drafts in the folder that are this user's and that no process holds, sorted and NULL-terminated; free
 * with draft_free_list. NULL if there are none. */
char **draft_leftovers(const char *folder);

/* The names in an open folder except "." and "..", sorted and NULL-terminated; free with draft_free_list.
 * NULL, with errno, if it cannot be read. */
char **draft_list(int folder);
void draft_free_list(char **names);

/* Opens the folder of that name if it is this user's and on the device. -1 with errno: EPERM if it is
 * another's, ENOTDIR if it is a link. */
int draft_enter(int parent, const char *name, const dev_t *device);

/* Removes the file or folder of that name with its contents, without following a link or entering a folder
 * that draft_enter refuses; a missing one is no error. False, with errno, on failure. */
bool draft_clear(int parent, const char *name);

#endif
