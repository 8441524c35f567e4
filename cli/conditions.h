/* How commands show and record the conditions of a measurement (runner/conditions/condition.h). */
#ifndef CLI_CONDITIONS_H
#define CLI_CONDITIONS_H

#include "cli/options.h"

#include <jansson.h>
#include <stdbool.h>

/* Observes the machine briefly (--sysfs-root), as a measurement on the processor would find it: the list of
 * conditions_look. New reference. */
json_t *conditions_now(const struct options *options, int cpu, unsigned matters);

/* What matters to a run or check with these counter sources (--counters) and sensors. */
unsigned conditions_that_matter(const struct options *options, bool clock, bool power);

/* Prints each of the warnings [{"what", "mend"}] on stderr, unless -q was given. */
void conditions_tell(const struct options *options, const json_t *warnings);

/* conditions_now, then conditions_tell. */
void conditions_tell_now(const struct options *options, int cpu, unsigned matters);

/* Prints all conditions of the list as a table on stdout. */
void conditions_print(const json_t *list);

#endif
