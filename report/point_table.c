#include "report/point_table.h"

#include "base/memory.h"
#include "generator/metric/metric.h"
#include "report/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The metrics that a row shows beside its main rate. */
enum {
    METRIC_MAIN,
    METRIC_IPC,
    METRIC_BANDWIDTH,
    METRIC_LATENCY,
    METRIC_LATENCY_NS,
    METRIC_TICKS_PER_LOAD,
    METRICS
};

/* Those of a level, which the cell names. */
static const struct {
    int metric;
    const char *name;  /* of the metric, with a star for the level */
    const char *title; /* of the column */
    double scale;
} of_levels[] = {{METRIC_BANDWIDTH, "bandwidth.*", "GB/s", 1e-9},
                 {METRIC_LATENCY, "latency.*", "latency, cycles", 1},
                 {METRIC_LATENCY_NS, "latency.*_ns", "latency, ns", 1}};
enum { OF_LEVELS = sizeof of_levels / sizeof of_levels[0] };

struct point_row {
    const char *point;
    double index;
    struct point_cost cost;
    const char *main_metric;     /* NULL: nothing is promised */
    const char *levels[METRICS]; /* NULL: of none */
    double metrics[METRICS];     /* not finite: not observed */
    const char *word;
    enum verdict verdict;
};

/* Columns by number; what METRIC_... says has METRIC_COLUMN added. */
enum { COLUMN_POINT, COLUMN_TIME, COLUMN_POWER, COLUMN_VERDICT, METRIC_COLUMN };

/* A prediction is never shown as what was seen. */
static double seen_of(const struct result_rate *rate)
{
    const struct observation *best = rate == NULL ? NULL : result_rate_best(rate);
    return best == NULL || strcmp(best->kind, "predicted") == 0 ? NAN : best->value;
}

static bool is_required_share(const struct result_rate *rate)
{
    return strncmp(rate->metric, "served.", 7) == 0 && !isnan(rate->target);
}

/* The rate that the point is about: the first required one that is no property of the instructions' list; of
 * shares of levels the largest. */
static const struct result_rate *main_rate(const struct result_rates *rates)
{
    const struct result_rate *chief = NULL;
    for (size_t i = 0; i < rates->count; i++) {
        const struct result_rate *rate = &rates->items[i];
        bool listed = strncmp(rate->metric, "mix.", 4) == 0 || strcmp(rate->metric, "body.share") == 0;
        if (chief == NULL && !listed && !isnan(rate->target))
            chief = rate;
        else if (chief != NULL && is_required_share(chief) && is_required_share(rate) &&
                 rate->target > chief->target)
            chief = rate;
    }
    return chief;
}

/* Of several levels the one with the most: that moves the most bytes. */
static void find_level(struct point_table *table, const struct result_rates *rates, size_t which,
                       struct point_row *row)
{
    int metric = of_levels[which].metric;
    row->metrics[metric] = -INFINITY;
    for (size_t i = 0; i < rates->count; i++) {
        const char *name = rates->items[i].metric;
        const struct metric *found = metric_find(name);
        double seen = seen_of(&rates->items[i]);
        size_t length = 0;
        char level[16];
        if (found == NULL || strcmp(found->name, of_levels[which].name) != 0 || isnan(seen) ||
            seen <= row->metrics[metric])
            continue;
        row->metrics[metric] = seen;
        const char *part = metric_part(found, name, &length);
        snprintf(level, sizeof level, "%.*s", (int)length, part);
        row->levels[metric] = arena_strdup(&table->arena, level);
    }
}

static const struct {
    enum verdict verdict;
    const char *word;
} words[] = {{VERDICT_FAIL, "fail"},
             {VERDICT_INCONCLUSIVE, "inconclusive"},
             {VERDICT_DISPUTED, "pass, disputed"},
             {VERDICT_UNOBSERVED, "unobserved"},
             {VERDICT_PASS_CODE, "pass (code)"},
             {VERDICT_PASS, "pass"},
             {VERDICT_NOT_APPLICABLE, "not applicable"}};
enum { WORDS = sizeof words / sizeof words[0] };

static size_t count_of(const struct result_rates *rates, enum verdict verdict)
{
    size_t count = 0;
    for (size_t i = 0; i < rates->count; i++)
        count += rates->items[i].verdict == verdict;
    return count;
}

static void find_verdict(const struct check_finding *finding, struct point_row *row)
{
    const struct result_rates *rates = &finding->rates;
    size_t i = 0;
    while (i < WORDS && count_of(rates, words[i].verdict) == 0)
        i++;
    row->verdict = i == WORDS ? VERDICT_OBSERVED : words[i].verdict;
    row->word = i < WORDS ? words[i].word : "nothing promised";
    size_t passed = count_of(rates, VERDICT_PASS) + count_of(rates, VERDICT_PASS_CODE);
    if (row->verdict == VERDICT_UNOBSERVED && passed > 0)
        row->word = "partly unobserved";
    if (finding->cost.idle)
        row->word = "idle";
    if (finding->cost.skipped && row->verdict != VERDICT_FAIL)
        row->word = "skipped";
    if (finding->failure == NULL)
        return;
    row->word = failure_word(finding->code);
    row->verdict = failure_verdict(finding->code);
}

/* The time that bandwidth and latency follow from, if it was observed: rounds in which nothing else ran. Else
 * that of the repetitions. */
static void find_time(const struct result_rates *rates, struct point_row *row)
{
    static const double NS = 1e-9;
    const struct result_rate *rate = result_rates_find(rates, "pass.ns");
    const struct observation *best = rate == NULL ? NULL : result_rate_best(rate);
    if (best != NULL)
        row->cost.pass_s =
            (struct interval){best->value * NS, best->low * NS, best->high * NS, (size_t)best->n};
}

const char *finding_word(const struct check_finding *finding)
{
    struct point_row row;
    find_verdict(finding, &row);
    return row.word;
}

void point_table_add(struct point_table *table, const struct check_finding *finding)
{
    const struct result_rates *rates = &finding->rates;
    const struct result_rate *chief = main_rate(rates);
    char name[512];
    if (table->count == table->capacity) {
        table->capacity = table->capacity == 0 ? 64 : 2 * table->capacity;
        table->rows = memory_resized(table->rows, table->capacity, sizeof *table->rows);
    }
    struct point_row *row = &table->rows[table->count++];
    snprintf(name, sizeof name, "%s/%s", finding->benchmark, finding->point);
    *row =
        (struct point_row){.point = arena_strdup(&table->arena, name),
                           .index = finding->index,
                           .cost = finding->cost,
                           .main_metric = chief == NULL ? NULL : arena_strdup(&table->arena, chief->metric),
                           .metrics = {[METRIC_MAIN] = seen_of(chief),
                                       [METRIC_IPC] = seen_of(result_rates_find(rates, "ipc")),
                                       [METRIC_TICKS_PER_LOAD] = finding->cost.ticks_per_load}};
    find_time(rates, row);
    for (size_t i = 0; i < OF_LEVELS; i++)
        find_level(table, rates, i, row);
    find_verdict(finding, row);
}

/* ---- columns ---- */

/* A file's metric may be any text; a column's title is a short plain one. */
static bool is_title(const char *metric)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    size_t length = strspn(metric, plain);
    return length < POINT_TITLE_BYTES && metric[length] == '\0';
}

/* The main metric of all rows that have one; NULL if they differ, or if it cannot be a title. */
static const char *common_metric(const struct point_table *table)
{
    const char *common = NULL;
    for (size_t i = 0; i < table->count; i++) {
        const char *own = table->rows[i].main_metric;
        if (own != NULL && common != NULL && strcmp(own, common) != 0)
            return NULL;
        common = common == NULL ? own : common;
    }
    return common == NULL || !is_title(common) ? NULL : common;
}

static bool any_metric(const struct point_table *table, size_t metric)
{
    for (size_t i = 0; i < table->count; i++)
        if (isfinite(table->rows[i].metrics[metric]))
            return true;
    return false;
}

/* How the column of times is written: seconds in the largest unit that leaves the shortest pass above ten, or
 * ticks if a point has only these. */
struct time_unit {
    const char *title;
    double scale; /* 0: ticks; NAN: no point has a time */
};

static struct time_unit time_unit_of(const struct point_table *table)
{
    static const struct time_unit all[] = {
        {"s/pass", 1}, {"ms/pass", 1e3}, {"us/pass", 1e6}, {"ns/pass", 1e9}};
    double least = INFINITY;
    bool ticks = false;
    for (size_t i = 0; i < table->count; i++) {
        const struct point_cost *cost = &table->rows[i].cost;
        if (cost->pass_s.n > 0)
            least = fmin(least, cost->pass_s.value);
        else
            ticks = ticks || cost->pass_ticks.n > 0;
    }
    if (ticks)
        return (struct time_unit){"ticks/pass", 0};
    if (!isfinite(least))
        return (struct time_unit){"", NAN};
    size_t i = 0;
    while (i + 1 < sizeof all / sizeof all[0] && least * all[i].scale < 10)
        i++;
    return all[i];
}

static void add_column(struct point_column *columns, size_t *count, int what, const char *title)
{
    struct point_column *column = &columns[(*count)++];
    *column =
        (struct point_column){.is_number = what != COLUMN_POINT && what != COLUMN_VERDICT, .what = what};
    snprintf(column->title, sizeof column->title, "%s", title);
}

size_t point_table_columns(const struct point_table *table, struct point_column columns[POINT_COLUMNS])
{
    size_t count = 0;
    bool power = false;
    for (size_t i = 0; i < table->count; i++)
        power = power || table->rows[i].cost.power_w.n > 0;
    add_column(columns, &count, COLUMN_POINT, "point");
    if (!isnan(time_unit_of(table).scale))
        add_column(columns, &count, COLUMN_TIME, time_unit_of(table).title);
    if (any_metric(table, METRIC_MAIN))
        add_column(columns, &count, METRIC_COLUMN + METRIC_MAIN,
                   common_metric(table) == NULL ? "main rate" : common_metric(table));
    if (any_metric(table, METRIC_IPC))
        add_column(columns, &count, METRIC_COLUMN + METRIC_IPC, "IPC");
    else if (any_metric(table, METRIC_TICKS_PER_LOAD))
        add_column(columns, &count, METRIC_COLUMN + METRIC_TICKS_PER_LOAD, "ticks/load");
    for (size_t i = 0; i < OF_LEVELS; i++)
        if (any_metric(table, (size_t)of_levels[i].metric))
            add_column(columns, &count, METRIC_COLUMN + of_levels[i].metric, of_levels[i].title);
    if (power)
        add_column(columns, &count, COLUMN_POWER, "dynamic W");
    add_column(columns, &count, COLUMN_VERDICT, "verdict");
    return count;
}

/* With four significant digits, and no exponent unless it is needed. */
static void write_number(double value, char *text, size_t capacity)
{
    double size = fabs(value);
    int digits = size >= 1000 || size == 0 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3;
    if (size != 0 && (size < 1 || size >= 1e9))
        snprintf(text, capacity, "%.4g", value);
    else
        snprintf(text, capacity, "%.*f", digits, value);
}

static void write_time(const struct point_table *table, const struct point_row *row, char *text,
                       size_t capacity)
{
    double scale = time_unit_of(table).scale;
    if (scale == 0 && row->cost.pass_ticks.n > 0)
        snprintf(text, capacity, "%.1f", row->cost.pass_ticks.value);
    else if (scale > 0 && row->cost.pass_s.n > 0)
        write_number(row->cost.pass_s.value * scale, text, capacity);
}

static void write_metric(const struct point_table *table, const struct point_row *row, int metric, char *text,
                         size_t capacity)
{
    char number[32];
    double value = row->metrics[metric];
    if (!isfinite(value))
        return;
    for (size_t i = 0; i < OF_LEVELS; i++)
        value *= of_levels[i].metric == metric ? of_levels[i].scale : 1;
    if (metric == METRIC_MAIN)
        snprintf(number, sizeof number, "%.4g", value);
    else
        write_number(value, number, sizeof number);
    const char *before = row->levels[metric] != NULL                             ? row->levels[metric]
                         : metric == METRIC_MAIN && common_metric(table) == NULL ? row->main_metric
                                                                                 : "";
    snprintf(text, capacity, "%s%s%s", before, before[0] == '\0' ? "" : " ", number);
}

void point_table_cell(const struct point_table *table, const struct point_column *column, size_t row_index,
                      char *text, size_t capacity)
{
    const struct point_row *row = &table->rows[row_index];
    text[0] = '\0';
    if (column->what == COLUMN_POINT)
        snprintf(text, capacity, "%s", row->point);
    else if (column->what == COLUMN_TIME)
        write_time(table, row, text, capacity);
    else if (column->what == COLUMN_POWER && row->cost.power_w.n > 0)
        snprintf(text, capacity, "%.3g%s", row->cost.power_w.value, row->cost.power_doubtful ? " ?" : "");
    else if (column->what == COLUMN_VERDICT)
        snprintf(text, capacity, "%s", row->word);
    else if (column->what >= METRIC_COLUMN)
        write_metric(table, row, column->what - METRIC_COLUMN, text, capacity);
}

enum verdict point_table_verdict(const struct point_table *table, size_t row)
{
    return table->rows[row].verdict;
}

static int by_index(const void *a, const void *b)
{
    const struct point_row *one = a, *other = b;
    return (one->index > other->index) - (one->index < other->index);
}

void point_table_sort(struct point_table *table)
{
    if (table->count > 1)
        qsort(table->rows, table->count, sizeof *table->rows, by_index);
}

void point_table_print(const struct point_table *table, FILE *to)
{
    struct point_column columns[POINT_COLUMNS];
    struct table_column heads[POINT_COLUMNS];
    size_t count = point_table_columns(table, columns);
    for (size_t i = 0; i < count; i++)
        heads[i] = (struct table_column){columns[i].title, columns[i].is_number ? TABLE_RIGHT : TABLE_LEFT};
    struct table shown = {.columns = heads, .column_count = count};
    for (size_t row = 0; row < table->count; row++)
        for (size_t i = 0; i < count; i++) {
            char text[600];
            point_table_cell(table, &columns[i], row, text, sizeof text);
            table_cell(&shown, "%s", text[0] == '\0' ? "-" : text);
        }
    table_print(&shown, to);
    table_free(&shown);
}

void point_table_free(struct point_table *table)
{
    free(table->rows);
    arena_free(&table->arena);
    *table = (struct point_table){0};
}
