/* The time of turns from many short rounds. A disturbance only lengthens a round, and one that is far longer
 * than a round leaves most of them alone: the value is their lower quartile. */
#ifndef RUNNER_SOURCES_TIMING_SHORT_TURNS_H
#define RUNNER_SOURCES_TIMING_SHORT_TURNS_H

#include "base/stats.h"

#include <stdbool.h>
#include <stddef.h>

/* The lower quartile of the rounds, and its bootstrap interval. *agree: whether it is at most a tenth above
 * the fastest twentieth; else most rounds were interrupted, each for another time, and there is no interval.
 */
struct interval short_turns_value(const double *rounds, size_t count, bool *agree);

#endif
