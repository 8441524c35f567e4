/* The tables that `trauma measure latency` and `trauma measure bandwidth` print: a row per level. */
#ifndef REPORT_LEVEL_TABLE_H
#define REPORT_LEVEL_TABLE_H

#include <jansson.h>
#include <stdio.h>

/* Latency in cycles and in nanoseconds, with intervals and the source; a level that nothing observed has its
 * reason. lines: points of results whose parameter "level" names the level. */
void level_table_latency(const json_t *lines, FILE *to);

/* GB/s, with intervals: a row per level, operation (the parameter "op") and, of several copies, copy. */
void level_table_bandwidth(const json_t *lines, FILE *to);

#endif
