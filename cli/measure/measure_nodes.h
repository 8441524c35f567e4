/* Tables of `measure latency --node` and `measure bandwidth --node`: a row for each NUMA node that the
 * program ran on, a column for each that had its data. */
#ifndef CLI_MEASURE_MEASURE_NODES_H
#define CLI_MEASURE_MEASURE_NODES_H

#include "runner/results/result_point.h"

/* Prints the points of recipes/measure/nodes.lua: of its benchmark node-latency, or node-bandwidth. */
void measure_nodes_latency(const struct result_points *points);
void measure_nodes_bandwidth(const struct result_points *points);

#endif
