/* Whether a thread had the units of its core for itself: by a loop of independent operations, timed in turn
 * with the kernel. */
#ifndef RUNNER_RESULTS_EVIDENCE_WIDTH_H
#define RUNNER_RESULTS_EVIDENCE_WIDTH_H

#include <stdbool.h>

/* The metric of that loop: operations per cycle. */
#define EVIDENCE_WIDTH "core.additions"

/* The width of a core that one thread has for itself, if so many additions per cycle show it: a whole number,
 * not below the least of this processor's ISA; 0: they do not. */
double evidence_width_of(double additions);

/* True if so many additions per cycle show another thread at work, or if nothing shows that there is none:
 * width is the largest that any round has shown on this core, 0 if none has. False where threads share no
 * core. */
bool evidence_width_is_shared(double additions, double width);

#endif
