/* The table that `trauma run` prints: one row per point that it ran. */
#ifndef CLI_RUN_TABLE_H
#define CLI_RUN_TABLE_H

#include <jansson.h>

/* Prints the points' lines of the results as a table on stdout. */
void run_table_print(const json_t *lines);

#endif
