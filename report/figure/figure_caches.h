/* Marks the sizes of the machine's caches on an axis. */
#ifndef REPORT_FIGURE_FIGURE_CACHES_H
#define REPORT_FIGURE_FIGURE_CACHES_H

#include "report/figure/figure.h"
#include "runner/results/recorded_machine.h"

/* Adds a mark to the panel, whose lines exist already, for each cache of the machine whose size lies within
 * the range of x. For an L2 with two sides, also marks the size of one side. */
void figure_mark_caches(struct arena *arena, struct recorded_machine machine, struct figure_panel *panel);

#endif
