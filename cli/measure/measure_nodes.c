#include "cli/measure/measure_nodes.h"

#include "base/memory.h"
#include "report/metric_value.h"
#include "report/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows and columns ---- */

/* A row: where the program ran and, of bandwidths, what it did. */
struct node_row {
    double from;
    const char *op;
};

struct node_grid {
    struct node_row *rows;
    double *nodes; /* of the data */
    size_t row_count, node_count;
};

static const char *op_of(const struct result_point *point)
{
    const char *op = result_parameter_text(point, "op");
    return op == NULL ? "" : op;
}

static bool is_in_row(const struct result_point *point, const struct node_row *row)
{
    return result_parameter(point, "from") == row->from && strcmp(op_of(point), row->op) == 0;
}

static void note(struct node_grid *grid, const struct result_point *point)
{
    double node = result_parameter(point, "node");
    size_t row = 0, column = 0;
    while (row < grid->row_count && !is_in_row(point, &grid->rows[row]))
        row++;
    while (column < grid->node_count && grid->nodes[column] != node)
        column++;
    if (row == grid->row_count)
        grid->rows[grid->row_count++] = (struct node_row){result_parameter(point, "from"), op_of(point)};
    if (column == grid->node_count)
        grid->nodes[grid->node_count++] = node;
}

static struct node_grid grid_of(const struct result_points *points)
{
    struct node_grid grid = {memory_zeroed(points->count + 1, sizeof *grid.rows),
                             memory_zeroed(points->count + 1, sizeof *grid.nodes), 0, 0};
    for (size_t i = 0; i < points->count; i++)
        note(&grid, &points->items[i]);
    return grid;
}

/* ---- the table ---- */

static const char withheld[] = "withheld: its repetitions say nothing (see the warnings)";

static void add_cell(struct table *table, const struct result_point *point, const char *metric, double scale)
{
    struct metric_value seen;
    char text[192] = "-";
    const char *why = point == NULL ? NULL : point->error != NULL ? point->error : point->skipped;
    if (point != NULL && metric_value_of(point, metric, &seen)) {
        metric_value_write(&seen, scale, 4, text, sizeof text);
        table_doubt(table, metric_doubt(seen.low, seen.doubt), point->name);
    } else if (point != NULL) {
        table_note(table, why != NULL ? why : withheld, text, sizeof text);
    }
    table_cell(table, "%s", text);
}

static const struct result_point *point_at(const struct result_points *points, const struct node_row *row,
                                           double node)
{
    for (size_t i = 0; i < points->count; i++)
        if (is_in_row(&points->items[i], row) && result_parameter(&points->items[i], "node") == node)
            return &points->items[i];
    return NULL;
}

static void print(const struct result_points *points, const char *metric, double scale, bool has_op)
{
    struct node_grid grid = grid_of(points);
    struct table table = table_of(has_op ? "op|>from node" : ">from node");
    for (size_t i = 0; i < grid.node_count; i++) {
        char title[48];
        snprintf(title, sizeof title, "node %.0f", grid.nodes[i]);
        table_add_column(&table, title, TABLE_RIGHT);
    }
    for (size_t row = 0; row < grid.row_count; row++) {
        if (has_op)
            table_cell(&table, "%s", grid.rows[row].op);
        table_cell(&table, "%.0f", grid.rows[row].from);
        for (size_t i = 0; i < grid.node_count; i++)
            add_cell(&table, point_at(points, &grid.rows[row], grid.nodes[i]), metric, scale);
    }
    table_finish(&table, stdout);
    free(grid.rows);
    free(grid.nodes);
}

void measure_nodes_latency(const struct result_points *points)
{
    printf("Load latency of memory in nanoseconds, by the NUMA node of the data\n\n");
    print(points, "latency.MEM_ns", 1, false);
}

void measure_nodes_bandwidth(const struct result_points *points)
{
    printf(
        "Bandwidth of memory in GB/s of all processors of a node together, by the NUMA node of the data\n\n");
    print(points, "bandwidth.MEM", 1e-9, true);
}
