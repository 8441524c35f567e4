/* The conditions of a measurement (runner/conditions/conditions.h) as commands show and record them. */
#ifndef CLI_CONDITIONS_H
#define CLI_CONDITIONS_H

#include "cli/options.h"

#include <jansson.h>
#include <stdbool.h>

/* Looks at the machine for a moment (--sysfs-root), as measuring on the processor will find it: the list of
 * conditions_look. New reference. */
json_t *conditions_now(const struct options *options, int cpu, unsigned matters);

/* What matters to a run or check with these counter sources (--counters) and sensors. */
unsigned conditions_that_matter(const struct options *options, bool clock, bool power);

/* Says each of the warnings [{"what", "mend"}] on stderr, unless -q was given. */
void conditions_tell(const struct options *options, const json_t *warnings);

/* Looks and says at once. */
void conditions_tell_now(const struct options *options, int cpu, unsigned matters);

/* Prints all conditions of the list as a table on stdout. */
void conditions_print(const json_t *list);

#endif
