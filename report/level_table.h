/* The tables that `trauma measure` prints of latency and bandwidth (a row per level) and of stress (a row per
 * mix). */
#ifndef REPORT_LEVEL_TABLE_H
#define REPORT_LEVEL_TABLE_H

#include "runner/results/result_point.h"

#include <stdio.h>

/* The mixes in order, the first the one that stresses most: by dynamic power where more than half have one
 * that is trustworthy and above 0, the others after these; else by the bits of vectors per cycle (IPC times
 * width). The last lines say which, with the command that runs the first. The points have the
 * parameters reach, fma, width and threads. */
void stress_table(const struct result_points *points, FILE *to);

/* Latency in cycles and in nanoseconds, with intervals and the source; a level that nothing observed has its
 * reason. Each point has the parameter "level". */
void level_table_latency(const struct result_points *points, FILE *to);

/* GB/s, with intervals: a row per level, operation (the parameter "op") and, of several copies, copy. */
void level_table_bandwidth(const struct result_points *points, FILE *to);

#endif
