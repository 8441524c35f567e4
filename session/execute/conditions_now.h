/* The conditions of a measurement as they are now (runner/conditions/condition.h), and which of them matter.
 */
#ifndef SESSION_EXECUTE_CONDITIONS_NOW_H
#define SESSION_EXECUTE_CONDITIONS_NOW_H

#include "runner/conditions/condition.h"
#include "session/events.h"

#include <stdbool.h>

/* Observes the machine briefly, as a measurement on the processor would find it, and looks at what matters,
 * as conditions_look does. root: "" for the machine itself. */
struct found_condition *conditions_now(const char *root, int cpu, unsigned matters, size_t *count);

/* Adds those of them that are warnings. */
void conditions_warn_now(const char *root, int cpu, unsigned matters, struct warnings *warnings);

/* What matters to a run or check with these counter sources and sensors. */
unsigned conditions_that_matter(const char *counters, bool clock, bool power);

/* Passes on each warning. */
void conditions_tell(const struct session_events *events, const struct warnings *warnings);

#endif
