/* The table that `trauma measure stress` prints: the mixes by what they draw, or by what they work on. */
#ifndef REPORT_STRESS_TABLE_H
#define REPORT_STRESS_TABLE_H

#include "runner/results/result_point.h"

#include <stdio.h>

/* The mixes in order, the first the one that stresses most: by dynamic power where more than half have one
 * that is trustworthy and above 0, the others after these; else by the bits of vectors per cycle (IPC times
 * width). The last lines say which, with the command that runs the first. The points have the
 * parameters reach, fma, width and threads. */
void stress_table(const struct result_points *points, FILE *to);

#endif
