/* trauma measure sharing: the cost of a line that another core left, by its state and its place. */
#include "base/memory.h"
#include "base/units.h"
#include "cli/measure/measure_command.h"
#include "generator/metric/metric.h"
#include "report/metric_value.h"
#include "report/table.h"
#include "runner/results/result_point.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const accepted[] = {"op", MEASURE_RECIPE_OPTIONS, NULL};
static const char *const operations[] = {"latency", "read", "copy", NULL};
static const char *const states[] = {"modified", "exclusive", "shared"};
enum { OPERATIONS = 3, STATES = 3 };

/* The points of one state of lines in one place. */
struct shared_place {
    const char *name, *state;
    double window; /* bytes */
    const struct result_point *points[OPERATIONS];
};

struct shared_places {
    struct shared_place *items;
    size_t count;
};

static size_t index_in(const char *const *names, size_t count, const char *name)
{
    size_t i = 0;
    while (i < count && strcmp(names[i], name) != 0)
        i++;
    return i;
}

/* The word of the sweep; "": none. */
static const char *text_of(const struct result_point *point, const char *name)
{
    const char *text = result_parameter_text(point, name);
    return text == NULL ? "" : text;
}

static void add_point(struct shared_places *places, const struct result_point *point)
{
    struct shared_place wanted = {.name = text_of(point, "place"),
                                  .state = text_of(point, "state"),
                                  .window = result_parameter(point, "window")};
    size_t op = index_in(operations, OPERATIONS, text_of(point, "op"));
    size_t at = 0;
    while (at < places->count &&
           (strcmp(places->items[at].name, wanted.name) != 0 ||
            strcmp(places->items[at].state, wanted.state) != 0 || places->items[at].window != wanted.window))
        at++;
    if (op == OPERATIONS)
        return;
    if (at == places->count) {
        places->items = memory_resized(places->items, places->count + 1, sizeof *places->items);
        places->items[places->count++] = wanted;
    }
    places->items[at].points[op] = point;
}

/* Smaller windows first, then the order of the states. */
static int by_place(const void *left, const void *right)
{
    const struct shared_place *a = left, *b = right;
    if (a->window != b->window)
        return a->window < b->window ? -1 : 1;
    size_t first = index_in(states, STATES, a->state), second = index_in(states, STATES, b->state);
    return (first > second) - (first < second);
}

static void cell(struct table *table, const struct result_point *point, const char *metric, const char *row)
{
    struct metric_value seen;
    char text[128] = "-";
    if (point != NULL && metric_value_of(point, metric, &seen)) {
        metric_value_write(&seen, metric_scale(metric), 3, text, sizeof text);
        table_doubt(table, seen.doubt, row);
    }
    table_cell(table, "%s", text);
}

static void fill(const struct shared_places *places, struct table *table)
{
    for (size_t i = 0; i < places->count; i++) {
        const struct shared_place *place = &places->items[i];
        char metric[METRIC_BYTES], size[32], name[64];
        snprintf(name, sizeof name, "%.24s, %.24s", place->name, place->state);
        snprintf(metric, sizeof metric, "coherence.%s_ns", place->state);
        table_texts(table, place->name, units_show_size((uint64_t)place->window, size, sizeof size),
                    place->state);
        cell(table, place->points[0], metric, name);
        cell(table, place->points[1], metric, name);
        cell(table, place->points[1], "coherence.bandwidth", name);
        cell(table, place->points[2], "coherence.bandwidth", name);
    }
}

/* Bytes that each copy of the point loaded or copied in all repetitions; 0: unknown. */
static double bytes_moved(const struct result_point *point)
{
    struct metric_value seen;
    double ticks = 0;
    for (size_t i = 0; i < point->rep_count; i++)
        ticks += point->reps[i].ticks;
    bool known = metric_value_of(point, "coherence.bandwidth", &seen) && point->ticks_per_s > 0;
    return known ? ticks / point->ticks_per_s * seen.value : 0;
}

static void print_missing(const struct result_points *points)
{
    for (size_t i = 0; i < points->count; i++) {
        const struct result_point *point = &points->items[i];
        struct metric_value seen;
        if (!metric_value_of(point, "coherence.bandwidth", &seen))
            printf("%s, %s, %s: %s\n", text_of(point, "place"), text_of(point, "state"), text_of(point, "op"),
                   point->error != NULL     ? point->error
                   : point->skipped != NULL ? point->skipped
                                            : "not observed");
    }
}

static void print_notes(const struct result_points *points)
{
    double least = INFINITY;
    size_t sharers = 0;
    for (size_t i = 0; i < points->count; i++) {
        const struct result_point *point = &points->items[i];
        size_t copies = point->copy_count;
        double bytes = bytes_moved(point);
        bool shared = strcmp(text_of(point, "state"), "shared") == 0;
        if (shared && copies > sharers)
            sharers = copies;
        if (bytes > 0)
            least = fmin(least, bytes);
    }
    printf(
        "\nEach time, another core leaves the lines of a window in this state in this cache. Then this core "
        "loads them one after\nanother (latency), reads a word of each (read), or copies them into its own "
        "L1 "
        "(copy).\n");
    if (isfinite(least))
        printf(
            "Each number is from %.3g MB or more that each core loaded; 95 %% intervals; source: timing.\n",
            least * 1e-6);
    if (sharers == 2)
        printf("Shared between two cores: this core has read the lines too, so its own caches hold what "
               "fits. With a third core, two\nothers share them.\n");
    else if (sharers > 2)
        printf("Shared: two other cores have read the lines, and this one has not.\n");
}

static void print(const struct result_points *points)
{
    struct shared_places places = {0};
    for (size_t i = 0; i < points->count; i++)
        add_point(&places, &points->items[i]);
    if (places.count > 0)
        qsort(places.items, places.count, sizeof *places.items, by_place);
    struct table table =
        table_of("lines in|>window|state|>latency, ns|>read, ns per line|>read, GB/s|>copy, GB/s");
    fill(&places, &table);
    table_print(&table, stdout);
    print_missing(points);
    print_notes(points);
    table_free(&table);
    free(places.items);
}

static int run(const struct options *options)
{
    static const struct measure_recipe question = {.command = "measure sharing",
                                                   .ops = operations,
                                                   .counters = "timing",
                                                   .power = "none",
                                                   .print = print};
    return measure_recipe(options, &question);
}

const struct command measure_sharing = {
    .name = "measure sharing",
    .arguments = "[--op latency|read|copy] [OPTIONS]",
    .summary = "the cost of lines that another core left modified, exclusive or shared",
    .details =

        "64 MiB are read and copied from another core, one window at a time. That core first leaves the "
        "window's lines modified, exclusive or shared, in its L1, in its L2, or beyond both; then this "
        "core's loads are timed. (A region that no cache holds would come from memory in any state.) "
        "--set place=L1 measures one place, --set state=modified,shared some states; --set total=256MiB "
        "transfers more.\n",
    .options = accepted,
    .run = run,
};
