/* Whether a thread had its core's execution units for itself, from a loop of independent operations that is
 * timed in turn with the kernel. */
#ifndef RUNNER_RESULTS_EVIDENCE_WIDTH_H
#define RUNNER_RESULTS_EVIDENCE_WIDTH_H

#include <stdbool.h>

/* The metric of that loop: operations per cycle. */
#define EVIDENCE_WIDTH "core.additions"

/* The width of the core, from the additions per cycle of a thread that has it for itself: the nearest whole
 * number. 0: they are not near one, or fewer than the least width of this processor's ISA, so that the thread
 * may not have the core for itself. */
double evidence_width_of(double additions);

/* True if that many additions per cycle show that another thread uses the core, or cannot rule it out. width:
 * the largest evidence_width_of on this core in any round. Always false where threads share no core. */
bool evidence_width_is_shared(double additions, double width);

#endif
