/* The file that holds a question's results: that of -o or else a file without a name, which vanishes
 * whichever way the command ends. */
#ifndef CLI_OPTIONS_RESULTS_HOME_H
#define CLI_OPTIONS_RESULTS_HOME_H

#include "base/error.h"
#include "base/file.h"

/* All zeros is none. */
struct results_home {
    int file; /* 1 + descriptor of a file without a name; 0: none */
    char path[FILE_PATH_BYTES];
};

/* output: the file of -o, or NULL. STATUS_FAILED if no file can be made. */
enum status results_home_open(const char *output, struct results_home *home, struct error *error);

void results_home_close(const struct results_home *home);

#endif
