/* Warnings: a sentence, and the command that fixes the cause if there is one. */
#ifndef RUNNER_RESULTS_WARNING_H
#define RUNNER_RESULTS_WARNING_H

#include "base/arena.h"

#include <stddef.h>

struct result_warning {
    const char *what, *mend; /* mend: the command; "": none is known */
};

/* All zeros is empty. Owns its texts. */
struct warnings {
    struct result_warning *items;
    size_t count;
    struct arena arena;
};

/* mend: the command; NULL: none is known. */
__attribute__((format(printf, 3, 4))) void warning_add(struct warnings *warnings, const char *mend,
                                                       const char *what, ...);

/* Adds copies of more. */
void warnings_extend(struct warnings *warnings, const struct warnings *more);

void warnings_free(struct warnings *warnings);

#endif
