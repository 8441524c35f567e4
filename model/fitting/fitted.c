#include "model/fitting/fitted.h"

#include "base/memory.h"
#include "model/data/point_clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct fitted *fitted_begin(struct fitted *first, const char *quantity, const char *unit, const char *of)
{
    struct fitted *fitted = first;
    if (first->quantity != NULL) {
        while (fitted->next != NULL)
            fitted = fitted->next;
        fitted->next = memory_zeroed(1, sizeof *fitted);
        fitted = fitted->next;
    }
    fitted->quantity = quantity;
    fitted->unit = unit;
    snprintf(fitted->of, sizeof fitted->of, "%s", of == NULL ? "" : of);
    return fitted;
}

struct fitted_row *fitted_add(struct fitted *fitted)
{
    fitted->rows = memory_next(fitted->rows, fitted->count, sizeof *fitted->rows);
    struct fitted_row *row = &fitted->rows[fitted->count++];
    *row = (struct fitted_row){.celsius = NAN, .ghz = NAN, .order = NAN};
    return row;
}

/* The running mean of the known values. */
struct mean {
    double value, count;
};

static void add(struct mean *mean, double value)
{
    if (isfinite(value))
        mean->value += (value - mean->value) / ++mean->count;
}

static double mean_of(const struct mean *mean)
{
    return mean->count > 0 ? mean->value : NAN;
}

/* Whether the programs' own clock was recorded in all repetitions, and advanced. */
static bool is_timed(const struct dataset *dataset)
{
    double first = NAN;
    bool advanced = false;
    for (size_t i = 0; i < dataset->count; i++) {
        const struct result_copies *copies = &dataset->rows[i].rep->threads;
        if (copies->count == 0 || copies->items[0].start <= 0)
            return false;
        first = i == 0 ? (double)copies->items[0].start : first;
        advanced = advanced || (double)copies->items[0].start != first;
    }
    return advanced;
}

void fitted_place(struct fitted_row *row, const struct dataset *dataset, const struct result_point *point)
{
    struct mean celsius = {0}, ghz = {0}, order = {0};
    bool timed = is_timed(dataset);
    row->point = point;
    for (size_t i = 0; i < dataset->count; i++) {
        const struct dataset_row *rep = &dataset->rows[i];
        if (rep->point != point)
            continue;
        row->group = rep->group;
        add(&celsius, dataset_hottest(&rep->rep->temperature_c));
        add(&ghz, clock_observed(rep));
        add(&order, timed ? (double)rep->rep->threads.items[0].start : NAN);
    }
    row->celsius = mean_of(&celsius);
    row->ghz = mean_of(&ghz);
    row->order = mean_of(&order);
    for (size_t i = 0; isnan(row->order) && i < dataset->point_count; i++)
        if (dataset->points[i] == point)
            row->order = (double)i;
}

const char *fitted_label(const struct fitted_row *row, char buffer[FITTED_LABEL_BYTES])
{
    if (row->name != NULL || row->point == NULL)
        snprintf(buffer, FITTED_LABEL_BYTES, "%s", row->name == NULL ? "several points" : row->name);
    else
        snprintf(buffer, FITTED_LABEL_BYTES, "%.120s%s%.120s", row->point->benchmark,
                 row->point->name[0] == '\0' ? "" : "/", row->point->name);
    return buffer;
}

void fitted_free(struct fitted *fitted)
{
    for (struct fitted *each = fitted->next, *next; each != NULL; each = next) {
        next = each->next;
        free(each->rows);
        free(each->common);
        free(each);
    }
    free(fitted->rows);
    free(fitted->common);
    *fitted = (struct fitted){0};
}
