/* The table that `trauma run` prints: one row per point that it ran. */
#ifndef REPORT_RUN_TABLE_H
#define REPORT_RUN_TABLE_H

#include <jansson.h>
#include <stdio.h>

/* Prints the points' lines of the results as a table. */
void run_table_print(const json_t *lines, FILE *to);

#endif
