#include "report/point_table.h"

#include "base/memory.h"
#include "generator/metric/metric.h"
#include "report/metric_value.h"
#include "report/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The metrics of a row. */
enum {
    METRIC_MAIN,
    METRIC_IPC,
    METRIC_BANDWIDTH,
    METRIC_LATENCY,
    METRIC_LATENCY_NS,
    METRIC_TICKS_PER_LOAD,
    METRICS
};

/* Metrics of a level. Their cells name the level. */
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
    struct interval unit_s;      /* n is 0: unknown */
    const char *main_metric;     /* NULL: nothing is promised */
    const char *levels[METRICS]; /* the level of each metric; NULL: none */
    double metrics[METRICS];     /* not finite: not observed */
    const char *doubts[METRICS]; /* why each is marked; NULL: it is not */
    const char *word;
    enum verdict verdict;
};

/* The kinds of columns; that of a metric is METRIC_COLUMN + METRIC_... */
enum {
    COLUMN_POINT,
    COLUMN_TIME,
    COLUMN_LEAST,
    COLUMN_MOST,
    COLUMN_OVERLAP,
    COLUMN_POWER,
    COLUMN_VERDICT,
    METRIC_COLUMN
};

/* The best observation; NAN: none. A prediction is no observation. */
static double observed_value(const struct result_rate *rate)
{
    const struct observation *best = rate == NULL ? NULL : result_rate_best(rate);
    return best == NULL || best->kind == EVIDENCE_PREDICTED ? NAN : best->value;
}

/* Why the observed value is marked; NULL: it is not. */
static const char *doubt_of(struct point_table *table, const struct result_rate *rate)
{
    const struct observation *best = isnan(observed_value(rate)) ? NULL : result_rate_best(rate);
    const char *doubt = best == NULL ? "" : metric_doubt(best->low, best->doubt);
    return doubt[0] == '\0' ? NULL : arena_strdup(&table->arena, doubt);
}

static bool is_required_share(const struct result_rate *rate)
{
    return strncmp(rate->metric, "served.", 7) == 0 && !isnan(rate->target);
}

/* The main rate: the first required one that is no property of the list of instructions or, if that is a
 * level's share, the largest such share; NULL: none. */
static const struct result_rate *main_rate(const struct result_rates *rates)
{
    const struct result_rate *chief = NULL;
    for (size_t i = 0; i < rates->count; i++) {
        const struct result_rate *rate = &rates->items[i];
        if (chief == NULL && !metric_is_listed(rate->metric) && !isnan(rate->target))
            chief = rate;
        else if (chief != NULL && is_required_share(chief) && is_required_share(rate) &&
                 rate->target > chief->target)
            chief = rate;
    }
    return chief;
}

/* Sets the row's metric for the level with the highest value. */
static void find_level(struct point_table *table, const struct result_rates *rates, size_t which,
                       struct point_row *row)
{
    int metric = of_levels[which].metric;
    row->metrics[metric] = -INFINITY;
    for (size_t i = 0; i < rates->count; i++) {
        const char *name = rates->items[i].metric;
        const struct metric *found = metric_find(name);
        double value = observed_value(&rates->items[i]);
        size_t length = 0;
        char level[16];
        if (found == NULL || strcmp(found->name, of_levels[which].name) != 0 || isnan(value) ||
            value <= row->metrics[metric])
            continue;
        row->metrics[metric] = value;
        row->doubts[metric] = doubt_of(table, &rates->items[i]);
        const char *part = metric_part(found, name, &length);
        snprintf(level, sizeof level, "%.*s", (int)length, part);
        row->levels[metric] = arena_strdup(&table->arena, level);
    }
}

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
    while (i < VERDICT_LOOKS && count_of(rates, verdict_looks[i].verdict) == 0)
        i++;
    row->verdict = i == VERDICT_LOOKS ? VERDICT_OBSERVED : verdict_looks[i].verdict;
    row->word = i < VERDICT_LOOKS ? verdict_name(row->verdict) : "nothing promised";
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

/* If the metric was observed, sets the time and the reason for its mark. */
static void seconds_of(const struct result_rates *rates, const char *metric, struct interval *seconds,
                       char doubt[OBSERVATION_DOUBT_BYTES])
{
    static const double NS = 1e-9;
    const struct result_rate *rate = result_rates_find(rates, metric);
    const struct observation *best = rate == NULL ? NULL : result_rate_best(rate);
    if (best == NULL)
        return;
    *seconds = (struct interval){best->value * NS, best->low * NS, best->high * NS, (size_t)best->n};
    snprintf(doubt, OBSERVATION_DOUBT_BYTES, "%s", metric_doubt(best->low, best->doubt));
}

static struct interval per_unit(struct interval pass, double units)
{
    return (struct interval){pass.value / units, pass.low / units, pass.high / units, pass.n};
}

/* Sets the times: those observed in rounds in which nothing else ran, as for bandwidth and latency; else
 * those of the repetitions. */
static void find_time(const struct result_rates *rates, struct point_row *row)
{
    seconds_of(rates, "pass.ns", &row->cost.pass_s, row->cost.pass_doubt);
    if (row->cost.units > 0)
        row->unit_s = per_unit(row->cost.pass_s, row->cost.units);
    seconds_of(rates, "unit.ns", &row->unit_s, row->cost.pass_doubt);
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
                           .metrics = {[METRIC_MAIN] = observed_value(chief),
                                       [METRIC_IPC] = observed_value(result_rates_find(rates, "ipc")),
                                       [METRIC_TICKS_PER_LOAD] = finding->cost.ticks_per_load},
                           .doubts = {[METRIC_MAIN] = doubt_of(table, chief),
                                      [METRIC_IPC] = doubt_of(table, result_rates_find(rates, "ipc"))}};
    row->doubts[METRIC_TICKS_PER_LOAD] =
        row->cost.pass_doubt[0] == '\0' ? NULL : arena_strdup(&table->arena, row->cost.pass_doubt);
    if (row->cost.one_by_one != NULL)
        row->cost.one_by_one = arena_strdup(&table->arena, row->cost.one_by_one);
    find_time(rates, row);
    for (size_t i = 0; i < OF_LEVELS; i++)
        find_level(table, rates, i, row);
    find_verdict(finding, row);
}

/* ---- columns ---- */

/* Whether the metric can be a column's title, a short plain text: in a file it may be any text. */
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

/* The unit of the column of times: the largest in which the shortest time is at least 10, or ticks if a point
 * has only these. Old results do not state how many units a pass has: their times are per pass. */
struct time_unit {
    char title[16];
    double scale; /* 0: ticks; NAN: no point has a time */
    bool passes;  /* per pass, not per unit of the kernel */
};

static bool any_unit(const struct point_table *table)
{
    bool any = false;
    for (size_t i = 0; i < table->count; i++)
        any = any || table->rows[i].unit_s.n > 0 || table->rows[i].cost.units > 0;
    return any;
}

static struct interval time_of(const struct point_row *row, bool passes)
{
    return passes ? row->cost.pass_s : row->unit_s;
}

static struct interval ticks_of(const struct point_row *row, bool passes)
{
    struct interval none = {.n = 0};
    if (passes)
        return row->cost.pass_ticks;
    return row->cost.units > 0 ? per_unit(row->cost.pass_ticks, row->cost.units) : none;
}

static struct time_unit time_unit_of(const struct point_table *table)
{
    static const struct {
        const char *name;
        double scale;
    } all[] = {{"s", 1}, {"ms", 1e3}, {"us", 1e6}, {"ns", 1e9}};
    struct time_unit unit = {.scale = NAN, .passes = !any_unit(table)};
    double least = INFINITY;
    bool ticks = false;
    for (size_t i = 0; i < table->count; i++) {
        struct interval seconds = time_of(&table->rows[i], unit.passes);
        if (seconds.n > 0)
            least = fmin(least, seconds.value);
        else
            ticks = ticks || ticks_of(&table->rows[i], unit.passes).n > 0;
    }
    size_t i = 0;
    while (i + 1 < sizeof all / sizeof all[0] && least * all[i].scale < 10)
        i++;
    if (ticks || isfinite(least))
        unit.scale = ticks ? 0 : all[i].scale;
    snprintf(unit.title, sizeof unit.title, "%s/%s", ticks ? "ticks" : all[i].name,
             unit.passes ? "pass" : "unit");
    return unit;
}

static bool any_range(const struct point_table *table)
{
    for (size_t i = 0; table->ranged && i < table->count; i++)
        if (isfinite(table->rows[i].cost.range.least_s))
            return true;
    return false;
}

static struct point_column *add_column(struct point_column *columns, size_t *count, int what,
                                       const char *title)
{
    struct point_column *column = &columns[(*count)++];
    *column =
        (struct point_column){.is_number = what != COLUMN_POINT && what != COLUMN_VERDICT, .what = what};
    snprintf(column->title, sizeof column->title, "%s", title);
    return column;
}

static bool any_overlap(const struct point_table *table)
{
    for (size_t i = 0; i < table->count; i++)
        if (isfinite(table->rows[i].cost.overlap))
            return true;
    return false;
}

static void add_time(struct point_column *columns, size_t *count, int what, const char *title, bool there,
                     const struct time_unit *unit)
{
    if (!there)
        return;
    struct point_column *column = add_column(columns, count, what, title);
    column->scale = unit->scale;
    column->passes = unit->passes;
}

size_t point_table_columns(const struct point_table *table, struct point_column columns[POINT_COLUMNS])
{
    size_t count = 0;
    bool power = false;
    for (size_t i = 0; i < table->count; i++)
        power = power || table->rows[i].cost.power_w.n > 0;
    add_column(columns, &count, COLUMN_POINT, "point");
    const struct time_unit unit = time_unit_of(table);
    add_time(columns, &count, COLUMN_TIME, unit.title, !isnan(unit.scale), &unit);
    bool ranged = unit.scale > 0 && any_range(table);
    add_time(columns, &count, COLUMN_LEAST, "minimum of repetitions", ranged, &unit);
    add_time(columns, &count, COLUMN_MOST, "maximum of repetitions", ranged, &unit);
    if (any_overlap(table))
        add_column(columns, &count, COLUMN_OVERLAP, "overlap");
    if (any_metric(table, METRIC_MAIN)) {
        const char *common = common_metric(table);
        add_column(columns, &count, METRIC_COLUMN + METRIC_MAIN, common == NULL ? "main rate" : common)
            ->named = common == NULL;
    }
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

/* Writes four significant digits, with an exponent only if it is needed. */
static void write_number(double value, char *text, size_t capacity)
{
    double size = fabs(value);
    int digits = size >= 1000 || size == 0 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3;
    if (size != 0 && (size < 1 || size >= 1e9))
        snprintf(text, capacity, "%.4g", value);
    else
        snprintf(text, capacity, "%.*f", digits, value);
}

static void write_time(const struct point_column *column, const struct point_row *row, char *text,
                       size_t capacity)
{
    struct interval seconds = time_of(row, column->passes), ticks = ticks_of(row, column->passes);
    double value = column->what == COLUMN_LEAST  ? row->cost.range.least_s
                   : column->what == COLUMN_MOST ? row->cost.range.most_s
                   : seconds.n > 0               ? seconds.value
                                                 : NAN;
    if (column->scale == 0 && ticks.n > 0)
        snprintf(text, capacity, "%.1f", ticks.value);
    else if (column->scale > 0 && isfinite(value))
        write_number(value * column->scale, text, capacity);
}

/* Why the row's number in the column is marked; "": it is not. */
static const char *cell_doubt(const struct point_row *row, int what)
{
    const char *doubt = what == COLUMN_TIME     ? row->cost.pass_doubt
                        : what == COLUMN_POWER  ? row->cost.power_doubt
                        : what >= METRIC_COLUMN ? row->doubts[what - METRIC_COLUMN]
                                                : NULL;
    return doubt == NULL ? "" : doubt;
}

static void write_metric(const struct point_column *column, const struct point_row *row, char *text,
                         size_t capacity)
{
    char number[32];
    int metric = column->what - METRIC_COLUMN;
    double value = row->metrics[metric];
    if (!isfinite(value))
        return;
    for (size_t i = 0; i < OF_LEVELS; i++)
        value *= of_levels[i].metric == metric ? of_levels[i].scale : 1;
    if (metric == METRIC_MAIN)
        snprintf(number, sizeof number, "%.4g", value);
    else
        write_number(value, number, sizeof number);
    const char *before = row->levels[metric] != NULL ? row->levels[metric]
                         : column->named             ? row->main_metric
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
    else if (column->what >= COLUMN_TIME && column->what <= COLUMN_MOST)
        write_time(column, row, text, capacity);
    else if (column->what == COLUMN_OVERLAP && isfinite(row->cost.overlap))
        snprintf(text, capacity, "%.2f", row->cost.overlap);
    else if (column->what == COLUMN_POWER && row->cost.power_w.n > 0)
        snprintf(text, capacity, "%.3g", row->cost.power_w.value);
    else if (column->what == COLUMN_VERDICT)
        snprintf(text, capacity, "%s", row->word);
    else if (column->what >= METRIC_COLUMN)
        write_metric(column, row, text, capacity);
    size_t used = strlen(text);
    if (used > 0 && cell_doubt(row, column->what)[0] != '\0')
        snprintf(text + used, capacity - used, " ?");
}

void point_table_marks(const struct point_table *table, struct table *shown)
{
    struct point_column columns[POINT_COLUMNS];
    size_t count = point_table_columns(table, columns);
    for (size_t i = 0; i < table->count; i++)
        for (size_t j = 0; j < count; j++) {
            char text[600];
            point_table_cell(table, &columns[j], i, text, sizeof text);
            if (text[0] != '\0')
                table_doubt(shown, cell_doubt(&table->rows[i], columns[j].what), table->rows[i].point);
        }
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

/* Prints a line for each reason why points were not measured in rounds. */
static void print_one_by_one(const struct point_table *table, FILE *to)
{
    enum { REASONS = 8 };
    const struct point_row *first[REASONS];
    size_t counts[REASONS] = {0}, reasons = 0;
    for (size_t i = 0; i < table->count; i++) {
        const struct point_row *row = &table->rows[i];
        size_t at = 0;
        if (row->cost.one_by_one == NULL)
            continue;
        while (at < reasons && strcmp(first[at]->cost.one_by_one, row->cost.one_by_one) != 0)
            at++;
        if (at == reasons && reasons < REASONS)
            first[reasons++] = row;
        if (at < reasons)
            counts[at]++;
    }
    for (size_t i = 0; i < reasons; i++) {
        fprintf(to, "%srepetitions in a row, not in rounds: %s", i == 0 ? "\n" : "", first[i]->point);
        if (counts[i] > 1)
            fprintf(to, " and %zu more", counts[i] - 1);
        fprintf(to, ", as %s\n", first[i]->cost.one_by_one);
    }
}

void point_table_print(const struct point_table *table, FILE *to)
{
    struct point_column columns[POINT_COLUMNS];
    struct table shown = {0};
    size_t count = point_table_columns(table, columns);
    for (size_t i = 0; i < count; i++)
        table_add_column(&shown, columns[i].title, columns[i].is_number ? TABLE_RIGHT : TABLE_LEFT);
    for (size_t row = 0; row < table->count; row++)
        for (size_t i = 0; i < count; i++) {
            char text[600];
            point_table_cell(table, &columns[i], row, text, sizeof text);
            table_cell(&shown, "%s", text[0] == '\0' ? "-" : text);
        }
    point_table_marks(table, &shown);
    table_finish(&shown, to);
    print_one_by_one(table, to);
}

void point_table_free(struct point_table *table)
{
    free(table->rows);
    arena_free(&table->arena);
    *table = (struct point_table){0};
}
