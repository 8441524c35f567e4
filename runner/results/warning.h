/* Warnings: a sentence, and the command that fixes the cause if there is one. */
#ifndef RUNNER_RESULTS_WARNING_H
#define RUNNER_RESULTS_WARNING_H

#include <jansson.h>

/* Appends {"what": sentence, "mend": command or null} to the list. */
__attribute__((format(printf, 3, 4))) void warning_add(json_t *warnings, const char *mend, const char *what,
                                                       ...);

#endif
