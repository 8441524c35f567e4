/* Where templates/ and recipes/ are: under the prefix (PREFIX/share/traumagen) for an installed program, in
 * the source tree for one in a build folder: that around it, or else that which its CMakeCache.txt names.
 * Both are looked for from where the program is, so that a tree may be moved and a build folder copied. */
#ifndef BASE_PATHS_H
#define BASE_PATHS_H

#include "base/error.h"
#include "base/file.h"

/* The folder that holds templates/ and recipes/. STATUS_FAILED, with the folders looked in, when there is
 * none. */
enum status paths_home(char home[FILE_PATH_BYTES], struct error *error);

/* The folder of the user's own settings, $XDG_CONFIG_HOME/traumagen or ~/.config/traumagen, there or not; ""
 * where there is no home. Returns folder. */
char *paths_own(char folder[FILE_PATH_BYTES]);

#endif
