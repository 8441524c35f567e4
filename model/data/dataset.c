#include "model/data/dataset.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* From the width of a 95 % interval to a standard error. */
static const double WIDTH_IN_ERRORS = 3.92;

bool dataset_best(const struct result_point *point, const char *metric, struct interval *interval)
{
    const struct result_rate *rate = result_rates_find(&point->rates, metric);
    const struct observation *best = rate == NULL ? NULL : result_rate_best(rate);
    *interval = (struct interval){NAN, NAN, NAN, 0};
    if (best != NULL)
        *interval = (struct interval){best->value, best->low, best->high, (size_t)best->n};
    return best != NULL;
}

const char *dataset_name(const struct result_point *point)
{
    return point->name[0] == '\0' ? "a point" : point->name;
}

/* The value with the best evidence; NAN when there is none. */
static double best_of(const struct result_point *point, const char *metric)
{
    struct interval interval;
    dataset_best(point, metric, &interval);
    return interval.value;
}

static double per_pass(const struct dataset_row *row, const char *name)
{
    return result_value(&row->point->per_pass, name).value * row->passes;
}

static double counted(const struct dataset_row *row, const char *name)
{
    return result_value(&row->point->counters, name).value * row->passes;
}

static double cycles(const struct dataset_row *row)
{
    double told = counted(row, "cycles");
    return isnan(told) ? per_pass(row, "instructions") / best_of(row->point, "ipc") : told;
}

double dataset_hottest(const struct result_values *temperature_c)
{
    double most = NAN;
    for (size_t i = 0; i < temperature_c->count; i++)
        most = fmax(most, temperature_c->items[i].interval.value);
    return most;
}

/* On a GPU, sectors (lines, where a cache has no sectors) of the whole grid; NAN: not a GPU. */
static double transfers(const struct dataset_row *row, const char *level)
{
    char name[64] = "transfers.";
    strncat(name, level, sizeof name - 11);
    return per_pass(row, name);
}

static double accesses(const struct dataset_row *row, const char *level)
{
    char metric[64] = "served.";
    if (isfinite(transfers(row, level)))
        return transfers(row, level);
    strncat(metric, level, sizeof metric - 8);
    return per_pass(row, "loads") * best_of(row->point, metric);
}

static double operations(const struct dataset_row *row, const char *op)
{
    char metric[64] = "mix.";
    strncat(metric, op, sizeof metric - 5);
    return per_pass(row, "instructions") * best_of(row->point, metric);
}

static double counter(const struct dataset_row *row, const char *name)
{
    return counted(row, name);
}

static double parameter(const struct dataset_row *row, const char *name)
{
    return result_parameter(row->point, name);
}

/* Prefixes, and single names. */
static const struct {
    const char *prefix;
    double (*number)(const struct dataset_row *row, const char *rest);
} families[] = {
    {"accesses.", accesses}, {"op.", operations}, {"counter.", counter}, {"parameter.", parameter}};

static double own_seconds(const struct dataset_row *row)
{
    return row->seconds;
}
static double own_dynamic(const struct dataset_row *row)
{
    return row->dynamic_j;
}
static double own_static(const struct dataset_row *row)
{
    return row->static_w;
}
static double own_hottest(const struct dataset_row *row)
{
    return dataset_hottest(&row->rep->temperature_c);
}
static double own_passes(const struct dataset_row *row)
{
    return row->passes;
}
static double own_instructions(const struct dataset_row *row)
{
    return per_pass(row, "instructions");
}
static double own_loads(const struct dataset_row *row)
{
    static const char *const levels[] = {"SHARED", "L1", "L2", "MEM"};
    double told = per_pass(row, "loads"), sum = 0;
    for (size_t i = 0; isnan(told) && i < sizeof levels / sizeof levels[0]; i++)
        sum += transfers(row, levels[i]);
    double others = transfers(row, "DSMEM"); /* only where a program has clusters */
    sum += isfinite(others) ? others : 0;
    return isnan(told) ? sum : told;
}
static double own_stores(const struct dataset_row *row)
{
    return per_pass(row, "stores");
}

static const struct {
    const char *name;
    double (*number)(const struct dataset_row *row);
} named[] = {{"seconds", own_seconds},       {"dynamic_j", own_dynamic}, {"static_w", own_static},
             {"temperature_c", own_hottest}, {"passes", own_passes},     {"instructions", own_instructions},
             {"loads", own_loads},           {"stores", own_stores},     {"cycles", cycles}};

double dataset_number(const struct dataset_row *row, const char *name)
{
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++)
        if (strcmp(named[i].name, name) == 0)
            return named[i].number(row);
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
        if (strncmp(name, families[i].prefix, strlen(families[i].prefix)) == 0)
            return families[i].number(row, name + strlen(families[i].prefix));
    double told = result_value(&row->point->power.values, name).value;
    return isnan(told) ? best_of(row->point, name) : told;
}

const char *dataset_text(const struct dataset_row *row, const char *name)
{
    return result_parameter_text(row->point, name);
}

double dataset_joules(const struct result_point *point, const struct result_values *energy_j)
{
    const struct manifest_words *from = &point->power.from;
    double sum = from->count > 0 ? 0 : NAN;
    for (size_t i = 0; i < from->count; i++)
        sum += result_value(energy_j, from->items[i]).value;
    return sum;
}

double dataset_error(struct interval interval)
{
    double width = interval.high - interval.low;
    return width > 0 ? width / WIDTH_IN_ERRORS : 0;
}

double dataset_idle_error(const struct result_point *point)
{
    return dataset_error(result_value(&point->power.values, "power.static_w"));
}

static size_t group_of(struct dataset *dataset, const char *recipe)
{
    for (size_t i = 0; i < dataset->group_count; i++)
        if (strcmp(dataset->groups[i], recipe) == 0)
            return i;
    dataset->groups = memory_resized(dataset->groups, dataset->group_count + 1, sizeof *dataset->groups);
    dataset->groups[dataset->group_count] = recipe;
    return dataset->group_count++;
}

void dataset_set_power(struct dataset_row *row)
{
    row->static_w = result_value(&row->point->power.values, "power.static_w").value;
    row->energy_j = dataset_joules(row->point, &row->rep->energy_j);
    row->dynamic_j = row->energy_j - row->static_w * row->seconds;
}

static void add_rep(struct dataset *dataset, const struct result_point *point, const struct result_rep *rep)
{
    dataset->rows = memory_resized(dataset->rows, dataset->count + 1, sizeof *dataset->rows);
    struct dataset_row *row = &dataset->rows[dataset->count++];
    dataset->all = dataset->count;
    *row = (struct dataset_row){.point = point, .rep = rep};
    row->group = group_of(dataset, point->recipe);
    row->passes = rep->iterations * (double)rep->copies;
    row->seconds = rep->seconds;
    dataset_set_power(row);
}

static void drop(struct result_point *point)
{
    json_t *document = (json_t *)(uintptr_t)point->document;
    result_point_free(point);
    json_decref(document);
    free(point);
}

void dataset_add_point(struct dataset *dataset, json_t *document)
{
    struct result_point *point = memory_zeroed(1, sizeof *point);
    result_point_read(json_incref(document), point);
    if (point->error != NULL || point->rep_count == 0) {
        drop(point);
        return;
    }
    dataset->points = memory_next(dataset->points, dataset->point_count, sizeof(struct result_point *));
    dataset->points[dataset->point_count++] = point;
    for (size_t i = 0; i < point->rep_count; i++)
        add_rep(dataset, point, &point->reps[i]);
}

void dataset_free(struct dataset *dataset)
{
    for (size_t i = 0; i < dataset->point_count; i++)
        drop(dataset->points[i]);
    free(dataset->points);
    free(dataset->rows);
    free(dataset->groups);
    *dataset = (struct dataset){0};
}
