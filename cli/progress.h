/* A progress line on stderr for work that takes over a second: only on a terminal, and erased at the end. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "cli/options/options.h"

#include <stddef.h>

struct progress {
    const char *what; /* "points run" */
    size_t total;
    double start_s;
    bool shown;
    bool allowed;
};

struct progress progress_start(const struct options *options, const char *what, size_t total);

/* Draws the line for `done` finished items; nothing in the first second. */
void progress_step(struct progress *progress, size_t done);

/* Erases the line. */
void progress_end(struct progress *progress);

#endif
