#include "model/data/dataset.h"

#include "base/json.h"
#include "base/memory.h"
#include "runner/results/result_point.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* From the width of a 95 % interval to a standard error. */
static const double WIDTH_IN_ERRORS = 3.92;

bool dataset_best(const json_t *point, const char *metric, struct interval *interval)
{
    struct result_rates rates;
    result_rates_read_one(json_object_get(point, "rates"), metric, &rates);
    const struct observation *best = rates.count == 0 ? NULL : result_rate_best(&rates.items[0]);
    *interval = (struct interval){NAN, NAN, NAN, 0};
    if (best != NULL)
        *interval = (struct interval){best->value, best->low, best->high, (size_t)best->n};
    bool found = best != NULL;
    result_rates_free(&rates);
    return found;
}

/* The value with the best evidence; NAN when there is none. */
static double best_of(const json_t *point, const char *metric)
{
    struct interval interval;
    dataset_best(point, metric, &interval);
    return interval.value;
}

static double per_pass(const struct dataset_row *row, const char *name)
{
    return json_number_or(json_object_get(row->point, "per_pass"), name, NAN) * row->passes;
}

static double counted(const struct dataset_row *row, const char *name)
{
    const json_t *counter = json_object_get(json_object_get(row->point, "counters"), name);
    return json_number_or(counter, "value", NAN) * row->passes;
}

static double cycles(const struct dataset_row *row)
{
    double told = counted(row, "cycles");
    return isnan(told) ? per_pass(row, "instructions") / best_of(row->point, "ipc") : told;
}

double dataset_hottest(const json_t *object)
{
    const char *name;
    json_t *celsius;
    double most = NAN;
    json_object_foreach(json_object_get(object, "temperature_c"), name, celsius) most =
        fmax(most, json_number_value(celsius));
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
    return json_number_or(json_object_get(row->point, "point"), name, NAN);
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
    return dataset_hottest(row->rep);
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
    double told = json_number_or(json_object_get(json_object_get(row->point, "power"), name), "value", NAN);
    return isnan(told) ? best_of(row->point, name) : told;
}

const char *dataset_text(const struct dataset_row *row, const char *name)
{
    return json_string_or(json_object_get(row->point, "point"), name, NULL);
}

double dataset_joules(const json_t *point, const json_t *object)
{
    const json_t *from = json_object_get(json_object_get(point, "power"), "from");
    double sum = json_array_size(from) > 0 ? 0 : NAN;
    for (size_t i = 0; i < json_array_size(from); i++)
        sum += json_number_or(json_object_get(object, "energy_j"), json_string_value(json_array_get(from, i)),
                              NAN);
    return sum;
}

double dataset_error(const json_t *interval)
{
    double width = json_number_or(interval, "high", NAN) - json_number_or(interval, "low", NAN);
    return width > 0 ? width / WIDTH_IN_ERRORS : 0;
}

double dataset_idle_error(const json_t *point)
{
    return dataset_error(json_object_get(json_object_get(point, "power"), "power.static_w"));
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

static void add_rep(struct dataset *dataset, const struct result_point *point, const struct result_rep *rep)
{
    dataset->rows = memory_resized(dataset->rows, dataset->count + 1, sizeof *dataset->rows);
    struct dataset_row *row = &dataset->rows[dataset->count++];
    const json_t *power = json_object_get(point->document, "power");
    dataset->all = dataset->count;
    *row = (struct dataset_row){.point = point->document, .rep = rep->document};
    row->group = group_of(dataset, point->recipe);
    row->passes = rep->iterations * (double)rep->copies;
    row->seconds = rep->seconds;
    row->static_w = result_interval(json_object_get(power, "power.static_w")).value;
    row->energy_j = dataset_joules(point->document, rep->document);
    row->dynamic_j = row->energy_j - row->static_w * row->seconds;
}

void dataset_add_point(struct dataset *dataset, json_t *point)
{
    struct result_point read;
    if (dataset->points == NULL)
        dataset->points = json_array();
    result_point_read(point, &read);
    if (read.error == NULL && read.rep_count > 0)
        json_array_append(dataset->points, point);
    for (size_t i = 0; read.error == NULL && i < read.rep_count; i++)
        add_rep(dataset, &read, &read.reps[i]);
    result_point_free(&read);
}

void dataset_free(struct dataset *dataset)
{
    json_decref(dataset->points);
    free(dataset->rows);
    free(dataset->groups);
    *dataset = (struct dataset){0};
}
