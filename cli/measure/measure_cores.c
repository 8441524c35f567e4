/* trauma measure cores: the matrix of the times that a line takes from one core to another. */
#include "base/memory.h"
#include "cli/measure/measure_command.h"
#include "report/metric_value.h"
#include "report/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const accepted[] = {MEASURE_RECIPE_OPTIONS, NULL};
static const char METRIC[] = "coherence.pingpong_ns";

/* The cores of all points, in order. */
struct cores {
    int *items;
    size_t count;
};

static void add_core(struct cores *cores, int core)
{
    size_t at = 0;
    while (at < cores->count && cores->items[at] < core)
        at++;
    if (at < cores->count && cores->items[at] == core)
        return;
    cores->items = memory_resized(cores->items, cores->count + 1, sizeof *cores->items);
    for (size_t i = cores->count++; i > at; i--)
        cores->items[i] = cores->items[i - 1];
    cores->items[at] = core;
}

static int core_of(const struct result_point *point, const char *name)
{
    double core = result_parameter(point, name);
    return isfinite(core) ? (int)core : -1;
}

/* The point of the pair, in either order; NULL: there is none. */
static const struct result_point *find_pair(const struct result_points *points, int from, int to)
{
    for (size_t i = 0; i < points->count; i++) {
        const struct result_point *point = &points->items[i];
        int a = core_of(point, "a"), b = core_of(point, "b");
        if ((a == from && b == to) || (a == to && b == from))
            return point;
    }
    return NULL;
}

/* Half the interval's width as a share of the value, of the pair for which it is the greatest; NAN: none has
 * an interval. */
static double widest_interval(const struct result_points *points)
{
    double widest = NAN;
    for (size_t i = 0; i < points->count; i++) {
        struct metric_value seen;
        if (metric_value_of(&points->items[i], METRIC, &seen) && seen.value > 0)
            widest = fmax(widest, (seen.high - seen.low) / 2 / seen.value);
    }
    return widest;
}

static void fill(const struct result_points *points, const struct cores *cores, struct table *table)
{
    for (size_t row = 0; row < cores->count; row++) {
        table_cell(table, "core %d", cores->items[row]);
        for (size_t column = 0; column < cores->count; column++) {
            struct metric_value seen;
            const struct result_point *pair = find_pair(points, cores->items[row], cores->items[column]);
            bool has = pair != NULL && metric_value_of(pair, METRIC, &seen);
            char name[48];
            snprintf(name, sizeof name, "cores %d and %d", cores->items[row], cores->items[column]);
            if (has)
                table_cell(table, "%.1f%s", seen.value, seen.doubt[0] == '\0' ? "" : " ?");
            else
                table_cell(table, "-");
            if (has && row < column)
                table_doubt(table, seen.doubt, name);
        }
    }
}

/* The pairs that have no time, with the reason that their point states. */
static void print_missing(const struct result_points *points)
{
    for (size_t i = 0; i < points->count; i++) {
        const struct result_point *point = &points->items[i];
        struct metric_value seen;
        if (!metric_value_of(point, METRIC, &seen))
            printf("cores %d and %d: %s\n", core_of(point, "a"), core_of(point, "b"),
                   point->error == NULL ? "not observed" : point->error);
    }
}

static void print(const struct result_points *points)
{
    struct cores cores = {0};
    for (size_t i = 0; i < points->count; i++) {
        add_core(&cores, core_of(&points->items[i], "a"));
        add_core(&cores, core_of(&points->items[i], "b"));
    }
    struct table table = table_of("ns");
    for (size_t i = 0; i < cores.count; i++) {
        char title[24];
        snprintf(title, sizeof title, "core %d", cores.items[i]);
        table_add_column(&table, title, TABLE_RIGHT);
    }
    fill(points, &cores, &table);
    table_print(&table, stdout);
    print_missing(points);
    double widest = widest_interval(points);
    printf("\nnanoseconds from one core's turn at a line to the other's, one way; lower quartiles");
    if (isfinite(widest))
        printf(" whose intervals are within %.2g %%", 100 * widest);
    printf("; source: timing\n");
    table_free(&table);
    free(cores.items);
}

static int run(const struct options *options)
{
    static const struct measure_recipe question = {
        .command = "measure cores", .counters = "timing,bytes", .power = "none", .print = print};
    return measure_recipe(options, &question);
}

const struct command measure_cores = {
    .name = "measure cores",
    .arguments = "[OPTIONS]",
    .summary = "the time that a line takes from each core to each other",
    .details = "For each pair of cores, a line goes to and fro: each waits for its turn and hands over. The "
               "matrix states nanoseconds of one way: the lower quartile of many short rounds, in doubt "
               "where others disturbed most of them. --set a=0 measures the pairs of core 0; `trauma run "
               "coherence` measures lines by state, false sharing and atomics.\n",
    .examples = "  trauma measure cores --set a=0\n",
    .options = accepted,
    .run = run,
};
