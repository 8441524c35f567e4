/* Locates templates/ and recipes/: in the folder that TRAUMA_ROOT names; else beside the program, under the
 * prefix (PREFIX/share/traumagen) for an installed program, in the source tree for one in a build folder (the
 * tree around it, or else the one in its CMakeCache.txt). The search starts at the program, so trees can be
 * moved and build folders copied. */
#ifndef BASE_FILES_PATHS_H
#define BASE_FILES_PATHS_H

#include "base/error.h"
#include "base/file.h"

/* The folder that holds templates/ and recipes/. STATUS_FAILED, with the folders searched and what
 * helps, if there is none; STATUS_UNAVAILABLE if TRAUMA_ROOT names a folder without them. */
enum status paths_home(char home[FILE_PATH_BYTES], struct error *error);

/* The folder of the user's own settings, $XDG_CONFIG_HOME/traumagen or ~/.config/traumagen, whether it exists
 * or not; "" without a home folder. Returns folder. */
char *paths_own(char folder[FILE_PATH_BYTES]);

#endif
