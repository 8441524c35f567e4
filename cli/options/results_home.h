/* Where a question's results are: the file of -o or, without it, one in a folder of its own that goes at the
 * end. */
#ifndef CLI_OPTIONS_RESULTS_HOME_H
#define CLI_OPTIONS_RESULTS_HOME_H

#include "base/error.h"
#include "base/file.h"

/* All zeros is none. */
struct results_home {
    char folder[FILE_PATH_BYTES]; /* "": none of its own */
    char path[FILE_PATH_BYTES];
};

/* output: of -o; NULL: none. STATUS_FAILED if no folder can be made. */
enum status results_home_open(const char *output, struct results_home *home, struct error *error);

void results_home_close(const struct results_home *home);

#endif
