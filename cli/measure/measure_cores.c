/* trauma measure cores: the matrix of the times of a cache line from one core to another. */
#include "base/memory.h"
#include "cli/measure/measure_command.h"
#include "generator/machine/core_kinds.h"
#include "report/metric_value.h"
#include "report/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const accepted[] = {"csv", MEASURE_RECIPE_OPTIONS, NULL};
static const char METRIC[] = "coherence.pingpong_ns";

/* The cores of all points, in order. */
struct cores {
    int *items;
    size_t count;
    const struct result_point **pairs; /* count * count */
};

/* The place of the core in the list, or the place for it. */
static size_t place_of(const struct cores *cores, int core)
{
    size_t at = 0;
    while (at < cores->count && cores->items[at] < core)
        at++;
    return at;
}

static void add_core(struct cores *cores, int core)
{
    size_t at = place_of(cores, core);
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

/* The cores of all points, and the point of each pair, or NULL. The caller frees items and pairs. */
static struct cores cores_of(const struct result_points *points)
{
    struct cores cores = {0};
    for (size_t i = 0; i < points->count; i++) {
        add_core(&cores, core_of(&points->items[i], "a"));
        add_core(&cores, core_of(&points->items[i], "b"));
    }
    cores.pairs = memory_zeroed(cores.count * cores.count + 1, sizeof *cores.pairs);
    for (size_t i = 0; i < points->count; i++) {
        size_t a = place_of(&cores, core_of(&points->items[i], "a"));
        size_t b = place_of(&cores, core_of(&points->items[i], "b"));
        cores.pairs[a * cores.count + b] = cores.pairs[b * cores.count + a] = &points->items[i];
    }
    return cores;
}

/* The largest half-width of an interval, as a share of its value; NAN: no pair has an interval. */
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

/* Rows name the kind of core where there are several. */
static void fill(const struct cores *cores, const struct core_kinds *kinds, struct table *table)
{
    for (size_t row = 0; row < cores->count; row++) {
        const struct core_kind *kind =
            kinds->count > 1 ? core_kinds_of(kinds, (unsigned)cores->items[row]) : NULL;
        table_cell(table, "core %d%s%s", cores->items[row], kind == NULL ? "" : ", ",
                   kind == NULL ? "" : kind->name);
        for (size_t column = 0; column < cores->count; column++) {
            struct metric_value seen;
            const struct result_point *pair = cores->pairs[row * cores->count + column];
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
    struct cores cores = cores_of(points);
    struct table table = table_of("ns");
    for (size_t i = 0; i < cores.count; i++) {
        char title[24];
        snprintf(title, sizeof title, "core %d", cores.items[i]);
        table_add_column(&table, title, TABLE_RIGHT);
    }
    struct core_kinds kinds = core_kinds_at("");
    fill(&cores, &kinds, &table);
    core_kinds_free(&kinds);
    table_print(&table, stdout);
    print_missing(points);
    double widest = widest_interval(points);
    printf("\nnanoseconds from one core's turn at a line to the other's, one way; lower quartiles");
    if (isfinite(widest))
        printf(" whose intervals are within %.2g %%", 100 * widest);
    printf("; source: timing\n");
    table_free(&table);
    free(cores.items);
    free(cores.pairs);
}

/* A line per core, in the format of core-to-core-latency: the times to the cores before it, then empty cells.
 * Times in doubt are printed; a pair without a time is an empty cell. */
static void print_csv(const struct result_points *points)
{
    struct cores cores = cores_of(points);
    for (size_t row = 0; row < cores.count; row++)
        for (size_t column = 0; column < cores.count; column++) {
            struct metric_value seen;
            const struct result_point *pair = cores.pairs[row * cores.count + column];
            if (column < row && pair != NULL && metric_value_of(pair, METRIC, &seen))
                printf("%.10g", seen.value);
            putchar(column + 1 < cores.count ? ',' : '\n');
        }
    free(cores.items);
    free(cores.pairs);
}

static int run(const struct options *options)
{
    static const struct measure_recipe question = {.command = "measure cores",
                                                   .counters = "timing,bytes",
                                                   .power = "none",
                                                   .pairs = true,
                                                   .print = print,
                                                   .print_csv = print_csv};
    return measure_recipe(options, &question);
}

const struct command measure_cores = {
    .name = "measure cores",
    .arguments = "[--csv] [OPTIONS]",
    .summary = "the time that a cache line takes from each core to each other core",
    .details =

        "For each pair of cores, a cache line goes to and fro: each core waits for its turn and hands "
        "over. The matrix has the nanoseconds of one way: the lower quartile of many short rounds, in "
        "doubt if others disturbed most of them. Pairs without a common core are timed at the same time: "
        "n cores take n - 1 rounds in random order (n, if n is odd). A pair whose rounds disagree is "
        "timed again, at most twice; it is withheld if its two halves contradict each other every time. A "
        "sample of pairs is also timed alone: pairs that differ by a tenth are in doubt, and if many "
        "differ, all are. Cores that are offline or outside the cpuset are left out. With --power, "
        "--time, --reps or --resume, each pair is measured alone.\n"
        "\n"
        "--csv prints one line per core with the times to the cores before it, in nanoseconds, in the "
        "format of core-to-core-latency. --set a=0 measures the pairs of core 0. `trauma run coherence` "
        "measures lines by state, false sharing and atomics.\n",
    .examples = "  trauma measure cores --figure cores.svg\n"
                "  trauma measure cores --csv >cores.csv\n",
    .options = accepted,
    .run = run,
};
