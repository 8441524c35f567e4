/* Which points determine the model "access-energy": a line for each level and number of threads. */
#include "model/design/design_form.h"

#include <math.h>
#include <stdio.h>

static const struct {
    const char *level;
    double joules;
} levels[] = {{"SHARED", 80e-12}, {"DSMEM", 150e-12}, {"L1", 110e-12}, {"L2", 370e-12}, {"MEM", 2100e-12}};
enum { LEVELS = sizeof levels / sizeof levels[0] };

/* The level that serves all loads; LEVELS: none. */
static size_t level_of(const struct dataset_row *row)
{
    size_t i = 0;
    while (i < LEVELS && !(design_number(row, "served.", levels[i].level) >= 0.99))
        i++;
    return dataset_number(row, "stores") > 0 || !(dataset_number(row, "loads") > 0) ? LEVELS : i;
}

/* The operation that the recipe puts beside each load, and its count per load; NULL: none. */
static const char *beside_of(const struct dataset_row *row, double *count)
{
    static const char *const names[] = {"div", "add", "mul", "fadd", "fmul", "fdiv", "fsqrt", "fma", "xor"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        *count = result_parameter(row->point, names[i]);
        if (*count > 0)
            return names[i];
    }
    return NULL;
}

static void add_access(const struct design_chip *chip, const struct dataset_row *row,
                       struct design_columns *columns)
{
    char name[LINEAR_NAME_BYTES];
    size_t level = level_of(row);
    double count;
    const char *beside = beside_of(row, &count);
    (void)chip;
    if (level == LEVELS)
        return;
    design_add(columns, "epsilon.", levels[level].level, levels[level].joules);
    design_add(columns, "delta.", levels[level].level, 0.5);
    if (beside == NULL)
        return;
    snprintf(name, sizeof name, "%s.%s", beside, levels[level].level);
    design_add(columns, "", name, 0.5e-9);
    design_add(columns, "with ", name, 0.5); /* its line has a constant of its own */
}

static size_t fill_access(const struct design_chip *chip, const struct dataset_row *row,
                          const struct design_columns *columns, double *x)
{
    char name[LINEAR_NAME_BYTES];
    size_t level = level_of(row);
    double count;
    const char *beside = beside_of(row, &count);
    (void)chip;
    if (level == LEVELS)
        return 0;
    double rate = dataset_number(row, "loads") / row->seconds;
    design_set(columns, "epsilon.", levels[level].level, rate, x);
    if (beside == NULL) {
        design_set(columns, "delta.", levels[level].level, 1 / row->seconds, x);
        return 1;
    }
    const struct result_values *pass = &row->point->per_pass;
    char loads[LINEAR_NAME_BYTES], transfers[LINEAR_NAME_BYTES];
    snprintf(loads, sizeof loads, "accesses.%s", levels[level].level);
    snprintf(transfers, sizeof transfers, "transfers.%s", levels[level].level);
    double sharing = result_value(pass, loads).value / result_value(pass, transfers).value;
    snprintf(name, sizeof name, "%s.%s", beside, levels[level].level);
    design_set(columns, "", name, rate * count * (isfinite(sharing) ? sharing : 1), x);
    design_set(columns, "with ", name, 1 / row->seconds, x);
    return 1;
}

static bool is_of_whole_chip(const struct dataset_row *row)
{
    return isnan(result_parameter(row->point, "share"));
}

static bool is_of_share(const struct dataset_row *row, double *share)
{
    if (is_of_whole_chip(row))
        return false;
    *share = result_parameter(row->point, "share");
    return true;
}

static const char *const recipes_of_access[] = {"gpu-energy-2024", NULL};
static const char *const lengths[] = {"seconds", NULL};
const struct design_form design_of_access_energy = {.recipes = recipes_of_access,
                                                    .needs = "loads that one level serves, at three lengths",
                                                    .together = lengths,
                                                    .of_lengths = true,
                                                    .fits = is_of_whole_chip,
                                                    .tests = is_of_share,
                                                    .add_columns = add_access,
                                                    .fill = fill_access};
