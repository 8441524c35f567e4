/* The present conditions of a measurement (runner/conditions/condition.h), and which of them matter. */
#ifndef SESSION_EXECUTE_CONDITIONS_NOW_H
#define SESSION_EXECUTE_CONDITIONS_NOW_H

#include "runner/conditions/condition.h"
#include "session/events.h"

#include <stdbool.h>

/* Observes the machine briefly and finds the conditions that matter to a measurement on the processor cpu
 * (conditions_look). root: root folder of /sys and /proc; "": the machine's own. */
struct found_condition *conditions_now(const char *root, int cpu, unsigned matters, size_t *count);

/* Sets the empty *warnings to the present conditions that are warnings, and reports them unless events is
 * NULL. */
void conditions_warn_now(const char *root, int cpu, unsigned matters, const struct session_events *events,
                         struct warnings *warnings);

/* The effects that matter to a run or check: with its counter sources, with the clock, with power. */
unsigned conditions_that_matter(const char *counters, bool clock, bool power);

#endif
