/* The tables that `trauma measure latency` and `trauma measure bandwidth` print: a row per level. */
#ifndef REPORT_LEVEL_TABLE_H
#define REPORT_LEVEL_TABLE_H

#include "runner/results/result_point.h"

#include <stdio.h>

/* Latency in cycles and in nanoseconds, with intervals and the source; a level that nothing observed has its
 * reason. Each point has the parameter "level". */
void level_table_latency(const struct result_points *points, FILE *to);

/* GB/s, with intervals: a row per level, operation (the parameter "op") and, of several copies, copy. */
void level_table_bandwidth(const struct result_points *points, FILE *to);

#endif
