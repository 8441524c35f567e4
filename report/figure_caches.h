/* Marks on an axis of sizes: where the machine's caches end. */
#ifndef REPORT_FIGURE_CACHES_H
#define REPORT_FIGURE_CACHES_H

#include "report/figure.h"

/* Gives the panel, whose lines are there, a mark for each cache of the machine (as a context of results has
 * it) whose size lies between the least and the greatest x. Of an L2 of two sides also for one of them. */
void figure_mark_caches(struct arena *arena, const json_t *machine, struct figure_panel *panel);

#endif
