/* The conditions of a measurement as they are now (runner/conditions/condition.h), and which of them matter.
 */
#ifndef SESSION_EXECUTE_CONDITIONS_NOW_H
#define SESSION_EXECUTE_CONDITIONS_NOW_H

#include "session/events.h"

#include <jansson.h>
#include <stdbool.h>

/* Observes the machine briefly, as a measurement on the processor would find it: the list of conditions_look.
 * root: "" for the machine itself. New reference. */
json_t *conditions_now(const char *root, int cpu, unsigned matters);

/* What matters to a run or check with these counter sources and sensors. */
unsigned conditions_that_matter(const char *counters, bool clock, bool power);

/* Warns of each of [{"what", "mend"}]. */
void conditions_tell(const struct session_events *events, const json_t *warnings);

/* conditions_now, then conditions_tell. */
void conditions_tell_now(const struct session_events *events, const char *root, int cpu, unsigned matters);

#endif
