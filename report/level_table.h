/* Tables of `trauma measure`: latency and bandwidth (a row per level), stress (a row per instruction mix). */
#ifndef REPORT_LEVEL_TABLE_H
#define REPORT_LEVEL_TABLE_H

#include "runner/results/result_point.h"

#include <stdio.h>

/* Prints the mixes, the most stressful first: sorted by dynamic power if more than half of them have one that
 * is trustworthy and above 0 (the others follow), else by vector bits per cycle (IPC times width). The last
 * lines name the first, the criterion and the command that runs it. The points have the parameters reach,
 * fma, width and threads. */
void stress_table(const struct result_points *points, FILE *to);

/* Prints latency in cycles and nanoseconds, with intervals and the source; of a level that was not observed,
 * the reason. Each point has the parameter "level". */
void level_table_latency(const struct result_points *points, FILE *to);

/* Prints GB/s with intervals: a row per level and operation (the parameter "op") and, if there are several
 * copies, per copy. */
void level_table_bandwidth(const struct result_points *points, FILE *to);

#endif
